/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of every CSV file: the first line of each, without its line end. */
#ifndef JANKD_DAEMON_BASE_CSV_COLUMNS_H
#define JANKD_DAEMON_BASE_CSV_COLUMNS_H

extern const char csv_fps_header[];
extern const char csv_drop_header[];
extern const char csv_frame_header[];
extern const char csv_doframe_header[];
extern const char csv_timeline_header[];
extern const char csv_latency_header[];
extern const char csv_summary_header[];
extern const char csv_event_header[];

#endif
