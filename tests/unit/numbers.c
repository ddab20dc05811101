/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/numbers.h"

#include "rules/count/stats.h"

#include <inttypes.h>

#include "tests/unit/unit.h"

static int64_t value_of(const struct number *numbers, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return numbers[i].value;
	fail_msg("no number has the name '%s'", name);
	return 0;
}

/* "?", "77", "500ms" */
static int64_t parsed(const char *text)
{
	char *end = NULL;
	const int64_t value = strtoll(text, &end, 10);

	if (strcmp(text, "?") == 0)
		return ROW_UNKNOWN;
	if (strcmp(end, "ms") == 0)
		return value * (int64_t)MS;
	if (*end != '\0')
		fail_msg("no number: '%s'", text);
	return value;
}

void expect_numbers(const struct number *numbers, size_t n, const char *expected)
{
	char name[40], text[24], differ[1000] = "";
	size_t len = 0;
	int used;

	for (const char *at = expected; sscanf(at, " %39s %23s%n", name, text, &used) == 2;
	     at += used) {
		const int64_t value = value_of(numbers, n, name);

		if (value == parsed(text))
			continue;
		len += (size_t)snprintf(differ + len, sizeof(differ) - len, " %s %" PRId64, name,
					value);
		assert_true(len < sizeof(differ));
	}
	if (len > 0)
		fail_msg("not '%s', but%s", expected, differ);
}

void stats_numbers(struct number *numbers, const struct frame_stats *s)
{
	const struct number all[STATS_NUMBERS] = {
		{ "d", frame_stats_by_vsyncs(s, s->d) },
		{ "missed", frame_stats_by_vsyncs(s, s->missed) },
		{ "late_frames", frame_stats_by_vsyncs(s, (int64_t)s->late) },
		{ "longest_ns", frame_stats_longest(s) },
		{ "slow", frame_stats_by_vsyncs(s, s->slow) },
		{ "matrix0", frame_stats_by_vsyncs(s, s->matrix[0]) },
		{ "matrix3", frame_stats_by_vsyncs(s, s->matrix[3]) },
		{ "matrix4", frame_stats_by_vsyncs(s, s->matrix[4]) },
		NUMBERS(s, frames, time_ns, max_ns, waits, wait_ns, a),
		NUMBERS(s, b, c, unknown, late_ns, stalls, stall_ns),
		NUMBERS(s, small_jank, jank, big_jank, jank_ns, frozen, tx),
		NUMBER(s, lost),
	};

	memcpy(numbers, all, sizeof(all));
}

void expect_stats(struct frame_stats stats, const char *expected)
{
	struct number numbers[STATS_NUMBERS];

	stats_numbers(numbers, &stats);
	expect_numbers(numbers, COUNT_OF(numbers), expected);
}
