/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that writes the files of a live capture. A disk can hold up whoever writes to it for
 * seconds, and the trace does not wait: jobs stand in a queue of fixed size meanwhile.
 *
 * What belongs to struct files is the thread's while it runs. All functions below are for one other
 * thread, and none of them waits for the disk but file_thread_end(). */
#ifndef JANKD_DAEMON_FILES_FILE_THREAD_H
#define JANKD_DAEMON_FILES_FILE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/files/files.h"

/* The memory of the queue; no page of it is used before it is needed. Five seconds of 10,000 events
 * each second, with a row for every frame, are a quarter of it. */
#define FILE_THREAD_BYTES (UINT64_C(8) << 20)

/* So much of it is for what is more than a row, and for events. */
#define FILE_THREAD_ROWS_MOST (FILE_THREAD_BYTES - (UINT64_C(1) << 20))

/* Something that was told by the thread. */
struct file_news {
	const char *kind; /* as files->tell takes it */
	int64_t wall_ns;  /* when, since 1970 */
	char text[512];
};

struct file_thread;

/* Starts it. @files: borrowed; its ->tell and ->context are the thread's from now on. Returns 0 or
 * -errno. */
int file_thread_start(struct file_thread **out, struct files *files);

/* Queues a copy of @job. False: there is no room for it. */
bool file_thread_post(struct file_thread *thread, const struct file_job *job);

/* Bytes of the queue that are in use. */
uint64_t file_thread_used(struct file_thread *thread);

/* How many jobs were queued, and how many of them are done. */
uint64_t file_thread_posted(const struct file_thread *thread);
uint64_t file_thread_done(struct file_thread *thread);

/* How long the job that is being done takes by now, ns. 0: there is none. */
uint64_t file_thread_busy_ns(struct file_thread *thread);

/* What has become of the jobs that are done. */
void file_thread_look(struct file_thread *thread, struct files_state *state);

/* Takes what the thread told first. False: there is nothing. Of too many at a time the last ones
 * are counted in the last. */
bool file_thread_news(struct file_thread *thread, struct file_news *news);

/* Reads @len bytes at @offset of a spill as they will be when all jobs are done. @read: fills them
 * with what is on the disk now. Returns as that does. */
int file_thread_read_spill(struct file_thread *thread, unsigned int which, uint64_t offset,
			   void *bytes, size_t len,
			   int (*read)(void *context, uint64_t offset, void *bytes, size_t len),
			   void *context);

/* Readable, once, when all jobs are done and something was told, or file_thread_call() asked for
 * it. */
int file_thread_fd(const struct file_thread *thread);
void file_thread_call(struct file_thread *thread);

/* Waits until all jobs are done, and ends it. @thread may be NULL. Returns NULL. */
struct file_thread *file_thread_end(struct file_thread *thread);

#endif
