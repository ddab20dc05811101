/* SPDX-License-Identifier: Apache-2.0 */
/* SurfaceFlinger's compositions: which commit could have latched a buffer, and its own GPU work. */
#include "tests/unit/unit.h"

#include "rules/composition.h"

#define V60 UINT64_C(16666667)

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

static bool waited(uint64_t queued_ns, uint64_t done_ns, uint64_t latched_ns)
{
	return compositions_waited_for_gpu(&compositions, queued_ns, done_ns, latched_ns);
}

static void test_a_buffer_waited_if_a_commit_came_between_queue_and_signal(void **state)
{
	uint64_t queued_ns = 50 * V60 - 3 * MS, latched_ns = 51 * V60 + MS;

	assert_true(waited(queued_ns, 50 * V60 + 4 * MS, latched_ns));
	assert_true(waited(queued_ns, latched_ns + MS, latched_ns)); /* latched unsignaled */
	assert_true(waited(queued_ns, 50 * V60 + 4 * MS, 53 * V60 + MS));
}

static void test_a_buffer_that_was_done_or_queued_late_did_not_wait(void **state)
{
	uint64_t latched_ns = 51 * V60 + MS;

	assert_false(waited(50 * V60 - 3 * MS, 50 * V60 - MS, latched_ns));
	assert_false(waited(50 * V60 + MS, 50 * V60 + 4 * MS, latched_ns));
	assert_false(waited(50 * V60 + MS, latched_ns + MS, latched_ns));
}

static void test_a_present_has_its_own_gpu_work(void **state)
{
	const struct composition *with = compositions_at(&compositions, 51 * V60 + 2 * MS);
	const struct composition *without = compositions_at(&compositions, 50 * V60 + 2 * MS);

	assert_int_equal(with->client, CLIENT_YES);
	assert_int_equal(with->fence, 51);
	assert_int_equal(without->client, CLIENT_NO);
	assert_int_equal(without->fence, 1050);
	assert_null(compositions_at(&compositions, 51 * V60));
}

static void test_old_compositions_are_forgotten(void **state)
{
	for (unsigned int n = 101; n <= 100 + COMPOSITIONS_MAX; n++)
		compositions_commit(&compositions, n * V60);
	assert_null(compositions_at(&compositions, 100 * V60 + 2 * MS));
	compositions_forget(&compositions);
	assert_false(waited(500 * V60, 502 * V60, 505 * V60));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			test_a_buffer_waited_if_a_commit_came_between_queue_and_signal, set_up),
		cmocka_unit_test_setup(test_a_buffer_that_was_done_or_queued_late_did_not_wait,
				       set_up),
		cmocka_unit_test_setup(test_a_present_has_its_own_gpu_work, set_up),
		cmocka_unit_test_setup(test_old_compositions_are_forgotten, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
