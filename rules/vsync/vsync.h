/* SPDX-License-Identifier: Apache-2.0 */
/* The display's vsyncs as period and phase, found in the trace. vsync.c describes the method. */
#ifndef JANKD_RULES_VSYNC_VSYNC_H
#define JANKD_RULES_VSYNC_VSYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/vsync/vsync_lattice.h"

/* The place of a present on the lattice. */
struct vsync_stamp {
	uint64_t time_ns;
	uint64_t vsync_ns; /* time of the first tick after it */
	uint64_t usual_ns; /* when presents for that vsync usually begin */
	uint64_t from_ns;  /* the period has been valid since then */
	uint64_t period_ns;
	int64_t position;    /* time in units of the period, see VSYNC_ONE */
	int64_t uncertainty; /* accumulated: that of the distance of two positions is the
				difference of two of these */
	int64_t index;	     /* number of the vsync, according to the phase of presents */
	uint32_t epoch;
	uint32_t phase_number;
	uint32_t switches;     /* of the refresh rate before it */
	bool in_phase;	       /* it is near that phase, so index is reliable */
	bool locked;	       /* false: only time_ns is valid */
	bool guessed, unknown; /* see struct vsync_lattice */
	uint8_t step;	       /* vsyncs in a render period; 1 where the trace does not state it */
	uint64_t step_from_ns; /* the render period has been valid since then; 0: none is stated */
};

/* @option_ns: --vsync-ms, 0: not given. */
void vsync_init(struct vsync_lattice *v, uint64_t option_ns);

/* Drops all results so far: the clock stepped, or another process is SurfaceFlinger. */
void vsync_reset(struct vsync_lattice *v);

/**
 * vsync_tick() - a tick counter was written
 * @name: hash of the counter's name: each counter has its own phase
 * @rank: a lower one is nearer to SurfaceFlinger's composition; the lowest gives the phase
 */
void vsync_tick(struct vsync_lattice *v, uint64_t name, unsigned int rank, uint64_t time_ns);

/* A hardware vsync of the display with that id. They are on for some time, then off. */
void vsync_hardware(struct vsync_lattice *v, struct span display, uint64_t time_ns);

/* SurfaceFlinger reports the period of the display with that id, exact to @error_ns. */
void vsync_report_period(struct vsync_lattice *v, struct span display, uint64_t period_ns,
			 uint64_t error_ns, uint64_t now_ns);

/* It asks the display for that period: it is used when ticks and presents show it. */
void vsync_ask_period(struct vsync_lattice *v, struct span display, uint64_t period_ns,
		      uint64_t now_ns);

/* SurfaceFlinger presents in a slice with the name @slice, which may end in the display's id:
 * presentFrameAndReleaseLayers for Primary display (4619827259835644672). */
void vsync_present_on(struct vsync_lattice *v, struct span slice, uint64_t time_ns);

/* SurfaceFlinger presents. The place of the present is found later, with more ticks. */
void vsync_present(struct vsync_lattice *v, uint64_t time_ns);

/* The rules changed: later ranks have another meaning. */
void vsync_forget_ranks(struct vsync_lattice *v);

/* A period from dumpsys, in ns. It may be out of date, so it is used until the trace shows one. */
void vsync_set_dumpsys_period(struct vsync_lattice *v, uint64_t period_ns);

/* No more ticks will come: decides with those so far. */
void vsync_finish(struct vsync_lattice *v);

/* Presents before this time in ns can be placed. For later ones the period may still change. */
uint64_t vsync_sure_until(const struct vsync_lattice *v);

/* Places a present. Presents must come in the order of time. */
void vsync_place(struct vsync_lattice *v, uint64_t present_ns, struct vsync_stamp *stamp);

/* Whole vsyncs between two presents; -1 if unknown. */
int64_t vsync_between(const struct vsync_stamp *earlier, const struct vsync_stamp *later);

/* True: the trace reports another period than --vsync-ms, or presents do not fit that. */
bool vsync_overrules(const struct vsync_lattice *v);

#endif
