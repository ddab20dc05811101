/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/numbered_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/report.h"
#include "daemon/files/csv_file.h"

/* No session reaches this number. After a higher one the next number could overflow. */
#define NUMBER_END (ULONG_MAX / 16)

/* The files of a number, without it: @i is from 0 on. NULL: there is no more. */
static const char *name_of(enum numbered_kind which, int i)
{
	if (which == NUMBERED_SNAPSHOTS)
		return i == 0 ? SNAPSHOT_FILE : NULL;
	/* As folder_create_temporary() names it. */
	if (which == NUMBERED_PARTIAL)
		return i == 0 ? "." SNAPSHOT_FILE ".tmp" : NULL;
	if (which == NUMBERED_ROWS && i >= ROW_EVENTS)
		i++;
	return i < CSV_FILES ? csv_files[i].name : NULL;
}

/* --- the numbers --- */

struct numbered_name numbered_name(const char *name, unsigned long number)
{
	const char *dot = strchr(name + 1, '.');
	struct numbered_name its;

	snprintf(its.text, sizeof(its.text), "%.*s-%06lu%s", (int)(dot - name), name, number, dot);
	return its;
}

/* The number in the name of a file, or 0 if the file is not of this kind. */
static unsigned long number_in(const char *entry, enum numbered_kind which)
{
	const char *dash = strrchr(entry, '-'), *name;
	unsigned long number = dash ? strtoul(dash + 1, NULL, 10) : 0;

	if (number >= NUMBER_END)
		return 0;
	for (int i = 0; number > 0 && (name = name_of(which, i)); i++)
		if (strcmp(numbered_name(name, number).text, entry) == 0)
			return number;
	return 0;
}

/* Different numbers, in ascending order. */
struct numbers {
	unsigned long *of; /* to be freed with free() */
	size_t count;
};

static int compare(const void *a, const void *b)
{
	const unsigned long *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Returns 0 or -errno; @numbers->of is to be freed in any case. */
static int list(int folder_fd, enum numbered_kind which, struct numbers *numbers)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t n = 0;
	int error = 0;

	*numbers = (struct numbers){ 0 };
	if (!directory) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	while (error == 0 && (entry = readdir(directory))) {
		unsigned long number = number_in(entry->d_name, which), *of;

		if (number == 0)
			continue;
		of = realloc(numbers->of, (numbers->count + 1) * sizeof(*of));
		if (of) {
			numbers->of = of;
			of[numbers->count++] = number;
		} else {
			error = -ENOMEM;
		}
	}
	closedir(directory);
	if (numbers->count == 0)
		return error;
	qsort(numbers->of, numbers->count, sizeof(numbers->of[0]), compare);
	for (size_t i = 1; i < numbers->count; i++)
		if (numbers->of[i] != numbers->of[n])
			numbers->of[++n] = numbers->of[i];
	numbers->count = n + 1;
	return error;
}

int numbered_last(int folder_fd, enum numbered_kind which, unsigned long *last)
{
	struct numbers numbers;
	int error = list(folder_fd, which, &numbers);

	*last = numbers.count > 0 ? numbers.of[numbers.count - 1] : 0;
	free(numbers.of);
	return error;
}

int numbered_count(int folder_fd, enum numbered_kind which, uint64_t *count)
{
	struct numbers numbers;
	int error = list(folder_fd, which, &numbers);

	*count = numbers.count;
	free(numbers.of);
	return error;
}

unsigned long segments_next(int folder_fd, unsigned long last)
{
	bool is_used;

	do {
		last++;
		is_used = false;
		for (int i = 0; i < CSV_FILES; i++)
			is_used |= faccessat(folder_fd, numbered_name(csv_files[i].name, last).text,
					     F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	} while (is_used);
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

/* --- the oldest --- */

/* Removes the files of a number. Returns 0 or -errno; adds the space that they used to *bytes. */
static int remove_number(int folder_fd, enum numbered_kind which, unsigned long number,
			 uint64_t *bytes)
{
	const char *name;
	int error = 0;

	for (int i = 0; (name = name_of(which, i)); i++) {
		struct numbered_name its = numbered_name(name, number);
		struct stat info;

		if (fstatat(folder_fd, its.text, &info, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (unlinkat(folder_fd, its.text, 0) < 0)
			error = -errno;
		else
			*bytes += (uint64_t)info.st_blocks * 512;
	}
	return error;
}

/* A folder may have many files, so it is listed only once. */
int numbered_remove_oldest(int folder_fd, enum numbered_kind which, uint64_t keep, uint64_t enough,
			   struct numbered_removed *removed)
{
	struct numbers numbers;
	int result = list(folder_fd, which, &numbers);

	removed->count = removed->bytes = 0;
	for (size_t i = 0; i + keep < numbers.count && removed->bytes < enough; i++) {
		uint64_t bytes = 0;
		int error = remove_number(folder_fd, which, numbers.of[i], &bytes);

		removed->bytes += bytes;
		if (error < 0) {
			result = error;
			continue;
		}
		removed->count++;
		if (removed->removed)
			removed->removed(removed->context, numbers.of[i], bytes);
	}
	free(numbers.of);
	return result;
}

/* --- the files of an earlier session --- */

static void restore_names(const struct folder *folder)
{
	for (int i = 0; folder->kept && i < CSV_FILES; i++)
		rename_new(folder->fd, numbered_name(csv_files[i].name, folder->kept).text,
			   csv_files[i].name);
}

int segments_keep_earlier(struct folder *folder, bool reports)
{
	int fd = folder->fd;
	int error = numbered_last(fd, NUMBERED_SEGMENTS, &folder->last);
	unsigned long number = segments_next(fd, folder->last);
	const char *name = "";

	folder->kept = 0;
	for (int i = 0; error == 0 && i < CSV_FILES; i++) {
		name = csv_files[i].name;
		folder_remove_temporary(folder, name);
		if (csv_files[i].header)
			error = csv_file_repair(fd, name, csv_files[i].header);
		if (error == 0)
			error = segments_close(fd, name, number);
		if (error == 0)
			folder->kept = folder->last = number;
		if (error == -ENOENT)
			error = 0;
	}
	if (error < 0)
		restore_names(folder);
	fsync(fd);
	if (error < 0 && reports)
		report("%s/%s: the file of an earlier session cannot be renamed: %s; %s",
		       folder->path, name, folder_why(error), folder_advice(error));
	return error;
}

void segments_restore_earlier(const struct folder *folder)
{
	struct numbers numbers;
	uint64_t bytes = 0;

	if (list(folder->fd, NUMBERED_SEGMENTS, &numbers) == 0)
		for (size_t i = 0; i < numbers.count; i++)
			if (numbers.of[i] > folder->last)
				remove_number(folder->fd, NUMBERED_SEGMENTS, numbers.of[i], &bytes);
	free(numbers.of);
	for (int i = 0; i < CSV_FILES; i++)
		unlinkat(folder->fd, csv_files[i].name, 0);
	restore_names(folder);
	fsync(folder->fd);
}
