/* SPDX-License-Identifier: Apache-2.0 */
/* Vsync periods of each display that the trace states, in addition to ticks: in counters of
 * SurfaceFlinger, and in the display's hardware vsyncs.
 *
 * Ticks come on demand and cannot distinguish a display from one that is twice as fast.
 * SurfaceFlinger writes a display's period now and then. While it measures a display (at the start
 * and after every switch of the rate), it also writes each of its hardware vsyncs. The names of
 * these counters end in the display's id; VSP-period (Android 14+) cuts it to its first digits. In
 * older versions the names have no id: they are of the display that SurfaceFlinger ticks for.
 */
#ifndef JANKD_RULES_REPORTED_PERIOD_H
#define JANKD_RULES_REPORTED_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define VSYNC_DISPLAYS 6
#define VSYNC_DISPLAY_ID 24
#define VSYNC_RUN 16

struct vsync_display {
	char id[VSYNC_DISPLAY_ID]; /* the part that is known; may be empty */
	uint64_t used;		   /* number of its last report, 0: unused entry */
	bool own, foreign;	   /* the ticks certainly belong to it; certainly not */
	uint64_t reported_ns;	   /* period that SurfaceFlinger wrote, 0: none */
	uint64_t reported_error_ns;
	uint64_t reported_at_ns;
	uint64_t measured_ns; /* period of its last run of hardware vsyncs; 0: none */
	uint64_t measured_at_ns;
	uint64_t measured_error_ns; /* of measured_ns */
	uint64_t run_begin_ns;
	unsigned int run_n; /* hardware vsyncs without a gap; run[] holds the last of them */
	uint64_t run[VSYNC_RUN];
};

struct reported_periods {
	uint64_t uses;
	struct vsync_display displays[VSYNC_DISPLAYS];
};

/* The reported period of a display. */
struct reported_period {
	uint64_t period_ns; /* 0: none was reported */
	uint64_t error_ns;  /* the most that it can be wrong by */
	uint64_t at_ns;	    /* valid since then */
};

/* The display's id at the end of a counter's name: VSP-period 461, HW_VSYNC_4619827259835644672. */
struct span vsync_display_in(struct span counter);

/* SurfaceFlinger reports the display's period, exact to @error_ns. Returns NULL if the period is
 * not possible. */
struct vsync_display *reported_periods_report(struct reported_periods *periods, struct span display,
					      uint64_t period_ns, uint64_t error_ns,
					      uint64_t now_ns);

/* A hardware vsync of the display. Returns NULL while their run is too short or uneven. */
struct vsync_display *reported_periods_hardware(struct reported_periods *periods,
						struct span display, uint64_t now_ns);

/* True: hardware vsyncs are still being written, so the period will soon be more precise. */
bool reported_period_is_open(const struct vsync_display *display, uint64_t now_ns);

/* True: periods of two or more displays were reported. */
bool reported_periods_several(const struct reported_periods *periods);

/* The reported period of @display, which may be an unused entry. */
struct reported_period reported_period_of(const struct vsync_display *display);

#endif
