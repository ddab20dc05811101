/* SPDX-License-Identifier: Apache-2.0 */
/* SurfaceFlinger as found in the trace: the process whose thread presents. And the candidate:
 * another process that writes its markers, and may be the next one.
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
#ifndef JANKD_RULES_THREADS_SURFACEFLINGER_H
#define JANKD_RULES_THREADS_SURFACEFLINGER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/language/ruleset_match.h"
#include "rules/stream/held_records.h"

/* After this silence another process that writes SurfaceFlinger's markers replaces it; a candidate
 * that is silent for this long is dropped. */
#define SURFACEFLINGER_SILENT_NS UINT64_C(1000000000)

/* How certain it is, by a thread's name, that the thread is SurfaceFlinger's. */
enum trust {
	TRUST_OTHER,   /* it has another name */
	TRUST_UNKNOWN, /* the trace does not have the name: "<...>" */
	TRUST_NAMED,   /* surfaceflinger, SurfaceFlinger */
	TRUST_KNOWN,   /* the kernel gives the process: no name is needed */
};

struct surfaceflinger {
	bool known;
	enum trust trust;
	int32_t tid;	  /* of the thread that presents; the kernel's number */
	int32_t pid;	  /* as its own markers state: in a container it differs from tgid */
	int32_t tgid;	  /* the kernel's number of the process, or TRACE_ID_UNKNOWN */
	int32_t tick_tid; /* of the thread that ticks */
	uint64_t last_ns; /* its last present */
	uint64_t tick_ns; /* its last tick */
	bool presented;	  /* its open composition has presented */
	struct {
		int64_t value;
		unsigned int in_turn; /* so many events, up to this one; see layers_turn() */
	} ticks[RULE_SF_TICK - RULE_TICK + 1]; /* by their roles */
};

#define SURFACEFLINGER_UNKNOWN                                                                     \
	((struct surfaceflinger){ .tid = TRACE_ID_UNKNOWN,                                         \
				  .pid = TRACE_ID_UNKNOWN,                                         \
				  .tgid = TRACE_ID_UNKNOWN,                                        \
				  .tick_tid = TRACE_ID_UNKNOWN })

enum trust trust_of(const struct trace_record *record);

/* True: it is that process. Compares both numbers: in a container the number in a marker may be
 * that of another process outside. */
static inline bool surfaceflinger_is(const struct surfaceflinger *sf, int32_t pid, int32_t tgid)
{
	return pid == sf->pid &&
	       (sf->tgid == TRACE_ID_UNKNOWN || tgid == TRACE_ID_UNKNOWN || tgid == sf->tgid);
}

/* True: a thread of @sf wrote @record. */
bool surfaceflinger_wrote(const struct surfaceflinger *sf, const struct trace_record *record);

/**
 * surfaceflinger_is_over() - true: it has been silent so long that the other process replaced it
 * @now: an event of the other process
 * @trust: of the other process, from the name of its thread
 * @evident: the other process presents, ticks and latches
 *
 * A process with another name never replaces it. One with an unknown name does not replace it if
 * the kernel states the writers' processes, unless the kernel no longer does so. If the name of @sf
 * is known, one with an unknown name must be evident.
 */
bool surfaceflinger_is_over(const struct surfaceflinger *sf, const struct trace_record *now,
			    enum trust trust, bool evident);

/* True: a process of that @trust may be the next SurfaceFlinger. */
bool surfaceflinger_may_follow(const struct surfaceflinger *sf, const struct trace_record *now,
			       enum trust trust);

/* --- the candidate --- */

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
	/* The note is the mask of the slices that are open on its thread, and the kind. */
	struct held_records held;
};

/* True: the candidate wrote @record. */
static inline bool candidate_is(const struct candidate *c, const struct trace_record *record)
{
	return c->sf.known && surfaceflinger_is(&c->sf, record->pid, record->tgid);
}

#endif
