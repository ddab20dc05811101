/* SPDX-License-Identifier: Apache-2.0 */
/* The last ticks and counters of SurfaceFlinger, for the rows of dropFrames.csv. */
#ifndef JANKD_RULES_COUNT_RECENT_EVENTS_H
#define JANKD_RULES_COUNT_RECENT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define RECENT_EVENTS_MAX 8192	    /* some seconds of a busy SurfaceFlinger */
#define RECENT_EVENTS_BLOCK 64	    /* so many are skipped at once */
#define RECENT_EVENTS_NAME_SIZE 120 /* longer names are cut, as they are only printed */
#define RECENT_EVENTS_TEXT_SIZE 2048

/* Places for names, of which a trace has some hundred, and places in which one name can be. */
#define RECENT_EVENTS_NAMES 2048
#define RECENT_EVENTS_SHIFT 21 /* leaves the bits of a place of a hash of 32 bits */
#define RECENT_EVENTS_WAYS 16

/* A name is stored once for many entries, while it is used. */
struct recent_name {
	uint64_t first, last; /* numbers of entries with it, from 1 on; 0: a free place */
	uint64_t listed_in;   /* number of the last text that lists it; 0: none */
	uint32_t hash;
	uint32_t length;
	char text[RECENT_EVENTS_NAME_SIZE];
};

struct recent_events {
	uint64_t forgotten;		     /* so many of the first entries are of another clock */
	uint64_t n;			     /* entries so far; these two are of the last ones: */
	uint64_t time_ns[RECENT_EVENTS_MAX]; /* separate, as most entries are only compared */
	uint64_t earliest_ns[RECENT_EVENTS_MAX / RECENT_EVENTS_BLOCK]; /* of each block */
	struct {
		uint16_t name : 15; /* its place */
		uint16_t is_tick : 1;
	} event[RECENT_EVENTS_MAX];
	struct recent_name names[RECENT_EVENTS_NAMES];
	uint64_t n_texts;			/* so far */
	uint64_t from_ns, to_ns, described_n;	/* of the last text, with n at that time */
	char tick[RECENT_EVENTS_NAME_SIZE];	/* "": there was none */
	char counters[RECENT_EVENTS_TEXT_SIZE]; /* each once, joined by "; " */
};

/* A tick, or another counter, was written. */
void recent_events_add(struct recent_events *log, uint64_t time_ns, struct span name, bool is_tick);

/* Finds the last tick before @to_ns, and the counters written in [@from_ns, @to_ns): sets tick and
 * counters, which are valid until the next call. */
void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns);

#endif
