/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of the vsync period beside the ticks, for each display: by SurfaceFlinger, and by
 * the display's own vsyncs.
 *
 * Ticks come on demand and cannot tell a display from one that is twice as fast. SurfaceFlinger
 * writes its period now and then, and while it measures a display, as it does at the begin and
 * after every switch of the rate, each of the display's own vsyncs. The names of these counters end
 * in the display's id, which VSP-period (Android 14+) cuts to its first digits; names of older
 * versions have none: then it is the display that SurfaceFlinger ticks for.
 */
#ifndef JANKD_RULES_REPORTED_PERIOD_H
#define JANKD_RULES_REPORTED_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define VSYNC_DISPLAYS 6
#define VSYNC_DISPLAY_ID 24
#define VSYNC_ROW 16

struct vsync_display {
	char id[VSYNC_DISPLAY_ID]; /* as far as it is known; may be empty */
	uint64_t used;		   /* number of its last word, 0: unused entry */
	bool own, foreign;	   /* the ticks are its own, or for sure not */
	uint64_t reported_ns;	   /* period that SurfaceFlinger says, 0: none */
	uint64_t reported_error_ns;
	uint64_t reported_at_ns;
	uint64_t seen_ns; /* period of its own vsyncs when they were on last, 0: none */
	uint64_t seen_at_ns;
	uint64_t seen_error_ns; /* of that period */
	uint64_t row_begin_ns;
	unsigned int row_n; /* vsyncs in a row, none left out; the ring holds the last */
	uint64_t row[VSYNC_ROW];
};

struct reported_periods {
	uint64_t uses;
	struct vsync_display displays[VSYNC_DISPLAYS];
};

/* What a display's period is said to be. */
struct reported_period {
	uint64_t period_ns; /* 0: nothing was said */
	uint64_t error_ns;  /* it is right to that */
	uint64_t at_ns;	    /* since then */
};

/* The display's id at the end of a counter's name: VSP-period 461, HW_VSYNC_4619827259835644672. */
struct span vsync_display_in(struct span counter);

/* SurfaceFlinger says the display's period, right to @error_ns. NULL for an absurd one. */
struct vsync_display *reported_periods_report(struct reported_periods *periods, struct span display,
					      uint64_t period_ns, uint64_t error_ns,
					      uint64_t now_ns);

/* A vsync of the display itself. NULL while there are too few in a row to say anything. */
struct vsync_display *reported_periods_hardware(struct reported_periods *periods,
						struct span display, uint64_t now_ns);

/* Are the display's own vsyncs on, and will it be known better soon? */
bool reported_period_is_open(const struct vsync_display *display, uint64_t now_ns);

/* Was something said of two or more displays? */
bool reported_periods_several(const struct reported_periods *periods);

/* What is said of @display, which may be an unused entry. */
struct reported_period reported_period_of(const struct vsync_display *display);

#endif
