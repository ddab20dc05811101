/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the whole life of its owner, allocated at the start. */
#ifndef JANKD_RULES_BASE_MEMORY_H
#define JANKD_RULES_BASE_MEMORY_H

#include <stdbool.h>
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

#define MEMORY_BLOCKS 32 /* more than a pipeline has */

/* The memory of a pipeline with all its tables, which is freed at once. All zeros: there is none.
 */
struct memory {
	void *blocks[MEMORY_BLOCKS];
	unsigned int n;
	bool failed; /* some was not there: nothing may be used then */
};

/* Keeps a @block of memory_new() or calloc(), which may be NULL: then it failed. Returns @block. */
void *memory_keep(struct memory *memory, void *block);
void memory_free(struct memory *memory);

#endif
