/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/vsync/vsync_lattice.h"

#include <string.h>

int64_t lattice_position_in(const struct vsync_segment *s, uint64_t time_ns)
{
	uint64_t distance_ns = vsync_distance(time_ns, s->from_ns);
	int64_t whole = (int64_t)(distance_ns / s->period_ns) * VSYNC_ONE;
	int64_t part = (int64_t)(distance_ns % s->period_ns) * VSYNC_ONE / (int64_t)s->period_ns;

	return time_ns >= s->from_ns ? s->position + whole + part : s->position - whole - part;
}

/* The error of the period adds up with the distance. */
int64_t lattice_period_uncertainty(const struct vsync_segment *s, uint64_t time_ns)
{
	uint64_t periods = time_ns > s->from_ns ? (time_ns - s->from_ns) / s->period_ns : 0;

	if (periods > UINT32_MAX)
		periods = UINT32_MAX;
	return s->uncertainty + (int64_t)(periods * s->error_ns / s->period_ns) * VSYNC_ONE +
	       (int64_t)(periods * s->error_ns % s->period_ns * (uint64_t)VSYNC_ONE / s->period_ns);
}

static bool is_unused(const struct vsync_lattice *v)
{
	return lattice_is_locked(v) && !lattice_last(v)->used;
}

bool lattice_is_new(const struct vsync_lattice *v)
{
	return v->n_segments == 1 && is_unused(v);
}

static void forget_evidence(struct vsync_lattice *v)
{
	v->walk = (struct vsync_walk){ 0 };
	v->suspect.collisions = 0;
	v->late_ticks = 0;
	v->slow_ns = 0;
	for (unsigned int i = 0; i < VSYNC_SOURCES; i++) {
		v->sources[i].n_block = 0;
		v->sources[i].n_least = 0;
	}
}

void lattice_set_period(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
			uint64_t from_ns)
{
	struct vsync_segment segment = { .period_ns = period_ns,
					 .error_ns = error_ns,
					 .display = v->followed,
					 .guessed = v->guessed };

	v->unknown &= v->n_segments > 0 && !vsync_is_switch(vsync_period_ns(v), period_ns);
	segment.unknown = v->unknown;
	from_ns = later(from_ns, v->last_present_ns);
	while (v->n_segments > 1 && is_unused(v) && lattice_last(v)->from_ns >= from_ns)
		v->n_segments--;
	if (lattice_is_new(v) && v->segments[0].from_ns >= from_ns) {
		v->n_segments = 0;
		from_ns = 0;
	}
	if (v->n_segments > 0) {
		const struct vsync_segment *before = lattice_last(v);
		bool is_switch = vsync_is_switch(before->period_ns, period_ns);

		segment.position = lattice_position_in(before, from_ns);
		segment.uncertainty = lattice_period_uncertainty(before, from_ns);
		segment.switches = before->switches + is_switch;
		/* The phase of the ticks stays if the period is only a more precise value. */
		segment.has_ticks = before->has_ticks && !is_switch;
		segment.tick_phase = before->tick_phase;
		segment.tick_rank = before->tick_rank;
	}
	segment.from_ns = from_ns;
	if (v->n_segments == VSYNC_SEGMENTS) {
		memmove(&v->segments[0], &v->segments[1],
			sizeof(v->segments) - sizeof(v->segments[0]));
		v->n_segments--;
	}
	v->segments[v->n_segments++] = segment;
	v->error_ns = error_ns;
}

void lattice_find_edges(struct vsync_lattice *v, const struct vsync_window *window)
{
	uint64_t period_ns = vsync_period_ns(v);

	for (unsigned int i = 0; i < VSYNC_SOURCES; i++) {
		struct vsync_source *source = &v->sources[i];
		struct vsync_score score;
		uint64_t edge_ns;

		if (window->n[i] == 0)
			continue;
		score = vsync_score_kind(window, i, period_ns);
		edge_ns = window->from_ns + (uint64_t)score.edge_ns;
		/* The last one before the next tick. */
		if (source->last_ns >= edge_ns)
			edge_ns += (source->last_ns - edge_ns) / period_ns * period_ns;
		else
			edge_ns -= period_ns;
		source->edge_ns = edge_ns;
		source->least_ns = UINT64_MAX;
		source->settled = window->n[i];
	}
	forget_evidence(v);
}

void lattice_sharpen(const struct vsync_lattice *v, uint64_t *period_ns, uint64_t *error_ns)
{
	struct vsync_window window;
	struct vsync_fit fit;
	uint64_t from_ns = back_from(v->last_tick_ns, SEARCH_BACK_NS);
	uint64_t better_ns, better_error_ns;

	if (*error_ns * 1000 <= *period_ns)
		return;
	if (v->n_segments > 1)
		from_ns = later(from_ns, lattice_last(v)->from_ns);
	vsync_window_fill(&window, &v->log, from_ns, v->last_tick_ns);
	better_ns = vsync_refine(&window, *period_ns, &better_error_ns);
	if (better_error_ns >= *error_ns ||
	    vsync_distance(better_ns, *period_ns) > *error_ns + *period_ns / 200)
		return;
	fit = vsync_fit_of(&window, better_ns);
	if ((fit.ticks.n < 16 || fit.ticks.near * 2 < fit.ticks.n) &&
	    (fit.targets.n < 16 || fit.targets.near * 10 < fit.targets.n * 9))
		return;
	*period_ns = better_ns;
	*error_ns = better_error_ns;
}

void lattice_lock(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
		  enum vsync_authority authority)
{
	struct vsync_window window;

	v->authority = authority;
	lattice_sharpen(v, &period_ns, &error_ns);
	if (is_unused(v))
		v->n_segments--;
	lattice_set_period(v, period_ns, error_ns, 0);
	vsync_window_fill(&window, &v->log, back_from(v->last_tick_ns, 500 * MS), v->last_tick_ns);
	lattice_find_edges(v, &window);
}

void lattice_unlock(struct vsync_lattice *v)
{
	v->guessed = false;
	v->authority = VSYNC_UNKNOWN;
	v->n_segments = v->n_switch_ranges = 0;
	v->pending.display = NULL;
	v->last_period_ns = 0;
	v->epoch++;
	forget_evidence(v);
}

/* --- another period --- */

unsigned int lattice_main_source(const struct vsync_lattice *v)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < VSYNC_SOURCES; i++)
		if (v->sources[i].name && v->sources[i].last_ns + SUSPECT_NS >= v->last_tick_ns &&
		    (v->sources[i].rank < v->sources[best].rank ||
		     v->sources[best].last_ns + SUSPECT_NS < v->last_tick_ns))
			best = i;
	return best;
}

uint8_t lattice_step(const struct vsync_lattice *v, const struct vsync_display *display,
		     uint64_t period_ns, uint64_t time_ns)
{
	return display ? reported_step_of(reported_render_at(&v->reported, display, time_ns),
					  period_ns)
		       : 1;
}
