/* SPDX-License-Identifier: Apache-2.0 */
/* How files roll: segments that are closed, and what happens when disk or folder go away. */
#include "daemon/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "daemon/loop.h"
#include "daemon/report.h"
#include "daemon/segments.h"

/* A little less than a second, so that a tick of a second never falls short of it. */
#define WATCH_PERIOD_NS UINT64_C(800000000)

/* Files of events that outlive the rows of their segment, where the disk is nearly full. */
#define EVENTS_KEPT 64

/* --- segments --- */

static void sync_segment(struct output *output, const struct csv_file *file)
{
	int error = output->is_live ? folder_sync(file->fd) : 0;

	if (error < 0)
		output_trouble(output, file->name, error);
}

/* A closed segment is on the disk when it gets its name: a power cut leaves it whole. On vfat the
 * size stands beside the name, and has to follow it. A recorded trace can be read again, and is not
 * worth the wait. */
static int close_segment(struct output *output, struct csv_file *file, unsigned long number)
{
	int error;

	sync_segment(output, file);
	error = segments_close(output->folder->fd, file->name, number);
	if (error < 0) {
		output_trouble(output, file->name, error);
		return error;
	}
	sync_segment(output, file);
	csv_file_begin_again(file, output->folder->fd);
	csv_file_flush(file);
	return 0;
}

void output_keep(struct output *output)
{
	unsigned long number;
	uint64_t bytes;
	int result = 0;

	if (output->options->keep == 0 || output->may_undo)
		return;
	while ((result = segments_remove_oldest(output->folder->fd, output->options->keep,
						SEGMENTS_SPARE_NONE, &number, &bytes)) > 0)
		output->removed++;
	if (result < 0)
		output_trouble(output, "an old segment", result);
}

/* A file without a row stays what it is: there are no empty segments. */
int output_roll(struct output *output)
{
	unsigned long number = segments_next(output->folder->fd, output->segment);
	int result = 1, unwritten = 1;

	for (int i = 0; i < OUTPUT_FILES; i++) {
		struct csv_file *file = &output->files[i];
		int error = csv_file_flush(file);

		if (!csv_file_is_begun(file) || csv_file_is_gone(file)) {
			unwritten = error < 0 ? error : unwritten;
			continue;
		}
		error = close_segment(output, file, number);
		result = error < 0 ? error : result > 0 ? 0 : result;
	}
	if (result == 1)
		return unwritten;
	output->segment = number;
	output->rotations++;
	if (output->is_live)
		segments_sync(output->folder->fd);
	output_keep(output);
	return result;
}

void output_make_room(struct output *output, const struct csv_file *file)
{
	if (csv_file_is_full(file))
		output_roll(output);
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
		output_roll(output);
	}
}

static bool has_rows(const struct output *output)
{
	for (int i = 0; i < OUTPUT_FILES; i++)
		if (csv_file_has_rows(&output->files[i]))
			return true;
	return false;
}

int output_rotate(struct output *output, const char *why)
{
	if (!has_rows(output))
		return 1;
	output_tell(output, "rotate", "%s", why);
	output_release_events(output);
	output->segment_begin_ns = output->now_ns;
	return output_roll(output);
}

/* --- a disk that is nearly full --- */

/* Events stay when their segment goes, but each file takes a block of the disk: of those whose rows
 * are gone only the last ones stay. Returns as segments_remove_oldest(). */
static int remove_one(const struct output *output, unsigned long *number, uint64_t *bytes)
{
	int fd = output->folder->fd;
	uint64_t with_rows;
	int result = segments_count(fd, SEGMENTS_SPARE_EVENTS, &with_rows);

	if (result == 0)
		result = segments_remove_oldest(fd, with_rows + EVENTS_KEPT, SEGMENTS_SPARE_NONE,
						number, bytes);
	if (result == 0)
		result = segments_remove_oldest(fd, 0, SEGMENTS_SPARE_EVENTS, number, bytes);
	return result;
}

/* The oldest ones first, until there is room; @free_bytes follows. */
static void remove_segments(struct output *output, uint64_t *free_bytes)
{
	uint64_t floor = output->options->min_free, bytes;
	unsigned long number;

	while (*free_bytes < floor && remove_one(output, &number, &bytes) > 0) {
		output_tell(output, "rotate",
			    "free %" PRIu64 " bytes, floor %" PRIu64 ": segment %06lu was removed",
			    *free_bytes, floor, number);
		output->removed++;
		*free_bytes += bytes;
	}
}

static void stop_next(struct output *output, uint64_t free_bytes)
{
	while (output->stopped < OUTPUT_EVENTS) {
		const char *name = output->files[output->stopped++].name;

		if (!name)
			continue;
		output_tell(output, "rotate",
			    "free %" PRIu64 " bytes, floor %" PRIu64 ": goes on without %s",
			    free_bytes, output->options->min_free, name);
		return;
	}
}

static void resume_last(struct output *output, uint64_t free_bytes)
{
	while (output->stopped > 0) {
		const char *name = output->files[--output->stopped].name;

		if (!name)
			continue;
		output_tell(output, "rotate",
			    "free %" PRIu64 " bytes, floor %" PRIu64 ": %s is written again",
			    free_bytes, output->options->min_free, name);
		output_tell_lost(output);
		return;
	}
}

/* Without a closed segment that could go one file is given up at a time. It comes back when there
 * is an eighth more than the floor: at the floor itself it would come and go. */
static void watch_disk(struct output *output)
{
	uint64_t floor = output->options->min_free, free_bytes;
	struct statvfs disk;

	if (floor == 0 || fstatvfs(output->folder->fd, &disk) < 0)
		return;
	free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (free_bytes >= floor && free_bytes - floor >= floor / 8)
		resume_last(output, free_bytes);
	remove_segments(output, &free_bytes);
	if (free_bytes < floor)
		stop_next(output, free_bytes);
}

/* --- a folder that goes away --- */

/* Where it cannot be made anew, the files cannot be written: that is told, and the next time comes.
 * True: it is there again. */
static bool watch_folder(struct output *output)
{
	if (!folder_is_gone(output->folder))
		return false;
	/* One that was only moved away keeps all rows until now. */
	for (int i = 0; i < OUTPUT_FILES; i++)
		csv_file_flush(&output->files[i]);
	if (folder_open_again(output->folder) < 0)
		return false;
	segments_last(output->folder->fd, &output->segment);
	for (int i = 0; i < OUTPUT_FILES; i++)
		if (output->files[i].name)
			csv_file_begin_again(&output->files[i], output->folder->fd);
	output_tell(output, "lost", "the folder was removed: it is made again");
	report("warning: %s: %s: the folder was removed; it is made again", output->command,
	       output->folder->path);
	return true;
}

/* Without the lock another may come into the folder. */
static void watch_lock(struct output *output)
{
	int result = folder_watch_lock(output->folder);

	if (result > 0)
		output_tell(output, "lost", ".lock was removed: it is made again");
	else if (result < 0)
		output_trouble(output, ".lock", result);
}

/* The disk is waited for, though there be nothing new. */
static void sync_rows(struct csv_file *file)
{
	if (file->name && file->fd >= 0 && file->size != file->synced && fdatasync(file->fd) == 0)
		file->synced = file->size;
}

void output_sync_if_due(struct output *output)
{
	uint64_t now_ns = output->options->sync_ns > 0 ? loop_now() : 0;

	if (now_ns == 0 || now_ns < output->next_sync_ns)
		return;
	output->next_sync_ns = now_ns + output->options->sync_ns;
	for (int i = 0; i < OUTPUT_FILES; i++)
		sync_rows(&output->files[i]);
}

bool output_watch(struct output *output)
{
	uint64_t now_ns = loop_now();
	bool again;

	if (now_ns < output->next_watch_ns)
		return false;
	output->next_watch_ns = now_ns + WATCH_PERIOD_NS;
	again = watch_folder(output);
	if (!again)
		watch_lock(output);
	watch_disk(output);
	output->spill.is_frozen = output->layers.is_frozen = output->stopped > 0;
	return again;
}
