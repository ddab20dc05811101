/* SPDX-License-Identifier: Apache-2.0 */
/* The display changed from one period to another: finds when. Each tick and each present near the
 * switch fits the old period, the new one, both or none (it is late):
 *
 *     old      :       :       :       :       :       :
 *     new      :   :   :   :   :   :   :   :   :   :   :
 *     ticks    |       |       |   |   |   |   |   |   |
 *              both    both    both new both new
 *
 * The switch is the moment with the fewest events on the wrong side. If events fit both periods,
 * the one with fewer compositions is assumed, as the other one would have more events. Two ticks in
 * one slot of the longer period do not belong to it, even if they are late. Moments that are nearly
 * as good widen the range [from_ns, to_ns].
 */
#include "rules/vsync/vsync_lattice.h"

/* Costs of an event on the wrong side (ticks are late more often than presents), and of an event
 * that fits both, on the side of the period with more compositions. */
#define COST_TICK 3
#define COST_EXACT 6
#define COST_BOTH_TICK 2
#define COST_BOTH_PRESENT 3
#define COST_MARGIN 3
#define COST_MARGIN_LATE 6

#define EVENTS_MAX (2 * VSYNC_WINDOW_SIZE)

#define STATED_LATE_NS (50 * MS) /* a mode is stated that long after it has begun */
#define OLD_EDGE_NS (500 * MS)	 /* the edge of a period is that of this time before a switch */

/* [0]: of ticks, [1]: of presents. Edges are relative to the start of the search. */
struct side {
	int64_t period_ns, edge_ns[2];
	bool has[2];
};

struct event {
	int64_t at_ns;
	bool present;
	bool old, new; /* it fits that period */
	bool second;   /* it is the second tick in a slot of the longer period */
};

static struct side side_of(const struct vsync_log *log, unsigned int source, uint64_t period_ns,
			   uint64_t from_ns, uint64_t to_ns, uint64_t search_ns)
{
	const unsigned int kinds[] = { source, VSYNC_PRESENTS };
	struct side side = { .period_ns = (int64_t)period_ns };
	struct vsync_window window;

	vsync_window_fill(&window, log, from_ns, to_ns);
	for (unsigned int i = 0; i < 2; i++) {
		struct vsync_score score = vsync_score_kind(&window, kinds[i], period_ns);

		side.has[i] = score.n >= 3;
		side.edge_ns[i] = score.edge_ns + (int64_t)(from_ns - search_ns);
	}
	return side;
}

/* True: it is at an edge, or little later. */
static bool fits_side(const struct side *side, const struct event *event)
{
	int64_t slack_ns = side->period_ns / 16;
	int64_t off_ns =
		(event->at_ns + slack_ns - side->edge_ns[event->present]) % side->period_ns;

	return (off_ns < 0 ? off_ns + side->period_ns : off_ns) <= 4 * slack_ns;
}

/* The ticks and presents in the order of time. Returns their number. */
static unsigned int read_events(const struct vsync_window *window, unsigned int source,
				const struct side *old, const struct side *new,
				struct event *events)
{
	const struct side *longer = old->period_ns < new->period_ns ? new : old;
	const int64_t *ticks = window->at_ns[source], *presents = window->at_ns[VSYNC_PRESENTS];
	unsigned int i = 0, j = 0, n = 0;
	int64_t before = INT64_MIN;

	for (; i < window->n[source] || j < window->n[VSYNC_PRESENTS]; n++) {
		bool tick = j == window->n[VSYNC_PRESENTS] ||
			    (i < window->n[source] && ticks[i] <= presents[j]);
		struct event *event = &events[n];

		*event = (struct event){ .at_ns = tick ? ticks[i++] : presents[j++],
					 .present = !tick };
		/* An edge that is unknown is no evidence for the other period. */
		if (old->has[event->present] && new->has[event->present]) {
			event->old = fits_side(old, event);
			event->new = fits_side(new, event);
		}
		if (tick && longer->has[0]) {
			int64_t off_ns = event->at_ns + longer->period_ns / 16 - longer->edge_ns[0];
			int64_t slot =
				off_ns / longer->period_ns - (off_ns % longer->period_ns < 0);

			event->second = slot == before;
			before = slot;
		}
	}
	return n;
}

/* The cost of an event in a period that it @fits, or not. @more: the period has more compositions
 * than the other one, and the moment of the switch is not stated. */
static int cost_of(const struct event *event, bool fits, bool is_longer, bool more)
{
	if (event->second && is_longer)
		return COST_EXACT;
	if (event->old && event->new)
		return !more ? 0 : event->present ? COST_BOTH_PRESENT : COST_BOTH_TICK;
	if (fits || (!event->old && !event->new))
		return 0;
	return event->present ? COST_EXACT : COST_TICK;
}

void lattice_switch_to(struct vsync_lattice *v, enum vsync_authority authority, uint64_t period_ns,
		       uint64_t error_ns, uint64_t stated_ns, uint64_t sure_ns, uint64_t now_ns)
{
	const struct vsync_segment *last = lattice_last(v);
	unsigned int source = lattice_main_source(v), best = 0, late = 0, low, high, n, at;
	uint64_t before_ns = last->period_ns, longest_ns = later(before_ns, period_ns);
	uint64_t from_ns, old_from_ns, at_ns, low_ns, high_ns;
	/* The new period has fewer compositions than the old one. */
	bool draws_less = before_ns * lattice_step(v, last->display, before_ns,
						   back_from(sure_ns, PENDING_NS)) <
			  period_ns * lattice_step(v, v->followed, period_ns, now_ns);
	struct event events[EVENTS_MAX];
	int costs[EVENTS_MAX + 1] = { 0 }; /* with so many events in the old period */
	struct vsync_window window;
	struct side old, new;
	int margin;

	v->authority = authority;
	v->guessed = false;
	v->pending.display = NULL;
	from_ns = later(later(v->last_present_ns, back_from(stated_ns, STATED_LATE_NS)),
			back_from(sure_ns, SEARCH_BACK_NS));
	if (v->n_segments > 1 && !last->used)
		from_ns = later(from_ns, last->from_ns);
	old_from_ns = later(last->from_ns, back_from(from_ns, OLD_EDGE_NS));
	old = side_of(&v->log, source, before_ns, old_from_ns,
		      later(sure_ns, from_ns + 4 * before_ns), from_ns);
	new = side_of(&v->log, source, period_ns, sure_ns, now_ns, from_ns);
	vsync_window_fill(&window, &v->log, from_ns, now_ns);
	n = read_events(&window, source, &old, &new, events);

	for (unsigned int i = 0; i < n; i++) {
		const struct event *event = &events[i];
		bool is_shorter = before_ns < period_ns;

		costs[i + 1] = costs[i] +
			       cost_of(event, event->old, !is_shorter, !stated_ns && draws_less) -
			       cost_of(event, event->new, is_shorter, !stated_ns && !draws_less);
		best = costs[i + 1] < costs[best] ? i + 1 : best;
	}
	for (unsigned int i = 0; i < n; i++)
		late += !events[i].present && !(i < best ? events[i].old : events[i].new);
	margin = costs[best] + (late * 40 > n ? COST_MARGIN_LATE : COST_MARGIN);
	for (low = 0; costs[low] > margin; low++)
		;
	for (high = n; costs[high] > margin; high--)
		;
	low_ns = from_ns + (low > 0 ? (uint64_t)events[low - 1].at_ns : 0);
	high_ns = high < n ? from_ns + (uint64_t)events[high].at_ns : now_ns;

	/* Late events do not count: the switch is next to an event that fits. If the new period has
	 * fewer compositions, that is its first event; else the last event of the old one. */
	at = best;
	while (draws_less && at < n && !events[at].new)
		at++;
	while (!draws_less && at > 0 && !events[at - 1].old)
		at--;
	if (draws_less)
		at_ns = at < n ? from_ns + (uint64_t)events[at].at_ns : now_ns;
	else
		at_ns = from_ns + (at > 0 ? (uint64_t)events[at - 1].at_ns : 0);
	/* It may be stated some compositions late. Those of the longer distance before that are
	 * taken for the old period's if that is the longer one, else they are uncertain. */
	if (stated_ns && low_ns <= stated_ns && high_ns >= stated_ns) {
		at_ns = high_ns = stated_ns;
		low_ns = draws_less ? low_ns : stated_ns;
	}
	lattice_set_period(v, period_ns, error_ns, at_ns);

	/* Between two events that are one vsync apart the moment is known well enough. */
	if (high_ns - low_ns > longest_ns + longest_ns / 4) {
		double rate = 1.0 / (double)before_ns - 1.0 / (double)period_ns;

		rate = (rate < 0 ? -rate : rate) * (double)(high_ns - low_ns);
		v->switch_ranges[v->n_switch_ranges++ % VSYNC_SWITCH_RANGES] =
			(struct vsync_switch_range){ low_ns, high_ns,
						     (int64_t)(rate * (double)VSYNC_ONE) };
	}
	vsync_window_fill(&window, &v->log, sure_ns, now_ns);
	lattice_find_edges(v, &window);
}
