/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/snapshot_files.h"

#include <stdlib.h>
#include <unistd.h>

#define FILES_MAX 64

static const char name[] = "snapshot.txt";
/* Its temporary name, from folder_create_temporary(). */
static const char partial_name[] = ".snapshot.txt.tmp";

static const char *const kind[] = { name, NULL };
static const char *const partial_kind[] = { partial_name, NULL };

struct numbered_name snapshot_files_name(unsigned long number)
{
	return numbered_name(name, number);
}

unsigned long snapshot_files_last(int folder_fd)
{
	struct numbered_files files;
	unsigned long last;

	numbered_files_list(folder_fd, kind, &files);
	last = numbered_files_last(&files);
	free(files.numbers);
	return last;
}

void snapshot_files_remove_partial(int folder_fd)
{
	struct numbered_files files;

	numbered_files_list(folder_fd, partial_kind, &files);
	for (size_t i = 0; i < files.count; i++)
		unlinkat(folder_fd, numbered_name(partial_name, files.numbers[i]).text, 0);
	free(files.numbers);
}

void snapshot_files_remove_oldest(int folder_fd)
{
	struct numbered_files files;

	numbered_files_list(folder_fd, kind, &files);
	for (size_t i = 0; i + FILES_MAX < files.count; i++)
		if (unlinkat(folder_fd, numbered_name(name, files.numbers[i]).text, 0) < 0)
			break;
	free(files.numbers);
}
