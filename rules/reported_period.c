/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/reported_period.h"

#include <string.h>

#include "parser/chars.h"
#include "rules/vsync_log.h"

#define ID_CUT 3     /* VSP-period keeps at least this many digits of an id */
#define RUN_MIN 5    /* hardware vsyncs without a gap that are needed for a period */
#define RUN_EXACT 50 /* the mean of a run is a period if it is exact to a part of this many */

struct span vsync_display_in(struct span counter)
{
	size_t n = counter.len;

	while (n > 0 && is_digit(counter.ptr[n - 1]))
		n--;
	return span_skip(counter, n);
}

/* True: the display has that id. @cut: one of the two ids may be cut. */
static bool is_display(const struct vsync_display *display, struct span id, bool cut)
{
	size_t n = strlen(display->id), least = n < id.len ? n : id.len;

	return (n == id.len || (cut && least >= ID_CUT)) &&
	       (least == 0 || memcmp(display->id, id.ptr, least) == 0);
}

static struct vsync_display *find_display(struct reported_periods *periods, struct span id,
					  bool cut)
{
	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++)
		if (periods->displays[i].used && is_display(&periods->displays[i], id, cut))
			return &periods->displays[i];
	return NULL;
}

static struct vsync_display *find_or_add_display(struct reported_periods *periods, struct span id)
{
	struct vsync_display *oldest = &periods->displays[0], *display;

	if (id.len >= VSYNC_DISPLAY_ID)
		id.len = VSYNC_DISPLAY_ID - 1;
	display = find_display(periods, id, false);
	if (!display)
		display = find_display(periods, id, true);
	if (display) {
		display->used = ++periods->uses;
		if (id.len > strlen(display->id))
			memcpy(display->id, id.ptr, id.len);
		return display;
	}
	for (unsigned int i = 1; i < VSYNC_DISPLAYS; i++)
		if (periods->displays[i].used < oldest->used)
			oldest = &periods->displays[i];
	*oldest = (struct vsync_display){ .used = ++periods->uses };
	if (id.len > 0)
		memcpy(oldest->id, id.ptr, id.len);
	return oldest;
}

struct vsync_display *reported_periods_report(struct reported_periods *periods, struct span display,
					      uint64_t period_ns, uint64_t error_ns,
					      uint64_t now_ns)
{
	struct vsync_display *d;

	if (period_ns < VSYNC_PERIOD_MIN_NS || period_ns > VSYNC_PERIOD_MAX_NS)
		return NULL;
	d = find_or_add_display(periods, display);
	if (!vsync_is_near(period_ns, d->reported_ns, 30))
		d->reported_at_ns = now_ns;
	/* Another rate: hardware vsyncs at that rate, if any, come later. */
	if (d->measured_ns && !vsync_is_near(period_ns, d->measured_ns, 60) &&
	    now_ns > d->measured_at_ns) {
		d->measured_ns = 0;
		d->run_n = 0;
	}
	d->reported_ns = period_ns;
	d->reported_error_ns = error_ns;
	return d;
}

/* The vsync of the run that is @back before the last one. */
static uint64_t in_run(const struct vsync_display *d, unsigned int back)
{
	return d->run[(d->run_n - 1 - back) % VSYNC_RUN];
}

/* Mean deviation of the last distances from @mean_ns. */
static uint64_t spread_of(const struct vsync_display *d, uint64_t mean_ns)
{
	unsigned int n = d->run_n < VSYNC_RUN ? d->run_n : VSYNC_RUN;
	uint64_t off_ns = 0;

	for (unsigned int back = 0; back + 1 < n; back++)
		off_ns += vsync_distance(in_run(d, back) - in_run(d, back + 1), mean_ns);
	return off_ns / (n - 1);
}

/* True: the last vsyncs of the run have another distance than those before them. */
static bool has_another_rate(const struct vsync_display *d)
{
	uint64_t last_ns, before_ns;

	if (d->run_n <= RUN_MIN)
		return false;
	last_ns = (in_run(d, 0) - in_run(d, RUN_MIN - 1)) / (RUN_MIN - 1);
	before_ns = (in_run(d, RUN_MIN - 1) - d->run_begin_ns) / (d->run_n - RUN_MIN);
	return !vsync_is_near(before_ns, last_ns, 120);
}

static void begin_run(struct vsync_display *d, unsigned int kept)
{
	uint64_t last[RUN_MIN];

	for (unsigned int i = 0; i < kept; i++)
		last[i] = in_run(d, kept - 1 - i);
	memcpy(d->run, last, kept * sizeof(last[0]));
	d->run_begin_ns = d->run[0];
	d->run_n = kept;
}

/* Vsyncs can be written late, so the mean of a run is more precise than a single distance. */
struct vsync_display *reported_periods_hardware(struct reported_periods *periods,
						struct span display, uint64_t now_ns)
{
	struct vsync_display *d = find_or_add_display(periods, display);
	uint64_t last_ns = d->run_n ? in_run(d, 0) : now_ns;
	uint64_t mean_ns, error_ns;

	if (now_ns < last_ns || now_ns - last_ns > VSYNC_PERIOD_MAX_NS + VSYNC_PERIOD_MAX_NS / 2)
		d->run_n = 0;
	/* The run has a gap: some vsyncs were not written, or the rate is another. */
	if (d->run_n >= 3 &&
	    (now_ns - last_ns) * 2 * (d->run_n - 1) > 3 * (last_ns - d->run_begin_ns))
		d->run_n = 0;
	d->run[d->run_n++ % VSYNC_RUN] = now_ns;
	if (d->run_n == 1)
		d->run_begin_ns = now_ns;
	if (has_another_rate(d))
		begin_run(d, RUN_MIN);
	if (d->run_n < RUN_MIN)
		return NULL;
	mean_ns = (now_ns - d->run_begin_ns) / (d->run_n - 1);
	/* Both ends of the run may be late, which a few distances hardly show. */
	error_ns = 5 * spread_of(d, mean_ns) / (d->run_n - 1) + mean_ns / 5000;
	if (error_ns * RUN_EXACT > mean_ns || mean_ns < VSYNC_PERIOD_MIN_NS ||
	    mean_ns > VSYNC_PERIOD_MAX_NS)
		return NULL;
	if (!vsync_is_near(mean_ns, d->measured_ns, 60))
		d->measured_at_ns = d->run_begin_ns;
	d->measured_ns = mean_ns;
	d->measured_error_ns = error_ns;
	return d;
}

bool reported_period_is_open(const struct vsync_display *display, uint64_t now_ns)
{
	return display->run_n >= RUN_MIN && now_ns < in_run(display, 0) + 3 * display->measured_ns;
}

bool reported_periods_several(const struct reported_periods *periods)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < VSYNC_DISPLAYS; i++)
		n += reported_period_of(&periods->displays[i]).period_ns > 0;
	return n > 1;
}

struct reported_period reported_period_of(const struct vsync_display *display)
{
	struct reported_period reported = { 0 };

	if (display->used == 0)
		return reported;
	/* If both agree, SurfaceFlinger's value is more precise than a mean of a few vsyncs. */
	if (display->reported_ns && (!display->measured_ns ||
				     vsync_is_near(display->measured_ns, display->reported_ns, 60)))
		return (struct reported_period){ display->reported_ns, display->reported_error_ns,
						 display->reported_at_ns };
	if (display->measured_ns)
		return (struct reported_period){ display->measured_ns, display->measured_error_ns,
						 display->measured_at_ns };
	return reported;
}
