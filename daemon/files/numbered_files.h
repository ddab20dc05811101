/* SPDX-License-Identifier: Apache-2.0 */
/* Files with a number in their name: fps-000001.csv, snapshot-000001.txt. The name without the
 * number, such as "fps.csv", is the kind of the file. The number is before the first dot that is
 * not the first character. It has at least six digits, and leading zeros only up to six digits. */
#ifndef JANKD_DAEMON_FILES_NUMBERED_FILES_H
#define JANKD_DAEMON_FILES_NUMBERED_FILES_H

#include <stddef.h>

struct numbered_name {
	char text[64];
};

/* "fps.csv", 12: "fps-000012.csv" */
struct numbered_name numbered_name(const char *name, unsigned long number);

/* Different numbers, in ascending order. */
struct numbered_files {
	unsigned long *numbers; /* to be freed with free() */
	size_t count;
};

/* Lists the numbers of all files in a folder of the kinds @names, a list that ends with NULL.
 * Returns 0 or -errno; the caller frees @files->numbers in any case. */
int numbered_files_list(int folder_fd, const char *const *names, struct numbered_files *files);

/* The highest number, or 0. */
unsigned long numbered_files_last(const struct numbered_files *files);

#endif
