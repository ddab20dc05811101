/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/vsync/expected.h"

#include <stddef.h>

#include "rules/base/table.h"
#include "rules/vsync/vsync.h"

/* A frame is presented this many periods after its tick, at most, or it tells nothing. */
#define LEARN_PERIODS 5

/* Frames that are needed to learn. */
#define LEARN_FRAMES 4

/* By how much they may differ: ticks come late. */
#define AGREE_NS UINT64_C(500000)

/* A frame that begins so soon after a tick was woken by it, or by one that was not much later. */
#define WOKEN_NS UINT64_C(2000000)

/* SurfaceFlinger keeps the plans of so many numbers. */
#define NUMBERS_KEPT 500

void expected_tick(struct expected *e, enum rule_role role, uint64_t time_ns)
{
	e->has_ticks = true;
	e->tick_ns = time_ns;
	if (role != RULE_SF_TICK)
		*RING_AT(e->ticks, e->n_ticks++) =
			(struct expected_tick){ time_ns, role == RULE_APP_TICK };
}

static void add_seen(struct expected *e, int32_t process, int64_t number, uint64_t time_ns)
{
	unsigned int *newest = RING_AT(e->newest, (uint32_t)process);

	*RING_AT(e->seen, e->n_seen++) =
		(struct expected_number){ number, time_ns, process, *newest };
	*newest = e->n_seen;
	if (number > e->greatest)
		e->greatest = number;
}

void expected_composition(struct expected *e, int64_t number, uint64_t time_ns)
{
	if (number < 0)
		return;
	add_seen(e, EXPECTED_SURFACEFLINGER, number, time_ns);
	if (number > e->greatest_composed)
		e->greatest_composed = number;
}

bool expected_is_expired(const struct expected *e, int64_t number)
{
	return number >= 0 && number < e->greatest_composed - NUMBERS_KEPT;
}

uint64_t expected_announced(const struct expected *e, int32_t process, int64_t number,
			    uint64_t now_ns, uint64_t *from_ns)
{
	const int32_t processes[] = { EXPECTED_SURFACEFLINGER, process };
	bool has_own = process != EXPECTED_SURFACEFLINGER;
	unsigned int kept = RING_KEPT(e->seen, e->n_seen - e->first_seen);
	uint64_t until_ns = now_ns;

	*from_ns = 0;
	/* Newest first. What is before a composition with a lower number is of use only if an app
	 * wrote it: an app may be late with a number, which is no lower bound for greater ones. */
	for (unsigned int i = 0; i <= has_own; i++) {
		unsigned int n = *RING_AT(e->newest, (uint32_t)processes[i]);

		while ((has_own || *from_ns == 0) && e->n_seen - n < kept) {
			const struct expected_number *seen = RING_AT(e->seen, n - 1);

			/* The one before it is of this process or of some others. */
			n = seen->before;
			if (seen->process != processes[i])
				continue;
			if (seen->number >= number)
				until_ns = seen->time_ns < until_ns ? seen->time_ns : until_ns;
			else if (i == 0)
				*from_ns = later(*from_ns, seen->time_ns);
		}
	}
	return until_ns;
}

uint64_t expected_latest(const struct expected *e, int64_t number, uint64_t answered_ns,
			 uint64_t now_ns)
{
	bool ticked = e->n_ticks > e->first_tick && expected_last_tick_ns(e) > answered_ns;
	uint64_t from_ns, until_ns = now_ns;

	if (number >= 0)
		until_ns = expected_announced(e, EXPECTED_SURFACEFLINGER, number, now_ns, &from_ns);
	return ticked && e->tick_ns < until_ns ? e->tick_ns : until_ns;
}

/* The last tick of VSYNC-app up to @time_ns. Newest first: it is nearly always one of the last. */
static uint64_t tick_before(const struct expected *e, uint64_t time_ns)
{
	uint64_t ticks = e->n_ticks - e->first_tick;

	for (uint64_t i = 1; i <= ticks && i <= EXPECTED_TICKS; i++) {
		const struct expected_tick *tick = RING_AT(e->ticks, e->n_ticks - i);

		if (tick->plans && tick->time_ns <= time_ns)
			return tick->time_ns;
	}
	return 0;
}

/* True: the tick is that of an earlier frame of the thread: the frame answers it, or came before
 * it, and knows none. Each number of a Choreographer has a tick of its own, so that of @number is
 * late, and comes behind @until_ns. */
static bool is_answered(const struct expected *e, int32_t thread, int64_t number, uint64_t tick_ns,
			uint64_t until_ns)
{
	uint64_t before_ns = tick_before(e, tick_ns - 1);

	for (unsigned int i = 0; i < RING_KEPT(e->frames, e->n_frames); i++) {
		const struct frame_vsync *vsync = &e->frames[i].vsync;

		if (e->frames[i].thread != thread || vsync->number >= number)
			continue;
		if (vsync->tick_ns == tick_ns)
			return true;
		if (vsync->tick_ns == 0 && e->frames[i].until_ns < tick_ns &&
		    e->frames[i].until_ns >= before_ns && until_ns > tick_ns + WOKEN_NS)
			return true;
	}
	return false;
}

struct frame_vsync expected_frame(struct expected *e, int32_t process, int32_t thread,
				  int64_t number, uint64_t time_ns)
{
	struct frame_vsync vsync = { .number = number, .durations = e->traced };
	uint64_t until_ns = time_ns, from_ns;

	/* Most numbers are new. */
	for (unsigned int i = 1; number <= e->greatest && i <= RING_KEPT(e->frames, e->n_frames);
	     i++) {
		const struct expected_frame *frame = RING_AT(e->frames, e->n_frames - i);

		if (frame->vsync.number == number && frame->process == process)
			return frame->vsync;
	}
	if (number <= e->greatest)
		until_ns = expected_announced(e, process, number, time_ns, &from_ns);
	vsync.tick_ns = tick_before(e, until_ns);
	if (vsync.tick_ns > 0 && is_answered(e, thread, number, vsync.tick_ns, until_ns))
		vsync.tick_ns = 0;
	add_seen(e, process, number, time_ns);
	*RING_AT(e->frames, e->n_frames++) =
		(struct expected_frame){ vsync, until_ns, process, thread };
	return vsync;
}

void expected_learn(struct expected *e, const struct frame_vsync *vsync, uint64_t planned_ns,
		    uint64_t period_ns)
{
	uint64_t ns = planned_ns - vsync->tick_ns;

	if (vsync->tick_ns == 0 || planned_ns <= vsync->tick_ns || ns > LEARN_PERIODS * period_ns)
		return;
	if (e->learnt_period_ns == 0 || vsync_is_switch(e->learnt_period_ns, period_ns)) {
		e->learnt_period_ns = period_ns;
		e->learnt_ns = 0;
		e->n_agree = 0;
	}
	if (e->learnt_ns > 0 && ns >= e->learnt_ns)
		return;
	/* A frame under way at a switch of the rate, or of which events were lost, may have the
	 * plan of another one, so several frames have to agree. */
	if (e->n_agree == 0 || vsync_distance(ns, e->agree_ns) > AGREE_NS) {
		e->agree_ns = ns;
		e->n_agree = 0;
	}
	e->agree_ns = later(e->agree_ns, ns);
	if (++e->n_agree < LEARN_FRAMES)
		return;
	e->learnt_ns = e->agree_ns;
	e->n_agree = 0;
}

struct expectation expected_at(struct expected *e, const struct frame_vsync *vsync,
			       uint64_t period_ns)
{
	const struct work_durations *durations = &vsync->durations;
	struct expectation expectation = { 0, 0 };

	if (vsync->tick_ns == 0 || period_ns == 0)
		return expectation;
	if (!work_durations_known(durations))
		durations = &e->given;
	/* Its own were written before the trace began, or before SurfaceFlinger was known. */
	if (!work_durations_known(durations) ||
	    (durations->period_ns > 0 && vsync_is_switch(durations->period_ns, period_ns)))
		durations = &e->traced;
	if (work_durations_known(durations)) {
		expectation.deadline_ns = vsync->tick_ns + durations->app_ns;
		expectation.present_ns = expectation.deadline_ns + durations->sf_ns;
	} else if (e->learnt_ns > 0 && !vsync_is_switch(e->learnt_period_ns, period_ns)) {
		expectation.present_ns = vsync->tick_ns + e->learnt_ns;
		e->used_learnt++;
	}
	return expectation;
}

void expected_forget(struct expected *e)
{
	e->losses++;
	e->first_tick = e->n_ticks;
	e->tick_ns = 0;
	e->first_seen = e->n_seen;
	e->n_frames = 0;
	e->greatest = e->greatest_composed = 0;
}

void expected_new_clock(struct expected *e)
{
	expected_new_surfaceflinger(e);
	e->learnt_ns = e->learnt_period_ns = 0;
	e->traced = (struct work_durations){ 0 };
}
