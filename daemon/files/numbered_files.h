/* SPDX-License-Identifier: Apache-2.0 */
/* Files with a number in their name: fps-000001.csv, snapshot-000001.txt. A kind of them is named
 * by its name without the number, such as "fps.csv". The number is before the first dot that is
 * not the first character, has six digits at least, and no more zeros in front than that. */
#ifndef JANKD_DAEMON_FILES_NUMBERED_FILES_H
#define JANKD_DAEMON_FILES_NUMBERED_FILES_H

#include <stddef.h>

struct numbered_name {
	char text[64];
};

/* "fps.csv", 12: "fps-000012.csv" */
struct numbered_name numbered_name(const char *name, unsigned long number);

/* Numbers, each once, the lowest first. */
struct numbered_files {
	unsigned long *numbers; /* to be freed with free() */
	size_t count;
};

/* Lists the numbers of all files in a folder that are of one of the kinds @names, which a NULL
 * ends. Returns 0 or -errno; @files->numbers is to be freed in any case. */
int numbered_files_list(int folder_fd, const char *const *names, struct numbered_files *files);

/* Their highest number, or 0. */
unsigned long numbered_files_last(const struct numbered_files *files);

#endif
