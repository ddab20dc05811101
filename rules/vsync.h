/* SPDX-License-Identifier: Apache-2.0 */
/* The display's vsyncs as period and phase, learnt from the trace. The idea: vsync.c. */
#ifndef JANKD_RULES_VSYNC_H
#define JANKD_RULES_VSYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/vsync_lattice.h"

/* Where on the lattice a present stands. */
struct vsync_stamp {
	uint64_t time_ns;
	uint64_t vsync_ns; /* the first tick behind the present's place */
	uint64_t from_ns;  /* since when the period is this */
	uint64_t period_ns;
	int64_t position;
	int64_t uncertainty; /* gathered: the position's distance from another's is right to the
			  difference */
	int64_t index;	     /* number of its vsync */
	bool in_phase;	     /* and that is sure */
	uint32_t epoch;
	uint32_t phase_number;
	bool locked;  /* else only time_ns has a meaning */
	bool guessed; /* the period is the slowest that displays have and that fits */
};

/* @option_ns: the user's reported, 0: none. */
void vsync_init(struct vsync_lattice *v, uint64_t option_ns);

/* Forgets what was learnt: the clock stepped, or another SurfaceFlinger ticks. */
void vsync_reset(struct vsync_lattice *v);

/**
 * vsync_tick() - a tick counter was written
 * @name: hash of the counter's name: each has its own phase
 * @rank: lower = nearer to SurfaceFlinger's composition; gives the phase
 */
void vsync_tick(struct vsync_lattice *v, uint64_t name, unsigned int rank, uint64_t time_ns);

/* A vsync of the display of that id, none of which is left out while it is on. */
void vsync_hardware(struct vsync_lattice *v, struct span display, uint64_t time_ns);

/* SurfaceFlinger says the period of the display of that id, right to @error_ns. */
void vsync_report_period(struct vsync_lattice *v, struct span display, uint64_t period_ns,
			 uint64_t error_ns, uint64_t now_ns);

/* SurfaceFlinger foretells a vsync at @time_ns. */
void vsync_target(struct vsync_lattice *v, uint64_t time_ns);

/* SurfaceFlinger presents. It is placed later, when more is known. */
void vsync_present(struct vsync_lattice *v, uint64_t time_ns);

/* Ranks have another meaning from now on. */
void vsync_forget_ranks(struct vsync_lattice *v);

/* Somebody else says the period, who may be wrong: it counts until ticks say more. */
void vsync_set_dumpsys_period(struct vsync_lattice *v, uint64_t period_ns);

/* No ticks will follow: makes do with what is there. */
void vsync_finish(struct vsync_lattice *v);

/* Up to when can presents be placed for good? What is behind may turn out otherwise soon. */
uint64_t vsync_sure_until(const struct vsync_lattice *v);

/* Places a present. Presents come in the order of time. */
void vsync_place(struct vsync_lattice *v, uint64_t present_ns, struct vsync_stamp *stamp);

/* Whole vsyncs between two presents; -1 where that is not known. */
int64_t vsync_between(const struct vsync_stamp *earlier, const struct vsync_stamp *later);

/* The period at the end of what is known, 0 where the lattice is not locked. */
uint64_t vsync_period_ns(const struct vsync_lattice *v);

/* Does the trace say another period than the user? */
bool vsync_overrules(const struct vsync_lattice *v);

#endif
