/* SPDX-License-Identifier: Apache-2.0 */
/* What SurfaceFlinger wrote lately: the last ticks and counters, for the rows of drops. */
#ifndef JANKD_RULES_CONTEXT_H
#define JANKD_RULES_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

#define CONTEXT_ENTRIES 8192	  /* some seconds of a busy SurfaceFlinger */
#define CONTEXT_NAME_SIZE 120	  /* longer names are cut: this is for people to read */
#define CONTEXT_NAMES_SIZE 262144 /* of all entries; of the oldest they may be gone */
#define CONTEXT_TEXT_SIZE 2048

struct context_log {
	uint64_t n; /* entries ever written */
	struct context_entry {
		uint64_t time_ns;
		uint64_t name : 63; /* where it was written, of all bytes ever */
		uint64_t is_tick : 1;
	} entries[CONTEXT_ENTRIES];
	uint64_t n_names; /* bytes ever written */
	char names[CONTEXT_NAMES_SIZE];
	char tick[CONTEXT_NAME_SIZE];
	char counters[CONTEXT_TEXT_SIZE];
};

void context_add_tick(struct context_log *log, uint64_t time_ns, struct span name);
void context_add_counter(struct context_log *log, uint64_t time_ns, struct span name);

/* Finds the last tick before @to_ns, and the counters written in [@from_ns, @to_ns). */
void context_describe(struct context_log *log, uint64_t from_ns, uint64_t to_ns);

/* Of the last description; valid until the next. */
const char *context_tick(const struct context_log *log);     /* "" where there was none */
const char *context_counters(const struct context_log *log); /* each once, joined by "; " */

#endif
