/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of --trigger:
 *
 *     CONDITION [for DURATION] [on GLOB]
 *
 *     fps<30                                a series had fewer than 30 frames in its last second
 *     fps<30 for 3s                         the same at every frame of the series for 3 s
 *     interval>100ms on com.game*           a frame of such a Surface or app came more than
 *                                           100 ms after the previous one
 *
 * CONDITION compares with <, <=, > or >=. fps takes a number, interval and DURATION a number with
 * ms or s. GLOB is the rest of the text and must match the whole Surface, or the whole app in the
 * layer's name; without it every Surface can fulfil the condition.
 *
 *     frames of a series   . . . . . ! ! ! ! . . . . . . .       !: fulfils the condition
 *     gate                 _ _ _ _ _ ‾ ‾ ‾ ‾ ‾ ‾ ‾ ‾ _ _ _       open
 *                                          <- 1 s ->
 *
 * The gate opens with the frame that fulfils the condition, before that frame's row. With 'for' all
 * frames of the series must have fulfilled it for that time. The gate stays open while each next
 * frame of the series fulfils the condition, and for 1 s of trace time after the last of these. So
 * even a single late frame gives a useful section of rows. If the series has no more frames, the
 * gate stays open for 5 s.
 *
 * fps is the rate in the last second of a series' frame times; it is unknown before there is such a
 * second. The second starts again after a wait, and after a frame without an interval.
 */
#ifndef JANKD_RULES_COUNT_TRIGGER_H
#define JANKD_RULES_COUNT_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/base/interval.h"
#include "rules/frames/layer.h"
#include "rules/stream/events.h"

enum trigger_what {
	TRIGGER_FPS,
	TRIGGER_INTERVAL,
};

struct trigger {
	enum trigger_what what;
	bool is_less;	  /* < or <=; false: > or >= */
	bool or_equal;	  /* <= or >= */
	uint64_t limit;	  /* mHz, or ns */
	uint64_t for_ns;  /* 0: one frame is enough */
	struct span glob; /* SPAN_NULL: every Surface; borrowed from the text */
	const char *text; /* borrowed */
};

/* The place and reason of an error in a condition. Columns count from 1. */
struct trigger_error {
	unsigned int column;
	const char *message;
};

/**
 * trigger_parse() - parse a condition
 * @trigger: set on success; borrows @text
 *
 * Returns 0, or 1 if the text is wrong (see *@error).
 */
int trigger_parse(struct trigger *trigger, const char *text, struct trigger_error *error);

/* True: the interval is known and fulfils the condition. A wait does only if it is a stall. */
bool trigger_matches_interval(const struct trigger *trigger, struct interval interval,
			      enum wait_kind wait);

/* True: the rate of @frames in @time_ns fulfils the condition. @whole: the time is a whole number
 * of vsyncs. */
bool trigger_matches_rate(const struct trigger *trigger, uint64_t frames, uint64_t time_ns,
			  bool whole);

/* --- state --- */

/* Frame times that are kept. At more than 256 Hz that is less than a second. */
#define TRIGGER_INTERVALS 256

struct trigger_series {
	uint64_t owner;	   /* the layer's id; 0: none */
	bool matches;	   /* the trigger's glob matches its Surface */
	bool holds;	   /* its last frame fulfilled the trigger */
	bool fulfilled;	   /* its last frame fulfilled the condition */
	uint64_t since_ns; /* the first frame of those in a row that fulfilled it */
	uint64_t frame_ns; /* its last frame */
	uint64_t time_ns;  /* sum of the intervals */
	unsigned int first, n;
	unsigned int plain; /* how many of the intervals have unknown vsyncs */
	struct {
		uint32_t ns : 31;
		uint32_t plain : 1;
	} intervals[TRIGGER_INTERVALS];
};

struct trigger_state {
	const struct trigger *trigger; /* NULL: the gate is not used */
	struct event_writer *events;   /* of the owner; it has the sink of the gate */
	bool is_open;
	bool matched;	   /* there was a frame of a Surface that the glob matches */
	uint64_t close_ns; /* when the gate closes, if no more frames come */
	uint64_t held_ns;  /* the last frame that fulfilled the trigger */
	int used;	   /* the first ones, which were ever in use */
	/* Of each layer, by its place in its table: memory of the owner; NULL without a trigger. */
	struct trigger_series *series;
};

/* Adds a frame of the layer at @place in its table. */
void trigger_frame(struct trigger_state *state, int place, const struct layer *layer,
		   uint64_t present_ns, struct interval interval, enum wait_kind wait);

/* All frames before @now_ns are counted: closes the gate if it is time. */
void trigger_pass(struct trigger_state *state, uint64_t now_ns);

/* The clock changes or the trace ends: closes the gate. */
void trigger_end(struct trigger_state *state, uint64_t now_ns);

/* The trace ends: writes an event if no Surface matched. */
void trigger_finish(struct trigger_state *state, uint64_t now_ns);

/* The rules have changed: layers may have other Surfaces. */
void trigger_forget_surfaces(struct trigger_state *state);

#endif
