/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "daemon/files/csv.h"
#include "daemon/base/csv_columns.h"
#include "daemon/files/csv_repair.h"
#include "daemon/files/segments.h"
#include "daemon/files/snapshot_files.h"

/* --- what goes wrong --- */

void files_tell(struct files *files, const char *kind, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	files->tell(files->context, kind, text);
}

/* The folder's name may be long: it is behind what matters. */
static void say_failed(struct files *files, const char *name, int error)
{
	if (!files->reported)
		files_tell(files, FILES_ERROR, "%s in %.300s: %s; %s", name, files->folder->path,
			   folder_why(error), folder_advice(error));
	files->reported = true;
}

static void failed(struct files *files, const char *name, int error)
{
	files->state.failed = true;
	say_failed(files, name, error);
}

void files_sync(struct files *files, struct csv_file *file)
{
	int error = file->name && file->fd >= 0 ? folder_sync_bytes(file->fd) : 0;

	if (error == 0) {
		file->synced = file->size;
		return;
	}
	if (!files->state.failed)
		files_tell(files, "lost", "%s: %s; rows of the last seconds may not be on the disk",
			   file->name, folder_why(error));
	failed(files, file->name, error);
}

void files_trouble(struct files *files, const char *name, int error)
{
	files->trouble = name;
	files->trouble_error = error;
}

/* Trouble is told when it begins and when it is over; on stderr once in a session. */
static void tell_trouble(struct files *files)
{
	if (files->trouble && !files->trouble_told) {
		say_failed(files, files->trouble, files->trouble_error);
		files_tell(files, "lost", "%s: %s; rows that cannot be written wait in memory",
			   files->trouble, folder_why(files->trouble_error));
	} else if (!files->trouble && files->trouble_told) {
		files_tell(files, "rotate", "the files can be written again");
		files_tell_lost(files);
		files->was_over = true;
	}
	files->trouble_told = files->state.trouble = files->trouble != NULL;
	files->trouble = NULL;
}

/* Brings the state up to date; returns the rows that are lost. */
static uint64_t count_rows(struct files *files)
{
	uint64_t lost = 0;

	files->state.has_rows = false;
	for (int i = 0; i < ROW_FILES; i++) {
		files->state.has_rows |= csv_file_has_rows(&files->rows[i]);
		files->state.lost[i] = csv_file_rows_lost(&files->rows[i]);
		lost += files->state.lost[i];
	}
	return lost;
}

void files_tell_lost(struct files *files)
{
	uint64_t lost = count_rows(files), left_out = 0;

	for (int i = 0; i < ROW_FILES; i++)
		left_out += files->state.left_out[i];
	if (lost > files->lost_told)
		files_tell(files, "lost", "%" PRIu64 " rows could not be written",
			   lost - files->lost_told);
	if (left_out > files->left_out_told)
		files_tell(files, "lost", "%" PRIu64 " rows were left out for want of disk space",
			   left_out - files->left_out_told);
	files->lost_told = lost;
	files->left_out_told = left_out;
}

/* --- files with rows --- */

/* What another program has put there, or left of it, becomes a segment. Of ours that is whole rows,
 * if any. */
static int push_aside(struct files *files, struct csv_file *file, enum csv_file_state state)
{
	int fd = files->folder->fd;
	unsigned long number = segments_next(fd, files->state.segment);
	int error = state == CSV_FILE_CUT ? csv_repair_file(fd, file->name, file->header) : 0;

	if (error == 0)
		error = segments_close(fd, file->name, number);
	if (error == -ENOENT)
		return 0;
	if (error == 0)
		files->state.segment = number;
	return error;
}

/* Half of it would be left behind the next row. */
static int cut_behind(struct files *files, struct csv_file *file)
{
	int error = csv_file_cut_behind(file);

	if (error == 0)
		files_tell(files, "lost",
			   "%s was written to by another program: what it added is cut off",
			   file->name);
	return error;
}

/* A file that was removed is begun again: what follows is not lost with it. Returns 0, or -errno:
 * what stands in its place cannot be pushed aside. */
static int begin_again_if_changed(struct files *files, struct csv_file *file)
{
	static const char *const words[] = {
		[CSV_FILE_GONE] = "was removed",
		[CSV_FILE_REPLACED] = "was replaced by another program",
		[CSV_FILE_CUT] = "was cut by another program",
	};
	enum csv_file_state state = csv_file_look(file);
	int error;

	if (state == CSV_FILE_THERE)
		return 0;
	if (folder_is_gone(files->folder)) {
		/* The capture may end before the next look is due. */
		files->next_watch_ns = 0;
		if (files->is_live)
			files_watch(files);
		return 0;
	}
	if (state == CSV_FILE_GROWN)
		return cut_behind(files, file);
	error = state != CSV_FILE_GONE ? push_aside(files, file, state) : 0;
	if (error < 0)
		return error;
	csv_file_begin_again(file, files->folder->fd);
	files_tell(files, "lost", "%s %s: it is begun again", file->name, words[state]);
	return 0;
}

static void flush_one(struct files *files, struct csv_file *file)
{
	int error = begin_again_if_changed(files, file);

	while (csv_file_flush(file) > 0 && files_roll(files) == 0)
		;
	if (error < 0 || file->error < 0)
		files_trouble(files, file->name, error < 0 ? error : file->error);
}

static const char *name_of(const struct files *files, enum whole_file which)
{
	static const char *const names[] = {
		[WHOLE_SUMMARY] = "summary.csv",
		[WHOLE_SESSION] = "session.json",
	};

	return which == WHOLE_SNAPSHOT ? files->whole[which].name : names[which];
}

static void flush(struct files *files)
{
	if (files->is_live)
		files_watch(files);
	/* What is replaced as a whole is not tried again at the end: that is never over. */
	for (unsigned int i = 0; files->is_last && i < WHOLE_FILES; i++)
		if (i != WHOLE_SNAPSHOT && files->state.whole[i].error < 0)
			files_trouble(files, name_of(files, i), files->state.whole[i].error);
	if (files->folder_error < 0)
		files_trouble(files, "the folder", files->folder_error);
	for (int i = 0; i < ROW_FILES; i++)
		flush_one(files, &files->rows[i]);
	/* It is looked at less often than rows are written, and is not over in between. */
	if (files->lock_error < 0)
		files_trouble(files, ".lock", files->lock_error);
	tell_trouble(files);
	files_sync_if_due(files);
	count_rows(files);
}

/* Is the whole row at the end of @file's buffer to be written? */
static bool admit(void *context, struct csv_file *file)
{
	struct files *files = context;
	size_t which = (size_t)(file - files->rows);

	if (which < files->stopped) {
		files->state.left_out[which]++;
		return false;
	}
	files_make_room(files, file);
	return true;
}

static void close_rows(struct files *files)
{
	files->state.failed |= files->folder && count_rows(files) > 0;
	for (int i = 0; i < ROW_FILES; i++) {
		struct csv_file *file = &files->rows[i];
		const char *name = file->name;
		int error;

		csv_file_flush(file);
		if (files->is_live)
			files_sync(files, file);
		error = csv_file_close(file);
		if (error < 0)
			failed(files, name, error);
	}
}

/* --- files that are replaced --- */

/* Is there room for @len bytes above the floor? Returns 0 or -errno. */
static int check_room(const struct files *files, uint64_t len)
{
	uint64_t floor = files->options->min_free;
	struct statvfs disk;

	if (floor == 0 || fstatvfs(files->folder->fd, &disk) < 0)
		return 0;
	return (uint64_t)disk.f_bavail * disk.f_frsize < floor + len ? -ENOSPC : 0;
}

static void give_up(struct files *files, unsigned int which)
{
	if (files->whole[which].fd >= 0)
		folder_replace(files->folder, name_of(files, which), files->whole[which].fd,
			       -ECANCELED);
	files->whole[which].fd = -1;
}

static void begin_whole(struct files *files, const struct file_job *job)
{
	unsigned int which = job->which;
	int result = which == WHOLE_SNAPSHOT ? check_room(files, job->number) : 0;

	give_up(files, which);
	snprintf(files->whole[which].name, sizeof(files->whole[which].name), "%.*s", (int)job->len,
		 job->bytes);
	if (result == 0)
		result = folder_create_temporary(files->folder, files->whole[which].name);
	files->whole[which].fd = result;
	files->whole[which].error = result < 0 ? result : 0;
}

static void write_whole(struct files *files, const struct file_job *job)
{
	int fd = files->whole[job->which].fd, *error = &files->whole[job->which].error;

	if (*error == 0)
		*error = folder_write(fd, job->bytes, job->len);
	/* The disk begins now: at the end less is left to wait for. */
	if (*error == 0 && files->is_live && job->which == WHOLE_SNAPSHOT)
		sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static void end_whole(struct files *files, const struct file_job *job)
{
	unsigned int which = job->which;
	int error = files->whole[which].error;

	if (error == 0 && job->number > 0)
		error = -(int)job->number;
	if (files->whole[which].fd >= 0)
		error = folder_replace(files->folder, name_of(files, which), files->whole[which].fd,
				       error);
	files->whole[which].fd = -1;
	if (which == WHOLE_SNAPSHOT && error == 0)
		snapshot_files_remove_oldest(files->folder->fd);
	else if (which != WHOLE_SNAPSHOT && error < 0)
		files_trouble(files, name_of(files, which), error);
	files->state.whole[which].error = error;
	files->state.whole[which].done++;
}

/* --- all of them --- */

static void write_spill(struct files *files, const struct file_job *job)
{
	int error =
		folder_write_at(files->spill_fds[job->which], job->number, job->bytes, job->len);

	if (files->state.spill_error == 0)
		files->state.spill_error = error;
}

void files_do(struct files *files, const struct file_job *job)
{
	switch (job->kind) {
	case FILE_JOB_ROW:
		csv_row(&files->rows[job->which], job->bytes, job->len);
		break;
	case FILE_JOB_FLUSH:
		flush(files);
		break;
	case FILE_JOB_LAST:
		/* What is over is forgotten on stderr, too: if it comes again it is said again. */
		if (files->was_over)
			files->reported = files->trouble_told = false;
		flush(files);
		files_tell_lost(files);
		/* Both are written once more. */
		files->state.whole[WHOLE_SUMMARY].error = files->state.whole[WHOLE_SESSION].error =
			0;
		files->is_last = true;
		break;
	case FILE_JOB_ROLL:
		files->state.rolled = files_roll(files);
		count_rows(files);
		break;
	case FILE_JOB_BEGIN:
		begin_whole(files, job);
		break;
	case FILE_JOB_BYTES:
		write_whole(files, job);
		break;
	case FILE_JOB_END:
		end_whole(files, job);
		break;
	case FILE_JOB_SPILL:
		write_spill(files, job);
		break;
	case FILE_JOB_KEEP:
		files->may_undo = false;
		files_keep(files);
		break;
	case FILE_JOB_CLOSE:
		files_close(files);
		break;
	case FILE_JOB_FORGET:
		files->watch = NULL;
		folder_remove_journal(files->folder);
		break;
	}
}

/* --- begin and end --- */

static int create(struct files *files, enum row_file which, const char *name, const char *header)
{
	struct csv_file *file = &files->rows[which];
	/* Where rows of a recorded trace find no room on the disk, it is read again. */
	size_t buffer_size = files->is_live ? CSV_BUFFER_SIZE : CSV_BUFFER_LEAST;
	int error = csv_file_create(file, files->folder->fd, buffer_size, name, header);

	file->limit = files->options->rotate_size;
	file->admit = admit;
	file->context = files;
	files->names[which] = name;
	if (error < 0)
		failed(files, name, error);
	return error;
}

static int create_all(struct files *files, const struct options *options)
{
	int error = create(files, ROW_EVENTS, "events.csv", csv_event_header);

	/* Rows of fps.csv are not made by types 3 and 4, those of dropFrames.csv not by type 0. */
	if (error == 0 && options->pipeline.type < 3)
		error = create(files, ROW_FPS, "fps.csv", csv_fps_header);
	if (error == 0 && options->pipeline.type > 0)
		error = create(files, ROW_DROPS, "dropFrames.csv", csv_drop_header);
	if (error == 0 && options->frames_log)
		error = create(files, ROW_FRAMES, "frames.csv", csv_frame_header);
	return error;
}

int files_open(struct files *files, const struct options *options, struct folder *folder)
{
	files->folder = folder;
	files->options = options;
	files->is_live = options->command != OPTIONS_ANALYZE;
	files->may_undo = !files->is_live;
	for (int i = 0; i < WHOLE_FILES; i++)
		files->whole[i].fd = -1;
	segments_last(folder->fd, &files->state.segment);
	files_keep(files);
	return create_all(files, options);
}

void files_remove(struct files *files)
{
	for (int i = 0; i < ROW_FILES; i++)
		if (files->rows[i].fd >= 0 && files->rows[i].name)
			unlinkat(files->folder->fd, files->rows[i].name, 0);
}

void files_close(struct files *files)
{
	close_rows(files);
	for (unsigned int i = 0; files->folder && i < WHOLE_FILES; i++)
		give_up(files, i);
}
