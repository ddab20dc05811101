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

struct cached_thread {
	int32_t tid;	   /* 0: unused */
	int32_t tgid;	   /* TRACE_ID_UNKNOWN if the thread has ended */
	uint64_t read_ns;  /* on the clock of loop_now() */
	uint64_t until_ns; /* the entry is valid before */
	bool is_app;
	uint8_t comm_length;
	char comm[16];
};

struct thread_cache {
	const char *proc;	/* "/proc" */
	int32_t surfaceflinger; /* its process, or TRACE_ID_UNKNOWN */
	unsigned int trust;	/* how certain it is that this is SurfaceFlinger */
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
	return thread->tid == tid && now_ns < thread->until_ns;
}

/* The entry of @tid, which is read from /proc if it is missing or old. It becomes the first of its
 * set. */
const struct cached_thread *thread_cache_find(struct thread_cache *cache, int32_t tid,
					      uint64_t now_ns);

/* The same if that changes nothing: the entry is the first of its set, and not old. Else NULL.
 * Nearly all events are of such threads. */
static inline const struct cached_thread *thread_cache_first(const struct thread_cache *cache,
							     int32_t tid, uint64_t now_ns)
{
	const struct cached_thread *thread = cache->known[(uint32_t)tid % THREAD_CACHE_SETS];

	return cached_thread_is(thread, tid, now_ns) ? thread : NULL;
}

/* Sets tgid, comm and writer of a raw event's record by its @thread. comm is valid until the next
 * thread_cache_find(). Hot path: called for each record. */
static inline void thread_cache_name(const struct thread_cache *cache,
				     const struct cached_thread *thread,
				     struct trace_record *record)
{
	record->tgid = thread->tgid;
	record->comm = (struct span){ thread->comm, thread->comm_length };
	/* While SurfaceFlinger lives, a thread that has ended was not one of its threads. */
	if (cache->surfaceflinger == TRACE_ID_UNKNOWN)
		record->writer = thread->is_app ? TRACE_WRITER_OTHER : TRACE_WRITER_UNKNOWN;
	else
		record->writer = thread->tgid == cache->surfaceflinger ? TRACE_WRITER_SURFACEFLINGER
								       : TRACE_WRITER_OTHER;
}

/* Corrects comm of a record from text by its @thread, and sets tgid if it is unknown. The kernel
 * keeps few names ("<...>" for the others), and after a number was reused it may have the old name.
 * The writer stays unknown, because lines can be forged. comm is valid as above. */
static inline void thread_cache_correct(const struct cached_thread *thread,
					struct trace_record *record)
{
	if (thread->comm_length > 0)
		record->comm = (struct span){ thread->comm, thread->comm_length };
	if (record->tgid == TRACE_ID_UNKNOWN)
		record->tgid = thread->tgid;
}

#endif
