/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/show.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/base/text.h"

/* Apps in the text; the others are in summary.csv. */
#define APPS_SHOWN 3

/* Surfaces of an app. */
#define SURFACES_SHOWN 3

/* Shorter waits for buffers are not worth a line. */
#define RELEASE_WAIT_SHOWN_NS 1000000

#define LINE_SIZE (4 * STATUS_NAME_SIZE + 256)

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* A time of the trace, from the begin of the session; as the trace has it if there was more than
 * one clock. */
static void tell_time(char text[GRADE_TIME_SIZE], const struct status *status, uint64_t ns)
{
	uint64_t begin_ns = status->first_ns > 0 ? status->first_ns : status->counters.first_ns;

	if (status->counters.span_ns > 0)
		snprintf(text, GRADE_TIME_SIZE, "%.3f s", seconds(ns));
	else
		grade_clock(text, (int64_t)(ns > begin_ns ? ns - begin_ns : 0));
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --- an app --- */

static void print_grade(FILE *out, unsigned int columns, const struct status_app *app)
{
	char sentence[GRADE_TEXT_SIZE], whose[GRADE_TEXT_SIZE], line[4 * GRADE_TEXT_SIZE];
	struct graded graded = app_graded(app);

	grade_sentence(sentence, &graded, ENGLISH);
	grade_causes(whose, &app->facts, ENGLISH);
	snprintf(line, sizeof(line), "%s: %s %s", grade_names[grade_of(&app->facts)],
		 app->sentence ? app->sentence : sentence, app->whose ? app->whose : whose);
	text_print_line(out, columns, "%s", line);
	if (app->next && app->next[0])
		text_print_line(out, columns, "  Next: %s", app->next);
}

/* What the numbers do not say. */
static void print_unknowns(FILE *out, unsigned int columns, const char *indent,
			   const struct grade_facts *facts)
{
	char lines[GRADE_UNKNOWNS][GRADE_UNKNOWN_SIZE];
	unsigned int n = grade_unknowns(lines, facts);

	for (unsigned int i = 0; i < n; i++)
		text_print_line(out, columns, "%s%s", indent, lines[i]);
}

static bool is_of_app(const struct summary_row *surface, const struct status_app *app)
{
	return strncmp(surface->app, app->app, STATUS_NAME_SIZE - 1) == 0 &&
	       app_has_surface(app->app, surface->surface);
}

/* The Surfaces of an app, or with NULL those of none: those that lost most, each in a line with
 * what it lost. */
static void print_surfaces(FILE *out, unsigned int columns, const struct status *status,
			   const struct status_app *app)
{
	bool printed[STATUS_SURFACES_MAX] = { false };

	for (unsigned int n = 0; n < SURFACES_SHOWN; n++) {
		char name[STATUS_NAME_SIZE + 16], more[256], moment[GRADE_TIME_SIZE];
		unsigned int worst = STATUS_SURFACES_MAX;
		const struct summary_row *surface;
		const struct grade_facts *facts;

		for (unsigned int i = 0; i < status->n_surfaces; i++) {
			const struct summary_row *one = &status->surfaces[i];

			if (printed[i] || one->facts.frames + one->facts.freezes == 0 ||
			    (app ? !is_of_app(one, app) : app_has_surface(one->app, one->surface)))
				continue;
			if (worst == STATUS_SURFACES_MAX ||
			    grade_lost_ns(&one->facts) >
				    grade_lost_ns(&status->surfaces[worst].facts))
				worst = i;
		}
		if (worst == STATUS_SURFACES_MAX)
			return;
		printed[worst] = true;

		surface = &status->surfaces[worst];
		facts = &surface->facts;
		snprintf(name, sizeof(name), "  %s", surface->surface);
		text_short_component(name);
		snprintf(more, sizeof(more), ": %s", grade_names[surface->grade]);
		if (facts->freezes > 0)
			text_append(more, sizeof(more), ", %" PRIu64 " freeze%s%s %.2f s",
				    facts->freezes, plural(facts->freezes),
				    facts->more_freezes ? " or more" : "",
				    seconds(facts->freeze_ns));
		else if (facts->more_freezes)
			text_append(more, sizeof(more), ", freezes not known");
		if (facts->late > 0)
			text_append(more, sizeof(more), ", %" PRIu64 " late frame%s %.2f s",
				    facts->late, plural(facts->late), seconds(facts->late_ns));
		tell_time(moment, status, surface->harm.worst_from_ns);
		if (surface->harm.worst_ns > 0)
			text_append(more, sizeof(more), "; most lost at %s: %.0f ms", moment,
				    (double)surface->harm.worst_ns / 1e6);
		text_print_line(out, columns, "%s%s", name, more);
	}
}

static void print_app(FILE *out, unsigned int columns, const struct status_app *app,
		      const struct status *status)
{
	const struct grade_facts *facts = &app->facts;
	const struct summary_row *surface = NULL;
	char line[LINE_SIZE] = "  time lost:", minute[GRADE_TIME_SIZE];
	char class[16] = "", number[16] = "", without[2 * GRADE_COUNT_SIZE + 64] = "";
	const char *sign = strpbrk(app->verdict, "<>");
	bool is_met = strncmp(app->verdict, "pass", 4) == 0;
	enum cause causes[CAUSES];
	unsigned int n = grade_causes_by_time(causes, facts);

	print_grade(out, columns, app);
	for (unsigned int i = 0; i < n; i++)
		text_append(line, sizeof(line), "%s %s %.2f s (%" PRIu64 ")", i > 0 ? "," : "",
			    grade_cause_name(causes[i], ENGLISH),
			    seconds(facts->cause_ns[causes[i]]), facts->causes[causes[i]]);
	if (n > 0)
		text_print_line(out, columns, "%s", line);
	print_surfaces(out, columns, status, app);

	/* The Surface that has the app's frame rate. */
	for (unsigned int i = 0; i < status->n_surfaces && !surface; i++)
		if (is_of_app(&status->surfaces[i], app) &&
		    strncmp(status->surfaces[i].surface, app->surface, STATUS_NAME_SIZE - 1) == 0)
			surface = &status->surfaces[i];
	if (surface && surface->harm.worst_ns > 0 && seconds(facts->span_ns) > 60) {
		tell_time(minute, status, surface->harm.minute_from_ns);
		text_print_line(out, columns, "  worst minute from %s: %.2f s lost", minute,
				seconds(surface->harm.minute_ns));
	}
	if (surface && surface->gpu_bound > 0)
		text_print_line(
			out, columns,
			"  GPU bound: %" PRId64 " late frame%s; GPU time p50 %.1f ms, p99 %.1f ms",
			surface->gpu_bound, plural((uint64_t)surface->gpu_bound),
			(double)surface->gpu_p50_ns / 1e6, (double)surface->gpu_p99_ns / 1e6);
	/* Buffers that the display had not released. */
	if (surface && surface->fences.late > 0 && surface->release_p99_ns >= RELEASE_WAIT_SHOWN_NS)
		text_print_line(out, columns,
				"  waited for a free buffer: %" PRIu64 " of %" PRIu64
				" late frame%s (%.0f %%); p99 %.1f ms",
				surface->fences.late_released, surface->fences.late,
				plural(surface->fences.late),
				100.0 * (double)surface->fences.late_released /
					(double)surface->fences.late,
				(double)surface->release_p99_ns / 1e6);
	print_unknowns(out, columns, "  ", facts);

	/* The rule that an even frame rate must meet, in small print: "pass app? 58.3>=55". */
	if (sscanf(app->verdict, "%*s %15s %15[0-9.]", class, number) < 1)
		return;
	class[strcspn(class, "?")] = '\0';
	/* It leaves out what is worst. */
	if (facts->freezes > 0)
		text_append(without, sizeof(without), "; it leaves out the %" PRIu64 " freeze%s",
			    facts->freezes, plural(facts->freezes));
	if (facts->gaps > 0)
		text_append(without, sizeof(without), "%s the %" PRIu64 " unexplained gap%s",
			    without[0] ? " and" : "; it leaves out", facts->gaps,
			    plural(facts->gaps));
	if (without[0] && is_met)
		text_append(without, sizeof(without), ", so it is no pass");
	if (!sign)
		snprintf(line, sizeof(line), "not applicable to a film of 24 fps");
	else if (strncmp(app->verdict, "n/a", 3) == 0)
		snprintf(line, sizeof(line), "not applicable: never even for 5 s");
	else
		snprintf(line, sizeof(line), "%s, %s fps between gaps%s",
			 is_met ? "met" : "not met", number, without);
	text_print_line(out, columns, "  %d fps rule of the Software Green Alliance: %s",
			sign && strcmp(class, "app") == 0 ? 55 : 25, line);
}

/* --- the apps' own frames --- */

static const char *name_without_marks(const struct summary_row *surface)
{
	return surface->app[0] ? surface->app : surface->surface;
}

/* Processes that present frames and are not in doframe.csv. */
static void print_without_marks(FILE *out, unsigned int columns, const struct status *status)
{
	char names[LINE_SIZE] = "";
	unsigned int n = 0;

	if (status->counters.doframes == 0) {
		text_print_line(out, columns,
				"the apps' own frame times are not recorded: add category "
				"view");
		return;
	}
	for (unsigned int i = 0; i < status->n_surfaces; i++) {
		const char *name = name_without_marks(&status->surfaces[i]);
		unsigned int at = 0;

		/* The first Surface with that name. */
		while (at < i && (!status->surfaces[at].no_view_marks ||
				  strcmp(name_without_marks(&status->surfaces[at]), name) != 0))
			at++;
		if (at == i && status->surfaces[i].no_view_marks && n++ < APPS_SHOWN)
			text_append(names, sizeof(names), "%s%s", n > 1 ? ", " : "", name);
	}
	if (n > APPS_SHOWN)
		text_append(names, sizeof(names), " and %u more", n - APPS_SHOWN);
	if (n > 0)
		text_print_line(out, columns,
				"%s: the app's own frame times are not recorded: add category view",
				names);
}

/* The apps behind the first ones: the sentences of those that are not smooth, the number of all
 * others by grade. */
static void print_more_apps(FILE *out, unsigned int columns, const struct status *status)
{
	unsigned int of[GRADES] = { 0 }, more = 0;
	char line[LINE_SIZE];

	for (unsigned int i = APPS_SHOWN; i < status->n_apps; i++) {
		enum grade grade = grade_of(&status->apps[i].facts);

		if (grade == GRADE_BAD || grade == GRADE_POOR || grade == GRADE_FAIR)
			print_grade(out, columns, &status->apps[i]);
		else
			of[grade]++, more++;
	}
	/* The last ones have no grade here. */
	of[GRADE_NONE] += status->apps_total - status->n_apps;
	more += status->apps_total - status->n_apps;
	if (more == 0)
		return;
	snprintf(line, sizeof(line), "and %u more app%s in summary.csv", more, plural(more));
	for (unsigned int i = 1; i <= GRADES; i++)
		if (of[i % GRADES] > 0)
			text_append(line, sizeof(line), "%s %u %s", strchr(line, ':') ? "," : ":",
				    of[i % GRADES], i < GRADES ? grade_names[i] : "not listed");
	text_print_line(out, columns, "%s", line);
}

void verdict_print(FILE *out, const struct status *status, unsigned int columns)
{
	const struct pipeline_counters *counters = &status->counters;
	const struct doframe_skipped *skipped = &counters->doframe_worst;
	const struct timeline_app *apps = status->timeline_apps;
	bool is_2019 = status->options && strcmp(status->options->rules, "gfx2019") == 0;
	bool has_app = false;
	uint64_t times = counters->doframes_skipped;
	struct grade_facts facts = { 0 };
	char text[TIMELINE_SAID_SIZE];
	unsigned int n = 0;

	/* What Android itself says of each app. */
	for (; n < TIMELINE_APPS_MAX && apps[n].frames > 0; n++) {
		timeline_tell(text, &apps[n]);
		text_print_line(out, columns, "%s: %s", apps[n].name, text);
	}
	for (unsigned int i = 0; i < status->n_apps && i < APPS_SHOWN; i++)
		print_app(out, columns, &status->apps[i], status);
	print_more_apps(out, columns, status);
	if (counters->frames == 0 && n == 0)
		text_print_line(out, columns, "no frames, so no grade");
	/* Why no app has a grade, and what is known of the Surfaces. */
	if (counters->frames > 0 && status->n_apps == 0) {
		for (unsigned int i = 0; i < status->n_surfaces; i++) {
			const struct summary_row *surface = &status->surfaces[i];

			has_app |= app_has_surface(surface->app, surface->surface);
			grade_add(&facts, &surface->facts);
		}
		text_print_line(
			out, columns, "%s",
			is_2019	  ? "no grade: --rules gfx2019 does not say which frames were late"
			: has_app ? "no grade: no app drew two frames"
				  : "no app: no Surface with frames has a package in its name");
		print_surfaces(out, columns, status, NULL);
		print_unknowns(out, columns, "", &facts);
	}

	/* What Android reports as 'Skipped N frames!'. */
	tell_time(text, status, skipped->begin_ns);
	if (times > 0)
		text_print_line(out, columns,
				"Skipped %" PRIu64
				" frames! %s, thread %d, at %s (30 or more: %" PRIu64 " time%s)",
				skipped->periods,
				skipped->app[0] ? app_whole_name(status, skipped->app)
						: "unknown app",
				(int)skipped->tid, text, times, plural(times));
	/* Unknown with the rules gfx2019, and with the source latency, which reads no trace. */
	if (counters->sf_pid != TRACE_ID_UNKNOWN)
		print_without_marks(out, columns, status);

	/* What the numbers do not include, and why. */
	text[0] = '\0';
	if (counters->lost_unknown > 0)
		snprintf(text, sizeof(text), " and %" PRIu64 " loss%s of unknown size",
			 counters->lost_unknown, counters->lost_unknown == 1 ? "" : "es");
	if (counters->lost_events > 0 || counters->lost_unknown > 0)
		text_print_line(out, columns, "unknown: frames around %" PRIu64 " lost events%s",
				counters->lost_events, text);
	if (counters->ahead > 0)
		text_print_line(out, columns,
				"ignored: %" PRIu64
				" line%s whose time is far ahead of all others: damaged or forged",
				counters->ahead, plural(counters->ahead));
	if (status->surfaces_total > status->n_surfaces)
		text_print_line(out, columns,
				"not shown: %u surfaces with fewer frames, see summary.csv",
				status->surfaces_total - status->n_surfaces);
}
