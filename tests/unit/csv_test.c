/* SPDX-License-Identifier: Apache-2.0 */
/* The exact columns of each file, on which other programs rely. Each row has the same number of
 * columns. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "daemon/files/csv.h"
#include "daemon/base/csv_columns.h"

static const char fps[] = "start time,end time,FPS,frames,Time(S),max time(ms),waiting "
			  "time(S),wait times,A,B,C,D,score,TX,app,"
			  "Surface,refresh(Hz),p50(ms),p90(ms),p99(ms),missed vsyncs,jank,big "
			  "jank,stutter(%),gpu avg(ms),gpu "
			  "max(ms),lost events,stalls,stall time(S),cadence(vsyncs),off cadence";
static const char drops[] = "start VSYNC,end VSYNC,used time(ms),VSYNC "
			    "type,TX,app,Surface,info,missed vsyncs,cause,layer,frame "
			    "number";
static const char frames[] = "present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer,frame "
			     "number,queued(s),latched(s),gpu "
			     "done(s),cause,lost events,vsync id";
static const char summary[] =
	"app,Surface,first(s),last(s),frames,Time(S),FPS,p50(ms),p90(ms),p95(ms),p99(ms),p99.9(ms),"
	"max "
	"time(ms),low 1% mean(fps),low 0.1% mean(fps),waiting time(S),wait "
	"times,A,B,C,D,score,missed "
	"vsyncs,small jank,jank,big jank,stutter(%),matrix best,matrix normal,matrix middle,matrix "
	"high,matrix frozen,slow,frozen,gpu p50(ms),gpu p99(ms),gpu bound,lost events,stalls,stall "
	"time(S),cadence(vsyncs),off cadence,jank(/10min),big jank(/10min),jank types,verdict,low "
	"1% "
	"time(fps),low 0.1% time(fps)";

static void test_headers_are_exact(void **state)
{
	assert_string_equal(csv_fps_header, fps);
	assert_string_equal(csv_drop_header, drops);
	assert_string_equal(csv_frame_header, frames);
	assert_string_equal(csv_summary_header, summary);
	assert_string_equal(csv_event_header, "time(s),wall time,kind,text");
}

/* --- rows --- */

static struct csv_row row_text;
static char text[4096];

/* Returns the row without its line end. */
static const char *made(void)
{
	assert_true(row_text.len > 1 && row_text.bytes[row_text.len - 1] == '\n');
	snprintf(text, sizeof(text), "%.*s", (int)row_text.len - 1, row_text.bytes);
	return text;
}

static size_t columns(const char *line)
{
	size_t n = 1;

	for (; *line; line++)
		n += *line == ',';
	return n;
}

static struct frame_stats some_stats(void)
{
	return (struct frame_stats){ .frames = 58,
				     .time_ns = UINT64_C(1000000000),
				     .max_ns = UINT64_C(50000000),
				     .jank = 2,
				     .big_jank = 1,
				     .missed = 2,
				     .score = 98 };
}

static void test_row_of_fps_matches_its_header(void **state)
{
	struct fps_row row = { .app = "a", .surface = "s", .stats = some_stats(), .fps = 58 };

	row.cadence = 1;
	row.off_cadence = 1;
	csv_fps_row(&row_text, &row);
	assert_int_equal(columns(made()), columns(fps));
	assert_string_equal(text + strlen(text) - 8, ",0,,,1,1");
	row.legacy = true;
	csv_fps_row(&row_text, &row);
	assert_int_equal(columns(made()), columns(fps));
	assert_string_equal(text + strlen(text) - 16, "s,,,,,,,,,,,,,,,");
}

static void test_row_of_summary_matches_its_header(void **state)
{
	struct summary_row row = { .app = "a", .surface = "s", .stats = some_stats(), .fps = 58 };

	row.cadence = 1;
	row.off_cadence = 1;
	row.low1_time_fps = 20;
	row.low01_time_fps = 20;
	csv_summary_row(&row_text, &row);
	assert_int_equal(columns(made()), columns(summary));
	assert_string_equal(text + strlen(text) - 37, ",0,,,1,1,1200.00,600.00,,,20.00,20.00");
	/* A row of waits only has no rates. */
	row.stats = (struct frame_stats){ .waits = 1, .missed = 0 };
	row.cadence = row.off_cadence = ROW_UNKNOWN;
	csv_summary_row(&row_text, &row);
	assert_string_equal(made() + strlen(text) - 12, ",0,,,,,,,,,,");
}

static void test_rows_of_frames_and_drops_match_their_headers(void **state)
{
	struct frame_row frame = { .app = "a", .surface = "s", .layer = "l" };
	struct drop_row drop = {
		.tick = "t", .app = "a", .surface = "s", .info = "", .layer = "l"
	};

	csv_frame_row(&row_text, &frame);
	assert_int_equal(columns(made()), columns(frames));
	csv_drop_row(&row_text, &drop);
	assert_int_equal(columns(made()), columns(drops));
}

/* Names are escaped, and quoted where needed; line ends of the 2019 program's info stay. */
static void test_names_are_escaped_and_quoted(void **state)
{
	struct drop_row drop = {
		.tick = "=1", .app = "a,b", .surface = "\"s\"", .info = "\nc", .layer = ""
	};

	csv_event_row(&row_text, 1000000000, "", "mark", "\"two\"\n");
	assert_string_equal(made(), "1.000000,,mark,\"\"\"two\"\"\\x0A\"");
	csv_drop_row(&row_text, &drop);
	assert_string_equal(made(), "0.000000,0.000000,0.000,'=1,0,\"a,b\",\"\"\"s\"\"\",\\x0Ac,"
				    "0,,,0");
	drop.legacy = true;
	csv_drop_row(&row_text, &drop);
	assert_string_equal(made(), "0.000000,0.000000,0,'=1,0,\"a,b\",\"\"\"s\"\"\",\"\nc\",,,,");
}

/* Names of the largest size in which each byte is escaped. */
static void test_the_longest_row_fits(void **state)
{
	static char name[1024], info[2048];
	struct drop_row drop = {
		.tick = name, .app = name, .surface = name, .info = info, .layer = name
	};

	memset(name, 1, sizeof(name) - 1);
	memset(info, 1, sizeof(info) - 1);
	csv_drop_row(&row_text, &drop);
	assert_false(row_text.is_too_long);
	assert_true(row_text.len > (4 * sizeof(name) + sizeof(info)) * 4 - 64);
	csv_event_row(&row_text, 0, "", "mark", "x");
	assert_string_equal(made(), "0.000000,,mark,x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers_are_exact),
		cmocka_unit_test(test_row_of_fps_matches_its_header),
		cmocka_unit_test(test_row_of_summary_matches_its_header),
		cmocka_unit_test(test_rows_of_frames_and_drops_match_their_headers),
		cmocka_unit_test(test_names_are_escaped_and_quoted),
		cmocka_unit_test(test_the_longest_row_fits),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
