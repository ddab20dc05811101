/* SPDX-License-Identifier: Apache-2.0 */
/* Names and processes of the threads that write events. Raw events have only the kernel's number of
 * the thread; /proc has the rest.
 *
 * It also decides which process is SurfaceFlinger: the one of that name that writes into this trace
 * and is not an app. Apps have user ids of their own, and any app can give itself that name. The
 * first such process counts as long as it lives, unless one comes that init has started, or whose
 * program is SurfaceFlinger's.
 *
 * Entries are bounded, and read again after a while: the kernel reuses a thread's number after it
 * has ended, but not before all other numbers were used.
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
	int32_t tid;	    /* 0: unused */
	int32_t tgid;	    /* TRACE_ID_UNKNOWN where the thread has ended */
	uint64_t read_ns;   /* on the clock of loop_now() */
	unsigned int trust; /* how sure it is that the process is SurfaceFlinger */
	bool is_app;
	char comm[16];
};

struct thread_cache {
	const char *proc;	/* "/proc" */
	int32_t surfaceflinger; /* its process, or TRACE_ID_UNKNOWN */
	unsigned int trust;	/* how sure that is */
	int alive;		/* an open file of it, readable as long as it lives; or < 0 */
	uint64_t reads;		/* threads that were read from /proc, with repetition */
	struct cached_thread known[THREAD_CACHE_SETS][THREAD_CACHE_WAYS];
};

/* @proc: borrowed. */
void thread_cache_begin(struct thread_cache *cache, const char *proc);

/* Closes what @cache holds open. */
void thread_cache_end(struct thread_cache *cache);

/* Checks whether SurfaceFlinger's process still lives. To be called with every drain. */
void thread_cache_follow(struct thread_cache *cache);

/* Sets tgid, comm and writer of a raw event's record by its tid. comm is valid until the next call.
 * @now_ns: on the clock of loop_now(). */
void thread_cache_name(struct thread_cache *cache, struct trace_record *record, uint64_t now_ns);

/* Corrects comm, and sets tgid where it is unknown, of a record from text. The kernel remembers few
 * names ("<...>" for the others), and where a number was reused it may have the old one. The writer
 * stays unknown, as lines can be forged. */
void thread_cache_recall(struct thread_cache *cache, struct trace_record *record, uint64_t now_ns);

#endif
