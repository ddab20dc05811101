/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format and the packets of perfetto: what they say is read, whatever else is there; no
 * byte beyond a message is read. */
#include "tests/unit/unit.h"

#include "parser/perfetto.h"
#include "parser/protobuf.h"

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
		SPAN_INIT("\n\4abc"),	 /* cut bytes */
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
	struct span rest = SPAN_LITERAL("\n\2ab\20\1\n\0\n\5x");
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
