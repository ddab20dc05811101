/* SPDX-License-Identifier: Apache-2.0 */
/* At most the given number in any period, no matter how they are distributed. */
#include "tests/unit/unit.h"

#include "rules/rate_limit.h"

#define MINUTE UINT64_C(60)

TEST(test_one_in_a_period_is_allowed)
{
	struct rate_limit limit = { 0 };

	assert_true(rate_limit_allows(&limit, 1, MINUTE, 0));
	assert_false(rate_limit_allows(&limit, 1, MINUTE, 0));
	assert_false(rate_limit_allows(&limit, 1, MINUTE, 59));
	assert_true(rate_limit_allows(&limit, 1, MINUTE, 60));
	assert_false(rate_limit_allows(&limit, 1, MINUTE, 119));
	assert_true(rate_limit_allows(&limit, 1, MINUTE, 1000));
	assert_int_equal(limit.allowed, 3);
}

/* Not four at the end of one minute and four more at the start of the next. */
TEST(test_limit_holds_for_any_period)
{
	struct rate_limit limit = { 0 };

	for (uint64_t at = 55; at < 59; at++)
		assert_true(rate_limit_allows(&limit, 4, MINUTE, at));
	assert_false(rate_limit_allows(&limit, 4, MINUTE, 60));
	assert_false(rate_limit_allows(&limit, 4, MINUTE, 114));
	assert_true(rate_limit_allows(&limit, 4, MINUTE, 115));
	assert_false(rate_limit_allows(&limit, 4, MINUTE, 115));
	assert_true(rate_limit_allows(&limit, 4, MINUTE, 116));
}

TEST(test_largest_limit_holds)
{
	struct rate_limit limit = { 0 };

	for (int i = 0; i < RATE_LIMIT_MAX; i++)
		assert_true(rate_limit_allows(&limit, RATE_LIMIT_MAX, MINUTE, 5));
	assert_false(rate_limit_allows(&limit, RATE_LIMIT_MAX, MINUTE, 64));
	assert_true(rate_limit_allows(&limit, RATE_LIMIT_MAX, MINUTE, 65));
}

TEST(test_clock_step_back_does_not_raise_the_limit)
{
	struct rate_limit limit = { 0 };

	assert_true(rate_limit_allows(&limit, 1, MINUTE, 1000));
	assert_false(rate_limit_allows(&limit, 1, MINUTE, 10));
	assert_false(rate_limit_allows(&limit, 1, MINUTE, 70));
	assert_true(rate_limit_allows(&limit, 1, MINUTE, 1060));
}
