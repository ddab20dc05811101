/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's work for a frame, as its fences show it: producer.h finds it, summary.h counts it. */
#ifndef JANKD_RULES_COUNT_GPU_WORK_H
#define JANKD_RULES_COUNT_GPU_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/vsync/expected.h"

/* Who decides when the next frame is drawn. */
enum pacing {
	PACING_UNKNOWN,
	PACING_VSYNC,  /* there was a tick for apps, or a doFrame, since the previous frame */
	PACING_ITSELF, /* there was none: the process does not follow the display's vsyncs */
};

/* What is known of the GPU's work for a frame, and of its buffer. */
struct gpu_work {
	uint64_t done_ns;	 /* 0: unknown */
	int64_t gpu_ns;		 /* ROW_UNKNOWN: unknown */
	int64_t release_wait_ns; /* the display gave the buffer back so long after it was dequeued;
				    ROW_UNKNOWN: unknown */
	enum pacing pacing;
	uint64_t slept_ns; /* its app was woken so long after it was for the frame before, which had
			      been latched by then; the GPU took no longer than for that one; 0:
			      unknown, or it did */
	struct frame_vsync vsync; /* that the app's frame answers */
	bool missed_latch; /* SurfaceFlinger could have latched the buffer earlier, if the GPU had
			      finished it */
};

#endif
