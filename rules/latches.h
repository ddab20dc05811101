/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that SurfaceFlinger took, and no present of that thread has come since.
 *
 * Up to three kinds of events tell of one latch: an instant with the buffer's number, a counter
 * that falls, a slice. Each kind does so once, in whatever order: a second time is another latch of
 * the layer, whose composition before was skipped, and the last one counts.
 */
#ifndef JANKD_RULES_LATCHES_H
#define JANKD_RULES_LATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/layer_table.h"

/* At least so many have room, and one of each layer: all of a thread's. */
#define LATCHES_LEAST 320

/* What kind of event told of a latch. */
enum evidence {
	EVIDENCE_COUNTER = 1,
	EVIDENCE_INSTANT = 2,
	EVIDENCE_SLICE = 4,
};

struct latch {
	int layer;
	int32_t tid;
	unsigned int evidence; /* what has told of it so far */
	uint64_t time_ns;
	uint64_t queued_ns; /* 0: unknown */
	int64_t number;	    /* of the frame, or -1 */
};

struct latch_list {
	unsigned int n, max;
	struct latch *all; /* in order; their layers count as waiting */
};

/* @layers: so many there may be. Returns 0 or -ENOMEM; latches_free() is due in any case. */
int latches_init(struct latch_list *list, unsigned int layers);
void latches_free(struct latch_list *list);

/**
 * latches_add() - an event told of a latch
 * @latch: all but queued_ns, which the layer's queue tells
 * @present: number of the present that will come
 * @alone: may the event tell of a latch that no other has told of?
 * @kept_tid: where there is no room, latches of all other threads go
 */
void latches_add(struct latch_list *list, struct layer_table *layers, const struct latch *latch,
		 uint64_t present, bool alone, int32_t kept_tid);

/* Has the thread latched anything? */
bool latches_any(const struct latch_list *list, int32_t tid);

/* Gives up the latches of @tid, or of all other threads. */
void latches_forget(struct latch_list *list, struct layer_table *layers, int32_t tid, bool others);

/* Gives up those of layers that are not to be counted. */
void latches_forget_hidden(struct latch_list *list, struct layer_table *layers);

#endif
