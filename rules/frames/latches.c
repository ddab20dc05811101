/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/latches.h"

#include <errno.h>
#include <stdlib.h>

#include "rules/frames/buffers.h"

int latches_init(struct latch_list *list, struct layer_table *layers)
{
	list->layers = layers;
	list->n = 0;
	list->max = layers->max > LATCHES_LEAST ? (unsigned int)layers->max : LATCHES_LEAST;
	list->all = calloc(list->max, sizeof(*list->all));
	return list->all ? 0 : -ENOMEM;
}

void latches_free(struct latch_list *list)
{
	free(list->all);
}

static struct latch *find(struct latch_list *list, int layer, int32_t tid)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (list->all[i].layer == layer && list->all[i].tid == tid)
			return &list->all[i];
	return NULL;
}

bool latches_any(const struct latch_list *list, int32_t tid)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (list->all[i].tid == tid)
			return true;
	return false;
}

/* It stays in the list until remove_dropped(). */
static void drop(struct latch_list *list, struct latch *latch)
{
	list->layers->layers[latch->layer].waiting--;
	latch->layer = LAYER_NONE;
}

static void remove_dropped(struct latch_list *list)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < list->n; i++)
		if (list->all[i].layer != LAYER_NONE)
			list->all[kept++] = list->all[i];
	list->n = kept;
}

void latches_forget(struct latch_list *list, int32_t tid, bool others)
{
	for (unsigned int i = 0; i < list->n; i++)
		if ((list->all[i].tid == tid) != others)
			drop(list, &list->all[i]);
	remove_dropped(list);
}

void latches_forget_until(struct latch_list *list, uint64_t time_ns)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (list->all[i].time_ns <= time_ns)
			drop(list, &list->all[i]);
	remove_dropped(list);
}

void latches_forget_excluded(struct latch_list *list)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (list->layers->layers[list->all[i].layer].excluded)
			drop(list, &list->all[i]);
	remove_dropped(list);
}

/* Returns NULL if there is no space. */
static struct latch *add(struct latch_list *list, int layer, int32_t kept_tid)
{
	if (list->n == list->max)
		latches_forget(list, kept_tid, true);
	if (list->n == list->max)
		return NULL;
	list->layers->layers[layer].waiting++;
	return &list->all[list->n++];
}

/* True: @event is another event of the latch @known. */
static bool is_same(const struct latch *known, const struct latch *event)
{
	return !(known->evidence & event->evidence) &&
	       (known->number < 0 || event->number < 0 || known->number == event->number);
}

/* The layer's counter has shown which buffer was latched. */
static void set_queued(struct latch *latch, struct layer *layer)
{
	latch->evidence |= EVIDENCE_COUNTER;
	latch->queued_ns = layer->left_queued_ns;
	layer->left_present = 0;
}

/* Another event of the same latch. */
static void join(struct latch *known, const struct latch *event, struct layer *layer)
{
	known->evidence |= event->evidence;
	if (known->number < 0)
		known->number = event->number;
	if (event->evidence == EVIDENCE_COUNTER)
		set_queued(known, layer);
}

void latches_add(struct latch_list *list, const struct latch *latch, uint64_t present, bool alone,
		 int32_t kept_tid)
{
	struct layer *layer = &list->layers->layers[latch->layer];
	struct latch *known = find(list, latch->layer, latch->tid);

	if (known && is_same(known, latch)) {
		join(known, latch, layer);
		return;
	}
	if (!alone)
		return;
	if (!known)
		known = add(list, latch->layer, kept_tid);
	if (!known)
		return;
	*known = *latch;
	if (latch->evidence == EVIDENCE_COUNTER || layer->left_present == present)
		set_queued(known, layer);
	else if (layer->buffers.known)
		known->queued_ns = buffers_oldest(layer); /* until the counter is written */
	else
		known->queued_ns = buffers_pop(layer);
}
