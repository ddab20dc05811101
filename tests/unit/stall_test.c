/* SPDX-License-Identifier: Apache-2.0 */
/* A wait is a stall by the app's own evidence of work, and by nothing else. */
#include "tests/unit/one_phone.h"

#define DOFRAME "Choreographer#doFrame"

#define APP 3000
#define OTHER 4000
#define LAST (BEGIN + 59 * V60) /* the last of 60 frames */
#define WAIT (60 * V60)		/* a wait of one second */

static const char mail[] = "com.example.mail/com.example.mail.Main#0";
#define MAIL_SURFACE "com.example.mail/com.example.mail.Main"
#define VIEW_SURFACE "SurfaceView[" MAIL_SURFACE "](BLAST)"
#define HUNG(how) "3000.0 ms on " MAIL_SURFACE " of com.example.mail" how "; no frame ended it"
static const char video[] = "SurfaceView[" MAIL_SURFACE "]#7";
static const char bar[] = "StatusBar#0";
static const char game[] = "com.example.mail/com.example.mail.Game#3";
static const char home[] = "com.home/com.home.Home#3";

static int set_up(void **state)
{
	default_options(state);
	options.type = 1;
	return 0;
}

FIXTURE(set_up, stop_phone)

enum thread { MAIL, RENDER, NAMELESS, SYSTEM_UI, UNITY, NAMESAKE, GAME };

static const struct {
	int32_t pid, tid;
	const char *comm;
} threads[] = {
	[MAIL] = { APP, APP, "om.example.mail" },
	[RENDER] = { APP, APP + 1, "RenderThread" },
	[NAMELESS] = { APP, APP, "<...>" },
	[SYSTEM_UI] = { APP, APP, "ndroid.systemui" },
	[UNITY] = { APP, APP + 1, "UnityMain" },
	[NAMESAKE] = { OTHER, OTHER, "om.example.mail" },
	[GAME] = { OTHER, OTHER, "om.example.game" },
};

static void app_write(enum thread thread, enum trace_kind kind, const char *name, uint64_t time_ns)
{
	const struct trace_record record = {
		.kind = kind,
		.cpu = 2,
		.tid = threads[thread].tid,
		.tgid = threads[thread].pid,
		.pid = threads[thread].pid,
		.time_ns = time_ns,
		.comm = span_of(threads[thread].comm),
		.name = span_of(name),
	};

	phone.now_ns = time_ns;
	phone_record(&phone, &record);
}

static void begin(enum thread thread, const char *slice, uint64_t time_ns)
{
	app_write(thread, TRACE_SLICE_BEGIN, slice, time_ns);
}

static void end(enum thread thread, uint64_t time_ns)
{
	app_write(thread, TRACE_SLICE_END, "", time_ns);
}

static void work(enum thread thread, const char *slice, uint64_t from_ns, uint64_t to_ns)
{
	begin(thread, slice, from_ns);
	end(thread, to_ns);
}

static void tick_app(uint64_t time_ns)
{
	phone.now_ns = time_ns;
	phone_write(&phone, TRACE_COUNTER, 407, "VSYNC-app", time_ns / MS % 2);
}

/* 60 frames of the mail app, each drawn by it. */
static void start_mail(enum phone_age age)
{
	start(age);
	for (unsigned int i = 0; i < 60; i++) {
		tick_app(BEGIN + i * V60 - 10 * MS);
		work(MAIL, DOFRAME, BEGIN + i * V60 - 9 * MS, BEGIN + i * V60 - 4 * MS);
		phone_frame(&phone, BEGIN + i * V60, mail);
	}
}

/* The wait ends with a frame; 60 more follow. */
static void finish(const char *layer)
{
	phone_run(&phone, layer, LAST + WAIT, V60, 60);
	phone_end(&phone);
}

static void expect_stalls(const char *name, int64_t stalls)
{
	const struct frame_stats sum = sum_of(MAIL_SURFACE);

	if (sum.waits != 1 || sum.stalls != stalls || (int64_t)sum.jank != stalls ||
	    (int64_t)phone.log.n_drops != stalls || (int64_t)events_of(TRACE_EVENT_STALL) != stalls)
		fail_msg("%s: %d waits, %d stalls, %d janks, %zu drops, %zu events", name,
			 (int)sum.waits, (int)sum.stalls, (int)sum.jank, phone.log.n_drops,
			 events_of(TRACE_EVENT_STALL));
}

struct slice {
	enum thread thread;
	const char *name;
	uint64_t from_ms, to_ms; /* in the wait */
};

/* What happens in the wait of one second, and whether it is a stall. */
static const struct {
	const char *name;
	struct slice slices[2];
	uint64_t queued_ms, tick_ms; /* a buffer is queued, VSYNC-app is written; 0: not */
	int64_t stalls;
} cases[] = {
	{ .name = "an idle app does not stall" },
	{ "two slices for half of the wait",
	  { { MAIL, DOFRAME, 100, 400 }, { MAIL, DOFRAME, 700, 905 } },
	  .stalls = 1 },
	{ "a number", { { MAIL, DOFRAME " 1234", 100, 605 } }, .stalls = 1 },
	{ "drawing", { { MAIL, "DrawFrames 7", 100, 605 } }, .stalls = 1 },
	{ "a buffer", { { MAIL, "dequeueBuffer - VRI[Main]#0", 100, 605 } }, .stalls = 1 },
	{ "EGL", { { MAIL, "eglSwapBuffersWithDamageKHR", 100, 605 } }, .stalls = 1 },
	{ "two threads together for less than half of the wait",
	  { { MAIL, DOFRAME, 100, 400 }, { RENDER, "DrawFrame", 300, 590 } },
	  .stalls = 0 },
	{ "slices of other names",
	  { { MAIL, "Choreographer#onVsync 12", 50, 450 }, { MAIL, "animator:alpha", 500, 950 } },
	  .stalls = 0 },
	{ "work of another process", { { GAME, DOFRAME " 3", 50, 950 } }, .stalls = 0 },
	/* Two processes whose names end alike: neither is taken. */
	{ "a process that is not certain",
	  { { NAMESAKE, DOFRAME " 3", 50, 950 }, { MAIL, "DrawFrame", 100, 110 } },
	  .stalls = 0 },
	{ "an app that was killed and started again has another process",
	  { { MAIL, DOFRAME, 5, 10 }, { NAMESAKE, DOFRAME, 300, 980 } },
	  .stalls = 1 },
	{ .name = "a buffer that is not latched", .queued_ms = 450, .stalls = 1 },
	{ "work and a buffer in different parts of the wait",
	  { { MAIL, DOFRAME, 400, 750 } },
	  .queued_ms = 700,
	  .stalls = 1 },
	{ "a moment with both counts once", { { MAIL, DOFRAME, 600, 950 } }, .queued_ms = 700 },
	{ "a doFrame long after its tick",
	  { { MAIL, DOFRAME, 900, 905 } },
	  .tick_ms = 7,
	  .stalls = 1 },
	/* The process has answered the last tick: it answers one that is written later. */
	{ "a doFrame before its tick", { { MAIL, DOFRAME, 950, 960 } }, .tick_ms = 961 },
};

static void play_case(size_t at)
{
	for (uint64_t ms = 1; ms < 1000; ms++) {
		for (size_t i = 0; i < COUNT_OF(cases[at].slices); i++) {
			const struct slice *slice = &cases[at].slices[i];

			if (slice->from_ms == ms)
				begin(slice->thread, slice->name, LAST + ms * MS);
			if (slice->to_ms == ms)
				end(slice->thread, LAST + ms * MS);
		}
		if (cases[at].queued_ms == ms)
			phone_queue(&phone, LAST + ms * MS, mail, 1);
		if (cases[at].tick_ms == ms)
			tick_app(LAST + ms * MS);
	}
}

TEST(test_evidence_for_half_of_a_wait_makes_it_a_stall)
{
	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		for (size_t i = 0; i < COUNT_OF(cases); i++) {
			start_mail(age);
			play_case(i);
			finish(mail);
			expect_stalls(cases[i].name, cases[i].stalls);
			if (cases[i].stalls == 0)
				continue;
			assert_in_range(phone.log.drops[0].interval_ns, 999 * MS, 1001 * MS);
			assert_int_equal(phone.log.drops[0].missed, 59);
			assert_int_equal(phone.log.drops[0].cause,
					 cases[i].queued_ms ? CAUSE_UNKNOWN : CAUSE_APP);
		}
	}
}

/* Another app draws, so there are ticks. The doFrame has the number of a vsync long over. */
static void play_numbered(const char *late, int64_t stalls)
{
	start_mail(PHONE_14);
	for (uint64_t ns = 10 * MS; ns < 900 * MS; ns += 20 * MS) {
		tick_app(LAST + ns);
		phone.now_ns = LAST + ns + MS;
		phone_begin(&phone, ns < 50 * MS ? "commit 5000" : "commit 6000");
		phone_end_slices(&phone, 1);
	}
	work(MAIL, late, LAST + 900 * MS, LAST + 905 * MS);
	finish(mail);
	expect_stalls(late, stalls);
}

TEST(test_do_frame_for_an_old_vsync_is_a_stall)
{
	play_numbered(DOFRAME " 5001", 1);
	play_numbered(DOFRAME " 6001", 0);
	play_numbered(DOFRAME, 0);
}

/* The hole hid the end of the doFrame, which was read late, and the begin of the slice that ends
 * after it. */
TEST(test_a_callback_does_not_span_a_hole)
{
	start_mail(PHONE_14);
	pipeline_hole(phone.pipeline, LAST + 100 * MS);
	begin(MAIL, DOFRAME, LAST + 90 * MS);
	phone_run(&phone, mail, LAST + WAIT, V60, 10);
	end(MAIL, LAST + WAIT + 10 * V60);
	phone_frame(&phone, LAST + WAIT + 12 * V60, mail);
	phone_end(&phone);
	assert_int_equal(phone.log.n_drops, 1);
	assert_null(strstr(phone.log.drops[0].info, "doFrame"));
}

/* No name tells whose the layer is: the process that was at work whenever it was queued. */
TEST_ON(phone_9, test_layer_without_a_package_belongs_to_the_process_that_queues_it)
{
	for (unsigned int i = 0; i < 60; i++) {
		begin(SYSTEM_UI, "queueBuffer", BEGIN + i * V60 - 5 * MS);
		phone_queue(&phone, BEGIN + i * V60 - 4 * MS, bar, 1);
		end(MAIL, BEGIN + i * V60 - 3500000);
		phone_show(&phone, BEGIN + i * V60, bar);
		phone_tick(&phone, BEGIN + i * V60 + MS);
	}
	work(SYSTEM_UI, DOFRAME, LAST + 50 * MS, LAST + 950 * MS);
	finish(bar);
	assert_int_equal(sum_of("StatusBar").stalls, 1);
}

/* The main thread of a game writes nothing. Its process counts the buffers of its view, and others
 * work at the same time. */
static void play_view(bool counts)
{
	static const char view[] = VIEW_SURFACE "#7";

	start(PHONE_14);
	for (unsigned int i = 0; i < 60; i++) {
		const uint64_t at_ns = BEGIN + i * V60;

		begin(GAME, DOFRAME, at_ns - 6 * MS);
		begin(UNITY, "queueBuffer", at_ns - 5 * MS);
		if (counts)
			app_write(UNITY, TRACE_COUNTER,
				  "QueuedBuffer - SurfaceView[com.example.mail/"
				  "com.example.mail.Main]#3BLAST#3",
				  at_ns - 5 * MS);
		end(UNITY, at_ns - 4 * MS);
		phone_frame(&phone, at_ns, view);
		end(GAME, at_ns + 2 * MS);
	}
	work(UNITY, "dequeueBuffer", LAST + 50 * MS, LAST + 950 * MS);
	finish(view);
}

TEST(test_view_belongs_to_the_process_that_counts_its_buffers)
{
	play_view(true);
	assert_int_equal(sum_of(VIEW_SURFACE).stalls, 1);
	play_view(false);
	assert_int_equal(sum_of(VIEW_SURFACE).stalls, 0);
}

/* The process of @layer has another name or none; an idle process has the last 15 bytes of the
 * name of its app. */
TEST_ON(phone_9, test_name_that_two_apps_share_is_overruled_by_who_queues)
{
	work(NAMESAKE, DOFRAME, BEGIN - SECOND, BEGIN - SECOND + MS);
	for (unsigned int i = 0; i < 60; i++) {
		begin(UNITY, "queueBuffer", BEGIN + i * V60 - 9 * MS);
		phone_queue(&phone, BEGIN + i * V60 - 8 * MS, game, 1);
		end(UNITY, BEGIN + i * V60 - 7 * MS);
		phone_frame(&phone, BEGIN + i * V60, game);
	}
	work(UNITY, "dequeueBuffer", LAST + 50 * MS, LAST + 950 * MS);
	finish(game);
	assert_int_equal(events_of(TRACE_EVENT_STALL), 1);
}

/* As on Samsung's phones. */
TEST(test_layer_may_name_its_process)
{
	static const struct {
		const char *layer;
		int64_t stalls;
	} names[] = {
		{ MAIL_SURFACE "$_3000#163228", 1 }, { MAIL_SURFACE "$_3000", 1 },
		{ MAIL_SURFACE "x_3000#1", 0 },	     { MAIL_SURFACE "$x3000#1", 0 },
		{ MAIL_SURFACE "$_3000x#1", 0 },     { MAIL_SURFACE "$_3001#1", 0 },
	};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		start(PHONE_14);
		phone_run(&phone, names[i].layer, BEGIN, V60, 60);
		work(NAMELESS, DOFRAME " 9", LAST + 50 * MS, LAST + 950 * MS);
		finish(names[i].layer);
		assert_int_equal(sum_of(NULL).stalls, names[i].stalls);
	}
}

/* The view of a video draws steadily in the same process; the window is idle. */
TEST(test_short_slices_for_another_layer_are_no_evidence)
{
	start_mail(PHONE_14);
	for (unsigned int i = 1; i < 60; i++) {
		work(UNITY, "dequeueBuffer", LAST + i * V60 - 15 * MS, LAST + i * V60 - 3 * MS);
		phone_frame(&phone, LAST + i * V60, video);
	}
	finish(mail);
	expect_stalls("", 0);
}

TEST(test_stall_beside_another_layer_of_the_process_is_found)
{
	start_mail(PHONE_14);
	begin(MAIL, DOFRAME " 9", LAST + 5 * MS);
	for (unsigned int i = 1; i < 60; i++) {
		if (i == 55)
			end(MAIL, LAST + i * V60 - 8 * MS);
		phone_frame(&phone, LAST + i * V60, video);
	}
	finish(mail);
	expect_stalls("", 1);
}

/* The end of the slice may be in the loss. If it is not, the app may have hung. */
TEST(test_loss_ends_the_evidence)
{
	for (unsigned int hung = 0; hung <= 1; hung++) {
		start_mail(PHONE_14);
		begin(MAIL, DOFRAME " 9", LAST + 5 * MS);
		if (hung)
			end(MAIL, LAST + 700 * MS);
		phone.now_ns = LAST + (hung ? 800 : 100) * MS;
		phone_lost(&phone, phone.cpu, 10);
		finish(mail);
		assert_int_equal(sum_of(MAIL_SURFACE).stalls, 0);
		assert_int_equal(events_of(TRACE_EVENT_STALL), 0);
		assert_int_equal(summary_of(MAIL_SURFACE).facts.more_freezes, hung);
	}
}

/* The tick that the doFrame answers may be in the loss, which is reported after the doFrame, or
 * even after its frame. */
TEST(test_a_lost_tick_makes_no_stall)
{
	for (unsigned int after = 0; after <= 1; after++) {
		start_mail(PHONE_14);
		phone.cpu += 3;
		tick_app(LAST + 7 * MS);
		phone.cpu -= 3;
		work(MAIL, DOFRAME, LAST + 990 * MS, LAST + 995 * MS);
		if (after)
			phone_frame(&phone, LAST + WAIT, mail);
		phone.now_ns = LAST + 997 * MS + after * 20 * MS;
		phone_lost(&phone, phone.cpu + 3, 1);
		phone.n_commits--; /* no frame was lost */
		phone_run(&phone, mail, LAST + WAIT + after * 2 * V60, V60, 60);
		phone_end(&phone);
		assert_int_equal(sum_of(MAIL_SURFACE).stalls, ROW_UNKNOWN);
		assert_int_equal(sum_of(MAIL_SURFACE).waits, 1);
		assert_int_equal(phone.log.n_drops, 0);
	}
}

/* Nothing is written while all apps hang or are idle, or there are only ticks. The app is to blame
 * if it is in one doFrame for most of it, but not for longer, neither waits for anything else nor
 * for SurfaceFlinger, draws nothing else, and no events are lost. */
TEST(test_stall_that_no_frame_ends_is_an_event)
{
	for (unsigned int i = 0; i <= 12; i++) {
		const bool ticks = i == 1 || i == 5 || i == 6, is_app = i <= 1;

		start_mail(PHONE_14);
		if (i == 4)
			phone_lost(&phone, 2, 1);
		begin(MAIL, DOFRAME " 9", LAST + 5 * MS);
		if (i == 2 || i == 3)
			begin(i == 2 ? RENDER : MAIL, "dequeueBuffer", LAST + 5 * MS);
		if (i == 7)
			begin(RENDER, DOFRAME, LAST + 5 * MS);
		if (i == 8 || i == 9)
			begin(i == 8 ? MAIL : RENDER, "waiting for HWC release 4", LAST + 5 * MS);
		if (i == 10 || i == 11)
			phone_begin(&phone, i == 10 ? "composite 9" : "commit 9");
		if (i == 12) /* it is late, and the app's */
			phone_frame(&phone, LAST + 120 * MS, mail);
		for (unsigned int j = 1; ticks && j <= 30; j++) {
			phone_tick(&phone, LAST + j * 100 * MS);
			if (i == 5 && j == 20)
				end(MAIL, LAST + 2001 * MS);
			if (i == 5 && j == 20)
				begin(MAIL, DOFRAME " 10", LAST + 2002 * MS);
			if (i == 6 && j == 28)
				phone_frame(&phone, LAST + 2801 * MS, game);
		}
		if (ticks) /* confirms the time of the last one */
			phone_write(&phone, TRACE_COUNTER, 900, "x", 0);
		pipeline_silent(phone.pipeline, ticks ? 0 : 995 * MS);
		pipeline_silent(phone.pipeline, ticks ? 0 : (i == 12 ? 3000 : 2995) * MS);
		phone_end(&phone);
		assert_int_equal(events_of(TRACE_EVENT_STALL), 1);
		assert_string_equal(event_text(TRACE_EVENT_STALL),
				    is_app ? HUNG("; doFrame 2995.0 ms (not ended)") : HUNG(""));
		assert_true(summary_of(MAIL_SURFACE).facts.causes[CAUSE_APP] ==
			    (is_app || i == 12));
	}
}

/* The app was killed, or left: the launcher is in front. Its frames may @wait for a CPU that is
 * silent after a loss, and meanwhile the app draws again, or works in the background. */
TEST(test_work_of_an_app_that_left_the_front_is_a_stall)
{
	for (unsigned int i = 0; i < 4; i++) {
		const bool stalls = i % 2, wait = i / 2;
		struct summary_row row;

		options.recorded = wait;
		start_mail(PHONE_14);
		if (wait)
			phone_lost(&phone, 5, 1);
		phone_frame(&phone, LAST + V60, mail);
		if (stalls)
			begin(MAIL, DOFRAME " 9", LAST + V60 + 5 * MS);
		if (stalls && wait)
			end(MAIL, LAST + 1100 * MS);
		phone_run(&phone, home, LAST + V60 + 2 * SECOND, V60, 12);
		if (!stalls && wait)
			begin(MAIL, DOFRAME " 9", LAST + 2300 * MS);
		phone_run(&phone, home, LAST + 2350 * MS, V60, 120);
		if (!stalls && wait)
			end(MAIL, LAST + 4400 * MS);
		if (stalls && wait)
			phone_frame(&phone, LAST + 4500 * MS, mail);
		phone_run(&phone, home, LAST + 4600 * MS, V60, 120);
		phone_end(&phone);
		row = summary_of(MAIL_SURFACE);
		assert_fields(&row, stats.stalls == 0, facts.endless == stalls);
		assert_in_range(row.facts.endless_ns, stalls * 1990 * MS, stalls * 2010 * MS);
		assert_int_equal(events_of(TRACE_EVENT_STALL), stalls);
		assert_int_equal(events_of(TRACE_EVENT_PAUSE), 0);
	}
}

/* It hangs with the window in front, unseen. The hang ends soon after another app is in front. */
TEST(test_a_window_behind_another_one_of_its_app_has_no_stall)
{
	start_mail(PHONE_14);
	phone_run(&phone, game, LAST + V60, V60, 900);
	begin(MAIL, DOFRAME " 9", LAST + 901 * V60);
	phone_run(&phone, home, LAST + 901 * V60 + 620 * MS, V60, 6);
	end(MAIL, LAST + 901 * V60 + 720 * MS);
	phone_run(&phone, home, LAST + 901 * V60 + 725 * MS, V60, 60);
	phone_end(&phone);
	assert_int_equal(events_of(TRACE_EVENT_STALL), 1);
}

/* At least half a second without a frame, and work that has lasted for at least half of that. */
TEST(test_a_freeze_under_way_is_in_the_summary)
{
	static const unsigned int rows[][3] = {
		/* work since, now, frozen for */
		{ 5, 499, 0 },	 { 5, 500, 500 },      { 250, 500, 500 },
		{ 251, 500, 0 }, { 1000, 2000, 2000 }, { 1001, 2000, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		start_mail(PHONE_14);
		pipeline_reached(phone.pipeline, LAST + rows[i][1] * MS);
		begin(MAIL, DOFRAME " 9", LAST + rows[i][0] * MS);
		pipeline_read_until(phone.pipeline, LAST + rows[i][1] * MS);
		assert_int_equal(summary_of(MAIL_SURFACE).frozen_ns, rows[i][2] * MS);
	}
}

TEST(test_process_without_view_marks_is_marked)
{
	start_mail(PHONE_14);
	phone_end(&phone);
	assert_false(summary_of(MAIL_SURFACE).no_view_marks);
	start(PHONE_14);
	for (unsigned int i = 0; i < 60; i++) {
		work(MAIL, "dequeueBuffer", BEGIN + i * V60 - 9 * MS, BEGIN + i * V60 - 8 * MS);
		phone_frame(&phone, BEGIN + i * V60, mail);
	}
	phone_end(&phone);
	assert_true(summary_of(MAIL_SURFACE).no_view_marks);
}

TEST(test_wait_between_steady_frames_is_an_unexplained_pause)
{
	static const struct {
		unsigned int odd; /* intervals of two vsyncs before the wait */
		uint64_t step_ns; /* of the frames after it */
		unsigned int n, pauses;
		const char
			*even; /* frames until the pause is certain; at the end of a trace less */
	} after[] = { { 0, V60, 60, 1, "30" }, { 0, 2 * V60, 60, 0, "" }, { 0, V60, 30, 1, "29" },
		      { 0, V60, 4, 1, "3" },   { 0, V60, 3, 0, "" },	  { 2, V60, 60, 1, "30" },
		      { 3, V60, 60, 0, "" } };

	for (size_t i = 0; i < COUNT_OF(after); i++) {
		uint64_t last_ns = LAST + after[i].odd * 2 * V60;
		struct summary_row row;
		const char *text = formatted("1000.0 ms on " MAIL_SURFACE
					     " of com.example.mail: an unexplained gap "
					     "before %s even frames",
					     after[i].even);

		start_mail(PHONE_14);
		phone_run(&phone, mail, LAST + 2 * V60, 2 * V60, after[i].odd);
		phone_run(&phone, mail, last_ns + WAIT, after[i].step_ns, after[i].n);
		phone_end(&phone);
		row = summary_of(MAIL_SURFACE);
		assert_int_equal(row.facts.gaps, after[i].pauses);
		assert_in_range(row.facts.gap_ns, after[i].pauses * 999 * MS,
				after[i].pauses * 1001 * MS);
		assert_int_equal(events_of(TRACE_EVENT_PAUSE), after[i].pauses);
		assert_string_equal(event_text(TRACE_EVENT_PAUSE), after[i].pauses ? text : "");
	}
}
