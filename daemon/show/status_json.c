/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/show.h"

#include <inttypes.h>
#include <json.h>
#include <stdio.h>
#include <string.h>

#include "daemon/show/grade_json.h"
#include "daemon/base/last_session.h"
#include "daemon/base/text.h"
#include "daemon/version.h"
#include "rules/count/stats.h"

#define SESSION_SCHEMA 1

/* Escapes @text, which may have any bytes, as JSON is UTF-8. NULL and "" become null. */
static void add_text(struct json_object *object, const char *key, const char *text)
{
	char escaped[16384];

	if (text)
		text_escape(escaped, sizeof(escaped), text);
	json_object_object_add(object, key,
			       text && escaped[0] ? json_object_new_string(escaped) : NULL);
}

static void add_count(struct json_object *object, const char *key, uint64_t count)
{
	json_object_object_add(object, key, json_object_new_uint64(count));
}

static void add_signed(struct json_object *object, const char *key, int64_t value)
{
	json_object_object_add(object, key, value < 0 ? NULL : json_object_new_int64(value));
}

/* 0 becomes null. */
static void add_nonzero(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, number > 0 ? json_object_new_uint64(number) : NULL);
}

static void add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

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
	char text[32];

	snprintf(text, sizeof(text), "%.1f", value_mc / 1e3);
	json_object_object_add(
		object, key,
		value_mc == DEVICE_UNKNOWN ? NULL : json_object_new_double_s(value_mc / 1e3, text));
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
	add_text(object, "charging", device_charging_name(values->charging));
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

/* The device that jankd runs on. Only for a live trace: a recorded one may be of another device. */
static struct json_object *device_object(const struct status *status)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "id", status->device_id);
	add_text(object, "model", status->model);
	add_text(object, "build", status->build);
	add_text(object, "sdk", status->sdk);
	add_text(object, "kernel", status->kernel);
	json_object_object_add(object, "start", values_object(&status->device_start));
	json_object_object_add(object, "end", values_object(&status->device_end));
	return object;
}

static struct json_object *clock_object(const struct status *status)
{
	const struct wall_clock *clock = &status->clock;
	struct json_object *object = json_object_new_object();

	add_text(object, "name", status->trace_clock);
	json_object_object_add(object, "wall_offset_ns",
			       clock->known ? json_object_new_int64(clock->offset_ns) : NULL);
	add_signed(object, "began_ns", status->begin_ns);
	return object;
}

static struct json_object *options_object(const struct options *options)
{
	const struct pipeline_options *pipeline = &options->pipeline;
	struct json_object *object = json_object_new_object();

	add_number(object, "target", pipeline->target_fps);
	add_number(object, "kpi_ms", (double)pipeline->kpi_ns / 1e6);
	add_count(object, "type", pipeline->type);
	add_count(object, "delay_ns", pipeline->delay_ns);
	add_count(object, "frames", pipeline->min_frames);
	add_number(object, "vsync_ms", (double)pipeline->vsync_ns / 1e6);
	add_text(object, "focus", pipeline->focus);
	if (options->command == OPTIONS_ANALYZE)
		add_text(object, "dumpsys", options->dumpsys);
	add_texts(object, "include", options->include, OPTIONS_GLOBS_MAX);
	add_texts(object, "exclude", options->exclude, OPTIONS_GLOBS_MAX);
	add_count(object, "max_surfaces", pipeline->max_series);
	add_count(object, "max_threads", pipeline->max_threads);
	add_bool(object, "frames_log", options->frames_log);
	add_bool(object, "stdout", options->to_stdout);
	add_nonzero(object, "rotate_size", options->rotate_size);
	add_nonzero(object, "rotate_time_ns", options->rotate_time_ns);
	add_nonzero(object, "keep", options->keep);
	add_nonzero(object, "min_free", options->min_free);
	add_nonzero(object, "sync_ns", options->sync_ns);
	add_text(object, "trigger", options->trigger);
	add_nonzero(object, "snapshot_ns", options->snapshot_ns);
	add_nonzero(object, "snapshot_length_ns",
		    options->snapshot_ns > 0 ? options->snapshot_length_ns : 0);
	if (options->command != OPTIONS_ANALYZE) {
		add_text(object, "tracefs", options->tracefs);
		add_text(object, "instance", options->instance);
		add_count(object, "buffer_kb", options->buffer_kb);
		add_bool(object, "atrace", !options->no_atrace);
		add_bool(object, "frametimeline", options->pipeline.frame_timeline);
		add_text(object, "categories", options->categories);
		add_bool(object, "yield", options->yield);
		add_nonzero(object, "duration_ns", options->duration_ns);
		add_nonzero(object, "wait_ns", options->wait_ns);
		add_text(object, "until_exit", options->until_exit);
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

static struct json_object *source_object(const struct status *status)
{
	const struct options *options = status->options;
	struct json_object *object = json_object_new_object();

	add_text(object, "kind", status->source);
	if (status->source_why[0])
		add_text(object, "why", status->source_why);
	if (status->source_path[0])
		add_text(object, "path", status->source_path);
	else
		add_texts(object, "files", (const char *const *)options->operands,
			  (size_t)options->operand_count);
	return object;
}

/* How long the app and SurfaceFlinger may work on a frame, and from where that is known. */
static struct json_object *durations_object(const struct pipeline_counters *counters)
{
	static const char *const names[] = {
		[DURATIONS_UNKNOWN] = "unknown",
		[DURATIONS_DUMPSYS] = "dumpsys",
		[DURATIONS_LEARNT] = "learnt",
	};
	const struct work_durations *durations = &counters->durations;
	struct json_object *object = json_object_new_object();

	add_text(object, "source", names[counters->durations_source]);
	add_nonzero(object, "app_ns", durations->app_ns);
	add_nonzero(object, "surfaceflinger_ns", durations->sf_ns);
	add_nonzero(object, "period_ns", durations->period_ns);
	return object;
}

/* For each file, the numbers of rows that were written, lost and left out. */
static struct json_object *rows_object(const struct status *status)
{
	struct json_object *object = json_object_new_object();

	for (unsigned int i = 0; i < status->files; i++) {
		const struct status_rows *rows = &status->rows[i];
		struct json_object *counts = json_object_new_object();

		add_count(counts, "written", rows->written);
		add_count(counts, "lost", rows->lost);
		add_count(counts, "left_out", rows->left_out);
		json_object_object_add(object, rows->name, counts);
	}
	return object;
}

/* The known numbers of lost events for each CPU. CPUs that the table does not have are "other". */
static struct json_object *lost_by_cpu(const struct pipeline_counters *counters)
{
	struct json_object *object = json_object_new_object();

	for (int cpu = 0; cpu <= PIPELINE_CPUS; cpu++) {
		char name[16] = "other";

		if (counters->lost_by_cpu[cpu] == 0)
			continue;
		if (cpu < PIPELINE_CPUS)
			snprintf(name, sizeof(name), "%d", cpu);
		add_count(object, name, counters->lost_by_cpu[cpu]);
	}
	return object;
}

/* What is missing in the rows, by cause. */
static struct json_object *lost_object(const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	struct json_object *object = json_object_new_object();
	char seconds[32];

	snprintf(seconds, sizeof(seconds), "%.3f", (double)counters->hole_time_ns / 1e9);
	add_count(object, "events", counters->lost_events);
	json_object_object_add(object, "by_cpu", lost_by_cpu(counters));
	add_count(object, "unknown_times", counters->lost_unknown);
	add_count(object, "holes", counters->holes);
	json_object_object_add(
		object, "seconds_without_events",
		json_object_new_double_s((double)counters->hole_time_ns / 1e9, seconds));
	add_count(object, "stale_frames", counters->stale_frames);
	add_count(object, "refused_frames", counters->frames_refused);
	add_count(object, "rows", status->rows_lost);
	return object;
}

static struct json_object *counters_object(const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	struct json_object *object = json_object_new_object();

	/* The counters that 'jankd status' shows, with the names that it uses. */
	add_count(object, "events", counters->records);
	json_object_object_add(object, "lost", lost_object(status));
	add_count(object, "malformed",
		  status->malformed_markers + status->glued_lines + status->too_long_lines);
	add_count(object, "late", counters->late);
	add_count(object, "ahead", counters->ahead);
	add_count(object, "repeated", counters->repeated);
	add_count(object, "unattributed_presents", counters->unattributed_presents);
	add_count(object, "evicted_surfaces", counters->surfaces_evicted);
	add_count(object, "queue_high_water", counters->queue_high_water);
	add_count(object, "rotations", status->rotations);
	add_count(object, "restarts", counters->surfaceflinger_restarts);
	add_count(object, "bytes", status->bytes);
	add_count(object, "markers", status->markers);
	add_count(object, "malformed_markers", status->malformed_markers);
	add_count(object, "glued_lines", status->glued_lines);
	add_count(object, "too_long_lines", status->too_long_lines);
	json_object_object_add(object, "rows", rows_object(status));
	add_count(object, "rows_lost", status->rows_lost);
	add_count(object, "disk_wait_ms", status->disk_busy_ns / 1000000);
	add_count(object, "segments_removed", status->segments_removed);
	add_count(object, "snapshots", status->snapshots);
	add_count(object, "snapshots_suppressed", status->snapshots_suppressed);
	add_count(object, "snapshots_failed", status->snapshots_failed);
	if (status->has_overruns) {
		struct json_object *overruns = json_object_new_array();

		/* Events that the kernel overwrote before they were read, and settings that were
		 * restored after another program had changed them. */
		for (unsigned int i = 0; i < status->cpus; i++)
			json_object_array_add(overruns,
					      json_object_new_uint64(status->overruns[i]));
		json_object_object_add(object, "kernel_overrun", overruns);
		add_count(object, "recoveries", status->recoveries);
	}
	add_count(object, "records", counters->records);
	add_count(object, "ticks", counters->ticks);
	add_count(object, "presents", counters->presents);
	add_count(object, "frames", counters->frames);
	add_count(object, "lost_events", counters->lost_events);
	add_count(object, "lost_unknown", counters->lost_unknown);
	add_count(object, "foreign_presents", counters->foreign_presents);
	add_count(object, "foreign_ticks", counters->foreign_ticks);
	add_count(object, "foreign_latches", counters->foreign_latches);
	add_count(object, "clock_steps", counters->clock_steps);
	add_count(object, "dropped_frames", counters->dropped_frames);
	add_count(object, "layers_evicted", counters->layers_evicted);
	add_count(object, "layers_refused", counters->layers_refused);
	add_count(object, "frames_refused", counters->frames_refused);
	add_count(object, "frames_hurried", counters->frames_counted_early);
	add_count(object, "surfaces_evicted", counters->surfaces_evicted);
	add_count(object, "marks_too_soon", counters->marks_too_soon);
	add_count(object, "surfaces_others", counters->surfaces_others);
	add_count(object, "frames_others", counters->frames_others);
	add_count(object, "percentiles_refused", counters->percentiles_refused);
	add_count(object, "doframes", counters->doframes);
	add_count(object, "doframe_threads", counters->doframe_threads);
	add_count(object, "doframes_refused", counters->doframes_refused);
	add_count(object, "frames_by_learnt_durations", counters->durations_learnt);
	add_count(object, "doframes_skipped_30", counters->doframes_skipped);
	add_count(object, "frametimeline_frames", counters->timeline.rows);
	add_count(object, "frametimeline_unfinished", counters->timeline.unfinished);
	add_count(object, "frametimeline_unmatched", counters->timeline.unmatched);
	add_count(object, "frametimeline_malformed", counters->timeline.malformed);
	add_count(object, "frametimeline_refused", counters->timeline.refused);
	add_count(object, "frametimeline_joined", counters->timeline.joined);
	add_count(object, "frametimeline_ambiguous", counters->timeline.ambiguous);
	add_count(object, "frametimeline_not_joined", counters->timeline.not_joined);
	add_count(object, "frametimeline_with_display", counters->timeline.with_display);
	add_count(object, "frametimeline_without_display", counters->timeline.without_display);
	add_count(object, "threads_evicted", counters->threads_evicted);
	add_count(object, "slices_refused", counters->slices_refused);
	add_count(object, "processes_evicted", counters->processes_evicted);
	add_count(object, "ticks_evicted", counters->ticks_evicted);
	add_count(object, "displays_evicted", counters->displays_evicted);
	add_count(object, "holes_evicted", counters->holes_evicted);
	add_count(object, "slices_unbalanced", counters->slices_unbalanced);
	add_count(object, "fences", counters->fences.marks);
	add_count(object, "fences_joined", counters->fences.joined);
	add_count(object, "fences_surfaceflinger", counters->fences.own);
	add_count(object, "fences_without_frame", counters->fences.without_frame);
	add_count(object, "fences_ambiguous", counters->fences.ambiguous);
	add_count(object, "fences_evicted", counters->fences_evicted);
	add_nonzero(object, "first_ns", counters->first_ns);
	add_nonzero(object, "last_ns", counters->last_ns);
	add_signed(object, "refresh_mhz", counters->refresh_mhz);
	add_signed(object, "surfaceflinger_pid", counters->sf_pid);
	add_signed(object, "surfaceflinger_tid", counters->sf_tid);
	return object;
}

static struct json_object *cost_object(const struct status_cost *cost)
{
	struct json_object *object = json_object_new_object();

	add_count(object, "cpu_ms", cost->cpu_ms);
	add_count(object, "children_cpu_ms", cost->children_cpu_ms);
	add_count(object, "rss_kb", cost->rss_kb);
	add_count(object, "wakeups", cost->wakeups);
	return object;
}

/* NULL: no present fences are polled. */
static struct json_object *latency_object(const struct status *status)
{
	const struct status_latency *latency = &status->latency;
	struct json_object *object;

	if (!latency->is_on)
		return NULL;
	object = json_object_new_object();
	add_count(object, "polls", latency->polls);
	add_count(object, "failed", latency->failed);
	add_count(object, "scans", latency->scans);
	add_count(object, "wall_ms", latency->wall_ns / 1000000);
	add_count(object, "longest_ms", latency->wall_most_ns / 1000000);
	add_count(object, "cpu_ms", latency->cpu_ns / 1000000);
	add_count(object, "frames", latency->frames);
	add_count(object, "overruns", latency->overruns);
	add_count(object, "restarts", latency->restarts);
	add_count(object, "out_of_order", latency->out_of_order);
	add_count(object, "refused", latency->refused);
	return object;
}

/* A time as ISO 8601; null if it is unknown. */
static void add_wall(struct json_object *object, const char *key, int64_t wall_ns)
{
	char text[WALL_CLOCK_TEXT];

	wall_clock_format(text, wall_ns);
	add_text(object, key, text);
}

static struct json_object *process_object(const struct status_process *process)
{
	struct json_object *object = json_object_new_object();

	add_known(object, "oom_score_adj", process->oom_score_adj);
	add_text(object, "cpuset", process->cpuset);
	add_text(object, "cpus", process->cpus);
	return object;
}

/* What is in session.json. */
static struct json_object *session_object(const struct status *status)
{
	struct json_object *object = json_object_new_object();

	add_count(object, "schema", SESSION_SCHEMA);
	add_text(object, "jankd", JANKD_VERSION);
	add_text(object, "command", options_command_name(status->options->command));
	add_text(object, "session_id", status->session_id);
	add_wall(object, "began", status->begin_wall_ns);
	add_wall(object, "ended", status->end_wall_ns);
	json_object_object_add(object, "device", status->live ? device_object(status) : NULL);
	add_text(object, "boot_id", status->boot_id);
	json_object_object_add(object, "clock", clock_object(status));
	add_text(object, "rules", status->options->rules);
	json_object_object_add(object, "source", source_object(status));
	json_object_object_add(object, "work_durations", durations_object(&status->counters));
	json_object_object_add(object, "options", options_object(status->options));
	if (status->live)
		json_object_object_add(object, "arguments", arguments_array(status->options));
	json_object_object_add(object, "counters", counters_object(status));
	if (status->live) {
		json_object_object_add(object, "process", process_object(&status->process));
		json_object_object_add(object, "cost", cost_object(&status->cost));
		json_object_object_add(object, "latency", latency_object(status));
	}
	return object;
}

static void add_running(struct json_object *object, const struct status *status)
{
	add_bool(object, "running", true);
	add_count(object, "pid", (uint64_t)status->pid);
	json_object_object_add(
		object, "uptime_s",
		json_object_new_double((double)(uint64_t)(status->uptime_s * 1e3) / 1e3));
	add_text(object, "folder", status->folder);
	add_text(object, "last_words", status->last_report);
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

	if (running)
		add_running(object, status);
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
	add_count(object, "schema", SESSION_SCHEMA);
	add_bool(object, "running", false);
	add_text(object, "folder", folder);
	add_text(object, "session_id", last.id);
	add_text(object, "ended_by", ends[last.end]);
	add_wall(object, "last_write", last.last_ns);
	add_wall(object, "booted", last.booted_ns);
	last_session_free(&last);
	return print(object, JSON_C_TO_STRING_PRETTY);
}

/* --- the verdict --- */

/* In s or ms, with three digits after the point. */
static void add_thousandths(struct json_object *object, const char *key, uint64_t value)
{
	char text[40];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, value / 1000, value % 1000);
	json_object_object_add(object, key, json_object_new_double_s((double)value / 1e3, text));
}

static void add_seconds(struct json_object *object, const char *key, uint64_t ns)
{
	add_thousandths(object, key, ns / 1000000);
}

static void add_ms(struct json_object *object, const char *key, uint64_t ns)
{
	add_thousandths(object, key, ns / 1000);
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

	add_text(object, "surface", surface->surface);
	add_text(object, "verdict", surface->verdict);
	add_count(object, "frames", stats->frames);
	add_seconds(object, "time_s", stats->time_ns);
	add_seconds(object, "drawing_s", surface->drawing_ns);
	add_number(object, "fps", surface->fps);
	add_count(object, "jank", stats->jank);
	add_count(object, "big_jank", stats->big_jank);
	add_signed(object, "missed_vsyncs", frame_stats_by_vsyncs(stats, stats->missed));
	add_count(object, "unknown_vsyncs", stats->unknown);
	add_count(object, "waits", stats->waits);
	add_seconds(object, "waiting_s", stats->wait_ns);
	add_signed(object, "stalls", stats->stalls);
	add_seconds(object, "stalled_s", stats->stall_ns);
	add_text(object, "grade", grade_names[surface->grade]);
	json_object_object_add(object, "facts", grade_json(&surface->facts));
	add_signed(object, "lost_events", stats->lost);
	add_bool(object, "without_view_marks", surface->no_view_marks);
	add_bool(object, "paces_itself", surface->paces_itself);
	add_signed(object, "gpu_bound", surface->gpu_bound);
	add_ms_if_known(object, "gpu_p50_ms", surface->gpu_p50_ns);
	add_ms_if_known(object, "gpu_p99_ms", surface->gpu_p99_ns);
	add_count(object, "late_frames_wait_known", surface->fences.late);
	add_count(object, "late_frames_waited", surface->fences.late_released);
	add_ms_if_known(object, "release_wait_p99_ms", surface->release_p99_ns);
	add_signed(object, "late_frames", frame_stats_by_vsyncs(stats, (int64_t)stats->late));
	add_ms_if_known(object, "late_ms", frame_stats_by_vsyncs(stats, (int64_t)stats->late_ns));
	json_object_object_add(object, "lost_ms_per_s",
			       lost_rate < 0 ? NULL : json_object_new_double(lost_rate));
	add_ms_if_known(object, "longest_ms", frame_stats_longest(stats));
	json_object_object_add(object, "worst_moment",
			       moment_object("time_s", harm->worst_at_ns, harm->worst_ns));
	json_object_object_add(object, "worst_minute",
			       moment_object("from_s", harm->minute_from_ns, harm->minute_ns));
	return object;
}

static struct json_object *app_object(const struct status_app *app, const struct status *status)
{
	struct json_object *object = json_object_new_object();
	struct json_object *surfaces = json_object_new_array();
	const struct grade_facts *facts = &app->facts;
	const struct graded graded = app_graded(app);
	char text[GRADE_TEXT_SIZE];

	add_text(object, "app", app->app);
	add_text(object, "grade", grade_names[grade_of(facts)]);
	grade_sentence(text, &graded, ENGLISH);
	add_text(object, "sentence", text);
	grade_causes(text, facts, ENGLISH);
	add_text(object, "whose", text);
	add_text(object, "verdict", app->verdict);
	json_object_object_add(object, "facts", grade_json(facts));
	for (unsigned int i = 0; i < status->n_surfaces; i++)
		if (strcmp(status->surfaces[i].app, app->app) == 0 &&
		    app_has_surface(app->app, status->surfaces[i].surface))
			json_object_array_add(surfaces, surface_object(&status->surfaces[i]));
	json_object_object_add(object, "surfaces", surfaces);
	return object;
}

/* NULL: no doFrame skipped 30 periods or more. */
static struct json_object *skipped_object(const struct status *status)
{
	const struct doframe_skipped *worst = &status->counters.doframe_worst;
	struct json_object *object;

	if (worst->periods == 0)
		return NULL;
	object = json_object_new_object();
	add_count(object, "doframes", status->counters.doframes_skipped);
	add_count(object, "most", worst->periods);
	add_text(object, "app", app_whole_name(status, worst->app));
	add_signed(object, "process", worst->pid);
	add_signed(object, "thread", worst->tid);
	add_seconds(object, "time_s", worst->begin_ns);
	return object;
}

char *verdict_json(const struct status *status)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	struct json_object *others = json_object_new_array();

	add_count(object, "schema", SESSION_SCHEMA);
	add_text(object, "folder", status->folder);
	add_signed(object, "refresh_mhz", status->counters.refresh_mhz);
	add_count(object, "presents", status->counters.presents);
	add_count(object, "frames", status->counters.frames);
	add_count(object, "lost_events", status->counters.lost_events);
	add_count(object, "lost_unknown", status->counters.lost_unknown);
	add_count(object, "surfaces_left_out", status->surfaces_total - status->n_surfaces);
	add_count(object, "doframes", status->counters.doframes);
	json_object_object_add(object, "skipped_30", skipped_object(status));
	for (unsigned int i = 0; i < status->n_apps; i++)
		json_object_array_add(array, app_object(&status->apps[i], status));
	json_object_object_add(object, "apps", array);
	for (unsigned int i = 0; i < status->n_surfaces; i++)
		if (!app_has_surface(status->surfaces[i].app, status->surfaces[i].surface))
			json_object_array_add(others, surface_object(&status->surfaces[i]));
	json_object_object_add(object, "surfaces_of_no_app", others);
	return print(object, JSON_C_TO_STRING_PLAIN);
}
