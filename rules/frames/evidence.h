/* SPDX-License-Identifier: Apache-2.0 */
/* What a layer keeps for stall.h and pause.h. */
#ifndef JANKD_RULES_FRAMES_EVIDENCE_H
#define JANKD_RULES_FRAMES_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/threads/app_work.h"

/* Work of a process up to a moment, see work_sum() and work_long_sum(). */
struct work_sums {
	uint64_t all_ns, long_ns;
};

/* Of a layer, since its last frame. */
struct stall_evidence {
	struct work_owner owner;
	uint64_t from_ns;	   /* its last frame; 0: none */
	struct work_sums at_frame; /* of its process */
	uint64_t frames;	   /* the same */
	/* Time in which a buffer was queued while the process was not at work, without the time
	 * since queued_ns; and the work of an earlier process of the layer. */
	struct work_sums queued_only;
	uint64_t queued_all_ns; /* time in which a buffer was queued, whatever the process did */
	uint64_t queued_ns;	/* a buffer is in the queue since then; 0: none is */
	struct work_sums at_queued; /* of the process at that time */
	bool lost;		    /* events are missing since its last frame */
	bool reported;		    /* as a stall that no frame has ended */
};

/* How steadily a layer draws. */
struct pause_state {
	int64_t vsyncs; /* the cadence */
	unsigned int n; /* frames at the cadence, less 10 for each other one */
	int64_t before; /* cadence before the last wait, which may be a pause; 0: none may be */
	uint64_t wait_ns;
};

#endif
