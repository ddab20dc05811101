/* SPDX-License-Identifier: Apache-2.0 */
/* Polls of a layer's ring are joined: each frame once, in order, and what was lost is known. */
#include "tests/unit/unit.h"

#include "rules/beside/present_fence.h"

#define PERIOD_NS 16666667

/* A layer as SurfaceFlinger has it: the last 127 of its frames, zeros before the first. */
struct tracker {
	struct latency_row rows[LATENCY_ROWS];
	int64_t now_ns;
	uint64_t frames;
};

static void draw(struct tracker *it, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		memmove(it->rows, it->rows + 1, (LATENCY_ROWS - 1) * sizeof(it->rows[0]));
		it->now_ns += PERIOD_NS;
		it->rows[LATENCY_ROWS - 1] = (struct latency_row){ it->now_ns - 5000000, it->now_ns,
								   it->now_ns - 9000000 };
		it->frames++;
	}
}

/* What a reader has so far. */
struct reader {
	struct latency_ring ring;
	int64_t last_ns;
	uint64_t frames;
	unsigned int gaps[3];
};

static struct tracker tracker;
static struct reader reader;

static int set_up(void **state)
{
	tracker = (struct tracker){ .now_ns = 1000000000 };
	reader = (struct reader){ .frames = 0 };
	return 0;
}

FIXTURE(set_up, NULL)

static void poll_ring(const struct latency_row *rows)
{
	struct latency_row frames[LATENCY_ROWS];
	enum latency_gap gap;
	unsigned int n = latency_ring_join(&reader.ring, rows, LATENCY_ROWS, frames, &gap);

	for (unsigned int i = 0; i < n; i++) {
		assert_true(frames[i].actual_ns > reader.last_ns);
		assert_true(frames[i].actual_ns != LATENCY_PENDING);
		reader.last_ns = frames[i].actual_ns;
	}
	reader.frames += n;
	if (n > 0)
		reader.gaps[gap]++;
}

static void draw_and_poll(unsigned int n)
{
	draw(&tracker, n);
	poll_ring(tracker.rows);
}

TEST(test_wraps)
{
	/* Those before the first poll are not wanted. */
	draw(&tracker, 50);
	reader.ring.last_ns = tracker.now_ns;
	reader.frames = 50;
	poll_ring(tracker.rows);
	for (unsigned int n = 0; n < 127; n++) {
		draw_and_poll(n);
		poll_ring(tracker.rows);
		assert_int_equal(reader.frames, tracker.frames);
	}
	assert_int_equal(reader.gaps[LATENCY_GAP_OVERRUN], 0);
	assert_int_equal(reader.gaps[LATENCY_GAP_RESTART], 0);
	assert_int_equal(reader.gaps[LATENCY_GAP_NONE], 126);
}

/* 126 new frames leave the last one in the ring, 127 do not: one more could be missing. */
TEST(test_overrun)
{
	draw_and_poll(10);
	draw_and_poll(126);
	assert_int_equal(reader.ring.overruns, 0);
	draw_and_poll(300);
	assert_int_equal(reader.frames, 10 + 126 + 127);
	assert_int_equal(reader.ring.overruns, 1);
	assert_int_equal(reader.gaps[LATENCY_GAP_OVERRUN], 1);
	draw_and_poll(1);
	assert_int_equal(reader.ring.overruns, 1);
}

/* Without the last frame it is overrun only if it is full, and its first frame is a new one. */
TEST(test_overrun_or_restart)
{
	static const struct {
		unsigned int at;
		struct latency_row row;
		unsigned int overruns;
	} cases[] = {
		{ 0, { 0, 0, 0 }, 0 }, { 126, { 0, 0, 0 }, 0 }, { 0, { 5, LATENCY_PENDING, 5 }, 0 },
		{ 0, { 5, 1, 5 }, 0 }, { 9, { 1, 0, 0 }, 1 },	{ 9, { 0, 1, 0 }, 1 },
		{ 9, { 0, 0, 1 }, 1 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		set_up(NULL);
		draw_and_poll(10);
		draw(&tracker, 300);
		tracker.rows[cases[i].at] = cases[i].row;
		poll_ring(tracker.rows);
		assert_fields(&reader.ring, overruns == cases[i].overruns,
			      restarts == 1 - cases[i].overruns);
	}
}

/* The newest frames have no present time yet, and get it in a later poll. */
TEST(test_pending)
{
	for (unsigned int i = 0; i < 500; i++) {
		struct latency_row rows[LATENCY_ROWS];

		draw(&tracker, 2 + i % 5);
		memcpy(rows, tracker.rows, sizeof(rows));
		for (unsigned int j = 0; j < i % 3; j++)
			rows[LATENCY_ROWS - 1 - j].actual_ns = LATENCY_PENDING;
		rows[LATENCY_ROWS - 1].ready_ns = LATENCY_PENDING;
		poll_ring(rows);
	}
	poll_ring(tracker.rows);
	assert_int_equal(reader.frames, tracker.frames);
	assert_int_equal(reader.ring.overruns + reader.ring.restarts, 0);
}

/* A layer goes, and one with its name comes; a ring is cleared. */
TEST(test_restart)
{
	draw_and_poll(200);
	memset(tracker.rows, 0, sizeof(tracker.rows));
	poll_ring(tracker.rows);
	poll_ring(tracker.rows);
	draw_and_poll(3);
	draw_and_poll(3);
	assert_int_equal(reader.frames, 127 + 6);
	assert_int_equal(reader.gaps[LATENCY_GAP_RESTART], 1);
	assert_int_equal(reader.ring.restarts, 1);
}

/* Of two layers with one name, one is read: that with most new frames. */
TEST(test_one_name)
{
	struct tracker slow = tracker;

	for (unsigned int poll = 0; poll < 50; poll++) {
		unsigned int n;

		draw(&tracker, 60);
		draw(&slow, 20);
		slow.now_ns = tracker.now_ns;
		slow.rows[LATENCY_ROWS - 1].actual_ns = tracker.now_ns;
		n = latency_ring_news(&reader.ring, tracker.rows, LATENCY_ROWS);
		assert_int_equal(n, 60);
		assert_true(latency_ring_news(&reader.ring, slow.rows, LATENCY_ROWS) < n);
		poll_ring(tracker.rows);
		assert_int_equal(latency_ring_news(&reader.ring, slow.rows, LATENCY_ROWS), 0);
	}
	assert_int_equal(reader.frames, tracker.frames);
}

TEST(test_hostile)
{
	struct latency_row rows[LATENCY_ROWS] = {
		{ 5, 0, 3 },
		{ 5, 100, 3 },
		{ 5, 90, 3 },
		{ 5, 100, 3 },
		{ 5, INT64_MAX, INT64_MAX },
		{ 5, INT64_MAX - 1, 3 },
	};

	poll_ring(rows);
	assert_int_equal(reader.frames, 2);
}
