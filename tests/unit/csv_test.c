/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of every file, to the letter: other programs rely on them. Rows have as many. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static void test_headers(void **state)
{
	assert_string_equal(csv_fps_header, fps);
	assert_string_equal(csv_drop_header, drops);
	assert_string_equal(csv_frame_header, frames);
	assert_string_equal(csv_summary_header, summary);
	assert_string_equal(csv_event_header, "time(s),wall time,kind,text");
}

/* --- rows --- */

static struct csv_file file;
static char text[4096];

static void begin(const char *header)
{
	int fd = memfd_create("csv", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(csv_file_attach(&file, fd, CSV_BUFFER_SIZE, "csv", header), 0);
}

/* Ends the file; its last line is in text. */
static const char *last_line(void)
{
	static char bytes[8192];
	ssize_t n;
	char *line;

	csv_file_flush(&file);
	n = pread(file.fd, bytes, sizeof(bytes) - 1, 0);
	assert_true(n > 1);
	bytes[n - 1] = '\0';
	line = strrchr(bytes, '\n');
	snprintf(text, sizeof(text), "%s", line ? line + 1 : bytes);
	csv_file_close(&file);
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

static void test_a_row_of_fps(void **state)
{
	struct fps_row row = { .app = "a", .surface = "s", .stats = some_stats(), .fps = 58 };

	row.cadence = 1;
	row.off_cadence = 1;
	begin(csv_fps_header);
	csv_fps_row(&file, &row);
	assert_int_equal(columns(last_line()), columns(fps));
	assert_string_equal(text + strlen(text) - 8, ",0,,,1,1");
	row.legacy = true;
	begin(csv_fps_header);
	csv_fps_row(&file, &row);
	assert_int_equal(columns(last_line()), columns(fps));
	assert_string_equal(text + strlen(text) - 16, "s,,,,,,,,,,,,,,,");
}

static void test_a_row_of_summary(void **state)
{
	struct summary_row row = { .app = "a", .surface = "s", .stats = some_stats(), .fps = 58 };

	row.cadence = 1;
	row.off_cadence = 1;
	row.low1_time_fps = 20;
	row.low01_time_fps = 20;
	begin(csv_summary_header);
	csv_summary_row(&file, &row);
	assert_int_equal(columns(last_line()), columns(summary));
	assert_string_equal(text + strlen(text) - 37, ",0,,,1,1,1200.00,600.00,,,20.00,20.00");
	/* Waits alone have no rates. */
	row.stats = (struct frame_stats){ .waits = 1, .missed = 0 };
	row.cadence = row.off_cadence = ROW_UNKNOWN;
	begin(csv_summary_header);
	csv_summary_row(&file, &row);
	assert_string_equal(last_line() + strlen(text) - 12, ",0,,,,,,,,,,");
}

static void test_a_row_of_frames_and_of_drops(void **state)
{
	struct frame_row frame = { .app = "a", .surface = "s", .layer = "l" };
	struct drop_row drop = {
		.tick = "t", .app = "a", .surface = "s", .info = "", .layer = "l"
	};

	begin(csv_frame_header);
	csv_frame_row(&file, &frame);
	assert_int_equal(columns(last_line()), columns(frames));
	begin(csv_drop_header);
	csv_drop_row(&file, &drop);
	assert_int_equal(columns(last_line()), columns(drops));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_a_row_of_fps),
		cmocka_unit_test(test_a_row_of_summary),
		cmocka_unit_test(test_a_row_of_frames_and_of_drops),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
