/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/latches.h"

#include <stdlib.h>

#include "rules/frames/buffers.h"

void latches_init(struct latch_list *list, struct layer_table *layers, struct memory *memory)
{
	list->layers = layers;
	list->n = 0;
	list->max = layers->max > LATCHES_LEAST ? (unsigned int)layers->max : LATCHES_LEAST;
	list->all = memory_keep(memory, calloc(list->max, sizeof(*list->all)));
}

bool latches_any(const struct latch_list *list, int32_t tid)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (list->all[i].tid == tid)
			return true;
	return false;
}

/* Of a loop over the list that keeps some: @kept so far, and @latch if @is_kept. */
static unsigned int keep(struct latch_list *list, unsigned int kept, const struct latch *latch,
			 bool is_kept)
{
	list->layers->layers[latch->layer].waiting -= !is_kept;
	if (is_kept)
		list->all[kept] = *latch;
	return kept + is_kept;
}

void latches_forget(struct latch_list *list, int32_t tid, bool others)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < list->n; i++)
		kept = keep(list, kept, &list->all[i], (list->all[i].tid == tid) == others);
	list->n = kept;
}

void latches_forget_until(struct latch_list *list, uint64_t time_ns)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < list->n; i++)
		kept = keep(list, kept, &list->all[i], list->all[i].time_ns > time_ns);
	list->n = kept;
}

void latches_make_space(struct latch_list *list, int32_t kept_tid)
{
	const struct layer *layers = list->layers->layers;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < list->n; i++)
		kept = keep(list, kept, &list->all[i],
			    list->all[i].tid == kept_tid && !layers[list->all[i].layer].excluded);
	list->n = kept;
}

void latches_add(struct latch_list *list, const struct latch *latch, uint64_t present, bool alone,
		 int32_t kept_tid)
{
	struct layer *layer = &list->layers->layers[latch->layer];
	bool counted = latch->evidence == EVIDENCE_COUNTER;
	struct latch *known = list->all, *end = list->all + list->n;

	while (known < end && (known->layer != latch->layer || known->tid != latch->tid))
		known++;
	/* Another event of the same latch. */
	if (known < end && !(known->evidence & latch->evidence) &&
	    (known->number < 0 || latch->number < 0 || known->number == latch->number)) {
		known->evidence |= latch->evidence;
		if (known->number < 0)
			known->number = latch->number;
	} else if (!alone) {
		return;
	} else {
		if (known == end) {
			if (list->n == list->max)
				latches_make_space(list, kept_tid);
			if (list->n == list->max)
				return;
			layer->waiting++;
			known = &list->all[list->n++];
		}
		*known = *latch;
		counted |= layer->left_present == present;
		if (!counted && layer->buffers.known)
			known->queued_ns = buffers_oldest(layer); /* until the counter is written */
		else if (!counted)
			known->queued_ns = buffers_pop(layer);
	}
	/* The layer's counter has shown which buffer was latched. */
	if (counted) {
		known->evidence |= EVIDENCE_COUNTER;
		known->queued_ns = layer->left_queued_ns;
		layer->left_present = 0;
	}
}
