/* SPDX-License-Identifier: Apache-2.0 */
/* Fences in the trace: which wait belongs to which fence, and tables that are full. */
#include "tests/unit/unit.h"

#include "rules/why/fence.h"

static struct fence_table table;

static int set_up(void **state)
{
	table = (struct fence_table){ .last = 0 };
	return 0;
}

FIXTURE(set_up, NULL)

static struct fence_mark mark_of(enum fence_step step, uint64_t number)
{
	return (struct fence_mark){ FENCE_GPU, step, number };
}

static fence_id queue_by(int32_t thread, uint64_t number, uint64_t time_ns)
{
	struct fence_mark mark = mark_of(FENCE_QUEUED, number);

	return fences_queue(&table, 10, thread, &mark, time_ns);
}

static fence_id queue(int32_t process, enum fence_step step, uint64_t number, uint64_t time_ns)
{
	struct fence_mark mark = mark_of(step, number);

	return fences_queue(&table, process, process, &mark, time_ns);
}

static fence_id wait_from(int32_t process, uint64_t number, uint64_t time_ns)
{
	struct fence_mark mark = mark_of(FENCE_WAITED, number);

	return fences_wait(&table, process, &mark, time_ns);
}

static fence_id wait_for(int32_t process, uint64_t number)
{
	return wait_from(process, number, 0);
}

TEST(test_the_end_of_a_wait_is_the_end_of_its_fence)
{
	fence_id first = queue(10, FENCE_QUEUED, 7, 1000);
	fence_id other = queue(11, FENCE_QUEUED, 7, 1100);

	assert_int_equal(wait_for(10, 7), first);
	fences_done(&table, first, 999);
	assert_int_equal(fences_get(&table, first)->done_ns, 0);
	fences_done(&table, first, 5000);
	fences_done(&table, first, 6000);
	assert_int_equal(fences_get(&table, first)->done_ns, 5000);
	assert_int_equal(fences_get(&table, other)->done_ns, 0);
	assert_int_equal(wait_for(10, 7), FENCE_NONE);
}

/* The fences of the second thread were done while the first one's was waited for, or when that was
 * done. The last one was waited for late, as the thread that waits was idle before. */
TEST(test_a_fence_that_was_done_before_its_wait_is_unknown)
{
	const int32_t threads[] = { 11, 12, 12, 11 };
	fence_id ids[4], last;

	for (unsigned int i = 0; i < 4; i++)
		ids[i] = queue_by(threads[i], i, MS + i);
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t end_ns = 9 * MS + i * 50000;

		assert_int_equal(wait_from(10, i, i ? end_ns - 30000 : MS), ids[i]);
		fences_done(&table, ids[i], end_ns);
		assert_int_equal(fences_get(&table, ids[i])->done_ns, i ? 0 : end_ns);
	}
	last = queue_by(12, 4, 20 * MS);
	assert_int_equal(wait_from(10, 4, 20 * MS + 300000), last);
	fences_done(&table, last, 20 * MS + 310000);
	assert_int_equal(fences_get(&table, last)->done_ns, 20 * MS + 310000);
}

/* Fences of one thread signal in order, and those of the display at its vsyncs. */
TEST(test_a_fence_that_is_done_with_the_one_before_is_known)
{
	for (unsigned int kind = FENCE_GPU; kind <= FENCE_RELEASE; kind++)
		for (uint64_t i = 0; i < 2; i++)
			fences_queue(&table, 10, kind == FENCE_GPU ? 11 : 11 + (int32_t)i,
				     &(struct fence_mark){ kind, FENCE_QUEUED, i }, MS + i);
	for (unsigned int kind = FENCE_GPU; kind <= FENCE_RELEASE; kind++)
		for (uint64_t i = 0; i < 2; i++) {
			uint64_t end_ns = 9 * MS + i * 50000;
			fence_id id = fences_wait(&table, 10,
						  &(struct fence_mark){ kind, FENCE_WAITED, i },
						  i ? end_ns - 30000 : MS);

			fences_done(&table, id, end_ns);
			assert_int_equal(fences_get(&table, id)->done_ns, end_ns);
		}
}

TEST(test_a_wait_for_a_fence_that_left_the_table_changes_no_other_one)
{
	fence_id first = queue(10, FENCE_QUEUED, 0, MS), later;

	for (uint64_t i = 0; i < FENCES_MAX; i++)
		later = queue(11, FENCE_SIGNALED, i, 2 * MS);
	assert_int_equal(later, first + FENCES_MAX);
	assert_int_equal(wait_from(10, 0, 3 * MS), FENCE_NONE);
	assert_int_equal(fences_get(&table, later)->waited_ns, 0);
}

/* FenceMonitor counts fences that signalled at once before it waits for older ones. */
TEST(test_the_number_of_a_wait_may_be_ahead_of_its_fence)
{
	fence_id a = queue(10, FENCE_QUEUED, 0, 1000);
	fence_id b = queue(10, FENCE_QUEUED, 1, 1100);

	assert_int_equal(wait_for(10, 0), a);
	assert_int_equal(fences_get(&table, queue(10, FENCE_SIGNALED, 2, 1200))->done_ns, 1200);
	assert_int_equal(wait_for(10, 2), b);
	/* But not of those that signalled before. */
	queue(10, FENCE_QUEUED, 3, 1300);
	assert_int_equal(wait_for(10, 4), FENCE_NONE);
}

TEST(test_a_lost_wait_leaves_its_fence_unknown)
{
	fence_id a = queue(10, FENCE_QUEUED, 0, 1000);
	fence_id b = queue(10, FENCE_QUEUED, 1, 1100);

	assert_int_equal(wait_for(10, 1), b);
	assert_int_equal(fences_get(&table, a)->done_ns, 0);
	queue(10, FENCE_QUEUED, 2, 1300);
	fences_forget(&table);
	assert_int_equal(wait_for(10, 2), FENCE_NONE);
}

TEST(test_thousands_of_open_fences_evict_the_oldest)
{
	fence_id first = queue(10, FENCE_QUEUED, 0, 1000);

	for (uint64_t i = 1; i < 5000; i++)
		queue(10, FENCE_QUEUED, i, 1000 + i);
	assert_null(fences_get(&table, first));
	assert_int_equal(wait_for(10, 0), FENCE_NONE);
	assert_int_equal(wait_for(10, 4999), table.last);
	assert_int_equal(table.evicted, 5000 - FENCE_LIST_MAX);
}

TEST(test_thousands_of_processes_evict_the_idlest)
{
	const int32_t oldest = 5000 - FENCE_LISTS_MAX + 1;

	table.last = UINT32_MAX - 1; /* numbers of fences begin again */
	for (int32_t process = 1; process <= 5000; process++)
		assert_int_not_equal(queue(process, FENCE_QUEUED, 1, 1000), FENCE_NONE);
	assert_int_equal(wait_for(oldest - 1, 1), FENCE_NONE);
	queue(oldest, FENCE_QUEUED, 2, 1000);
	queue(5001, FENCE_QUEUED, 1, 1000);
	assert_int_equal(wait_for(5001, 1), table.last);
	assert_int_equal(wait_for(oldest, 2), table.last - 1);
	assert_int_equal(wait_for(oldest + 1, 1), FENCE_NONE);
	assert_int_not_equal(wait_for(oldest + 2, 1), FENCE_NONE);
	assert_int_equal(table.evicted, 5001 - FENCE_LISTS_MAX);
}
