/* SPDX-License-Identifier: Apache-2.0 */
/* Storage outside of memory for the overflow of a full table.
 *
 * rules/ decides what is stored at which offset. The owner of the storage writes and reads; both
 * can fail.
 */
#ifndef JANKD_RULES_SPILL_H
#define JANKD_RULES_SPILL_H

#include <stddef.h>
#include <stdint.h>

/* Surfaces that are stored in addition to the table: 4 KB each with fewer than 100 different frame
 * times, 60 KB at most. */
#define SPILL_SURFACES 4096

/* The same for layers: 3 KB each. */
#define SPILL_LAYERS 4096

struct spill {
	void *context;
	/* Transfer @len bytes to or from @offset; bytes that were never written are never read.
	 * Both return 0 or -errno. */
	int (*write)(void *context, uint64_t offset, const void *bytes, size_t len);
	int (*read)(void *context, uint64_t offset, void *bytes, size_t len);
};

#endif
