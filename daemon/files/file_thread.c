/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/file_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/base/wall_clock.h"

#define STACK_BYTES 131072

/* Rows wake the thread up only if this much of the queue is used: those of two seconds with 600
 * drops a second have 1.2 MB. While the thread works, both threads wait for the lock again and
 * again. */
#define WAKE_BYTES (FILE_THREAD_BYTES / 4)

/* Memory beyond this is returned to the system when its jobs are done. A multiple of the size of a
 * page. */
#define KEPT_BYTES (UINT64_C(16) << 10)

/* The thread takes the lock after the job that runs at this time. */
#define JOBS_NS (20 * UINT64_C(1000000))

#define REPORTS_MAX 16

/* A job in the queue. Its bytes follow, padded to 8. */
struct queued {
	struct file_job job; /* its ->bytes follow this struct */
	uint64_t size;	     /* with the bytes: the next job begins there */
};

/* Jobs in the order of posting. */
struct jobs {
	char *bytes;
	uint64_t begin, end; /* of those that are not done */
};

struct file_thread {
	struct session_files *files;
	pthread_t thread;
	pthread_mutex_t lock; /* of all fields below; never held during a write to the disk */
	pthread_cond_t work;
	int idle_fd;
	bool notify_idle; /* file_thread_notify() was called */
	bool may_sleep;	  /* the queued jobs can wait */
	bool is_over;
	/* The thread does the jobs of ->current. When all are done, it takes those of ->next. Each
	 * has space for all jobs of the queue. */
	struct jobs current, next;
	char *bytes;	 /* of both */
	uint64_t used;	 /* bytes of the jobs that are not done */
	uint64_t posted; /* jobs */
	/* Written with the lock, read without it. */
	_Atomic uint64_t done;
	_Atomic uint64_t busy_since_ns; /* a time of loop_now(); 0: idle */
	struct session_files_state state;
	struct file_report reports[REPORTS_MAX];
	unsigned int n_reports, missed_reports;
};

/* --- the queue --- */

bool file_thread_post(struct file_thread *thread, const struct file_job *job, uint64_t most)
{
	uint64_t size = (sizeof(struct queued) + job->len + 7) & ~UINT64_C(7);
	bool can_wait = job->kind == FILE_JOB_ROW || job->kind == FILE_JOB_REPLACE_BYTES ||
			job->kind == FILE_JOB_REPLACE_BEGIN;
	struct jobs *next = &thread->next;
	bool fits, wakes = false;

	pthread_mutex_lock(&thread->lock);
	fits = thread->used < most && thread->used + size <= FILE_THREAD_BYTES;
	if (fits) {
		struct queued *queued = (struct queued *)(void *)(next->bytes + next->end);

		*queued = (struct queued){ .job = *job, .size = size };
		queued->job.bytes = (const char *)(queued + 1);
		if (job->len > 0)
			memcpy(queued + 1, job->bytes, job->len);
		next->end += size;
		thread->used += size;
		thread->posted++;
		if (!can_wait || thread->used > WAKE_BYTES) {
			wakes = thread->may_sleep;
			thread->may_sleep = false;
		}
	}
	pthread_mutex_unlock(&thread->lock);
	/* After the unlock: else the thread would wake up only to wait for the lock. */
	if (wakes)
		pthread_cond_signal(&thread->work);
	return fits;
}

/* --- the thread --- */

void file_thread_report(struct file_thread *thread, const char *kind, const char *text)
{
	pthread_mutex_lock(&thread->lock);
	if (thread->n_reports == REPORTS_MAX) {
		thread->missed_reports++;
	} else {
		struct file_report *report = &thread->reports[thread->n_reports++];

		report->kind = kind;
		report->wall_ns = wall_clock_now();
		snprintf(report->text, sizeof(report->text), "%s", text);
	}
	pthread_mutex_unlock(&thread->lock);
}

/* Does jobs without the lock until JOBS_NS have passed: if it took the lock after each job, both
 * threads would wait for it again and again. Jobs stay in the queue until then, as their bytes are
 * there. */
static void do_jobs(struct file_thread *thread)
{
	struct jobs *jobs = &thread->current;
	uint64_t begin_ns = loop_now(), begin, freed, done = 0;

	if (jobs->end == 0) {
		struct jobs empty = *jobs;

		*jobs = thread->next;
		thread->next = empty;
	}
	begin = jobs->begin;
	thread->busy_since_ns = begin_ns;
	pthread_mutex_unlock(&thread->lock);
	do {
		struct queued *queued = (struct queued *)(void *)(jobs->bytes + jobs->begin);

		session_files_do(thread->files, &queued->job);
		jobs->begin += queued->size;
		done++;
	} while (jobs->begin < jobs->end && loop_now() - begin_ns < JOBS_NS);
	pthread_mutex_lock(&thread->lock);
	thread->busy_since_ns = 0;
	thread->state = thread->files->state;
	thread->done += done;
	thread->used -= jobs->begin - begin;
	freed = jobs->begin < jobs->end ? jobs->begin / KEPT_BYTES * KEPT_BYTES : FILE_THREAD_BYTES;
	if (jobs->begin > KEPT_BYTES)
		madvise(jobs->bytes + KEPT_BYTES, freed - KEPT_BYTES, MADV_DONTNEED);
	if (jobs->begin == jobs->end)
		jobs->begin = jobs->end = 0;
}

static void *work(void *context)
{
	struct file_thread *thread = context;

	pthread_mutex_lock(&thread->lock);
	for (;;) {
		while (!thread->is_over && thread->may_sleep)
			pthread_cond_wait(&thread->work, &thread->lock);
		while (thread->done < thread->posted)
			do_jobs(thread);
		thread->may_sleep = true;
		if (thread->notify_idle || thread->n_reports > 0) {
			thread->notify_idle = false;
			eventfd_write(thread->idle_fd, 1);
		}
		if (thread->is_over)
			break;
	}
	pthread_mutex_unlock(&thread->lock);
	return NULL;
}

/* --- for the other thread --- */

uint64_t file_thread_posted(const struct file_thread *thread)
{
	return thread ? thread->posted : 0;
}

uint64_t file_thread_done(const struct file_thread *thread)
{
	return thread ? thread->done : UINT64_MAX;
}

uint64_t file_thread_busy_ns(const struct file_thread *thread)
{
	uint64_t since_ns = thread ? thread->busy_since_ns : 0;

	return since_ns > 0 ? loop_now() - since_ns : 0;
}

void file_thread_state(struct file_thread *thread, struct session_files_state *state)
{
	pthread_mutex_lock(&thread->lock);
	*state = thread->state;
	pthread_mutex_unlock(&thread->lock);
}

bool file_thread_next_report(struct file_thread *thread, struct file_report *report)
{
	bool any;

	pthread_mutex_lock(&thread->lock);
	any = thread->n_reports > 0;
	if (any) {
		*report = thread->reports[0];
		memmove(thread->reports, thread->reports + 1,
			--thread->n_reports * sizeof(thread->reports[0]));
		if (thread->n_reports == 0 && thread->missed_reports > 0) {
			size_t len = strlen(report->text);

			snprintf(report->text + len, sizeof(report->text) - len, "; and %u more",
				 thread->missed_reports);
			thread->missed_reports = 0;
		}
	}
	pthread_mutex_unlock(&thread->lock);
	return any;
}

int file_thread_fd(const struct file_thread *thread)
{
	return thread->idle_fd;
}

void file_thread_notify(struct file_thread *thread)
{
	pthread_mutex_lock(&thread->lock);
	thread->notify_idle = true;
	thread->may_sleep = false;
	pthread_mutex_unlock(&thread->lock);
	pthread_cond_signal(&thread->work);
}

/* --- begin and end --- */

static struct file_thread *free_all(struct file_thread *thread)
{
	if (thread->idle_fd >= 0)
		close(thread->idle_fd);
	if (thread->bytes != MAP_FAILED)
		munmap(thread->bytes, 2 * FILE_THREAD_BYTES);
	free(thread);
	return NULL;
}

int file_thread_start(struct file_thread **out, struct session_files *files)
{
	struct file_thread *thread = calloc(1, sizeof(*thread));
	pthread_attr_t attributes;
	int error = 0;

	if (!thread)
		return -ENOMEM;
	thread->files = files;
	thread->state = files->state;
	thread->may_sleep = true;
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->work, NULL);
	thread->idle_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	thread->bytes = mmap(NULL, 2 * FILE_THREAD_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (thread->idle_fd < 0 || thread->bytes == MAP_FAILED)
		error = -errno;
	if (error == 0) {
		thread->current.bytes = thread->bytes;
		thread->next.bytes = thread->bytes + FILE_THREAD_BYTES;
		/* Written now, so that memory use does not grow with the first rows. */
		memset(thread->current.bytes, 0, KEPT_BYTES);
		memset(thread->next.bytes, 0, KEPT_BYTES);
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, STACK_BYTES);
		error = -pthread_create(&thread->thread, &attributes, work, thread);
		pthread_attr_destroy(&attributes);
	}
	if (error < 0)
		thread = free_all(thread);
	*out = thread;
	return error;
}

struct file_thread *file_thread_end(struct file_thread *thread)
{
	if (!thread)
		return NULL;
	pthread_mutex_lock(&thread->lock);
	thread->is_over = true;
	pthread_mutex_unlock(&thread->lock);
	pthread_cond_signal(&thread->work);
	pthread_join(thread->thread, NULL);
	return free_all(thread);
}
