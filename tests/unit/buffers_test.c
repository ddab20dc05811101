/* SPDX-License-Identifier: Apache-2.0 */
/* The queue time of a latched buffer: its own time, or none. */
#include "tests/unit/one_phone.h"

#define FRAMES 600

/* SurfaceFlinger's side of the layer's queue. */
static struct {
	uint64_t queued_ns[FRAMES * 2];
	unsigned int n, first; /* queued so far, and removed so far */
	bool instant_first;    /* the instant is written before the counter */
} queue;

static void start_queue(enum phone_age age, bool instant_first)
{
	memset(&queue, 0, sizeof(queue));
	queue.instant_first = instant_first;
	start(age);
}

FIXTURE(default_options, stop_phone)

/* Runs @test on a phone of each generation, and on one whose instants come first. */
static void every_queue(void (*test)(void))
{
	static const enum phone_age ages[] = { PHONE_9, PHONE_13, PHONE_14, PHONE_14 };

	for (size_t i = 0; i < COUNT_OF(ages); i++) {
		start_queue(ages[i], i == 3);
		test();
	}
}

static unsigned int waiting(void)
{
	return queue.n - queue.first;
}

static void put(uint64_t time_ns)
{
	queue.queued_ns[queue.n++] = time_ns;
}

static void queue_buffer(uint64_t time_ns)
{
	put(time_ns);
	phone_queue(&phone, time_ns, a, waiting());
}

static void fall(const char *slice)
{
	queue.first++;
	if (slice)
		phone_begin(&phone, slice);
	phone_write(&phone, TRACE_COUNTER, 0, "BufferTX - com.a/com.a.Main#0", waiting());
	if (slice)
		phone_end_slices(&phone, 1);
}

static void say_latch(void)
{
	phone_write(&phone, TRACE_INSTANT, 0, formatted("latchBuffer %s - %u", a, queue.first), 0);
}

/* Latches the oldest buffer. Its number is the count of the buffers before it. */
static void latch(void)
{
	if (phone.age == PHONE_9) {
		queue.first++;
		phone_begin(&phone, "acquireBuffer");
		phone_write(&phone, TRACE_COUNTER, 0, a, waiting());
		phone_end_slices(&phone, 1);
		return;
	}
	if (phone.age == PHONE_14 && queue.instant_first)
		say_latch();
	fall(phone.age == PHONE_13 ? "latchBuffer" : NULL);
	if (phone.age == PHONE_14 && !queue.instant_first) {
		queue.first--;
		say_latch();
		queue.first++;
	}
}

static void commit(uint64_t time_ns)
{
	phone.now_ns = time_ns;
	phone_begin(&phone, phone.age == PHONE_9 ? "handleMessageInvalidate" : "commit 1234");
	latch();
	phone_end_slices(&phone, 1);
}

static uint64_t queued_at(size_t frame)
{
	return phone.log.frames[frame].queued_ns == ROW_UNKNOWN
		       ? 0
		       : (uint64_t)phone.log.frames[frame].queued_ns;
}

/* A buffer is queued; the oldest one is latched and presented in vsync @i. */
static void frame(unsigned int i)
{
	queue_buffer(BEGIN + i * V60 - 5 * MS);
	commit(BEGIN + i * V60 - MS);
	phone_compose(&phone, BEGIN + i * V60, 1);
}

/* Buffers that were queued before the capture, or before a loss, have none. */
TEST_ON(every_queue, test_a_buffer_has_its_own_queue_time)
{
	put(BEGIN - SECOND);
	for (unsigned int i = 0; i < FRAMES; i++) {
		frame(i);
		if (i == 100)
			phone_lost(&phone, 1, 5);
	}
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, FRAMES);
	for (unsigned int i = 0; i < FRAMES; i++)
		assert_int_equal(queued_at(i), i == 0 || i == 101 ? 0 : queue.queued_ns[i]);
}

/* From Android 12 on the counter is written after the change that it counts, so the writes of two
 * threads can be swapped. */
TEST(test_swapped_counter_writes_give_no_wrong_queue_time)
{
	unsigned int known = 0;

	start_queue(PHONE_13, false);
	for (unsigned int i = 0; i < FRAMES; i++) {
		uint64_t present_ns = BEGIN + i * V60;
		bool swapped = i % 20 == 10 || i % 20 == 13;

		if (!swapped)
			queue_buffer(present_ns - 5 * MS);
		else
			put(present_ns - 5 * MS);
		commit(present_ns - MS);
		if (swapped)
			phone_queue(&phone, present_ns - MS, a, waiting() + 1);
		phone_compose(&phone, present_ns, 1);
	}
	phone_end(&phone);
	assert_int_equal(phone.log.n_frames, FRAMES);
	for (unsigned int i = 0; i < FRAMES; i++) {
		assert_true(queued_at(i) == 0 || queued_at(i) == queue.queued_ns[i]);
		known += queued_at(i) > 0;
	}
	assert_true(known > FRAMES / 2);
}

static unsigned int any(unsigned int n)
{
	static unsigned int seed = 1;

	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* Producers that are early, replace and drop buffers, skipped compositions, losses: no frame gets
 * the time of another buffer, and most get their own. */
static void play_random_queues(void)
{
	struct {
		uint64_t queued_ns, latched_ns;
		int64_t number;
	} truth[FRAMES], latched = { 0 }; /* by the present's number */
	unsigned int known = 0;

	for (unsigned int i = 0; i < any(4); i++)
		put(BEGIN - SECOND);
	for (unsigned int i = 0; i < FRAMES; i++) {
		uint64_t now_ns = BEGIN + i * V60 - 14 * MS;

		for (unsigned int more = any(3); more > 0 && waiting() < 5; more--)
			queue_buffer(now_ns += MS);
		/* A producer that does not wait replaces the newest buffer. */
		if (any(9) == 0 && waiting() > 0 && phone.age == PHONE_9) {
			queue.queued_ns[queue.n - 1] = now_ns += MS;
			phone_queue(&phone, now_ns, a, waiting());
		}
		if (any(50) == 0)
			phone_lost(&phone, 1, 1);
		phone.now_ns = BEGIN + i * V60 - 2 * MS;
		if (any(9) == 0 && waiting() > 1 && phone.age != PHONE_9)
			fall("setBuffer");
		if (waiting() > 0 && any(4)) {
			commit(BEGIN + i * V60 - MS);
			latched.queued_ns = queue.queued_ns[queue.first - 1];
			latched.latched_ns = phone.now_ns;
			latched.number = queue.first - 1;
		}
		truth[i] = latched;
		if (any(6) > 0)
			phone_compose(&phone, BEGIN + i * V60, 1);
	}
	phone_end(&phone);
	for (unsigned int i = 0; i < phone.log.n_frames; i++) {
		const struct frame_row *row = &phone.log.frames[i];
		uint64_t present = (row->present_ns - BEGIN) / V60;

		assert_true(queued_at(i) == 0 || queued_at(i) == truth[present].queued_ns);
		assert_int_equal(row->latched_ns, truth[present].latched_ns);
		assert_int_equal(row->frame_number,
				 phone.age == PHONE_14 ? truth[present].number : ROW_UNKNOWN);
		known += queued_at(i) > 0;
	}
	assert_true(phone.log.n_frames > FRAMES / 3);
	assert_true(known > phone.log.n_frames * 4 / 5);
}

TEST(test_random_queues_give_no_wrong_queue_time)
{
	for (int i = 0; i < 20; i++)
		every_queue(play_random_queues);
}
