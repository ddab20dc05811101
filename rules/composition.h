/* SPDX-License-Identifier: Apache-2.0 */
/* SurfaceFlinger's recent compositions: when it could have latched a buffer, and whether its own
 * GPU work was part of a present. */
#ifndef JANKD_RULES_COMPOSITION_H
#define JANKD_RULES_COMPOSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/fence.h"

/* Compositions of two seconds at 240 Hz: frames are counted within that time. */
#define COMPOSITIONS_MAX 512

enum client_composition {
	CLIENT_UNKNOWN, /* the trace does not have the counter */
	CLIENT_NO,
	CLIENT_YES, /* the GPU composed layers: hasClientComposition */
};

struct composition {
	uint64_t commit_ns;  /* SurfaceFlinger begins to latch; 0: unknown */
	uint64_t present_ns; /* 0: it presented nothing */
	uint64_t end_ns;     /* SurfaceFlinger is done with it; 0: unknown */
	enum client_composition client;
	fence_id fence; /* of SurfaceFlinger's own GPU work, or FENCE_NONE */
	bool fence_is_render;
};

struct compositions {
	uint32_t n; /* so far */
	struct composition all[COMPOSITIONS_MAX];
};

void compositions_commit(struct compositions *c, uint64_t time_ns);
void compositions_present(struct compositions *c, uint64_t time_ns);

/* The composition of the last present ends. */
void compositions_end(struct compositions *c, uint64_t time_ns);

/* hasClientComposition of the next present. */
void compositions_client(struct compositions *c, bool client);

/* SurfaceFlinger queues the fence of its own GPU work for the next present: RenderEngine's, or
 * (@render false, before Android 14) that of the buffer with the result. */
void compositions_fence(struct compositions *c, fence_id id, bool render);

/* The composition with that present; NULL: unknown. When its GPU work ended is in its fence. */
const struct composition *compositions_at(const struct compositions *c, uint64_t present_ns);

/* The composition with the last present before @present_ns; NULL: unknown. */
const struct composition *compositions_before(const struct compositions *c, uint64_t present_ns);

/* True: SurfaceFlinger could have latched the buffer earlier, when it was queued and the GPU had
 * not finished it. Times in ns; @latched_ns: when it was latched. */
bool compositions_waited_for_gpu(const struct compositions *c, uint64_t queued_ns, uint64_t done_ns,
				 uint64_t latched_ns);

/* Later times cannot be compared with earlier ones. */
void compositions_forget(struct compositions *c);

#endif
