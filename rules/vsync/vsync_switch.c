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

/* What to search for, and in which time. */
struct search {
	const struct vsync_log *log;
	unsigned int source;	      /* the tick counter that is nearest to presents */
	uint64_t before_ns, after_ns; /* the two periods */
	bool draws_less;	      /* the new one has fewer compositions than the old one */
	uint64_t old_from_ns;	      /* the period before is valid from here on */
	uint64_t from_ns;	      /* start of the search */
	uint64_t stated_ns;	      /* or a little before, if events allow it; 0: unknown */
	uint64_t sure_ns;	      /* the switch was before this time, or near it */
	uint64_t now_ns;	      /* end of the search */
};

struct found {
	uint64_t at_ns;		 /* an event in or next to the first vsync of the new period */
	uint64_t from_ns, to_ns; /* the range in which the switch may be */
};

/* [0]: of ticks, [1]: of presents. */
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

/* True: it is at an edge, or little later. */
static bool fits_side(const struct side *side, const struct event *event)
{
	int64_t slack_ns = side->period_ns / 16;
	int64_t off_ns =
		(event->at_ns + slack_ns - side->edge_ns[event->present]) % side->period_ns;

	return (off_ns < 0 ? off_ns + side->period_ns : off_ns) <= 4 * slack_ns;
}

static struct side side_of(const struct search *search, uint64_t period_ns, uint64_t from_ns,
			   uint64_t to_ns)
{
	const unsigned int kinds[] = { search->source, VSYNC_PRESENTS };
	struct side side = { .period_ns = (int64_t)period_ns };
	struct vsync_window window;

	vsync_window_fill(&window, search->log, from_ns, to_ns);
	for (unsigned int i = 0; i < 2; i++) {
		struct vsync_score score = vsync_score_kind(&window, kinds[i], period_ns);

		side.has[i] = score.n >= 3;
		side.edge_ns[i] = score.edge_ns + (int64_t)(from_ns - search->from_ns);
	}
	return side;
}

static unsigned int merge(const struct vsync_window *window, unsigned int source,
			  struct event *events)
{
	unsigned int i = 0, j = 0, n = 0;

	while (i < window->n[source] || j < window->n[VSYNC_PRESENTS]) {
		bool tick = j == window->n[VSYNC_PRESENTS] ||
			    (i < window->n[source] &&
			     window->at_ns[source][i] <= window->at_ns[VSYNC_PRESENTS][j]);

		events[n++] = (struct event){ .at_ns = tick ? window->at_ns[source][i++]
							    : window->at_ns[VSYNC_PRESENTS][j++],
					      .present = !tick };
	}
	return n;
}

/* The events, and which of them may be the first one of the new period. */
struct balance {
	const struct search *search;
	struct event events[EVENTS_MAX];
	int costs[EVENTS_MAX + 1]; /* with so many events in the old period, less costs[0] */
	unsigned int n, best, low, high;
	bool old_is_shorter; /* its period; the compositions can be further apart nevertheless */
};

static int cost_of(const struct balance *b, const struct event *event, bool old)
{
	if (event->second && old != b->old_is_shorter)
		return COST_EXACT;
	if (event->old && event->new) {
		/* If the moment is stated, the number of compositions does not matter. */
		if (old != b->search->draws_less || b->search->stated_ns > 0)
			return 0;
		return event->present ? COST_BOTH_PRESENT : COST_BOTH_TICK;
	}
	if (event->old || event->new)
		return event->old == old ? 0 : event->present ? COST_EXACT : COST_TICK;
	return 0;
}

/* Marks the ticks that are the second one in a slot of @side. */
static void find_second(struct balance *b, const struct side *side)
{
	int64_t before = INT64_MIN;

	for (unsigned int i = 0; i < b->n; i++) {
		struct event *event = &b->events[i];
		int64_t off_ns = event->at_ns + side->period_ns / 16 - side->edge_ns[0];
		int64_t slot = off_ns / side->period_ns - (off_ns % side->period_ns < 0);

		if (event->present || !side->has[0])
			continue;
		event->second = slot == before;
		before = slot;
	}
}

static void find_balance(struct balance *b, const struct side *old, const struct side *new)
{
	int uncertainty = COST_MARGIN, *costs = b->costs;
	unsigned int late = 0;

	for (unsigned int i = 0; i < b->n; i++) {
		struct event *event = &b->events[i];

		event->old = event->new = false;
		/* An edge that is unknown is no evidence for the other period. */
		if (!old->has[event->present] || !new->has[event->present])
			continue;
		event->old = fits_side(old, event);
		event->new = fits_side(new, event);
	}
	b->old_is_shorter = old->period_ns < new->period_ns;
	find_second(b, b->old_is_shorter ? new : old);
	for (unsigned int i = 0; i < b->n; i++) {
		costs[i + 1] = costs[i] + cost_of(b, &b->events[i], true) -
			       cost_of(b, &b->events[i], false);
		if (costs[i + 1] < costs[b->best])
			b->best = i + 1;
	}
	for (unsigned int i = 0; i < b->n; i++)
		late += !b->events[i].present &&
			!(i < b->best ? b->events[i].old : b->events[i].new);
	if (late * 40 > b->n)
		uncertainty = COST_MARGIN_LATE;
	b->low = b->high = b->best;
	for (unsigned int i = 0; i <= b->n; i++) {
		if (costs[i] > costs[b->best] + uncertainty)
			continue;
		b->low = i < b->low ? i : b->low;
		b->high = i > b->high ? i : b->high;
	}
}

/* Late events do not count: the switch is next to an event that fits. If the new period has fewer
 * compositions, that is its first event; else the last event of the old one. */
static int64_t moment_of(const struct balance *b, int64_t end_ns)
{
	unsigned int i = b->best;

	if (b->search->draws_less) {
		while (i < b->n && !b->events[i].new)
			i++;
		return i < b->n ? b->events[i].at_ns : end_ns;
	}
	while (i > 0 && !b->events[i - 1].old)
		i--;
	return i > 0 ? b->events[i - 1].at_ns : 0;
}

/* Finds the best moment according to ticks and presents. */
static struct found find_switch(const struct search *search)
{
	uint64_t from_ns = search->from_ns, now_ns = search->now_ns;
	struct vsync_window window;
	struct side old, new;
	struct found found;
	struct balance b = { .search = search };

	vsync_window_fill(&window, search->log, from_ns, now_ns);
	b.n = merge(&window, search->source, b.events);
	old = side_of(search, search->before_ns, search->old_from_ns,
		      later(search->sure_ns, from_ns + 4 * search->before_ns));
	new = side_of(search, search->after_ns, search->sure_ns, now_ns);
	find_balance(&b, &old, &new);
	found.at_ns = from_ns + (uint64_t)moment_of(&b, (int64_t)(now_ns - from_ns));
	found.from_ns = b.low > 0 ? from_ns + (uint64_t)b.events[b.low - 1].at_ns : from_ns;
	found.to_ns = b.high < b.n ? from_ns + (uint64_t)b.events[b.high].at_ns : now_ns;
	if (!search->stated_ns || found.from_ns > search->stated_ns ||
	    found.to_ns < search->stated_ns)
		return found;
	/* It may be stated some compositions late. Those of the longer distance before that are
	 * taken for the old period's if that is the longer one, else they are uncertain. */
	found.at_ns = found.to_ns = search->stated_ns;
	if (!search->draws_less)
		found.from_ns = found.at_ns;
	return found;
}

static void note_switch_range(struct vsync_lattice *v, const struct found *found,
			      uint64_t before_ns, uint64_t after_ns)
{
	uint64_t longest_ns = later(before_ns, after_ns);
	uint64_t length_ns = found->to_ns - found->from_ns;
	double rate = 1.0 / (double)before_ns - 1.0 / (double)after_ns;
	struct vsync_switch_range *u;

	/* Between two events that are one vsync apart the moment is known well enough. */
	if (length_ns <= longest_ns + longest_ns / 4)
		return;
	u = &v->switch_ranges[v->n_switch_ranges++ % VSYNC_SWITCH_RANGES];
	*u = (struct vsync_switch_range){ found->from_ns, found->to_ns,
					  (int64_t)((rate < 0 ? -rate : rate) * (double)length_ns *
						    (double)VSYNC_ONE) };
}

void lattice_switch_to(struct vsync_lattice *v, enum vsync_authority authority, uint64_t period_ns,
		       uint64_t error_ns, uint64_t stated_ns, uint64_t sure_ns, uint64_t now_ns)
{
	struct search search = { .log = &v->log,
				 .source = lattice_main_source(v),
				 .after_ns = period_ns,
				 .stated_ns = stated_ns,
				 .sure_ns = sure_ns,
				 .now_ns = now_ns };
	const struct vsync_segment *last = lattice_last(v);
	struct found found;
	struct vsync_window window;

	search.before_ns = last->period_ns;
	search.draws_less = last->period_ns * lattice_step(v, last->display, last->period_ns,
							   back_from(sure_ns, PENDING_NS)) <
			    period_ns * lattice_step(v, v->followed, period_ns, now_ns);
	v->authority = authority;
	v->guessed = false;
	v->pending.display = NULL;
	search.from_ns = later(later(v->last_present_ns, back_from(stated_ns, STATED_LATE_NS)),
			       back_from(sure_ns, SEARCH_BACK_NS));
	if (v->n_segments > 1 && !last->used)
		search.from_ns = later(search.from_ns, last->from_ns);
	search.old_from_ns = later(last->from_ns, back_from(search.from_ns, OLD_EDGE_NS));
	found = find_switch(&search);
	lattice_set_period(v, period_ns, error_ns, found.at_ns);
	note_switch_range(v, &found, search.before_ns, period_ns);
	vsync_window_fill(&window, &v->log, sure_ns, now_ns);
	lattice_find_edges(v, &window);
}
