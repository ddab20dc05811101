/* SPDX-License-Identifier: Apache-2.0 */
/* Fences in the trace: when the GPU had finished a buffer, and when the display gave one back.
 *
 * libgui's FenceMonitor (Surface.cpp, from Android 10; FenceMonitor.cpp, from 14) has a list of
 * fences and a thread that waits for one after the other. A process has one of them for each kind:
 *
 *     thread that queues             B|pid|Trace GPU completion fence 7           <- queued
 *     thread 'GPU completion'        B|pid|waiting for GPU completion 7 ... E     <- done
 *     thread that queues             B|pid|GPU completion fence 8 has signaled    <- done before
 *
 * The number of a wait is the count of fences that have signalled so far. It is greater than that
 * of its fence if fences that were queued later had signalled at once. So a wait belongs to the
 * oldest fence of the list, and the number must fit.
 *
 * Fences of two contexts of the GPU may signal in another order than they were queued. The thread
 * comes to such a fence when it was done long ago, and the wait for it ends at once. A thread has
 * one context; one that draws with two of them is not known.
 */
#ifndef JANKD_RULES_WHY_FENCE_H
#define JANKD_RULES_WHY_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/base/table.h"

/* Kinds and steps are in the order of the roles of rules. */
enum fence_kind {
	FENCE_GPU,     /* "GPU completion": a buffer is drawn */
	FENCE_RELEASE, /* "HWC release": the display no longer reads a buffer */
	FENCE_RENDER,  /* "RE Completion": SurfaceFlinger's RenderEngine has composed, from 14 on */
};

enum fence_step {
	FENCE_QUEUED,
	FENCE_SIGNALED, /* queued, and done before that */
	FENCE_WAITED,	/* the wait for it begins */
};

/* A mark of a fence: what the name of a slice says. */
struct fence_mark {
	enum fence_kind kind;
	enum fence_step step;
	uint64_t number;
};

struct fence {
	uint64_t queued_ns;
	int32_t thread;	    /* that queued it */
	bool behind;	    /* it may have been done while another one was waited for */
	uint64_t waited_ns; /* the wait for it began */
	uint64_t done_ns;   /* 0: unknown. queued_ns: it was done when it was queued */
};

/* Number of a fence in the table; it becomes invalid when FENCES_MAX later ones were queued. */
typedef uint32_t fence_id;
#define FENCE_NONE 0

#define FENCES_MAX 1024
#define FENCE_LISTS_MAX 32
#define FENCE_LIST_MAX 16

/* The fences of one kind and process that are not waited for yet. */
struct fence_list {
	int32_t process;
	enum fence_kind kind;
	uint64_t last_use;
	uint64_t signaled; /* fences that were done when they were queued */
	fence_id waited;   /* the last one that was waited for */
	unsigned int n;
	struct fence_entry {
		fence_id id;
		uint64_t number;
		uint64_t signaled; /* of the list when it was queued */
	} entries[FENCE_LIST_MAX];
};

struct fence_table {
	fence_id last; /* the newest */
	struct fence fences[FENCES_MAX];
	unsigned int n_lists;
	struct fence_list lists[FENCE_LISTS_MAX];
	uint64_t uses;
	uint64_t evicted; /* fences and waits dropped, as a table was full: their end is unknown */
};

/* @thread of @process queues a fence, or (FENCE_SIGNALED) one that is done. Returns its id. */
fence_id fences_queue(struct fence_table *table, int32_t process, int32_t thread,
		      const struct fence_mark *mark, uint64_t time_ns);

/* @process begins to wait. Returns the fence that it waits for, or FENCE_NONE. */
fence_id fences_wait(struct fence_table *table, int32_t process, const struct fence_mark *mark,
		     uint64_t time_ns);

/* The wait for @id ends, and shows when that fence was done if it was not when the wait began. */
void fences_done(struct fence_table *table, fence_id id, uint64_t time_ns);

/* NULL: the fence is not in the table any more. */
static inline const struct fence *fences_get(const struct fence_table *table, fence_id id)
{
	if (id == FENCE_NONE || table->last - id >= FENCES_MAX)
		return NULL;
	return RING_AT(table->fences, id);
}

/* Marks may be lost: the ends of fences that are not waited for yet are unknown. */
static inline void fences_forget(struct fence_table *table)
{
	table->n_lists = 0;
}

#endif
