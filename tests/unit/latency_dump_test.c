/* SPDX-License-Identifier: Apache-2.0 */
/* The names of layers and the rows of frames that SurfaceFlinger prints. */
#include "tests/unit/unit.h"

#include "parser/surfaceflinger_dump.h"

/* --- --list --- */

static const struct {
	const char *line, *name; /* "": none */
} lists[] = {
	/* 7 to 14: the line */
	{ "com.a/com.a.Main#0", "com.a/com.a.Main#0" },
	{ "SurfaceView[com.a/com.a.Main](BLAST)#0\r", "SurfaceView[com.a/com.a.Main](BLAST)#0" },
	{ "", "" },
	/* 15 */
	{ "RequestedLayerState{ff5d6b3 ActivityRecordInputSink a.b/a.b.Home#28994 parentId=28983 "
	  "z=-2147483648}",
	  "ff5d6b3 ActivityRecordInputSink a.b/a.b.Home#28994" },
	{ "RequestedLayerState{ActivityRecord{5e6ac22 u0 a.b/a.b.Home t329 mVisible=false "
	  "mOccludesParent=true mode=fullscreen boundsRect(0, 0 - 1200, 2664)}#28983 "
	  "parentId=28965}",
	  "ActivityRecord{5e6ac22 u0 a.b/a.b.Home t329 mVisible=false mOccludesParent=true "
	  "mode=fullscreen boundsRect(0, 0 - 1200, 2664)}#28983" },
	{ "RequestedLayerState{a.b/a.b.Home#29149 parentId=28989}", "a.b/a.b.Home#29149" },
	{ "RequestedLayerState{a#1 parentId=2 relativeParentId=3 mirrorId={4,5} !handle z=-6 "
	  "layerStack=7}",
	  "a#1" },
	{ "RequestedLayerState{a#1}", "a#1" },
	/* the name contains what may follow it: the last number counts */
	{ "RequestedLayerState{x#1 parentId=2#3 z=4}", "x#1 parentId=2#3" },
	{ "RequestedLayerState{x#1 parentId=2 y#3 parentId=4}", "x#1 parentId=2 y#3" },
	{ "RequestedLayerState{x}y#1 parentId=4} trailing", "x}y#1" },
	{ "RequestedLayerState{no number parentId=4}", "" },
	{ "RequestedLayerState{a#1 other=1}", "a#1" },
	{ "RequestedLayerState{a#1x z=1}", "" },
	{ "RequestedLayerState{a#1 parentId=4", "" },
	{ "RequestedLayerState{}", "" },
	{ "RequestedLayerState{", "" },
};

TEST(test_list)
{
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		size_t len = strlen(lists[i].line);
		char *line = malloc(len ? len : 1);
		struct span found;

		memcpy(line, lists[i].line, len);
		found = layer_list_name((struct span){ line, len });
		assert_string_equal(formatted("%.*s", (int)found.len, found.len ? found.ptr : ""),
				    lists[i].name);
		free(line);
	}
}

TEST(test_containers)
{
	static const char *const containers[] = {
		"ActivityRecord{5e6ac22 u0 a.b/a.b.Home t329}#28983",
		"Task=329#28965",
		"Leaf:0:1#4",
		"ff5d6b3 ActivityRecordInputSink a.b/a.b.Home#28994",
		"Dim layer#5",
	};

	for (size_t i = 0; i < COUNT_OF(containers); i++)
		assert_true(layer_list_is_container(span_of(containers[i])));
	assert_false(layer_list_is_container(span_of("a.b/a.b.Home#29149")));
	assert_false(layer_list_is_container(span_of("SurfaceView[a.b/a.b.Home](BLAST)#0")));
	assert_false(layer_list_is_container(SPAN_NULL));
}

/* --- --latency --- */

TEST(test_lines)
{
	struct latency_row row;

	assert_int_equal(latency_dump_line(SPAN_LITERAL("16666666"), &row), LATENCY_LINE_PERIOD);
	assert_int_equal(row.desired_ns, 16666666);
	assert_int_equal(
		latency_dump_line(SPAN_LITERAL("59069638658663\t59069678041684\t59069654158298"),
				  &row),
		LATENCY_LINE_ROW);
	assert_fields(&row, desired_ns == 59069638658663, actual_ns == 59069678041684,
		      ready_ns == 59069654158298);
	assert_int_equal(latency_dump_line(SPAN_LITERAL("1\t9223372036854775807\t3"), &row),
			 LATENCY_LINE_ROW);
	assert_int_equal(row.actual_ns, LATENCY_PENDING);
	assert_int_equal(latency_dump_line(SPAN_LITERAL("0\t0\t0\r"), &row), LATENCY_LINE_ROW);
	assert_int_equal(latency_dump_line(SPAN_LITERAL(""), &row), LATENCY_LINE_END);
	assert_int_equal(latency_dump_line(SPAN_LITERAL("5\t-1\t6"), &row), LATENCY_LINE_ROW);
	assert_int_equal(row.actual_ns, 0);
}

TEST(test_other_lines)
{
	static const char *const lines[] = {
		"no service",	       "1\t2",	"1\t2\t3\t4", "1\t2\t3x",  "-",
		"9223372036854775808", "1\t\t", "0",	      "\t1\t2\t3",
	};
	struct latency_row row;

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		assert_int_equal(latency_dump_line(span_of(lines[i]), &row), LATENCY_LINE_OTHER);
}
