/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is there for good: taken once, at the begin. */
#ifndef JANKD_RULES_MEMORY_H
#define JANKD_RULES_MEMORY_H

#include <stddef.h>

/**
 * memory_new() - room for @n things of @size bytes, all zeros
 *
 * Every page of it is touched now, so that a process does not grow while it runs: what it takes
 * after an hour, it takes after a week.
 *
 * Returns NULL where there is none; to be given to free().
 */
void *memory_new(size_t n, size_t size);

#endif
