/* SPDX-License-Identifier: Apache-2.0 */
/* How files roll: segments that are closed, and what happens when disk or folder go away. */
#include "daemon/files/files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/files/earlier_files.h"
#include "daemon/files/segments.h"

/* A little less than a second, so that a tick of a second never falls short of it. */
#define WATCH_PERIOD_NS UINT64_C(800000000)

/* Files of events that outlive the rows of their segment, where the disk is nearly full. */
#define EVENTS_KEPT 64

/* --- segments --- */

static void sync_segment(struct files *files, const struct csv_file *file)
{
	int error = files->is_live ? folder_sync(file->fd) : 0;

	if (error < 0)
		files_trouble(files, file->name, error);
}

/* A closed segment is on the disk when it gets its name: a power cut leaves it whole. On vfat the
 * size stands beside the name, and has to follow it. A recorded trace can be read again, and is not
 * worth the wait. */
static int close_segment(struct files *files, struct csv_file *file, unsigned long number)
{
	int error;

	sync_segment(files, file);
	error = segments_close(files->folder->fd, file->name, number);
	if (error < 0) {
		files_trouble(files, file->name, error);
		return error;
	}
	sync_segment(files, file);
	csv_file_begin_again(file, files->folder->fd);
	csv_file_flush(file);
	return 0;
}

void files_keep(struct files *files)
{
	struct segments_removed removed = { .removed = NULL };
	int result;

	if (files->options->keep == 0 || files->may_undo)
		return;
	result = segments_remove_oldest(files->folder->fd, files->options->keep,
					SEGMENTS_SPARE_NONE, UINT64_MAX, &removed);
	files->state.removed += removed.count;
	if (result < 0)
		files_trouble(files, "an old segment", result);
}

/* A file without a row stays what it is: there are no empty segments. */
int files_roll(struct files *files)
{
	unsigned long number = segments_next(files->folder->fd, files->state.segment);
	int result = 1, unwritten = 1;

	for (int i = 0; i < ROW_FILES; i++) {
		struct csv_file *file = &files->rows[i];
		int error = csv_file_flush(file);

		if (!csv_file_is_begun(file) || csv_file_is_gone(file)) {
			unwritten = error < 0 ? error : unwritten;
			continue;
		}
		error = close_segment(files, file, number);
		result = error < 0 ? error : result > 0 ? 0 : result;
	}
	if (result == 1)
		return unwritten;
	files->state.segment = number;
	files->state.rotations++;
	if (files->is_live)
		segments_sync(files->folder->fd);
	files_keep(files);
	return result;
}

void files_make_room(struct files *files, const struct csv_file *file)
{
	if (csv_file_is_full(file))
		files_roll(files);
}

/* --- a disk that is nearly full --- */

/* Events stay when their segment goes, but each file takes a block of the disk: of those whose rows
 * are gone only the last ones stay. */
static void remove_some(const struct files *files, uint64_t enough,
			struct segments_removed *removed)
{
	int fd = files->folder->fd;
	uint64_t with_rows;

	if (segments_count(fd, SEGMENTS_SPARE_EVENTS, &with_rows) < 0)
		return;
	segments_remove_oldest(fd, with_rows + EVENTS_KEPT, SEGMENTS_SPARE_NONE, enough, removed);
	if (removed->count == 0)
		segments_remove_oldest(fd, 0, SEGMENTS_SPARE_EVENTS, enough, removed);
}

struct room {
	struct files *files;
	uint64_t free_bytes;
};

static void tell_removed(void *context, unsigned long number, uint64_t bytes)
{
	struct room *room = context;

	files_tell(room->files, "rotate",
		   "free %" PRIu64 " bytes, floor %" PRIu64 ": segment %06lu was removed",
		   room->free_bytes, room->files->options->min_free, number);
	room->files->state.removed++;
	room->free_bytes += bytes;
}

/* The oldest ones first, until there is room; @free_bytes follows. What cannot be removed is passed
 * over. */
static void remove_segments(struct files *files, uint64_t *free_bytes)
{
	uint64_t floor = files->options->min_free;
	struct room room = { files, *free_bytes };
	struct segments_removed removed = { .removed = tell_removed, .context = &room };

	do {
		removed.count = 0;
		if (room.free_bytes < floor)
			remove_some(files, floor - room.free_bytes, &removed);
	} while (removed.count > 0);
	*free_bytes = room.free_bytes;
}

static void stop_next(struct files *files, uint64_t free_bytes)
{
	while (files->stopped < ROW_EVENTS) {
		const char *name = files->rows[files->stopped++].name;

		if (!name)
			continue;
		files_tell(files, "rotate",
			   "free %" PRIu64 " bytes, floor %" PRIu64 ": goes on without %s",
			   free_bytes, files->options->min_free, name);
		return;
	}
}

static void resume_last(struct files *files, uint64_t free_bytes)
{
	while (files->stopped > 0) {
		const char *name = files->rows[--files->stopped].name;

		if (!name)
			continue;
		files_tell(files, "rotate",
			   "free %" PRIu64 " bytes, floor %" PRIu64 ": %s is written again",
			   free_bytes, files->options->min_free, name);
		files_tell_lost(files);
		return;
	}
}

/* Without a closed segment that could go one file is given up at a time. It comes back when there
 * is an eighth more than the floor: at the floor itself it would come and go. */
static void watch_disk(struct files *files)
{
	uint64_t floor = files->options->min_free, free_bytes;
	struct statvfs disk;

	if (floor == 0 || fstatvfs(files->folder->fd, &disk) < 0)
		return;
	free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (free_bytes >= floor && free_bytes - floor >= floor / 8)
		resume_last(files, free_bytes);
	remove_segments(files, &free_bytes);
	if (free_bytes < floor)
		stop_next(files, free_bytes);
}

/* --- a folder that goes away --- */

static int keep_earlier(struct folder *folder)
{
	return earlier_files_keep(folder, NULL);
}

/* Where it cannot be made anew, the files cannot be written: that is told, and the next time comes.
 */
static void watch_folder(struct files *files)
{
	files->folder_error = 0;
	if (!folder_is_gone(files->folder))
		return;
	/* One that was only moved away keeps all rows until now. */
	for (int i = 0; i < ROW_FILES; i++)
		csv_file_flush(&files->rows[i]);
	files->folder_error = folder_open_again(files->folder, keep_earlier);
	if (files->folder_error < 0)
		return;
	segments_last(files->folder->fd, &files->state.segment);
	for (int i = 0; i < ROW_FILES; i++)
		if (files->rows[i].name)
			csv_file_begin_again(&files->rows[i], files->folder->fd);
	files_tell(files, "lost", "the folder was removed: it is made again");
	files_tell(files, FILES_WARNING, "%.300s: the folder was removed; it is made again",
		   files->folder->path);
	files->state.begun_again++;
}

/* Without the lock another may come into the folder. */
static void watch_lock(struct files *files)
{
	int result = folder_watch_lock(files->folder);

	if (result > 0)
		files_tell(files, "lost", ".lock was removed: it is made again");
	files->lock_error = result < 0 ? result : 0;
}

void files_sync_if_due(struct files *files)
{
	uint64_t now_ns = files->options->sync_ns > 0 ? loop_now() : 0;

	if (now_ns == 0 || now_ns < files->next_sync_ns)
		return;
	files->next_sync_ns = now_ns + files->options->sync_ns;
	for (int i = 0; i < ROW_FILES; i++)
		if (files->rows[i].size != files->rows[i].synced)
			files_sync(files, &files->rows[i]);
}

void files_watch(struct files *files)
{
	uint64_t now_ns = loop_now();

	if (now_ns < files->next_watch_ns)
		return;
	files->next_watch_ns = now_ns + WATCH_PERIOD_NS;
	watch_folder(files);
	watch_lock(files);
	watch_disk(files);
	files->state.is_frozen = files->stopped > 0;
	if (files->watch)
		files->watch(files->watch_context);
}
