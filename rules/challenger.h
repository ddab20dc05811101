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
#ifndef JANKD_RULES_CHALLENGER_H
#define JANKD_RULES_CHALLENGER_H

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

struct challenger {
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

/* Returns 0 or -ENOMEM; challenger_free() is due in any case. */
int challenger_init(struct challenger *c);
void challenger_free(struct challenger *c);

/* Is it the process that wrote @record? */
bool challenger_is(const struct challenger *c, const struct trace_record *record);

/* May another process, which writes @record, be it instead? @named: as SurfaceFlinger is. */
bool challenger_gives_way(const struct challenger *c, const struct trace_record *record,
			  bool named);

/* From @record on it is that process. */
void challenger_begin(struct challenger *c, const struct trace_record *record);

/* Holds @record, whose thread had the slices @open. False: there is no room. */
bool challenger_hold(struct challenger *c, enum held_kind kind, const struct trace_record *record,
		     uint32_t open);

/* The next of what is held, from @at on, which begins with 0. False: that was all. */
bool challenger_next(const struct challenger *c, size_t *at, enum held_kind *kind,
		     struct trace_record *record, uint32_t *open);

#endif
