/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/csv_files.h"
#include "daemon/files/numbered_files.h"

/* --- the numbers --- */

static bool is_spared(int which, enum segments_spared spared)
{
	return spared == SEGMENTS_SPARE_EVENTS && which == ROW_EVENTS;
}

/* Returns 0 or -errno; @files->numbers is to be freed in any case. */
static int list(int folder_fd, enum segments_spared spared, struct numbered_files *files)
{
	const char *names[CSV_FILES + 1];
	size_t n = 0;

	for (int i = 0; i < CSV_FILES; i++)
		if (!is_spared(i, spared))
			names[n++] = csv_files[i].name;
	names[n] = NULL;
	return numbered_files_list(folder_fd, names, files);
}

int segments_count(int folder_fd, uint64_t *count)
{
	struct numbered_files files;
	int error = list(folder_fd, SEGMENTS_SPARE_EVENTS, &files);

	*count = files.count;
	free(files.numbers);
	return error;
}

int segments_last(int folder_fd, unsigned long *last)
{
	struct numbered_files files;
	int error = list(folder_fd, SEGMENTS_SPARE_NONE, &files);

	*last = numbered_files_last(&files);
	free(files.numbers);
	return error;
}

static bool is_used(int folder_fd, unsigned long number)
{
	for (int i = 0; i < CSV_FILES; i++)
		if (faccessat(folder_fd, numbered_name(csv_files[i].name, number).text, F_OK,
			      AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	return false;
}

unsigned long segments_next(int folder_fd, unsigned long last)
{
	do
		last++;
	while (is_used(folder_fd, last));
	return last;
}

/* --- closing --- */

/* Renames, never onto an existing file. */
static int rename_new(int fd, const char *from, const char *to)
{
	if (renameat2(fd, from, fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Some file systems of phones have no such flag, */
	if (linkat(fd, from, fd, to, 0) == 0)
		return unlinkat(fd, from, 0) == 0 ? 0 : -errno;
	if (errno == EEXIST)
		return -EEXIST;
	/* and no links. Then only the lock keeps other programs from using the name. */
	if (faccessat(fd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(fd, from, fd, to) == 0 ? 0 : -errno;
}

int segments_close(int folder_fd, const char *name, unsigned long number)
{
	return rename_new(folder_fd, name, numbered_name(name, number).text);
}

void segments_reopen(int folder_fd, const char *name, unsigned long number)
{
	rename_new(folder_fd, numbered_name(name, number).text, name);
}

void segments_sync(int folder_fd)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* --- the oldest --- */

/* Removes the files of a number. Returns 0 or -errno; adds the space that they used to *bytes. */
static int remove_number(int folder_fd, unsigned long number, enum segments_spared spared,
			 uint64_t *bytes)
{
	int error = 0;

	for (int i = 0; i < CSV_FILES; i++) {
		struct numbered_name its = numbered_name(csv_files[i].name, number);
		struct stat info;

		if (is_spared(i, spared) ||
		    fstatat(folder_fd, its.text, &info, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (unlinkat(folder_fd, its.text, 0) < 0)
			error = -errno;
		else
			*bytes += (uint64_t)info.st_blocks * 512;
	}
	return error;
}

void segments_remove_above(int folder_fd, unsigned long number)
{
	struct numbered_files files;
	uint64_t bytes = 0;

	if (list(folder_fd, SEGMENTS_SPARE_NONE, &files) == 0)
		for (size_t i = 0; i < files.count; i++)
			if (files.numbers[i] > number)
				remove_number(folder_fd, files.numbers[i], SEGMENTS_SPARE_NONE,
					      &bytes);
	free(files.numbers);
}

/* A folder may have many segments, so it is listed only once. */
int segments_remove_oldest(int folder_fd, uint64_t keep, enum segments_spared spared,
			   uint64_t enough, struct segments_removed *removed)
{
	struct numbered_files files;
	int result = list(folder_fd, spared, &files);

	*removed = (struct segments_removed){ .removed = removed->removed,
					      .context = removed->context };
	for (size_t i = 0; i + keep < files.count && removed->bytes < enough; i++) {
		uint64_t bytes = 0;
		int error = remove_number(folder_fd, files.numbers[i], spared, &bytes);

		removed->bytes += bytes;
		if (error < 0) {
			result = error;
			continue;
		}
		removed->count++;
		if (removed->removed)
			removed->removed(removed->context, files.numbers[i], bytes);
	}
	free(files.numbers);
	return result;
}
