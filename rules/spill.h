/* SPDX-License-Identifier: Apache-2.0 */
/* Where that goes for a while which a full table has no room for: a place outside of memory.
 *
 * This room decides what goes where, and knows what it can hold; the owner of the place writes and
 * reads, and may fail to.
 */
#ifndef JANKD_RULES_SPILL_H
#define JANKD_RULES_SPILL_H

#include <stddef.h>
#include <stdint.h>

/* Surfaces that are kept beside those in the table: 4 KB each, where a Surface has less than 100
 * different frame times, and 52 KB at most. */
#define SPILL_SURFACES 4096

/* The same of layers: 3 KB each. */
#define SPILL_LAYERS 4096

struct spill {
	void *context;
	/* @len bytes, to and from @offset; what is between them is never read. Both return 0 or
	 * -errno. */
	int (*write)(void *context, uint64_t offset, const void *bytes, size_t len);
	int (*read)(void *context, uint64_t offset, void *bytes, size_t len);
};

#endif
