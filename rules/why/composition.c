/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/why/composition.h"

#include <stddef.h>

#include "rules/base/interval.h"
#include "rules/base/table.h"

/* Counters of one miss are written within this time. */
#define ONE_MISS_NS UINT64_C(2000000)

/* Compositions that show what is usual. */
#define DURATION_OF 32
#define USUAL_OF 16
#define USUAL_LEAST 4
#define USUAL_WITHIN_NS UINT64_C(1000000000)

static struct composition *newest(struct compositions *c)
{
	return RING_AT(c->all, c->n - 1);
}

/* The composition of the next present. */
static struct composition *open_one(struct compositions *c)
{
	if (c->n == 0 || newest(c)->present_ns > 0)
		*RING_AT(c->all, c->n++) = (struct composition){ 0 };
	return newest(c);
}

void compositions_commit(struct compositions *c, uint64_t time_ns)
{
	c->next.commit_ns = c->committed_ns = time_ns;
	*RING_AT(c->all, c->n++) = c->next;
	c->next = (struct composition){ 0 };
}

void compositions_present(struct compositions *c, uint64_t time_ns)
{
	open_one(c)->present_ns = time_ns;
}

void compositions_end(struct compositions *c, uint64_t time_ns)
{
	if (c->n > 0 && newest(c)->present_ns)
		newest(c)->end_ns = time_ns;
}

void compositions_client(struct compositions *c, bool client)
{
	/* After the present it is the counter of another display. */
	if (c->n == 0 || newest(c)->present_ns == 0)
		open_one(c)->client |= client;
}

void compositions_fence(struct compositions *c, fence_id id, bool render)
{
	struct composition *open = open_one(c);

	if (open->fence_is_render && !render)
		return;
	open->fence = id;
	open->fence_is_render = render;
}

/* The @i-th newest. */
static const struct composition *at(const struct compositions *c, uint32_t i)
{
	return RING_AT(c->all, c->n - 1 - i);
}

void compositions_missed(struct compositions *c, uint64_t time_ns, bool by_gpu)
{
	struct composition_miss *last = RING_AT(c->misses, c->n_misses - 1);

	/* Several counters tell one miss. */
	if (c->n_misses > 0 && time_ns - last->time_ns < ONE_MISS_NS)
		last->by_gpu |= by_gpu;
	else
		*RING_AT(c->misses, c->n_misses++) = (struct composition_miss){ time_ns, by_gpu };
	/* It is the one that was due last. */
	for (uint32_t i = 0; i < RING_KEPT(c->all, c->n); i++) {
		struct composition *due = RING_AT(c->all, c->n - 1 - i);

		if (!due->present_ns || !due->planned_ns || due->planned_ns >= time_ns)
			continue;
		due->missed = true;
		due->missed_by_gpu |= by_gpu;
		return;
	}
}

const struct composition_miss *compositions_miss_in(const struct compositions *c, uint64_t from_ns,
						    uint64_t to_ns)
{
	for (uint32_t n = RING_KEPT(c->misses, c->n_misses); n > 0; n--) {
		const struct composition_miss *miss = RING_AT(c->misses, c->n_misses - n);

		if (miss->time_ns >= from_ns && miss->time_ns <= to_ns)
			return miss;
	}
	return NULL;
}

static void insert(int64_t *sorted, unsigned int *n, int64_t ns)
{
	unsigned int place = (*n)++;

	for (; place > 0 && sorted[place - 1] > ns; place--)
		sorted[place] = sorted[place - 1];
	sorted[place] = ns;
}

uint64_t compositions_duration(const struct compositions *c, uint64_t present_ns)
{
	int64_t sorted[DURATION_OF];
	unsigned int n = 0;

	for (uint32_t i = 0; i < RING_KEPT(c->all, c->n) && n < DURATION_OF; i++) {
		const struct composition *composition = at(c, i);

		if (composition->commit_ns > 0 && composition->commit_ns <= present_ns &&
		    composition->planned_ns > composition->commit_ns)
			insert(sorted, &n,
			       (int64_t)(composition->planned_ns - composition->commit_ns));
	}
	return n > 0 ? (uint64_t)sorted[n * 3 / 4] : 0;
}

static uint64_t begin_of(const struct composition *composition)
{
	return composition->tick_ns ? composition->tick_ns : composition->commit_ns;
}

/* Most of the last presents began as long after their composition: so it is known about when that
 * begins. Most compositions began whole periods apart: so it is known exactly. */
uint64_t compositions_usual(const struct compositions *c, uint32_t number, uint64_t since_ns,
			    uint64_t present_ns, uint64_t period_ns)
{
	const struct composition *last[USUAL_OF];
	int64_t sorted[USUAL_OF], period = (int64_t)period_ns;
	unsigned int n = 0, sorts = 0;
	uint64_t from_ns = later(since_ns, back_from(present_ns, USUAL_WITHIN_NS)), time_ns,
		 begin_ns;

	if (c->committed_ns < from_ns)
		return 0;
	for (; n < USUAL_OF; number--) {
		const struct composition *composition = compositions_get(c, number);

		if (!composition)
			break;
		time_ns = composition->commit_ns ? composition->commit_ns : composition->present_ns;
		if (time_ns > 0 && time_ns < from_ns)
			break;
		if (composition->commit_ns == 0 || composition->present_ns == 0)
			continue;
		insert(sorted, &sorts, (int64_t)(composition->present_ns - begin_of(composition)));
		last[n++] = composition;
	}
	if (n < USUAL_LEAST)
		return 0;
	begin_ns = present_ns - (uint64_t)sorted[n / 2];
	sorts = 0;
	for (unsigned int i = 0; i < n; i++) {
		/* Half a period at most, before or after a whole number of them. */
		int64_t rest_ns = (int64_t)(begin_of(last[i]) - begin_ns) % period;

		if (2 * rest_ns > period)
			rest_ns -= period;
		else if (2 * rest_ns <= -period)
			rest_ns += period;
		insert(sorted, &sorts, rest_ns);
	}
	return begin_ns + (uint64_t)sorted[n / 2];
}

const struct composition *compositions_from(const struct compositions *c, uint64_t from_ns)
{
	const struct composition *first = NULL;

	for (uint32_t i = 0; i < RING_KEPT(c->all, c->n) && at(c, i)->commit_ns >= from_ns; i++)
		first = at(c, i);
	return first;
}

uint32_t compositions_next(const struct compositions *c)
{
	return c->n > 0 && at(c, 0)->present_ns == 0 ? c->n : c->n + 1;
}

const struct composition *compositions_get(const struct compositions *c, uint32_t number)
{
	return number > 0 && number <= c->n && c->n - number < COMPOSITIONS_MAX
		       ? at(c, c->n - number)
		       : NULL;
}

const struct composition *compositions_get_before(const struct compositions *c, uint32_t number)
{
	const struct composition *composition;

	do
		composition = compositions_get(c, --number);
	while (composition && composition->present_ns == 0);
	return composition;
}

uint64_t compositions_waited_for_gpu(const struct compositions *c, uint64_t queued_ns,
				     uint64_t done_ns, uint64_t latched_ns)
{
	bool latching = true; /* the newest commit before the latch is its own */

	for (uint32_t i = 0; i < RING_KEPT(c->all, c->n); i++) {
		uint64_t commit_ns = at(c, i)->commit_ns;

		if (commit_ns == 0 || commit_ns > latched_ns)
			continue;
		if (commit_ns < queued_ns)
			break;
		if (!latching && commit_ns < done_ns)
			return commit_ns;
		latching = false;
	}
	return 0;
}

void compositions_lost(struct compositions *c)
{
	c->next = (struct composition){ 0 };
	if (c->n == 0 || newest(c)->end_ns > 0)
		return;
	/* Many holes in a row must not fill the table. */
	if (newest(c)->commit_ns == 0 && newest(c)->present_ns == 0)
		c->n--;
	*RING_AT(c->all, c->n++) = c->next;
}

void compositions_forget(struct compositions *c)
{
	c->n = c->n_misses = 0;
	c->committed_ns = 0;
	c->next = (struct composition){ 0 };
}
