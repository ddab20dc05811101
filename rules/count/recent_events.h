/* SPDX-License-Identifier: Apache-2.0 */
/* The last ticks and counters of SurfaceFlinger, for the rows of dropFrames.csv. */
#ifndef JANKD_RULES_COUNT_RECENT_EVENTS_H
#define JANKD_RULES_COUNT_RECENT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

#define RECENT_EVENTS_MAX 8192	       /* some seconds of a busy SurfaceFlinger */
#define RECENT_EVENTS_NAME_SIZE 120    /* longer names are cut, as they are only printed */
#define RECENT_EVENTS_NAMES_SIZE 65536 /* hundreds of names; the oldest are overwritten */
#define RECENT_EVENTS_KNOWN 1024       /* places of a hash table for these names */
#define RECENT_EVENTS_TEXT_SIZE 2048

/* Entries of a block. Whole blocks are skipped: a frame waits in the queue, so most entries are
 * newer than it. */
#define RECENT_EVENTS_BLOCK 16

/* Places of a hash table for the names in a text, of which each has 3 bytes or more with its "; ".
 */
#define RECENT_EVENTS_LISTED 1024

/* A name is stored once for many entries, while it is used. */
struct recent_name {
	uint32_t listed_in; /* number of the last text that lists it; 0: none */
	uint32_t hash;
	uint32_t length;
	char text[RECENT_EVENTS_NAME_SIZE]; /* only length bytes are stored */
};

/* The entry's name: value of n_names before it. It wraps after the name is overwritten. */
struct recent_event_name {
	uint32_t at : 31;
	uint32_t is_tick : 1;
};

/* A place of that table. */
struct recent_listed {
	uint32_t in; /* number of the text; another one than the last: the place is free */
	uint32_t at; /* place of the name in recent_events.names */
};

struct recent_events {
	uint64_t n;			     /* entries so far; these two are of the last ones: */
	uint64_t time_ns[RECENT_EVENTS_MAX]; /* separate, as most entries are only compared */
	struct recent_event_name name[RECENT_EVENTS_MAX];
	uint64_t earliest_ns[RECENT_EVENTS_MAX / RECENT_EVENTS_BLOCK]; /* of each block */
	uint32_t n_names;		     /* bytes of names so far, modulo 2^31 */
	uint32_t known[RECENT_EVENTS_KNOWN]; /* by hash: value of n_names before the last name */
	_Alignas(struct recent_name) char names[RECENT_EVENTS_NAMES_SIZE];
	char tick[RECENT_EVENTS_NAME_SIZE];	/* "": there was none */
	char counters[RECENT_EVENTS_TEXT_SIZE]; /* each once, joined by "; " */
	size_t n_counters;			/* bytes of that text */
	uint32_t n_texts;			/* so far */
	struct recent_listed listed[RECENT_EVENTS_LISTED];
};

_Static_assert(RECENT_EVENTS_TEXT_SIZE / 3 < RECENT_EVENTS_LISTED, "a place stays free");

/* A tick, or another counter, was written. */
void recent_events_add(struct recent_events *log, uint64_t time_ns, struct span name, bool is_tick);

/* Finds the last tick before @to_ns, and the counters written in [@from_ns, @to_ns): sets tick and
 * counters, which are valid until the next call. */
void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns);

#endif
