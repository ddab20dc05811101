/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/loop.h"
#include "daemon/base/periods.h"
#include "daemon/base/report.h"
#include "rules/base/memory.h"

/* --- jobs --- */

/* @which, @number: as in struct file_job. False: the queue has no space. */
static bool post(struct output *output, enum file_job_kind kind, unsigned int which,
		 struct span bytes, uint64_t number)
{
	const struct file_job job = { kind, which, number, bytes.ptr, bytes.len };
	/* A job is queued only while less than this of the queue is in use. Jobs such as those that
	 * end a capture may use all of it. */
	uint64_t limit = FILE_THREAD_BYTES;

	if (!output->thread) {
		session_files_do(&output->files, &job);
		return true;
	}
	if (kind == FILE_JOB_ROW && which == ROW_EVENTS)
		limit -= UINT64_C(1) << 19;
	/* A disk that is full may also be slow: rows that it will not take leave space to others.
	 * Pieces of a snapshot can be sent again later. */
	else if ((kind == FILE_JOB_ROW && which < output->state.stopped) ||
		 (kind == FILE_JOB_REPLACE_BYTES && which == REPLACED_SNAPSHOT))
		limit /= 2;
	else if (kind == FILE_JOB_ROW || kind == FILE_JOB_REPLACE_BYTES)
		limit -= UINT64_C(1) << 20;
	return file_thread_post(output->thread, &job, limit);
}

void output_post(struct output *output, enum file_job_kind kind)
{
	post(output, kind, 0, SPAN_NULL, 0);
}

/* Sends a row to its file; @is_mark: of 'jankd mark', or of a mark in the trace. Without space in
 * the queue it is lost. */
static void post_row(struct output *output, enum csv_file_kind which, struct span text,
		     bool is_mark)
{
	bool is_sent = text.len > 0 && post(output, FILE_JOB_ROW, which, text, is_mark);

	output->has_rows = true;
	/* Rows of doframe.csv alone do not wake up the thread: they wait for the next flush. */
	*(which == ROW_DOFRAMES ? &output->has_unflushed_doframes : &output->has_unflushed) = true;
	if (is_mark)
		output->mark_lost = !is_sent;
	if (is_sent)
		output->rows[which]++;
	else if (which < output->state.stopped)
		output->left_out[which]++;
	else
		output->queue_lost[which]++;
}

/* The time of the trace; 0: before its first record. */
static uint64_t now_of(const struct output *output)
{
	return output->pipeline ? pipeline_now(output->pipeline) : 0;
}

/* --- rows --- */

/* Writes a row that the trigger selects. */
static void write_row(void *context, const struct trigger_gate_row *row)
{
	struct output *output = context;

	if (output_name(output, row->which))
		post_row(output, row->which, row->text, false);
	if (row->which == ROW_FPS && csv_file_reserve(&output->console, row->text.len))
		csv_file_append(&output->console, row->text.ptr, row->text.len);
}

static uint64_t time_of(const void *value, size_t offset, uint64_t if_unknown)
{
	int64_t time_ns;

	memcpy(&time_ns, (const char *)value + offset, sizeof(time_ns));
	return time_ns == ROW_UNKNOWN ? if_unknown : (uint64_t)time_ns;
}

static void on_row(void *context, enum csv_file_kind which, const void *value)
{
	static const char *const kinds[] = {
		[TRACE_EVENT_REFRESH] = "refresh",
		[TRACE_EVENT_LOST] = "lost",
		[TRACE_EVENT_SURFACEFLINGER] = "surfaceflinger",
		[TRACE_EVENT_TRACING] = "tracing",
		[TRACE_EVENT_FOCUS] = "focus",
		[TRACE_EVENT_MARK] = "mark",
		[TRACE_EVENT_TRIGGER] = "trigger",
		[TRACE_EVENT_STALL] = "stall",
		[TRACE_EVENT_PAUSE] = "pause",
	};
	struct output *output = context;
	const struct trace_event *event = value;
	struct trigger_gate_row row = { .which = which };

	if (which == ROW_EVENTS) {
		output_event(output, (int64_t)event->time_ns, ROW_UNKNOWN, kinds[event->kind],
			     event->text);
		return;
	}
	if (!output_name(output, which) && !(which == ROW_FPS && output->console.name))
		return;
	row.text = csv_format(output->text, which, value);
	/* Without a known time the row belongs to the current time of the trace. */
	row.span.end_ns = time_of(value, csv_kinds[which].end_ns, now_of(output));
	row.span.begin_ns = time_of(value, csv_kinds[which].begin_ns, row.span.end_ns);
	if (!output->gate || trigger_gate_passes(output->gate, &row.span))
		write_row(output, &row);
	else
		trigger_gate_keep(output->gate, &row);
}

static void on_gate(void *context, bool open, uint64_t time_ns)
{
	struct output *output = context;
	uint64_t missed;

	if (!open) {
		trigger_gate_close(output->gate, time_ns);
		return;
	}
	missed = trigger_gate_open(output->gate, time_ns, output, write_row);
	if (missed > 0)
		output_event_now(output, "lost",
				 "%" PRIu64 " rows before the trigger were lost: the memory for "
				 "such rows was full",
				 missed);
}

static void on_late(void *context, const struct late_frame *frame)
{
	struct output *output = context;

	if (output->late.frame)
		output->late.frame(output->late.snapshot, frame);
}

/* --- events --- */

static void on_clock(void *context)
{
	struct output *output = context;

	event_queue_restart(output->events);
}

void output_event(struct output *output, int64_t time_ns, int64_t wall_ns, const char *kind,
		  const char *text)
{
	struct queued_event event = {
		.time_ns = time_ns,
		.wall_ns = wall_ns,
		.since_ns = output->is_live ? loop_now() : 0,
		.kind = kind,
		.text = text,
	};

	/* A forged clock or time may give a sum that is out of range. */
	if (wall_ns < 0 && time_ns != ROW_UNKNOWN && output->clock.known &&
	    __builtin_add_overflow((uint64_t)time_ns, output->clock.offset_ns, &event.wall_ns))
		event.wall_ns = ROW_UNKNOWN;
	event_queue_add(output->events, &event);
	if (output->trouble && (strcmp(kind, "lost") == 0 || strcmp(kind, "tracing") == 0))
		output->trouble(output->trouble_context, text);
}

/* Called when no earlier event can come. */
static void write_event(void *context, const struct queued_event *event)
{
	struct output *output = context;

	post_row(output, ROW_EVENTS, csv_format(output->text, ROW_EVENTS, event),
		 strcmp(event->kind, "mark") == 0);
}

/* A later event waits for that of the snapshot that is being saved. */
static uint64_t pending_ns(const struct output *output)
{
	return output->late.pending_ns ? output->late.pending_ns(output->late.snapshot)
				       : UINT64_MAX;
}

void output_settle(struct output *output)
{
	uint64_t settled_ns = pipeline_settled(output->pipeline);
	uint64_t until_ns;

	/* Mostly there is none to send. */
	if (*output_first_event(output) > settled_ns)
		return;
	until_ns = pending_ns(output);
	event_queue_release(output->events, settled_ns < until_ns ? settled_ns : until_ns);
}

void output_release_events(struct output *output)
{
	event_queue_release(output->events, UINT64_MAX);
}

/* --- what the files report --- */

static void report_dated(struct output *output, const char *kind, int64_t wall_ns, const char *text)
{
	int64_t time_ns = now_of(output) > 0 ? (int64_t)now_of(output) : ROW_UNKNOWN;

	if (kind == FILES_ERROR)
		report("%s", text);
	else if (strcmp(kind, FILES_WARNING) == 0)
		report_warning("%s", text);
	else if (output->is_live && output->clock.known)
		output_event(output, wall_ns - output->clock.offset_ns, wall_ns, kind, text);
	else
		output_event(output, time_ns, wall_ns, kind, text);
}

static void report_now(struct output *output, const char *kind, const char *text)
{
	report_dated(output, kind, output->is_live ? wall_clock_now() : ROW_UNKNOWN, text);
}

/* Called by the thread of the files if there is one. */
static void on_report(void *context, const char *kind, const char *text)
{
	struct output *output = context;

	if (output->thread)
		file_thread_report(output->thread, kind, text);
	else
		report_now(output, kind, text);
}

void output_event_now(struct output *output, const char *kind, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	report_now(output, kind, text);
}

void output_update(struct output *output)
{
	bool was_failing = output->state.is_failing, stalls;
	struct file_report report;
	uint64_t lost;

	if (output->thread) {
		while (file_thread_next_report(output->thread, &report))
			report_dated(output, report.kind, report.wall_ns, report.text);
		file_thread_state(output->thread, &output->state);

		/* An event when a stall begins, one when it ends, and one with the number of rows
		 * that were lost. */
		stalls = file_thread_busy_ns(output->thread) >= periods.disk_stall_ns;
		lost = rows_of_all_files(output->queue_lost);
		if (stalls && !output->stall_reported)
			output_event_now(output, "lost",
					 "the disk is not responding: rows are kept in memory");
		else if (!stalls && output->stall_reported)
			output_event_now(output, "rotate", "the disk responds again");
		if (!stalls && lost > output->queue_lost_reported) {
			output_event_now(output, "lost",
					 "%" PRIu64 " rows were lost: the disk was not responding, "
					 "and the queue of rows was full",
					 lost - output->queue_lost_reported);
			output->queue_lost_reported = lost;
		}
		output->stall_reported = stalls;
	} else {
		output->state = output->files.state;
	}
	/* Clients get the last error. It must not be one that is over. */
	if (was_failing && !output->state.is_failing)
		report_forget();
	output->failed |= output->state.failed;
	if (output->late.update)
		output->late.update(output->late.snapshot);
}

/* --- opening --- */

int output_open(struct output *output, const struct options *options, struct folder *folder,
		bool again)
{
	int error = 0;

	*output = (struct output){
		.options = options,
		.is_open = true,
		.path = folder->path,
		.is_live = options->command != OPTIONS_ANALYZE,
	};
	/* The header is written at once: if that fails no files are created. */
	if (options->to_stdout)
		error = csv_file_attach_stream(
			&output->console, STDOUT_FILENO, "standard output",
			options->stdout_begun ? NULL : csv_files[ROW_FPS].header, !output->is_live);
	if (error < 0) {
		output->failed = true;
		report("standard output: %s; redirect it elsewhere, or omit --stdout",
		       strerror(-error));
		return error;
	}
	/* Not memory_new(): few rows and few waiting events are that long. */
	output->text = calloc(1, sizeof(*output->text));
	output->events = calloc(1, sizeof(*output->events));
	output->gate = options->trigger ? memory_new(1, sizeof(*output->gate)) : NULL;
	if (!output->text || !output->events || (options->trigger && !output->gate))
		return report_no_memory(NULL);
	event_queue_init(output->events, write_event, output);
	error = session_files_open(&output->files, options, folder, again, on_report, output);
	if (error < 0 && !again)
		session_files_remove(&output->files);
	return error;
}

int output_begin_thread(struct output *output, void (*wait)(void *context), void *wait_context,
			void (*check)(void *context), void *check_context)
{
	int error;

	output->files.check = check;
	output->files.check_context = check_context;
	error = file_thread_start(&output->thread, &output->files);
	if (error < 0) {
		report("cannot start the thread that writes the files: %s; %s", strerror(-error),
		       report_advice(error, "stop other programs and try again"));
		return error;
	}
	output->wait = wait;
	output->wait_context = wait_context;
	return 0;
}

struct row_sink output_sink(struct output *output)
{
	return (struct row_sink){
		.context = output,
		.row = on_row,
		.clock = on_clock,
		.gate = output->gate ? on_gate : NULL,
		.late = on_late,
	};
}

/* --- counts --- */

const char *output_name(const struct output *output, enum csv_file_kind which)
{
	return csv_files_wanted(which, output->options) ? csv_files[which].name : NULL;
}

struct status_rows output_rows(const struct output *output, enum csv_file_kind which)
{
	uint64_t lost = output->state.lost[which];
	uint64_t left_out = output->state.left_out[which];

	return (struct status_rows){
		.name = output_name(output, which),
		.written = output->rows[which] - lost - left_out,
		.lost = lost + output->queue_lost[which],
		.left_out = left_out + output->left_out[which],
	};
}

uint64_t output_all_rows_lost(const struct output *output)
{
	return rows_of_all_files(output->state.lost) + rows_of_all_files(output->queue_lost);
}

/* --- files --- */

/* Waking up the thread costs more than its work, so it is done only if needed. While the thread is
 * busy one flush is enough. */
static bool is_flush_due(const struct output *output, uint64_t now_ns, uint64_t next_ns)
{
	uint64_t since_ns = now_ns - output->flush_ns;

	if (file_thread_done(output->thread) < output->flushed)
		return false;
	if (!output->has_unflushed)
		return since_ns >= periods.flush_idle_ns;
	if (next_ns == UINT64_MAX)
		return since_ns >= periods.flush_long_drain_ns;
	if (since_ns >= periods.flush_many_ns || next_ns > periods.flush_most_ns - since_ns)
		return true;
	return since_ns >= periods.flush_ns && next_ns > 0 && next_ns < periods.flush_few_ns;
}

static void flush(struct output *output, bool now, uint64_t next_ns)
{
	uint64_t now_ns = output->is_live ? loop_now() : 0;

	output_update(output);
	/* Events are also sent while the trace has no records. */
	if (output->is_live && output_has_events(output) && output->pipeline) {
		if (pipeline_is_settled(output->pipeline))
			event_queue_release(output->events, pending_ns(output));
		if (now_ns > periods.events_held_ns)
			event_queue_release_old(output->events, now_ns - periods.events_held_ns);
	}

	/* A slow reader of standard output must not delay the reading of the trace. */
	csv_file_flush(&output->console);
	if (!output->console_reported && output->console.error < 0) {
		output->console_reported = output->failed = true;
		report("standard output: %s; the files in %s are complete",
		       strerror(-output->console.error), output->path);
	} else if (!output->console_reported && output->console.rows_lost > 0) {
		output->console_reported = true;
		output_event_now(output, "lost",
				 "the reader of standard output is too slow: rows are missing "
				 "there, but not in the files");
	}

	if (output->thread && !now && !is_flush_due(output, now_ns, next_ns))
		return;
	output_post(output, FILE_JOB_FLUSH);
	output->has_unflushed = output->has_unflushed_doframes = false;
	output->flush_ns = now_ns;
	output->flushed = file_thread_posted(output->thread);
}

void output_flush(struct output *output)
{
	flush(output, true, 0);
}

void output_flush_if_due(struct output *output, uint64_t next_ns)
{
	flush(output, false, next_ns);
}

bool output_is_flushed(const struct output *output)
{
	return !output->has_unflushed && !output->has_unflushed_doframes &&
	       !output_has_events(output) && file_thread_done(output->thread) >= output->flushed;
}

void output_watch(struct output *output)
{
	session_files_watch(&output->files);
	output_update(output);
}

static void post_rotate(struct output *output)
{
	output_post(output, FILE_JOB_ROTATE);
	output->has_rows = false;
	output->rotate_job = file_thread_posted(output->thread);
}

void output_rotate_if_due(struct output *output)
{
	uint64_t period_ns = output->options->rotate_time_ns;
	uint64_t now_ns = now_of(output);
	uint64_t age_ns = now_ns - output->segment_begin_ns;

	if (output->segment_begin_ns == 0 || now_ns < output->segment_begin_ns) {
		output->segment_begin_ns = now_ns;
	} else if (age_ns >= period_ns) {
		output->segment_begin_ns += age_ns - age_ns % period_ns;
		post_rotate(output);
	}
}

bool output_rotate(struct output *output, const char *why)
{
	/* Read before the update: if true, the updated output->state includes the last rotation. */
	bool is_rotated = file_thread_done(output->thread) >= output->rotate_job;

	output_update(output);
	if (!output->has_rows && !(is_rotated && output->state.has_rows))
		return false;
	output_event_now(output, "rotate", "%s", why);
	output_release_events(output);
	output->segment_begin_ns = now_of(output);
	post_rotate(output);
	return true;
}

bool output_replace_begin(struct output *output, enum replaced_file which, const char *name,
			  uint64_t size)
{
	return post(output, FILE_JOB_REPLACE_BEGIN, which, span_of(name), size);
}

bool output_replace_bytes(struct output *output, enum replaced_file which, struct span bytes)
{
	return post(output, FILE_JOB_REPLACE_BYTES, which, bytes, 0);
}

void output_replace_end(struct output *output, enum replaced_file which, int error)
{
	post(output, FILE_JOB_REPLACE_END, which, SPAN_NULL, (uint64_t)-error);
	output_update(output);
}

static void on_summary(void *context, const struct summary_row *row)
{
	struct output *output = context;

	output->summary_failed |= !output_replace_bytes(output, REPLACED_SUMMARY,
							csv_format(output->text, CSV_SUMMARY, row));
}

void output_summary(struct output *output, struct pipeline *pipeline)
{
	const struct csv_file_info *file = &csv_files[CSV_SUMMARY];

	output->summary_failed =
		!output_replace_begin(output, REPLACED_SUMMARY, file->name, 0) ||
		!output_replace_bytes(output, REPLACED_SUMMARY, span_of(file->header)) ||
		!output_replace_bytes(output, REPLACED_SUMMARY, span_of("\n"));
	pipeline_summary(pipeline, output, on_summary);
	output_replace_end(output, REPLACED_SUMMARY, output->summary_failed ? -ENOBUFS : 0);
}

/* --- the end --- */

void output_wait(struct output *output)
{
	if (output->wait)
		output->wait(output->wait_context);
}

void output_complete(struct output *output, bool final)
{
	output_post(output, final ? FILE_JOB_FINAL_FLUSH : FILE_JOB_FLUSH);
	output_wait(output);
	output_update(output);
}

void output_close(struct output *output)
{
	uint64_t lost = 0;

	if (output->events)
		output_release_events(output);
	if (output->is_open) {
		output_post(output, FILE_JOB_CLOSE);
		output_wait(output);
		output_update(output);
		output->failed |= output_all_rows_lost(output) > 0 ||
				  output->state.replaced[REPLACED_SUMMARY].error < 0 ||
				  output->state.replaced[REPLACED_SESSION].error < 0;
	}
	output->thread = file_thread_end(output->thread);
	output->wait = NULL;
	if (output->console.name) {
		csv_file_close(&output->console);
		lost = output->console.rows_lost;
	}
	if (lost > 0 && output->console.error == 0)
		report_warning("standard output: its reader was too slow, %" PRIu64
			       " rows are missing there; all are in %s",
			       lost, output->path);
	free(output->gate);
	output->gate = NULL;
	free(output->events);
	output->events = NULL;
	free(output->text);
	output->text = NULL;
	output->is_open = false;
}
