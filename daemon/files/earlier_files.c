/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/earlier_files.h"

#include <errno.h>
#include <unistd.h>

#include "daemon/base/csv_files.h"
#include "daemon/base/report.h"
#include "daemon/files/csv_file.h"
#include "daemon/files/numbered_files.h"

static void restore_names(const struct folder *folder)
{
	for (int i = 0; folder->kept && i < CSV_FILES; i++)
		segments_reopen(folder->fd, csv_files[i].name, folder->kept);
}

int earlier_files_keep(struct folder *folder, bool reports)
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
	segments_sync(fd);
	if (error < 0 && reports)
		report("%s/%s: the file of an earlier session cannot be renamed: %s; %s",
		       folder->path, name, folder_why(error), folder_advice(error));
	return error;
}

void earlier_files_put_back(const struct folder *folder)
{
	segments_remove_above(folder->fd, folder->last);
	for (int i = 0; i < CSV_FILES; i++)
		unlinkat(folder->fd, csv_files[i].name, 0);
	restore_names(folder);
	segments_sync(folder->fd);
}
