/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/files/csv.h"
#include "daemon/base/csv_columns.h"
#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "rules/memory.h"

/* So much of the queue is for what is more than a row, and for events; and for pieces of a
 * snapshot, which can be had again, is only the half. */
#define ROWS_MOST FILE_THREAD_ROWS_MOST
#define EVENTS_MOST (FILE_THREAD_BYTES - (UINT64_C(1) << 19))
#define PIECES_MOST (FILE_THREAD_BYTES / 2)

/* The thread is woken twice a second for rows, and with each tick where there are none: disk and
 * folder are looked after. */
#define FLUSH_NS UINT64_C(450000000)
#define IDLE_FLUSH_NS UINT64_C(850000000)

/* A disk that takes longer for one thing holds up the files. */
#define STALL_NS UINT64_C(2000000000)

/* --- jobs --- */

static bool post(struct output *output, const struct file_job *job)
{
	if (output->thread)
		return file_thread_post(output->thread, job);
	files_do(&output->files, job);
	return true;
}

static bool post_kind(struct output *output, enum file_job_kind kind)
{
	const struct file_job job = { .kind = kind };

	return post(output, &job);
}

/* Is there room for what may use no more than @most of the queue? */
static bool has_room(const struct output *output, uint64_t most)
{
	return !output->thread || file_thread_used(output->thread) < most;
}

void output_post_row(struct output *output, enum row_file which, const char *row, size_t len)
{
	const struct file_job job = {
		.kind = FILE_JOB_ROW,
		.which = which,
		.bytes = row,
		.len = len,
	};

	output->has_rows = output->has_unflushed = true;
	if (has_room(output, which == ROW_EVENTS ? EVENTS_MOST : ROWS_MOST) && post(output, &job))
		output->rows[which]++;
	else
		output->refused[which]++;
}

uint64_t output_posted(const struct output *output)
{
	return output->thread ? file_thread_posted(output->thread) : 0;
}

bool output_is_done(const struct output *output, uint64_t posted)
{
	return !output->thread || file_thread_done(output->thread) >= posted;
}

int output_fd(const struct output *output)
{
	return file_thread_fd(output->thread);
}

void output_call(struct output *output)
{
	file_thread_call(output->thread);
}

uint64_t output_busy_ns(const struct output *output)
{
	return output->thread ? file_thread_busy_ns(output->thread) : 0;
}

/* --- what the files tell --- */

static void take_told(struct output *output, const char *kind, int64_t wall_ns, const char *text)
{
	int64_t time_ns = output->now_ns > 0 ? (int64_t)output->now_ns : ROW_UNKNOWN;

	if (kind == FILES_ERROR)
		report("%s: %s", output->command, text);
	else if (strcmp(kind, FILES_WARNING) == 0)
		report("warning: %s: %s", output->command, text);
	else if (output->is_live && output->clock.known)
		output_event(output, wall_ns - output->clock.offset_ns, wall_ns, kind, text);
	else
		output_event(output, time_ns, wall_ns, kind, text);
}

/* At once, where there is no thread. */
static void take_tell(void *context, const char *kind, const char *text)
{
	struct output *output = context;

	take_told(output, kind, output->is_live ? wall_clock_now() : ROW_UNKNOWN, text);
}

static uint64_t count_refused(const struct output *output)
{
	uint64_t refused = 0;

	for (int i = 0; i < ROW_FILES; i++)
		refused += output->refused[i];
	return refused;
}

/* Each stall is told when it begins, and what it has cost when it is over. */
static void look_for_stall(struct output *output)
{
	uint64_t refused = count_refused(output);
	bool stalls = output_busy_ns(output) >= STALL_NS;

	if (stalls && !output->stall_told)
		output_tell(output, "lost", "the disk does not answer: rows wait in memory");
	else if (!stalls && output->stall_told)
		output_tell(output, "rotate", "the files can be written again");
	if (!stalls && refused > output->refused_told) {
		output_tell(output, "lost",
			    "%" PRIu64 " rows found no room in memory while the disk did not "
			    "answer",
			    refused - output->refused_told);
		output->refused_told = refused;
	}
	output->stall_told = stalls;
}

void output_look(struct output *output)
{
	bool trouble = output->state.trouble;
	struct file_news news;

	if (output->thread) {
		while (file_thread_news(output->thread, &news))
			take_told(output, news.kind, news.wall_ns, news.text);
		file_thread_look(output->thread, &output->state);
		look_for_stall(output);
	} else {
		output->state = output->files.state;
	}
	for (int i = 0; i < SPILL_KINDS; i++) {
		output->spills[i].is_frozen = output->state.is_frozen;
		output->spills[i].is_broken = output->state.spill_error < 0;
	}
	/* Whoever asks later is not to read of a disk that was full once. */
	if (trouble && !output->state.trouble)
		report_forget();
	output->failed |= output->state.failed;
	if (output->late.look)
		output->late.look(output->late.context);
}

/* --- opening --- */

/* The first row goes out now: whoever cannot take it gets no files for nothing. */
static int open_console(struct output *output)
{
	const char *header = output->options->stdout_begun ? NULL : csv_fps_header;
	int error = csv_file_attach_stream(&output->console, STDOUT_FILENO, "standard output",
					   header, !output->is_live);

	if (error < 0) {
		output->failed = true;
		report("%s: standard output: %s; send it elsewhere, or leave --stdout out",
		       output->command, strerror(-error));
	}
	return error;
}

static int open_memory(struct output *output)
{
	int error = csv_file_attach(&output->maker, -1, CSV_BUFFER_LEAST, "row", NULL);

	output->events = memory_new(1, sizeof(*output->events));
	if (output->options->trigger)
		output->gate = gate_new();
	if (error < 0 || !output->events || (output->options->trigger && !output->gate)) {
		report("%s: out of memory; close other programs", output->command);
		return -ENOMEM;
	}
	output_rows_begin(output);
	return 0;
}

/* Where summary.csv is made from. */
static int open_spills(struct output *output, const struct folder *folder)
{
	int error = 0;

	for (unsigned int i = 0; error == 0 && i < SPILL_KINDS; i++) {
		error = spill_file_open(&output->spills[i], folder, i);
		output->files.spill_fds[i] = output->spills[i].fd;
	}
	if (error < 0)
		report("%s: %s: a file there cannot be made: %s; %s", output->command, output->path,
		       folder_why(error), folder_advice(error));
	return error;
}

int output_open(struct output *output, const struct options *options, struct folder *folder)
{
	int error;

	*output = (struct output){
		.options = options,
		.command = options_command_name(options->command),
		.path = folder->path,
		.is_live = options->command != OPTIONS_ANALYZE,
		.files = { .tell = take_tell, .context = output },
	};
	error = options->to_stdout ? open_console(output) : 0;
	if (error == 0)
		error = open_memory(output);
	if (error == 0)
		error = files_open(&output->files, options, folder);
	if (error == 0)
		error = open_spills(output, folder);
	if (error < 0) {
		files_remove(&output->files);
		output_close(output);
	}
	return error;
}

int output_begin_thread(struct output *output, void (*wait)(void *context), void *context)
{
	int error = file_thread_start(&output->thread, &output->files);

	if (error < 0) {
		output->files.tell = take_tell;
		output->files.context = output;
		report("%s: a thread for the files: %s; %s", output->command, strerror(-error),
		       report_advice(error, "close other programs"));
		return error;
	}
	for (int i = 0; i < SPILL_KINDS; i++)
		output->spills[i].thread = output->thread;
	output->wait = wait;
	output->wait_context = context;
	return 0;
}

/* --- what became of them --- */

const char *output_name(const struct output *output, enum row_file which)
{
	return output->files.names[which];
}

uint64_t output_rows_lost(const struct output *output, enum row_file which)
{
	return output->state.lost[which] + output->refused[which];
}

uint64_t output_rows_written(const struct output *output, enum row_file which)
{
	return output->rows[which] - output->state.lost[which] - output->state.left_out[which];
}

uint64_t output_all_rows_lost(const struct output *output)
{
	uint64_t lost = 0;

	for (int i = 0; i < ROW_FILES; i++)
		lost += output_rows_lost(output, (enum row_file)i);
	return lost;
}

void output_tell(struct output *output, const char *kind, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	take_told(output, kind, output->is_live ? wall_clock_now() : ROW_UNKNOWN, text);
}

/* What the rules count as others because of it, they tell. */
static void tell_spill(struct output *output)
{
	int error = output->state.spill_error;

	for (int i = 0; error == 0 && i < SPILL_KINDS; i++)
		error = output->spills[i].error;
	if (error == 0 || output->spill_told)
		return;
	output->spill_told = true;
	output_tell(output, "lost",
		    "what the tables have no room for cannot be kept on the disk: %s; summary.csv "
		    "counts such surfaces in the row (others), and layers begin anew",
		    strerror(-error));
}

/* --- standard output --- */

static void console_failed(struct output *output)
{
	if (output->console_told)
		return;
	output->console_told = output->failed = true;
	report("%s: standard output: %s; the files in %s are complete", output->command,
	       strerror(-output->console.error), output->path);
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
		       output->command, lost, output->path);
}

static void flush_console(struct output *output)
{
	csv_file_flush(&output->console);
	if (output->console.error < 0)
		console_failed(output);
	tell_console(output);
}

/* --- files --- */

/* To wake the thread costs more than it does: not without need. While it is held up one flush is
 * enough. */
static void flush_files(struct output *output, bool now)
{
	uint64_t now_ns = output->thread ? loop_now() : 0;
	uint64_t since_ns = now_ns - output->flush_ns;
	uint64_t due_ns = output->has_unflushed ? FLUSH_NS : IDLE_FLUSH_NS;

	if (output->thread && !now &&
	    (since_ns < due_ns || !output_is_done(output, output->flushed)))
		return;
	post_kind(output, FILE_JOB_FLUSH);
	output->has_unflushed = false;
	output->flush_ns = now_ns;
	output->flushed = output_posted(output);
}

static void flush(struct output *output, bool now)
{
	output_look(output);
	output_settle_live(output);
	flush_console(output);
	tell_spill(output);
	flush_files(output, now);
}

void output_flush(struct output *output)
{
	flush(output, true);
}

void output_flush_if_due(struct output *output)
{
	flush(output, false);
}

void output_watch(struct output *output)
{
	files_watch(&output->files);
	output_look(output);
}

static void roll(struct output *output)
{
	post_kind(output, FILE_JOB_ROLL);
	output->has_rows = false;
	output->rolled = output_posted(output);
}

void output_follow(struct output *output, uint64_t now_ns)
{
	uint64_t period_ns = output->options->rotate_time_ns;
	uint64_t age_ns = now_ns - output->segment_begin_ns;

	output->now_ns = now_ns;
	if (period_ns == 0)
		return;
	if (output->segment_begin_ns == 0 || now_ns < output->segment_begin_ns) {
		output->segment_begin_ns = now_ns;
	} else if (age_ns >= period_ns) {
		output->segment_begin_ns += age_ns - age_ns % period_ns;
		roll(output);
	}
}

bool output_rotate(struct output *output, const char *why)
{
	/* Before: what was looked at then is of a roll that is over. */
	bool is_rolled = output_is_done(output, output->rolled);

	output_look(output);
	if (!output->has_rows && !(is_rolled && output->state.has_rows))
		return false;
	output_tell(output, "rotate", "%s", why);
	output_release_events(output);
	output->segment_begin_ns = output->now_ns;
	roll(output);
	return true;
}

bool output_whole_begin(struct output *output, enum whole_file which, const char *name,
			uint64_t size)
{
	const struct file_job job = {
		.kind = FILE_JOB_BEGIN,
		.which = which,
		.number = size,
		.bytes = name,
		.len = strlen(name),
	};

	return post(output, &job);
}

bool output_whole_bytes(struct output *output, enum whole_file which, const char *bytes, size_t len)
{
	const struct file_job job = {
		.kind = FILE_JOB_BYTES,
		.which = which,
		.bytes = bytes,
		.len = len,
	};

	return has_room(output, which == WHOLE_SNAPSHOT ? PIECES_MOST : ROWS_MOST) &&
	       post(output, &job);
}

void output_whole_end(struct output *output, enum whole_file which, int error)
{
	const struct file_job job = {
		.kind = FILE_JOB_END,
		.which = which,
		.number = (uint64_t)-error,
	};

	post(output, &job);
	output_look(output);
}

/* --- the end --- */

void output_wait(struct output *output)
{
	if (output->wait)
		output->wait(output->wait_context);
}

void output_complete(struct output *output, bool last)
{
	post_kind(output, last ? FILE_JOB_LAST : FILE_JOB_FLUSH);
	output_wait(output);
	output_look(output);
}

void output_keep(struct output *output)
{
	post_kind(output, FILE_JOB_KEEP);
}

void output_forget_journal(struct output *output)
{
	post_kind(output, FILE_JOB_FORGET);
}

void output_close(struct output *output)
{
	if (output->events)
		output_release_events(output);
	if (output->command) {
		post_kind(output, FILE_JOB_CLOSE);
		output_wait(output);
		output_look(output);
		output->failed |= output_all_rows_lost(output) > 0;
	}
	output->thread = file_thread_end(output->thread);
	output->wait = NULL;
	csv_file_close(&output->maker);
	close_console(output);
	output->gate = gate_free(output->gate);
	free(output->events);
	output->events = NULL;
	output->command = NULL;
}

void output_free(struct output *output)
{
	for (int i = 0; i < SPILL_KINDS; i++)
		spill_file_close(&output->spills[i]);
}
