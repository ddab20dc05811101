/* SPDX-License-Identifier: Apache-2.0 */
/* Who wrote an event? Raw events say no more than the kernel's number of the writer's thread; whose
 * thread it is stands in /proc. SurfaceFlinger is the process of that name that writes into this
 * trace and is no app: apps have users of their own, and any of them can give itself a name. Who is
 * taken for it stays it as long as it lives, unless one comes that init has started, or whose
 * program it is.
 *
 * What was found is kept, bounded, and asked again after a while: a number goes to another thread
 * once its owner is gone, but not before all other numbers have been given away.
 */
#ifndef JANKD_DAEMON_TRACE_THREAD_CACHE_H
#define JANKD_DAEMON_TRACE_THREAD_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

/* Threads that are known at a time, in sets by their number: in a full one the one that was asked
 * about longest ago goes. */
#define THREAD_CACHE_SETS 128
#define THREAD_CACHE_WAYS 8

struct cached_thread {
	int32_t tid;	    /* 0: unused */
	int32_t tgid;	    /* TRACE_ID_UNKNOWN where the thread is gone */
	uint64_t asked_ns;  /* on the clock of loop_now() */
	unsigned int trust; /* how sure it is that the process is SurfaceFlinger */
	bool is_app;
	char comm[16];
};

struct thread_cache {
	const char *proc;	/* "/proc" */
	int32_t surfaceflinger; /* its process, or TRACE_ID_UNKNOWN */
	unsigned int trust;	/* how sure that is */
	int alive;		/* a file of it: readable as long as it is there, or < 0 */
	uint64_t asked;		/* times that a thread was asked about */
	struct cached_thread known[THREAD_CACHE_SETS][THREAD_CACHE_WAYS];
};

/* @proc: borrowed. */
void thread_cache_begin(struct thread_cache *cache, const char *proc);

/* Frees what @writers holds besides its memory. */
void thread_cache_end(struct thread_cache *cache);

/* Looks whether SurfaceFlinger is still there. To be called with every drain. */
void thread_cache_follow(struct thread_cache *cache);

/* Sets tgid, comm and writer of @record by its tid. comm borrows from @writers, until the next
 * call. */
void thread_cache_name(struct thread_cache *cache, struct trace_record *record, uint64_t now_ns);

/* The name and process of a line of text's writer, where /proc knows it: the kernel's own memory of
 * names has forgotten many ("<...>"), and of those whose number was another's before it has the
 * other's. Who wrote it stays unknown: lines can be forged. */
void thread_cache_recall(struct thread_cache *cache, struct trace_record *record, uint64_t now_ns);

#endif
