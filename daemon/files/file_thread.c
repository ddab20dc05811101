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

/* Memory beyond this is returned to the system when the queue becomes empty. */
#define KEPT_BYTES (UINT64_C(32) << 10)

/* The thread takes the lock after the job that runs at this time. */
#define JOBS_NS (20 * UINT64_C(1000000))

#define REPORTS_MAX 16

/* A job in the queue. Its bytes follow, padded to 8. */
struct queued {
	struct file_job job; /* its ->bytes follow this struct */
	uint64_t size;	     /* with the bytes: the next job begins there */
	bool is_gap;	     /* no job: the next one is at the start of the memory */
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
	char *bytes;
	uint64_t begin, end, high; /* of the jobs in the memory, in bytes */
	uint64_t posted;	   /* jobs */
	/* Written with the lock, read without it. */
	_Atomic uint64_t used, done;
	_Atomic uint64_t busy_since_ns; /* a time of loop_now(); 0: idle */
	struct session_files_state state;
	struct file_report reports[REPORTS_MAX];
	unsigned int n_reports, missed_reports;
};

/* --- the queue --- */

static struct queued *queued_at(const struct file_thread *thread, uint64_t at)
{
	return (struct queued *)(void *)(thread->bytes + at);
}

/* Finds a place for a job of @size in one piece; UINT64_MAX: there is none. */
static uint64_t find_place(struct file_thread *thread, uint64_t size)
{
	uint64_t tail = FILE_THREAD_BYTES - thread->end;

	if (thread->used > 0 && thread->end <= thread->begin)
		return thread->begin - thread->end >= size ? thread->end : UINT64_MAX;
	if (tail >= size)
		return thread->end;
	if (thread->begin < size)
		return UINT64_MAX;
	/* If not even a struct queued fits, next_job() detects the gap by its size. */
	if (tail >= sizeof(struct queued))
		*queued_at(thread, thread->end) = (struct queued){ .is_gap = true };
	thread->used += tail;
	return 0;
}

/* The job at @at, or after the gap there. Moves @at behind it. */
static struct queued *next_job(const struct file_thread *thread, uint64_t *at)
{
	struct queued *queued;

	if (FILE_THREAD_BYTES - *at < sizeof(struct queued) || queued_at(thread, *at)->is_gap)
		*at = 0;
	queued = queued_at(thread, *at);
	*at += queued->size;
	if (*at == FILE_THREAD_BYTES)
		*at = 0;
	return queued;
}

/* Removes the jobs before @end. There must be one. */
static void forget_until(struct file_thread *thread, uint64_t end)
{
	thread->used -=
		end > thread->begin ? end - thread->begin : FILE_THREAD_BYTES - thread->begin + end;
	thread->begin = end;
	if (thread->used > 0)
		return;
	/* Starts at the beginning again, so that a short queue always uses the same few pages. */
	if (thread->high > KEPT_BYTES)
		madvise(thread->bytes + KEPT_BYTES, FILE_THREAD_BYTES - KEPT_BYTES, MADV_DONTNEED);
	thread->begin = thread->end = thread->high = 0;
}

bool file_thread_post(struct file_thread *thread, const struct file_job *job)
{
	uint64_t size = (sizeof(struct queued) + job->len + 7) & ~UINT64_C(7), at;
	bool can_wait = job->kind == FILE_JOB_ROW || job->kind == FILE_JOB_REPLACE_BYTES ||
			job->kind == FILE_JOB_REPLACE_BEGIN;
	struct queued *queued;
	bool wakes = false;

	pthread_mutex_lock(&thread->lock);
	at = find_place(thread, size);
	if (at != UINT64_MAX) {
		queued = queued_at(thread, at);
		*queued = (struct queued){ .job = *job, .size = size };
		queued->job.bytes = (const char *)(queued + 1);
		if (job->len > 0)
			memcpy(queued + 1, job->bytes, job->len);
		thread->end = at + size == FILE_THREAD_BYTES ? 0 : at + size;
		thread->used += size;
		if (at + size > thread->high)
			thread->high = at + size;
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
	return at != UINT64_MAX;
}

/* --- the thread --- */

/* Called by the thread, without the lock. */
static void add_report(void *context, const char *kind, const char *text)
{
	struct file_thread *thread = context;

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
	uint64_t n = thread->posted - thread->done, at = thread->begin, done = 0;
	uint64_t begin_ns = loop_now();

	thread->busy_since_ns = begin_ns;
	pthread_mutex_unlock(&thread->lock);
	do {
		session_files_do(thread->files, &next_job(thread, &at)->job);
		done++;
	} while (done < n && loop_now() - begin_ns < JOBS_NS);
	pthread_mutex_lock(&thread->lock);
	thread->busy_since_ns = 0;
	thread->state = thread->files->state;
	thread->done += done;
	forget_until(thread, at);
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

uint64_t file_thread_used(const struct file_thread *thread)
{
	return thread->used;
}

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
		munmap(thread->bytes, FILE_THREAD_BYTES);
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
	thread->bytes = mmap(NULL, FILE_THREAD_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (thread->idle_fd < 0 || thread->bytes == MAP_FAILED)
		error = -errno;
	session_files_set_report(files, add_report, thread);
	if (error == 0) {
		/* Written now, so that memory use does not grow with the first rows. */
		memset(thread->bytes, 0, KEPT_BYTES);
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
