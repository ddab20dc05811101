/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/frame_timeline.h"

#include "parser/protobuf.h"

#define EVENT(as, member) PROTOBUF_MEMBER(as, timeline_event, member)

/* An actual frame's fields from the type of its present on are the same in both kinds, @n numbers
 * later, up to the prediction. */
#define ACTUAL(n)                                                                                  \
	[n + 1] = EVENT(I32, present_type), [n + 2] = EVENT(FLAG, on_time_finish),                 \
	     [n + 3] = EVENT(FLAG, gpu_composition), [n + 4] = EVENT(U64, jank_type),              \
	     [n + 5] = EVENT(I32, prediction)

#define DISPLAY [1] = EVENT(U64, cookie), [2] = EVENT(U64, token), [3] = EVENT(I32, pid)
#define SURFACE                                                                                    \
	[1] = EVENT(U64, cookie), [2] = EVENT(U64, token), [3] = EVENT(U64, display_token),        \
	[4] = EVENT(I32, pid), [5] = EVENT(SPAN, layer)

static const struct protobuf_member members[][13] = {
	[TIMELINE_EXPECTED_DISPLAY] = { DISPLAY },
	[TIMELINE_ACTUAL_DISPLAY] = { DISPLAY, ACTUAL(3), [9] = EVENT(I32, severity) },
	[TIMELINE_EXPECTED_SURFACE] = { SURFACE },
	[TIMELINE_ACTUAL_SURFACE] = { SURFACE, ACTUAL(5), [11] = EVENT(FLAG, is_buffer),
				      [12] = EVENT(I32, severity) },
	[TIMELINE_END] = { [1] = EVENT(U64, cookie) },
};

bool timeline_event_read(struct span bytes, struct timeline_event *event)
{
	struct protobuf_field field;

	while (protobuf_next(&bytes, &field)) {
		if (field.number < TIMELINE_EXPECTED_DISPLAY || field.number > TIMELINE_END ||
		    field.type != PROTOBUF_BYTES)
			continue;
		*event = (struct timeline_event){
			.kind = (enum timeline_kind)field.number,
			.cookie = -1,
			.token = -1,
			.display_token = -1,
			.pid = -1,
			.present_type = -1,
			.prediction = -1,
			.severity = -1,
			.on_time_finish = -1,
			.gpu_composition = -1,
			.is_buffer = -1,
			.jank_type = -1,
		};
		return PROTOBUF_READ(field.bytes, members[field.number], event);
	}
	return false;
}
