/* SPDX-License-Identifier: Apache-2.0 */
/* Polls of a layer's ring are joined: each frame once, in order, and what was lost is known. */
#include "tests/unit/unit.h"

#include "rules/latency_ring.h"

#define PERIOD_NS 16666667

/* A layer as SurfaceFlinger has it: the last 127 of its frames, zeros before the first. */
struct tracker {
	struct latency_row rows[LATENCY_ROWS];
	int64_t now_ns;
	uint64_t frames;
};

static void draw(struct tracker *tracker, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		memmove(tracker->rows, tracker->rows + 1,
			(LATENCY_ROWS - 1) * sizeof(tracker->rows[0]));
		tracker->now_ns += PERIOD_NS;
		tracker->rows[LATENCY_ROWS - 1] =
			(struct latency_row){ tracker->now_ns - 5000000, tracker->now_ns,
					      tracker->now_ns - 9000000 };
		tracker->frames++;
	}
}

/* What a reader has so far. */
struct reader {
	struct latency_ring ring;
	int64_t last_ns;
	uint64_t frames;
	unsigned int gaps[3];
};

static void poll_ring(struct reader *reader, const struct latency_row *rows)
{
	struct latency_row frames[LATENCY_ROWS];
	enum latency_gap gap;
	unsigned int n = latency_ring_join(&reader->ring, rows, LATENCY_ROWS, frames, &gap);

	for (unsigned int i = 0; i < n; i++) {
		assert_true(frames[i].actual_ns > reader->last_ns);
		assert_true(frames[i].actual_ns != LATENCY_PENDING);
		reader->last_ns = frames[i].actual_ns;
	}
	reader->frames += n;
	if (n > 0)
		reader->gaps[gap]++;
}

TEST(test_wraps)
{
	struct tracker tracker = { .now_ns = 1000000000 };
	struct reader reader = { 0 };

	poll_ring(&reader, tracker.rows);
	for (unsigned int n = 0; n < 127; n++) {
		draw(&tracker, n);
		poll_ring(&reader, tracker.rows);
		poll_ring(&reader, tracker.rows);
		assert_int_equal(reader.frames, tracker.frames);
	}
	assert_int_equal(reader.gaps[LATENCY_GAP_OVERRUN], 0);
	assert_int_equal(reader.gaps[LATENCY_GAP_RESTART], 0);
}

/* 126 new frames leave the last one in the ring, 127 do not: one more could be missing. */
TEST(test_overrun)
{
	struct tracker tracker = { .now_ns = 1000000000 };
	struct reader reader = { 0 };

	draw(&tracker, 10);
	poll_ring(&reader, tracker.rows);
	draw(&tracker, 126);
	poll_ring(&reader, tracker.rows);
	assert_int_equal(reader.ring.overruns, 0);
	draw(&tracker, 300);
	poll_ring(&reader, tracker.rows);
	assert_int_equal(reader.frames, 10 + 126 + 127);
	assert_int_equal(reader.ring.overruns, 1);
	assert_int_equal(reader.gaps[LATENCY_GAP_OVERRUN], 1);
	draw(&tracker, 1);
	poll_ring(&reader, tracker.rows);
	assert_int_equal(reader.ring.overruns, 1);
}

/* The newest frames have no present time yet, and get it in a later poll. */
TEST(test_pending)
{
	struct tracker tracker = { .now_ns = 1000000000 };
	struct reader reader = { 0 };

	for (unsigned int i = 0; i < 500; i++) {
		struct latency_row rows[LATENCY_ROWS];

		draw(&tracker, 2 + i % 5);
		memcpy(rows, tracker.rows, sizeof(rows));
		for (unsigned int j = 0; j < i % 3; j++)
			rows[LATENCY_ROWS - 1 - j].actual_ns = LATENCY_PENDING;
		rows[LATENCY_ROWS - 1].ready_ns = LATENCY_PENDING;
		poll_ring(&reader, rows);
	}
	poll_ring(&reader, tracker.rows);
	assert_int_equal(reader.frames, tracker.frames);
	assert_int_equal(reader.ring.overruns + reader.ring.restarts, 0);
}

/* All frames of a first poll that are wanted, and none from before. */
TEST(test_begin)
{
	struct tracker tracker = { .now_ns = 1000000000 };
	struct reader reader = { 0 };

	draw(&tracker, 50);
	reader.ring.last_ns = tracker.now_ns;
	draw(&tracker, 5);
	poll_ring(&reader, tracker.rows);
	assert_int_equal(reader.frames, 5);
	assert_int_equal(reader.gaps[LATENCY_GAP_NONE], 1);
}

/* A layer goes, and one with its name comes; a ring is cleared. */
TEST(test_restart)
{
	struct tracker tracker = { .now_ns = 1000000000 };
	struct reader reader = { 0 };

	draw(&tracker, 200);
	poll_ring(&reader, tracker.rows);
	memset(tracker.rows, 0, sizeof(tracker.rows));
	poll_ring(&reader, tracker.rows);
	poll_ring(&reader, tracker.rows);
	draw(&tracker, 3);
	poll_ring(&reader, tracker.rows);
	draw(&tracker, 3);
	poll_ring(&reader, tracker.rows);
	assert_int_equal(reader.frames, 127 + 6);
	assert_int_equal(reader.gaps[LATENCY_GAP_RESTART], 1);
	assert_int_equal(reader.ring.restarts, 1);
}

/* Of two layers with one name, one is read: that with most new frames. */
TEST(test_one_name)
{
	struct tracker fast = { .now_ns = 1000000000 }, slow = fast;
	struct reader reader = { 0 };

	for (unsigned int poll = 0; poll < 50; poll++) {
		unsigned int n;

		draw(&fast, 60);
		draw(&slow, 20);
		slow.now_ns = fast.now_ns;
		slow.rows[LATENCY_ROWS - 1].actual_ns = fast.now_ns;
		n = latency_ring_news(&reader.ring, fast.rows, LATENCY_ROWS);
		assert_int_equal(n, 60);
		assert_true(latency_ring_news(&reader.ring, slow.rows, LATENCY_ROWS) < n);
		poll_ring(&reader, fast.rows);
		assert_int_equal(latency_ring_news(&reader.ring, slow.rows, LATENCY_ROWS), 0);
	}
	assert_int_equal(reader.frames, fast.frames);
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
	struct reader reader = { 0 };

	poll_ring(&reader, rows);
	assert_int_equal(reader.frames, 2);
}
