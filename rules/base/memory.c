/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/base/memory.h"

#include <stdlib.h>

/* The smallest page size of all kernels that run Android. */
#define PAGE 4096

void *memory_new(size_t n, size_t size)
{
	volatile char *memory = calloc(n, size);

	/* Writes, as a read would only map the shared zero page. */
	for (size_t i = 0; memory && i < n * size; i += PAGE)
		memory[i] = 0;
	if (memory && n * size > 0)
		memory[n * size - 1] = 0;
	return (void *)memory;
}

void *memory_keep(struct memory *memory, void *block)
{
	if (memory->n == MEMORY_BLOCKS) {
		free(block);
		block = NULL;
	}
	if (block)
		memory->blocks[memory->n++] = block;
	memory->failed |= !block;
	return block;
}

void memory_free(struct memory *memory)
{
	while (memory->n > 0)
		free(memory->blocks[--memory->n]);
}
