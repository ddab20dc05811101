/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/vsync/reported_period.h"

#include <string.h>

#include "rules/base/table.h"
#include "rules/vsync/vsync_log.h"

#define RUN_MIN 5    /* hardware vsyncs without a gap that are needed for a period */
#define RUN_EXACT 50 /* the mean of a run is a period if it is exact to a part of this many */

struct span vsync_display_in(struct span name)
{
	size_t n = name.len;

	while (n > 0 && is_digit(name.ptr[n - 1]))
		n--;
	return span_skip(name, n);
}

/* The only display that has that id, or with @cut: of which one of the two ids may be cut. The two
 * of a foldable begin with the same digits. */
static struct vsync_display *find_display(struct reported_periods *periods, struct span id,
					  bool cut)
{
	struct vsync_display *found = NULL;

	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++) {
		struct vsync_display *display = &periods->displays[i];
		size_t n = strlen(display->id), least = n < id.len ? n : id.len;

		if (!display->used || (n != id.len && (!cut || least < VSYNC_DISPLAY_ID_CUT)) ||
		    (least > 0 && memcmp(display->id, id.ptr, least) != 0))
			continue;
		if (found)
			return NULL;
		found = display;
	}
	return found;
}

/* The display of that id, or a new one. @stated: SurfaceFlinger states something of it. */
static struct vsync_display *find_or_add_display(struct reported_periods *periods, struct span id,
						 bool stated)
{
	struct vsync_display *display, *only = NULL;
	unsigned int n = 0;

	if (id.len >= VSYNC_DISPLAY_ID)
		id.len = VSYNC_DISPLAY_ID - 1;
	display = find_display(periods, id, false);
	/* Of names without an id, where others have one: the only display. The same of the first
	 * name with an id after names without one. */
	for (unsigned int i = 0; i < VSYNC_DISPLAYS && !display && stated; i++) {
		struct vsync_display *one = &periods->displays[i];

		if (one->reported.period_ns || one->asked_ns || one->n_renders) {
			only = one;
			n++;
		}
	}
	if (n == 1 && !(id.len > 0 && only->id[0]))
		display = only;
	if (!display)
		display = find_display(periods, id, true);
	if (!display) {
		display = &periods->displays[TABLE_LEAST(periods->displays, VSYNC_DISPLAYS, used)];
		periods->evicted += display->used > 0;
		*display = (struct vsync_display){ 0 };
	}
	display->used = ++periods->uses;
	if (id.len > strlen(display->id))
		memcpy(display->id, id.ptr, id.len);
	return display;
}

static bool is_possible(uint64_t period_ns)
{
	return period_ns >= VSYNC_PERIOD_MIN_NS && period_ns <= VSYNC_PERIOD_MAX_NS;
}

static void report(struct vsync_display *d, uint64_t period_ns, uint64_t error_ns, uint64_t now_ns)
{
	if (!vsync_is_near(period_ns, d->reported.period_ns, 30))
		d->reported.at_ns = now_ns;
	/* Another rate: hardware vsyncs at that rate, if any, come later. */
	if (d->measured.period_ns && !vsync_is_near(period_ns, d->measured.period_ns, 60) &&
	    now_ns > d->measured.at_ns) {
		d->measured.period_ns = 0;
		d->run_n = 0;
	}
	/* A nominal value does not replace a measured one that it confirms. */
	if (d->reported.period_ns && error_ns > 2 * d->reported.error_ns &&
	    vsync_distance(period_ns, d->reported.period_ns) <= error_ns)
		return;
	d->reported.period_ns = period_ns;
	d->reported.error_ns = error_ns;
}

struct vsync_display *reported_periods_report(struct reported_periods *periods, struct span display,
					      uint64_t period_ns, uint64_t error_ns,
					      uint64_t now_ns)
{
	struct vsync_display *d;

	if (!is_possible(period_ns))
		return NULL;
	d = find_or_add_display(periods, display, true);
	report(d, period_ns, error_ns, now_ns);
	d->stated = true;
	if (d->n_renders) {
		struct render_period *render = RING_AT(d->renders, d->n_renders - 1);

		if (now_ns < render->from_ns + TOGETHER_NS)
			render->mode_ns = d->reported.period_ns;
	}
	return d;
}

struct vsync_display *reported_periods_ask(struct reported_periods *periods, struct span display,
					   uint64_t period_ns)
{
	struct vsync_display *d;

	if (!is_possible(period_ns))
		return NULL;
	d = find_or_add_display(periods, display, true);
	d->asked_ns = period_ns;
	return d;
}

void reported_period_follow(struct vsync_display *display, uint64_t now_ns)
{
	report(display, display->asked_ns, display->asked_ns / 100, now_ns);
}

void reported_periods_render(struct reported_periods *periods, struct span display,
			     uint64_t period_ns, uint64_t now_ns)
{
	const struct render_period *last;
	struct vsync_display *d;

	if (!is_possible(period_ns))
		return;
	d = find_or_add_display(periods, display, true);
	last = d->n_renders ? RING_AT(d->renders, d->n_renders - 1) : NULL;
	if (!last || last->period_ns != period_ns || last->mode_ns != d->reported.period_ns)
		*RING_AT(d->renders, d->n_renders++) =
			(struct render_period){ period_ns, now_ns, d->reported.period_ns };
}

const struct render_period *reported_render_at(const struct reported_periods *periods,
					       const struct vsync_display *display,
					       uint64_t time_ns)
{
	const struct vsync_display *only = display;

	for (unsigned int i = 0; i < VSYNC_DISPLAYS && !display; i++) {
		if (!periods->displays[i].n_renders)
			continue;
		if (only)
			return NULL;
		only = &periods->displays[i];
	}
	for (unsigned int back = 1; only && back <= RING_KEPT(only->renders, only->n_renders);
	     back++) {
		const struct render_period *render = RING_AT(only->renders, only->n_renders - back);

		if (render->from_ns <= time_ns)
			return render;
	}
	return NULL;
}

uint8_t reported_step_of(const struct render_period *render, uint64_t period_ns)
{
	uint64_t error_ns, step;

	/* Around a switch the render rate may be that of the other mode. */
	if (!render || (render->mode_ns && !vsync_is_near(render->mode_ns, period_ns, 30)))
		return 1;
	error_ns = render->period_ns / 100 + render->period_ns * render->period_ns / 2000000000;
	step = (render->period_ns + period_ns / 2) / period_ns;
	if (step > UINT8_MAX || vsync_distance(render->period_ns, step * period_ns) > error_ns)
		return 1;
	return step > 1 ? (uint8_t)step : 1;
}

/* The vsync of the run that is @back before the last one. */
static uint64_t in_run(const struct vsync_display *d, unsigned int back)
{
	return d->run[(d->run_n - 1 - back) % VSYNC_RUN];
}

/* Vsyncs can be written late, so the mean of a run is more precise than a single distance. */
struct vsync_display *reported_periods_hardware(struct reported_periods *periods,
						struct span display, uint64_t now_ns)
{
	struct vsync_display *d = find_or_add_display(periods, display, false);
	uint64_t last_ns = d->run_n ? in_run(d, 0) : now_ns;
	uint64_t last[RUN_MIN], mean_ns, before_ns, error_ns, off_ns = 0;
	unsigned int n;

	if (now_ns < last_ns || now_ns - last_ns > VSYNC_PERIOD_MAX_NS + VSYNC_PERIOD_MAX_NS / 2)
		d->run_n = 0;
	/* The run has a gap: some vsyncs were not written, or the rate is another. */
	if (d->run_n >= 3 &&
	    (now_ns - last_ns) * 2 * (d->run_n - 1) > 3 * (last_ns - d->run_begin_ns))
		d->run_n = 0;
	d->run[d->run_n++ % VSYNC_RUN] = now_ns;
	if (d->run_n == 1)
		d->run_begin_ns = now_ns;
	if (d->run_n < RUN_MIN)
		return NULL;
	/* If the last vsyncs have another distance than those before them, they are a run. */
	for (unsigned int i = 0; i < RUN_MIN; i++)
		last[i] = in_run(d, RUN_MIN - 1 - i);
	if (d->run_n > RUN_MIN) {
		mean_ns = (now_ns - last[0]) / (RUN_MIN - 1);
		before_ns = (last[0] - d->run_begin_ns) / (d->run_n - RUN_MIN);
		if (!vsync_is_near(before_ns, mean_ns, 120)) {
			memcpy(d->run, last, sizeof(last));
			d->run_begin_ns = last[0];
			d->run_n = RUN_MIN;
		}
	}
	mean_ns = (now_ns - d->run_begin_ns) / (d->run_n - 1);
	n = RING_KEPT(d->run, d->run_n);
	for (unsigned int back = 0; back + 1 < n; back++)
		off_ns += vsync_distance(in_run(d, back) - in_run(d, back + 1), mean_ns);
	/* Both ends of the run may be late, which a few distances hardly show. */
	error_ns = 5 * (off_ns / (n - 1)) / (d->run_n - 1) + mean_ns / 5000;
	if (error_ns * RUN_EXACT > mean_ns || !is_possible(mean_ns))
		return NULL;
	if (!vsync_is_near(mean_ns, d->measured.period_ns, 60))
		d->measured.at_ns = d->run_begin_ns;
	d->measured.period_ns = mean_ns;
	d->measured.error_ns = error_ns;
	d->measured.is_measured = true;
	return d;
}

bool reported_period_is_open(const struct vsync_display *display, uint64_t now_ns)
{
	return display->run_n >= RUN_MIN &&
	       now_ns < in_run(display, 0) + 3 * display->measured.period_ns;
}

struct reported_period reported_period_of(const struct vsync_display *display)
{
	uint64_t reported_ns = display->reported.period_ns,
		 measured_ns = display->measured.period_ns;
	bool agree = !measured_ns || vsync_is_near(measured_ns, reported_ns, 60);

	/* If both agree, SurfaceFlinger's value is more precise than a mean of a few vsyncs. */
	return reported_ns && agree ? display->reported : display->measured;
}
