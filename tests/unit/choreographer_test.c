/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of doframe.csv: callbacks of Choreographers, thread by thread. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "rules/choreographer.h"
#include "rules/memory.h"

#define V60 UINT64_C(16666667)
#define BEGIN UINT64_C(100000000000)
#define ROWS_MAX 512

static struct choreographer *c;
static struct doframe_row rows[ROWS_MAX];
static char apps[ROWS_MAX][DOFRAME_APP_SIZE];
static size_t n_rows;

static void keep_row(void *context, const struct doframe_row *row)
{
	(void)context;
	assert_true(n_rows < ROWS_MAX);
	strcpy(apps[n_rows], row->app);
	rows[n_rows++] = *row;
}

static int set_up(void **state)
{
	(void)state;
	c = memory_new(1, sizeof(*c));
	assert_non_null(c);
	c->delay_ns = 1000 * MS;
	c->min_frames = 20;
	c->row = keep_row;
	n_rows = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(c);
	return 0;
}

static struct trace_record record(enum trace_kind kind, int32_t pid, int32_t tid, uint64_t time_ns,
				  const char *name)
{
	return (struct trace_record){ .kind = kind,
				      .tid = tid,
				      .pid = pid,
				      .tgid = TRACE_ID_UNKNOWN,
				      .time_ns = time_ns,
				      .comm = span_of("com.a"),
				      .name = span_of(name) };
}

static void begin(int32_t pid, int32_t tid, uint64_t time_ns, const char *name)
{
	struct trace_record event = record(TRACE_SLICE_BEGIN, pid, tid, time_ns, name);

	choreographer_record(c, &event, V60);
}

static void end(int32_t pid, int32_t tid, uint64_t time_ns)
{
	struct trace_record event = record(TRACE_SLICE_END, pid, tid, time_ns, "");

	choreographer_record(c, &event, V60);
}

static void edge(uint64_t time_ns)
{
	struct trace_record event = record(TRACE_COUNTER, 1, 1, time_ns, "VSYNC-app");

	choreographer_tick(c, &event);
}

static void callback(int32_t tid, uint64_t time_ns, uint64_t duration_ns)
{
	begin(tid, tid, time_ns, "Choreographer#doFrame 4711");
	end(tid, tid, time_ns + duration_ns);
}

static void counts_callbacks_and_their_rate(void **state)
{
	(void)state;
	for (uint64_t i = 0; i <= 60; i++)
		callback(10, BEGIN + i * V60, (1 + i % 2) * MS);
	choreographer_close(c);
	assert_int_equal(n_rows, 1);
	assert_int_equal(rows[0].frames, 61);
	assert_int_equal(rows[0].time_ns, 60 * V60);
	assert_true(rows[0].fps > 59.99 && rows[0].fps < 60.01);
	assert_int_equal(rows[0].max_ns, 2 * MS);
	assert_int_equal(rows[0].p99_ns, 2 * MS);
	assert_int_equal(rows[0].tid, 10);
	assert_string_equal(apps[0], "com.a");
	assert_int_equal(rows[0].skipped, ROW_UNKNOWN);
	assert_int_equal(rows[0].draw_max_ns, ROW_UNKNOWN);
}

static void a_resynced_part_and_other_names_are_no_callbacks(void **state)
{
	(void)state;
	begin(10, 10, BEGIN, "Choreographer#doFrame 4711");
	begin(10, 10, BEGIN + MS, "Choreographer#doFrame - resynced to 4712 in 9.1ms");
	end(10, 10, BEGIN + 2 * MS);
	begin(10, 10, BEGIN + 2 * MS, "Choreographer#doFrameX");
	end(10, 10, BEGIN + 3 * MS);
	end(10, 10, BEGIN + 5 * MS);
	end(10, 10, BEGIN + 9 * MS);
	choreographer_close(c);
	assert_int_equal(c->counters.callbacks, 1);
	assert_int_equal(rows[0].max_ns, 5 * MS);
}

static void skipped_periods_count_from_the_only_edge(void **state)
{
	(void)state;
	edge(BEGIN);
	callback(10, BEGIN + MS, MS);
	edge(BEGIN + V60);
	callback(10, BEGIN + V60 + 31 * V60 + MS, MS);
	choreographer_close(c);
	assert_int_equal(rows[0].skipped, 31);
	assert_int_equal(rows[0].matrix[0], 1);
	assert_int_equal(rows[0].matrix[3], 1);
	assert_int_equal(c->counters.skipped_much, 1);
}

static void the_edge_is_unknown_if_there_were_several(void **state)
{
	(void)state;
	edge(BEGIN);
	callback(10, BEGIN + MS, MS);
	for (uint64_t i = 1; i < 10; i++)
		edge(BEGIN + i * V60);
	callback(10, BEGIN + 9 * V60 + 9 * MS, MS);
	choreographer_close(c);
	assert_int_equal(rows[0].frames, 2);
	assert_int_equal(rows[0].matrix[0], 1);
	assert_int_equal(rows[0].skipped, 0);
}

static void drawing_belongs_to_the_main_thread_of_the_process(void **state)
{
	(void)state;
	begin(10, 11, BEGIN, "Choreographer#doFrame");
	end(10, 11, BEGIN + MS);
	begin(10, 10, BEGIN + MS, "Choreographer#doFrame");
	end(10, 10, BEGIN + 2 * MS);
	begin(10, 12, BEGIN + 3 * MS, "DrawFrames 4711");
	begin(10, 12, BEGIN + 4 * MS, "flush commands");
	end(10, 12, BEGIN + 5 * MS);
	end(10, 12, BEGIN + 7 * MS);
	choreographer_close(c);
	assert_int_equal(n_rows, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(rows[i].draw_max_ns,
				 rows[i].tid == 10 ? (int64_t)(4 * MS) : ROW_UNKNOWN);
}

static void no_interval_spans_a_loss(void **state)
{
	(void)state;
	begin(10, 10, BEGIN, "Choreographer#doFrame");
	choreographer_lost(c, 7, 0);
	end(10, 10, BEGIN + 5 * MS);
	callback(10, BEGIN + V60, MS);
	choreographer_close(c);
	assert_int_equal(rows[0].frames, 2);
	assert_int_equal(rows[0].time_ns, 0);
	assert_int_equal(rows[0].max_ns, MS);
	assert_int_equal(rows[0].lost, 7);
	callback(10, BEGIN + 2 * V60, MS);
	choreographer_lost(c, 0, 1);
	choreographer_close(c);
	assert_int_equal(rows[1].lost, ROW_UNKNOWN);
}

static void rows_end_at_marks_and_after_the_delay(void **state)
{
	(void)state;
	choreographer_mark(c, BEGIN + 5 * V60 + MS);
	for (uint64_t i = 0; i < 70; i++)
		callback(10, BEGIN + i * V60, MS);
	choreographer_close(c);
	assert_int_equal(n_rows, 3);
	assert_int_equal(rows[0].frames, 6);
	assert_int_equal(rows[1].start_ns, rows[0].end_ns);
	assert_int_equal(rows[0].frames + rows[1].frames + rows[2].frames, 70);
}

static void a_flood_of_threads_is_bounded_and_counted(void **state)
{
	uint64_t frames = 0;

	(void)state;
	for (int32_t tid = 1; tid <= 5000; tid++)
		begin(tid, tid, BEGIN + (uint64_t)tid, "Choreographer#doFrame");
	callback(9999, BEGIN + 2000 * MS, MS);
	choreographer_close(c);
	for (size_t i = 0; i < n_rows; i++)
		frames += rows[i].frames;
	assert_int_equal(c->counters.callbacks, 5001);
	assert_int_equal(c->counters.refused, 5000 - CHOREOGRAPHER_THREADS);
	assert_int_equal(frames + c->counters.refused, 5001);
	assert_int_equal(rows[n_rows - 1].frames, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_callbacks_and_their_rate, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_resynced_part_and_other_names_are_no_callbacks,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(skipped_periods_count_from_the_only_edge, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_edge_is_unknown_if_there_were_several, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(drawing_belongs_to_the_main_thread_of_the_process,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_interval_spans_a_loss, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rows_end_at_marks_and_after_the_delay, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_flood_of_threads_is_bounded_and_counted, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
