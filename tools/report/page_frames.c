/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/page_frames.h"

#include <errno.h>
#include <stdlib.h>

#define MINUTE_US INT64_C(60000000)
#define AROUND_US INT64_C(5000000)

bool page_frames_have(const struct page_frames *chosen, int64_t time_us)
{
	uint32_t low = 0, high = chosen->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (chosen->ranges[middle].to_us <= time_us)
			low = middle + 1;
		else
			high = middle;
	}
	return low < chosen->n && chosen->ranges[low].from_us <= time_us;
}

static int by_begin(const void *a, const void *b)
{
	const struct time_range *one = a, *other = b;

	return (one->from_us > other->from_us) - (one->from_us < other->from_us);
}

/* Sorts the ranges and joins those that overlap. */
static void join(struct page_frames *chosen)
{
	uint32_t n = 0;

	qsort(chosen->ranges, chosen->n, sizeof(*chosen->ranges), by_begin);
	for (uint32_t i = 0; i < chosen->n; i++) {
		struct time_range next = chosen->ranges[i];

		if (n > 0 && next.from_us <= chosen->ranges[n - 1].to_us) {
			if (next.to_us > chosen->ranges[n - 1].to_us)
				chosen->ranges[n - 1].to_us = next.to_us;
		} else {
			chosen->ranges[n++] = next;
		}
	}
	chosen->n = n;
}

static void add(struct page_frames *chosen, int64_t from_us, int64_t to_us)
{
	if (from_us < to_us)
		chosen->ranges[chosen->n++] = (struct time_range){ from_us, to_us };
}

/* Frames of shown Surfaces in the ranges; @by_section: those outside, by section. */
static uint64_t count(const struct page_frames *chosen, const struct session *session,
		      uint64_t *by_section)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < session->frames.n; i++) {
		const struct kept_frame *frame = pool_at(&session->frames, i);

		if (!session->surfaces[frame->surface].is_shown)
			continue;
		if (page_frames_have(chosen, frame->present_us))
			n++;
		else if (by_section)
			by_section[frame->section]++;
	}
	return n;
}

/* Worst minutes, and what is around the first @n_late late frames. */
static void add_worst(struct page_frames *chosen, const struct session *session, uint32_t n_late)
{
	chosen->n = 0;
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];
		int64_t from_us = (int64_t)(surface->harm.minute_from_ns / 1000);

		if (surface->is_shown && surface->is_judged && surface->harm.minute_ns > 0)
			add(chosen, from_us, from_us + MINUTE_US);
	}
	for (uint32_t i = 0; i < n_late; i++) {
		const struct late_row *late = &session->late[i];

		if (session->surfaces[late->surface].is_shown)
			add(chosen, late->time_us - (int64_t)late->interval_us - AROUND_US,
			    late->time_us + AROUND_US);
	}
	join(chosen);
}

int page_frames_choose(struct page_frames *chosen, const struct session *session,
		       const struct selection *selection, uint64_t max)
{
	uint32_t n_late = session->n_late;
	int64_t from_us = session->first_us, to_us = session->last_us + 1;
	uint64_t *by_section, n;

	*chosen = (struct page_frames){
		.ranges = calloc(session->n_surfaces + n_late + session->n_sections + 1,
				 sizeof(*chosen->ranges)),
	};
	if (!chosen->ranges)
		return -ENOMEM;
	if (selection->has_range && selection->from_us > from_us)
		from_us = selection->from_us;
	if (selection->has_range && selection->to_us < to_us)
		to_us = selection->to_us;
	add(chosen, from_us, to_us);
	chosen->frames = count(chosen, session, NULL);
	if (selection->has_range || chosen->frames <= max)
		return 0;
	for (add_worst(chosen, session, n_late); count(chosen, session, NULL) > max && n_late > 0;
	     add_worst(chosen, session, n_late))
		n_late /= 2;
	if (count(chosen, session, NULL) > max)
		chosen->n = 0;

	by_section = calloc(session->n_sections + 1, sizeof(*by_section));
	if (!by_section)
		return -ENOMEM;
	/* The section after the first mark has number 1. */
	n = count(chosen, session, by_section);
	for (;;) {
		uint32_t least = 0;

		for (uint32_t i = 1; i < session->n_sections; i++)
			if (by_section[i] > 0 && (least == 0 || by_section[i] < by_section[least]))
				least = i;
		if (least == 0 || n + by_section[least] > max)
			break;
		n += by_section[least];
		by_section[least] = 0;
		add(chosen, session->sections[least].from_us, session->sections[least].to_us);
	}
	join(chosen);
	chosen->frames = count(chosen, session, NULL);
	free(by_section);
	return 0;
}

void page_frames_free(struct page_frames *chosen)
{
	free(chosen->ranges);
	*chosen = (struct page_frames){ 0 };
}
