/* SPDX-License-Identifier: Apache-2.0 */
/* Names and processes of the threads that write events. Raw events have only the kernel's number of
 * the thread; /proc has the rest.
 *
 * It also decides which process is SurfaceFlinger: a process with that name that writes into this
 * trace and is not an app. Any app can have that name, but apps have user ids of their own. The
 * first such process counts while it lives. It is replaced if another one is more certain: a
 * process that init has started, or that runs SurfaceFlinger's program.
 *
 * The number of entries is limited. An entry is read again after a while, because the kernel reuses
 * the number of a thread that has ended, but not before all other numbers were used.
 */
#ifndef JANKD_DAEMON_TRACE_THREAD_CACHE_H
#define JANKD_DAEMON_TRACE_THREAD_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

/* Threads are cached in sets by their number; a full set evicts the entry that was read first. */
#define THREAD_CACHE_SETS 128
#define THREAD_CACHE_WAYS 8

#define THREAD_CACHE_SECOND UINT64_C(1000000000)

struct cached_thread {
	int32_t tid;	    /* 0: unused */
	int32_t tgid;	    /* TRACE_ID_UNKNOWN if the thread has ended */
	uint64_t read_ns;   /* on the clock of loop_now() */
	unsigned int trust; /* how certain it is that the process is SurfaceFlinger */
	bool is_app;
	uint8_t fresh_s; /* for how long the entry is valid */
	uint8_t comm_length;
	char comm[16];
};

struct thread_cache {
	const char *proc;	/* "/proc" */
	int32_t surfaceflinger; /* its process, or TRACE_ID_UNKNOWN */
	unsigned int trust;	/* how certain that is */
	int alive;		/* an open file of it, readable while it lives; or < 0 */
	uint64_t reads;		/* reads of threads from /proc */
	struct cached_thread known[THREAD_CACHE_SETS][THREAD_CACHE_WAYS];
};

/* @proc: borrowed. */
void thread_cache_begin(struct thread_cache *cache, const char *proc);

/* Closes the files of @cache. */
void thread_cache_end(struct thread_cache *cache);

/* Checks whether SurfaceFlinger's process still lives. Call it with every drain. */
void thread_cache_follow(struct thread_cache *cache);

/* True: the entry is that of @tid, and is not old. */
static inline bool cached_thread_is(const struct cached_thread *thread, int32_t tid,
				    uint64_t now_ns)
{
	return thread->tid == tid &&
	       now_ns - thread->read_ns < thread->fresh_s * THREAD_CACHE_SECOND;
}

/* The entry of @tid, which is read from /proc if it is missing or old. It becomes the first of its
 * set. */
const struct cached_thread *thread_cache_find(struct thread_cache *cache, int32_t tid,
					      uint64_t now_ns);

/* The same. Nearly all events are of threads whose entry is the first. */
static inline const struct cached_thread *thread_cache_get(struct thread_cache *cache, int32_t tid,
							   uint64_t now_ns)
{
	const struct cached_thread *thread = cache->known[(uint32_t)tid % THREAD_CACHE_SETS];

	if (cached_thread_is(thread, tid, now_ns))
		return thread;
	return thread_cache_find(cache, tid, now_ns);
}

/* Sets tgid, comm and writer of a raw event's record by its tid. comm is valid until the next call.
 * @now_ns: on the clock of loop_now(). Hot path: called for each record. */
static inline void thread_cache_name(struct thread_cache *cache, struct trace_record *record,
				     uint64_t now_ns)
{
	const struct cached_thread *thread = thread_cache_get(cache, record->tid, now_ns);

	record->tgid = thread->tgid;
	record->comm = (struct span){ thread->comm, thread->comm_length };
	/* While SurfaceFlinger lives, a thread that has ended was not one of its threads. */
	if (cache->surfaceflinger == TRACE_ID_UNKNOWN)
		record->writer = thread->is_app ? TRACE_WRITER_OTHER : TRACE_WRITER_UNKNOWN;
	else
		record->writer = thread->tgid == cache->surfaceflinger ? TRACE_WRITER_SURFACEFLINGER
								       : TRACE_WRITER_OTHER;
}

/* Corrects comm of a record from text, and sets tgid if it is unknown. The kernel keeps few names
 * ("<...>" for the others), and after a number was reused it may have the old name. The writer
 * stays unknown, because lines can be forged. */
void thread_cache_correct(struct thread_cache *cache, struct trace_record *record, uint64_t now_ns);

#endif
