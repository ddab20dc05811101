/* SPDX-License-Identifier: Apache-2.0 */
/* Harm, the frame times of a Surface that count as current, stretches of continuous drawing, and
 * the verdict. */
#include "tests/unit/unit.h"

#include "rules/base/row.h"
#include "rules/count/harm.h"
#include "rules/count/verdict.h"

TEST(test_the_worst_moment_has_most_harm)
{
	struct harm harm = { 0 };

	harm_add(&harm, 10 * SECOND, 20 * MS);
	harm_add(&harm, 11 * SECOND, 50 * MS);
	harm_add(&harm, 12 * SECOND, 50 * MS);
	assert_fields(&harm, worst_ns == 50 * MS, worst_from_ns == 11 * SECOND - 50 * MS);
}

/* As a plain search finds it, the first of equal ones: what is lost counts in the seconds in which
 * it was. What was found stays with a new clock. */
TEST(test_the_worst_minute_is_that_of_a_plain_search)
{
	static uint32_t us[9000]; /* of each second */

	srand(1);
	for (unsigned int round = 0; round < 300; round++) {
		uint64_t to_us = 0, minute_ns = 0, from_ns = 0;
		struct harm harm = { 0 };

		memset(us, 0, sizeof(us));
		for (unsigned int i = 0; i < 40; i++) {
			uint64_t lost_us = 10000 + (uint64_t)rand() % 2, at_us;

			if (rand() % 9 == 0)
				lost_us = (uint64_t)rand() % 200000000 + 1;
			if (rand() % 40 == 0) {
				harm.recent = (struct recent){ 0 };
				memset(us, 0, sizeof(us));
				to_us = 0;
			}
			at_us = to_us + (uint64_t)(rand() % 8 ? rand() % 4 : 50) * 1000000;
			to_us = at_us + lost_us;
			harm_add(&harm, to_us * 1000, lost_us * 1000);
			for (uint64_t end_us; at_us < to_us; at_us = end_us) {
				uint64_t second = at_us / 1000000, first = second, sum_us = 0;

				end_us = (second + 1) * 1000000;
				us[second] += (uint32_t)((end_us < to_us ? end_us : to_us) - at_us);
				for (uint64_t at = second < 59 ? 0 : second - 59; at <= second;
				     at++) {
					sum_us += us[at];
					first = us[at] > 0 && at < first ? at : first;
				}
				if (sum_us * 1000 > minute_ns) {
					minute_ns = sum_us * 1000;
					from_ns = first * SECOND;
				}
			}
			assert_fields(&harm, minute_ns == minute_ns, minute_from_ns == from_ns);
		}
	}
}

TEST(test_harm_of_hours_does_not_overflow)
{
	struct harm harm = { 0 };

	for (unsigned int i = 0; i < 5000; i++)
		harm_add(&harm, 9000 * SECOND, 5000 * SECOND);
	assert_fields(&harm, minute_ns == 59 * (uint64_t)UINT32_MAX * 1000,
		      worst_from_ns == 4000 * SECOND);
	harm_add(&harm, 9061 * SECOND, MS);
	assert_int_equal(harm.recent.harm_us[9060 % HARM_SLOTS], 1000);
}

TEST(test_rate_is_of_whole_seconds)
{
	static const uint64_t frames[][2] = { { 6 * SECOND, 2 },
					      { 7 * SECOND, 3 },
					      { 16 * SECOND - 1, 3 },
					      { 16 * SECOND, 1 },
					      { 17 * SECOND, 0 } };
	struct recent recent = { 0 };

	assert_true(recent_fps(&recent, 0) < 0 && recent_frames(&recent, 0) == 0);
	recent_add(&recent, 5 * SECOND, 10 * MS);
	recent_add(&recent, 6 * SECOND - 1, 30 * MS);
	recent_add(&recent, 6 * SECOND, 16 * MS);
	assert_true(recent_fps(&recent, 6 * SECOND - 1) < 0);
	assert_float_equal(recent_fps(&recent, 6 * SECOND), 50, 1e-9);
	assert_float_equal(recent_fps(&recent, 7 * SECOND - 1), 50, 1e-9);
	assert_float_equal(recent_fps(&recent, 7 * SECOND), 62.5, 1e-9);
	assert_true(recent_fps(&recent, 8 * SECOND) < 0);
	for (size_t i = 0; i < COUNT_OF(frames); i++)
		assert_int_equal(recent_frames(&recent, frames[i][0]), frames[i][1]);
}

TEST(test_old_frame_times_are_dropped)
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

TEST(test_only_stretches_of_a_second_are_drawing)
{
	struct drawing drawing = { 0 };

	for (unsigned int i = 0; i < 59; i++)
		drawing_add(&drawing, V60);
	drawing_gap(&drawing);
	assert_int_equal(drawing_sum(&drawing).frames, 0);
	for (unsigned int i = 0; i < 60; i++)
		drawing_add(&drawing, V60);
	assert_int_equal(drawing_sum(&drawing).frames, 60);
	drawing_gap(&drawing);
	drawing_gap(&drawing);
	drawing_add(&drawing, SECOND - 1);
	assert_int_equal(drawing_sum(&drawing).frames, 60);
	drawing_gap(&drawing);
	drawing_add(&drawing, SECOND);
	assert_true(drawing_sum(&drawing).frames == 61 &&
		    drawing_sum(&drawing).time_ns == 60 * V60 + SECOND);
}

TEST(test_verdicts)
{
	static const char window[] = "com.a/com.a.Main", view[] = "SurfaceView - a/a";
	static const struct {
		const char *verdict;
		struct verdict_facts facts;
	} cases[] = {
		{ "fail app? 54.7<55", { 0, window, 1, 9, 600, 5472, 100 * SECOND } },
		{ "pass app? 55.0>=55", { 0, window, 1, 9, 600, 5473, 100 * SECOND } },
		{ "fail app? 54.9<55",
		  { 0, window, ROW_UNKNOWN, ROW_UNKNOWN, 600, 5499, 100 * SECOND } },
		{ "pass app? 55.0>=55", { 0, window, 1, 9, 600, 275, 5 * SECOND } },
		{ "n/a app? 2.9s<5s", { 0, window, 1, 0, 600, 99, 3 * SECOND - 1 } },
		{ "n/a app? 3.0s<5s",
		  { 0, window, ROW_UNKNOWN, ROW_UNKNOWN, 600, 99, 3 * SECOND } },
		{ "n/a game? 0.0s<5s", { 0, "SurfaceView - com.a/com.a.Main", 1, 0, 0, 0, 0 } },
		/* It holds a lower rate than the display's. */
		{ "pass game? 30.0>=25", { 0, window, 2, 60, 600, 600, 20 * SECOND } },
		{ "fail app? 30.0<55", { 0, window, 2, 61, 600, 600, 20 * SECOND } },
		{ "pass game? 60.0>=25",
		  { 0, "SurfaceView[com.a/com.a.Main](BLAST)", 1, 0, 600, 600, 10 * SECOND } },
		{ "fail game? 23.8<25", { 0, view, 2, 9, 600, 2375, 100 * SECOND } },
		/* Films of 23.976 and 24, and what is neither; television of 25. */
		{ "n/a video?", { 0, view, 2, 300, 600, 2376, 100 * SECOND } },
		{ "n/a video?", { 0, view, 2, 300, 600, 2424, 100 * SECOND } },
		{ "fail video? 24.3<25", { 0, view, 2, 9, 600, 2425, 100 * SECOND } },
		{ "fail video 24.0<25", { APP_CLASS_VIDEO, view, 2, 9, 600, 2400, 100 * SECOND } },
		{ "pass video? 25.0>=25", { 0, view, 2, 9, 600, 2488, 100 * SECOND } },
		{ "pass video? 25.3>=25", { 0, view, 2, 9, 600, 2525, 100 * SECOND } },
		{ "fail app 30.0<55", { APP_CLASS_APP, view, 2, 0, 600, 600, 20 * SECOND } },
		{ "pass map 30.0>=25", { APP_CLASS_MAP, window, 1, 0, 600, 600, 20 * SECOND } },
	};
	char text[VERDICT_SIZE];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		verdict_write(text, &cases[i].facts);
		assert_string_equal(text, cases[i].verdict);
	}
}
