/* SPDX-License-Identifier: Apache-2.0 */
/* The focused app, to which layers without a package in their name belong: when it is in doubt, and
 * the effect of an answer. */
#include "tests/unit/one_phone.h"

static const char bar[] = "StatusBar#0";
static const char b_view[] = "SurfaceView[com.b/com.b.Main](BLAST)#0";

static const uint64_t then = BEGIN + 2 * SECOND; /* after the first frames */

FIXTURE(default_options, stop_phone)

static const char *app; /* that may be in front, after doubt() */

static uint64_t doubt(void)
{
	return pipeline_front_app_uncertain_since(phone.pipeline, &app);
}

/* @other and the status bar draw @n frames each, from @from_ns on. */
static void run_both(const char *other, uint64_t from_ns, unsigned int n)
{
	const char *layers[] = { bar, other, NULL };

	for (unsigned int i = 0; i < n; i++)
		phone_frames(&phone, from_ns + i * V60, layers);
}

static void start_with(bool asks)
{
	options.focus = "com.a/com.a.Main";
	options.front_app_is_queried = asks;
	start(PHONE_9);
	run_both(a, BEGIN, 120);
}

/* Frames of the status bar with app @name, in that time. */
static size_t bar_frames(const char *name, uint64_t from_ns, uint64_t until_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < phone.log.n_frames; i++) {
		const struct frame_row *row = &phone.log.frames[i];

		n += strcmp(row->layer, bar) == 0 && strcmp(row->app, name) == 0 &&
		     row->present_ns >= from_ns && row->present_ns < until_ns;
	}
	return n;
}

/* The status bar was of app @name in so many frames before "then", and since. */
static void expect_bar(const char *name, size_t before, size_t since)
{
	assert_int_equal(bar_frames(name, 0, then), before);
	assert_int_equal(bar_frames(name, then, UINT64_MAX), since);
}

TEST(view_of_another_app_puts_focus_in_doubt)
{
	start_with(true);
	assert_int_equal(doubt(), 0);
	run_both(b_view, then, 20);
	assert_int_equal(doubt(), then);
	assert_string_equal(app, "com.b");
	/* it continues: the same doubt */
	run_both(b_view, then + 20 * V60, 1);
	assert_int_equal(doubt(), then);
	pipeline_set_front_app(phone.pipeline, "com.b/com.b.Main", then);
	assert_int_equal(doubt(), 0);
	run_both(b_view, then + 21 * V60, 99);
	phone_end(&phone);
	expect_bar("com.b", 0, 120);
	expect_bar("com.a", 120, 0);
	assert_int_equal(events_of(TRACE_EVENT_FOCUS), 1);
}

TEST(empty_answer_makes_the_app_unknown)
{
	start_with(true);
	run_both(b_view, then, 20);
	pipeline_set_front_app(phone.pipeline, "", then);
	assert_int_equal(doubt(), 0);
	run_both(b_view, then + 20 * V60, 100);
	phone_end(&phone);
	expect_bar("", 0, 120);
}

/* It draws at the same time as the focused app: picture in picture. */
TEST(picture_in_picture_does_not_change_focus)
{
	start_with(true);
	run_both(b_view, then, 20);
	pipeline_set_front_app(phone.pipeline, "com.a/com.a.Main", then + 19 * V60);
	assert_int_equal(doubt(), 0);
	run_both(b_view, then + 20 * V60, 40);
	/* Nor do windows that are no activity. */
	phone_run(&phone, "NavigationBar#0", then + SECOND, V60, 10);
	phone_run(&phone, "Splash Screen com.c.d#0", then + SECOND * 3 / 2, V60, 10);
	phone_run(&phone, "SurfaceView[com.a/com.a.Main]#0", then + 2 * SECOND, V60, 10);
	assert_int_equal(doubt(), 0);
	/* it pauses and draws again */
	run_both(b_view, then + 3 * SECOND, 10);
	assert_int_equal(doubt(), then + 3 * SECOND);
	phone_end(&phone);
	assert_int_equal(bar_frames("com.a", 0, UINT64_MAX), frames_of(bar));
	assert_int_equal(events_of(TRACE_EVENT_FOCUS), 0);
}

/* For a recorded trace dumpsys cannot be run: the app is unknown until a window of an activity
 * draws. Of two apps that draw at the same time the one with the activity is in front. */
TEST(app_of_a_recorded_trace_is_unknown_until_an_activity_draws)
{
	const uint64_t alone = then + 300 * V60, again = alone + 10 * SECOND;
	const char *layers[] = { bar, a, b_view, NULL };

	start_with(false);
	for (unsigned int i = 0; i < 300; i++)
		phone_frames(&phone, then + i * V60, layers);
	run_both(b_view, alone, 600);
	run_both(a, again, 60);
	phone_end(&phone);
	assert_int_equal(bar_frames("com.a", 0, alone), 420);
	/* It drew until then. In the first of the later presents the bar comes first. */
	assert_in_range(bar_frames("com.a", alone, UINT64_MAX), 60 + 28, 60 + 31);
	assert_int_equal(bar_frames("com.a", again, UINT64_MAX), 59);
	assert_int_equal(bar_frames("com.b", 0, UINT64_MAX), 0);
	assert_int_equal(events_of(TRACE_EVENT_FOCUS), 2);
}

TEST(answer_from_before_a_clock_step_is_ignored)
{
	start_with(true);
	run_both(b_view, BEGIN + 2 * SECOND, 20);
	run_both(a, BEGIN / 2, 60);
	assert_int_equal(doubt(), 0);
	pipeline_set_front_app(phone.pipeline, "com.b/com.b.Main", BEGIN + 2 * SECOND);
	run_both(a, BEGIN / 2 + 60 * V60, 60);
	phone_end(&phone);
	assert_int_equal(bar_frames("com.b", 0, UINT64_MAX), 0);
}
