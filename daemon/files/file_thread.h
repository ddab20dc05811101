/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that writes the files of a live capture. A write to a disk can take seconds, and the
 * trace does not wait: meanwhile jobs are kept in a queue of fixed size.
 *
 * While the thread runs it owns struct session_files, but for what that header names. All functions
 * below are for one other thread; only file_thread_end() waits for the disk. */
#ifndef JANKD_DAEMON_FILES_FILE_THREAD_H
#define JANKD_DAEMON_FILES_FILE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/files/session_files.h"

/* The memory of the queue; its pages are used only when they are needed. Five seconds of 10,000
 * events each second, with a row for every frame, are a quarter of it. */
#define FILE_THREAD_BYTES (UINT64_C(8) << 20)

/* Rows use only so much of it: the rest is for other jobs, and for events. */
#define FILE_THREAD_ROWS_MOST (FILE_THREAD_BYTES - (UINT64_C(1) << 20))

/* A report of the files. */
struct file_report {
	const char *kind; /* as files->report gets it */
	int64_t wall_ns;  /* when, since 1970 */
	char text[512];
};

struct file_thread;

/* Starts it. @files: borrowed; its ->report and ->context are set. Returns 0 or -errno. */
int file_thread_start(struct file_thread **out, struct session_files *files);

/* Queues a copy of @job. False: the queue has no space for it. */
bool file_thread_post(struct file_thread *thread, const struct file_job *job);

/* Bytes of the queue that are in use. */
uint64_t file_thread_used(struct file_thread *thread);

/* How many jobs were queued, and how many of them are done. */
uint64_t file_thread_posted(const struct file_thread *thread);
uint64_t file_thread_done(struct file_thread *thread);

/* For how long the current job has been running, ns. 0: there is none. */
uint64_t file_thread_busy_ns(struct file_thread *thread);

/* Copies the result of the jobs that are done. */
void file_thread_state(struct file_thread *thread, struct session_files_state *state);

/* Removes the oldest report and copies it. False: there is none. Of too many at a time the last
 * ones are only counted, in the last. */
bool file_thread_next_report(struct file_thread *thread, struct file_report *report);

/* Reads @len bytes at @offset of a spill as they will be when all jobs are done. @read: reads them
 * from the disk as they are now. Returns as @read does. */
int file_thread_read_spill(struct file_thread *thread, unsigned int which, uint64_t offset,
			   void *bytes, size_t len,
			   int (*read)(void *context, uint64_t offset, void *bytes, size_t len),
			   void *context);

/* Becomes readable, once, when all jobs are done and there is a report, or file_thread_notify()
 * requested it. */
int file_thread_fd(const struct file_thread *thread);
void file_thread_notify(struct file_thread *thread);

/* Waits until all jobs are done, and ends it. @thread may be NULL. Returns NULL. */
struct file_thread *file_thread_end(struct file_thread *thread);

#endif
