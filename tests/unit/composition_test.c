/* SPDX-License-Identifier: Apache-2.0 */
/* SurfaceFlinger's compositions: which commit could have latched a buffer, and its own GPU work. */
#include "tests/unit/unit.h"

#include "rules/why/composition.h"

static struct compositions compositions;

/* 100 vsyncs: a commit at n * V60, and its present 2 ms later. */
static int set_up(void **state)
{
	compositions_forget(&compositions);
	for (unsigned int n = 1; n <= 100; n++) {
		compositions_commit(&compositions, n * V60);
		compositions_client(&compositions, n % 2);
		if (n % 2)
			compositions_fence(&compositions, n, true);
		compositions_fence(&compositions, 1000 + n, false);
		compositions_present(&compositions, n * V60 + 2 * MS);
		compositions_client(&compositions, true); /* of another display */
	}
	return 0;
}

FIXTURE(set_up, NULL)

static bool waited(uint64_t queued_ns, uint64_t done_ns, uint64_t latched_ns)
{
	return compositions_waited_for_gpu(&compositions, queued_ns, done_ns, latched_ns);
}

TEST(test_a_buffer_waited_if_a_commit_came_between_queue_and_signal)
{
	uint64_t queued_ns = 50 * V60 - 3 * MS, latched_ns = 51 * V60 + MS;

	assert_true(waited(queued_ns, 50 * V60 + 4 * MS, latched_ns));
	assert_true(waited(queued_ns, latched_ns + MS, latched_ns)); /* latched unsignaled */
	assert_true(waited(queued_ns, 50 * V60 + 4 * MS, 53 * V60 + MS));
	assert_false(waited(queued_ns, 50 * V60 - MS, latched_ns));
	assert_false(waited(50 * V60 + MS, 50 * V60 + 4 * MS, latched_ns));
	assert_false(waited(50 * V60 + MS, latched_ns + MS, latched_ns));
}

TEST(test_a_present_has_its_own_gpu_work)
{
	const struct composition *with = compositions_get(&compositions, 51);
	const struct composition *without = compositions_get(&compositions, 50);

	assert_fields(with, client == true, fence == 51);
	assert_fields(without, client == false, fence == 1050);
}

TEST(test_a_loss_tears_the_open_composition)
{
	uint32_t n = compositions.n;

	/* The end and the next present are those of another; so may be the tick and the plan. */
	compositions.next.tick_ns = 101 * V60;
	compositions_plan(&compositions, 103 * V60, false);
	for (unsigned int i = 0; i < 3; i++)
		compositions_lost(&compositions);
	compositions_end(&compositions, 104 * V60);
	compositions_present(&compositions, 104 * V60);
	assert_int_equal(compositions.n, n + 1);
	assert_int_equal(compositions_get(&compositions, n)->end_ns, 0);
	assert_int_equal(compositions_get(&compositions, n + 1)->commit_ns, 0);
	compositions_commit(&compositions, 105 * V60);
	assert_fields(compositions_get(&compositions, n + 2), tick_ns == 0, planned_ns == 0);
}

TEST(test_old_compositions_are_forgotten)
{
	assert_int_equal(compositions_from(&compositions, 50 * V60 + 1)->commit_ns, 51 * V60);
	assert_int_equal(compositions_from(&compositions, 50 * V60)->commit_ns, 50 * V60);
	assert_null(compositions_from(&compositions, 100 * V60 + 1));
	for (unsigned int n = 101; n <= 100 + COMPOSITIONS_MAX; n++)
		compositions_commit(&compositions, n * V60);
	assert_null(compositions_get(&compositions, 100));
	compositions_plan(&compositions, 603 * V60, true);
	compositions_forget(&compositions);
	assert_false(waited(500 * V60, 502 * V60, 505 * V60));
	compositions_commit(&compositions, 602 * V60);
	assert_false(compositions_get(&compositions, 1)->adjusted);
}

static const struct composition *planned(uint64_t commit_ns, uint64_t in_ns)
{
	const struct composition *composition;

	compositions_plan(&compositions, commit_ns + in_ns, false);
	compositions_commit(&compositions, commit_ns);
	composition = compositions_get(&compositions, compositions_next(&compositions));
	compositions_present(&compositions, commit_ns + MS);
	return composition;
}

TEST(test_a_miss_is_that_of_the_composition_that_was_due)
{
	const struct composition *due = planned(200 * V60, V60 * 3 / 2);
	const struct composition *next = planned(201 * V60, V60 * 3 / 2);

	compositions_missed(&compositions, 202 * V60, false);
	assert_true(due->missed && !due->missed_by_gpu);
	compositions_missed(&compositions, 202 * V60 + MS / 10, true);
	assert_true(due->missed_by_gpu);
	assert_false(next->missed);
	assert_null(compositions_miss_in(&compositions, 201 * V60, 202 * V60 - 1));
	assert_true(compositions_miss_in(&compositions, 201 * V60, 202 * V60)->by_gpu);
	assert_null(compositions_miss_in(&compositions, 202 * V60 + 1, UINT64_MAX));
	/* The first in time, wherever it is kept. */
	for (uint64_t n = 0; n < MISSES_MAX - 1; n++)
		compositions_missed(&compositions, (300 + n) * V60, n == MISSES_MAX - 3);
	compositions_missed(&compositions, 400 * V60, false);
	assert_true(compositions_miss_in(&compositions, 361 * V60, UINT64_MAX)->by_gpu);
	/* A plan is that of the next commit alone. */
	assert_fields(next, planned_ns == 201 * V60 + V60 * 3 / 2, adjusted == false);
	compositions_plan(&compositions, 203 * V60, true);
	compositions_commit(&compositions, 202 * V60);
	next = compositions_get(&compositions, compositions_next(&compositions));
	assert_true(next->adjusted);
	compositions_commit(&compositions, 203 * V60);
	next = compositions_get(&compositions, compositions_next(&compositions));
	assert_fields(next, planned_ns == 0, adjusted == false);
}

TEST(test_the_usual_duration)
{
	assert_int_equal(compositions_duration(&compositions, UINT64_MAX), 0);
	for (unsigned int n = 200; n < 210; n++)
		planned(n * V60, (n % 4 ? 19 : 20) * MS);
	planned(210 * V60, 25 * MS); /* the prediction moved once */
	assert_int_equal(compositions_duration(&compositions, UINT64_MAX), 20 * MS);
	assert_int_equal(compositions_duration(&compositions, 200 * V60), 20 * MS);
	assert_int_equal(compositions_duration(&compositions, 200 * V60 - 1), 0);
}

TEST(test_when_a_composition_usually_begins)
{
	uint64_t present_ns = 103 * V60 + 2 * MS + MS / 2;

	/* A present that is half a millisecond late changes nothing. */
	assert_int_equal(compositions_usual(&compositions, 100, 0, present_ns, V60), 103 * V60);
	/* Ticks tell it better than commits. */
	for (unsigned int n = 101; n <= 104; n++) {
		compositions.next.tick_ns = n * V60 - MS;
		compositions_commit(&compositions, n * V60 + MS);
		compositions_present(&compositions, n * V60 + 2 * MS);
	}
	assert_int_equal(compositions_usual(&compositions, 104, 0, present_ns, V60), 103 * V60);
	/* Those of another refresh rate do not count. */
	assert_int_equal(compositions_usual(&compositions, 104, 102 * V60, present_ns, V60), 0);
	present_ns += 54 * V60;
	assert_int_equal(compositions_usual(&compositions, 104, 0, present_ns, V60),
			 157 * V60 - MS);
	present_ns += 4 * V60;
	assert_int_equal(compositions_usual(&compositions, 104, 0, present_ns, V60), 0);
}

TEST(test_a_composition_has_a_number)
{
	assert_int_equal(compositions_next(&compositions), 101);
	compositions_commit(&compositions, 101 * V60);
	assert_int_equal(compositions_next(&compositions), 101);
	compositions_end(&compositions, 101 * V60 + MS); /* of another one: it has no present */
	assert_int_equal(compositions_get(&compositions, 101)->end_ns, 0);
	compositions_commit(&compositions, 102 * V60);
	compositions_present(&compositions, 102 * V60 + 2 * MS);
	compositions_end(&compositions, 102 * V60 + 4 * MS);
	assert_int_equal(compositions_get(&compositions, 102)->end_ns, 102 * V60 + 4 * MS);
	assert_int_equal(compositions_get_before(&compositions, 102)->commit_ns, 100 * V60);
	assert_null(compositions_get_before(&compositions, 1));
	assert_null(compositions_get(&compositions, 103));
	for (unsigned int n = 103; n <= COMPOSITIONS_MAX + 1; n++)
		compositions_commit(&compositions, n * V60);
	assert_int_equal(compositions_get(&compositions, 2)->commit_ns, 2 * V60);
	assert_null(compositions_get(&compositions, 1));
}
