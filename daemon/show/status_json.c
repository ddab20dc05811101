/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/show/grade_json.h"
#include "daemon/show/json.h"
#include "daemon/base/last_session.h"
#include "daemon/base/text.h"
#include "daemon/version.h"
#include "rules/count/stats.h"

#define SESSION_SCHEMA 1

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

/* The device that jankd runs on. Only for a live trace: a recorded one may be of another device. */
static struct json_object *device_object(const struct status *status)
{
	struct json_object *object = json_object_new_object();

	json_add_text(object, "id", status->device.id);
	json_add_text(object, "model", status->device.model);
	json_add_text(object, "build", status->device.build);
	json_add_text(object, "sdk", status->device.sdk);
	json_add_text(object, "kernel", status->kernel);
	json_object_object_add(object, "start", values_object(&status->device_start));
	json_object_object_add(object, "end", values_object(&status->device_end));
	return object;
}

static struct json_object *clock_object(const struct status *status)
{
	const struct wall_clock *clock = &status->clock;
	struct json_object *object = json_object_new_object();

	json_add_text(object, "name", status->trace_clock);
	json_object_object_add(object, "wall_offset_ns",
			       clock->known ? json_object_new_int64(clock->offset_ns) : NULL);
	json_add_if_known(object, "began_ns", status->begin_ns);
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

static struct json_object *source_object(const struct status *status)
{
	const struct options *options = status->options;
	struct json_object *object = json_object_new_object();

	json_add_text(object, "kind", status->source);
	if (status->source_why[0])
		json_add_text(object, "why", status->source_why);
	if (status->source_path[0])
		json_add_text(object, "path", status->source_path);
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

	json_add_text(object, "source", names[counters->durations_source]);
	json_add_if_any(object, "app_ns", durations->app_ns);
	json_add_if_any(object, "surfaceflinger_ns", durations->sf_ns);
	json_add_if_any(object, "period_ns", durations->period_ns);
	return object;
}

/* For each file, the numbers of rows that were written, lost and left out. */
static struct json_object *rows_object(const struct status *status)
{
	struct json_object *object = json_object_new_object();

	for (unsigned int i = 0; i < status->files; i++) {
		const struct status_rows *rows = &status->rows[i];
		struct json_object *counts = json_object_new_object();

		json_add_count(counts, "written", rows->written);
		json_add_count(counts, "lost", rows->lost);
		json_add_count(counts, "left_out", rows->left_out);
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
		json_add_count(object, name, counters->lost_by_cpu[cpu]);
	}
	return object;
}

/* What is missing in the rows, by cause. */
static struct json_object *lost_object(const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	struct json_object *object = json_object_new_object();

	json_add_count(object, "events", counters->lost_events);
	json_object_object_add(object, "by_cpu", lost_by_cpu(counters));
	json_add_count(object, "unknown_times", counters->lost_unknown);
	json_add_count(object, "holes", counters->holes);
	json_add_decimal(object, "seconds_without_events", (double)counters->hole_time_ns / 1e9, 3);
	json_add_count(object, "stale_frames", counters->stale_frames);
	json_add_count(object, "refused_frames", counters->frames_refused);
	json_add_count(object, "rows", status->rows_lost);
	return object;
}

static struct json_object *counters_object(const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	struct json_object *object = json_object_new_object();

	/* The counters that 'jankd status' shows, with the names that it uses. */
	json_add_count(object, "events", counters->records);
	json_object_object_add(object, "lost", lost_object(status));
	json_add_count(object, "malformed",
		       status->malformed_markers + status->glued_lines + status->too_long_lines);
	json_add_count(object, "late", counters->late);
	json_add_count(object, "ahead", counters->ahead);
	json_add_count(object, "repeated", counters->repeated);
	json_add_count(object, "unattributed_presents", counters->unattributed_presents);
	json_add_count(object, "evicted_surfaces", counters->surfaces_evicted);
	json_add_count(object, "queue_high_water", counters->queue_high_water);
	json_add_count(object, "rotations", status->rotations);
	json_add_count(object, "restarts", counters->surfaceflinger_restarts);
	json_add_count(object, "bytes", status->bytes);
	json_add_count(object, "markers", status->markers);
	json_add_count(object, "malformed_markers", status->malformed_markers);
	json_add_count(object, "glued_lines", status->glued_lines);
	json_add_count(object, "too_long_lines", status->too_long_lines);
	json_object_object_add(object, "rows", rows_object(status));
	json_add_count(object, "rows_lost", status->rows_lost);
	json_add_count(object, "disk_wait_ms", status->disk_busy_ns / 1000000);
	json_add_count(object, "segments_removed", status->segments_removed);
	json_add_count(object, "snapshots", status->snapshots);
	json_add_count(object, "snapshots_suppressed", status->snapshots_suppressed);
	json_add_count(object, "snapshots_failed", status->snapshots_failed);
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
	json_add_count(object, "records", counters->records);
	json_add_count(object, "ticks", counters->ticks);
	json_add_count(object, "presents", counters->presents);
	json_add_count(object, "frames", counters->frames);
	json_add_count(object, "lost_events", counters->lost_events);
	json_add_count(object, "lost_unknown", counters->lost_unknown);
	json_add_count(object, "foreign_presents", counters->foreign_presents);
	json_add_count(object, "foreign_ticks", counters->foreign_ticks);
	json_add_count(object, "foreign_latches", counters->foreign_latches);
	json_add_count(object, "clock_steps", counters->clock_steps);
	json_add_count(object, "dropped_frames", counters->dropped_frames);
	json_add_count(object, "layers_evicted", counters->layers_evicted);
	json_add_count(object, "layers_refused", counters->layers_refused);
	json_add_count(object, "frames_refused", counters->frames_refused);
	json_add_count(object, "frames_hurried", counters->frames_counted_early);
	json_add_count(object, "surfaces_evicted", counters->surfaces_evicted);
	json_add_count(object, "marks_too_soon", counters->marks_too_soon);
	json_add_count(object, "surfaces_others", counters->surfaces_others);
	json_add_count(object, "frames_others", counters->frames_others);
	json_add_count(object, "percentiles_refused", counters->percentiles_refused);
	json_add_count(object, "doframes", counters->doframes);
	json_add_count(object, "doframe_threads", counters->doframe_threads);
	json_add_count(object, "doframes_refused", counters->doframes_refused);
	json_add_count(object, "frames_by_learnt_durations", counters->durations_learnt);
	json_add_count(object, "doframes_skipped_30", counters->doframes_skipped);
	json_add_count(object, "frametimeline_frames", counters->timeline.rows);
	json_add_count(object, "frametimeline_unfinished", counters->timeline.unfinished);
	json_add_count(object, "frametimeline_unmatched", counters->timeline.unmatched);
	json_add_count(object, "frametimeline_malformed", counters->timeline.malformed);
	json_add_count(object, "frametimeline_refused", counters->timeline.refused);
	json_add_count(object, "frametimeline_joined", counters->timeline.joined);
	json_add_count(object, "frametimeline_ambiguous", counters->timeline.ambiguous);
	json_add_count(object, "frametimeline_not_joined", counters->timeline.not_joined);
	json_add_count(object, "frametimeline_with_display", counters->timeline.with_display);
	json_add_count(object, "frametimeline_without_display", counters->timeline.without_display);
	json_add_count(object, "threads_evicted", counters->threads_evicted);
	json_add_count(object, "slices_refused", counters->slices_refused);
	json_add_count(object, "processes_evicted", counters->processes_evicted);
	json_add_count(object, "ticks_evicted", counters->ticks_evicted);
	json_add_count(object, "displays_evicted", counters->displays_evicted);
	json_add_count(object, "holes_evicted", counters->holes_evicted);
	json_add_count(object, "slices_unbalanced", counters->slices_unbalanced);
	json_add_count(object, "fences", counters->fences.marks);
	json_add_count(object, "fences_joined", counters->fences.joined);
	json_add_count(object, "fences_surfaceflinger", counters->fences.own);
	json_add_count(object, "fences_without_frame", counters->fences.without_frame);
	json_add_count(object, "fences_ambiguous", counters->fences.ambiguous);
	json_add_count(object, "fences_evicted", counters->fences_evicted);
	json_add_if_any(object, "first_ns", counters->first_ns);
	json_add_if_any(object, "last_ns", counters->last_ns);
	json_add_if_known(object, "refresh_mhz", counters->refresh_mhz);
	json_add_if_known(object, "surfaceflinger_pid", counters->sf_pid);
	json_add_if_known(object, "surfaceflinger_tid", counters->sf_tid);
	return object;
}

static struct json_object *cost_object(const struct status_cost *cost)
{
	struct json_object *object = json_object_new_object();

	json_add_count(object, "cpu_ms", cost->cpu_ms);
	json_add_count(object, "children_cpu_ms", cost->children_cpu_ms);
	json_add_count(object, "rss_kb", cost->rss_kb);
	json_add_count(object, "wakeups", cost->wakeups);
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
	json_add_count(object, "polls", latency->polls);
	json_add_count(object, "failed", latency->failed);
	json_add_count(object, "scans", latency->scans);
	json_add_count(object, "wall_ms", latency->wall_ns / 1000000);
	json_add_count(object, "longest_ms", latency->wall_most_ns / 1000000);
	json_add_count(object, "cpu_ms", latency->cpu_ns / 1000000);
	json_add_count(object, "frames", latency->frames);
	json_add_count(object, "overruns", latency->overruns);
	json_add_count(object, "restarts", latency->restarts);
	json_add_count(object, "out_of_order", latency->out_of_order);
	json_add_count(object, "refused", latency->refused);
	return object;
}

/* A time as ISO 8601; null if it is unknown. */
static void add_wall(struct json_object *object, const char *key, int64_t wall_ns)
{
	char text[WALL_CLOCK_TEXT];

	wall_clock_format(text, wall_ns);
	json_add_text(object, key, text);
}

static struct json_object *process_object(const struct status_process *process)
{
	struct json_object *object = json_object_new_object();

	add_known(object, "oom_score_adj", process->oom_score_adj);
	json_add_text(object, "cpuset", process->cpuset);
	json_add_text(object, "cpus", process->cpus);
	return object;
}

/* What is in session.json. */
static struct json_object *session_object(const struct status *status)
{
	struct json_object *object = json_object_new_object();

	json_add_count(object, "schema", SESSION_SCHEMA);
	json_add_text(object, "jankd", JANKD_VERSION);
	json_add_text(object, "command", options_command_name(status->options->command));
	json_add_text(object, "session_id", status->session_id);
	add_wall(object, "began", status->begin_wall_ns);
	add_wall(object, "ended", status->end_wall_ns);
	json_object_object_add(object, "device", status->live ? device_object(status) : NULL);
	json_add_text(object, "boot_id", status->boot_id);
	json_object_object_add(object, "clock", clock_object(status));
	json_add_text(object, "rules", status->options->rules);
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
	json_add_bool(object, "running", true);
	json_add_count(object, "pid", (uint64_t)status->pid);
	json_object_object_add(
		object, "uptime_s",
		json_object_new_double((double)(uint64_t)(status->uptime_s * 1e3) / 1e3));
	json_add_text(object, "folder", status->folder);
	json_add_text(object, "last_words", status->last_report);
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

	json_add_text(object, "app", app->app);
	json_add_text(object, "grade", grade_names[grade_of(facts)]);
	grade_sentence(text, &graded, ENGLISH);
	json_add_text(object, "sentence", text);
	grade_causes(text, facts, ENGLISH);
	json_add_text(object, "whose", text);
	json_add_text(object, "verdict", app->verdict);
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
	json_add_count(object, "doframes", status->counters.doframes_skipped);
	json_add_count(object, "most", worst->periods);
	json_add_text(object, "app", app_whole_name(status, worst->app));
	json_add_if_known(object, "process", worst->pid);
	json_add_if_known(object, "thread", worst->tid);
	add_seconds(object, "time_s", worst->begin_ns);
	return object;
}

char *verdict_json(const struct status *status)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	struct json_object *others = json_object_new_array();

	json_add_count(object, "schema", SESSION_SCHEMA);
	json_add_text(object, "folder", status->folder);
	json_add_if_known(object, "refresh_mhz", status->counters.refresh_mhz);
	json_add_count(object, "presents", status->counters.presents);
	json_add_count(object, "frames", status->counters.frames);
	json_add_count(object, "lost_events", status->counters.lost_events);
	json_add_count(object, "lost_unknown", status->counters.lost_unknown);
	json_add_count(object, "surfaces_left_out", status->surfaces_total - status->n_surfaces);
	json_add_count(object, "doframes", status->counters.doframes);
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
