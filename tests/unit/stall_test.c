/* SPDX-License-Identifier: Apache-2.0 */
/* A wait is a stall by the app's own evidence of work, and by nothing else. */
#include "tests/unit/unit.h"

#include <string.h>

#include "rules/stats.h"
#include "rules/trigger.h"
#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)

#define APP 3000
#define OTHER 4000
#define LAST (BEGIN + 59 * V60) /* the last of 60 frames */
#define WAIT (60 * V60)		/* a wait of one second */

static const char mail[] = "com.example.mail/com.example.mail.Main#0";
static const char bar[] = "StatusBar#0";

static struct phone phone;
static struct pipeline_options options;

static int set_up(void **state)
{
	options = PIPELINE_OPTIONS_DEFAULT;
	options.type = 1;
	return 0;
}

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

/* Writes a record of a thread of an app. */
static void app_write(enum trace_kind kind, int32_t pid, int32_t tid, const char *comm,
		      const char *name, uint64_t time_ns)
{
	const struct trace_record record = {
		.kind = kind,
		.cpu = 2,
		.tid = tid,
		.tgid = pid,
		.pid = pid,
		.time_ns = time_ns,
		.comm = span_of(comm),
		.name = span_of(name),
	};

	phone.now_ns = time_ns;
	phone_record(&phone, &record);
}

static void begin(int32_t pid, const char *comm, const char *slice, uint64_t time_ns)
{
	app_write(TRACE_SLICE_BEGIN, pid, pid, comm, slice, time_ns);
}

static void end(int32_t pid, uint64_t time_ns)
{
	app_write(TRACE_SLICE_END, pid, pid, "x", "", time_ns);
}

static void mail_works(const char *slice, uint64_t from_ns, uint64_t to_ns)
{
	begin(APP, "om.example.mail", slice, from_ns);
	end(APP, to_ns);
}

static void tick_app(uint64_t time_ns)
{
	phone.now_ns = time_ns;
	phone_write(&phone, TRACE_COUNTER, 407, "VSYNC-app", time_ns / MS % 2);
}

/* 60 frames of @layer, each drawn by the mail app. */
static void start(enum phone_age age, const char *layer)
{
	phone_start(&phone, age, &options);
	for (unsigned int i = 0; i < 60; i++) {
		tick_app(BEGIN + i * V60 - 10 * MS);
		mail_works("Choreographer#doFrame", BEGIN + i * V60 - 9 * MS,
			   BEGIN + i * V60 - 4 * MS);
		phone_frame(&phone, BEGIN + i * V60, layer);
	}
}

/* The wait ends with a frame; 60 more follow. */
static void finish(const char *layer)
{
	phone_run(&phone, layer, LAST + WAIT, V60, 60);
	phone_end(&phone);
}

static struct frame_stats total(const char *surface)
{
	struct frame_stats sum = FRAME_STATS_EMPTY;

	for (size_t i = 0; i < phone.log.n_fps; i++) {
		if (strcmp(phone.log.fps[i].surface, surface) != 0)
			continue;
		sum.waits += phone.log.fps[i].stats.waits;
		sum.stalls += phone.log.fps[i].stats.stalls;
		sum.jank += phone.log.fps[i].stats.jank;
	}
	return sum;
}

static void expect(int64_t stalls)
{
	struct frame_stats sum = total("com.example.mail/com.example.mail.Main");

	assert_int_equal(sum.waits, 1);
	assert_int_equal(sum.stalls, stalls);
	assert_int_equal(sum.jank, stalls);
	assert_int_equal(phone.log.n_drops, stalls);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_STALL), stalls);
}

TEST(test_idle_app_does_not_stall)
{
	start(PHONE_9, mail);
	finish(mail);
	expect(0);
}

TEST(test_slices_open_for_half_of_the_wait_are_a_stall)
{
	static const char *const slices[] = { "Choreographer#doFrame", "Choreographer#doFrame 1234",
					      "DrawFrames 7", "dequeueBuffer - VRI[Main]#0",
					      "eglSwapBuffersWithDamageKHR" };

	for (size_t i = 0; i < COUNT_OF(slices); i++) {
		if (i > 0)
			phone_stop(&phone);
		start(PHONE_14, mail);
		mail_works(slices[i], LAST + 100 * MS, LAST + 400 * MS);
		mail_works(slices[i], LAST + 700 * MS, LAST + 905 * MS);
		finish(mail);
		expect(1);
		assert_in_range(phone.log.drops[0].interval_ns, 999 * MS, 1001 * MS);
		assert_int_equal(phone.log.drops[0].missed, 59);
	}
}

TEST(test_less_than_half_of_the_wait_is_no_stall)
{
	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame", LAST + 100 * MS);
	app_write(TRACE_SLICE_BEGIN, APP, APP + 1, "RenderThread", "DrawFrame", LAST + 300 * MS);
	end(APP, LAST + 400 * MS);
	app_write(TRACE_SLICE_END, APP, APP + 1, "RenderThread", "", LAST + 590 * MS);
	finish(mail);
	expect(0);
}

TEST(test_other_slices_are_no_evidence)
{
	start(PHONE_14, mail);
	mail_works("Choreographer#onVsync 12", LAST + 50 * MS, LAST + 450 * MS);
	mail_works("animator:alpha", LAST + 500 * MS, LAST + 950 * MS);
	finish(mail);
	expect(0);
}

TEST(test_work_of_other_processes_is_no_evidence)
{
	start(PHONE_14, mail);
	begin(OTHER, "om.example.game", "Choreographer#doFrame 3", LAST + 50 * MS);
	end(OTHER, LAST + 950 * MS);
	finish(mail);
	expect(0);
}

/* Two processes whose names end alike: neither is taken. */
TEST(test_process_that_is_not_certain_is_no_evidence)
{
	start(PHONE_14, mail);
	begin(OTHER, "om.example.mail", "Choreographer#doFrame 3", LAST + 50 * MS);
	mail_works("DrawFrame", LAST + 100 * MS, LAST + 110 * MS);
	end(OTHER, LAST + 950 * MS);
	finish(mail);
	expect(0);
}

TEST(test_buffer_that_is_not_latched_is_a_stall)
{
	static const enum phone_age ages[] = { PHONE_9, PHONE_13, PHONE_14 };

	for (size_t i = 0; i < COUNT_OF(ages); i++) {
		if (i > 0)
			phone_stop(&phone);
		start(ages[i], mail);
		phone_queue(&phone, LAST + 450 * MS, mail, 1);
		finish(mail);
		expect(1);
	}
}

/* The app works for 350 ms; a buffer is queued in the last 300 ms of the wait. */
static void play_both_kinds(uint64_t work_ns, int64_t stalls)
{
	start(PHONE_9, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame", LAST + work_ns);
	phone_queue(&phone, LAST + 700 * MS, mail, 1);
	end(APP, LAST + work_ns + 350 * MS);
	finish(mail);
	expect(stalls);
}

TEST(test_moment_with_both_kinds_of_evidence_counts_once)
{
	play_both_kinds(400 * MS, 1);
	phone_stop(&phone);
	play_both_kinds(600 * MS, 0);
}

TEST(test_do_frame_long_after_its_tick_is_a_stall)
{
	start(PHONE_9, mail);
	tick_app(LAST + 7 * MS);
	mail_works("Choreographer#doFrame", LAST + 900 * MS, LAST + 905 * MS);
	finish(mail);
	expect(1);
}

/* The process has answered the last tick: the next doFrame answers one that is written later. */
TEST(test_do_frame_before_its_tick_is_in_time)
{
	start(PHONE_9, mail);
	mail_works("Choreographer#doFrame", LAST + 950 * MS, LAST + 960 * MS);
	tick_app(LAST + 961 * MS);
	finish(mail);
	expect(0);
}

/* Another app draws, so there are ticks. The doFrame has the number of a vsync that is long over.
 */
static void play_numbered(const char *late, int64_t stalls)
{
	start(PHONE_14, mail);
	for (uint64_t ns = 10 * MS; ns < 900 * MS; ns += 20 * MS) {
		tick_app(LAST + ns);
		phone.now_ns = LAST + ns + MS;
		phone_begin(&phone, ns < 50 * MS ? "commit 5000" : "commit 6000");
		phone_end_slices(&phone, 1);
	}
	mail_works(late, LAST + 900 * MS, LAST + 905 * MS);
	finish(mail);
	expect(stalls);
}

TEST(test_do_frame_for_an_old_vsync_is_a_stall)
{
	play_numbered("Choreographer#doFrame 5001", 1);
	phone_stop(&phone);
	play_numbered("Choreographer#doFrame 6001", 0);
	phone_stop(&phone);
	play_numbered("Choreographer#doFrame", 0);
}

/* No name tells whose the layer is: the process that was at work whenever it was queued. */
TEST(test_layer_without_a_package_belongs_to_the_process_that_queues_it)
{
	phone_start(&phone, PHONE_9, &options);
	for (unsigned int i = 0; i < 60; i++) {
		begin(APP, "ndroid.systemui", "queueBuffer", BEGIN + i * V60 - 5 * MS);
		phone_queue(&phone, BEGIN + i * V60 - 4 * MS, bar, 1);
		end(APP, BEGIN + i * V60 - 3500000);
		phone.now_ns = BEGIN + i * V60 - MS;
		phone_begin(&phone, "handleMessageInvalidate");
		phone_latch(&phone, bar);
		phone_end_slices(&phone, 1);
		phone_compose(&phone, BEGIN + i * V60, 1);
		phone_tick(&phone, BEGIN + i * V60 + MS);
	}
	begin(APP, "ndroid.systemui", "Choreographer#doFrame", LAST + 50 * MS);
	end(APP, LAST + 950 * MS);
	finish(bar);
	assert_int_equal(total("StatusBar").stalls, 1);
}

/* The main thread of a game writes nothing. Its process counts the buffers of its view, and others
 * work at the same time. */
static void play_view(bool counts)
{
	static const char view[] = "SurfaceView[com.example.mail/com.example.mail.Main](BLAST)#7";

	phone_start(&phone, PHONE_14, &options);
	for (unsigned int i = 0; i < 60; i++) {
		const uint64_t at_ns = BEGIN + i * V60;

		begin(OTHER, "om.example.game", "Choreographer#doFrame", at_ns - 6 * MS);
		app_write(TRACE_SLICE_BEGIN, APP, APP + 1, "Main", "queueBuffer", at_ns - 5 * MS);
		if (counts)
			app_write(TRACE_COUNTER, APP, APP + 1, "Main",
				  "QueuedBuffer - SurfaceView[com.example.mail/"
				  "com.example.mail.Main]#3BLAST#3",
				  at_ns - 5 * MS);
		app_write(TRACE_SLICE_END, APP, APP + 1, "Main", "", at_ns - 4 * MS);
		phone_frame(&phone, at_ns, view);
		end(OTHER, at_ns + 2 * MS);
	}
	app_write(TRACE_SLICE_BEGIN, APP, APP + 1, "Main", "dequeueBuffer", LAST + 50 * MS);
	app_write(TRACE_SLICE_END, APP, APP + 1, "Main", "", LAST + 950 * MS);
	finish(view);
}

TEST(test_view_belongs_to_the_process_that_counts_its_buffers)
{
	play_view(true);
	assert_int_equal(total("SurfaceView[com.example.mail/com.example.mail.Main](BLAST)").stalls,
			 1);
	phone_stop(&phone);
	play_view(false);
	assert_int_equal(total("SurfaceView[com.example.mail/com.example.mail.Main](BLAST)").stalls,
			 0);
}

/* The name of the layer states the process (Samsung). */
/* The process of @layer has another name or none; an idle process has the last 15 bytes of the
 * name of its app. */
TEST(test_name_that_two_apps_share_is_overruled_by_who_queues)
{
	static const char game[] = "com.example.mail/com.example.mail.Game#3";

	phone_start(&phone, PHONE_9, &options);
	begin(OTHER, "om.example.mail", "Choreographer#doFrame", BEGIN - SECOND);
	end(OTHER, BEGIN - SECOND + MS);
	for (unsigned int i = 0; i < 60; i++) {
		app_write(TRACE_SLICE_BEGIN, APP, APP + 1, "UnityMain", "queueBuffer",
			  BEGIN + i * V60 - 9 * MS);
		phone_queue(&phone, BEGIN + i * V60 - 8 * MS, game, 1);
		app_write(TRACE_SLICE_END, APP, APP + 1, "x", "", BEGIN + i * V60 - 7 * MS);
		phone_frame(&phone, BEGIN + i * V60, game);
	}
	app_write(TRACE_SLICE_BEGIN, APP, APP + 1, "UnityMain", "dequeueBuffer", LAST + 50 * MS);
	app_write(TRACE_SLICE_END, APP, APP + 1, "x", "", LAST + 950 * MS);
	finish(game);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_STALL), 1);
}

TEST(test_layer_may_name_its_process)
{
	static const char layer[] = "com.example.mail/com.example.mail.Main$_3000#163228";

	phone_start(&phone, PHONE_14, &options);
	phone_run(&phone, layer, BEGIN, V60, 60);
	begin(APP, "<...>", "Choreographer#doFrame 9", LAST + 50 * MS);
	end(APP, LAST + 950 * MS);
	finish(layer);
	expect(1);
}

/* The view of a video draws steadily in the same process; the window is idle. */
TEST(test_short_slices_for_another_layer_are_no_evidence)
{
	static const char video[] = "SurfaceView[com.example.mail/com.example.mail.Main]#7";

	start(PHONE_14, mail);
	for (unsigned int i = 1; i < 60; i++) {
		app_write(TRACE_SLICE_BEGIN, APP, APP + 1, "Video", "dequeueBuffer",
			  LAST + i * V60 - 15 * MS);
		app_write(TRACE_SLICE_END, APP, APP + 1, "Video", "", LAST + i * V60 - 3 * MS);
		phone_frame(&phone, LAST + i * V60, video);
	}
	finish(mail);
	expect(0);
}

TEST(test_stall_beside_another_layer_of_the_process_is_found)
{
	static const char video[] = "SurfaceView[com.example.mail/com.example.mail.Main]#7";

	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame 9", LAST + 5 * MS);
	for (unsigned int i = 1; i < 60; i++) {
		if (i == 55)
			end(APP, LAST + i * V60 - 8 * MS);
		phone_frame(&phone, LAST + i * V60, video);
	}
	finish(mail);
	expect(1);
}

/* The end of the slice may be in the loss. */
TEST(test_loss_ends_the_evidence)
{
	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame 9", LAST + 5 * MS);
	phone.now_ns = LAST + 100 * MS;
	phone_lost(&phone, phone.cpu, 10);
	finish(mail);
	assert_int_equal(total("com.example.mail/com.example.mail.Main").stalls, 0);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_STALL), 0);
}

TEST(test_app_that_was_killed_and_started_again_has_its_own_process)
{
	start(PHONE_14, mail);
	mail_works("Choreographer#doFrame", LAST + 5 * MS, LAST + 10 * MS);
	begin(OTHER, "om.example.mail", "Choreographer#doFrame", LAST + 300 * MS);
	end(OTHER, LAST + 980 * MS);
	finish(mail);
	expect(1);
}

TEST(test_stall_that_no_frame_ends_is_an_event)
{
	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame 9", LAST + 5 * MS);
	for (unsigned int i = 1; i <= 30; i++)
		phone_tick(&phone, LAST + i * 100 * MS);
	phone_end(&phone);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_STALL), 1);
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == TRACE_EVENT_STALL)
			assert_string_equal(phone.log.events[i].text,
					    "3000.0 ms on com.example.mail/com.example.mail.Main "
					    "of com.example.mail; no frame ended it");
}

static const char *stall_event(void)
{
	for (size_t i = 0; i < phone.log.n_events; i++)
		if (phone.log.events[i].kind == TRACE_EVENT_STALL)
			return phone.log.events[i].text;
	return "";
}

/* Nothing is written while all apps hang or are idle. */
TEST(test_stall_lasts_to_the_end_of_a_silent_trace)
{
	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame 9", LAST + 5 * MS);
	pipeline_silent(phone.pipeline, 995 * MS);
	pipeline_silent(phone.pipeline, 2995 * MS);
	phone_end(&phone);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_STALL), 1);
	assert_string_equal(stall_event(), "3000.0 ms on com.example.mail/com.example.mail.Main of "
					   "com.example.mail; no frame ended it");
}

static void keep_row(void *context, const struct summary_row *row)
{
	struct summary_row *copy = context;

	if (strcmp(row->surface, "com.example.mail/com.example.mail.Main") == 0)
		*copy = *row;
}

static struct summary_row summary_of_mail(void)
{
	struct summary_row row = { .stats.stalls = 4711 };

	pipeline_summary(phone.pipeline, &row, keep_row);
	assert_int_equal(row.stats.stalls, 0);
	return row;
}

TEST(test_stall_that_no_frame_ends_is_in_the_summary)
{
	struct summary_row row;

	start(PHONE_14, mail);
	phone_end(&phone);
	row = summary_of_mail();
	assert_int_equal(row.endless, 0);
	assert_int_equal(row.endless_ns, 0);
	phone_stop(&phone);
	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame 9", LAST + 5 * MS);
	phone_run(&phone, "com.home/com.home.Home#3", LAST + 2 * SECOND, V60, 120);
	phone_end(&phone);
	row = summary_of_mail();
	assert_int_equal(row.endless, 1);
	assert_in_range(row.endless_ns, 1990 * MS, 2010 * MS);
}

TEST(test_process_without_view_marks_is_marked)
{
	start(PHONE_14, mail);
	phone_end(&phone);
	assert_false(summary_of_mail().no_view_marks);
	phone_stop(&phone);
	phone_start(&phone, PHONE_14, &options);
	for (unsigned int i = 0; i < 60; i++) {
		mail_works("dequeueBuffer", BEGIN + i * V60 - 9 * MS, BEGIN + i * V60 - 8 * MS);
		phone_frame(&phone, BEGIN + i * V60, mail);
	}
	phone_end(&phone);
	assert_true(summary_of_mail().no_view_marks);
}

TEST(test_drop_names_the_long_do_frame_of_its_app)
{
	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame 9", LAST + 5 * MS);
	begin(APP, "om.example.mail", "traversal", LAST + 6 * MS);
	begin(OTHER, "om.example.game", "Choreographer#doFrame 9", LAST + 7 * MS);
	end(OTHER, LAST + 60 * MS);
	end(APP, LAST + 66 * MS);
	end(APP, LAST + 67 * MS);
	begin(APP, "om.example.mail", "Choreographer#doFrame 10", LAST + 68 * MS);
	end(APP, LAST + 100 * MS);
	phone_run(&phone, mail, LAST + 5 * V60, V60, 60);
	phone_end(&phone);
	assert_int_equal(phone.log.n_drops, 1);
	assert_ptr_equal(strstr(phone.log.drops[0].info, "doFrame 62.0 ms (traversal 60.0)"),
			 phone.log.drops[0].info);
	assert_null(strstr(phone.log.drops[0].info + 1, "doFrame"));
}

/* The app was killed, and the launcher is in front. */
TEST(test_stall_that_no_frame_ends_is_reported_when_another_app_is_in_front)
{
	start(PHONE_14, mail);
	begin(APP, "om.example.mail", "Choreographer#doFrame 9", LAST + 5 * MS);
	phone_run(&phone, "com.home/com.home.Home#3", LAST + 2 * SECOND, V60, 120);
	phone_end(&phone);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_STALL), 1);
}

TEST(test_app_that_left_the_front_idle_has_no_stall)
{
	start(PHONE_14, mail);
	phone_run(&phone, "com.home/com.home.Home#3", LAST + 2 * SECOND, V60, 120);
	phone_end(&phone);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_STALL), 0);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_PAUSE), 0);
}

static void keep_pauses(void *context, const struct summary_row *row)
{
	*(uint64_t *)context += row->pauses;
	assert_in_range(row->pause_ns, 999 * MS, 1001 * MS);
}

TEST(test_wait_between_steady_frames_is_an_unexplained_pause)
{
	uint64_t pauses = 0;

	start(PHONE_14, mail);
	finish(mail);
	pipeline_summary(phone.pipeline, &pauses, keep_pauses);
	assert_int_equal(pauses, 1);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_PAUSE), 1);
	phone_stop(&phone);
	start(PHONE_14, mail);
	phone_run(&phone, mail, LAST + WAIT, 2 * V60, 60);
	phone_end(&phone);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_PAUSE), 0);
	phone_stop(&phone);
	start(PHONE_14, mail);
	phone_run(&phone, mail, LAST + WAIT, V60, 20);
	phone_end(&phone);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_PAUSE), 0);
}

TEST(test_stall_opens_the_gate_of_a_trigger)
{
	struct trigger trigger;
	struct trigger_error error;

	assert_int_equal(trigger_parse(&trigger, "interval>100ms", &error), 0);
	options.trigger = &trigger;
	start(PHONE_14, mail);
	mail_works("Choreographer#doFrame", LAST + 100 * MS, LAST + 900 * MS);
	finish(mail);
	assert_true(phone.log.n_gate > 0);
	phone_stop(&phone);
	start(PHONE_14, mail);
	finish(mail);
	assert_int_equal(phone.log.n_gate, 0);
}
