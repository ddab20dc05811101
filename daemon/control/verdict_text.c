/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/control/control.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "daemon/base/text.h"
#include "daemon/control/apps.h"

/* Apps in the text; the others are in summary.csv. */
#define APPS_SHOWN 3

#define LINE_SIZE (4 * STATUS_NAME_SIZE + 256)

/* Prints a line, cut to @columns. */
__attribute__((format(printf, 3, 4))) static void print_line(FILE *out, unsigned int columns,
							     const char *format, ...)
{
	char line[LINE_SIZE], shown[LINE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text_shorten(shown, sizeof(shown), line, columns);
	fprintf(out, "%s\n", shown);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void print_harm(FILE *out, unsigned int columns, const struct harm *harm)
{
	if (harm->frames == 0)
		return;
	print_line(out, columns, "  late for %.2f s in %" PRIu64 " frames; most at %.3f s: %.0f ms",
		   seconds(harm->total_ns), harm->frames, seconds(harm->worst_at_ns),
		   (double)harm->worst_ns / 1e6);
	print_line(out, columns, "  worst minute from %.0f s: late for %.2f s",
		   seconds(harm->minute_from_ns), seconds(harm->minute_ns));
}

/* Whose fault the late frames were. */
static void print_causes(FILE *out, unsigned int columns, const uint64_t causes[CAUSES])
{
	char line[LINE_SIZE] = "  cause:";

	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		if (causes[i] > 0)
			snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s %" PRIu64,
				 cause_names[i], causes[i]);
	print_line(out, columns, "%s", line);
}

static void print_app(FILE *out, unsigned int columns, const struct app_result *app)
{
	const struct status_surface *surface = app->judged;
	const struct frame_stats *stats = &surface->stats;
	char name[STATUS_NAME_SIZE];

	memcpy(name, surface->name, sizeof(name));
	text_short_component(name);
	print_line(out, columns, "%s: %s", name, surface->verdict);
	print_line(out, columns,
		   "  jank %" PRIu64 ", big jank %" PRIu64 " in %.1f s of frames, waits %" PRIu64
		   "%s",
		   stats->jank, stats->big_jank, seconds(stats->time_ns), stats->waits,
		   surface->paces_itself ? ", paces itself" : "");
	if (stats->stalls > 0)
		print_line(out, columns, "  stalls %" PRId64 ": %.2f s", stats->stalls,
			   seconds(stats->stall_ns));
	print_harm(out, columns, &surface->harm);
	if (surface->harm.frames > 0)
		print_causes(out, columns, surface->causes);
	if (surface->fences.late_released > 0)
		print_line(out, columns,
			   "  waited for a buffer: %" PRIu64 " of %" PRIu64
			   " late frames; p99 %.1f ms",
			   surface->fences.late_released, surface->fences.late,
			   (double)surface->release_p99_ns / 1e6);
	if (surface->pauses > 0)
		print_line(out, columns,
			   "  unknown: %" PRIu64 " pauses of %.2f s that nothing in the trace "
			   "explains",
			   surface->pauses, seconds(surface->pause_ns));
}

/* True: its frames were late, or it drew for so long that it has a verdict. */
static bool is_judged(const struct app_result *app)
{
	return app->harm_ns > 0 || app->judged->stats.jank > 0 ||
	       strncmp(app->judged->verdict, "n/a", 3) != 0;
}

/* What the numbers do not include, and why. */
static void print_unknown(FILE *out, unsigned int columns, const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	unsigned int surfaces = 0;

	for (unsigned int i = 0; i < status->n_surfaces; i++)
		surfaces += status->surfaces[i].stats.missed == ROW_UNKNOWN;
	if (counters->lost_events > 0 || counters->lost_unknown > 0)
		print_line(out, columns,
			   "unknown: frames in the time of %" PRIu64 " lost events and %" PRIu64
			   " losses of unknown size",
			   counters->lost_events, counters->lost_unknown);
	if (surfaces > 0)
		print_line(out, columns,
			   "unknown: late frames of %u of %u surfaces, as their vsyncs are not "
			   "known at all times",
			   surfaces, status->n_surfaces);
}

void verdict_print(FILE *out, const struct status *status, unsigned int columns)
{
	struct app_result apps[STATUS_SURFACES_MAX];
	unsigned int n = apps_of(apps, status);

	while (n > 0 && !is_judged(&apps[n - 1]))
		n--;
	for (unsigned int i = 0; i < n && i < APPS_SHOWN; i++)
		print_app(out, columns, &apps[i]);
	if (n > APPS_SHOWN)
		print_line(out, columns, "and %u more apps in summary.csv", n - APPS_SHOWN);
	if (n == 0)
		print_line(out, columns, "no frame was late");
	print_unknown(out, columns, status);
}
