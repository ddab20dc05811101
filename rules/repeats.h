/* SPDX-License-Identifier: Apache-2.0 */
/* Finds duplicates: a recorded trace that was put together from overlapping pieces has some of its
 * lines twice. */
#ifndef JANKD_RULES_REPEATS_H
#define JANKD_RULES_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

/* Records that are kept: some seconds of the markers of a busy phone. */
#define REPEATS_MAX 65536

struct repeats {
	uint32_t *hashes;  /* ring of hashes of the records, or NULL: no duplicates are expected */
	uint64_t n;	   /* records remembered so far */
	uint64_t searches; /* searches of the whole ring so far */
	bool now;	   /* duplicates are expected now */
	uint64_t end_ns;   /* up to this time */
	uint32_t at;	   /* place of the last duplicate in the ring */
	uint32_t outliers_in_row; /* new records in a row */
	uint64_t outliers;	  /* new records in this run */
	uint64_t passed;	  /* duplicates in this run */
};

enum repeats_answer {
	REPEATS_SAME,	/* it is a duplicate */
	REPEATS_OVER,	/* it is new, as are those after it */
	REPEATS_BROKEN, /* the run was no duplicate of earlier lines */
};

/* @wanted: false: no records are kept. Returns 0 or -ENOMEM; repeats_free() must be called in any
 * case. */
int repeats_init(struct repeats *repeats, bool wanted);
void repeats_free(struct repeats *repeats);

/* Keeps a record. */
void repeats_keep(struct repeats *repeats, const struct trace_record *record);

/* True: the record was there before. Searches the whole ring. */
bool repeats_has(struct repeats *repeats, const struct trace_record *record);

/* Two records in a row were duplicates: a run of them begins, up to @end_ns, the end of the trace
 * so far. */
void repeats_begin(struct repeats *repeats, uint64_t end_ns);

/* Checks the next record of the run. */
enum repeats_answer repeats_check(struct repeats *repeats, const struct trace_record *record);

#endif
