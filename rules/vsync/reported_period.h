/* SPDX-License-Identifier: Apache-2.0 */
/* Vsync periods of each display that the trace states, in addition to ticks: in counters of
 * SurfaceFlinger, and in the display's hardware vsyncs.
 *
 * Ticks come on demand and cannot distinguish a display from one that is twice as fast.
 * SurfaceFlinger writes a display's period now and then. While it measures a display (at the start
 * and after every switch of the rate), it also writes each of its hardware vsyncs. The names of
 * these counters end in the display's id; VSP-period (Android 14+) cuts it to its first digits. In
 * older versions the names have no id: they are of the display that SurfaceFlinger ticks for.
 *
 * At a switch it writes first which rate it asks the display for, later which one is active. From
 * Android 14 on it also writes the rate at which it composes, each second or third vsync:
 *
 *     PendingModeFps 461...  120                      asked
 *     ActiveModeFps 461...             120            the display's
 *     RenderRateFps 461...             40             step 3: a composition in every third vsync
 */
#ifndef JANKD_RULES_VSYNC_REPORTED_PERIOD_H
#define JANKD_RULES_VSYNC_REPORTED_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define VSYNC_DISPLAYS 6
#define VSYNC_DISPLAY_ID 24
#define VSYNC_DISPLAY_ID_CUT 3 /* VSP-period keeps at least this many digits of it */
#define VSYNC_RUN 16
#define VSYNC_RENDERS 16
/* A mode and its render rate are stated within this time. */
#define TOGETHER_NS UINT64_C(10000000)

/* The period of a display. */
struct reported_period {
	uint64_t period_ns; /* 0: none was reported */
	uint64_t error_ns;  /* the most that it can be wrong by */
	uint64_t at_ns;	    /* valid since then */
	bool is_measured;   /* from hardware vsyncs: more of them make it more precise */
};

struct vsync_display {
	char id[VSYNC_DISPLAY_ID];	 /* the part that is known; may be empty */
	uint64_t used;			 /* number of its last report, 0: unused entry */
	bool stated;			 /* its period was, not only asked for */
	bool foreign;			 /* the ticks certainly do not belong to it */
	bool was_on;			 /* ticks belonged to it before another one's */
	struct reported_period reported; /* that SurfaceFlinger wrote */
	struct reported_period measured; /* of its last run of hardware vsyncs */
	uint64_t asked_ns;		 /* period that it is to have, 0: none */
	uint64_t run_begin_ns;
	unsigned int run_n; /* hardware vsyncs without a gap; run[] holds the last of them */
	uint64_t run[VSYNC_RUN];
	unsigned int n_renders; /* changes of the render period so far; renders[] holds the last */
	struct render_period {
		uint64_t period_ns, from_ns;
		uint64_t mode_ns; /* the display's period, for which it was stated; 0: none */
	} renders[VSYNC_RENDERS];
};

struct reported_periods {
	uint64_t uses;
	uint64_t evicted; /* displays, as the table was full */
	struct vsync_display displays[VSYNC_DISPLAYS];
};

/* The display's id at the end of a name: VSP-period 461, HW_VSYNC_4619827259835644672. */
struct span vsync_display_in(struct span name);

/* SurfaceFlinger reports the display's period, exact to @error_ns. Returns NULL if the period is
 * not possible. */
struct vsync_display *reported_periods_report(struct reported_periods *periods, struct span display,
					      uint64_t period_ns, uint64_t error_ns,
					      uint64_t now_ns);

/* SurfaceFlinger asks the display for that period. Returns as above. */
struct vsync_display *reported_periods_ask(struct reported_periods *periods, struct span display,
					   uint64_t period_ns);

/* The display has the period that it was asked for. */
void reported_period_follow(struct vsync_display *display, uint64_t now_ns);

/* SurfaceFlinger composes for the display with that period from now on. */
void reported_periods_render(struct reported_periods *periods, struct span display,
			     uint64_t period_ns, uint64_t now_ns);

/* The render period at @time_ns, of @display or, if it is NULL, of the only one that has one. NULL:
 * the trace does not state it. */
const struct render_period *reported_render_at(const struct reported_periods *periods,
					       const struct vsync_display *display,
					       uint64_t time_ns);

/* The vsyncs of @period_ns in a render period that was stated for it, with the precision of whole
 * Hz; 1: @render is NULL or of another period. */
uint8_t reported_step_of(const struct render_period *render, uint64_t period_ns);

/* A hardware vsync of the display. Returns NULL while their run is too short or uneven. */
struct vsync_display *reported_periods_hardware(struct reported_periods *periods,
						struct span display, uint64_t now_ns);

/* True: hardware vsyncs are still being written, so the period will soon be more precise. */
bool reported_period_is_open(const struct vsync_display *display, uint64_t now_ns);

/* The reported period of @display, which may be an unused entry. */
struct reported_period reported_period_of(const struct vsync_display *display);

#endif
