/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that writes the files of a live capture. A write to a disk can take seconds, and the
 * trace must be read meanwhile. So jobs wait in a queue of fixed size.
 *
 * While the thread runs, it owns struct session_files. All functions below are to be called from
 * one other thread, except file_thread_report(). Only file_thread_end() waits for the disk. */
#ifndef JANKD_DAEMON_FILES_FILE_THREAD_H
#define JANKD_DAEMON_FILES_FILE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/files/session_files.h"

/* The size of the queue. A page gets memory when it is first used. Five seconds with 10,000 events
 * a second and a row for every frame need a quarter of it. */
#define FILE_THREAD_BYTES (UINT64_C(8) << 20)

/* What session_files.h has reported. */
struct file_report {
	const char *kind; /* as the files reported it */
	int64_t wall_ns;  /* when, since 1970 */
	char text[512];
};

struct file_thread;

/* Starts the thread. @files: borrowed. Returns 0 or -errno. */
int file_thread_start(struct file_thread **out, struct session_files *files);

/* Queues a copy of @job. False: the queue has no space for it, or @most bytes of it are in use. */
bool file_thread_post(struct file_thread *thread, const struct file_job *job, uint64_t most);

/* The number of all jobs that were queued so far, and of those that are done. */
uint64_t file_thread_posted(const struct file_thread *thread);
uint64_t file_thread_done(const struct file_thread *thread);

/* For how long the current job has been running, ns, and at most 20 ms more. 0: no job is running.
 */
uint64_t file_thread_busy_ns(const struct file_thread *thread);

/* Copies the state after the last job that is done. */
void file_thread_state(struct file_thread *thread, struct session_files_state *state);

/* Keeps a report of the files for the other thread. Called by a job. */
void file_thread_report(struct file_thread *thread, const char *kind, const char *text);

/* Removes the oldest report and copies it. False: there is none. If the list was full, the text of
 * its last report ends with the number of those that were dropped. */
bool file_thread_next_report(struct file_thread *thread, struct file_report *report);

/* Becomes readable when there is a report. After file_thread_notify() also, once, when all jobs are
 * done. */
int file_thread_fd(const struct file_thread *thread);
void file_thread_notify(struct file_thread *thread);

/* Waits until all jobs are done, and ends the thread. @thread may be NULL. Returns NULL. */
struct file_thread *file_thread_end(struct file_thread *thread);

#endif
