/* SPDX-License-Identifier: Apache-2.0 */
/* Another process writes as SurfaceFlinger does, while one is known: is it the next one?
 *
 *     old    ... tick latch present
 *     new                            tick latch present tick latch present tick ...
 *                                    └ held ──────────────────────────────┘ decided: taken
 *
 * Any process can write SurfaceFlinger's words. What it cannot do is keep the real one from
 * writing: a single event of that ends the matter. So the words of the other are held, until the
 * old one has been silent for as long as no living one that draws is, and then they are taken as if
 * they came only now: the new one's first frame counts, and a forger's never does. What does not
 * fit is given up, and so is what was held before it.
 */
#ifndef JANKD_RULES_CANDIDATE_H
#define JANKD_RULES_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/record.h"

/* A second of three layers at 120 Hz. */
#define HELD_SIZE 131072

enum held_kind {
	HELD_EVENT,   /* a rule names it */
	HELD_PRESENT, /* the first of a composition */
	HELD_LOSS,    /* events may be missing here */
};

struct candidate {
	bool there;
	bool presented;	    /* in the composition that is open */
	unsigned int trust; /* as of struct surfaceflinger */
	int32_t pid, tgid;
	int32_t tid;	  /* of the thread that presents, TRACE_ID_UNKNOWN: none yet */
	uint64_t last_ns; /* its last event */
	uint64_t ticks, latches, presents;
	size_t used;
	char *held;
};

/* Returns 0 or -ENOMEM; candidate_free() is due in any case. */
int candidate_init(struct candidate *c);
void candidate_free(struct candidate *c);

/* Is it the process that wrote @record? */
bool candidate_is(const struct candidate *c, const struct trace_record *record);

/* May another process, which writes @record, be it instead? @named: as SurfaceFlinger is. */
bool candidate_can_be_replaced(const struct candidate *c, const struct trace_record *record,
			       bool named);

/* From @record on it is that process. */
void candidate_begin(struct candidate *c, const struct trace_record *record);

/* Holds @record, whose thread had the slices @open. False: there is no room. */
bool candidate_hold(struct candidate *c, enum held_kind kind, const struct trace_record *record,
		    uint32_t open);

/* The next of what is held, from @at on, which begins with 0. False: that was all. */
bool candidate_next(const struct candidate *c, size_t *at, enum held_kind *kind,
		    struct trace_record *record, uint32_t *open);

#endif
