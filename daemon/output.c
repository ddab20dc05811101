/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/csv.h"
#include "daemon/report.h"

#define SUMMARY "summary.csv"

/* Rows of fps.csv are not made by types 3 and 4, those of dropFrames.csv not by type 0. */
static bool wants_fps(const struct options *options)
{
	return options->pipeline.type < 3;
}

static bool wants_drops(const struct options *options)
{
	return options->pipeline.type > 0;
}

void output_failed(struct output *output, const char *name, int error)
{
	output->failed = true;
	if (output->reported)
		return;
	output->reported = true;
	report("%s: %s/%s: %s; free the disk or name another folder with -F", output->command,
	       output->folder->path, name, strerror(-error));
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

static int create(struct output *output, struct csv_file *file, const char *name,
		  const char *header)
{
	int error = csv_file_create(file, output->folder->fd, name, header);

	if (error < 0)
		output_failed(output, name, error);
	return error;
}

/* The first row goes out now: whoever cannot take it gets no files for nothing. */
static int open_console(struct output *output)
{
	int error = csv_file_attach_stream(&output->console, STDOUT_FILENO, "standard output",
					   csv_fps_header);

	if (error < 0) {
		output->failed = output->reported = true;
		report("%s: standard output: %s; send it elsewhere, or leave --stdout out",
		       output->command, strerror(-error));
	}
	return error;
}

static int create_all(struct output *output, const struct options *options)
{
	int error = options->to_stdout ? open_console(output) : 0;

	if (error == 0)
		error = create(output, &output->events, "events.csv", csv_event_header);
	if (error == 0 && wants_fps(options))
		error = create(output, &output->fps, "fps.csv", csv_fps_header);
	if (error == 0 && wants_drops(options))
		error = create(output, &output->drops, "dropFrames.csv", csv_drop_header);
	if (error == 0 && options->frames_log)
		error = create(output, &output->frames, "frames.csv", csv_frame_header);
	return error;
}

int output_open(struct output *output, const struct options *options, const struct folder *folder)
{
	int error;

	*output = (struct output){
		.folder = folder,
		.command = options_command_name(options->command),
	};
	error = create_all(output, options);
	if (error < 0)
		output_close(output);
	return error;
}

/* --- rows --- */

static void take_fps(void *context, const struct fps_row *row)
{
	struct output *output = context;

	csv_fps_row(&output->fps, row);
	csv_fps_row(&output->console, row);
}

static void take_drop(void *context, const struct drop_row *row)
{
	struct output *output = context;

	csv_drop_row(&output->drops, row);
}

static void take_frame(void *context, const struct frame_row *row)
{
	struct output *output = context;

	csv_frame_row(&output->frames, row);
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

struct row_sink output_sink(struct output *output)
{
	return (struct row_sink){
		.context = output,
		.fps = output->fps.name || output->console.name ? take_fps : NULL,
		.drop = output->drops.name ? take_drop : NULL,
		.frame = output->frames.name ? take_frame : NULL,
		.event = take_event,
	};
}

void output_event(struct output *output, int64_t time_ns, int64_t wall_ns, const char *kind,
		  const char *text)
{
	char wall[WALL_CLOCK_TEXT] = "";

	if (wall_ns < 0 && time_ns >= 0 && output->clock.known)
		wall_ns = time_ns + output->clock.offset_ns;
	if (wall_ns >= 0)
		wall_clock_format(wall, wall_ns);
	csv_event_row(&output->events, time_ns, wall, kind, text);
}

/* --- files --- */

static void flush(struct output *output, struct csv_file *file)
{
	int error = csv_file_flush(file);

	if (error < 0)
		output_failed(output, file->name, error);
}

void output_flush(struct output *output)
{
	flush(output, &output->fps);
	flush(output, &output->drops);
	flush(output, &output->frames);
	flush(output, &output->events);
	if (output->console.error < 0)
		console_failed(output);
}

static void take_summary(void *context, const struct summary_row *row)
{
	csv_summary_row(context, row);
}

void output_summary(struct output *output, struct pipeline *pipeline)
{
	struct csv_file file;
	int fd = folder_create_temporary(output->folder, SUMMARY);
	int error = fd < 0 ? fd : csv_file_attach(&file, fd, SUMMARY, csv_summary_header);

	if (error == 0) {
		pipeline_summary(pipeline, &file, take_summary);
		csv_file_flush(&file);
		error = file.error;
		file.fd = -1; /* closed by folder_replace() */
		csv_file_close(&file);
	}
	if (fd >= 0)
		error = folder_replace(output->folder, SUMMARY, fd, error);
	if (error < 0)
		output_failed(output, SUMMARY, error);
}

uint64_t output_rows_lost(const struct output *output)
{
	return csv_file_rows_lost(&output->fps) + csv_file_rows_lost(&output->drops) +
	       csv_file_rows_lost(&output->frames) + csv_file_rows_lost(&output->events);
}

static void close_file(struct output *output, struct csv_file *file)
{
	const char *name = file->name;
	int error = csv_file_close(file);

	if (error < 0)
		output_failed(output, name, error);
}

void output_close(struct output *output)
{
	close_file(output, &output->fps);
	close_file(output, &output->drops);
	close_file(output, &output->frames);
	close_file(output, &output->events);
	csv_file_close(&output->console);
}
