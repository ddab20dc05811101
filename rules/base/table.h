/* SPDX-License-Identifier: Apache-2.0 */
/* Small tables of entries that have the time or number of their last use, and rings: arrays with
 * the last entries of a series, whose numbers are from 0 on. */
#ifndef JANKD_RULES_BASE_TABLE_H
#define JANKD_RULES_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The place of the least of @n values, of which the first is at @first and the next @size bytes
 * behind it. The first of several that are the same. */
static inline unsigned int table_least(const uint64_t *first, size_t size, unsigned int n)
{
	const char *least = (const char *)first, *at = least;
	unsigned int place = 0;

	for (unsigned int i = 1; i < n; i++) {
		at += size;
		if (*(const uint64_t *)(const void *)at >= *(const uint64_t *)(const void *)least)
			continue;
		least = at;
		place = i;
	}
	return place;
}

/* The place of the entry of @table whose @member is the least. */
#define TABLE_LEAST(table, n, member) table_least(&(table)[0].member, sizeof((table)[0]), (n))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* The place of entry @number of a ring, and how many of @n entries so far are in it. */
#define RING_AT(ring, number) (&(ring)[(number) % ARRAY_SIZE(ring)])
#define RING_KEPT(ring, n) ((n) < ARRAY_SIZE(ring) ? (n) : (__typeof__(n))ARRAY_SIZE(ring))

#endif
