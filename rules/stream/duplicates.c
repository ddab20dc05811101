/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream/duplicates.h"

#include <errno.h>
#include <stdlib.h>

#include "rules/base/memory.h"

/* The lines are no duplicates if this many in a row are new, or more than one in eight. After a
 * clock step of whole periods many lines of a regular trace have the same time as earlier ones. */
#define OUTLIERS_MAX 16
#define OUTLIERS_FREE 8
#define OUTLIERS_SHARE 8

/* Searches of the whole ring are slow, so they are limited. Beyond the limit nothing is found. */
#define SEARCHES_FREE 1000
#define RECORDS_PER_SEARCH 64

int duplicates_init(struct duplicates *duplicates, bool wanted)
{
	*duplicates = (struct duplicates){ 0 };
	if (wanted)
		duplicates->hashes = memory_new(DUPLICATES_MAX, sizeof(*duplicates->hashes));
	return wanted && !duplicates->hashes ? -ENOMEM : 0;
}

void duplicates_free(struct duplicates *duplicates)
{
	free(duplicates->hashes);
}

/* Sets duplicates->at to the place of the record. */
static bool find(struct duplicates *duplicates, uint32_t hash)
{
	uint64_t kept = duplicates->n < DUPLICATES_MAX ? duplicates->n : DUPLICATES_MAX;

	if (duplicates->searches > SEARCHES_FREE + duplicates->n / RECORDS_PER_SEARCH)
		return false;
	duplicates->searches++;
	for (uint64_t i = 1; i <= kept; i++) {
		if (duplicates->hashes[DUPLICATES_PLACE(duplicates->n - i)] == hash) {
			duplicates->at = DUPLICATES_PLACE(duplicates->n - i);
			return true;
		}
	}
	return false;
}

bool duplicates_has(struct duplicates *duplicates, const struct trace_record *record)
{
	return duplicates->hashes && find(duplicates, duplicates_hash(record));
}

void duplicates_begin(struct duplicates *duplicates, uint64_t end_ns)
{
	duplicates->active = true;
	duplicates->end_ns = end_ns;
	duplicates->outliers_in_row = duplicates->outliers = 0;
	duplicates->skipped = 2;
}

enum duplicates_answer duplicates_check(struct duplicates *duplicates,
					const struct trace_record *record)
{
	uint32_t hash = duplicates_hash(record);
	bool same = record->time_ns <= duplicates->end_ns;

	if (!duplicates->active)
		return DUPLICATES_NONE;
	/* Duplicates are usually in the same order as before. */
	if (same && duplicates->hashes[DUPLICATES_PLACE(duplicates->at + 1)] == hash)
		duplicates->at = DUPLICATES_PLACE(duplicates->at + 1);
	else if (same)
		same = find(duplicates, hash);
	duplicates->outliers_in_row = same ? 0 : duplicates->outliers_in_row + 1;
	duplicates->outliers += !same;
	if (record->time_ns > duplicates->end_ns ||
	    (record->time_ns == duplicates->end_ns && !same)) {
		duplicates->active = false;
		return DUPLICATES_OVER;
	}
	if (duplicates->outliers_in_row > OUTLIERS_MAX ||
	    (duplicates->outliers > OUTLIERS_FREE &&
	     duplicates->outliers * OUTLIERS_SHARE > duplicates->skipped)) {
		duplicates->active = false;
		return DUPLICATES_BROKEN;
	}
	duplicates->skipped++;
	return DUPLICATES_SAME;
}
