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
 * layer's name; without it every Surface can fulfil the condition. trigger_state.h describes the
 * effect on a capture.
 */
#ifndef JANKD_RULES_COUNT_TRIGGER_H
#define JANKD_RULES_COUNT_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/base/interval.h"

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
	char message[120];
};

/**
 * trigger_parse() - parse a condition
 * @trigger: set on success; borrows @text
 *
 * Returns 0, or 1 if the text is wrong (see *@error).
 */
int trigger_parse(struct trigger *trigger, const char *text, struct trigger_error *error);

/* True: the interval fulfils the condition. A wait does only if it is a stall. */
bool trigger_matches_interval(const struct trigger *trigger, struct interval interval,
			      enum wait_kind wait);

/* True: the rate of @frames in @time_ns fulfils the condition. @whole: the time is a whole number
 * of vsyncs. */
bool trigger_matches_rate(const struct trigger *trigger, uint64_t frames, uint64_t time_ns,
			  bool whole);

#endif
