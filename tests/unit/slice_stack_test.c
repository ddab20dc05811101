/* SPDX-License-Identifier: Apache-2.0 */
/* Slice stacks: bounded, and reset when slice ends were lost. */
#include "tests/unit/unit.h"

#include "rules/slice_stack.h"

#define OUTER UINT32_C(1)
#define INNER UINT32_C(2)

#define THREADS 256

static struct slice_stacks table;

static int set_up(void **state)
{
	return slice_stacks_init(&table, THREADS);
}

static int tear_down(void **state)
{
	slice_stacks_free(&table);
	return 0;
}

FIXTURE(set_up, tear_down)

static void begin(int32_t tid, uint32_t mask)
{
	slice_stacks_begin(&table, tid, mask, 0);
}

static void assert_open(int32_t tid, uint32_t mask)
{
	assert_int_equal(slice_stacks_open(&table, tid), mask);
}

TEST(test_a_slice_is_open_until_its_end)
{
	begin(1, OUTER);
	assert_open(1, OUTER);
	begin(1, INNER);
	assert_open(1, OUTER | INNER);
	slice_stacks_end(&table, 1);
	assert_open(1, OUTER);
	slice_stacks_end(&table, 1);
	assert_open(1, 0);
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
}

TEST(test_the_same_slice_may_be_open_twice)
{
	begin(1, INNER);
	begin(1, INNER);
	slice_stacks_end(&table, 1);
	assert_open(1, INNER);
	slice_stacks_end(&table, 1);
	assert_open(1, 0);
}

TEST(test_each_thread_has_its_own_stack)
{
	begin(1, OUTER);
	begin(2, INNER);
	slice_stacks_end(&table, 1);
	assert_open(1, 0);
	assert_open(2, INNER);
}

TEST(test_end_without_begin_is_ignored)
{
	slice_stacks_end(&table, 1);
	slice_stacks_end(&table, 1);
	begin(1, OUTER);
	assert_open(1, OUTER);
}

TEST(test_thread_without_open_slices_needs_no_entry)
{
	for (int32_t tid = 1; tid < 10000; tid++) {
		begin(tid, 0);
		begin(tid, OUTER);
		slice_stacks_end(&table, tid);
		slice_stacks_end(&table, tid);
	}
	assert_int_equal(table.n, 0);
	assert_int_equal(table.evicted, 0);
}

TEST(test_the_stack_is_bounded)
{
	for (int i = 0; i < 100; i++)
		begin(1, OUTER);
	assert_true(table.unbalanced > 0);
	for (int i = 0; i < 99; i++)
		slice_stacks_end(&table, 1);
	assert_open(1, OUTER);
	slice_stacks_end(&table, 1);
	assert_open(1, 0);
}

TEST(test_the_table_is_bounded)
{
	for (int32_t tid = 1; tid < 2 * THREADS; tid++) {
		begin(tid, OUTER);
		begin(1, INNER);
	}
	assert_int_equal(table.n, THREADS);
	assert_int_equal(table.evicted, THREADS - 1);
	assert_open(1, OUTER | INNER);
	assert_open(2, 0);
	assert_open(2 * THREADS - 1, OUTER);
}

/* SurfaceFlinger's outermost slice is never nested: if it begins again, the ends of the last one
 * were lost. */
TEST(test_outermost_slice_resets_the_stack)
{
	slice_stacks_begin(&table, 1, OUTER, OUTER);
	begin(1, 0);
	begin(1, INNER);
	slice_stacks_begin(&table, 1, OUTER, OUTER);
	assert_open(1, OUTER);
	assert_true(table.unbalanced > 0);
	slice_stacks_end(&table, 1);
	assert_open(1, 0);
}

TEST(test_forget_counts_open_slices_as_unbalanced)
{
	begin(1, OUTER);
	begin(1, INNER);
	begin(2, OUTER);
	slice_stacks_forget(&table);
	assert_open(1, 0);
	assert_open(2, 0);
	assert_int_equal(table.unbalanced, 3);
}

TEST(test_end_returns_what_is_no_longer_open)
{
	begin(1, OUTER);
	begin(1, INNER);
	assert_int_equal(slice_stacks_end(&table, 1), INNER);
	begin(1, OUTER);
	assert_int_equal(slice_stacks_end(&table, 1), 0);
	assert_int_equal(slice_stacks_end(&table, 1), OUTER);
	assert_int_equal(slice_stacks_end(&table, 1), 0);
}

TEST(test_dropped_thread_has_no_open_slices)
{
	begin(1, OUTER);
	begin(2, INNER);
	slice_stacks_drop(&table, 1);
	slice_stacks_drop(&table, 3);
	assert_int_equal(slice_stacks_open(&table, 1), 0);
	assert_int_equal(slice_stacks_open(&table, 2), INNER);
	assert_int_equal(table.unbalanced, 1);
}
