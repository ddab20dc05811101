/* SPDX-License-Identifier: Apache-2.0 */
/* Slice stacks: bounded, and reset when slice ends were lost. */
#include "tests/unit/unit.h"

#include "rules/threads/slice_stack.h"

#define OUTER UINT32_C(1)
#define INNER UINT32_C(2)

#define THREADS 256

static struct slice_stacks table;
static struct memory memory;

static int set_up(void **state)
{
	slice_stacks_init(&table, THREADS, &memory);
	return memory.failed;
}

static int tear_down(void **state)
{
	memory_free(&memory);
	return 0;
}

FIXTURE(set_up, tear_down)

static void begin(int32_t tid, uint32_t mask)
{
	if (mask)
		slice_stacks_begin(&table, tid, mask, RULE_NONE, 0);
	else
		slice_stacks_begin_unnamed(&table, tid);
}

static void assert_open(int32_t tid, uint32_t mask)
{
	assert_int_equal(slice_stacks_open(&table, tid), mask);
}

/* Steps of threads 1 to 3: "o1" an outer slice of thread 1 begins, "i1" an inner one, "p1" one
 * without a role, "r1" SurfaceFlinger's outermost one; "e1" one ends, "d1" the thread is dropped,
 * "f0" all are forgotten, "=1" nothing happens. Then "oi": what is open on the thread. */
static const struct {
	const char *name, *steps;
	unsigned int unbalanced;
} cases[] = {
	{ "a slice is open until its end", "o1 o, i1 oi, e1 o, e1 -", 0 },
	{ "the same slice may be open twice", "i1 i, i1 i, e1 i, e1 -", 0 },
	{ "each thread has its own stack", "o1 o, i2 i, e1 -, =2 i", 0 },
	{ "an end without a begin is ignored", "e1 -, e1 -, o1 o", 0 },
	/* It is never nested: if it begins again, the ends of the last one were lost. */
	{ "the outermost slice resets the stack", "r1 o, p1 o, i1 oi, r1 o, e1 -", 2 },
	{ "forgotten slices are unbalanced", "o1 o, i1 oi, o2 o, f0 -, =1 -, =2 -", 3 },
	{ "a dropped thread has no open slices", "o1 o, i2 i, d1 -, d3 -, =1 -, =2 i", 1 },
};

static void step(char what, int32_t tid)
{
	if (what == 'e')
		slice_stacks_end(&table, tid);
	else if (what == 'd')
		slice_stacks_drop(&table, tid);
	else if (what == 'f')
		slice_stacks_lost(&table, -1);
	else if (what == 'r')
		slice_stacks_begin(&table, tid, OUTER, RULE_NONE, OUTER);
	else if (what != '=')
		begin(tid, what == 'p' ? 0 : what == 'i' ? INNER : OUTER);
}

TEST(test_steps_leave_these_slices_open)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char what, open[3];
		int32_t tid;
		int used;

		for (const char *at = cases[i].steps;
		     sscanf(at, " %c%d %2[oi-]%n", &what, &tid, open, &used) == 3;
		     at += used + (at[used] == ',')) {
			step(what, tid);
			if (slice_stacks_open(&table, tid) !=
			    ((strchr(open, 'o') ? OUTER : 0) | (strchr(open, 'i') ? INNER : 0)))
				fail_msg("%s: not open: %s", cases[i].name, at);
		}
		assert_int_equal(table.unbalanced, cases[i].unbalanced);
		tear_down(NULL);
		set_up(NULL);
	}
}

TEST(test_slices_without_role_count_for_nesting)
{
	begin(1, OUTER);
	for (int i = 0; i < 1000; i++)
		begin(1, 0);
	for (int i = 0; i < 1000; i++) {
		assert_open(1, OUTER);
		slice_stacks_end(&table, 1);
	}
	assert_open(1, OUTER);
	slice_stacks_end(&table, 1);
	assert_open(1, 0);
	/* Slices with a role are stored, up to a bound: the outer and the inner ones. */
	for (int i = 0; i < 100; i++)
		begin(1, OUTER);
	begin(1, INNER);
	assert_true(table.unbalanced > 0);
	assert_open(1, OUTER | INNER);
	for (int i = 0; i < 100; i++)
		slice_stacks_end(&table, 1);
	assert_open(1, OUTER);
	slice_stacks_end(&table, 1);
	assert_open(1, 0);
}

/* The end of an open slice may be lost, so it does not keep the place of its thread. */
TEST(test_the_thread_without_a_begin_for_longest_is_evicted)
{
	for (int32_t tid = 1; tid < 10000; tid++) {
		begin(tid, 0);
		begin(tid, OUTER);
		slice_stacks_end(&table, tid);
		slice_stacks_end(&table, tid);
	}
	assert_fields(&table, n == THREADS, evicted == 0, tid_filter == 0);
	assert_null(slice_stacks_find(&table, 9999 - THREADS));
	begin(10000 - THREADS, OUTER);
	for (int32_t tid = 1; tid < THREADS; tid++)
		begin(tid, OUTER), slice_stacks_end(&table, tid);
	assert_open(10000 - THREADS, OUTER);
	begin(THREADS, OUTER);
	assert_open(10000 - THREADS, 0);
	assert_int_equal(table.evicted, 1);
}

TEST(test_the_table_is_bounded)
{
	for (int32_t tid = 1; tid < 2 * THREADS; tid++) {
		begin(tid, OUTER);
		begin(1, INNER);
	}
	assert_fields(&table, n == THREADS, evicted == THREADS - 1);
	assert_open(1, OUTER | INNER);
	assert_open(2, 0);
	assert_open(2 * THREADS - 1, OUTER);
}

TEST(test_end_returns_the_slice_that_ended)
{
	const struct open_slice *ended;

	begin(1, OUTER);
	table.now_ns = 7;
	slice_stacks_begin(&table, 1, 0, RULE_ENQUEUE, 0);
	begin(1, 0);
	assert_null(slice_stacks_end(&table, 1));
	ended = slice_stacks_end(&table, 1);
	assert_fields(ended, role == RULE_ENQUEUE, begin_ns == 7, depth == 2);
	ended = slice_stacks_end(&table, 1);
	assert_fields(ended, mask == OUTER, depth == 1);
	assert_null(slice_stacks_end(&table, 1));
}

TEST(test_loss_drops_all_threads_but_one)
{
	uint64_t id, kept_id;

	for (int32_t tid = 1; tid <= 3; tid++)
		begin(tid, OUTER);
	id = slice_stacks_find(&table, 1)->id;
	kept_id = slice_stacks_find(&table, 2)->id;
	table.now_ns = 7;
	begin(1, INNER);
	assert_int_equal(slice_stacks_open_before(&table, 1, 7), OUTER);
	assert_int_equal(slice_stacks_open_before(&table, 1, 8), OUTER | INNER);
	slice_stacks_lost(&table, 2);
	assert_open(1, 0);
	assert_open(2, OUTER);
	assert_open(3, 0);
	assert_int_equal(table.unbalanced, 3);
	assert_int_not_equal(slice_stacks_find(&table, 1)->id, id);
	assert_int_equal(slice_stacks_find(&table, 2)->id, kept_id);
}
