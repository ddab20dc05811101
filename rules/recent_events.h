/* SPDX-License-Identifier: Apache-2.0 */
/* The last ticks and counters of SurfaceFlinger, for the rows of dropFrames.csv. */
#ifndef JANKD_RULES_RECENT_EVENTS_H
#define JANKD_RULES_RECENT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

#define RECENT_EVENTS_MAX 8192		/* some seconds of a busy SurfaceFlinger */
#define RECENT_EVENTS_NAME_SIZE 120	/* longer names are cut, as they are only printed */
#define RECENT_EVENTS_NAMES_SIZE 262144 /* names of all entries; the oldest are overwritten */
#define RECENT_EVENTS_TEXT_SIZE 2048

/* Entries of a block. Whole blocks are skipped: a frame waits in the queue, so most entries are
 * newer than it. */
#define RECENT_EVENTS_BLOCK 64

/* Places of a hash table for the names in a text, of which each has 3 bytes or more with its "; ".
 */
#define RECENT_EVENTS_LISTED 1024

struct recent_events {
	uint64_t n; /* entries so far */
	struct recent_event {
		uint64_t time_ns;
		uint32_t name; /* value of n_names before it; it wraps after the name is overwritten
				*/
		uint32_t hash : 24; /* of the name; 0: not computed yet */
		uint32_t length : 7;
		uint32_t is_tick : 1;
	} entries[RECENT_EVENTS_MAX];
	uint64_t earliest_ns[RECENT_EVENTS_MAX / RECENT_EVENTS_BLOCK]; /* of each block */
	uint32_t n_names; /* bytes of names so far, modulo 2^32 */
	char names[RECENT_EVENTS_NAMES_SIZE];
	char tick[RECENT_EVENTS_NAME_SIZE];
	char counters[RECENT_EVENTS_TEXT_SIZE];
	size_t n_counters;		       /* bytes of that text */
	uint16_t listed[RECENT_EVENTS_LISTED]; /* 1 + place of an entry whose name is in it; 0: free
						*/
};

_Static_assert(RECENT_EVENTS_TEXT_SIZE / 3 < RECENT_EVENTS_LISTED, "a place stays free");

void recent_events_add_tick(struct recent_events *log, uint64_t time_ns, struct span name);
void recent_events_add_counter(struct recent_events *log, uint64_t time_ns, struct span name);

/* Finds the last tick before @to_ns, and the counters written in [@from_ns, @to_ns). */
void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns);

/* Results of the last recent_events_describe(), valid until the next. */
const char *recent_events_tick(const struct recent_events *log);     /* "": there was none */
const char *recent_events_counters(const struct recent_events *log); /* each once, joined by "; " */

#endif
