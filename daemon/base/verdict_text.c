/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/verdict_text.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/base/apps.h"
#include "daemon/base/text.h"

/* Apps in the text; the others are in summary.csv. */
#define APPS_SHOWN 3

/* Surfaces below the one by which an app is judged. */
#define OTHERS_SHOWN 2

/* Shorter waits for buffers are not worth a line. */
#define RELEASE_WAIT_SHOWN_NS 1000000

#define LINE_SIZE (4 * STATUS_NAME_SIZE + 256)

/* Bytes of the names of an app and a Surface. */
#define SHOWN_NAME_SIZE (2 * STATUS_NAME_SIZE + 8)

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* A time of the trace, truncated to milliseconds as in the files. */
static double moment(uint64_t ns)
{
	return (double)(ns / 1000000) / 1e3;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The name of a Surface in the text; after its app, if it does not name that itself. */
static void name_of(char name[SHOWN_NAME_SIZE], const struct status_surface *surface)
{
	if (surface->app[0] && !strstr(surface->name, surface->app))
		snprintf(name, SHOWN_NAME_SIZE, "%s, %s", surface->app, surface->name);
	else
		snprintf(name, SHOWN_NAME_SIZE, "%s", surface->name);
	text_short_component(name);
}

/* Prints @name and @more; only the name is cut. */
static void print_name(FILE *out, unsigned int columns, const char *name, const char *more)
{
	char shown[LINE_SIZE];
	size_t length = strlen(more);
	size_t left = columns > length + 16 ? columns - length : 16;

	text_shorten(shown, sizeof(shown), name, left);
	text_print_line(out, columns, "%s%s", shown, more);
}

static void print_verdict(FILE *out, unsigned int columns, const struct status_surface *surface)
{
	bool is_judged = strncmp(surface->verdict, "n/a", 3) != 0;
	bool is_short = strchr(surface->verdict, '<') != NULL;
	char name[SHOWN_NAME_SIZE], more[VERDICT_SIZE + 48];

	name_of(name, surface);
	snprintf(more, sizeof(more), ": %s%s", surface->verdict,
		 is_judged  ? " FPS"
		 : is_short ? " of continuous drawing"
			    : " a film of 24 FPS, where the rule asks for 25");
	print_name(out, columns, name, more);
}

static void print_janks(FILE *out, unsigned int columns, const struct status_surface *surface)
{
	const struct frame_stats *stats = &surface->stats;
	char stalls[64] = "";

	if (stats->stalls > 0)
		snprintf(stalls, sizeof(stalls), ", stalls %" PRId64 ": %.2f s", stats->stalls,
			 seconds(stats->stall_ns));
	text_print_line(out, columns,
			"  jank %" PRIu64 ", big jank %" PRIu64
			" in %.1f s of frames; waits %" PRIu64 "%s%s",
			stats->jank, stats->big_jank, seconds(stats->time_ns), stats->waits, stalls,
			surface->paces_itself ? "; paces itself" : "");
	if (surface->endless > 0)
		text_print_line(out, columns, "  stalls that no frame ended %" PRIu64 ": %.2f s",
				surface->endless, seconds(surface->endless_ns));
}

static void print_harm(FILE *out, unsigned int columns, const struct harm *harm)
{
	if (harm->frames == 0)
		return;
	text_print_line(out, columns,
			"  late for %.2f s in %" PRIu64 " frame%s; worst moment at %.3f s: %.0f ms",
			seconds(harm->total_ns), harm->frames, plural(harm->frames),
			moment(harm->worst_at_ns), (double)harm->worst_ns / 1e6);
	text_print_line(out, columns, "  worst minute from %.0f s: late for %.2f s",
			seconds(harm->minute_from_ns), seconds(harm->minute_ns));
}

/* Whose fault the late frames were, the most frequent first. */
static void print_causes(FILE *out, unsigned int columns, const uint64_t causes[CAUSES])
{
	char line[LINE_SIZE] = "  cause:";
	bool printed[CAUSES] = { false };

	for (;;) {
		unsigned int most = CAUSE_NONE;

		for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
			if (!printed[i] && causes[i] > 0 &&
			    (most == CAUSE_NONE || causes[i] > causes[most]))
				most = i;
		if (most == CAUSE_NONE)
			break;
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s %s %" PRIu64,
			 strchr(line, ':')[1] ? "," : "", cause_names[most], causes[most]);
		printed[most] = true;
	}
	if (strchr(line, ':')[1])
		text_print_line(out, columns, "%s", line);
}

/* The GPU, and buffers that the display had not released. */
static void print_buffers(FILE *out, unsigned int columns, const struct status_surface *surface)
{
	const struct fence_stats *fences = &surface->fences;

	if (surface->gpu_bound > 0)
		text_print_line(
			out, columns,
			"  gpu bound: %" PRId64 " late frame%s; GPU time p50 %.1f ms, p99 %.1f ms",
			surface->gpu_bound, plural((uint64_t)surface->gpu_bound),
			(double)surface->gpu_p50_ns / 1e6, (double)surface->gpu_p99_ns / 1e6);
	if (fences->late > 0 && surface->release_p99_ns >= RELEASE_WAIT_SHOWN_NS)
		text_print_line(out, columns,
				"  waited for a buffer: %" PRIu64 " of %" PRIu64
				" late frame%s (%.0f %%); p99 %.1f ms",
				fences->late_released, fences->late, plural(fences->late),
				100.0 * (double)fences->late_released / (double)fences->late,
				(double)surface->release_p99_ns / 1e6);
}

/* Another Surface of an app, in a line. */
static void print_other(FILE *out, unsigned int columns, const struct status_surface *surface)
{
	char name[SHOWN_NAME_SIZE + 16], more[256];
	size_t n;

	n = (size_t)snprintf(name, sizeof(name), "  also %s", surface->name);
	text_short_component(name);
	n = (size_t)snprintf(more, sizeof(more), ": jank %" PRIu64, surface->stats.jank);
	if (surface->stats.stalls > 0)
		n += (size_t)snprintf(more + n, sizeof(more) - n, ", stalls %" PRId64,
				      surface->stats.stalls);
	if (surface->endless > 0)
		n += (size_t)snprintf(more + n, sizeof(more) - n, ", without end %" PRIu64,
				      surface->endless);
	if (surface->harm.frames > 0)
		snprintf(more + n, sizeof(more) - n, ", late for %.2f s, at %.3f s: %.0f ms",
			 seconds(surface->harm.total_ns), moment(surface->harm.worst_at_ns),
			 (double)surface->harm.worst_ns / 1e6);
	print_name(out, columns, name, more);
}

/* True: it was late, or is a part of why an app was. */
static bool was_late(const struct status_surface *surface)
{
	return surface->harm.frames > 0 || surface->stats.jank > 0 || surface->endless > 0;
}

/* The other Surfaces of the app, those with most harm. */
static void print_others(FILE *out, unsigned int columns, const struct app_result *app,
			 const struct status *status)
{
	const struct status_surface *last = NULL;
	unsigned int n = 0;

	for (; n < OTHERS_SHOWN; n++) {
		const struct status_surface *worst = NULL;

		for (unsigned int i = 0; i < status->n_surfaces; i++) {
			const struct status_surface *one = &status->surfaces[i];

			if (one == app->judged || strcmp(one->app, app->app) != 0 ||
			    !was_late(one) || (last && !surface_is_worse(last, one)))
				continue;
			if (!worst || surface_is_worse(one, worst))
				worst = one;
		}
		if (!worst)
			return;
		print_other(out, columns, worst);
		last = worst;
	}
}

static void print_app(FILE *out, unsigned int columns, const struct app_result *app,
		      const struct status *status)
{
	const struct status_surface *surface = app->judged;

	print_verdict(out, columns, surface);
	print_janks(out, columns, surface);
	print_harm(out, columns, &surface->harm);
	if (surface->harm.frames > 0)
		print_causes(out, columns, surface->causes);
	print_buffers(out, columns, surface);
	if (surface->pauses > 0)
		text_print_line(out, columns,
				"  unknown: pauses %" PRIu64
				": %.2f s that nothing in the trace explains; they may be stalls",
				surface->pauses, seconds(surface->pause_ns));
	print_others(out, columns, app, status);
}

/* True: its frames were late, or it drew for so long that it has a verdict. */
static bool is_judged(const struct app_result *app)
{
	const char *verdict = app->judged->verdict;

	return app->is_late || (verdict[0] && strncmp(verdict, "n/a", 3) != 0);
}

/* --- the apps' own frames --- */

/* What Android reports as 'Skipped N frames!'. */
static void print_skipped(FILE *out, unsigned int columns, const struct status *status)
{
	const struct doframe_skipped *worst = &status->counters.doframe_worst;
	uint64_t n = status->counters.doframes_skipped;

	if (n > 0)
		text_print_line(out, columns,
				"Skipped %" PRIu64
				" frames! %s, thread %d, at %.3f s (30 or more: %" PRIu64
				" time%s)",
				worst->periods,
				worst->app[0] ? app_whole_name(status, worst->app) : "unknown app",
				(int)worst->tid, moment(worst->begin_ns), n, plural(n));
}

static const char *name_without_marks(const struct status_surface *surface)
{
	return surface->app[0] ? surface->app : surface->name;
}

/* True: a Surface before number @at has the name of its process. */
static bool is_named(const struct status *status, unsigned int at)
{
	const char *name = name_without_marks(&status->surfaces[at]);

	for (unsigned int i = 0; i < at; i++)
		if (status->surfaces[i].no_view_marks &&
		    strcmp(name_without_marks(&status->surfaces[i]), name) == 0)
			return true;
	return false;
}

/* Processes that present frames and are not in doframe.csv. */
static void print_without_marks(FILE *out, unsigned int columns, const struct status *status)
{
	char names[LINE_SIZE / 2] = "";
	size_t n = 0;

	if (status->counters.doframes == 0) {
		text_print_line(
			out, columns,
			"no doframe.csv: no process has view marks (category view), so the apps' "
			"own frames are unknown");
		return;
	}
	for (unsigned int i = 0; i < status->n_surfaces && n < sizeof(names); i++)
		if (status->surfaces[i].no_view_marks && !is_named(status, i))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s",
					      n > 0 ? ", " : "",
					      name_without_marks(&status->surfaces[i]));
	if (n > 0)
		print_name(out, columns, names,
			   ": frames without view marks, so no row in doframe.csv");
}

/* --- what is unknown --- */

/* Surfaces of which the vsyncs of some frames are unknown. */
static unsigned int surfaces_unknown(const struct status *status)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < status->n_surfaces; i++)
		n += status->surfaces[i].stats.unknown > 0;
	return n;
}

static const char *without_late_frames(const struct status *status)
{
	if (status->counters.frames == 0)
		return "no frames, so no verdict";
	return surfaces_unknown(status) > 0 ? "no frame is known to be late" : "no frame was late";
}

/* What the numbers do not include, and why. */
static void print_unknown(FILE *out, unsigned int columns, const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	char losses[64] = "";
	unsigned int surfaces = surfaces_unknown(status);
	uint64_t causes = 0;

	for (unsigned int i = 0; i < status->n_surfaces; i++)
		causes += status->surfaces[i].causes[CAUSE_UNKNOWN];

	if (counters->lost_unknown > 0)
		snprintf(losses, sizeof(losses), " and %" PRIu64 " loss%s of unknown size",
			 counters->lost_unknown, counters->lost_unknown == 1 ? "" : "es");
	if (counters->lost_events > 0 || counters->lost_unknown > 0)
		text_print_line(out, columns,
				"unknown: frames in the time of %" PRIu64 " lost events%s",
				counters->lost_events, losses);
	if (counters->ahead > 0)
		text_print_line(out, columns,
				"ignored: %" PRIu64 " line%s with a time far ahead of all others: "
				"damaged or forged",
				counters->ahead, plural((unsigned int)counters->ahead));
	if (surfaces > 0)
		text_print_line(
			out, columns,
			"unknown: vsyncs of some frames of %u of %u surface%s, as the display's "
			"period is not certain there",
			surfaces, status->n_surfaces, plural(status->n_surfaces));
	if (causes > 0)
		text_print_line(out, columns,
				"unknown: whose fault %" PRIu64
				" late frame%s, as marks of buffers are missing or ambiguous",
				causes, causes == 1 ? " was" : "s were");
	if (status->surfaces_total > status->n_surfaces)
		text_print_line(out, columns,
				"not judged here: %u surfaces with fewer frames, see "
				"summary.csv",
				status->surfaces_total - status->n_surfaces);
}

void verdict_print(FILE *out, const struct status *status, unsigned int columns)
{
	/* Unknown with the rules gfx2019, and with the source latency, which reads no trace. */
	bool is_traced = status->counters.sf_pid != TRACE_ID_UNKNOWN;
	struct app_result apps[STATUS_SURFACES_MAX];
	unsigned int all = apps_of(apps, status), n = 0;

	for (unsigned int i = 0; i < all; i++)
		if (is_judged(&apps[i]) && n++ < APPS_SHOWN)
			print_app(out, columns, &apps[i], status);
	if (n > APPS_SHOWN)
		text_print_line(out, columns, "and %u more app%s in summary.csv", n - APPS_SHOWN,
				plural(n - APPS_SHOWN));
	if (n == 0)
		text_print_line(out, columns, "%s", without_late_frames(status));
	print_skipped(out, columns, status);
	if (is_traced)
		print_without_marks(out, columns, status);
	print_unknown(out, columns, status);
}
