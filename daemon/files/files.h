/* SPDX-License-Identifier: Apache-2.0 */
/* The door of files/: rows to files. Other rooms include this header and no other of this folder.
 *
 *      rules/ (struct row_sink)         other rooms (session.json, events, "rotate now")
 *         |  rows, as values                 |
 *         v                                  v
 *      output     1. decide: type, --trigger (trigger_gate)
 *         |          events: sorted by time (event_queue)
 *         v
 *      csv        2. format: a row becomes a line of text
 *         |
 *         v
 *      file_thread   the queue of jobs: 8 MB, live captures only
 *         |
 *   = = = | = = = =  below: that thread, or the caller if the trace is recorded  = = = = = =
 *         v
 *      session_files    does the jobs, and watches folder, lock and disk (disk_floor)
 *         |     |
 *         |     +--> numbered_files: fps.csv becomes fps-000001.csv; the oldest are removed
 *         v
 *      csv_file   3. append: whole rows to a buffer, the buffer to the disk
 *
 * A row goes this way once, and in one direction. A failure of the disk comes back as a report,
 * which output writes as an event.
 *
 * Threads. The thread that reads the trace decides and formats; it never waits for the disk. The
 * thread of file_thread makes all calls that may wait. They share the queue and a copy of
 * struct session_files_state.
 *
 * Memory. All of it is allocated at the start: the queue, a buffer for each file, 2 MB for the rows
 * before a trigger. A row for which the queue has no space is lost, and counted.
 *
 * Other parts:
 *      snapshot         the trace around a late frame, as a file through the same queue
 *      numbered_files   segments (fps-000001.csv) and snapshots: names, numbers, the oldest; files
 *                       of an earlier session are repaired, and become a segment
 *      file_list        lists and reads the files for a program that copies them
 *
 * Start reading: output.h, then output.c from "--- rows ---" on, csv.c, csv_file.h,
 * session_files.c. */
#ifndef JANKD_DAEMON_FILES_FILES_H
#define JANKD_DAEMON_FILES_FILES_H

/* Complete types: a session has one of each. */
#include "daemon/files/output.h"
#include "daemon/files/snapshot.h"

#include "daemon/files/file_list.h"
#include "daemon/files/numbered_files.h"

#endif
