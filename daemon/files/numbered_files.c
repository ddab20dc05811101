/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/numbered_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No session reaches this number. After a higher one the next number could overflow. */
#define NUMBER_END (ULONG_MAX / 16)

struct numbered_name numbered_name(const char *name, unsigned long number)
{
	const char *dot = strchr(name + 1, '.');
	struct numbered_name its;

	snprintf(its.text, sizeof(its.text), "%.*s-%06lu%s", (int)(dot - name), name, number, dot);
	return its;
}

/* The number in the name of a file, or 0 if the file is of none of these kinds. */
static unsigned long number_in(const char *entry, const char *const *names)
{
	const char *dash = strrchr(entry, '-');
	unsigned long number = dash ? strtoul(dash + 1, NULL, 10) : 0;

	if (number >= NUMBER_END)
		return 0;
	for (; number > 0 && *names; names++)
		if (strcmp(numbered_name(*names, number).text, entry) == 0)
			return number;
	return 0;
}

static int add_number(struct numbered_files *files, size_t *size, unsigned long number)
{
	if (files->count == *size) {
		size_t larger = *size > 0 ? 2 * *size : 256;
		unsigned long *numbers = realloc(files->numbers, larger * sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		files->numbers = numbers;
		*size = larger;
	}
	files->numbers[files->count++] = number;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const unsigned long *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int numbered_files_list(int folder_fd, const char *const *names, struct numbered_files *files)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t size = 0, n = 0;
	int error = 0;

	*files = (struct numbered_files){ 0 };
	if (!directory) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	while (error == 0 && (entry = readdir(directory))) {
		unsigned long number = number_in(entry->d_name, names);

		if (number > 0)
			error = add_number(files, &size, number);
	}
	closedir(directory);
	if (files->count == 0)
		return error;
	qsort(files->numbers, files->count, sizeof(files->numbers[0]), compare);
	for (size_t i = 1; i < files->count; i++)
		if (files->numbers[i] != files->numbers[n])
			files->numbers[++n] = files->numbers[i];
	files->count = n + 1;
	return error;
}

unsigned long numbered_files_last(const struct numbered_files *files)
{
	return files->count > 0 ? files->numbers[files->count - 1] : 0;
}
