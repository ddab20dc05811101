/* SPDX-License-Identifier: Apache-2.0 */
/* A restarted SurfaceFlinger, and other processes that write the same markers. */
#include "tests/unit/one_phone.h"

static const char forged[] = "com.evil/com.evil.Main#0";

/* What the trace shows of a thread. */
static const struct {
	const char *comm;
	bool tgid;
} headers[] = {
	{ "surfaceflinger", true },
	{ "surfaceflinger", false },
	{ "<...>", true },
	{ "<...>", false },
	{ "", false }, /* raw events without /proc */
};

FIXTURE(default_options, stop_phone)

static size_t header;

static void become(int32_t pid)
{
	phone.sf_tid = phone.sf_pid = pid;
	phone.sf_tgid = headers[header].tgid ? pid : TRACE_ID_UNKNOWN;
}

static void start_headed(enum phone_age age)
{
	start(age);
	phone.sf_comm = headers[header].comm;
	become(406);
}

/* Runs @test for each generation and header. */
static void every_header(void (*test)(void))
{
	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		for (header = 0; header < COUNT_OF(headers); header++) {
			start_headed(age);
			test();
		}
	}
}

/* Checks that the frames of @layer have no gap, and have the queue times of their buffers. */
static void assert_steady(const char *layer, size_t n)
{
	size_t seen = 0, queued = 0;

	for (size_t i = 0; i < phone.log.n_frames; i++) {
		const struct frame_row *row = &phone.log.frames[i];

		if (strcmp(row->layer, layer) != 0)
			continue;
		assert_int_equal(row->latched_ns, row->present_ns - MS);
		assert_int_equal(row->vsyncs, seen++ ? 1 : ROW_UNKNOWN);
		queued += row->queued_ns == (int64_t)row->present_ns - (int64_t)(3 * MS);
		assert_true(row->queued_ns == ROW_UNKNOWN ||
			    row->queued_ns == (int64_t)row->present_ns - (int64_t)(3 * MS));
	}
	assert_int_equal(seen, n);
	assert_true(queued + 1 >= n);
}

/* --- SurfaceFlinger restarts --- */

/* It restarts within a second or after 10 s, and the trace may end soon after that. The kernel
 * keeps names of few threads, and that of the new one may not be among them. */
TEST_ON(every_header, test_restart_loses_no_frame)
{
	static const struct {
		unsigned int vsync, frames;
		bool is_unnamed;
	} cases[] = {
		{ 206, 222, false }, { 800, 222, false }, { 206, 222, true }, { 206, 20, false }
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		start_headed(phone.age);
		draw("a0-199");
		become(2406);
		if (cases[i].is_unnamed && phone.sf_comm[0])
			phone.sf_comm = "<...>";
		phone_run(&phone, b, BEGIN + cases[i].vsync * V60, V60, cases[i].frames);
		phone_end(&phone);
		assert_steady(a, 200);
		assert_int_equal(phone.log.n_frames, 200 + cases[i].frames);
		assert_int_equal(counters()->foreign_presents, 0);
		if (cases[i].frames < 60)
			continue;
		assert_steady(b, cases[i].frames);
		expect("presents 422 ticks 422 surfaceflinger_restarts 1 sf_tid 2406 "
		       "event.surfaceflinger 2");
	}
}

/* Near the end of a trace one whole frame of another process, if not all of its events, shows it:
 * if that process has the name or ticks, and SurfaceFlinger has written nothing for 250 ms. */
TEST_ON(every_header, test_restart_just_before_the_end)
{
	const uint64_t at_ns = BEGIN + 99 * V60 + 250 * MS;

	for (unsigned int i = 0; i < 6; i++) {
		start_headed(phone.age);
		draw("a0-99");
		if (i == 0 || i == 2)
			phone_tick(&phone, at_ns - 250 * MS + i);
		become(2406);
		if (i <= 2)
			phone_tick(&phone, at_ns - 2 * MS);
		if (i != 4)
			phone_commit(&phone, at_ns - MS, b);
		phone.sf_tgid = i ? phone.sf_tgid : TRACE_ID_UNKNOWN;
		if (i != 5)
			phone_compose(&phone, at_ns - (i == 1), 1);
		phone_end(&phone);
		assert_int_equal(counters()->surfaceflinger_restarts,
				 i == 0 || (i == 3 && header <= 1));
	}
}

/* A loss during the restart is not a jank, and only the lost frames are missing. */
TEST_ON(every_header, test_loss_during_a_restart_is_no_jank)
{
	draw("a0-199");
	become(2406);
	play("b206-225 lost 1 50 b236-335");
	assert_string_equal(vsyncs_of(b), "? 1x19 ? 1x99");
	assert_int_equal(counters()->foreign_presents, 0);
}

/* The old one was identified by the kernel and has ended; /proc does not show the next one. */
TEST_ON(phone_14, test_next_surfaceflinger_hidden_in_proc_is_accepted)
{
	header = 4;
	phone.sf_writer = TRACE_WRITER_SURFACEFLINGER;
	draw("a0-99");
	phone.sf_writer = TRACE_WRITER_UNKNOWN;
	phone.sf_comm = "";
	become(2406);
	play("b110-290");
	assert_steady(a, 100);
	assert_steady(b, 181);
}

/* --- SurfaceFlinger does not restart --- */

/* Another process writes all markers of a frame; @layer NULL: only those of its composition. */
static void forge(uint64_t present_ns, const char *comm, const char *layer)
{
	struct phone real = phone;

	become(900);
	phone.sf_comm = comm;
	if (layer)
		phone_frame(&phone, present_ns, layer);
	else
		phone_compose(&phone, present_ns, 1);
	real.log = phone.log;
	phone = real;
}

/* They do not count while there is a process with SurfaceFlinger's name. */
TEST_ON(phone_9, test_presents_of_an_unknown_name_do_not_count)
{
	header = 0;
	draw("a0-99");
	for (unsigned int i = 0; i < 900; i++)
		forge(BEGIN + (110 + i) * V60, "<...>", NULL);
	play("a1100-1199");
	expect("a 200 surfaceflinger_restarts 0");
}

/* It draws every few vsyncs, and a forger always. */
TEST_ON(every_header, test_running_surfaceflinger_is_not_replaced)
{
	static const unsigned int steps[] = { 1, 2, 5, 20, 30 };

	for (size_t n = 0; n < COUNT_OF(steps); n++) {
		unsigned int step = steps[n];

		start_headed(phone.age);
		for (unsigned int i = 0; i < 600; i++) {
			if (i % step == 0)
				phone_frame(&phone, BEGIN + i * V60, a);
			forge(BEGIN + i * V60 + 5 * MS, phone.sf_comm, forged);
		}
		play("a600-600");
		assert_int_equal(frames_of(a), 600 / step + 1);
		assert_int_equal(phone.log.n_frames, 600 / step + 1);
		expect("foreign_presents 600 surfaceflinger_restarts 0 sf_tid 406");
		/* Sparse ticks alone would not give the rate. */
		for (size_t i = 1; step <= 2 && i < phone.log.n_frames; i++)
			assert_int_equal(phone.log.frames[i].vsyncs, step);
	}
}

TEST_ON(every_header, test_process_of_another_name_is_not_accepted)
{
	draw("a0-99");
	for (unsigned int i = 0; i < 600; i++)
		forge(BEGIN + 110 * V60 + i * V60, "com.evil", forged);
	play("a800-899");
	assert_int_equal(frames_of(forged), 0);
	expect("a 200 foreign_presents 600 surfaceflinger_restarts 0");
}

/* A SurfaceFlinger that was only idle draws again: its first frame and all later ones count. */
TEST_ON(every_header, test_frames_after_idle_time_count_from_the_first)
{
	draw("a0-99");
	for (unsigned int i = 0; i < 200; i++)
		forge(BEGIN + 110 * V60 + i * V60, phone.sf_comm, forged);
	for (unsigned int i = 0; i < 100; i++) {
		phone_frame(&phone, BEGIN + (320 + i) * V60, a);
		forge(BEGIN + (320 + i) * V60 + 5 * MS, phone.sf_comm, forged);
	}
	play("a420-420");
	expect("a 201 foreign_presents 100");
	assert_int_equal(frames_of(forged), 200);
}

/* The candidate is dropped when SurfaceFlinger writes anything, and when the memory for held events
 * is full. */
TEST_ON(every_header, test_flood_of_forged_frames_replaces_nothing)
{
	draw("a0-99");
	phone.now_ns = BEGIN + 100 * V60 - 3 * MS;
	forge(phone.now_ns, phone.sf_comm, forged);
	phone_write(&phone, TRACE_SLICE_BEGIN, 501, "x", 0);
	assert_int_equal(counters()->foreign_presents, headers[header].tgid);
	for (unsigned int i = 1; i < 5000; i++)
		forge(phone.now_ns, phone.sf_comm, forged);
	play("a100-199");
	assert_int_equal(frames_of(forged), 0);
	expect("a 200 foreign_presents 5000");
}
