/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session: the one list of them. A new CSV file is added in rules/base/row.h with
 * the struct of its rows (its place there is the order in which low disk space stops the files),
 * and in csv_files.c with its name, columns and condition. Its rows come through struct row_sink to
 * daemon/files/output.c; csv_kinds of daemon/files/csv.c has their format. Assertions and tests
 * name what lists all files besides: jank-report's JSON, jankd-csv(5), tests/lib. */
#ifndef JANKD_DAEMON_BASE_CSV_FILES_H
#define JANKD_DAEMON_BASE_CSV_FILES_H

#include <stdbool.h>

#include "rules/base/row.h"

struct options;

extern const struct csv_file_info {
	const char *name;
	const char *header; /* its first line, without the line end; NULL: session.json */
	bool is_lazy;	    /* appears with its first row: most sessions have none */
} csv_files[CSV_FILES];

/* True: the options require this file with rows. */
bool csv_files_wanted(enum csv_file_kind which, const struct options *options);

#endif
