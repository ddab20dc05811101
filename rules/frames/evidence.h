/* SPDX-License-Identifier: Apache-2.0 */
/* What a layer keeps for stall.h and pause.h. */
#ifndef JANKD_RULES_FRAMES_EVIDENCE_H
#define JANKD_RULES_FRAMES_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/threads/app_work.h"

/* Of a layer, since its last frame. */
struct stall_evidence {
	struct work_owner owner;
	uint64_t from_ns;		  /* its last frame; 0: none */
	uint64_t sum_ns, long_ns, frames; /* of its process at that frame */
	/* Time in which a buffer was queued while the process was not at work, without the time
	 * since queued_ns; and the work of an earlier process of the layer. */
	uint64_t queued_only_ns, queued_only_long_ns;
	uint64_t queued_all_ns; /* time in which a buffer was queued, whatever the process did */
	uint64_t queued_ns;	/* a buffer is in the queue since then; 0: none is */
	uint64_t queued_sum_ns, queued_long_ns; /* sums of the process at that time */
	bool lost;				/* events are missing since its last frame */
	bool reported;				/* as a stall that no frame has ended */
};

/* How steadily a layer draws. */
struct pause_state {
	int64_t vsyncs; /* the cadence */
	unsigned int n; /* frames at the cadence, less 10 for each other one */
	int64_t before; /* cadence before the last wait, which may be a pause; 0: none may be */
	uint64_t wait_ns;
};

#endif
