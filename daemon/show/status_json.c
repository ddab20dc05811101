/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/show/json.h"
#include "daemon/base/last_session.h"
#include "daemon/base/text.h"
#include "daemon/version.h"
#include "rules/count/stats.h"

#define SESSION_SCHEMA 1

/* Numbers with their keys. The list ends with a key NULL. */
struct count {
	const char *key;
	uint64_t value;
};

static void add_counts(struct json_object *object, const struct count *counts)
{
	for (; counts->key; counts++)
		json_add_count(object, counts->key, counts->value);
}

static struct json_object *counts_object(const struct count *counts)
{
	struct json_object *object = json_object_new_object();

	add_counts(object, counts);
	return object;
}

/* A list of such numbers, and a number of a struct whose key is its name. */
#define COUNTS(...) ((const struct count[]){ __VA_ARGS__, { NULL, 0 } })
#define KEY(key, value)                                                                            \
	{                                                                                          \
		key, value                                                                         \
	}
#define OF(of, name) KEY(#name, (of)->name)

static void add_number(struct json_object *object, const char *key, double number)
{
	json_object_object_add(object, key, number > 0 ? json_object_new_double(number) : NULL);
}

static void add_texts(struct json_object *object, const char *key, const char *const *texts,
		      size_t count)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < count && texts && texts[i]; i++) {
		char escaped[16384];

		text_escape(escaped, sizeof(escaped), texts[i]);
		json_object_array_add(array, json_object_new_string(escaped));
	}
	json_object_object_add(object, key, array);
}

static void add_known(struct json_object *object, const char *key, int value)
{
	json_object_object_add(object, key,
			       value == DEVICE_UNKNOWN ? NULL : json_object_new_int(value));
}

/* In degrees, with the digits that the device gave. */
static void add_celsius(struct json_object *object, const char *key, int value_mc)
{
	json_add_decimal(object, key, value_mc == DEVICE_UNKNOWN ? NAN : value_mc / 1e3, 1);
}

/* NULL: no value is known. */
static struct json_object *values_object(const struct device_values *values)
{
	struct json_object *object;

	if (!device_values_any(values))
		return NULL;
	object = json_object_new_object();
	add_known(object, "battery_percent", values->battery_percent);
	add_celsius(object, "battery_celsius", values->battery_mc);
	json_add_text(object, "charging", device_charging_name(values->charging));
	json_object_object_add(object, "screen_on",
			       values->screen_on == DEVICE_UNKNOWN
				       ? NULL
				       : json_object_new_boolean(values->screen_on));
	add_known(object, "brightness", values->brightness);
	add_known(object, "brightness_max", values->brightness_max);
	add_celsius(object, "skin_celsius", values->skin_mc);
	add_celsius(object, "cpu_celsius", values->cpu_mc);
	add_known(object, "cpu_cooling", values->cpu_cooling);
	return object;
}

static struct json_object *options_object(const struct options *options)
{
	const struct pipeline_options *pipeline = &options->pipeline;
	struct json_object *object = json_object_new_object();

	add_number(object, "target", pipeline->target_fps);
	add_number(object, "kpi_ms", (double)pipeline->kpi_ns / 1e6);
	json_add_count(object, "type", pipeline->type);
	json_add_count(object, "delay_ns", pipeline->delay_ns);
	json_add_count(object, "frames", pipeline->min_frames);
	add_number(object, "vsync_ms", (double)pipeline->vsync_ns / 1e6);
	json_add_text(object, "focus", pipeline->focus);
	if (options->command == OPTIONS_ANALYZE)
		json_add_text(object, "dumpsys", options->dumpsys);
	add_texts(object, "include", options->include, OPTIONS_GLOBS_MAX);
	add_texts(object, "exclude", options->exclude, OPTIONS_GLOBS_MAX);
	json_add_count(object, "max_surfaces", pipeline->max_series);
	json_add_count(object, "max_threads", pipeline->max_threads);
	json_add_bool(object, "frames_log", options->frames_log);
	json_add_bool(object, "stdout", options->to_stdout);
	json_add_if_any(object, "rotate_size", options->rotate_size);
	json_add_if_any(object, "rotate_time_ns", options->rotate_time_ns);
	json_add_if_any(object, "keep", options->keep);
	json_add_if_any(object, "min_free", options->min_free);
	json_add_if_any(object, "sync_ns", options->sync_ns);
	json_add_text(object, "trigger", options->trigger);
	if (pipeline->app_class != APP_CLASS_UNKNOWN)
		json_add_text(object, "class", app_class_names[pipeline->app_class]);
	json_add_if_any(object, "snapshot_ns", options->snapshot_ns);
	json_add_if_any(object, "snapshot_length_ns",
			options->snapshot_ns > 0 ? options->snapshot_length_ns : 0);
	if (options->command != OPTIONS_ANALYZE) {
		json_add_text(object, "tracefs", options->tracefs);
		json_add_text(object, "instance", options->instance);
		json_add_count(object, "buffer_kb", options->buffer_kb);
		json_add_bool(object, "atrace", !options->no_atrace);
		json_add_bool(object, "frametimeline", options->pipeline.frame_timeline);
		json_add_text(object, "categories", options->categories);
		json_add_bool(object, "yield", options->yield);
		json_add_if_any(object, "duration_ns", options->duration_ns);
		json_add_if_any(object, "wait_ns", options->wait_ns);
		json_add_text(object, "until_exit", options->until_exit);
	}
	return object;
}

/* The options of the command line, for 'jankd start --resume'. Returns NULL if one of them is not
 * text, as JSON cannot have it. */
static struct json_object *arguments_array(const struct options *options)
{
	struct json_object *array = json_object_new_array();
	char word[8192], escaped[2 * sizeof(word)];

	for (size_t i = 0; i < options->word_count; i++) {
		const struct option_word *given = &options->words[i];
		int n = snprintf(word, sizeof(word), "--%s%s%s", given->name,
				 given->value ? "=" : "", given->value ? given->value : "");

		text_escape(escaped, sizeof(escaped), word);
		if (n >= (int)sizeof(word) || strcmp(word, escaped) != 0) {
			json_object_put(array);
			return NULL;
		}
		json_object_array_add(array, json_object_new_string(word));
	}
	return array;
}

#define C(name) OF(counters, name)
#define TIMELINE(name) KEY("frametimeline_" #name, timeline->name)
#define FENCES(name) KEY("fences_" #name, fences->name)

static struct json_object *counters_object(const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	const struct timeline_counts *timeline = &counters->timeline;
	const struct fence_counts *fences = &counters->fences;
	struct json_object *object = json_object_new_object(), *rows = json_object_new_object();
	struct json_object *lost = json_object_new_object(), *cpus = json_object_new_object();

	/* The counters that 'jankd status' shows, with the names that it uses. */
	json_add_count(object, "events", counters->records);

	/* What is missing in the rows, by cause. */
	json_add_count(lost, "events", counters->lost_events);
	/* Of known number. CPUs that the table does not have are "other". */
	for (int cpu = 0; cpu <= PIPELINE_CPUS; cpu++) {
		char name[16] = "other";

		if (cpu < PIPELINE_CPUS)
			snprintf(name, sizeof(name), "%d", cpu);
		if (counters->lost_by_cpu[cpu] > 0)
			json_add_count(cpus, name, counters->lost_by_cpu[cpu]);
	}
	json_object_object_add(lost, "by_cpu", cpus);
	add_counts(lost, COUNTS(KEY("unknown_times", counters->lost_unknown), C(holes)));
	json_add_decimal(lost, "seconds_without_events", (double)counters->hole_time_ns / 1e9, 3);
	add_counts(lost, COUNTS(C(stale_frames), KEY("refused_frames", counters->frames_refused),
				KEY("rows", status->rows_lost)));
	json_object_object_add(object, "lost", lost);

	json_add_count(object, "malformed",
		       status->malformed_markers + status->glued_lines + status->too_long_lines);
	add_counts(object,
		   COUNTS(C(late), C(ahead), C(repeated), C(unattributed_presents),
			  KEY("evicted_surfaces", counters->surfaces_evicted), C(queue_high_water),
			  OF(status, rotations), KEY("restarts", counters->surfaceflinger_restarts),
			  OF(status, bytes), OF(status, markers), OF(status, malformed_markers),
			  OF(status, glued_lines), OF(status, too_long_lines)));
	/* For each file, the numbers of rows that were written, lost and left out. */
	for (unsigned int i = 0; i < status->files; i++) {
		const struct status_rows *of = &status->rows[i];

		json_object_object_add(
			rows, of->name,
			counts_object(COUNTS(OF(of, written), OF(of, lost), OF(of, left_out))));
	}
	json_object_object_add(object, "rows", rows);
	add_counts(object, COUNTS(OF(status, rows_lost),
				  KEY("disk_wait_ms", status->disk_busy_ns / 1000000),
				  OF(status, segments_removed), OF(status, snapshots),
				  OF(status, snapshots_suppressed), OF(status, snapshots_failed)));
	if (status->has_overruns) {
		struct json_object *overruns = json_object_new_array();

		/* Events that the kernel overwrote before they were read, and settings that were
		 * restored after another program had changed them. */
		for (unsigned int i = 0; i < status->cpus; i++)
			json_object_array_add(overruns,
					      json_object_new_uint64(status->overruns[i]));
		json_object_object_add(object, "kernel_overrun", overruns);
		json_add_count(object, "recoveries", status->recoveries);
	}
	add_counts(object, COUNTS(C(records), C(ticks), C(presents), C(frames), C(lost_events),
				  C(lost_unknown), C(foreign_presents), C(foreign_ticks),
				  C(foreign_latches), C(clock_steps), C(dropped_frames),
				  C(layers_evicted), C(layers_refused), C(frames_refused),
				  KEY("frames_hurried", counters->frames_counted_early),
				  C(surfaces_evicted), C(marks_too_soon), C(surfaces_others),
				  C(frames_others), C(percentiles_refused), C(doframes),
				  C(doframes_refused),
				  KEY("frames_by_learnt_durations", counters->durations_learnt),
				  KEY("doframes_skipped_30", counters->doframes_skipped),
				  KEY("frametimeline_frames", timeline->rows), TIMELINE(unfinished),
				  TIMELINE(unmatched), TIMELINE(malformed), TIMELINE(refused),
				  C(threads_evicted), C(slices_refused), C(processes_evicted),
				  C(ticks_evicted), C(displays_evicted), C(holes_evicted),
				  C(slices_unbalanced), KEY("fences", fences->marks),
				  FENCES(joined), KEY("fences_surfaceflinger", fences->own),
				  FENCES(without_frame), FENCES(ambiguous), C(fences_evicted)));
	json_add_if_any(object, "first_ns", counters->first_ns);
	json_add_if_any(object, "last_ns", counters->last_ns);
	json_add_if_known(object, "refresh_mhz", counters->refresh_mhz);
	json_add_if_known(object, "surfaceflinger_pid", counters->sf_pid);
	json_add_if_known(object, "surfaceflinger_tid", counters->sf_tid);
	return object;
}

/* A time as ISO 8601; null if it is unknown. */
static void add_wall(struct json_object *object, const char *key, int64_t wall_ns)
{
	char text[WALL_CLOCK_TEXT];

	wall_clock_format(text, wall_ns);
	json_add_text(object, key, text);
}

/* What is in session.json. */
static struct json_object *session_object(const struct status *status)
{
	static const char *const durations_sources[] = {
		[DURATIONS_UNKNOWN] = "unknown",
		[DURATIONS_DUMPSYS] = "dumpsys",
		[DURATIONS_LEARNT] = "learnt",
	};
	const struct options *options = status->options;
	const struct pipeline_counters *counters = &status->counters;
	const struct status_cost *cost = &status->cost;
	const struct status_latency *latency = &status->latency;
	struct json_object *object = json_object_new_object(), *part = NULL;

	json_add_count(object, "schema", SESSION_SCHEMA);
	json_add_text(object, "jankd", JANKD_VERSION);
	json_add_text(object, "command", options_command_name(options->command));
	json_add_text(object, "session_id", status->session_id);
	add_wall(object, "began", status->begin_wall_ns);
	add_wall(object, "ended", status->end_wall_ns);
	/* The device that jankd runs on: a recorded trace may be of another one. */
	if (status->live) {
		part = json_object_new_object();
		json_add_text(part, "id", status->device.id);
		json_add_text(part, "model", status->device.model);
		json_add_text(part, "build", status->device.build);
		json_add_text(part, "sdk", status->device.sdk);
		json_add_text(part, "kernel", status->kernel);
		json_object_object_add(part, "start", values_object(&status->device_start));
		json_object_object_add(part, "end", values_object(&status->device_end));
	}
	json_object_object_add(object, "device", part);
	json_add_text(object, "boot_id", status->boot_id);

	part = json_object_new_object();
	json_add_text(part, "name", status->trace_clock);
	json_object_object_add(part, "wall_offset_ns",
			       status->clock.known ? json_object_new_int64(status->clock.offset_ns)
						   : NULL);
	json_add_if_known(part, "began_ns", status->begin_ns);
	json_object_object_add(object, "clock", part);
	json_add_text(object, "rules", options->rules);

	part = json_object_new_object();
	json_add_text(part, "kind", status->source);
	if (status->source_why[0])
		json_add_text(part, "why", status->source_why);
	if (status->source_path[0])
		json_add_text(part, "path", status->source_path);
	else
		add_texts(part, "files", (const char *const *)options->operands,
			  (size_t)options->operand_count);
	json_object_object_add(object, "source", part);

	/* How long the app and SurfaceFlinger may work on a frame, and from where that is known. */
	part = json_object_new_object();
	json_add_text(part, "source", durations_sources[counters->durations_source]);
	json_add_if_any(part, "app_ns", counters->durations.app_ns);
	json_add_if_any(part, "surfaceflinger_ns", counters->durations.sf_ns);
	json_add_if_any(part, "period_ns", counters->durations.period_ns);
	json_object_object_add(object, "work_durations", part);
	json_object_object_add(object, "options", options_object(options));
	if (status->live)
		json_object_object_add(object, "arguments", arguments_array(options));
	json_object_object_add(object, "counters", counters_object(status));
	if (!status->live)
		return object;

	part = json_object_new_object();
	add_known(part, "oom_score_adj", status->process.oom_score_adj);
	json_add_text(part, "cpuset", status->process.cpuset);
	json_add_text(part, "cpus", status->process.cpus);
	json_object_object_add(object, "process", part);
	json_object_object_add(object, "cost",
			       counts_object(COUNTS(OF(cost, cpu_ms), OF(cost, children_cpu_ms),
						    OF(cost, rss_kb), OF(cost, wakeups))));
	/* Null: no present fences are polled. */
	part = !latency->is_on
		       ? NULL
		       : counts_object(COUNTS(
				 OF(latency, polls), OF(latency, failed), OF(latency, scans),
				 KEY("wall_ms", latency->wall_ns / 1000000),
				 KEY("longest_ms", latency->wall_most_ns / 1000000),
				 KEY("cpu_ms", latency->cpu_ns / 1000000), OF(latency, frames),
				 OF(latency, overruns), OF(latency, restarts),
				 OF(latency, out_of_order), OF(latency, refused)));
	json_object_object_add(object, "latency", part);
	return object;
}

/* Frees @object. Returns its text, which the caller frees, or NULL. */
static char *print(struct json_object *object, int layout)
{
	const char *text =
		json_object_to_json_string_ext(object, layout | JSON_C_TO_STRING_NOSLASHESCAPE);
	char *copy = text ? strdup(text) : NULL;

	json_object_put(object);
	return copy;
}

char *status_json(const struct status *status, bool running)
{
	struct json_object *object = session_object(status);

	if (running) {
		json_add_bool(object, "running", true);
		json_add_count(object, "pid", (uint64_t)status->pid);
		json_object_object_add(
			object, "uptime_s",
			json_object_new_double((double)(uint64_t)(status->uptime_s * 1e3) / 1e3));
		json_add_text(object, "folder", status->folder);
		json_add_text(object, "last_words", status->last_report);
	}
	return print(object, JSON_C_TO_STRING_PRETTY);
}

char *status_json_of_last(const char *folder)
{
	static const char *const ends[] = {
		[LAST_SESSION_ENDED] = "stop",
		[LAST_SESSION_KILLED] = "kill",
		[LAST_SESSION_REBOOTED] = "reboot",
	};
	struct last_session last;
	struct json_object *object;

	if (last_session_read(&last, folder) < 0)
		return NULL;
	object = json_object_new_object();
	json_add_count(object, "schema", SESSION_SCHEMA);
	json_add_bool(object, "running", false);
	json_add_text(object, "folder", folder);
	json_add_text(object, "session_id", last.id);
	json_add_text(object, "ended_by", ends[last.end]);
	add_wall(object, "last_write", last.last_ns);
	add_wall(object, "booted", last.booted_ns);
	last_session_free(&last);
	return print(object, JSON_C_TO_STRING_PRETTY);
}

/* --- the verdict --- */

/* With three digits after the point, truncated. */
static void add_seconds(struct json_object *object, const char *key, uint64_t ns)
{
	json_add_decimal(object, key, (double)(ns / 1000000) / 1e3, 3);
}

static void add_ms(struct json_object *object, const char *key, uint64_t ns)
{
	json_add_decimal(object, key, (double)(ns / 1000) / 1e3, 3);
}

/* ROW_UNKNOWN becomes null. */
static void add_ms_if_known(struct json_object *object, const char *key, int64_t ns)
{
	if (ns >= 0)
		add_ms(object, key, (uint64_t)ns);
	else
		json_object_object_add(object, key, NULL);
}

/* NULL: no frame was late. */
static struct json_object *moment_object(const char *key, uint64_t time_ns, uint64_t harm_ns)
{
	struct json_object *object;

	if (harm_ns == 0)
		return NULL;
	object = json_object_new_object();
	add_seconds(object, key, time_ns);
	add_ms(object, "harm_ms", harm_ns);
	return object;
}

static struct json_object *surface_object(const struct summary_row *surface)
{
	struct json_object *object = json_object_new_object();
	const struct frame_stats *stats = &surface->stats;
	const struct harm *harm = &surface->harm;
	double lost_rate = frame_stats_lost_rate(stats);

	json_add_text(object, "surface", surface->surface);
	json_add_text(object, "verdict", surface->verdict);
	json_add_count(object, "frames", stats->frames);
	add_seconds(object, "time_s", stats->time_ns);
	add_seconds(object, "drawing_s", surface->drawing_ns);
	add_number(object, "fps", surface->fps);
	json_add_count(object, "jank", stats->jank);
	json_add_count(object, "big_jank", stats->big_jank);
	json_add_if_known(object, "missed_vsyncs", frame_stats_by_vsyncs(stats, stats->missed));
	json_add_count(object, "unknown_vsyncs", stats->unknown);
	json_add_count(object, "waits", stats->waits);
	add_seconds(object, "waiting_s", stats->wait_ns);
	json_add_if_known(object, "stalls", stats->stalls);
	add_seconds(object, "stalled_s", stats->stall_ns);
	json_add_text(object, "grade", grade_names[surface->grade]);
	json_object_object_add(object, "facts", grade_json(&surface->facts));
	json_add_if_known(object, "lost_events", stats->lost);
	json_add_bool(object, "without_view_marks", surface->no_view_marks);
	json_add_bool(object, "paces_itself", surface->paces_itself);
	json_add_if_known(object, "gpu_bound", surface->gpu_bound);
	add_ms_if_known(object, "gpu_p50_ms", surface->gpu_p50_ns);
	add_ms_if_known(object, "gpu_p99_ms", surface->gpu_p99_ns);
	json_add_count(object, "late_frames_wait_known", surface->fences.late);
	json_add_count(object, "late_frames_waited", surface->fences.late_released);
	add_ms_if_known(object, "release_wait_p99_ms", surface->release_p99_ns);
	json_add_if_known(object, "late_frames",
			  frame_stats_by_vsyncs(stats, (int64_t)stats->late));
	add_ms_if_known(object, "late_ms", frame_stats_by_vsyncs(stats, (int64_t)stats->late_ns));
	json_object_object_add(object, "lost_ms_per_s",
			       lost_rate < 0 ? NULL : json_object_new_double(lost_rate));
	add_ms_if_known(object, "longest_ms", frame_stats_longest(stats));
	json_object_object_add(object, "worst_moment",
			       moment_object("time_s", harm->worst_from_ns, harm->worst_ns));
	json_object_object_add(object, "worst_minute",
			       moment_object("from_s", harm->minute_from_ns, harm->minute_ns));
	return object;
}

char *verdict_json(const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	const struct doframe_skipped *worst = &counters->doframe_worst;
	struct json_object *object = json_object_new_object(), *skipped = NULL;
	struct json_object *apps = json_object_new_array(), *others = json_object_new_array();
	char text[GRADE_TEXT_SIZE];

	json_add_count(object, "schema", SESSION_SCHEMA);
	json_add_text(object, "folder", status->folder);
	json_add_if_known(object, "refresh_mhz", counters->refresh_mhz);
	add_counts(object,
		   COUNTS(C(presents), C(frames), C(lost_events), C(lost_unknown),
			  KEY("surfaces_left_out", status->surfaces_total - status->n_surfaces),
			  C(doframes)));
	if (worst->periods > 0) {
		skipped = json_object_new_object();
		json_add_count(skipped, "doframes", counters->doframes_skipped);
		json_add_count(skipped, "most", worst->periods);
		json_add_text(skipped, "app", app_whole_name(status, worst->app));
		json_add_if_known(skipped, "process", worst->pid);
		json_add_if_known(skipped, "thread", worst->tid);
		add_seconds(skipped, "time_s", worst->begin_ns);
	}
	json_object_object_add(object, "skipped_30", skipped);
	for (unsigned int i = 0; i < status->n_apps; i++) {
		const struct status_app *app = &status->apps[i];
		const struct graded graded = app_graded(app);
		struct json_object *one = json_object_new_object();
		struct json_object *surfaces = json_object_new_array();

		json_add_text(one, "app", app->app);
		json_add_text(one, "grade", grade_names[grade_of(&app->facts)]);
		grade_sentence(text, &graded, ENGLISH);
		json_add_text(one, "sentence", text);
		grade_causes(text, &app->facts, ENGLISH);
		json_add_text(one, "whose", text);
		json_add_text(one, "verdict", app->verdict);
		json_object_object_add(one, "facts", grade_json(&app->facts));
		for (unsigned int at = 0; at < status->n_surfaces; at++)
			if (strcmp(status->surfaces[at].app, app->app) == 0 &&
			    app_has_surface(app->app, status->surfaces[at].surface))
				json_object_array_add(surfaces,
						      surface_object(&status->surfaces[at]));
		json_object_object_add(one, "surfaces", surfaces);
		json_object_array_add(apps, one);
	}
	json_object_object_add(object, "apps", apps);
	for (unsigned int i = 0; i < status->n_surfaces; i++)
		if (!app_has_surface(status->surfaces[i].app, status->surfaces[i].surface))
			json_object_array_add(others, surface_object(&status->surfaces[i]));
	json_object_object_add(object, "surfaces_of_no_app", others);
	return print(object, JSON_C_TO_STRING_PLAIN);
}
