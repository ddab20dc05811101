/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "daemon/show/apps.h"
#include "daemon/show/json.h"
#include "tools/report/compare.h"
#include "tools/report/devices.h"
#include "tools/report/moments.h"
#include "tools/report/sentences.h"

#define SCHEMA 1

/* All texts: of a foreign session.json, too, which may have any bytes. */
static struct json_object *text_of(const char *text)
{
	char escaped[NAMES_SIZE];

	return text ? json_object_new_string_len(escaped, (int)names_escape(escaped, span_of(text)))
		    : NULL;
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, text_of(text));
}

/* The same; "" is null, too, as of a name that there is not. */
static void add_if_any(struct json_object *object, const char *key, const char *text)
{
	add_text(object, key, text[0] ? text : NULL);
}

static void add_seconds(struct json_object *object, const char *key, int64_t time_us)
{
	json_add_decimal(object, key, time_us < 0 ? NAN : (double)time_us / 1e6, 6);
}

static struct json_object *numbers_object(const struct numbers *numbers)
{
	struct json_object *object = json_object_new_object();

	for (unsigned int i = 0; i < METRIC_GRADE; i++)
		json_add_decimal(object, metrics[i].name, numbers->of[i], (int)metrics[i].decimals);
	return object;
}

static struct json_object *surface_object(const struct session *session,
					  const struct surface *surface)
{
	struct json_object *object = json_object_new_object(), *harm = NULL;

	add_text(object, "Surface", name_of(session, surface->name));
	add_if_any(object, "verdict", surface->verdict);
	json_add_bool(object, "judged", surface->is_judged);
	add_text(object, "source", numbers_source_names[surface->source]);
	add_seconds(object, "first(s)", surface->first_us);
	add_seconds(object, "last(s)", surface->last_us);
	add_if_any(object, "jank types", name_of(session, surface->jank_types));
	json_object_object_add(object, "numbers", numbers_object(&surface->numbers));
	if (!isnan(surface->numbers.of[METRIC_HARM])) {
		harm = json_object_new_object();
		json_add_bool(harm, "whole", surface->has_all_harm);
	}
	json_object_object_add(object, "time lost", harm);
	if (harm && surface->harm.worst_ns > 0) {
		add_seconds(harm, "worst moment(s)", (int64_t)(surface->harm.worst_from_ns / 1000));
		json_add_decimal(harm, "worst moment(ms)",
				 (double)(surface->harm.worst_ns / 1000) / 1e3, 3);
		add_seconds(harm, "worst minute(s)",
			    (int64_t)(surface->harm.minute_from_ns / 1000));
		json_add_decimal(harm, "worst minute(ms)",
				 (double)(surface->harm.minute_ns / 1000) / 1e3, 3);
	}
	add_if_any(object, "grade", grade_names[surface->grade]);
	json_object_object_add(object, "facts", grade_json(&surface->facts));
	return object;
}

/* --- printing ---
 *
 * A session may have thousands of Surfaces in a thousand sections. So objects are printed and freed
 * one by one; those around them stay open. */

struct printer {
	FILE *out;
	bool failed;   /* out of memory */
	bool is_first; /* of an array: no comma before it */
};

/* Prints and frees an object. @stays_open: members follow. */
static void print_object(struct printer *printer, struct json_object *object, bool stays_open)
{
	const char *text = json_object_to_json_string_ext(
		object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text)
		fwrite(text, 1, strlen(text) - stays_open, printer->out);
	printer->failed |= !text;
	json_object_put(object);
}

/* An element of an array, likewise. */
static void print_element(struct printer *printer, struct json_object *object, bool stays_open)
{
	fputs(printer->is_first ? "\n" : ",\n", printer->out);
	printer->is_first = false;
	print_object(printer, object, stays_open);
}

/* Begins an array as a member of the open object. */
static void begin_array(struct printer *printer, const char *key)
{
	fprintf(printer->out, ",\"%s\":[", key);
	printer->is_first = true;
}

static void end_array(struct printer *printer)
{
	fputc(']', printer->out);
	printer->is_first = false;
}

/* Grade and facts of an app in the session, in a section, or in a sum. */
static struct json_object *graded_object(const char *app, const struct grade_facts *facts)
{
	struct json_object *object = json_object_new_object();
	enum grade grade = grade_of(facts);

	add_text(object, "app", app);
	add_text(object, "grade", grade_names[grade]);
	add_text(object, "grade zh", grade_name(grade, CHINESE));
	json_object_object_add(object, "facts", grade_json(facts));
	return object;
}

/* All of an app in the session but its Surfaces. */
static struct json_object *session_app_object(const struct session *session,
					      const struct graded_app *app)
{
	static const char *const keys[][3] = { { "sentence", "whose", "next" },
					       { "sentence zh", "whose zh", "next zh" } };
	struct session_sentences *sentences = malloc(sizeof(*sentences));
	struct json_object *object = graded_object(name_of(session, app->app), &app->facts);

	for (unsigned int i = ENGLISH; sentences && i <= CHINESE; i++) {
		session_sentences(sentences, session, app, (enum language)i);
		add_text(object, keys[i][0], sentences->grade);
		add_if_any(object, keys[i][1], sentences->whose);
		add_if_any(object, keys[i][2], sentences->next);
	}
	free(sentences);
	add_if_any(object, "verdict", session->surfaces[app->surface].verdict);
	json_add_count(object, "rank", app_rank(session_app_place(session, app)));
	return object;
}

static void add_json_count(struct json_object *object, const char *key,
			   const struct session *session, const char *outer, const char *inner)
{
	json_add_if_known(object, key, session_json_number(session, outer, inner));
}

/* All of a session but its apps and sections. */
static struct json_object *session_object(const struct session *session)
{
	static const char *const keys[] = { "id", "model", "build", "sdk", "kernel" };
	static const enum csv_file_kind order[] = {
		ROW_FPS,     ROW_DROPS,	 ROW_FRAMES,  ROW_DOFRAMES, ROW_TIMELINE,
		ROW_LATENCY, ROW_EVENTS, CSV_SUMMARY, CSV_SESSION,
	};
	_Static_assert(sizeof(order) / sizeof(order[0]) == CSV_FILES, "every file has its place");
	struct json_object *object = json_object_new_object(), *cost = json_object_new_object();
	struct json_object *notices = json_object_new_array(), *lost = json_object_new_object();
	struct json_object *device = json_object_new_object(), *files = json_object_new_object();
	char complete[SESSION_COMPLETE_SIZE], no_grade[GRADE_TEXT_SIZE];

	add_text(object, "folder", session->folder);
	json_add_count(object, "session", session->number + 1);
	json_add_count(object, "of", session->of);
	add_text(object, "session_id", session_json_text(session, NULL, "session_id"));
	add_text(object, "jankd", session_json_text(session, NULL, "jankd"));
	add_text(object, "rules", session_json_text(session, NULL, "rules"));
	add_text(object, "began", session_json_text(session, NULL, "began"));
	add_text(object, "ended", session_json_text(session, NULL, "ended"));
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		add_text(device, keys[i], session_json_text(session, "device", keys[i]));
	/* What is said in the place of a model that is not known. */
	add_text(device, "told", session_device(session));
	json_object_object_add(object, "device", device);
	add_seconds(object, "from(s)", session->first_us);
	add_seconds(object, "to(s)", session->last_us);
	json_add_bool(object, "clock stepped back", session->has_clocks);
	add_json_count(lost, "events", session, "counters", "lost_events");
	add_json_count(lost, "unknown times", session, "counters", "lost_unknown");
	json_object_object_add(object, "lost", lost);
	add_json_count(cost, "cpu(ms)", session, "cost", "cpu_ms");
	add_json_count(cost, "memory(KB)", session, "cost", "rss_kb");
	add_json_count(cost, "wakeups", session, "cost", "wakeups");
	json_object_object_add(object, "cost", cost);
	for (unsigned int i = 0; i < CSV_FILES; i++) {
		const struct file_count *count = &session->files[order[i]];
		struct json_object *file;

		if (count->segments + count->left_out == 0)
			continue;
		file = json_object_new_object();
		json_add_count(file, "segments", count->segments);
		json_add_count(file, "left out", count->left_out);
		json_add_count(file, "rows", count->rows);
		json_add_count(file, "malformed", count->malformed);
		json_add_bool(file, "torn", count->torn);
		json_object_object_add(files, csv_files[order[i]].name, file);
	}
	json_object_object_add(object, "files", files);
	session_tell_complete(complete, session, session->n_apps > 0 ? session->apps : NULL);
	add_text(object, "complete", complete);
	add_text(object, "app",
		 session->n_apps > 0 ? name_of(session, session->apps[0].app) : NULL);
	session_no_grade(no_grade, session, ENGLISH);
	add_if_any(object, "no grade", no_grade);
	session_no_grade(no_grade, session, CHINESE);
	add_if_any(object, "no grade zh", no_grade);
	add_text(object, "time lost source",
		 session->harm_source == FROM_NOTHING  ? NULL
		 : session->harm_source == FROM_FRAMES ? "frames.csv"
						       : "dropFrames.csv");
	for (uint32_t i = 0; i < session->n_notices; i++)
		json_object_array_add(notices, text_of(session->notices[i]));
	json_object_object_add(object, "notices", notices);
	return object;
}

/* What was captured in each section, or in the whole session if it has none; then each late frame,
 * and each event. */
static void print_rows(struct printer *printer, const struct session *session,
		       const struct selection *selection)
{
	begin_array(printer, "captured");
	for (uint32_t i = 0; i < session->n_captured; i++) {
		const struct captured *captured = &session->captured[i];
		struct json_object *object;

		if (captured->frames == 0 || !select_section(selection, session, captured->section))
			continue;
		object = json_object_new_object();
		add_if_any(object, "section",
			   session->n_sections > 0
				   ? name_of(session, session->sections[captured->section].name)
				   : "");
		add_text(object, "kind", captured_kind_names[captured->kind]);
		add_text(object, "name", name_of(session, captured->name));
		add_if_any(object, "detail", name_of(session, captured->detail));
		json_add_count(object, "frames", captured->frames);
		json_add_decimal(object, "mean(ms)",
				 captured->sum_us / (double)captured->frames / 1e3, 3);
		json_add_decimal(object, "max(ms)", (double)captured->max_us / 1e3, 3);
		json_object_object_add(object, "bad",
				       captured->kind == CAPTURED_DOFRAME ||
						       captured->kind == CAPTURED_TIMELINE
					       ? json_object_new_uint64(captured->bad)
					       : NULL);
		print_element(printer, object, false);
	}
	end_array(printer);
	begin_array(printer, "late");
	for (uint32_t i = 0; i < session->n_late; i++) {
		const struct late_row *late = &session->late[i];
		const struct surface *surface = &session->surfaces[late->surface];
		const char *work, *info = name_of(session, late->info);
		size_t length = moment_work(session, late, &work);
		struct json_object *object;

		if (!surface->is_shown)
			continue;
		object = json_object_new_object();
		add_seconds(object, "time(s)", late->time_us);
		add_text(object, "Surface", name_of(session, surface->name));
		add_text(object, "kind", late->is_stall ? "stall" : "drop");
		json_add_bool(object, "no frame ended it", late->is_endless);
		json_add_decimal(object, "time lost(ms)",
				 late->harm_us > 0 ? (double)late->harm_us / 1e3 : NAN, 3);
		json_add_decimal(object, "interval(ms)", (double)late->interval_us / 1e3, 3);
		add_if_any(object, "cause", cause_names[late->cause]);
		add_seconds(object, "vsync(s)", late->vsync_us);
		add_seconds(object, "queued(s)", late->queued_us);
		add_seconds(object, "gpu done(s)", late->gpu_done_us);
		add_seconds(object, "latched(s)", late->latched_us);
		add_if_any(object, "layer", name_of(session, late->layer));
		json_add_if_known(object, "frame number", late->frame_number);
		json_add_if_known(object, "vsync id", late->vsync_id);
		add_seconds(object, "expected end(s)", late->expected_us);
		add_seconds(object, "end(s)", late->finished_us);
		add_if_any(object, "jank type", name_of(session, late->jank_type));
		add_if_any(object, "present type", name_of(session, late->present_type));
		/* What the app did itself; with --info the counters that were written then, too. */
		if (selection->with_info)
			length = strlen(info);
		json_object_object_add(object, "info",
				       length > 0 ? json_object_new_string_len(info, (int)length)
						  : NULL);
		print_element(printer, object, false);
	}
	end_array(printer);
	begin_array(printer, "events");
	for (uint64_t i = 0; i < session->events.n; i++) {
		const struct event *event = pool_at(&session->events, i);
		struct json_object *object = json_object_new_object();

		add_seconds(object, "time(s)", event->time_us);
		add_if_any(object, "wall time", name_of(session, event->wall));
		add_text(object, "kind", name_of(session, event->kind));
		add_text(object, "text", name_of(session, event->text));
		print_element(printer, object, false);
	}
	end_array(printer);
}

int output_json_session(FILE *out, const struct session *session, const struct selection *selection)
{
	struct printer printer = { .out = out, .is_first = true };
	uint32_t at = 0;

	print_element(&printer, session_object(session), true);
	begin_array(&printer, "apps");
	for (uint32_t i = 0; i < session->n_apps; i++) {
		print_element(&printer, session_app_object(session, &session->apps[i]), true);
		begin_array(&printer, "surfaces");
		for (uint32_t j = 0; j < session->n_surfaces; j++) {
			const struct surface *surface = &session->surfaces[j];

			if (surface->app_number == i && surface->is_shown)
				print_element(&printer, surface_object(session, surface), false);
		}
		end_array(&printer);
		fputc('}', out);
	}
	end_array(&printer);
	begin_array(&printer, "other surfaces");
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];
		struct json_object *object;

		if (surface->app_number < session->n_apps || !surface->is_shown)
			continue;
		object = surface_object(session, surface);
		add_text(object, "app", name_of(session, surface->app));
		print_element(&printer, object, false);
	}
	end_array(&printer);
	begin_array(&printer, "missing");
	for (uint64_t i = 0; i < session->missing.n; i++) {
		const struct missing *missing = pool_at(&session->missing, i);
		struct json_object *object = json_object_new_object();

		add_seconds(object, "from(s)", missing->from_us);
		add_seconds(object, "to(s)", missing->to_us);
		print_element(&printer, object, false);
	}
	end_array(&printer);
	begin_array(&printer, "sections");
	for (uint32_t i = 0; i < session->n_sections; i++) {
		const struct section *section = &session->sections[i];
		struct json_object *object, *apps;

		for (; at < session->n_in_sections && session->in_sections[at].section < i; at++)
			;
		if (!select_section(selection, session, i))
			continue;
		object = json_object_new_object();
		add_text(object, "section", name_of(session, section->name));
		add_seconds(object, "from(s)", section->from_us);
		add_seconds(object, "to(s)", section->to_us);
		apps = json_object_new_array();
		for (uint32_t j = 0; j < session->n_in_section_apps; j++) {
			const struct graded_app *app = &session->in_section_apps[j];

			if (app->section == i)
				json_object_array_add(
					apps,
					graded_object(name_of(session, app->app), &app->facts));
		}
		json_object_object_add(object, "apps", apps);
		print_element(&printer, object, true);
		begin_array(&printer, "surfaces");
		for (; at < session->n_in_sections && session->in_sections[at].section == i; at++) {
			const struct section_numbers *in = &session->in_sections[at];
			const struct surface *surface = &session->surfaces[in->surface];

			if (!surface->is_shown)
				continue;
			object = json_object_new_object();
			add_text(object, "app", name_of(session, surface->app));
			add_text(object, "Surface", name_of(session, surface->name));
			add_text(object, "source", numbers_source_names[in->source]);
			add_if_any(object, "grade", grade_names[in->grade]);
			json_object_object_add(object, "numbers", numbers_object(&in->numbers));
			json_object_object_add(object, "facts", grade_json(&in->facts));
			print_element(&printer, object, false);
		}
		end_array(&printer);
		fputc('}', out);
	}
	end_array(&printer);
	print_rows(&printer, session, selection);
	return printer.failed ? -ENOMEM : 0;
}

void output_json_text(FILE *out, const char *text)
{
	struct printer printer = { .out = out };

	print_object(&printer, text_of(text), false);
}

int output_json_devices(FILE *out, const struct report *report)
{
	static const char *const keys[][2] = { { "sentence", "whose" },
					       { "sentence zh", "whose zh" } };
	struct printer printer = { .out = out };
	struct devices devices;

	printer.failed = devices_read(&devices, report->sessions, report->n, report->selection) < 0;
	begin_array(&printer, "devices");
	for (uint32_t i = 0; i < devices.n; i++) {
		const struct device_row *row = &devices.rows[i];
		struct json_object *object = json_object_new_object();
		struct json_object *grades = json_object_new_object();
		char text[GRADE_TEXT_SIZE];

		add_text(object, "device", row->device);
		add_text(object, "model", row->model);
		add_text(object, "build", row->build);
		add_text(object, "app", row->app);
		json_add_count(object, "sessions", row->sessions);
		json_add_count(object, "rank", (uint64_t)row->rank);
		add_if_any(object, "grade", grade_names[row->grade]);
		for (unsigned int j = ENGLISH; j <= CHINESE; j++) {
			device_sentence(text, row, (enum language)j);
			add_text(object, keys[j][0], text);
			grade_causes(text, &row->facts, (enum language)j);
			add_if_any(object, keys[j][1], text);
		}
		for (unsigned int j = GRADE_NONE + 1; j < GRADES; j++)
			if (row->grades[j] > 0)
				json_add_count(grades, grade_names[j], row->grades[j]);
		json_object_object_add(object, "grades", grades);
		json_object_object_add(object, "facts", grade_json(&row->facts));
		json_add_count(object, "pass", row->pass);
		json_add_count(object, "fail", row->fail);
		json_add_decimal(object, "frames", row->frames, 0);
		json_add_decimal(object, "Time(S)", row->time_s, 6);
		json_add_decimal(object, "FPS", device_fps(row), 2);
		json_add_decimal(object, "jank", row->jank, 0);
		json_add_decimal(object, "jank(/10min)", device_per_10_min(row, row->jank), 2);
		json_add_decimal(object, "stalls", row->stalls, 0);
		json_add_decimal(object, "stall time(S)", row->stall_time_s, 6);
		print_element(&printer, object, false);
	}
	devices_free(&devices);
	return printer.failed ? -ENOMEM : 0;
}

int output_json(FILE *out, const struct report *report)
{
	struct json_object *object = json_object_new_object();
	struct printer printer = { .out = out };

	json_add_count(object, "schema", SCHEMA);
	add_text(object, "program", "jank-report " JANKD_VERSION);
	print_object(&printer, object, true);
	begin_array(&printer, "sessions");
	for (uint32_t i = 0; i < report->n; i++) {
		fputs(i > 0 ? "," : "", out);
		printer.failed |=
			output_json_session(out, &report->sessions[i], report->selection) < 0;
		fputc('}', out);
	}
	fputc(']', out);
	printer.failed |= output_json_devices(out, report) < 0;
	fputs("]}\n", out);
	return printer.failed ? -ENOMEM : 0;
}

/* --- grades alone --- */

int output_grades(FILE *out, const struct report *report)
{
	struct printer printer = { .out = out, .is_first = true };

	fputc('[', out);
	for (uint32_t i = 0; i < report->n; i++) {
		const struct session *session = &report->sessions[i];

		for (uint32_t j = 0; j < session->n_apps; j++) {
			struct json_object *object = session_app_object(session, &session->apps[j]);

			add_text(object, "folder", session->folder);
			add_text(object, "session_id",
				 session_json_text(session, NULL, "session_id"));
			print_element(&printer, object, false);
		}
	}
	fputs("]\n", out);
	return printer.failed ? -ENOMEM : 0;
}

/* --- of facts that were added up --- */

/* A count or a time as grade_json() prints it, in units of 1 / @scale. What is missing, or no
 * number, is 0. */
static uint64_t read_fact(struct json_object *facts, const char *key, double scale)
{
	double value = json_object_get_double(json_object_object_get(facts, key)) * scale;

	return value > 0 && value < 1e19 ? (uint64_t)(value + 0.5) : 0;
}

int output_grades_of(FILE *in, FILE *out)
{
	struct json_object *all = json_object_from_fd(fileno(in));
	struct printer printer = { .out = out, .is_first = true };

	if (!json_object_is_type(all, json_type_array)) {
		json_object_put(all);
		return -EINVAL;
	}
	fputc('[', out);
	for (size_t at = 0; at < json_object_array_length(all); at++) {
		struct json_object *sum = json_object_array_get_idx(all, at);
		const char *name = json_object_get_string(json_object_object_get(sum, "app"));
		struct json_object *from = json_object_object_get(sum, "facts");
		struct json_object *lost = json_object_object_get(from, "causes");
		const char *at_most =
			json_object_get_string(json_object_object_get(from, "at most"));
		struct grade_facts facts = {
			.frames = read_fact(from, "frames", 1),
			.unknown = read_fact(from, "unknown vsyncs", 1),
			.late = read_fact(from, "late frames", 1),
			.late_ns = read_fact(from, "late time(s)", 1e9),
			.freezes = read_fact(from, "freezes", 1),
			.freeze_ns = read_fact(from, "freeze time(s)", 1e9),
			.longest_freeze_ns = read_fact(from, "longest freeze(s)", 1e9),
			.endless = read_fact(from, "freezes without end", 1),
			.gaps = read_fact(from, "gaps", 1),
			.gap_ns = read_fact(from, "gap time(s)", 1e9),
			.shortest_gap_ns = read_fact(from, "shortest gap(s)", 1e9),
			.longest_gap_ns = read_fact(from, "longest gap(s)", 1e9),
			.span_ns = read_fact(from, "captured(s)", 1e9),
			.missing_ns = read_fact(from, "missing(s)", 1e9),
			.more_freezes = json_object_get_boolean(
				json_object_object_get(from, "more freezes")),
			.fails_rule =
				json_object_get_boolean(json_object_object_get(from, "fails rule")),
		};
		uint64_t drawing_ns = read_fact(from, "drawing(s)", 1e9);
		struct graded graded = {
			.name = name ? name : "", .facts = &facts, .rate_hz = -1, .missing_at = ""
		};
		struct json_object *object, *causes = json_object_new_array();
		enum cause sorted[CAUSES];
		char text[GRADE_TEXT_SIZE];
		unsigned int n;

		for (unsigned int i = GRADE_NONE + 1; at_most && i < GRADES; i++)
			if (strcmp(at_most, grade_names[i]) == 0)
				facts.at_most = (enum grade)i;
		facts.time_ns = drawing_ns > facts.freeze_ns ? drawing_ns - facts.freeze_ns : 0;
		facts.wait_ns = read_fact(from, "idle(s)", 1e9) + facts.freeze_ns + facts.gap_ns;
		for (unsigned int i = CAUSE_NONE + 1; lost && i < CAUSES; i++) {
			struct json_object *cause = json_object_object_get(lost, cause_names[i]);

			facts.causes[i] = read_fact(cause, "times", 1);
			facts.cause_ns[i] = read_fact(cause, "lost(s)", 1e9);
		}

		graded.fps =
			facts.time_ns > 0 ? (double)facts.frames * 1e9 / (double)facts.time_ns : -1;
		object = graded_object(graded.name, &facts);
		grade_sentence(text, &graded, ENGLISH);
		add_text(object, "sentence", text);
		grade_causes(text, &facts, ENGLISH);
		add_if_any(object, "whose", text);
		/* With the names that people read, most time lost first. */
		n = grade_causes_by_time(sorted, &facts);
		for (unsigned int i = 0; i < n; i++) {
			struct json_object *cause = json_object_new_object();

			add_text(cause, "cause", cause_names[sorted[i]]);
			add_text(cause, "name", grade_cause_name(sorted[i], ENGLISH));
			json_add_count(cause, "times", facts.causes[sorted[i]]);
			add_seconds(cause, "lost(s)", (int64_t)(facts.cause_ns[sorted[i]] / 1000));
			json_object_array_add(causes, cause);
		}
		json_object_object_add(object, "causes", causes);
		print_element(&printer, object, false);
	}
	fputs("]\n", out);
	json_object_put(all);
	return printer.failed ? -ENOMEM : 0;
}

/* --- comparison --- */

static const char *const group_keys[] = { [BASE] = "base", [NEW] = "new" };

/* NULL: out of memory. */
static struct json_object *change_object(const struct compared_surface *surface, enum metric metric,
					 const struct compared_verdict *verdict)
{
	struct json_object *object;
	struct change change;
	double base;

	if (compare_metric(surface, metric, &change) < 0)
		return NULL;
	object = json_object_new_object();
	base = change.of[BASE].value;
	add_text(object, "metric", metrics[metric].name);
	if (change.threshold_us > 0) {
		json_add_decimal(object, "base percentile(ms)", change.threshold_us / 1e3, 3);
		json_add_bool(object, "with equal frames", change.or_equal);
	}
	if (!change.is_known) {
		add_text(object, "unknown", change.why);
		add_text(object, "unknown zh", compare_why(change.why, CHINESE));
		return object;
	}
	for (unsigned int group = BASE; group <= NEW; group++) {
		const struct estimate *estimate = &change.of[group];
		struct json_object *one = json_object_new_object();

		json_add_decimal(one, "value", estimate->value * change.scale, 6);
		json_add_decimal(one, "standard error", sqrt(estimate->variance) * change.scale, 6);
		json_add_decimal(one, "degrees of freedom", estimate->freedom, 1);
		json_add_count(one, "runs", estimate->runs);
		json_add_count(one, "blocks", estimate->blocks);
		json_object_object_add(object, group_keys[group], one);
	}
	json_add_decimal(
		object, "change(%)",
		base * change.scale >= 0.005 ? 100 * (change.of[NEW].value / base - 1) : NAN, 2);
	json_add_decimal(object, "from(%)", 100 * change.low, 2);
	json_add_decimal(object, "to(%)", 100 * change.high, 2);
	json_add_decimal(object, "noise", change.excess, 3);
	add_text(object, "verdict", compare_words(&change, verdict));
	json_add_bool(object, "by freezes", compare_by_freezes(&change, verdict));
	return object;
}

static double per_second(const struct grade_facts *facts, double number)
{
	uint64_t ns = grade_drawing_ns(facts);

	return ns > 0 ? number * 1e9 / (double)ns : NAN;
}

/* What a group, a run or a section of a group lost. With six decimals: who shows fewer rounds as
 * the text does. */
static struct json_object *lost_object(const struct grade_facts *facts)
{
	struct json_object *one = json_object_new_object();
	/* Where no vsyncs are known, what was late is not. */
	bool is_known = facts->unknown == 0 || facts->unknown < facts->frames;

	add_text(one, "grade", grade_names[grade_of(facts)]);
	json_add_decimal(one, "drawing(s)", (double)grade_drawing_ns(facts) / 1e9, 6);
	json_add_decimal(one, "lost(ms/s)",
			 is_known ? per_second(facts, (double)grade_lost_ns(facts) / 1e6) : NAN, 6);
	json_add_decimal(one, "late(ms/s)",
			 is_known ? per_second(facts, (double)facts->late_ns / 1e6) : NAN, 6);
	json_add_count(one, "freezes", facts->freezes);
	json_add_decimal(one, "freezes(/10min)", per_second(facts, 600 * (double)facts->freezes),
			 6);
	json_add_decimal(one, "longest freeze(s)", (double)facts->longest_freeze_ns / 1e9, 6);
	json_add_decimal(one, "gap time(s)", (double)facts->gap_ns / 1e9, 6);
	json_add_decimal(one, "missing(s)", (double)grade_missing_ns(facts) / 1e9, 6);
	json_add_count(one, "unknown vsyncs", facts->unknown);
	json_add_decimal(one, "FPS with freezes", per_second(facts, (double)facts->frames), 6);
	return one;
}

/* Seconds by cause, most first. */
static struct json_object *compared_causes(const struct grade_facts facts[2])
{
	struct json_object *causes = json_object_new_array();
	enum cause sorted[CAUSES];
	unsigned int n = compare_causes(sorted, facts);

	for (unsigned int i = 0; i < n; i++) {
		struct json_object *one = json_object_new_object();

		add_text(one, "cause", cause_names[sorted[i]]);
		json_add_decimal(one, "base lost(s)", (double)facts[BASE].cause_ns[sorted[i]] / 1e9,
				 6);
		json_add_decimal(one, "new lost(s)", (double)facts[NEW].cause_ns[sorted[i]] / 1e9,
				 6);
		json_object_array_add(causes, one);
	}
	return causes;
}

/* Verdict and lines; what each group, run, section and cause lost; what changed, in numbers. NULL:
 * out of memory. */
static struct json_object *compared_object(const struct comparison *comparison, uint32_t number)
{
	static const char *const lines_keys[] = { [ENGLISH] = "lines", [CHINESE] = "lines zh" };
	const struct compared_surface *surface = &comparison->surfaces[number];
	const struct compared_verdict *verdict = &comparison->verdicts[number];
	struct json_object *object = json_object_new_object(), *sections = json_object_new_array();
	struct json_object *changes = json_object_new_array(), *distribution = NULL;
	char lines[COMPARE_LINES][COMPARE_LINE_SIZE];
	double shares[COMPARE_SHARES], ms[COMPARE_SHARES], bins[2][COMPARE_BINS];
	struct grade_facts facts[2];

	add_text(object, "app", surface->app);
	add_text(object, "Surface", surface->name);
	add_text(object, "verdict", compared_words[verdict->word]);
	for (unsigned int language = ENGLISH; language <= CHINESE; language++) {
		struct json_object *said = json_object_new_array();
		unsigned int n = compare_lines(lines, comparison, verdict, (enum language)language);

		for (unsigned int i = 0; i < n; i++)
			json_object_array_add(said, text_of(lines[i]));
		json_object_object_add(object, lines_keys[language], said);
	}
	for (unsigned int group = BASE; group <= NEW; group++) {
		struct json_object *one, *runs = json_object_new_array(), *curve = NULL;

		facts[group] = compare_facts(surface, group);
		one = lost_object(&facts[group]);
		for (uint32_t i = 0; i < surface->n_runs; i++) {
			const struct compared_run *run = &surface->runs[i];
			struct json_object *lost;

			if (run->group != group)
				continue;
			lost = lost_object(&run->facts.sum);
			add_text(lost, "folder", run->folder);
			json_object_array_add(runs, lost);
		}
		json_object_object_add(one, "runs", runs);
		/* How long frames and freezes are at least that last for a share of the time. */
		if (compare_curve(surface, (enum group)group, shares, ms))
			curve = json_object_new_array();
		for (unsigned int i = 0; curve && i < COMPARE_SHARES; i++) {
			struct json_object *point = json_object_new_object();

			json_add_decimal(point, "time(%)", 100 * shares[i], 4);
			json_add_decimal(point, "from(ms)", ms[i], 3);
			json_object_array_add(curve, point);
		}
		json_object_object_add(one, "curve", curve);
		json_object_object_add(object, group_keys[group], one);
	}
	json_object_object_add(object, "causes", compared_causes(facts));
	for (uint32_t i = 0; i < surface->n_sections; i++) {
		const struct compared_section *section = &surface->sections[i];
		struct json_object *one = json_object_new_object();

		add_text(one, "section", section->name);
		for (unsigned int group = BASE; group <= NEW; group++) {
			facts[group] = section->facts[group].sum;
			json_object_object_add(one, group_keys[group], lost_object(&facts[group]));
		}
		json_object_object_add(one, "causes", compared_causes(facts));
		json_object_array_add(sections, one);
	}
	json_object_object_add(object, "sections", sections);
	json_add_decimal(object, "base drawing(S)", surface->time_s[BASE], 3);
	json_add_decimal(object, "new drawing(S)", surface->time_s[NEW], 3);
	json_add_decimal(object, "effect", compare_effect(surface), 6);
	json_object_object_add(object, "changes", changes);
	for (unsigned int i = 0; compare_metrics[i] != METRICS; i++) {
		struct json_object *change = change_object(surface, compare_metrics[i], verdict);

		if (!change) {
			json_object_put(object);
			return NULL;
		}
		json_object_array_add(changes, change);
	}
	if (compare_distribution(surface, bins))
		distribution = json_object_new_array();
	for (unsigned int i = 0; distribution && i < COMPARE_BINS; i++) {
		struct json_object *bin = json_object_new_object();

		add_text(bin, "vsyncs", compare_bins[i]);
		json_add_decimal(bin, "base(%)", 100 * bins[BASE][i], 4);
		json_add_decimal(bin, "new(%)", 100 * bins[NEW][i], 4);
		json_object_array_add(distribution, bin);
	}
	json_object_object_add(object, "distribution", distribution);
	return object;
}

int output_compare_json(FILE *out, const struct compare_report *report)
{
	const struct comparison *comparison = report->comparison;
	struct json_object *object = json_object_new_object(), *surfaces = json_object_new_array();
	struct json_object *notices = json_object_new_array(),
			   *conditions = json_object_new_array();
	struct printer printer = { .out = out };

	json_add_count(object, "schema", SCHEMA);
	add_text(object, "program", "jank-report " JANKD_VERSION);
	json_add_decimal(object, "level", NOISE_LEVEL, 4);
	json_add_count(object, "base runs", comparison->runs[BASE]);
	json_add_count(object, "new runs", comparison->runs[NEW]);
	for (unsigned int group = BASE; group <= NEW; group++) {
		struct json_object *one = json_object_new_object();

		add_text(one, "name", compare_group_name(comparison, (enum group)group));
		json_add_count(one, "runs", comparison->runs[group]);
		add_text(one, "folder", comparison->groups[group].folder);
		add_text(one, "model", comparison->groups[group].model);
		add_text(one, "build", comparison->groups[group].build);
		json_object_object_add(object, group_keys[group], one);
	}
	json_add_count(object, "left out frames", comparison->refused);
	for (uint32_t i = 0; i < comparison->n_notices; i++) {
		struct json_object *one = json_object_new_object();

		add_text(one, "text", comparison->notices[i].text);
		add_text(one, "folder", comparison->notices[i].folder);
		json_add_count(one, "runs", comparison->notices[i].runs);
		json_object_array_add(notices, one);
	}
	json_object_object_add(object, "notices", notices);
	for (unsigned int i = report->first_result; i < report->results->n; i++) {
		const struct result *result = &report->results->all[i];
		struct json_object *one = json_object_new_object();

		add_text(one, "condition", result->what);
		add_text(one, "Surface", result->where);
		add_text(one, "outcome", outcome_names[result->outcome]);
		add_text(one, "text", result->text);
		json_object_array_add(conditions, one);
	}
	json_object_object_add(object, "conditions", conditions);
	json_object_object_add(object, "surfaces", surfaces);
	for (uint32_t i = 0; i < comparison->n_surfaces; i++) {
		struct json_object *one = compared_object(comparison, i);

		if (!one) {
			json_object_put(object);
			return -ENOMEM;
		}
		json_object_array_add(surfaces, one);
	}
	print_object(&printer, object, false);
	fputc('\n', out);
	return printer.failed ? -ENOMEM : 0;
}
