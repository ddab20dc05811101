/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "daemon/base/text.h"
#include "daemon/show/show.h"
#include "tools/report/compare.h"
#include "tools/report/devices.h"
#include "tools/report/moments.h"
#include "tools/report/sentences.h"

#define NOTICES_SHOWN 20
#define SECTIONS_SHOWN 30
#define DEVICES_SHOWN 100
#define MOMENTS_SHOWN 8

/* --- the verdict, by the function that prints it at the end of a session --- */

/* A number of the Surface times @scale, in whole units. */
static int64_t number_of(const struct surface *surface, enum metric metric, double scale)
{
	double value = surface->numbers.of[metric];

	return isnan(value) ? ROW_UNKNOWN : (int64_t)(value * scale + 0.5);
}

/* A Surface without a verdict: of 2019, or of half a folder. */
static bool is_plain(const struct surface *surface)
{
	return surface->is_shown && !surface->verdict[0];
}

/* The verdict, and the apps with their sentences. */
static int print_verdict(FILE *out, const struct report *report, const struct session *session)
{
	const struct selection *selection = report->selection;
	struct status *status = calloc(1, sizeof(*status));
	struct session_sentences *sentences = calloc(STATUS_APPS_MAX, sizeof(*sentences));
	struct timeline_app timeline[TIMELINE_APPS_MAX];
	const struct surface *most[STATUS_SURFACES_MAX];
	unsigned int n_timeline = timeline_apps(timeline, session), n_shown = 0;
	int64_t pid = session_json_number(session, "counters", "surfaceflinger_pid");
	bool has_plain = false;

	if (!status || !sentences) {
		free(status);
		free(sentences);
		return -ENOMEM;
	}
	status->first_ns = session->first_us > 0 ? (uint64_t)session->first_us * 1000 : 0;
	/* Surfaces with a verdict or a grade that have most frames, as in a capture: of equal ones
	 * those that come first in summary.csv. */
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];
		unsigned int at = status->n_surfaces;
		uint64_t frames = surface->facts.frames;

		if (!surface->is_shown || (!surface->verdict[0] && !surface->grade))
			continue;
		status->surfaces_total++;
		while (at > 0 && (frames > most[at - 1]->facts.frames ||
				  (frames == most[at - 1]->facts.frames &&
				   surface->order <= most[at - 1]->order)))
			at--;
		if (at == STATUS_SURFACES_MAX)
			continue;
		if (status->n_surfaces < STATUS_SURFACES_MAX)
			status->n_surfaces++;
		memmove(&most[at + 1], &most[at], (status->n_surfaces - at - 1) * sizeof(most[0]));
		most[at] = surface;
	}
	for (unsigned int i = 0; i < status->n_surfaces; i++) {
		const struct surface *surface = most[i];

		status->surfaces[i] = (struct summary_row){
			.app = name_of(session, surface->app),
			.surface = name_of(session, surface->name),
			.harm = surface->harm,
			.facts = surface->facts,
			.grade = surface->grade,
			.no_view_marks = surface->app != NAME_NONE && !surface->has_view_marks,
			.gpu_p50_ns = number_of(surface, METRIC_GPU_P50, 1e6),
			.gpu_p99_ns = number_of(surface, METRIC_GPU_P99, 1e6),
			.gpu_bound = number_of(surface, METRIC_GPU_BOUND, 1),
			.release_p99_ns = ROW_UNKNOWN,
		};
		memcpy(status->surfaces[i].verdict, surface->verdict, sizeof(surface->verdict));
		status->counters.frames += surface->facts.frames + 1; /* the first */
	}
	for (uint32_t i = 0; i < session->n_apps; i++) {
		const struct graded_app *app = &session->apps[i];
		const struct surface *surface = &session->surfaces[app->surface];
		struct session_sentences *said = &sentences[status->n_apps];
		struct status_app *to = &status->apps[status->n_apps];

		status->apps_total++;
		if (status->n_apps == STATUS_APPS_MAX)
			continue;
		session_sentences(said, session, app, ENGLISH);
		*to = (struct status_app){
			.facts = app->facts,
			.sentence = said->grade,
			.whose = said->whose,
			.next = said->next,
		};
		text_copy(to->app, STATUS_NAME_SIZE, name_of(session, app->app));
		text_copy(to->surface, STATUS_NAME_SIZE, name_of(session, surface->name));
		memcpy(to->verdict, surface->verdict, sizeof(to->verdict));
		status->n_apps++;
	}
	status->counters.doframes = session->doframes;
	status->counters.span_ns = session->has_clocks ? session_span_ns(session) : 0;
	status->counters.lost_events = session_counter(session, "lost_events");
	status->counters.lost_unknown = session_counter(session, "lost_unknown");
	status->counters.sf_pid = pid > 0 ? (int32_t)pid : TRACE_ID_UNKNOWN;
	for (unsigned int i = 0; i < n_timeline; i++)
		if (select_surface(selection, timeline[i].name, timeline[i].name))
			status->timeline_apps[n_shown++] = timeline[i];
	for (uint32_t i = 0; i < session->n_surfaces; i++)
		has_plain |= is_plain(&session->surfaces[i]);
	/* Without a verdict nothing says that no frame was late. */
	if (status->n_surfaces > 0 || n_shown > 0 ||
	    !(n_timeline > 0 || selection->surface || selection->app || has_plain))
		verdict_print(out, status, report->columns);
	free(status);
	free(sentences);
	return 0;
}

/* --- what is around it --- */

/* A number with its unit, or "-" if it is unknown. */
static void print_or_dash(char text[METRIC_TEXT_SIZE], enum metric metric, double value)
{
	metric_print(text, metric, value);
	if (!text[0])
		strcpy(text, "-");
}

static void print_sections(FILE *out, const struct report *report, const struct session *session)
{
	uint32_t last = UINT32_MAX, shown = 0;

	for (uint32_t i = 0; i < session->n_in_sections; i++) {
		const struct section_numbers *in = &session->in_sections[i];
		const struct surface *surface = &session->surfaces[in->surface];
		const struct section *section = &session->sections[in->section];
		const double *of = in->numbers.of;
		char p99[METRIC_TEXT_SIZE], jank[METRIC_TEXT_SIZE], freezes[METRIC_TEXT_SIZE];
		char from[SESSION_TIME_SIZE], to[SESSION_TIME_SIZE];
		bool is_new = in->section != last;

		if ((!(of[METRIC_FRAMES] > 0) && in->facts.freezes == 0) || !surface->is_shown ||
		    !select_section(report->selection, session, in->section))
			continue;
		if (is_new && shown++ == SECTIONS_SHOWN) {
			text_print_line(out, report->columns,
					"and more sections, see --json or --csv");
			return;
		}
		if (is_new) {
			session_time(from, session,
				     in->section > 0 ? section->from_us : session->first_us);
			session_time(to, session, section->to_us);
			text_print_line(out, report->columns, "section %s: %s to %s",
					name_of(session, section->name), from, to);
		}
		/* "BAD com.example.mail: 345 ms lost per second, 40 freezes ..." */
		for (uint32_t j = 0; is_new && j < session->n_in_section_apps; j++) {
			const struct graded_app *app = &session->in_section_apps[j];
			const struct grade_facts *facts = &app->facts;
			char n[GRADE_COUNT_SIZE], late[GRADE_COUNT_SIZE], time[GRADE_TIME_SIZE];
			char longest[GRADE_TIME_SIZE + 16] = "";

			if (app->section != in->section || app->grade == GRADE_NONE)
				continue;
			grade_count(n, facts->freezes);
			grade_count(late, facts->late);
			grade_time(time, facts->longest_freeze_ns, ENGLISH);
			if (facts->longest_freeze_ns > 0)
				snprintf(longest, sizeof(longest), " (longest %s)", time);
			text_print_line(
				out, report->columns,
				"  %s %s: %s%.0f ms lost per second, %s%s freeze%s%s, %s%s late "
				"frame%s",
				grade_names[app->grade], name_of(session, app->name),
				grade_sign(facts, LOST_RATE), grade_lost_rate(facts),
				grade_sign(facts, LOST_FREEZES), n, facts->freezes == 1 ? "" : "s",
				longest, grade_sign(facts, LOST_LATE), late,
				facts->late == 1 ? "" : "s");
		}
		last = in->section;
		print_or_dash(p99, METRIC_P99, of[METRIC_P99]);
		print_or_dash(jank, METRIC_JANK, of[METRIC_JANK]);
		/* With those that no frame ended. */
		print_or_dash(freezes, METRIC_FREEZES, of[METRIC_FREEZES]);
		text_print_line(out, report->columns,
				"  %6.1f FPS, p99 %s ms, jank %s, freezes %s%s in %.1f s: %s",
				isnan(of[METRIC_FPS]) ? 0 : of[METRIC_FPS], p99, jank,
				freezes[0] == '-' ? "" : grade_sign(&in->facts, LOST_FREEZES),
				freezes, of[METRIC_TIME], name_of(session, surface->name));
	}
}

/* Late frames and freezes, alike ones together. */
static int print_moments(FILE *out, const struct report *report, const struct session *session)
{
	unsigned int columns = report->columns;
	struct moments *groups;
	int n = moments_read(&groups, session, report->selection);

	if (n > 0 && session->n_late == LATE_MAX)
		text_print_line(out, columns,
				"moments, most time lost first (only the %d worst late frames and "
				"freezes):",
				LATE_MAX);
	else if (n > 0)
		text_print_line(out, columns, "moments, most time lost first:");
	for (int i = 0; i < n && i < MOMENTS_SHOWN; i++) {
		char told[MOMENTS_TEXT_SIZE], first[SESSION_TIME_SIZE], name[STATUS_NAME_SIZE];
		const char *work;
		int length = (int)moment_work(session, groups[i].worst, &work);

		moments_tell(told, session, &groups[i]);
		session_time(first, session, groups[i].first_us);
		text_copy(name, STATUS_NAME_SIZE,
			  name_of(session, session->surfaces[groups[i].surface].name));
		text_short_component(name);
		text_print_line(out, columns, "  %s, %s %s: %s%s%s%.*s", told,
				groups[i].times > 1 ? "first at" : "at", first, name,
				groups[i].is_of_app ? "" : " (belongs to no app)",
				length > 0 ? ": " : "", length, work);
	}
	if (n > MOMENTS_SHOWN)
		text_print_line(out, columns, "  and %d more groups, see --json",
				n - MOMENTS_SHOWN);
	free(groups);
	return n < 0 ? n : 0;
}

/* Numbers of Surfaces without a verdict, as far as they are known. */
static void print_plain(FILE *out, const struct session *session, unsigned int columns)
{
	static const enum metric shown[] = {
		METRIC_FPS, METRIC_FRAMES, METRIC_TIME, METRIC_MAX,   METRIC_JANK,    METRIC_STALLS,
		METRIC_A,   METRIC_B,	   METRIC_C,	METRIC_WAITS, METRIC_WAITING, METRIC_LATE
	};
	char of[sizeof(shown) / sizeof(shown[0])][METRIC_TEXT_SIZE];

	for (uint32_t i = 0, n = 0; i < session->n_surfaces && n < SECTIONS_SHOWN; i++) {
		const struct surface *surface = &session->surfaces[i];
		const double *numbers = surface->numbers.of;
		char late[2 * METRIC_TEXT_SIZE] = "";

		if (!is_plain(surface))
			continue;
		for (unsigned int j = 0; j < sizeof(shown) / sizeof(shown[0]); j++) {
			bool is_time = shown[j] == METRIC_TIME || shown[j] == METRIC_WAITING;

			if (is_time && !isnan(numbers[shown[j]]))
				snprintf(of[j], METRIC_TEXT_SIZE, "%.1f", numbers[shown[j]]);
			else
				print_or_dash(of[j], shown[j], numbers[shown[j]]);
		}
		if (numbers[METRIC_LATE] > 0)
			snprintf(late, sizeof(late), "; late for %.2f s in %s frames",
				 (double)surface->facts.late_ns / 1e9, of[11]);
		text_print_line(out, columns,
				"%s: %s FPS, %s frames in %s s, max %s ms, jank %s, freezes %s, A "
				"%s, B %s, C %s, gaps of 0.5 s or more %s: %s s%s",
				name_of(session, surface->name), of[0], of[1], of[2], of[3], of[4],
				of[5], of[6], of[7], of[8], of[9], of[10], late);
		n++;
	}
}

/* Of several sessions: which device and build is worst. */
static int print_devices(FILE *out, const struct report *report)
{
	unsigned int columns = report->columns;
	char text[GRADE_TEXT_SIZE];
	struct devices devices;
	int error = devices_read(&devices, report->sessions, report->n, report->selection);

	if (error == 0 && devices.n > 0 && devices.rows[0].grade) {
		device_sentence(text, &devices.rows[0], ENGLISH);
		text_print_line(out, columns, "%s: %s", grade_names[devices.rows[0].grade], text);
		grade_causes(text, &devices.rows[0].facts, ENGLISH);
		if (text[0])
			text_print_line(out, columns, "%s", text);
		fputc('\n', out);
	}
	if (error == 0 && devices.n > 0)
		text_print_line(out, columns, "devices and builds, worst first:");
	for (uint32_t i = 0; error == 0 && i < devices.n && i < DEVICES_SHOWN; i++) {
		const struct device_row *row = &devices.rows[i];
		const struct grade_facts *facts = &row->facts;
		const char *const device[] = { row->device, row->model, row->build };
		char rate[METRIC_TEXT_SIZE], time[METRIC_TEXT_SIZE] = "-", lost[160] = "";
		char line[4 * GRADE_TEXT_SIZE];
		bool known = false;

		print_or_dash(rate, METRIC_FPS, device_fps(row));
		if (row->time_s > 0)
			snprintf(time, sizeof(time), "%.1f", row->time_s);
		if (row->grade || facts->late + facts->freezes > 0)
			snprintf(lost, sizeof(lost),
				 " %s%.0f ms lost per second, %s%.2f s; freezes %s%llu, late "
				 "frames %s%llu,",
				 grade_sign(facts, LOST_RATE), grade_lost_rate(facts),
				 grade_sign(facts, LOST_TIME), (double)grade_lost_ns(facts) / 1e9,
				 grade_sign(facts, LOST_FREEZES),
				 (unsigned long long)facts->freezes, grade_sign(facts, LOST_LATE),
				 (unsigned long long)facts->late);
		snprintf(line, sizeof(line), "  %s: %s:%s %s FPS in %s s, sessions %u",
			 row->grade ? grade_names[row->grade] : "no grade", row->app, lost, rate,
			 time, row->sessions);
		for (unsigned int j = GRADE_NONE + 1, n = 0; j < GRADES; j++)
			if (row->grades[j] > 0)
				text_append(line, sizeof(line), "%s%s %u", n++ > 0 ? ", " : ": ",
					    grade_names[j], row->grades[j]);
		for (unsigned int j = 0; j < 3; j++)
			if (device[j]) {
				text_append(line, sizeof(line), "%s%s", known ? ", " : ": ",
					    device[j]);
				known = true;
			}
		text_print_line(out, columns, "%s%s", line, known ? "" : ": device not known");
	}
	if (error == 0 && devices.n > DEVICES_SHOWN)
		text_print_line(out, columns, "  and %u more, see --json",
				devices.n - DEVICES_SHOWN);
	if (error == 0 && devices.n > 0)
		fputc('\n', out);
	devices_free(&devices);
	return error;
}

int output_text(FILE *out, const struct report *report)
{
	unsigned int columns = report->columns;

	if (report->n > 1 && print_devices(out, report) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < report->n; i++) {
		const struct session *session = &report->sessions[i];
		const char *build = session_json_text(session, "device", "build");
		const char *began = session_json_text(session, NULL, "began");
		const char *id = session_json_text(session, NULL, "session_id"), *app = "no app";
		int64_t cpu_ms = session_json_number(session, "cost", "cpu_ms");
		int64_t rss_kb = session_json_number(session, "cost", "rss_kb");
		int64_t wakeups = session_json_number(session, "cost", "wakeups");
		uint64_t span_ns = session_span_ns(session), n_others = 0;
		double span_s = (double)span_ns / 1e9;
		char more[64] = "", times[80] = "", length[GRADE_TIME_SIZE] = "length not known";
		char complete[SESSION_COMPLETE_SIZE], no_grade[GRADE_TEXT_SIZE];
		struct timeline_app timeline[TIMELINE_APPS_MAX];
		struct grade_facts others = { 0 };

		/* What was measured, then where it lies and when. */
		if (session->n_apps > 0)
			app = name_of(session, session->apps[0].app);
		else if (timeline_apps(timeline, session) > 0)
			app = timeline[0].name;
		if (session->of > 1)
			snprintf(more, sizeof(more), " (session %u of %u)", session->number + 1,
				 session->of);
		if (session->has_clocks)
			strcpy(times, " times are those of the trace clock");
		else if (session->first_us >= 0)
			snprintf(times, sizeof(times), " 0:00 is %.3f s on the trace clock",
				 (double)session->first_us / 1e6);
		if (span_ns > 0)
			grade_time(length, span_ns, ENGLISH);
		session_tell_complete(complete, session,
				      session->n_apps > 0 ? session->apps : NULL);
		fputs(i > 0 ? "\n" : "", out);
		text_print_line(out, columns, "%s, %s%s%s, %s, %s", app, session_device(session),
				build ? ", " : "", build ? build : "", length, complete);
		text_print_line(out, columns, "%s%s:%s%s%s%s%s", session->folder, more,
				began ? " began " : "", began ? began : "", id ? ", session " : "",
				id ? id : "", times);
		if (session->is_2019)
			text_print_line(out, columns,
					"no grade: files of the 2019 program, or of --rules "
					"gfx2019, do not say which frames were late");

		session_no_grade(no_grade, session, ENGLISH);
		if (no_grade[0])
			text_print_line(out, columns, "%s", no_grade);
		else if (print_verdict(out, report, session) < 0)
			return -ENOMEM;
		print_plain(out, session, columns);
		/* Surfaces that belong to no app are not graded. */
		for (uint32_t j = 0; j < session->n_surfaces; j++)
			if (session->surfaces[j].is_shown && !session->surfaces[j].has_package) {
				n_others++;
				grade_add(&others, &session->surfaces[j].facts);
			}
		if (n_others > 0 && session->n_apps > 0)
			text_print_line(
				out, columns,
				"not graded: %llu Surface%s to no app, such as the status "
				"bar: %s%llu late frame%s, %s%llu freeze%s",
				(unsigned long long)n_others,
				n_others == 1 ? " that belongs" : "s that belong",
				grade_sign(&others, LOST_LATE), (unsigned long long)others.late,
				others.late == 1 ? "" : "s", grade_sign(&others, LOST_FREEZES),
				(unsigned long long)others.freezes, others.freezes == 1 ? "" : "s");
		print_sections(out, report, session);
		if (print_moments(out, report, session) < 0)
			return -ENOMEM;
		if (cpu_ms >= 0 && rss_kb >= 0 && wakeups >= 0 && span_s > 0)
			text_print_line(out, columns,
					"the capture cost %.2f s of CPU time (%.2f %% of one CPU), "
					"%.1f MB of memory, %.1f wakeups a second",
					(double)cpu_ms / 1e3, (double)cpu_ms / 10 / span_s,
					(double)rss_kb / 1e3, (double)wakeups / span_s);
		for (uint32_t j = 0; j < session->n_notices && j < NOTICES_SHOWN; j++)
			text_print_line(out, columns, "note: %s", session->notices[j]);
		if (session->n_notices > NOTICES_SHOWN)
			text_print_line(out, columns, "note: and %u more, see --json",
					session->n_notices - NOTICES_SHOWN);
	}
	return 0;
}

/* --- comparison --- */

static void print_change(FILE *out, const struct change *change,
			 const struct compared_verdict *verdict, unsigned int columns)
{
	char base[METRIC_TEXT_SIZE], new[METRIC_TEXT_SIZE], name[64];
	char range[COMPARE_RANGE_SIZE], percent[2 * COMPARE_RANGE_SIZE] = "";
	int decimals = change->threshold_us > 0 ? 3 : 2;
	const char *why = "";

	snprintf(name, sizeof(name), "%s", metrics[change->metric].name);
	if (change->threshold_us > 0)
		snprintf(name, sizeof(name), "%% of frames %s BASE's %.*s (%.1f ms)",
			 change->or_equal ? ">=" : ">",
			 (int)strcspn(metrics[change->metric].name, "("),
			 metrics[change->metric].name, change->threshold_us / 1e3);
	if (!change->is_known) {
		text_print_line(out, columns, "  %-38s %s", name, change->why);
		return;
	}
	snprintf(base, sizeof(base), "%.*f", decimals, change->of[BASE].value * change->scale);
	snprintf(new, sizeof(new), "%.*f", decimals, change->of[NEW].value * change->scale);
	if (strtod(base, NULL) > 0) {
		snprintf(percent, sizeof(percent), "  %+.1f %%",
			 100 * (change->of[NEW].value / change->of[BASE].value - 1));
		compare_range(range, change);
		if (compare_by_freezes(change, verdict))
			why = ", as the number of freezes is beyond chance";
		else
			text_append(percent, sizeof(percent), " (%s)", range);
	}
	text_print_line(out, columns, "  %-38s %8s -> %8s%s: %s%s", name, base, new, percent,
			compare_words(change, verdict), why);
}

int output_compare_text(FILE *out, const struct compare_report *report)
{
	unsigned int columns = report->columns;
	const struct comparison *comparison = report->comparison;
	char line[1024], lines[COMPARE_LINES][COMPARE_LINE_SIZE];

	for (uint32_t i = 0; i < comparison->n_surfaces; i++) {
		const struct compared_surface *surface = &comparison->surfaces[i];
		const struct compared_verdict *verdict = &comparison->verdicts[i];
		struct grade_facts facts[2] = { compare_facts(surface, BASE),
						compare_facts(surface, NEW) };
		double shares[2][COMPARE_BINS], effect = compare_effect(surface);
		bool has_shares = compare_distribution(surface, shares);
		enum cause causes[CAUSES];
		unsigned int n_causes = compare_causes(causes, facts);
		unsigned int n_lines = compare_lines(lines, comparison, verdict, ENGLISH);

		text_print_line(out, columns, "%s: %s: %s", compared_words[verdict->word],
				surface->name, lines[0]);
		for (unsigned int j = 1; j < n_lines; j++)
			text_print_line(out, columns, "  %s", lines[j]);
		strcpy(line, "  time lost:");
		for (unsigned int j = 0; j < n_causes; j++)
			text_append(line, sizeof(line), "%s %s %.2f -> %.2f s", j > 0 ? "," : "",
				    grade_cause_name(causes[j], ENGLISH),
				    (double)facts[BASE].cause_ns[causes[j]] / 1e9,
				    (double)facts[NEW].cause_ns[causes[j]] / 1e9);
		if (n_causes > 0)
			text_print_line(out, columns, "%s", line);
		text_print_line(out, columns,
				"%s: BASE %.1f s of drawing in %u run%s, NEW %.1f s in %u",
				surface->name, surface->time_s[BASE], comparison->runs[BASE],
				comparison->runs[BASE] == 1 ? "" : "s", surface->time_s[NEW],
				comparison->runs[NEW]);
		for (unsigned int j = 0; compare_metrics[j] != METRICS; j++) {
			struct change change;

			if (compare_metric(surface, compare_metrics[j], &change) < 0)
				return -ENOMEM;
			print_change(out, &change, verdict, columns);
		}
		if (!isnan(effect))
			text_print_line(out, columns,
					"  effect %+.4f: the share of pairs in which the frame of "
					"NEW is longer, less that in which it is shorter",
					effect);
		for (unsigned int group = BASE; group <= NEW && has_shares; group++) {
			snprintf(line, sizeof(line),
				 "  frames of %s by vsyncs:", group == BASE ? "BASE" : "NEW");
			for (unsigned int j = 0; j < COMPARE_BINS; j++)
				text_append(line, sizeof(line), "%s %s: %.3f %%", j > 0 ? "," : "",
					    compare_bins[j], 100 * shares[group][j]);
			text_print_line(out, columns, "%s", line);
		}
	}

	if (comparison->n_surfaces == 0)
		text_print_line(out, columns, "not enough data: no Surface to compare");
	else if (comparison->runs[BASE] < 2 || comparison->runs[NEW] < 2)
		text_print_line(out, columns,
				"note: a group has only one run: how much runs differ from each "
				"other is unknown and not part of the noise");
	for (unsigned int group = BASE; group <= NEW; group++) {
		compare_tell_folder(lines[0], comparison, (enum group)group);
		text_print_line(out, columns, "%s", lines[0]);
	}
	for (uint32_t i = 0; i < comparison->n_notices; i++) {
		const struct compared_notice *notice = &comparison->notices[i];

		if (notice->runs > 1)
			text_print_line(out, columns, "note: %s and %u more: %s", notice->folder,
					notice->runs - 1, notice->text);
		else
			text_print_line(out, columns, "note: %s: %s", notice->folder, notice->text);
	}
	if (comparison->notices_refused > 0)
		text_print_line(out, columns, "note: and %u more", comparison->notices_refused);
	if (comparison->refused > 0)
		text_print_line(out, columns, "note: %llu frames beyond the limit; left out",
				(unsigned long long)comparison->refused);
	return 0;
}
