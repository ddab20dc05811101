/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/loop.h"
#include "daemon/base/periods.h"
#include "daemon/files/csv.h"
#include "daemon/files/numbered_files.h"

/* The newest ones are kept. */
#define SNAPSHOTS_MAX 64

_Static_assert(CSV_BUFFER_LEAST >= CSV_ROW_MAX, "the buffer of a file holds the longest row");

/* --- errors --- */

__attribute__((format(printf, 3, 4))) static void report_event(struct session_files *files,
							       const char *kind, const char *format,
							       ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	files->report(files->context, kind, text);
}

/* Printed once on stderr. The folder's name may be long, so it follows the name of the file. */
static void report_error(struct session_files *files, const char *name, int error)
{
	if (!files->is_reported)
		report_event(files, FILES_ERROR, "%s in %.300s: %s; %s", name, files->folder->path,
			     folder_why(error), folder_advice(error));
	files->is_reported = true;
}

static void fail(struct session_files *files, const char *name, int error)
{
	files->state.failed = true;
	report_error(files, name, error);
}

/* @name could not be written: the next flush reports it. @name: constant. */
static void note_failing(struct session_files *files, const char *name, int error)
{
	files->failing = name;
	files->failing_error = error;
}

/* Updates the counts in the state. Returns the number of lost rows. */
static uint64_t count_rows(struct session_files *files)
{
	files->state.has_rows = false;
	files->state.stopped = files->floor.stopped;
	for (int i = 0; i < ROW_FILES; i++) {
		files->state.has_rows |= csv_file_has_rows(&files->rows[i]);
		files->state.lost[i] = csv_file_rows_lost(&files->rows[i]);
	}
	return rows_of_all_files(files->state.lost);
}

static void report_lost(struct session_files *files)
{
	uint64_t lost = count_rows(files), left_out = rows_of_all_files(files->state.left_out);

	if (lost > files->lost_reported)
		report_event(files, "lost", "%" PRIu64 " rows could not be written",
			     lost - files->lost_reported);
	if (left_out > files->left_out_reported)
		report_event(files, "lost", "low disk space: %" PRIu64 " rows were not written",
			     left_out - files->left_out_reported);
	files->lost_reported = lost;
	files->left_out_reported = left_out;
}

/* --- segments --- */

/* For --keep. */
static void remove_old_segments(struct session_files *files)
{
	struct numbered_removed removed = { .removed = NULL };
	int result;

	if (files->options->keep == 0 || files->is_provisional)
		return;
	result = numbered_remove_oldest(files->folder->fd, NUMBERED_SEGMENTS, files->options->keep,
					UINT64_MAX, &removed);
	files->state.removed += removed.count;
	if (result < 0)
		note_failing(files, "an old segment", result);
}

static void sync_segment(struct session_files *files, const struct csv_file *file)
{
	int error = files->is_live ? folder_sync(file->fd, false) : 0;

	if (error < 0)
		note_failing(files, file->name, error);
}

/* Closes the segment and begins the next. A file without rows is not renamed, so that no segment
 * has an empty file. A file is synced before it is renamed, so that a power cut leaves it whole.
 * vfat stores the size together with the name, so it is synced after the rename, too. The files of
 * a recorded trace are not synced, as it can be read again. Returns 0; 1 if there is no row; or
 * -errno, which the next flush reports. */
static int rotate(struct session_files *files)
{
	int folder_fd = files->folder->fd, result = 1, unwritten = 1;
	unsigned long number = segments_next(folder_fd, files->state.segment);
	bool has_rows = false;

	for (int i = 0; i < ROW_FILES; i++) {
		struct csv_file *file = &files->rows[i];
		int error = csv_file_flush(file);
		enum csv_file_state state = csv_file_check(file);

		if (!csv_file_is_begun(file) || state == CSV_FILE_REMOVED ||
		    state == CSV_FILE_REPLACED) {
			unwritten = error < 0 ? error : unwritten;
			continue;
		}
		sync_segment(files, file);
		error = segments_close(folder_fd, file->name, number);
		if (error < 0) {
			note_failing(files, file->name, error);
			result = error;
			continue;
		}
		sync_segment(files, file);
		csv_file_recreate(file, folder_fd);
		csv_file_flush(file);
		has_rows |= i != ROW_EVENTS;
		if (result > 0)
			result = 0;
	}
	if (result == 1)
		return unwritten;
	files->state.segment = number;
	files->state.segment_has_rows = has_rows;
	files->state.rotations++;
	if (files->is_live)
		fsync(folder_fd);
	remove_old_segments(files);
	return result;
}

/* --- the folder, its lock, the disk --- */

static int keep_earlier(struct folder *folder)
{
	return segments_keep_earlier(folder, false);
}

void session_files_watch(struct session_files *files)
{
	struct folder *folder = files->folder;
	uint64_t now_ns = loop_now(), removed = files->floor.removed;
	bool is_gone;
	int result;

	if (now_ns < files->next_watch_ns)
		return;
	files->next_watch_ns = now_ns + periods.watch_ns;

	/* Recreates the folder. If that fails, it is reported, and the next check tries again. A
	 * folder that was only moved gets all rows until now. */
	is_gone = folder_is_gone(folder);
	for (int i = 0; is_gone && i < ROW_FILES; i++)
		csv_file_flush(&files->rows[i]);
	files->folder_error = is_gone ? folder_open_again(folder, keep_earlier) : 0;
	if (is_gone && files->folder_error == 0) {
		numbered_last(folder->fd, NUMBERED_SEGMENTS, &files->state.segment);
		for (int i = 0; i < ROW_FILES; i++)
			if (files->rows[i].name)
				csv_file_recreate(&files->rows[i], folder->fd);
		report_event(files, "lost", "the folder was removed, and jankd created it again");
		report_event(files, FILES_WARNING,
			     "%.300s: the folder was removed, and jankd created it again",
			     folder->path);
		files->state.recreations++;
	}

	/* Without the lock another jankd could write into the folder. */
	result = folder_watch_lock(folder);
	if (result > 0)
		report_event(files, "lost", ".lock was removed, and jankd created it again");
	files->lock_error = result < 0 ? result : 0;
	if (disk_floor_check(&files->floor, folder->fd))
		report_lost(files);
	files->state.removed += files->floor.removed - removed;
	if (files->check)
		files->check(files->check_context);
}

/* --- rows --- */

/* Rows in a removed file would be lost, so a new file is created. A file of another program with
 * that name becomes a segment. So does jankd's own file if another program has cut it, with its
 * whole rows only. Returns 0, or -errno: the file there cannot be renamed. */
static int recreate_if_changed(struct session_files *files, struct csv_file *file)
{
	static const char *const words[] = {
		[CSV_FILE_REMOVED] = "was removed",
		[CSV_FILE_REPLACED] = "was replaced by another program",
		[CSV_FILE_CUT] = "was truncated by another program",
	};
	enum csv_file_state state = csv_file_check(file);
	int folder_fd = files->folder->fd, error = 0;

	if (state == CSV_FILE_UNCHANGED)
		return 0;
	if (folder_is_gone(files->folder)) {
		/* Now, as the capture may end before the next check. */
		files->next_watch_ns = 0;
		if (files->is_live)
			session_files_watch(files);
		return 0;
	}
	if (state == CSV_FILE_GROWN) {
		/* Otherwise an incomplete line of the other program would precede the next row. */
		error = csv_file_cut_appended(file);
		if (error == 0)
			report_event(files, "lost",
				     "another program appended to %s; the added bytes were removed",
				     file->name);
		return error;
	}
	if (state == CSV_FILE_CUT)
		error = csv_file_repair(folder_fd, file->name, file->header);
	if (state != CSV_FILE_REMOVED && error == 0) {
		unsigned long number = segments_next(folder_fd, files->state.segment);

		error = segments_close(folder_fd, file->name, number);
		if (error == 0)
			files->state.segment = number;
	}
	if (error < 0 && error != -ENOENT)
		return error;
	csv_file_recreate(file, folder_fd);
	report_event(files, "lost", "%s %s, and jankd created it again", file->name, words[state]);
	return 0;
}

/* If a sync fails its rows are lost, even if a later sync succeeds. */
static void sync_file(struct session_files *files, struct csv_file *file)
{
	int error = csv_file_sync(file);

	if (error == 0)
		return;
	if (!files->state.failed)
		report_event(files, "lost",
			     "%s: %s; rows of the last seconds may not be on the disk", file->name,
			     folder_why(error));
	fail(files, file->name, error);
}

/* --- files that are replaced as a whole --- */

/* The job that begins one was refused, as the queue was full: there is no file to write to. */
#define NOT_BEGUN (-ENOBUFS)

/* Ends the file that is being written, if there is one. @error: not 0: it is discarded. */
static int end_file(struct session_files *files, struct replacement *file, int error)
{
	if (file->fd >= 0)
		error = folder_replace(files->folder->fd, file->name, file->fd,
				       files->folder->skip_sync, error);
	file->fd = -1;
	return error;
}

/* --- the jobs --- */

static void flush(struct session_files *files)
{
	uint64_t now_ns = files->options->sync_ns > 0 ? loop_now() : 0;

	if (files->is_live)
		session_files_watch(files);
	/* At the end these files are not written again, so a failure is final. */
	for (unsigned int i = 0; files->is_ending && i < REPLACED_FILES; i++)
		if (i != REPLACED_SNAPSHOT && files->state.replaced[i].error < 0)
			note_failing(files, files->replaced[i].name,
				     files->state.replaced[i].error);
	if (files->folder_error < 0)
		note_failing(files, "the folder", files->folder_error);
	for (int i = 0; i < ROW_FILES; i++) {
		struct csv_file *file = &files->rows[i];
		int error = recreate_if_changed(files, file);

		while (csv_file_flush(file) > 0 && rotate(files) == 0)
			;
		if (error < 0 || file->error < 0)
			note_failing(files, file->name, error < 0 ? error : file->error);
	}
	/* The lock is checked less often than rows are written. Its failure lasts until the next
	 * check. */
	if (files->lock_error < 0)
		note_failing(files, ".lock", files->lock_error);

	/* An event when a failure begins, and another when it ends. Failures are printed on stderr
	 * once in a session. */
	if (files->failing && !files->failing_reported) {
		report_error(files, files->failing, files->failing_error);
		report_event(files, "lost", "%s: %s; unwritten rows are kept in memory",
			     files->failing, folder_why(files->failing_error));
	} else if (!files->failing && files->failing_reported) {
		report_event(files, "rotate", "the files can be written again");
		report_lost(files);
		files->has_recovered = true;
	}
	files->failing_reported = files->state.is_failing = files->failing != NULL;
	files->failing = NULL;

	/* --sync */
	if (now_ns > 0 && now_ns >= files->next_sync_ns) {
		files->next_sync_ns = now_ns + files->options->sync_ns;
		for (int i = 0; i < ROW_FILES; i++)
			if (files->rows[i].size != files->rows[i].synced)
				sync_file(files, &files->rows[i]);
	}
	count_rows(files);
}

/* A step of replacing a file as a whole. */
static void replace(struct session_files *files, const struct file_job *job)
{
	bool is_snapshot = job->which == REPLACED_SNAPSHOT;
	struct replacement *file = &files->replaced[job->which];
	int error;

	switch (job->kind) {
	case FILE_JOB_REPLACE_BEGIN:
		end_file(files, file, -ECANCELED);
		snprintf(file->name, sizeof(file->name), "%.*s", (int)job->len, job->bytes);
		/* The floor must still be free after a snapshot. */
		if (is_snapshot && files->floor.bytes > 0 &&
		    disk_free_bytes(files->folder->fd) < files->floor.bytes + job->number)
			file->fd = -ENOSPC;
		else
			file->fd = folder_create_temporary(files->folder->fd, file->name, 0666);
		file->error = file->fd < 0 ? file->fd : 0;
		break;
	case FILE_JOB_REPLACE_BYTES:
		if (file->error == 0)
			file->error = folder_write(file->fd, job->bytes, job->len);
		/* Starts writing to the disk now, so that less is left at the end. */
		if (file->error == 0 && files->is_live && is_snapshot)
			sync_file_range(file->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		break;
	default:
		error = end_file(files, file, file->error < 0 ? file->error : -(int)job->number);
		file->error = NOT_BEGUN;
		if (is_snapshot && error == 0)
			numbered_remove_oldest(files->folder->fd, NUMBERED_SNAPSHOTS, SNAPSHOTS_MAX,
					       UINT64_MAX, &(struct numbered_removed){ 0 });
		else if (!is_snapshot && error < 0)
			note_failing(files, file->name, error);
		files->state.replaced[job->which].error = error;
		files->state.replaced[job->which].done++;
	}
}

void session_files_do(struct session_files *files, const struct file_job *job)
{
	struct csv_file *file;
	bool is_taken;
	int error;

	switch (job->kind) {
	case FILE_JOB_ROW:
		file = &files->rows[job->which];
		is_taken = disk_floor_takes(&files->floor, job->which, job->len);
		if (!is_taken)
			files->state.left_out[job->which]++;
		is_taken = is_taken && csv_file_reserve(file, job->len);
		/* Not of any event: one that follows a mark may be refused although the mark is
		 * taken. */
		if (job->number > 0)
			files->state.mark_lost = !is_taken;
		if (is_taken && csv_file_is_full(file, job->len))
			rotate(files);
		if (is_taken)
			csv_file_append(file, job->bytes, job->len);
		break;
	case FILE_JOB_FLUSH:
		flush(files);
		break;
	case FILE_JOB_FINAL_FLUSH:
		/* A failure that ended is printed again if it returns. */
		if (files->has_recovered)
			files->is_reported = files->failing_reported = false;
		flush(files);
		report_lost(files);
		/* Both files are written once more. */
		files->state.replaced[REPLACED_SUMMARY].error =
			files->state.replaced[REPLACED_SESSION].error = 0;
		files->is_ending = true;
		break;
	case FILE_JOB_ROTATE:
		files->state.rotate_result = rotate(files);
		count_rows(files);
		break;
	case FILE_JOB_REPLACE_BEGIN:
	case FILE_JOB_REPLACE_BYTES:
	case FILE_JOB_REPLACE_END:
		replace(files, job);
		break;
	case FILE_JOB_ACCEPT:
		files->is_provisional = false;
		break;
	case FILE_JOB_PRUNE:
		files->is_provisional = false;
		remove_old_segments(files);
		break;
	case FILE_JOB_CLOSE:
		files->state.failed |= files->folder && count_rows(files) > 0;
		for (file = files->rows; file < files->rows + ROW_FILES; file++) {
			const char *name = file->name;

			csv_file_flush(file);
			if (files->is_live)
				sync_file(files, file);
			error = csv_file_close(file);
			if (error < 0)
				fail(files, name, error);
		}
		for (unsigned int i = 0; files->folder && i < REPLACED_FILES; i++)
			end_file(files, &files->replaced[i], -ECANCELED);
		break;
	case FILE_JOB_REMOVE_JOURNAL:
		files->check = NULL;
		folder_remove_journal(files->folder);
		break;
	}
}

/* --- begin --- */

int session_files_open(struct session_files *files, const struct options *options,
		       struct folder *folder, bool again,
		       void (*report)(void *context, const char *kind, const char *text),
		       void *context)
{
	bool is_live = options->command != OPTIONS_ANALYZE;
	int error = 0;

	*files = (struct session_files){
		.folder = folder,
		.options = options,
		.is_live = is_live,
		.is_provisional = !is_live,
		.floor = { .bytes = options->min_free,
			   .options = options,
			   .report = report,
			   .context = context },
		.report = report,
		.context = context,
	};
	for (int i = 0; i < REPLACED_FILES; i++) {
		files->replaced[i].fd = -1;
		files->replaced[i].error = NOT_BEGUN;
	}
	strcpy(files->replaced[REPLACED_SUMMARY].name, csv_files[CSV_SUMMARY].name);
	strcpy(files->replaced[REPLACED_SESSION].name, csv_files[CSV_SESSION].name);
	numbered_last(folder->fd, NUMBERED_SEGMENTS, &files->state.segment);
	remove_old_segments(files);
	/* The most important one first. */
	for (int i = ROW_FILES - 1; error == 0 && i >= 0; i--) {
		/* A recorded trace can be read again: no rows are kept while the disk is full.
		 * Events are few. */
		size_t buffer_size =
			is_live && i != ROW_EVENTS ? CSV_BUFFER_SIZE : CSV_BUFFER_LEAST;
		struct csv_file *file = &files->rows[i];

		if (!csv_files_wanted((enum csv_file_kind)i, options))
			continue;
		error = csv_file_open(file, folder->fd, buffer_size, &csv_files[i], again);
		file->limit = options->rotate_size;
		if (error < 0)
			fail(files, csv_files[i].name, error);
	}
	return error;
}

void session_files_remove(struct session_files *files)
{
	for (int i = 0; i < ROW_FILES; i++)
		if (files->rows[i].fd >= 0 && files->rows[i].name)
			unlinkat(files->folder->fd, files->rows[i].name, 0);
}
