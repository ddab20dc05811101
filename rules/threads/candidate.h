/* SPDX-License-Identifier: Apache-2.0 */
/* Decides if another process that writes SurfaceFlinger's markers is the next SurfaceFlinger.
 *
 *     old    ... tick latch present
 *     new                            tick latch present tick latch present tick ...
 *                                    └ held ──────────────────────────────┘ decided: replayed
 *
 * Any process can write SurfaceFlinger's markers. It cannot stop the real one from writing, and a
 * single event of the real one refutes the candidate. So the candidate's events are held until the
 * old SurfaceFlinger has been silent for longer than a running one ever is. Then they are processed
 * as if they were new: the first frame of a new SurfaceFlinger counts, and a forged frame never
 * does. If the memory for held events is full, the candidate and its events are dropped.
 */
#ifndef JANKD_RULES_THREADS_CANDIDATE_H
#define JANKD_RULES_THREADS_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/stream/held_records.h"
#include "rules/threads/surfaceflinger.h"

/* Bytes for held events: one second of three layers at 120 Hz. */
#define HELD_SIZE 393216

enum held_kind {
	HELD_EVENT,   /* a rule matches it */
	HELD_PRESENT, /* the first present of a composition */
	HELD_LOSS,    /* events may be missing here */
};

struct candidate {
	struct surfaceflinger sf; /* known: there is one; tid TRACE_ID_UNKNOWN: no present yet */
	uint64_t last_ns;	  /* time of its last event */
	uint64_t ticks, latches, presents;
	struct held_records held;
};

/* Returns 0 or -ENOMEM; candidate_free() must be called in any case. */
int candidate_init(struct candidate *c);
void candidate_free(struct candidate *c);

/* True: the candidate wrote @record. */
bool candidate_is(const struct candidate *c, const struct trace_record *record);

/* True: the process that wrote @record may become the candidate instead. @named: its thread has
 * SurfaceFlinger's name. */
bool candidate_can_be_replaced(const struct candidate *c, const struct trace_record *record,
			       bool named);

/* The process that wrote @record is the candidate from now on. */
void candidate_begin(struct candidate *c, const struct trace_record *record);

/* Holds @record, whose thread has the slices @open. Returns false if there is no space. */
bool candidate_hold(struct candidate *c, enum held_kind kind, const struct trace_record *record,
		    uint32_t open);

/* The next held record after *@at, which is 0 for the first. Returns false at the end. */
bool candidate_next(const struct candidate *c, size_t *at, enum held_kind *kind,
		    struct trace_record *record, uint32_t *open);

#endif
