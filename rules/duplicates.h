/* SPDX-License-Identifier: Apache-2.0 */
/* Finds duplicates: a recorded trace that was joined from overlapping pieces contains some lines
 * twice. */
#ifndef JANKD_RULES_DUPLICATES_H
#define JANKD_RULES_DUPLICATES_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"

/* Records that are kept: some seconds of the markers of a busy phone. */
#define DUPLICATES_MAX 65536

struct duplicates {
	uint32_t *hashes;	  /* ring of hashes of the records; NULL: none are kept */
	uint64_t n;		  /* records kept so far */
	uint64_t searches;	  /* searches of the whole ring so far */
	bool active;		  /* in a run of duplicates */
	uint64_t end_ns;	  /* end of that run */
	uint32_t at;		  /* place of the last duplicate in the ring */
	uint32_t outliers_in_row; /* records in a row that are new */
	uint64_t outliers;	  /* records of this run that are new */
	uint64_t skipped;	  /* records skipped in this run */
};

enum duplicates_answer {
	DUPLICATES_SAME,   /* skip it: it is a duplicate, or a single new record among duplicates */
	DUPLICATES_OVER,   /* the run is over: this record and those after it are new */
	DUPLICATES_BROKEN, /* too many are new: these lines are no duplicates */
};

/* If not @wanted, no records are kept. Returns 0 or -ENOMEM; duplicates_free() must be called in
 * any case. */
int duplicates_init(struct duplicates *duplicates, bool wanted);
void duplicates_free(struct duplicates *duplicates);

/* Adds a record to the ring. */
void duplicates_keep(struct duplicates *duplicates, const struct trace_record *record);

/* True: the record is in the ring. Searches all of it. */
bool duplicates_has(struct duplicates *duplicates, const struct trace_record *record);

/* Two records in a row were duplicates: a run begins. It ends at @end_ns, the latest time. */
void duplicates_begin(struct duplicates *duplicates, uint64_t end_ns);

/* Checks the next record of the run. */
enum duplicates_answer duplicates_check(struct duplicates *duplicates,
					const struct trace_record *record);

#endif
