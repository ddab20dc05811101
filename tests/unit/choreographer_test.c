/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of doframe.csv: callbacks of Choreographers, thread by thread. */
#include "tests/unit/unit.h"

#include "rules/beside/choreographer.h"
#include "rules/language/ruleset.h"
#include "tests/unit/numbers.h"

#define BEGIN (100 * SECOND)
#define ROWS_MAX 512

static struct choreographer choreographer, *const c = &choreographer;
static struct slice_stacks stacks;
static struct memory memory;
static struct expected vsyncs;
static struct loss lost;
static struct ruleset *rules;
static struct doframe_row rows[ROWS_MAX];
static char apps[ROWS_MAX][DOFRAME_APP_SIZE];
static size_t n_rows;

static void keep_row(void *context, const struct doframe_row *row)
{
	assert_true(n_rows < ROWS_MAX);
	strcpy(apps[n_rows], row->app);
	rows[n_rows++] = *row;
}

static int set_up(void **state)
{
	*c = (struct choreographer){ .delay_ns = SECOND,
				     .min_frames = 20,
				     .expected = &vsyncs,
				     .lost = &lost,
				     .row = keep_row };
	memset(&vsyncs, 0, sizeof(vsyncs));
	lost = (struct loss){ 0 };
	n_rows = 0;
	ruleset_free(rules);
	memory_free(&memory);
	slice_stacks_init(&stacks, 256, &memory);
	return ruleset_new(&rules, ruleset_builtin("default"), &(struct ruleset_error){ 0 });
}

static int tear_down(void **state)
{
	rules = ruleset_free(rules);
	memory_free(&memory);
	return 0;
}

FIXTURE(set_up, tear_down)

static void record(enum trace_kind kind, int32_t pid, int32_t tid, uint64_t time_ns,
		   const char *name)
{
	const struct trace_record event = { .kind = kind,
					    .tid = tid,
					    .pid = pid,
					    .tgid = TRACE_ID_UNKNOWN,
					    .time_ns = time_ns,
					    .comm = span_of("com.a"),
					    .name = span_of(name) };
	struct slice_meaning meaning;
	struct slice_stack *stack;
	const struct open_slice *ended;

	stacks.now_ns = time_ns;
	if (kind == TRACE_COUNTER) {
		expected_tick(&vsyncs, RULE_APP_TICK, time_ns);
	} else if (kind == TRACE_SLICE_BEGIN) {
		ruleset_match_slice(rules, event.name, &meaning);
		stack = slice_stacks_begin(&stacks, tid, meaning.mask & SLICE_CALLBACK,
					   meaning.role, meaning.mask & SLICE_CALLBACK);
		if (stack)
			choreographer_begin(c, stack, &event, &meaning, V60);
	} else {
		ended = slice_stacks_end(&stacks, tid);
		if (ended && ended->role)
			choreographer_end(c, slice_stacks_find(&stacks, tid), ended, time_ns, V60);
	}
}

static void begin(int32_t pid, int32_t tid, uint64_t time_ns, const char *name)
{
	record(TRACE_SLICE_BEGIN, pid, tid, time_ns, name);
}

static void end(int32_t pid, int32_t tid, uint64_t time_ns)
{
	record(TRACE_SLICE_END, pid, tid, time_ns, "");
}

/* A slice of the main thread of process 10. */
static void slice(uint64_t from_ns, uint64_t to_ns, const char *name)
{
	begin(10, 10, from_ns, name);
	end(10, 10, to_ns);
}

static void edge(uint64_t time_ns)
{
	record(TRACE_COUNTER, 1, 1, time_ns, "VSYNC-app");
}

static void callback(int32_t tid, uint64_t time_ns, uint64_t duration_ns)
{
	begin(tid, tid, time_ns, "Choreographer#doFrame 4711");
	end(tid, tid, time_ns + duration_ns);
}

static void expect(size_t row, const char *expected)
{
	const struct doframe_row *r = &rows[row];
	const struct number numbers[] = {
		{ "matrix0", r->matrix[0] },
		{ "matrix3", r->matrix[3] },
		NUMBERS(r, frames, time_ns, max_ns, p99_ns, tid, skipped),
		NUMBER(r, lost),
		NUMBER(r, draw_max_ns),
	};

	assert_true(row < n_rows);
	expect_numbers(numbers, COUNT_OF(numbers), expected);
}

/* The row of an idle thread ends 5 s after its last callback; that is looked at once a second. */
TEST(callbacks_of_threads_overlap)
{
	begin(11, 11, BEGIN, "Choreographer#doFrame 1");
	begin(10, 10, BEGIN + MS, "Choreographer#doFrame 1");
	end(11, 11, BEGIN + 2 * MS);
	end(10, 10, BEGIN + 4 * MS);
	callback(10, BEGIN + 4900 * MS, MS);
	callback(10, BEGIN + 5800 * MS, MS);
	assert_int_equal(n_rows, 0);
	callback(10, BEGIN + 5900 * MS, MS);
	assert_int_equal(n_rows, 1);
	expect(0, "tid 11 frames 1 max_ns 2ms");
	choreographer_close(c);
	expect(1, "tid 10 frames 4 max_ns 3ms");
}

TEST(skipped_periods_count_from_the_only_edge)
{
	edge(BEGIN);
	callback(10, BEGIN + MS, MS);
	edge(BEGIN + V60);
	callback(10, BEGIN + V60 + 31 * V60 + MS, MS);
	choreographer_close(c);
	expect(0, "skipped 31 matrix0 1 matrix3 1");
	assert_int_equal(c->counters.skipped_much, 1);
}

/* A resync does not tell which of them it was. */
TEST(the_edge_is_unknown_if_there_were_several)
{
	edge(BEGIN);
	callback(10, BEGIN + MS, MS);
	for (uint64_t i = 1; i < 10; i++)
		edge(BEGIN + i * V60);
	callback(10, BEGIN + 9 * V60 + 9 * MS, MS);
	for (uint64_t i = 10; i < 14; i++)
		edge(BEGIN + i * V60);
	begin(10, 10, BEGIN + 13 * V60 + MS, "Choreographer#doFrame 4711");
	slice(BEGIN + 13 * V60 + 2 * MS, BEGIN + 13 * V60 + 3 * MS,
	      "Choreographer#doFrame - resynced to 1 in 9.1ms");
	end(10, 10, BEGIN + 13 * V60 + 3 * MS);
	choreographer_close(c);
	expect(0, "frames 3 matrix0 ? skipped ?");
}

/* Another thread draws for each edge. Callback 7 is late by 3 periods and a part, and begins soon
 * after another edge; then it answers the edge that follows. @tokens: SurfaceFlinger composes for
 * numbered vsyncs. */
static void play_beside_another(bool tokens)
{
	for (uint64_t i = 0; i < 20; i++) {
		uint64_t edge_ns = BEGIN + i * V60;

		edge(edge_ns);
		callback(11, edge_ns + MS / 5, MS);
		if (i < 7 || i >= 10) {
			begin(10, 10, edge_ns + (i == 10 ? 3 * MS : MS / 4),
			      formatted("Choreographer#doFrame %d", (int)(i == 10 ? 7 : i) * 8));
			end(10, 10, edge_ns + 4 * MS);
		}
		if (tokens)
			expected_composition(&vsyncs, (int64_t)(i * 8 + 4), edge_ns + 5 * MS);
	}
	choreographer_close(c);
}

TEST(the_number_of_its_vsync_places_a_late_callback)
{
	play_beside_another(true);
	expect(1, "tid 10 skipped 3 matrix0 16");
	expect(0, "tid 11 skipped 0");
	set_up(NULL);
	play_beside_another(false);
	expect(1, "tid 10 skipped ? matrix0 ?");
	expect(0, "tid 11 skipped 0");
}

/* A callback from @at on, whose parts take that long; 0: it has none of that name. */
static void callback_of(uint64_t at, uint64_t animation_ns, uint64_t traversal_ns, uint64_t draw_ns)
{
	begin(10, 10, at, "Choreographer#doFrame 4711");
	slice(at, at + animation_ns, "animation");
	at += animation_ns;
	begin(10, 10, at, "traversal");
	slice(at, at + traversal_ns - draw_ns, "measure");
	begin(10, 10, at + traversal_ns - draw_ns, "draw-VRI[Main]");
	slice(at + traversal_ns - draw_ns, at + traversal_ns, "animation");
	end(10, 10, at + traversal_ns);
	end(10, 10, at += traversal_ns);
	end(10, 10, at + MS);
}

static void describes(uint64_t from_ns, uint64_t to_ns, int32_t pid, const char *expected)
{
	char text[200];

	choreographer_describe(c, pid, from_ns, to_ns, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(a_long_callback_names_its_longest_part)
{
	char text[64];

	callback_of(BEGIN, 2 * MS, 3 * MS, MS);
	describes(BEGIN - 1, BEGIN + SECOND, 10, "");
	callback_of(BEGIN + 100 * MS, 12 * MS, 8 * MS, 7 * MS);
	callback_of(BEGIN + 200 * MS, 5 * MS, 30 * MS, 9 * MS);
	callback_of(BEGIN + 300 * MS, 5 * MS, 30 * MS + 150000, 20 * MS);
	begin(10, 10, BEGIN + 400 * MS, "Choreographer#doFrame");
	slice(BEGIN + 400 * MS, BEGIN + 450 * MS, "inflate");
	end(10, 10, BEGIN + 450 * MS);
	describes(BEGIN, BEGIN + 150 * MS, 10, "doFrame 21.0 ms (animation 12.0)");
	describes(BEGIN + 121 * MS, BEGIN + 236 * MS, 10, "doFrame 36.0 ms (traversal 30.0)");
	describes(BEGIN + 121 * MS, BEGIN + SECOND, 10,
		  "doFrame 36.0 ms (traversal 30.0); doFrame 36.1 ms (traversal 30.1 draw 20.0); "
		  "doFrame 50.0 ms");
	describes(BEGIN + 121 * MS, BEGIN + 235 * MS, 10, "");
	describes(BEGIN, BEGIN + SECOND, 11, "");
	choreographer_new_clock(c);
	describes(0, BEGIN + SECOND, 10, "");
	/* Its parts may be inside a resync. */
	begin(10, 10, BEGIN, "Choreographer#doFrame 4711");
	begin(10, 10, BEGIN, "Choreographer#doFrame - resynced to 4712 in 9.1ms");
	slice(BEGIN, BEGIN + 20 * MS, "input");
	begin(10, 10, BEGIN + 20 * MS, "traversal");
	slice(BEGIN + 20 * MS, BEGIN + 50 * MS, "draw");
	end(10, 10, BEGIN + 51 * MS);
	end(10, 10, BEGIN + 51 * MS);
	slice(BEGIN + 51 * MS, BEGIN + 90 * MS, "commit");
	end(10, 10, BEGIN + 91 * MS);
	describes(BEGIN, BEGIN + SECOND, 10, "doFrame 91.0 ms (commit 39.0)");
	/* So many are kept, and described as there is space. */
	for (uint64_t i = 0; i < 3 * CHOREOGRAPHER_LONG; i++)
		callback_of(BEGIN + SECOND + i * 100 * MS, 30 * MS, 3 * MS, MS);
	choreographer_describe(c, 10, 0, UINT64_MAX, text, sizeof(text));
	assert_string_equal(text, "doFrame 34.0 ms (animation 30.0)");
	assert_int_equal(c->n_long, 1 + 3 * CHOREOGRAPHER_LONG);
}

TEST(a_resync_shows_which_edge_was_answered)
{
	edge(BEGIN);
	callback(10, BEGIN + MS, MS);
	edge(BEGIN + V60);
	edge(BEGIN + 40 * V60);
	begin(10, 10, BEGIN + 40 * V60 + MS, "Choreographer#doFrame 4711");
	begin(10, 10, BEGIN + 40 * V60 + 2 * MS,
	      "Choreographer#doFrame - resynced to 4712 in 9.1ms");
	end(10, 10, BEGIN + 40 * V60 + 3 * MS);
	end(10, 10, BEGIN + 40 * V60 + 3 * MS);
	choreographer_close(c);
	expect(0, "skipped 39 matrix0 1 matrix3 1");
	assert_fields(&c->worst, periods == 39, tid == 10, begin_ns == BEGIN + 40 * V60 + MS);
	assert_string_equal(c->worst.app, "com.a");
}

TEST(drawing_belongs_to_the_main_thread_of_the_process)
{
	begin(10, 11, BEGIN, "Choreographer#doFrame");
	end(10, 11, BEGIN + MS);
	slice(BEGIN + MS, BEGIN + 2 * MS, "Choreographer#doFrame");
	begin(10, 12, BEGIN + 3 * MS, "DrawFrames 4711");
	begin(10, 12, BEGIN + 4 * MS, "flush commands");
	end(10, 12, BEGIN + 5 * MS);
	end(10, 12, BEGIN + 7 * MS);
	begin(10, 12, BEGIN + 8 * MS, "DrawFrames 4712");
	end(10, 12, BEGIN + 9 * MS);
	choreographer_close(c);
	assert_int_equal(n_rows, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(rows[i].draw_max_ns,
				 rows[i].tid == 10 ? (int64_t)(4 * MS) : ROW_UNKNOWN);
}

TEST(a_callback_around_another_one_is_not_measured)
{
	stacks.now_ns = BEGIN;
	slice_stacks_begin(&stacks, 10, 0, RULE_CALLBACK, 0);
	callback(10, BEGIN + MS, MS);
	end(10, 10, BEGIN + 9 * MS);
	choreographer_close(c);
	assert_int_equal(rows[0].max_ns, MS);
}

TEST(no_interval_spans_a_loss)
{
	begin(10, 10, BEGIN, "Choreographer#doFrame");
	expected_forget(&vsyncs);
	slice_stacks_lost(&stacks, TRACE_ID_UNKNOWN);
	lost.events += 7;
	end(10, 10, BEGIN + 5 * MS);
	callback(10, BEGIN + V60, MS);
	choreographer_close(c);
	expect(0, "frames 2 time_ns 0 max_ns 1ms lost 7");
	callback(10, BEGIN + 2 * V60, MS);
	lost.unknown_count++;
	choreographer_close(c);
	expect(1, "lost ?");
}

TEST(rows_end_at_marks_and_after_the_delay)
{
	marks_add(&c->marks, BEGIN + 5 * V60 + MS);
	for (uint64_t i = 0; i < 70; i++)
		callback(10, BEGIN + i * V60, MS);
	choreographer_close(c);
	assert_int_equal(n_rows, 3);
	assert_int_equal(rows[0].frames, 6);
	assert_int_equal(rows[1].start_ns, rows[0].end_ns);
	assert_int_equal(rows[0].frames + rows[1].frames + rows[2].frames, 70);
}

TEST(a_flood_of_threads_is_bounded_and_counted)
{
	uint64_t frames = 0;

	for (int32_t tid = 1; tid <= 5000; tid++)
		begin(tid, tid, BEGIN + (uint64_t)tid, "Choreographer#doFrame");
	callback(9999, BEGIN + 2000 * MS, MS);
	choreographer_close(c);
	for (size_t i = 0; i < n_rows; i++)
		frames += rows[i].frames;
	assert_fields(&c->counters, callbacks == 5001, refused == 5000 - CHOREOGRAPHER_THREADS);
	assert_int_equal(frames + c->counters.refused, 5001);
	assert_int_equal(rows[n_rows - 1].frames, 1);
}
