/* SPDX-License-Identifier: Apache-2.0 */
/* The frame times of a Surface that count as current. */
#include "rules/count/recent.h"

#include "tests/unit/unit.h"

TEST(rate_is_of_whole_seconds)
{
	struct recent recent = { 0 };

	assert_true(recent_fps(&recent, 0) < 0);
	assert_int_equal(recent_frames(&recent, 0), 0);
	recent_add(&recent, 5 * SECOND, 10 * MS);
	recent_add(&recent, 6 * SECOND - 1, 30 * MS);
	recent_add(&recent, 6 * SECOND, 16 * MS);
	assert_true(recent_fps(&recent, 6 * SECOND - 1) < 0);
	assert_float_equal(recent_fps(&recent, 6 * SECOND), 50, 1e-9);
	assert_float_equal(recent_fps(&recent, 7 * SECOND - 1), 50, 1e-9);
	assert_float_equal(recent_fps(&recent, 7 * SECOND), 62.5, 1e-9);
	assert_true(recent_fps(&recent, 8 * SECOND) < 0);
	assert_int_equal(recent_frames(&recent, 6 * SECOND), 2);
	assert_int_equal(recent_frames(&recent, 7 * SECOND), 3);
	assert_int_equal(recent_frames(&recent, 16 * SECOND - 1), 3);
	assert_int_equal(recent_frames(&recent, 16 * SECOND), 1);
	assert_int_equal(recent_frames(&recent, 17 * SECOND), 0);
}

TEST(old_frame_times_are_dropped)
{
	static const uint64_t ahead[] = { 1, 2, 9, 10, 11, 12, 21, 22, 23, 1000000 };

	for (size_t i = 0; i < COUNT_OF(ahead); i++) {
		struct recent recent = { 0 };
		uint64_t end = 100 + ahead[i];

		for (uint64_t second = 50; second <= 100; second++)
			recent_add(&recent, second * SECOND, MS);
		assert_int_equal(recent_frames(&recent, 101 * SECOND), RECENT_SECONDS);
		recent_add(&recent, end * SECOND, MS);
		assert_int_equal(recent_frames(&recent, (end + 1) * SECOND),
				 ahead[i] < RECENT_SECONDS ? RECENT_SECONDS + 1 - ahead[i] : 1);
		recent_add(&recent, 3 * SECOND, MS);
		assert_int_equal(recent_frames(&recent, 4 * SECOND), 1);
	}
}
