/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/repeats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

#define PLACE(n) ((uint32_t)(n) % REPEATS_MAX)

/* The lines are no duplicates if this many in a row are new, or more than one in eight. After a
 * clock step of whole periods many lines of a regular trace have the same time as earlier ones. */
#define OUTLIERS_MAX 16
#define OUTLIERS_FREE 8
#define OUTLIERS_SHARE 8

/* Limits searches of the whole ring, which are slow. Beyond the limit the result is 'not found'. */
#define SEARCHES_FREE 1000
#define RECORDS_PER_SEARCH 64

int repeats_init(struct repeats *repeats, bool wanted)
{
	*repeats = (struct repeats){ 0 };
	if (wanted)
		repeats->hashes = memory_new(REPEATS_MAX, sizeof(*repeats->hashes));
	return wanted && !repeats->hashes ? -ENOMEM : 0;
}

void repeats_free(struct repeats *repeats)
{
	free(repeats->hashes);
	repeats->hashes = NULL;
}

/* A hash of the record that is unique except for neighbours. The end of the name is enough: that is
 * where numbers differ. Hot: called for each record. */
static inline __attribute__((always_inline)) uint32_t hash_of(const struct trace_record *record)
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

void repeats_keep(struct repeats *repeats, const struct trace_record *record)
{
	if (repeats->hashes)
		repeats->hashes[PLACE(repeats->n++)] = hash_of(record);
}

/* Sets repeats->at to the place of the record. */
static bool find(struct repeats *repeats, uint32_t hash)
{
	uint64_t kept = repeats->n < REPEATS_MAX ? repeats->n : REPEATS_MAX;

	if (repeats->searches > SEARCHES_FREE + repeats->n / RECORDS_PER_SEARCH)
		return false;
	repeats->searches++;
	for (uint64_t i = 1; i <= kept; i++) {
		if (repeats->hashes[PLACE(repeats->n - i)] == hash) {
			repeats->at = PLACE(repeats->n - i);
			return true;
		}
	}
	return false;
}

bool repeats_has(struct repeats *repeats, const struct trace_record *record)
{
	return repeats->hashes && find(repeats, hash_of(record));
}

void repeats_begin(struct repeats *repeats, uint64_t end_ns)
{
	repeats->now = true;
	repeats->end_ns = end_ns;
	repeats->outliers_in_row = repeats->outliers = 0;
	repeats->passed = 2;
}

static bool is_broken(const struct repeats *repeats)
{
	return repeats->outliers_in_row > OUTLIERS_MAX ||
	       (repeats->outliers > OUTLIERS_FREE &&
		repeats->outliers * OUTLIERS_SHARE > repeats->passed);
}

enum repeats_answer repeats_check(struct repeats *repeats, const struct trace_record *record)
{
	uint32_t hash = hash_of(record);
	bool same = record->time_ns <= repeats->end_ns;

	/* Usually duplicates are in the same order as the first time. */
	if (same && repeats->hashes[PLACE(repeats->at + 1)] == hash)
		repeats->at = PLACE(repeats->at + 1);
	else if (same)
		same = find(repeats, hash);
	repeats->outliers_in_row = same ? 0 : repeats->outliers_in_row + 1;
	repeats->outliers += !same;
	if (record->time_ns > repeats->end_ns || (record->time_ns == repeats->end_ns && !same)) {
		repeats->now = false;
		return REPEATS_OVER;
	}
	if (is_broken(repeats)) {
		repeats->now = false;
		return REPEATS_BROKEN;
	}
	repeats->passed++;
	return REPEATS_SAME;
}
