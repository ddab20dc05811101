/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions for which rows are wanted, as --trigger takes them:
 *
 *     CONDITION [for DURATION] [on GLOB]
 *
 *     fps<30                                the last second of a series' frames had less than 30
 *                                           of them
 *     fps<30 for 3s                         and that at every frame of the series for 3 s
 *     interval>100ms on com.game*           a frame of such a Surface or app came more than 100
 *                                           ms behind the one before
 *
 * CONDITION compares with <, <=, > or >=. fps takes a number, interval and DURATION a number with
 * ms or s behind it. GLOB is all the rest of the text and matches the whole Surface, or the whole
 * app in the layer's name; without it any Surface may fulfil the condition. What it means for a
 * running capture: trigger_state.h.
 */
#ifndef JANKD_RULES_TRIGGER_H
#define JANKD_RULES_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/interval.h"

enum trigger_what {
	TRIGGER_FPS,
	TRIGGER_INTERVAL,
};

struct trigger {
	enum trigger_what what;
	bool is_less;	  /* < or <=, else > or >= */
	bool or_equal;	  /* <= or >= */
	uint64_t limit;	  /* mHz, or ns */
	uint64_t for_ns;  /* 0: one frame is enough */
	struct span glob; /* SPAN_NULL: every Surface. Borrowed from the text */
	const char *text; /* borrowed */
};

/* Where and why a condition is wrong; columns count from 1. */
struct trigger_error {
	unsigned int column;
	char message[120];
};

/**
 * trigger_parse() - read a condition
 * @trigger: set on success; borrows @text
 *
 * Returns 0, or 1 where the text is wrong (*@error says why).
 */
int trigger_parse(struct trigger *trigger, const char *text, struct trigger_error *error);

/* Is it an interval that the trigger asks for? One of 500 ms and more is a wait: only a trigger for
 * such intervals takes it. */
bool trigger_matches_interval(const struct trigger *trigger, struct interval interval);

/* Are @frames in @time_ns as few, or as many, as the trigger asks for? @whole: the time is of whole
 * vsyncs. */
bool trigger_matches_rate(const struct trigger *trigger, uint64_t frames, uint64_t time_ns,
			  bool whole);

/* May @surface of @app, "" where its name has none, fulfil it? */
bool trigger_matches_surface(const struct trigger *trigger, const char *surface, const char *app);

#endif
