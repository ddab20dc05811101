/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that a test expects, by their names: "frames 9 wait_ns 500ms d ?". "?": ROW_UNKNOWN.
 * All of them are checked, and those that differ are in the message. */
#ifndef JANKD_TESTS_NUMBERS_H
#define JANKD_TESTS_NUMBERS_H

#include <stddef.h>

#include "rules/base/row.h"

struct number {
	const char *name;
	int64_t value;
};

/* A field of the structure at @from. */
#define NUMBER(from, field)                                                                        \
	{                                                                                          \
#field, (int64_t)(from)->field                                                     \
	}

/* Six of them. */
#define NUMBERS(from, a, b, c, d, e, f)                                                            \
	NUMBER(from, a), NUMBER(from, b), NUMBER(from, c), NUMBER(from, d), NUMBER(from, e),       \
		NUMBER(from, f)

void expect_numbers(const struct number *numbers, size_t n, const char *expected);

/* The fields of @stats; matrix0, 3 and 4 are matrix[0], [3] and [4]. @numbers has space for
 * STATS_NUMBERS. */
#define STATS_NUMBERS 27
void stats_numbers(struct number *numbers, const struct frame_stats *stats);
void expect_stats(struct frame_stats stats, const char *expected);

#endif
