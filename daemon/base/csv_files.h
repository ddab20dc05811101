/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session: the one list of them. A new CSV file is added here, and in csv_files.c
 * with its name, columns and condition. Its rows come through struct row_sink (rules/base/row.h) to
 * output_sink() in daemon/files/output.c; csv_kinds of daemon/files/csv.h has their
 * format. */
#ifndef JANKD_DAEMON_BASE_CSV_FILES_H
#define JANKD_DAEMON_BASE_CSV_FILES_H

#include <stdbool.h>

struct options;

/* First the files to which rows are appended, in the order in which low disk space stops them
 * (disk_floor.h); then those that are replaced as a whole. */
enum csv_file_kind {
	ROW_FRAMES,
	ROW_TIMELINE,
	ROW_DROPS,
	ROW_DOFRAMES,
	ROW_LATENCY,
	ROW_FPS,
	ROW_EVENTS,
	ROW_FILES, /* their number */
	CSV_SUMMARY = ROW_FILES,
	CSV_SESSION,
	CSV_FILES,
};

extern const struct csv_file_info {
	const char *name;
	const char *header; /* its first line, without the line end; NULL: session.json */
	bool is_lazy;	    /* appears with its first row: most sessions have none */
} csv_files[CSV_FILES];

/* True: the options require this file with rows. */
bool csv_files_wanted(enum csv_file_kind which, const struct options *options);

#endif
