/* SPDX-License-Identifier: Apache-2.0 */
/* At most the given number in any period, no matter how they are distributed. */
#include "tests/unit/unit.h"

#include "rules/base/rate_limit.h"

#define MINUTE UINT64_C(60)

TEST(test_limit_holds_for_any_period)
{
	static const struct {
		unsigned int max;
		const char *allowed; /* '1', '0' at each of these times */
		uint64_t at[9];
	} cases[] = {
		{ 1, "100101", { 0, 0, 59, 60, 119, 1000 } },
		/* Not four at the end of one minute and four more at the start of the next. */
		{ 4, "111100101", { 55, 56, 57, 58, 60, 114, 115, 115, 116 } },
		/* A step back of the clock does not raise the limit. */
		{ 1, "1001", { 1000, 10, 70, 1060 } },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct rate_limit limit = { 0 };

		for (size_t k = 0; cases[i].allowed[k]; k++)
			assert_int_equal(
				rate_limit_allows(&limit, cases[i].max, MINUTE, cases[i].at[k]),
				cases[i].allowed[k] == '1');
	}
}

TEST(test_largest_limit_holds)
{
	struct rate_limit limit = { 0 };

	for (int i = 0; i < RATE_LIMIT_MAX; i++)
		assert_true(rate_limit_allows(&limit, RATE_LIMIT_MAX, MINUTE, 5));
	assert_false(rate_limit_allows(&limit, RATE_LIMIT_MAX, MINUTE, 64));
	assert_true(rate_limit_allows(&limit, RATE_LIMIT_MAX, MINUTE, 65));
}
