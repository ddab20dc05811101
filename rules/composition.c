/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/composition.h"

#include <stddef.h>

static struct composition *newest(struct compositions *c)
{
	return &c->all[(c->n - 1) % COMPOSITIONS_MAX];
}

static struct composition *begin(struct compositions *c, uint64_t commit_ns)
{
	c->n++;
	*newest(c) = (struct composition){ .commit_ns = commit_ns };
	return newest(c);
}

/* The composition of the next present. */
static struct composition *open_one(struct compositions *c)
{
	return c->n > 0 && newest(c)->present_ns == 0 ? newest(c) : begin(c, 0);
}

void compositions_commit(struct compositions *c, uint64_t time_ns)
{
	begin(c, time_ns);
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
	struct composition *open;

	/* After the present it is the counter of another display. */
	if (c->n > 0 && newest(c)->present_ns)
		return;
	open = open_one(c);
	if (open->client != CLIENT_YES)
		open->client = client ? CLIENT_YES : CLIENT_NO;
}

void compositions_fence(struct compositions *c, fence_id id, bool render)
{
	struct composition *open = open_one(c);

	if (open->fence_is_render && !render)
		return;
	open->fence = id;
	open->fence_is_render = render;
}

/* How many are in the table. */
static uint32_t kept(const struct compositions *c)
{
	return c->n < COMPOSITIONS_MAX ? c->n : COMPOSITIONS_MAX;
}

/* The @i-th newest. */
static const struct composition *at(const struct compositions *c, uint32_t i)
{
	return &c->all[(c->n - 1 - i) % COMPOSITIONS_MAX];
}

const struct composition *compositions_at(const struct compositions *c, uint64_t present_ns)
{
	for (uint32_t i = 0; i < kept(c); i++) {
		const struct composition *composition = at(c, i);

		if (composition->present_ns == present_ns)
			return composition;
		if (composition->present_ns && composition->present_ns < present_ns)
			break;
	}
	return NULL;
}

const struct composition *compositions_before(const struct compositions *c, uint64_t present_ns)
{
	for (uint32_t i = 0; i < kept(c); i++) {
		const struct composition *composition = at(c, i);

		if (composition->present_ns && composition->present_ns < present_ns)
			return composition;
	}
	return NULL;
}

bool compositions_waited_for_gpu(const struct compositions *c, uint64_t queued_ns, uint64_t done_ns,
				 uint64_t latched_ns)
{
	bool latching = true; /* the newest commit before the latch is its own */

	for (uint32_t i = 0; i < kept(c); i++) {
		uint64_t commit_ns = at(c, i)->commit_ns;

		if (commit_ns == 0 || commit_ns > latched_ns)
			continue;
		if (commit_ns < queued_ns)
			break;
		if (!latching && commit_ns < done_ns)
			return true;
		latching = false;
	}
	return false;
}

void compositions_forget(struct compositions *c)
{
	c->n = 0;
}
