/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format and the packets of perfetto: what they say is read, whatever else is there; no
 * byte beyond a message is read. */
#include "tests/unit/unit.h"

#include "parser/frame_timeline.h"
#include "parser/perfetto.h"
#include "parser/protobuf.h"
#include "tests/unit/packets.h"

TEST(every_type_of_field_is_read)
{
	struct span rest = SPAN_LITERAL("\x08\xac\x02"		 /* 1: 300 */
					"\x11\1\0\0\0\0\0\0\x80" /* 2: fixed, 64 bits */
					"\x1a\x03"
					"abc"		   /* 3: bytes */
					"\x25\1\0\0\x80"); /* 4: fixed, 32 bits */
	struct protobuf_field field;

	assert_true(protobuf_next(&rest, &field));
	assert_fields(&field, number == 1, value == 300);
	assert_true(protobuf_next(&rest, &field));
	assert_int_equal(field.value, UINT64_C(0x8000000000000001));
	assert_true(protobuf_next(&rest, &field));
	assert_int_equal(field.number, 3);
	assert_true(span_equal(field.bytes, SPAN_LITERAL("abc")));
	assert_true(protobuf_next(&rest, &field));
	assert_int_equal(field.value, 0x80000001);
	assert_false(protobuf_next(&rest, &field));
	assert_int_equal(rest.len, 0);
}

/* The field is not read, and @rest still begins with it. */
TEST(a_damaged_field_ends_the_message)
{
	static const struct span cases[] = {
		SPAN_INIT("\x08"),					     /* no value */
		SPAN_INIT("\x08\x80"),					     /* a cut number */
		SPAN_INIT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), /* more than 64 bits */
		SPAN_INIT("\x11\1\2\3"), /* a cut number of fixed size */
		SPAN_INIT("\x0a\x04"
			  "abc"), /* cut bytes */
		SPAN_INIT("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
			  "a"),	       /* a huge length */
		SPAN_INIT("\x0b"),     /* a group */
		SPAN_INIT("\x00\x01"), /* field 0 */
	};
	struct protobuf_field field;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct span rest = cases[i];

		if (protobuf_next(&rest, &field) || rest.len != cases[i].len)
			fail_msg("case %zu", i);
	}
}

TEST(packets_are_found_in_a_stream)
{
	struct span rest = SPAN_LITERAL("\x0a\x02"
					"ab"
					"\x10\x01"
					"\x0a\x00"
					"\x0a\x05"
					"x");
	struct span packet;
	uint64_t needed;

	assert_int_equal(perfetto_frame(&rest, &packet, &needed), PERFETTO_FRAME_PACKET);
	assert_true(span_equal(packet, SPAN_LITERAL("ab")));
	assert_int_equal(perfetto_frame(&rest, &packet, &needed), PERFETTO_FRAME_OTHER);
	assert_int_equal(perfetto_frame(&rest, &packet, &needed), PERFETTO_FRAME_PACKET);
	assert_int_equal(packet.len, 0);
	assert_int_equal(perfetto_frame(&rest, &packet, &needed), PERFETTO_FRAME_NONE);
	assert_int_equal(needed, 7);
	rest = SPAN_LITERAL("\x07");
	assert_int_equal(perfetto_frame(&rest, &packet, &needed), PERFETTO_FRAME_NONE);
}

/* What an event of a kind does not have is -1. */
TEST(each_kind_of_timeline_event_is_read)
{
	static const struct packets_frame frames[] = {
		{ 70, 40, 45, 50, 60, 9, 10, "TX - a", 64 },
		{ 80, 40, 45, 50, 60, 10, 0, NULL, 2 },
	};
	/* Kind, cookie, token, token of the display, pid, type of the present, prediction,
	 * severity, on time, GPU composition, buffer, jank. */
	static const int64_t expected[][12] = {
		{ TIMELINE_EXPECTED_SURFACE, 70, 9, 10, 300, -1, -1, -1, -1, -1, -1, -1 },
		{ TIMELINE_END, 70, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
		{ TIMELINE_ACTUAL_SURFACE, 71, 9, 10, 300, 2, 1, 3, 0, 1, 1, 64 },
		{ TIMELINE_END, 71, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
		{ TIMELINE_EXPECTED_DISPLAY, 80, 10, -1, 100, -1, -1, -1, -1, -1, -1, -1 },
		{ TIMELINE_END, 80, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
		{ TIMELINE_ACTUAL_DISPLAY, 81, 10, -1, 100, 2, 1, 3, 0, 1, -1, 2 },
		{ TIMELINE_END, 81, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 },
	};
	struct packets trace = { 0 };
	struct perfetto_packet packet;
	struct timeline_event event;
	struct span rest, bytes;
	uint64_t needed;

	packets_frame(&trace, &frames[0]);
	packets_frame(&trace, &frames[1]);
	rest = packets_span(&trace);
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		assert_int_equal(perfetto_frame(&rest, &bytes, &needed), PERFETTO_FRAME_PACKET);
		assert_true(perfetto_packet_read(bytes, &packet));
		assert_fields(&packet, clock == PERFETTO_CLOCK_BOOTTIME, sequence == 4);
		assert_int_equal(packet.time_ns, 40 + i % 4 * 5 + (i % 4 == 3 ? 5 : 0));
		assert_true(timeline_event_read(packet.timeline, &event));
		assert_memory_equal(
			((const int64_t[]){ event.kind, event.cookie, event.token,
					    event.display_token, event.pid, event.present_type,
					    event.prediction, event.severity, event.on_time_finish,
					    event.gpu_composition, event.is_buffer,
					    event.jank_type }),
			expected[i], sizeof(expected[i]));
		assert_true(span_equal(event.layer,
				       i < 4 && i % 2 == 0 ? SPAN_LITERAL("TX - a") : SPAN_NULL));
	}
	packets_free(&trace);
}
