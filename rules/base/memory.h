/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the whole life of the process, allocated at the start. */
#ifndef JANKD_RULES_BASE_MEMORY_H
#define JANKD_RULES_BASE_MEMORY_H

#include <stddef.h>

/**
 * memory_new() - allocate @n objects of @size bytes, all zeros
 *
 * All pages are touched at once, so that the process does not grow while it runs. Memory that most
 * captures never use comes from calloc() instead: a page of it counts when it is first used.
 *
 * Returns NULL if there is not enough memory. The caller frees it with free().
 */
void *memory_new(size_t n, size_t size);

#endif
