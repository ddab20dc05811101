/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/ftrace_merge.h"

/* A page that is none ends a turn of its ring: whoever gives such ones may give them for ever. */
static bool open_page(struct ftrace_merge *merge, struct ftrace_ring *ring)
{
	struct span bytes;

	if (!merge->read(merge->context, (unsigned int)(ring - merge->rings), &bytes))
		return false;
	if (!ftrace_page_begin(&ring->page, merge->format, bytes)) {
		ring->page.format = NULL;
		merge->damaged++;
		return false;
	}
	merge->bytes += (uint64_t)(ring->page.end - bytes.ptr);
	ring->has_lost |= ring->page.lost != 0;
	return true;
}

static bool next_of_page(struct ftrace_merge *merge, struct ftrace_ring *ring)
{
	if (!ring->page.format)
		return false;
	if (ftrace_page_next(&ring->page, &ring->next))
		return true;
	merge->damaged += ring->page.damaged;
	ring->page.format = NULL;
	return false;
}

/* Finds the next event, in this page or in one behind it. */
static void advance(struct ftrace_merge *merge, struct ftrace_ring *ring)
{
	do
		ring->has_next = next_of_page(merge, ring);
	while (!ring->has_next && open_page(merge, ring));
}

/* Of two events of one time that of the lower ring goes first. */
static uint64_t until(const struct ftrace_ring *ring, const struct ftrace_ring *other)
{
	return other > ring ? other->next.time_ns : other->next.time_ns - 1;
}

static void find_first(struct ftrace_merge *merge)
{
	struct ftrace_ring *first = NULL;

	for (unsigned int i = 0; i < merge->n_rings; i++) {
		struct ftrace_ring *ring = &merge->rings[i];

		if (ring->has_next && (!first || ring->next.time_ns < first->next.time_ns))
			first = ring;
	}
	merge->first = first;
	merge->until_ns = UINT64_MAX;
	for (unsigned int i = 0; first && i < merge->n_rings; i++) {
		const struct ftrace_ring *ring = &merge->rings[i];

		if (ring != first && ring->has_next && until(first, ring) < merge->until_ns)
			merge->until_ns = until(first, ring);
	}
}

void ftrace_merge_turn(struct ftrace_merge *merge)
{
	for (unsigned int i = 0; i < merge->n_rings; i++)
		if (!merge->rings[i].has_next)
			advance(merge, &merge->rings[i]);
	find_first(merge);
}

struct ftrace_ring *ftrace_merge_peek(struct ftrace_merge *merge, uint64_t limit_ns)
{
	struct ftrace_ring *first = merge->first;

	return first && first->next.time_ns <= limit_ns ? first : NULL;
}

void ftrace_merge_pop(struct ftrace_merge *merge)
{
	advance(merge, merge->first);
	if (!merge->first->has_next || merge->first->next.time_ns > merge->until_ns)
		find_first(merge);
}
