/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format and the packets of perfetto: what they say is read, whatever else is there; no
 * byte beyond a message is read. */
#include "tests/unit/unit.h"

#include "parser/frame_timeline.h"
#include "parser/perfetto.h"
#include "parser/protobuf.h"
#include "tests/unit/guarded.h"
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
	assert_int_equal(field.number, 1);
	assert_int_equal(field.value, 300);
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

TEST(a_bundle_gives_its_markers)
{
	struct packets bundle = { 0 }, other = { 0 };
	struct perfetto_bundle read;
	struct perfetto_print print;
	uint64_t first_ns = 0;
	struct span rest;

	packets_number(&other, 1, 900);
	packets_number(&other, 2, 8);
	packets_text(&other, 4, "a switch");
	packets_add(&bundle, 2, &other);
	packets_print(&bundle, 1000, 7, "B|7|one\n");
	packets_print(&bundle, 2000, 8, "E|7\n");
	packets_number(&bundle, 1, 3);
	packets_number(&bundle, 3, 1);
	packets_number(&bundle, 5, PERFETTO_FTRACE_GLOBAL);
	rest = packets_span(&bundle);
	assert_true(perfetto_bundle_read(rest, &read));
	assert_int_equal(read.cpu, 3);
	assert_true(read.lost);
	assert_int_equal(read.clock, PERFETTO_FTRACE_GLOBAL);
	assert_true(perfetto_print_next(&rest, &print, &first_ns));
	assert_int_equal(print.time_ns, 1000);
	assert_int_equal(print.tid, 7);
	assert_true(span_equal(print.text, SPAN_LITERAL("B|7|one\n")));
	assert_true(perfetto_print_next(&rest, &print, &first_ns));
	assert_int_equal(print.tid, 8);
	assert_false(perfetto_print_next(&rest, &print, &first_ns));
	assert_int_equal(first_ns, 900);
	packets_free(&bundle);
}

TEST(an_actual_surface_frame_is_read)
{
	struct packets trace = { 0 };
	struct perfetto_packet packet;
	struct timeline_event event;
	struct span rest, bytes;
	uint64_t needed;
	static const struct packets_frame frame = {
		.cookie = 70,
		.start_ns = 50,
		.end_ns = 60,
		.token = 9,
		.display_token = 10,
		.layer = "TX - a",
		.jank_type = 64,
	};

	packets_frame(&trace, &frame);
	rest = packets_span(&trace);
	assert_int_equal(perfetto_frame(&rest, &bytes, &needed), PERFETTO_FRAME_PACKET);
	assert_true(perfetto_packet_read(bytes, &packet));
	assert_int_equal(packet.time_ns, 50);
	assert_int_equal(packet.clock, PERFETTO_CLOCK_BOOTTIME);
	assert_int_equal(packet.sequence, 4);
	assert_true(timeline_event_read(packet.timeline, &event));
	assert_int_equal(event.kind, TIMELINE_ACTUAL_SURFACE);
	assert_int_equal(event.cookie, 71);
	assert_int_equal(event.token, 9);
	assert_int_equal(event.display_token, 10);
	assert_int_equal(event.pid, 300);
	assert_int_equal(event.present_type, 2);
	assert_int_equal(event.on_time_finish, 0);
	assert_int_equal(event.gpu_composition, 1);
	assert_int_equal(event.jank_type, 64);
	assert_int_equal(event.prediction, 1);
	assert_int_equal(event.is_buffer, 1);
	assert_int_equal(event.severity, 3);
	assert_true(span_equal(event.layer, SPAN_LITERAL("TX - a")));
	packets_free(&trace);
}

TEST(a_cut_packet_is_read_up_to_the_cut)
{
	static const struct packets_frame frame = { .start_ns = 50, .end_ns = 60, .layer = "a" };
	struct packets trace = { 0 }, bundle = { 0 };
	struct perfetto_packet packet;
	struct perfetto_print print;
	struct timeline_event event;
	struct guarded memory;

	packets_frame(&trace, &frame);
	packets_print(&bundle, 1000, 7, "B|7|one\n");
	packets_bundle(&trace, 1, 0, &bundle);
	memory = guarded_new(trace.len);
	for (size_t len = 0; len <= trace.len; len++) {
		struct span bytes, rest = { memory.end - len, len };
		uint64_t needed, first_ns = 0;

		memcpy(memory.end - len, trace.bytes, len);
		while (perfetto_frame(&rest, &bytes, &needed) == PERFETTO_FRAME_PACKET) {
			perfetto_packet_read(bytes, &packet);
			timeline_event_read(packet.timeline, &event);
			while (perfetto_print_next(&packet.ftrace, &print, &first_ns))
				;
		}
		perfetto_packet_read(rest, &packet);
	}
	guarded_free(&memory);
	packets_free(&trace);
}
