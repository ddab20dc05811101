/* SPDX-License-Identifier: Apache-2.0 */
/* The last ticks and counters of SurfaceFlinger, for the rows of dropFrames.csv. */
#ifndef JANKD_RULES_RECENT_EVENTS_H
#define JANKD_RULES_RECENT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define RECENT_EVENTS_MAX 8192		/* some seconds of a busy SurfaceFlinger */
#define RECENT_EVENTS_NAME_SIZE 120	/* longer names are cut, as they are only printed */
#define RECENT_EVENTS_NAMES_SIZE 262144 /* names of all entries; the oldest are overwritten */
#define RECENT_EVENTS_TEXT_SIZE 2048

struct recent_events {
	uint64_t n; /* entries so far */
	struct recent_event {
		uint64_t time_ns;
		uint64_t name : 63; /* value of n_names before it */
		uint64_t is_tick : 1;
	} entries[RECENT_EVENTS_MAX];
	uint64_t n_names; /* bytes of names so far */
	char names[RECENT_EVENTS_NAMES_SIZE];
	char tick[RECENT_EVENTS_NAME_SIZE];
	char counters[RECENT_EVENTS_TEXT_SIZE];
};

void recent_events_add_tick(struct recent_events *log, uint64_t time_ns, struct span name);
void recent_events_add_counter(struct recent_events *log, uint64_t time_ns, struct span name);

/* Finds the last tick before @to_ns, and the counters written in [@from_ns, @to_ns). */
void recent_events_describe(struct recent_events *log, uint64_t from_ns, uint64_t to_ns);

/* Results of the last recent_events_describe(), valid until the next. */
const char *recent_events_tick(const struct recent_events *log);     /* "": there was none */
const char *recent_events_counters(const struct recent_events *log); /* each once, joined by "; " */

#endif
