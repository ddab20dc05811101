/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/snapshot_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 64

/* The number in a name, of @prefix, six digits or more, and @suffix, or 0. */
static unsigned long number_in(const char *name, const char *prefix, const char *suffix)
{
	size_t begin = strlen(prefix);
	size_t digits;

	if (strncmp(name, prefix, begin) != 0)
		return 0;
	digits = strspn(name + begin, "0123456789");
	if (digits < 6 || digits >= 18 || strcmp(name + begin + digits, suffix) != 0)
		return 0;
	return strtoul(name + begin, NULL, 10);
}

void snapshot_files_find(int folder_fd, struct snapshot_files *found)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*found = (struct snapshot_files){ 0 };
	while (directory && (entry = readdir(directory))) {
		unsigned long number = number_in(entry->d_name, "snapshot-", ".txt");

		if (number_in(entry->d_name, ".snapshot-", ".txt.tmp") > 0)
			unlinkat(folder_fd, entry->d_name, 0);
		if (number == 0)
			continue;
		if (found->count == 0 || number < found->first) {
			found->first = number;
			snprintf(found->first_name, sizeof(found->first_name), "%.39s",
				 entry->d_name);
		}
		if (number > found->last)
			found->last = number;
		found->count++;
	}
	if (directory)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
}

void snapshot_files_remove_oldest(int folder_fd)
{
	struct snapshot_files found;

	snapshot_files_find(folder_fd, &found);
	while (found.count > FILES_MAX && unlinkat(folder_fd, found.first_name, 0) == 0)
		snapshot_files_find(folder_fd, &found);
}
