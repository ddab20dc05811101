/* SPDX-License-Identifier: Apache-2.0 */
/* What only recorded traces have: lines that are there twice, and lines that are sorted by CPU. */
#ifndef JANKD_RULES_STREAM_RECORDED_H
#define JANKD_RULES_STREAM_RECORDED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parser/record.h"

/* --- duplicates: a trace that was joined from overlapping pieces has some lines twice --- */

/* Records that are kept: some seconds of the markers of a busy phone. */
#define DUPLICATES_MAX 65536
#define DUPLICATES_PLACE(n) ((uint32_t)(n) % DUPLICATES_MAX)

struct duplicates {
	uint32_t *hashes;  /* the owner's: a ring of hashes of the records; NULL: none are kept */
	uint64_t n;	   /* records kept so far */
	uint64_t searches; /* searches of the whole ring so far */
	bool active;	   /* in a run of duplicates */
	uint64_t end_ns;   /* end of that run */
	uint32_t at;	   /* place of the last duplicate in the ring */
	uint32_t outliers_in_row; /* records in a row that are new */
	uint64_t outliers;	  /* records of this run that are new */
	uint64_t skipped;	  /* records skipped in this run */
};

enum duplicates_answer {
	DUPLICATES_NONE,   /* there is no run of duplicates */
	DUPLICATES_SAME,   /* skip it: it is a duplicate, or a single new record among duplicates */
	DUPLICATES_OVER,   /* the run is over: this record and those after it are new */
	DUPLICATES_BROKEN, /* too many are new: these lines are no duplicates */
};

/* A hash that differs for nearly all records. The end of the name is enough, as numbers are there.
 * Hot path: called for each record. */
static inline uint32_t duplicates_hash(const struct trace_record *record)
{
	uint64_t writer = (uint64_t)(uint32_t)record->tid << 8 | (uint64_t)record->kind;
	const struct span *name = &record->name;
	uint64_t end, hash;

	/* Reads from one of two valid places without a branch: which records have a name is
	 * unpredictable. */
	uintptr_t at = (uintptr_t)name->ptr + name->len - sizeof(end);

	at = name->len >= sizeof(end) ? at : (uintptr_t)&record->value;
	memcpy(&end, (const void *)at, sizeof(end));
	hash = record->time_ns * UINT64_C(0x9e3779b97f4a7c15) ^
	       (writer + end + name->len + (uint64_t)record->value) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t)(hash >> 32);
}

/* Adds @n records to the ring. */
static inline void duplicates_keep(struct duplicates *duplicates,
				   const struct trace_record *records, size_t n)
{
	if (!duplicates->hashes)
		return;
	for (size_t i = 0; i < n; i++)
		duplicates->hashes[DUPLICATES_PLACE(duplicates->n + i)] =
			duplicates_hash(&records[i]);
	duplicates->n += n;
}

/* True: the record is in the ring. Searches all of it. */
bool duplicates_has(struct duplicates *duplicates, const struct trace_record *record);

/* Two records in a row were duplicates: a run begins. It ends at @end_ns, the latest time. */
void duplicates_begin(struct duplicates *duplicates, uint64_t end_ns);

/* Checks the next record of the run, if there is one. */
enum duplicates_answer duplicates_check(struct duplicates *duplicates,
					const struct trace_record *record);

/* --- a trace that is sorted by CPU: it must be sorted by time before jankd can analyze it --- */

struct cpu_order {
	bool possible;		    /* nothing so far shows another order; false: a live trace */
	int32_t cpu;		    /* of the current lines; TRACE_ID_UNKNOWN before the first */
	uint64_t cpus;		    /* mask of the CPUs so far */
	uint64_t first_ns, last_ns; /* time of all lines so far */
	uint64_t begin_ns, end_ns;  /* time of the lines of all other CPUs */
	bool back;		    /* a CPU's lines begin before the end of the previous ones */
	unsigned int overlapping;   /* number of lines in the time of other CPUs */
	unsigned int within;	    /* the same, in the first half of that time */
};

/* Adds the next record. */
void cpu_order_add(struct cpu_order *order, const struct trace_record *record);

/* True: the trace is sorted by CPU. @ended: it has no more lines, so fewer prove that. */
bool cpu_order_is_sure(const struct cpu_order *order, bool ended);

#endif
