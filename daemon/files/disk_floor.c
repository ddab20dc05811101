/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/disk_floor.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "daemon/base/options.h"
#include "daemon/files/numbered_files.h"

/* At most this many events files stay after the rows of their segments were removed. */
#define EVENTS_KEPT 64

/* Events that are still written below the floor, bytes. */
#define EVENTS_BELOW (UINT64_C(1) << 20)

/* A full /data stops apps of the device from working. */
#define DEVICE_SHARE 20
#define DEVICE_BYTES (UINT64_C(500) << 20)

uint64_t disk_free_bytes(int fd)
{
	struct statvfs disk;

	return fstatvfs(fd, &disk) < 0 ? UINT64_MAX : (uint64_t)disk.f_bavail * disk.f_frsize;
}

uint64_t disk_floor_of_device(int fd)
{
	struct statvfs disk;
	uint64_t share;

	if (fstatvfs(fd, &disk) < 0)
		return 0;
	share = (uint64_t)disk.f_blocks / DEVICE_SHARE * disk.f_frsize;
	return share < DEVICE_BYTES ? share : DEVICE_BYTES;
}

bool disk_floor_takes(struct disk_floor *floor, enum csv_file_kind which, uint64_t len)
{
	bool was_half = floor->event_bytes > EVENTS_BELOW / 2;

	if (which < floor->stopped ||
	    (which == ROW_EVENTS && floor->is_below && floor->event_bytes + len > EVENTS_BELOW))
		return false;
	if (which != ROW_EVENTS || !floor->is_below)
		return true;
	floor->event_bytes += len;
	if (!was_half && floor->event_bytes > EVENTS_BELOW / 2)
		floor->report(floor->context, "rotate",
			      "low disk space: jankd writes 512 KB more to events.csv, then stops "
			      "writing it");
	return true;
}

static void report_action(const struct disk_floor *floor, const char *what, const char *name)
{
	char text[160];

	snprintf(text, sizeof(text), "%s %s (%" PRIu64 " bytes free, --min-free %" PRIu64 ")", what,
		 name, floor->free_bytes, floor->bytes);
	floor->report(floor->context, "rotate", text);
}

static void on_removed(void *context, unsigned long number, uint64_t bytes)
{
	struct disk_floor *floor = context;
	char name[32];

	snprintf(name, sizeof(name), "%06lu", number);
	report_action(floor, "low disk space: removed segment", name);
	floor->removed++;
	floor->free_bytes += bytes;
}

/* Stops the next file, or starts the last one again. False: there is none. */
static bool change_one(struct disk_floor *floor, bool stops)
{
	while (stops ? floor->stopped < ROW_EVENTS : floor->stopped > 0) {
		unsigned int which = stops ? floor->stopped++ : --floor->stopped;

		if (!csv_files_wanted(which, floor->options))
			continue;
		report_action(floor,
			      stops ? "low disk space: stopped writing"
				    : "enough disk space: resumed writing",
			      csv_files[which].name);
		return true;
	}
	return false;
}

bool disk_floor_check(struct disk_floor *floor, int folder_fd)
{
	struct numbered_removed removed = { .count = 1, .removed = on_removed, .context = floor };
	bool started = false;
	uint64_t with_rows;

	floor->free_bytes = floor->bytes > 0 ? disk_free_bytes(folder_fd) : UINT64_MAX;
	if (floor->free_bytes == UINT64_MAX)
		return false;
	/* If this limit were the floor itself, files would stop and start all the time. */
	if (floor->free_bytes >= floor->bytes &&
	    floor->free_bytes - floor->bytes >= floor->bytes / 8)
		started = change_one(floor, false);
	/* Removes segments until the floor is free; one that cannot be removed is skipped. The
	 * events of a segment stay when its rows are removed. But each file uses at least a block
	 * of the disk, so at most EVENTS_KEPT events files stay without rows. */
	while (removed.count > 0 && floor->free_bytes < floor->bytes &&
	       numbered_count(folder_fd, NUMBERED_ROWS, &with_rows) == 0) {
		uint64_t missing = floor->bytes - floor->free_bytes;

		numbered_remove_oldest(folder_fd, NUMBERED_SEGMENTS, with_rows + EVENTS_KEPT,
				       missing, &removed);
		if (removed.count == 0)
			numbered_remove_oldest(folder_fd, NUMBERED_ROWS, 0, missing, &removed);
	}
	floor->is_below = floor->free_bytes < floor->bytes;
	if (floor->is_below)
		change_one(floor, true);
	else
		floor->event_bytes = 0;
	return started;
}
