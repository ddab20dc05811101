/* SPDX-License-Identifier: Apache-2.0 */
/* SurfaceFlinger's recent compositions: when it could have latched a buffer, and whether its own
 * GPU work was part of a present. */
#ifndef JANKD_RULES_WHY_COMPOSITION_H
#define JANKD_RULES_WHY_COMPOSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/why/fence.h"

/* Compositions of two seconds at 240 Hz. A frame that waits for a loss is counted before what its
 * cause needs is replaced: see is_cpu_behind() in frame_queue.c. */
#define COMPOSITIONS_MAX 512

/* Times at which SurfaceFlinger found that a composition was not shown in time. */
#define MISSES_MAX 64

struct composition {
	uint64_t tick_ns;    /* of SurfaceFlinger, to which it answers; 0: unknown */
	uint64_t commit_ns;  /* SurfaceFlinger begins to latch; 0: unknown */
	uint64_t present_ns; /* 0: it presented nothing */
	uint64_t end_ns;     /* SurfaceFlinger is done with it; 0: unknown */
	uint64_t planned_ns; /* the vsync that is to show it; 0: unknown */
	bool adjusted;	     /* planned_ns replaces a vsync that was over at the commit */
	bool missed;	     /* it was not shown then */
	bool missed_by_gpu;  /* as SurfaceFlinger's own GPU work was late */
	bool client;	     /* hasClientComposition: the GPU composed layers */
	fence_id fence;	     /* of that work, or FENCE_NONE */
	bool fence_is_render;
	uint64_t gpu_done_ns; /* the end of that work, in a copy for cause_of(); 0: unknown */
};

struct compositions {
	uint32_t n;		 /* so far */
	struct composition next; /* its tick (set by the owner) and plan, before its commit */
	uint64_t committed_ns;	 /* the last commit; 0: none */
	uint32_t n_misses;	 /* so far */
	struct composition_miss {
		uint64_t time_ns;
		bool by_gpu;
	} misses[MISSES_MAX];
	struct composition all[COMPOSITIONS_MAX];
};

/* SurfaceFlinger wakes up, to compose for the vsync at @planned_ns. Its commit follows. */
static inline void compositions_plan(struct compositions *c, uint64_t planned_ns, bool adjusted)
{
	c->next.adjusted = adjusted;
	c->next.planned_ns = planned_ns;
}

void compositions_commit(struct compositions *c, uint64_t time_ns);
void compositions_present(struct compositions *c, uint64_t time_ns);

/* The composition of the last present ends. */
void compositions_end(struct compositions *c, uint64_t time_ns);

/* hasClientComposition of the next present. */
void compositions_client(struct compositions *c, bool client);

/* SurfaceFlinger queues the fence of its own GPU work for the next present: RenderEngine's, or
 * (@render false, before Android 14) that of the buffer with the result. */
void compositions_fence(struct compositions *c, fence_id id, bool render);

/* FrameMissed and its like: at @time_ns the composition that was due last was not shown. @by_gpu:
 * SurfaceFlinger adds that its own GPU work was late. */
void compositions_missed(struct compositions *c, uint64_t time_ns, bool by_gpu);

/* The first miss between the two times, which may have kept SurfaceFlinger from composing; or NULL.
 */
const struct composition_miss *compositions_miss_in(const struct compositions *c, uint64_t from_ns,
						    uint64_t to_ns);

/* The usual time from a commit to the planned present, up to @present_ns; 0: unknown. A commit that
 * begins late has less time, so three of four have that time at most. */
uint64_t compositions_duration(const struct compositions *c, uint64_t present_ns);

/* When SurfaceFlinger usually begins with a composition that it presents at @present_ns, as far as
 * the last ones up to number @number and since @since_ns tell: at a tick, else at a commit, which
 * are whole periods apart. What is queued later is latched later. 0: unknown. */
uint64_t compositions_usual(const struct compositions *c, uint32_t number, uint64_t since_ns,
			    uint64_t present_ns, uint64_t period_ns);

/* The first one with a commit of @from_ns or later; NULL: unknown, or none. */
const struct composition *compositions_from(const struct compositions *c, uint64_t from_ns);

/* The number of the composition that the next present belongs to. */
uint32_t compositions_next(const struct compositions *c);

/* The one of that number, and the last one before it that presented. NULL: unknown. */
const struct composition *compositions_get(const struct compositions *c, uint32_t number);
const struct composition *compositions_get_before(const struct compositions *c, uint32_t number);

/* The last commit at which SurfaceFlinger could have latched the buffer earlier, when it was queued
 * and the GPU had not finished it; 0: none. Times in ns; @latched_ns: when it was latched. */
uint64_t compositions_waited_for_gpu(const struct compositions *c, uint64_t queued_ns,
				     uint64_t done_ns, uint64_t latched_ns);

/* Events are lost: the present or the end that comes next may be that of another composition than
 * the open one, and the next commit may answer to another tick or plan. */
void compositions_lost(struct compositions *c);

/* Later times cannot be compared with earlier ones. */
void compositions_forget(struct compositions *c);

#endif
