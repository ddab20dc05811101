/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/csv_columns.h"

const struct segment_file segment_files[] = {
	{ "fps.csv", csv_fps_header },
	{ "dropFrames.csv", csv_drop_header },
	{ "frames.csv", csv_frame_header },
	{ "events.csv", csv_event_header },
	{ "summary.csv", csv_summary_header },
	{ "session.json", NULL },
	{ NULL, NULL },
};

/* --- names --- */

struct segment_name {
	char text[64];
};

/* "fps.csv", 12: "fps-000012.csv" */
static struct segment_name name_of(const char *name, unsigned long number)
{
	const char *dot = strrchr(name, '.');
	struct segment_name its;

	snprintf(its.text, sizeof(its.text), "%.*s-%06lu%s", (int)(dot - name), name, number, dot);
	return its;
}

static bool is_spared(const struct segment_file *file, enum segments_spared spared)
{
	return spared == SEGMENTS_SPARE_EVENTS && strcmp(file->name, "events.csv") == 0;
}

/* None of ours comes so far: a name with such a number was made so that ours run over. */
#define NUMBER_END UINT64_C(1000000000000000)

/* The number in a segment's name, or 0 where it is none of ours. */
static unsigned long number_in(const char *name, enum segments_spared spared)
{
	const char *dash = strrchr(name, '-');
	unsigned long number = dash ? strtoul(dash + 1, NULL, 10) : 0;

	if (number >= NUMBER_END)
		return 0;
	for (const struct segment_file *file = segment_files; number && file->name; file++)
		if (!is_spared(file, spared) && strcmp(name_of(file->name, number).text, name) == 0)
			return number;
	return 0;
}

/* --- the folder's list --- */

struct numbers {
	unsigned long *list;
	size_t count, room;
};

static int add_number(struct numbers *numbers, unsigned long number)
{
	if (numbers->count == numbers->room) {
		size_t room = numbers->room ? 2 * numbers->room : 256;
		unsigned long *list = realloc(numbers->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		numbers->list = list;
		numbers->room = room;
	}
	numbers->list[numbers->count++] = number;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const unsigned long *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Each once, the lowest first. */
static void sort(struct numbers *numbers)
{
	size_t n = 0;

	if (numbers->count == 0)
		return;
	qsort(numbers->list, numbers->count, sizeof(numbers->list[0]), compare);
	for (size_t i = 1; i < numbers->count; i++)
		if (numbers->list[i] != numbers->list[n])
			numbers->list[++n] = numbers->list[i];
	numbers->count = n + 1;
}

/* Returns 0 or -errno; @numbers->list is to be freed in any case. */
static int list(int folder_fd, enum segments_spared spared, struct numbers *numbers)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int error = 0;

	*numbers = (struct numbers){ 0 };
	if (!directory) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	while (error == 0 && (entry = readdir(directory))) {
		unsigned long number = number_in(entry->d_name, spared);

		if (number > 0)
			error = add_number(numbers, number);
	}
	closedir(directory);
	sort(numbers);
	return error;
}

int segments_count(int folder_fd, enum segments_spared spared, uint64_t *count)
{
	struct numbers numbers;
	int error = list(folder_fd, spared, &numbers);

	*count = numbers.count;
	free(numbers.list);
	return error;
}

int segments_last(int folder_fd, unsigned long *last)
{
	struct numbers numbers;
	int error = list(folder_fd, SEGMENTS_SPARE_NONE, &numbers);

	*last = numbers.count > 0 ? numbers.list[numbers.count - 1] : 0;
	free(numbers.list);
	return error;
}

static bool is_taken(int folder_fd, unsigned long number)
{
	for (const struct segment_file *file = segment_files; file->name; file++)
		if (faccessat(folder_fd, name_of(file->name, number).text, F_OK,
			      AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	return false;
}

unsigned long segments_next(int folder_fd, unsigned long last)
{
	do
		last++;
	while (is_taken(folder_fd, last));
	return last;
}

/* --- closing --- */

/* Renames, and never onto a file. */
static int rename_new(int fd, const char *from, const char *to)
{
	if (renameat2(fd, from, fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Not every file system of a phone knows the flag. */
	if (linkat(fd, from, fd, to, 0) == 0)
		return unlinkat(fd, from, 0) == 0 ? 0 : -errno;
	if (errno == EEXIST)
		return -EEXIST;
	/* Nor links: then the lock alone keeps others from the name that was seen to be free. */
	if (faccessat(fd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(fd, from, fd, to) == 0 ? 0 : -errno;
}

int segments_close(int folder_fd, const char *name, unsigned long number)
{
	return rename_new(folder_fd, name, name_of(name, number).text);
}

void segments_reopen(int folder_fd, const char *name, unsigned long number)
{
	rename_new(folder_fd, name_of(name, number).text, name);
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

/* Removes the files of a number. Returns 0 or -errno; adds to *bytes what they took. */
static int remove_number(int folder_fd, unsigned long number, enum segments_spared spared,
			 uint64_t *bytes)
{
	int error = 0;

	for (const struct segment_file *file = segment_files; file->name; file++) {
		struct segment_name its = name_of(file->name, number);
		struct stat info;

		if (is_spared(file, spared) ||
		    fstatat(folder_fd, its.text, &info, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (unlinkat(folder_fd, its.text, 0) < 0)
			error = -errno;
		else
			*bytes += (uint64_t)info.st_blocks * 512;
	}
	return error;
}

void segments_remove_behind(int folder_fd, unsigned long number)
{
	struct numbers numbers;
	uint64_t bytes = 0;

	if (list(folder_fd, SEGMENTS_SPARE_NONE, &numbers) == 0)
		for (size_t i = 0; i < numbers.count; i++)
			if (numbers.list[i] > number)
				remove_number(folder_fd, numbers.list[i], SEGMENTS_SPARE_NONE,
					      &bytes);
	free(numbers.list);
}

/* A folder may hold many: it is read once for all that go. */
int segments_remove_oldest(int folder_fd, uint64_t keep, enum segments_spared spared,
			   uint64_t enough, struct segments_removed *removed)
{
	struct numbers numbers;
	int result = list(folder_fd, spared, &numbers);

	*removed = (struct segments_removed){ .gone = removed->gone, .context = removed->context };
	for (size_t i = 0; i + keep < numbers.count && removed->bytes < enough; i++) {
		uint64_t bytes = 0;
		int error = remove_number(folder_fd, numbers.list[i], spared, &bytes);

		removed->bytes += bytes;
		if (error < 0) {
			result = error;
			continue;
		}
		if (removed->count++ == 0)
			removed->first = numbers.list[i];
		removed->last = numbers.list[i];
		if (removed->gone)
			removed->gone(removed->context, numbers.list[i], bytes);
	}
	free(numbers.list);
	return result;
}
