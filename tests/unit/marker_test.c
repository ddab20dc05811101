/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of a marker's payload, row by row. */
#include "tests/unit/unit.h"

#include "parser/marker.h"
#include "tests/unit/guarded.h"

#define NONE TRACE_ID_UNKNOWN

struct row {
	const char *payload;
	enum trace_kind kind;
	int32_t pid;
	const char *name;
	int64_t value;
	const char *track;
};

static const struct row good[] = {
	{ "B|683|postFramebuffer", TRACE_SLICE_BEGIN, 683, "postFramebuffer", 0, "" },
	{ "B|683|", TRACE_SLICE_BEGIN, 683, "", 0, "" },
	{ "B|683", TRACE_SLICE_BEGIN, 683, "", 0, "" },
	{ "B|0|a|b|", TRACE_SLICE_BEGIN, 0, "a|b|", 0, "" },
	{ "B|2147483647|x", TRACE_SLICE_BEGIN, INT32_MAX, "x", 0, "" },
	{ "B|0000683|x", TRACE_SLICE_BEGIN, 683, "x", 0, "" },
	{ "B|12345678|x", TRACE_SLICE_BEGIN, 12345678, "x", 0, "" },
	{ "B|123456789", TRACE_SLICE_BEGIN, 123456789, "", 0, "" },
	{ "B|9|\xff\xff", TRACE_SLICE_BEGIN, 9, "\xff\xff", 0, "" },
	{ "E", TRACE_SLICE_END, NONE, "", 0, "" },
	{ "E|", TRACE_SLICE_END, NONE, "", 0, "" },
	{ "E|6", TRACE_SLICE_END, 6, "", 0, "" },
	{ "E|68392", TRACE_SLICE_END, 68392, "", 0, "" },
	{ "E|6839207", TRACE_SLICE_END, 6839207, "", 0, "" },
	{ "E|683|wait", TRACE_SLICE_END, 683, "wait", 0, "" },
	{ "C|683|VSYNC-sf|1", TRACE_COUNTER, 683, "VSYNC-sf", 1, "" },
	{ "C|683|a|b|-7", TRACE_COUNTER, 683, "a|b", -7, "" },
	{ "C|683||0", TRACE_COUNTER, 683, "", 0, "" },
	{ "C|683|1|2|3", TRACE_COUNTER, 683, "1|2", 3, "" },
	{ "C|683|max|9223372036854775807", TRACE_COUNTER, 683, "max", INT64_MAX, "" },
	{ "C|683|min|-9223372036854775808", TRACE_COUNTER, 683, "min", INT64_MIN, "" },
	{ "C|227|BufferTX - |com.x/com.x.Main#1203|0", TRACE_COUNTER, 227,
	  "BufferTX - |com.x/com.x.Main#1203", 0, "" },
	{ "C|227|BufferTX - 10aa7df |SurfaceView[a/b]#1248|1|M62", TRACE_COUNTER, 227,
	  "BufferTX - 10aa7df |SurfaceView[a/b]#1248", 1, "" },
	{ "S|1322|H:ScreenLock:Page 10021", TRACE_ASYNC_BEGIN, 1322, "H:ScreenLock:Page", 10021,
	  "" },
	{ "F|1322|H:a b -3|M62", TRACE_ASYNC_END, 1322, "H:a b", -3, "" },
	{ "S|1322|H:a|7|I62|category|key=value", TRACE_ASYNC_BEGIN, 1322, "H:a", 7, "" },
	{ "C|46512|H:memory:fonts 28896", TRACE_COUNTER, 46512, "H:memory:fonts", 28896, "" },
	{ "B|1322|H:a 7|M62", TRACE_SLICE_BEGIN, 1322, "H:a 7|M62", 0, "" },
	{ "E|1322|M62", TRACE_SLICE_END, 1322, "M62", 0, "" },
	{ "S|683|launch|12", TRACE_ASYNC_BEGIN, 683, "launch", 12, "" },
	{ "F|683|launch|-12", TRACE_ASYNC_END, 683, "launch", -12, "" },
	{ "I|683|latchBuffer a#1 - 7", TRACE_INSTANT, 683, "latchBuffer a#1 - 7", 0, "" },
	{ "G|683|track|name|5", TRACE_TRACK_BEGIN, 683, "name", 5, "track" },
	{ "G|683||name|5", TRACE_TRACK_BEGIN, 683, "name", 5, "" },
	{ "H|683|track|5", TRACE_TRACK_END, 683, "", 5, "track" },
	{ "H|683|track|name|5", TRACE_TRACK_END, 683, "name", 5, "track" },
	{ "N|683|track|name", TRACE_TRACK_INSTANT, 683, "name", 0, "track" },
	{ "trace_event_clock_sync: parent_ts=1.5", TRACE_CLOCK_SYNC, NONE, "parent_ts=1.5", 0, "" },
	{ "trace_event_clock_sync:name=x", TRACE_CLOCK_SYNC, NONE, "name=x", 0, "" },
	{ "B|683|x\n", TRACE_SLICE_BEGIN, 683, "x", 0, "" },
	{ "C|683|x|5\r\n", TRACE_COUNTER, 683, "x", 5, "" },
};

/* Those between the semicolons. */
static const char bad[] =
	";|;B;B|;b|683|x;B683|x;B|x|y;B| 683|x;B|-1|x;B|683x|y;B|683\377|y;B|\377683|y;"
	"B|6839207\272|y;B|2147483648|x;B|99999999999999999999|x;EE;E|x;E x;C|683;C|683|;"
	"C|683|x;C|683|x|;C|683|x|-;C|683|x|+1;C|683|x|1.5;C|683|x|9223372036854775808;"
	"C|683|x|-9223372036854775809;C|683|x|y|z;S|683|x;S|683|x 7;S|683|H:x;C|683|H:x 7y|z;"
	"F|683|x|y;G|683|track;H|683|track;X|683|x|1;\001|683|x|1;hello;\n";

static void assert_span(struct span span, const char *text)
{
	assert_int_equal(span.len, strlen(text));
	if (span.len != 0)
		assert_memory_equal(span.ptr, text, span.len);
}

FIXTURE(guarded_set_up, guarded_tear_down)

/* Parses @text right before an unreadable page. */
static bool parse_guarded(const char *text, size_t len, struct trace_record *record)
{
	char *at = guarded.end - len;

	memcpy(at, text, len);
	return marker_parse((struct span){ at, len }, record);
}

/* The fields of the header stay. Cut payloads are read within their bounds. */
TEST(test_valid_payloads_are_parsed)
{
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		const struct row *row = &good[i];
		struct trace_record before, record;

		memset(&before, 0x5a, sizeof(before));
		for (size_t len = 0; len < strlen(row->payload); len++)
			parse_guarded(row->payload, len, &record);
		record = before;
		if (!parse_guarded(row->payload, strlen(row->payload), &record))
			fail_msg("refused: %s", row->payload);
		assert_fields(&record, kind == row->kind, pid == row->pid, value == row->value);
		assert_span(record.name, row->name);
		assert_span(record.track, row->track);
		record.kind = before.kind;
		record.pid = before.pid;
		record.value = before.value;
		record.name = before.name;
		record.track = before.track;
		assert_memory_equal(&record, &before, sizeof(record));
	}
}

TEST(test_invalid_payloads_change_nothing)
{
	struct trace_record before, record;
	char copy[sizeof(bad)], *rest = strcpy(copy, bad), *payload;

	memset(&before, 0x5a, sizeof(before));
	while ((payload = strsep(&rest, ";"))) {
		record = before;
		if (parse_guarded(payload, strlen(payload), &record))
			fail_msg("accepted: %s", payload);
		assert_memory_equal(&record, &before, sizeof(record));
	}
}

/* If a writer includes the terminating NUL, the marker is the text before it. */
TEST(test_trailing_nuls_are_removed)
{
	struct trace_record record = { 0 };

	assert_true(parse_guarded("B|1|x\0\0", 7, &record));
	assert_span(record.name, "x");
	assert_true(parse_guarded("E\0", 2, &record));
	assert_int_equal(record.kind, TRACE_SLICE_END);
	assert_false(parse_guarded("\0", 1, &record));
}
