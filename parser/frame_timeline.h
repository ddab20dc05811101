/* SPDX-License-Identifier: Apache-2.0 */
/* One event of SurfaceFlinger's FrameTimeline (Android 12 and later), as perfetto records it. */
#ifndef JANKD_PARSER_FRAME_TIMELINE_H
#define JANKD_PARSER_FRAME_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

/* The numbers are those of the fields of FrameTimelineEvent. */
enum timeline_kind {
	TIMELINE_EXPECTED_DISPLAY = 1,
	TIMELINE_ACTUAL_DISPLAY = 2,
	TIMELINE_EXPECTED_SURFACE = 3,
	TIMELINE_ACTUAL_SURFACE = 4,
	TIMELINE_END = 5,
};

/* -1: the event does not have it. */
struct timeline_event {
	enum timeline_kind kind;
	int64_t cookie; /* the same in a start and in its end */
	int64_t token, display_token;
	int32_t pid;
	int32_t present_type, prediction, severity;
	int32_t on_time_finish, gpu_composition, is_buffer; /* 0 or 1 */
	int64_t jank_type;				    /* bits */
	struct span layer;
};

/* Reads the message FrameTimelineEvent. Returns false if it is none of these kinds, or damaged. */
bool timeline_event_read(struct span bytes, struct timeline_event *event);

#endif
