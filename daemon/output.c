/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/csv.h"
#include "daemon/loop.h"
#include "daemon/report.h"
#include "daemon/segments.h"
#include "daemon/snapshot.h"
#include "rules/memory.h"

#define SUMMARY "summary.csv"

/* A live event waits no longer, whatever frames wait for. */
#define EVENTS_HELD_NS UINT64_C(3000000000)

/* Rows of fps.csv are not made by types 3 and 4, those of dropFrames.csv not by type 0. */
static bool wants_fps(const struct options *options)
{
	return options->pipeline.type < 3;
}

static bool wants_drops(const struct options *options)
{
	return options->pipeline.type > 0;
}

/* --- what goes wrong --- */

static void say_failed(struct output *output, const char *name, int error)
{
	if (!output->reported)
		report("%s: %s/%s: %s; free the disk or name another folder with -F",
		       output->command, output->folder->path, name, strerror(-error));
	output->reported = true;
}

void output_failed(struct output *output, const char *name, int error)
{
	output->failed = true;
	say_failed(output, name, error);
}

void output_trouble(struct output *output, const char *name, int error)
{
	output->trouble = name;
	output->trouble_error = error;
}

static void console_failed(struct output *output)
{
	output->failed = true;
	if (output->reported)
		return;
	output->reported = true;
	report("%s: standard output: %s; the files in %s are complete", output->command,
	       strerror(-output->console.error), output->folder->path);
}

/* Whoever reads them may take a pause: the trace does not wait for that. */
static void tell_console(struct output *output)
{
	if (output->console.rows_lost == 0 || output->console_told)
		return;
	output->console_told = true;
	output_tell(output, "lost",
		    "standard output takes no rows: those that it has no room for are in the files "
		    "alone");
}

static void close_console(struct output *output)
{
	uint64_t lost;

	if (!output->console.name)
		return;
	csv_file_close(&output->console);
	lost = output->console.rows_lost;
	if (lost > 0 && output->console.error == 0)
		report("warning: %s: standard output: %" PRIu64 " rows were not taken and left out "
		       "there; all are in %s",
		       output->command, lost, output->folder->path);
}

/* --- opening --- */

/* The first row goes out now: whoever cannot take it gets no files for nothing. */
static int open_console(struct output *output)
{
	const char *header = output->options->stdout_begun ? NULL : csv_fps_header;
	int error = csv_file_attach_stream(&output->console, STDOUT_FILENO, "standard output",
					   header, !output->is_live);

	if (error < 0) {
		output->failed = output->reported = true;
		report("%s: standard output: %s; send it elsewhere, or leave --stdout out",
		       output->command, strerror(-error));
	}
	return error;
}

static bool admit(void *context, struct csv_file *file);
static void write_event(void *context, const struct queued_event *event);

static int create(struct output *output, enum output_file which, const char *name,
		  const char *header)
{
	struct csv_file *file = &output->files[which];
	int error = csv_file_create(file, output->folder->fd, name, header);

	file->limit = output->options->rotate_size;
	file->admit = admit;
	file->context = output;
	if (error < 0)
		output_failed(output, name, error);
	return error;
}

static int create_summary(struct output *output)
{
	int error = spill_file_open(&output->spill, output->folder);

	if (error == 0)
		error = spill_file_open(&output->layers, output->folder);
	if (error == 0)
		error = csv_file_attach(&output->summary, -1, CSV_BUFFER_LEAST, SUMMARY,
					csv_summary_header);
	if (error < 0)
		output_failed(output, SUMMARY, error);
	return error;
}

static int create_all(struct output *output, const struct options *options)
{
	int error = options->to_stdout ? open_console(output) : 0;

	if (error == 0)
		error = create(output, OUTPUT_EVENTS, "events.csv", csv_event_header);
	if (error == 0 && wants_fps(options))
		error = create(output, OUTPUT_FPS, "fps.csv", csv_fps_header);
	if (error == 0 && wants_drops(options))
		error = create(output, OUTPUT_DROPS, "dropFrames.csv", csv_drop_header);
	if (error == 0 && options->frames_log)
		error = create(output, OUTPUT_FRAMES, "frames.csv", csv_frame_header);
	if (error == 0)
		error = create_summary(output);
	return error;
}

static int open_events(struct output *output)
{
	output->events = memory_new(1, sizeof(*output->events));
	if (!output->events) {
		report("%s: out of memory; close other programs", output->command);
		return -ENOMEM;
	}
	output->events->write = write_event;
	output->events->context = output;
	return 0;
}

/* The rows of a trigger's time are told from the others. */
static int open_gate(struct output *output)
{
	if (!output->options->trigger)
		return 0;
	output->gate = gate_new();
	if (output->gate) {
		output->console.admit = admit;
		output->console.context = output;
		return 0;
	}
	report("%s: out of memory; close other programs", output->command);
	return -ENOMEM;
}

/* A start that failed leaves no files behind, the less so on a full disk. */
static void remove_files(struct output *output)
{
	for (int i = 0; i < OUTPUT_FILES; i++)
		if (output->files[i].fd >= 0 && output->files[i].name)
			unlinkat(output->folder->fd, output->files[i].name, 0);
}

int output_open(struct output *output, const struct options *options, struct folder *folder)
{
	int error;

	*output = (struct output){
		.folder = folder,
		.options = options,
		.command = options_command_name(options->command),
		.is_live = options->command != OPTIONS_ANALYZE,
	};
	segments_last(folder->fd, &output->segment);
	output->may_undo = !output->is_live;
	output_keep(output);
	error = create_all(output, options);
	if (error == 0)
		error = open_events(output);
	if (error == 0)
		error = open_gate(output);
	if (error < 0) {
		remove_files(output);
		output_close(output);
	}
	return error;
}

/* --- rows --- */

static bool is_stopped(const struct output *output, const struct csv_file *file)
{
	return file != &output->console && (size_t)(file - output->files) < output->stopped;
}

static bool passes_gate(struct output *output, struct csv_file *file)
{
	if (!output->gate || file == &output->files[OUTPUT_EVENTS] ||
	    gate_passes(output->gate, &output->span))
		return true;
	gate_keep(output->gate, file, &output->span, file->buffer + file->row_begin,
		  file->len - file->row_begin);
	return false;
}

/* Is the whole row at the end of @file's buffer to be written? */
static bool admit(void *context, struct csv_file *file)
{
	struct output *output = context;

	if (!passes_gate(output, file))
		return false;
	if (is_stopped(output, file)) {
		output->left_out[file - output->files]++;
		return false;
	}
	output_make_room(output, file);
	return true;
}

static void set_span(struct output *output, int64_t begin_ns, int64_t end_ns)
{
	output->span.end_ns = end_ns < 0 ? output->now_ns : (uint64_t)end_ns;
	output->span.begin_ns = begin_ns < 0 ? output->span.end_ns : (uint64_t)begin_ns;
}

static void take_fps(void *context, const struct fps_row *row)
{
	struct output *output = context;

	set_span(output, (int64_t)row->start_ns, (int64_t)row->end_ns);
	csv_fps_row(&output->files[OUTPUT_FPS], row);
	csv_fps_row(&output->console, row);
}

static void take_drop(void *context, const struct drop_row *row)
{
	struct output *output = context;

	set_span(output, row->start_ns, row->end_ns);
	csv_drop_row(&output->files[OUTPUT_DROPS], row);
}

static void take_frame(void *context, const struct frame_row *row)
{
	struct output *output = context;

	set_span(output, (int64_t)row->present_ns, (int64_t)row->present_ns);
	csv_frame_row(&output->files[OUTPUT_FRAMES], row);
}

static void take_clock(void *context)
{
	struct output *output = context;

	event_queue_restart(output->events);
}

static void take_event(void *context, const struct trace_event *event)
{
	static const char *const kinds[] = {
		[TRACE_EVENT_REFRESH] = "refresh",
		[TRACE_EVENT_LOST] = "lost",
		[TRACE_EVENT_SURFACEFLINGER] = "surfaceflinger",
		[TRACE_EVENT_TRACING] = "tracing",
		[TRACE_EVENT_FOCUS] = "focus",
		[TRACE_EVENT_MARK] = "mark",
		[TRACE_EVENT_TRIGGER] = "trigger",
	};

	output_event(context, (int64_t)event->time_ns, ROW_UNKNOWN, kinds[event->kind],
		     event->text);
}

/* A row that waited for the gate. */
static void take_waiting(void *context, struct csv_file *file, const struct gate_span *span,
			 const char *row, size_t len)
{
	struct output *output = context;

	output->span = *span;
	csv_row(file, row, len);
}

static void take_gate(void *context, bool open, uint64_t time_ns)
{
	struct output *output = context;
	uint64_t missed;

	if (!open) {
		gate_close(output->gate, time_ns);
		return;
	}
	missed = gate_open(output->gate, time_ns, output, take_waiting);
	if (missed > 0)
		output_tell(output, "lost",
			    "the memory for rows before a trigger was too small for %" PRIu64
			    " of them",
			    missed);
}

static void take_late(void *context, const struct late_frame *frame)
{
	struct output *output = context;

	snapshot_late(output->snapshot, frame);
}

struct row_sink output_sink(struct output *output)
{
	return (struct row_sink){
		.context = output,
		.fps = output->files[OUTPUT_FPS].name || output->console.name ? take_fps : NULL,
		.drop = output->files[OUTPUT_DROPS].name ? take_drop : NULL,
		.frame = output->files[OUTPUT_FRAMES].name ? take_frame : NULL,
		.event = take_event,
		.clock = take_clock,
		.gate = output->gate ? take_gate : NULL,
		.late = output->snapshot ? take_late : NULL,
		.surface_spill = &output->spill.spill,
		.layer_spill = &output->layers.spill,
	};
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

	if (wall_ns < 0 && time_ns >= 0 && output->clock.known)
		event.wall_ns = time_ns + output->clock.offset_ns;
	event_queue_add(output->events, &event);
}

static void write_event(void *context, const struct queued_event *event)
{
	struct output *output = context;
	char wall[WALL_CLOCK_TEXT] = "";

	if (event->wall_ns >= 0)
		wall_clock_format(wall, event->wall_ns);
	csv_event_row(&output->files[OUTPUT_EVENTS], event->time_ns, wall, event->kind,
		      event->text);
}

void output_settle(struct output *output)
{
	uint64_t settled_ns = pipeline_settled(output->pipeline);
	uint64_t saved_ns = snapshot_tells_ns(output->snapshot);

	if (output->events->n > 0)
		event_queue_release(output->events, settled_ns < saved_ns ? settled_ns : saved_ns);
}

/* Where nothing is read from a trace, what happens to it is told all the same. */
static void settle_live(struct output *output)
{
	uint64_t now_ns = loop_now();

	if (!output->is_live || output->events->n == 0 || !output->pipeline)
		return;
	if (pipeline_is_settled(output->pipeline))
		event_queue_release(output->events, snapshot_tells_ns(output->snapshot));
	if (now_ns > EVENTS_HELD_NS)
		event_queue_release_old(output->events, now_ns - EVENTS_HELD_NS);
}

void output_release_events(struct output *output)
{
	event_queue_release(output->events, UINT64_MAX);
}

void output_tell(struct output *output, const char *kind, const char *format, ...)
{
	int64_t time_ns = output->now_ns > 0 ? (int64_t)output->now_ns : ROW_UNKNOWN;
	int64_t wall_ns = output->is_live ? wall_clock_now() : ROW_UNKNOWN;
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (output->is_live && output->clock.known)
		time_ns = wall_ns - output->clock.offset_ns;
	output_event(output, time_ns, wall_ns, kind, text);
}

/* --- files --- */

/* What another program has put there, or left of it, becomes a segment. */
static int push_aside(struct output *output, struct csv_file *file)
{
	unsigned long number = segments_next(output->folder->fd, output->segment);
	int error = segments_close(output->folder->fd, file->name, number);

	if (error == 0)
		output->segment = number;
	return error;
}

/* A file that was removed is begun again: what follows is not lost with it. */
static void begin_again_if_changed(struct output *output, struct csv_file *file)
{
	static const char *const words[] = {
		[CSV_FILE_GONE] = "was removed",
		[CSV_FILE_REPLACED] = "was replaced by another program",
		[CSV_FILE_CUT] = "was cut by another program",
	};
	enum csv_file_state state = csv_file_look(file);

	if (state == CSV_FILE_THERE || folder_is_gone(output->folder))
		return;
	if (state != CSV_FILE_GONE && push_aside(output, file) < 0)
		return;
	csv_file_begin_again(file, output->folder->fd);
	output_tell(output, "lost", "%s %s: it is begun again", file->name, words[state]);
}

static void flush(struct output *output, struct csv_file *file)
{
	begin_again_if_changed(output, file);
	while (csv_file_flush(file) > 0 && output_roll(output) == 0)
		;
	if (file->error < 0)
		output_trouble(output, file->name, file->error);
}

/* Trouble is told when it begins and when it is over; on stderr once in a session. */
static void tell_trouble(struct output *output)
{
	if (output->trouble && !output->trouble_told) {
		say_failed(output, output->trouble, output->trouble_error);
		output_tell(output, "lost", "%s: %s; rows that cannot be written wait in memory",
			    output->trouble, strerror(-output->trouble_error));
	} else if (!output->trouble && output->trouble_told) {
		output_tell(output, "rotate", "the files can be written again");
		output_tell_lost(output);
	}
	output->trouble_told = output->trouble != NULL;
	output->trouble = NULL;
}

/* What the rules count as others because of it, they tell. */
static void tell_spill(struct output *output)
{
	int error = output->spill.error ? output->spill.error : output->layers.error;

	if (error == 0 || output->spill_told)
		return;
	output->spill_told = true;
	output_tell(output, "lost",
		    "what the tables have no room for cannot be kept on the disk: %s; summary.csv "
		    "counts such surfaces in the row (others), and layers begin anew",
		    strerror(-error));
}

void output_flush(struct output *output)
{
	settle_live(output);
	for (int i = 0; i < OUTPUT_FILES; i++)
		flush(output, &output->files[i]);
	csv_file_flush(&output->console);
	if (output->console.error < 0)
		console_failed(output);
	tell_console(output);
	tell_trouble(output);
	tell_spill(output);
	output_sync_if_due(output);
}

uint64_t output_rows_lost(const struct output *output)
{
	uint64_t lost = 0;

	for (int i = 0; i < OUTPUT_FILES; i++)
		lost += csv_file_rows_lost(&output->files[i]);
	return lost;
}

static uint64_t rows_left_out(const struct output *output)
{
	uint64_t rows = 0;

	for (int i = 0; i < OUTPUT_FILES; i++)
		rows += output->left_out[i];
	return rows;
}

void output_tell_lost(struct output *output)
{
	uint64_t lost = output_rows_lost(output), left_out = rows_left_out(output);

	if (lost > output->lost_told)
		output_tell(output, "lost", "%" PRIu64 " rows could not be written",
			    lost - output->lost_told);
	if (left_out > output->left_out_told)
		output_tell(output, "lost", "%" PRIu64 " rows were left out for want of disk space",
			    left_out - output->left_out_told);
	output->lost_told = lost;
	output->left_out_told = left_out;
}

void output_close(struct output *output)
{
	if (output->events)
		output_release_events(output);
	output->failed |= output->folder && output_rows_lost(output) > 0;
	for (int i = 0; i < OUTPUT_FILES; i++) {
		struct csv_file *file = &output->files[i];
		const char *name = file->name;
		int error;

		csv_file_flush(file);
		if (output->is_live && name && file->fd >= 0)
			fdatasync(file->fd);
		error = csv_file_close(file);
		if (error < 0)
			output_failed(output, name, error);
	}
	csv_file_close(&output->summary);
	close_console(output);
	output->gate = gate_free(output->gate);
	free(output->events);
	output->events = NULL;
}

void output_free(struct output *output)
{
	spill_file_close(&output->spill);
	spill_file_close(&output->layers);
}

/* --- summary.csv --- */

static void take_summary(void *context, const struct summary_row *row)
{
	csv_summary_row(context, row);
}

int output_summary(struct output *output, struct pipeline *pipeline)
{
	struct csv_file *file = &output->summary;
	int fd = folder_create_temporary(output->folder, SUMMARY);
	int error = fd < 0 ? fd : 0;

	if (error == 0) {
		csv_file_attach_next(file, fd);
		pipeline_summary(pipeline, file, take_summary);
		csv_file_flush(file);
		error = file->rows_lost > 0 ? -ENOSPC : file->error;
		error = folder_replace(output->folder, SUMMARY, fd, error);
		file->fd = -1; /* folder_replace() has closed it */
	}
	if (error < 0)
		output_trouble(output, SUMMARY, error);
	return error;
}
