/* SPDX-License-Identifier: Apache-2.0 */
/* Finds duplicates: a recorded trace that was put together from overlapping pieces has some of its
 * lines twice. */
#ifndef JANKD_RULES_DUPLICATES_H
#define JANKD_RULES_DUPLICATES_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

/* Records that are kept: some seconds of the markers of a busy phone. */
#define DUPLICATES_MAX 65536

struct duplicates {
	uint32_t *hashes;  /* ring of hashes of the records, or NULL: no duplicates are expected */
	uint64_t n;	   /* records remembered so far */
	uint64_t searches; /* searches of the whole ring so far */
	bool active;	   /* duplicates are expected now */
	uint64_t end_ns;   /* up to this time */
	uint32_t at;	   /* place of the last duplicate in the ring */
	uint32_t outliers_in_row; /* new records in a row */
	uint64_t outliers;	  /* new records in this run */
	uint64_t skipped;	  /* duplicates in this run */
};

enum duplicates_answer {
	DUPLICATES_SAME,   /* it is a duplicate */
	DUPLICATES_OVER,   /* it is new, as are those after it */
	DUPLICATES_BROKEN, /* the run was no duplicate of earlier lines */
};

/* @wanted: false: no records are kept. Returns 0 or -ENOMEM; duplicates_free() must be called in
 * any case. */
int duplicates_init(struct duplicates *duplicates, bool wanted);
void duplicates_free(struct duplicates *duplicates);

/* Keeps a record. */
void duplicates_keep(struct duplicates *duplicates, const struct trace_record *record);

/* True: the record was there before. Searches the whole ring. */
bool duplicates_has(struct duplicates *duplicates, const struct trace_record *record);

/* Two records in a row were duplicates: a run of them begins, up to @end_ns, the end of the trace
 * so far. */
void duplicates_begin(struct duplicates *duplicates, uint64_t end_ns);

/* Checks the next record of the run. */
enum duplicates_answer duplicates_check(struct duplicates *duplicates,
					const struct trace_record *record);

#endif
