/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/frame_timeline.h"

#include "parser/protobuf.h"

/* An actual frame's fields from the type of its present on are the same in both kinds, one number
 * apart up to the prediction. */
static void read_actual(const struct protobuf_field *field, unsigned int number,
			struct timeline_event *event)
{
	bool is_surface = event->kind == TIMELINE_ACTUAL_SURFACE;
	int32_t value = (int32_t)field->value;

	switch (number) {
	case 1:
		event->present_type = value;
		break;
	case 2:
		event->on_time_finish = field->value != 0;
		break;
	case 3:
		event->gpu_composition = field->value != 0;
		break;
	case 4:
		event->jank_type = value;
		break;
	case 5:
		event->prediction = value;
		break;
	case 6:
		if (is_surface)
			event->is_buffer = field->value != 0;
		else
			event->severity = value;
		break;
	case 7:
		if (is_surface)
			event->severity = value;
		break;
	}
}

static void read_display(const struct protobuf_field *field, struct timeline_event *event)
{
	if (field->number == 2)
		event->token = (int64_t)field->value;
	else if (field->number == 3)
		event->pid = (int32_t)field->value;
	else if (field->number > 3 && event->kind == TIMELINE_ACTUAL_DISPLAY)
		read_actual(field, field->number - 3, event);
}

static void read_surface(const struct protobuf_field *field, struct timeline_event *event)
{
	if (field->number == 2)
		event->token = (int64_t)field->value;
	else if (field->number == 3)
		event->display_token = (int64_t)field->value;
	else if (field->number == 4)
		event->pid = (int32_t)field->value;
	else if (field->number == 5)
		event->layer = field->bytes;
	else if (field->number > 5 && event->kind == TIMELINE_ACTUAL_SURFACE)
		read_actual(field, field->number - 5, event);
}

static bool read_kind(struct span bytes, struct timeline_event *event)
{
	struct protobuf_field field;
	bool is_display =
		event->kind == TIMELINE_EXPECTED_DISPLAY || event->kind == TIMELINE_ACTUAL_DISPLAY;

	while (protobuf_next(&bytes, &field)) {
		if (field.number == 1)
			event->cookie = (int64_t)field.value;
		else if (is_display)
			read_display(&field, event);
		else if (event->kind != TIMELINE_END)
			read_surface(&field, event);
	}
	return bytes.len == 0;
}

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
		return read_kind(field.bytes, event);
	}
	return false;
}
