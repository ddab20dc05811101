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

/* No session reaches this number. After a higher one the next number could overflow. */
#define NUMBER_END (ULONG_MAX / 16)

#define SNAPSHOTS_MAX 64

/* Names without the number; the list ends with a NULL. */
struct kinds {
	const char *names[CSV_FILES + 1];
};

static const struct kinds snapshots = { { "snapshot.txt" } };
/* Its temporary name, from folder_create_temporary(). */
static const struct kinds partial_snapshots = { { ".snapshot.txt.tmp" } };

static struct kinds segments(enum segments_spared spared)
{
	struct kinds kinds = { { NULL } };
	size_t n = 0;

	for (int i = 0; i < CSV_FILES; i++)
		if (spared != SEGMENTS_SPARE_EVENTS || i != ROW_EVENTS)
			kinds.names[n++] = csv_files[i].name;
	return kinds;
}

/* --- the numbers --- */

struct numbered_name numbered_name(const char *name, unsigned long number)
{
	const char *dot = strchr(name + 1, '.');
	struct numbered_name its;

	snprintf(its.text, sizeof(its.text), "%.*s-%06lu%s", (int)(dot - name), name, number, dot);
	return its;
}

/* The number in the name of a file, or 0 if the file is of none of these kinds. */
static unsigned long number_in(const char *entry, const struct kinds *kinds)
{
	const char *dash = strrchr(entry, '-');
	unsigned long number = dash ? strtoul(dash + 1, NULL, 10) : 0;

	if (number >= NUMBER_END)
		return 0;
	for (const char *const *name = kinds->names; number > 0 && *name; name++)
		if (strcmp(numbered_name(*name, number).text, entry) == 0)
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

/* The numbers of all files of these kinds. Returns 0 or -errno; @numbers->of is to be freed in any
 * case. */
static int list(int folder_fd, struct kinds kinds, struct numbers *numbers)
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
		unsigned long number = number_in(entry->d_name, &kinds), *of;

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

static int find_last(int folder_fd, struct kinds kinds, unsigned long *last)
{
	struct numbers numbers;
	int error = list(folder_fd, kinds, &numbers);

	*last = numbers.count > 0 ? numbers.of[numbers.count - 1] : 0;
	free(numbers.of);
	return error;
}

int segments_last(int folder_fd, unsigned long *last)
{
	return find_last(folder_fd, segments(SEGMENTS_SPARE_NONE), last);
}

int segments_count(int folder_fd, uint64_t *count)
{
	struct numbers numbers;
	int error = list(folder_fd, segments(SEGMENTS_SPARE_EVENTS), &numbers);

	*count = numbers.count;
	free(numbers.of);
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
static int remove_number(int folder_fd, unsigned long number, const struct kinds *kinds,
			 uint64_t *bytes)
{
	int error = 0;

	for (const char *const *name = kinds->names; *name; name++) {
		struct numbered_name its = numbered_name(*name, number);
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
static int remove_oldest(int folder_fd, uint64_t keep, struct kinds kinds, uint64_t enough,
			 struct segments_removed *removed)
{
	struct numbers numbers;
	int result = list(folder_fd, kinds, &numbers);

	removed->count = removed->bytes = 0;
	for (size_t i = 0; i + keep < numbers.count && removed->bytes < enough; i++) {
		uint64_t bytes = 0;
		int error = remove_number(folder_fd, numbers.of[i], &kinds, &bytes);

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

int segments_remove_oldest(int folder_fd, uint64_t keep, enum segments_spared spared,
			   uint64_t enough, struct segments_removed *removed)
{
	return remove_oldest(folder_fd, keep, segments(spared), enough, removed);
}

void segments_remove_above(int folder_fd, unsigned long number)
{
	const struct kinds kinds = segments(SEGMENTS_SPARE_NONE);
	struct numbers numbers;
	uint64_t bytes = 0;

	if (list(folder_fd, kinds, &numbers) == 0)
		for (size_t i = 0; i < numbers.count; i++)
			if (numbers.of[i] > number)
				remove_number(folder_fd, numbers.of[i], &kinds, &bytes);
	free(numbers.of);
}

/* --- snapshots --- */

struct numbered_name snapshot_files_name(unsigned long number)
{
	return numbered_name(snapshots.names[0], number);
}

unsigned long snapshot_files_last(int folder_fd)
{
	unsigned long last;

	find_last(folder_fd, snapshots, &last);
	return last;
}

void snapshot_files_remove_partial(int folder_fd)
{
	remove_oldest(folder_fd, 0, partial_snapshots, UINT64_MAX,
		      &(struct segments_removed){ .removed = NULL });
}

void snapshot_files_remove_oldest(int folder_fd)
{
	remove_oldest(folder_fd, SNAPSHOTS_MAX, snapshots, UINT64_MAX,
		      &(struct segments_removed){ .removed = NULL });
}
