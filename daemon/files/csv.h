/* SPDX-License-Identifier: Apache-2.0 */
/* A row of each CSV file to text. */
#ifndef JANKD_DAEMON_FILES_CSV_H
#define JANKD_DAEMON_FILES_CSV_H

#include "daemon/files/csv_file.h"
#include "rules/row.h"

void csv_fps_row(struct csv_file *file, const struct fps_row *row);
void csv_drop_row(struct csv_file *file, const struct drop_row *row);
void csv_frame_row(struct csv_file *file, const struct frame_row *row);
void csv_summary_row(struct csv_file *file, const struct summary_row *row);

/* @time_ns: ROW_UNKNOWN is empty; @wall: "" is empty. */
void csv_event_row(struct csv_file *file, int64_t time_ns, const char *wall, const char *kind,
		   const char *text);

#endif
