/* SPDX-License-Identifier: Apache-2.0 */
/* Which records were there before: a recorded trace that was put together from pieces that overlap
 * has some of its lines twice. */
#ifndef JANKD_RULES_REPEATS_H
#define JANKD_RULES_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

/* So many records are remembered: some seconds of a busy phone's markers. */
#define REPEATS_MAX 65536

struct repeats {
	uint32_t *seen;		  /* ring of what the records were, or NULL: none can come twice */
	uint64_t n;		  /* kept ever */
	uint64_t looks;		  /* at all of the ring */
	bool now;		  /* lines come a second time */
	uint64_t end_ns;	  /* up to here */
	uint32_t at;		  /* place of the last one in the ring */
	uint32_t outliers_in_row; /* in a row that were not there before */
	uint64_t outliers;	  /* the same in all, this time */
	uint64_t passed;	  /* this time */
};

enum repeats_answer {
	REPEATS_SAME,	/* it was there before */
	REPEATS_OVER,	/* it is new, and so is what follows */
	REPEATS_BROKEN, /* they are others after all */
};

/* @wanted: else nothing is remembered. Returns 0 or -ENOMEM; repeats_free() is due in any case. */
int repeats_init(struct repeats *repeats, bool wanted);
void repeats_free(struct repeats *repeats);

/* Remembers a record. */
void repeats_keep(struct repeats *repeats, const struct trace_record *record);

/* Was it there before? Looks at all that is remembered. */
bool repeats_has(struct repeats *repeats, const struct trace_record *record);

/* Two in a row were: they come a second time up to @end_ns, where the trace was before. */
void repeats_begin(struct repeats *repeats, uint64_t end_ns);

/* The next record, while they come a second time. */
enum repeats_answer repeats_check(struct repeats *repeats, const struct trace_record *record);

#endif
