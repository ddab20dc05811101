/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/repeats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"

#define PLACE(n) ((uint32_t)(n) % REPEATS_MAX)

/* Lines are no duplicates if this many in a row are new, or more than one in eight. After a clock
 * step of whole periods many lines of a steady phone have the same time as earlier ones. */
#define OUTLIERS_MAX 16
#define OUTLIERS_FREE 8
#define OUTLIERS_SHARE 8

/* Limits searches of the whole array, which are slow: with too many of them the answer is no. */
#define LOOKS_FREE 1000
#define RECORDS_PER_LOOK 64

int repeats_init(struct repeats *repeats, bool wanted)
{
	*repeats = (struct repeats){ 0 };
	if (wanted)
		repeats->seen = memory_new(REPEATS_MAX, sizeof(*repeats->seen));
	return wanted && !repeats->seen ? -ENOMEM : 0;
}

void repeats_free(struct repeats *repeats)
{
	free(repeats->seen);
	repeats->seen = NULL;
}

/* A hash that no other record has, except for neighbours of the record. The end of the name
 * suffices: numbers that differ are there. Hot: called for each record. */
static inline __attribute__((always_inline)) uint32_t what_is(const struct trace_record *record)
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
	if (repeats->seen)
		repeats->seen[PLACE(repeats->n++)] = what_is(record);
}

/* Sets repeats->at to the place where it was found. */
static bool find(struct repeats *repeats, uint32_t what)
{
	uint64_t kept = repeats->n < REPEATS_MAX ? repeats->n : REPEATS_MAX;

	if (repeats->looks > LOOKS_FREE + repeats->n / RECORDS_PER_LOOK)
		return false;
	repeats->looks++;
	for (uint64_t i = 1; i <= kept; i++) {
		if (repeats->seen[PLACE(repeats->n - i)] == what) {
			repeats->at = PLACE(repeats->n - i);
			return true;
		}
	}
	return false;
}

bool repeats_has(struct repeats *repeats, const struct trace_record *record)
{
	return repeats->seen && find(repeats, what_is(record));
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
	uint32_t what = what_is(record);
	bool same = record->time_ns <= repeats->end_ns;

	/* Usually they come in the order of the first time. */
	if (same && repeats->seen[PLACE(repeats->at + 1)] == what)
		repeats->at = PLACE(repeats->at + 1);
	else if (same)
		same = find(repeats, what);
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
