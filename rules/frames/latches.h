/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that SurfaceFlinger latched and that its thread has not presented yet.
 *
 * Up to three kinds of events show one latch: an instant with the buffer's number, a falling
 * counter, a slice. Each kind comes once, in any order. A second event of the same kind is another
 * latch of the layer: the composition of the first one was skipped, and the last latch counts.
 */
#ifndef JANKD_RULES_FRAMES_LATCHES_H
#define JANKD_RULES_FRAMES_LATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/frames/layer_table.h"

/* The least number of entries. With one for each layer all latches of a thread fit. */
#define LATCHES_LEAST 320

/* The kinds of events that show a latch. */
enum evidence {
	EVIDENCE_COUNTER = 1,
	EVIDENCE_INSTANT = 2,
	EVIDENCE_SLICE = 4,
};

struct latch {
	int layer;
	int32_t tid;
	unsigned int evidence; /* mask of the kinds of events so far */
	uint64_t time_ns;
	uint64_t queued_ns; /* 0: unknown */
	int64_t number;	    /* of the buffer, or -1 */
};

struct latch_list {
	struct layer_table *layers; /* borrowed */
	unsigned int n, max;
	struct latch *all; /* in the order of time; each keeps its layer in the table */
};

/* @layers: borrowed. */
void latches_init(struct latch_list *list, struct layer_table *layers, struct memory *memory);

/**
 * latches_add() - an event shows a latch
 * @latch: copied, except for queued_ns, which comes from the layer's queue
 * @present: number of the next present
 * @alone: the event may be the only one of its latch
 * @kept_tid: for latches_make_space(), if there is no space
 */
void latches_add(struct latch_list *list, const struct latch *latch, uint64_t present, bool alone,
		 int32_t kept_tid);

/* True: the thread has latched a buffer. */
bool latches_any(const struct latch_list *list, int32_t tid);

/* Drops the latches of @tid, or (@others) of all other threads. */
void latches_forget(struct latch_list *list, int32_t tid, bool others);

/* Drops the latches up to @time_ns. */
void latches_forget_until(struct latch_list *list, uint64_t time_ns);

/* Drops the latches of excluded layers, and of all threads except @kept_tid. */
void latches_make_space(struct latch_list *list, int32_t kept_tid);

#endif
