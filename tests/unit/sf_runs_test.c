/* SPDX-License-Identifier: Apache-2.0 */
/* What a hole of a CPU can have hidden of SurfaceFlinger's thread. */
#include "tests/unit/unit.h"

#include "rules/threads/sf_runs.h"

#define TID 7
#define PERIOD (16 * MS)
#define BEGIN (1000 * MS)

static struct sf_runs runs;
static unsigned int n_hidden;
static struct sf_hidden last;

static void on_hidden(void *context, const struct sf_hidden *hidden)
{
	n_hidden++;
	last = *hidden;
}

static int set_up(void **state)
{
	runs = (struct sf_runs){ .hidden = on_hidden };
	sf_runs_clear(&runs);
	n_hidden = 0;
	return 0;
}

FIXTURE(set_up, NULL)

static void event(uint64_t time_ns, int32_t cpu, bool at_rest)
{
	const struct sf_run run = {
		.from_ns = time_ns, .to_ns = time_ns, .cpu = cpu, .at_rest = at_rest
	};

	if (sf_runs_add(&runs, TID, cpu, time_ns))
		sf_runs_begin(&runs, TID, &run);
}

/* Ticks from which their least distance is known. */
#define BEFORE 10

/* The tick of vsync @n, and its composition on CPU 0, of 2 ms. */
static void compose(unsigned int n, int64_t value)
{
	uint64_t time_ns = BEGIN + n * PERIOD;

	sf_runs_tick(&runs, time_ns, value);
	event(time_ns + MS, 0, true);
	event(time_ns + 3 * MS, 0, false);
}

/* The first vsyncs, up to number 1. */
static void begin(void)
{
	event(BEGIN - (BEFORE + 1) * PERIOD, 0, true);
	for (unsigned int n = 0; n < BEFORE; n++)
		sf_runs_tick(&runs, BEGIN - (BEFORE - n) * PERIOD, n % 2);
	compose(0, 0);
	compose(1, 1);
}

static void lose(int32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	sf_runs_lost(&runs, TID, cpu, from_ns, to_ns);
	sf_runs_hole_ends(&runs, to_ns);
}

static void expect_last(uint64_t from_ns, uint64_t length_ns, bool there, bool foretold)
{
	assert_fields(&last, from_ns == from_ns, length_ns == length_ns);
	assert_fields(&last, there == there, foretold == foretold);
}

static void expect_hidden(unsigned int n)
{
	assert_int_equal(n_hidden, n);
	set_up(NULL);
	begin();
}

TEST(ticks_prove_that_no_composition_is_hidden)
{
	begin();
	lose(2, BEGIN + PERIOD + 4 * MS, BEGIN + 2 * PERIOD - 1);
	compose(2, 0);
	expect_hidden(0);
	/* One was hidden: its tick, too. */
	lose(2, BEGIN + 2 * PERIOD, BEGIN + 2 * PERIOD + 3 * MS);
	compose(3, 1);
	assert_true(last.at_rest);
	expect_hidden(1);
	/* Its tick was written on another CPU. */
	sf_runs_tick(&runs, BEGIN + 2 * PERIOD, 0);
	lose(2, BEGIN + 2 * PERIOD + MS / 2, BEGIN + 2 * PERIOD + 3 * MS);
	compose(3, 1);
	expect_hidden(1);
	/* A hole of 3/4 of the time between ticks may hide two; one without an end may be long. */
	lose(2, BEGIN + PERIOD + 4 * MS, BEGIN + 2 * PERIOD);
	compose(2, 0);
	expect_hidden(1);
	sf_runs_lost(&runs, TID, 2, BEGIN + PERIOD + 8 * MS, BEGIN + PERIOD + 8 * MS);
	compose(2, 0);
	expect_hidden(1);
	/* The events that follow show that the thread was at work already. */
	lose(2, BEGIN + PERIOD + 8 * MS, BEGIN + PERIOD + 10 * MS);
	compose(2, 0);
	sf_runs_not_at_rest(&runs);
	expect_last(BEGIN + PERIOD + 3 * MS, 0, false, false);
	assert_false(last.at_rest);
	expect_hidden(1);
	/* But no hole. */
	sf_runs_not_at_rest(&runs);
	expect_hidden(0);
}

TEST(the_present_of_a_latch_may_be_hidden)
{
	struct sf_run run = { .from_ns = BEGIN + 2 * PERIOD + MS,
			      .at_rest = true,
			      .has_latches = true };

	begin();
	lose(2, BEGIN + PERIOD + 8 * MS, BEGIN + PERIOD + 10 * MS);
	sf_runs_tick(&runs, BEGIN + 2 * PERIOD, 0);
	sf_runs_begin(&runs, TID, &run);
	assert_int_equal(n_hidden, 1);
}

TEST(few_ticks_prove_nothing)
{
	compose(0, 0);
	compose(1, 1);
	lose(2, BEGIN + PERIOD + 8 * MS, BEGIN + PERIOD + 10 * MS);
	compose(2, 0);
	assert_int_equal(n_hidden, 1);
}

/* CPU 2 has no events from @from_ns on, for @hole_ns; the thread none for @gap_ns. */
static unsigned int hidden_in(int32_t cpu_after, uint64_t gap_ns, uint64_t from_ns,
			      uint64_t hole_ns)
{
	set_up(NULL);
	event(BEGIN, 0, true);
	lose(2, BEGIN + from_ns, BEGIN + from_ns + hole_ns);
	event(BEGIN + gap_ns, cpu_after, false);
	return n_hidden;
}

/* The thread needs time to move to a CPU and back, and to write something there. */
TEST(a_gap_counts_if_it_is_long_enough)
{
	assert_int_equal(hidden_in(0, 4 * MS - 1, 0, 3 * MS), 0);
	assert_int_equal(hidden_in(0, 4 * MS, 0, 3 * MS), 1);
	assert_int_equal(hidden_in(1, MS - 1, 0, 3 * MS), 0);
	assert_int_equal(hidden_in(1, MS, 0, 3 * MS), 1);
	assert_int_equal(hidden_in(2, MS / 2, 0, MS / 5), 1);
	assert_int_equal(hidden_in(0, 12 * MS, 5 * MS, SF_RUNS_GAP_NS - 1), 0);
	assert_int_equal(hidden_in(1, 12 * MS, 5 * MS, SF_RUNS_GAP_NS), 1);
	expect_last(BEGIN, 12 * MS, false, true);
}

/* Of a hole that is reported late, too. */
TEST(a_past_gap_counts_as_far_as_it_is_covered)
{
	event(BEGIN, 0, true);
	event(BEGIN + 12 * MS, 0, false);
	event(BEGIN + 24 * MS, 0, false);
	lose(2, BEGIN + 12 * MS - MS / 5, BEGIN + 12 * MS + MS / 5);
	assert_int_equal(n_hidden, 0);
	lose(2, BEGIN + 12 * MS - MS / 5, BEGIN + 20 * MS);
	assert_int_equal(n_hidden, 1);
	assert_int_equal(last.from_ns, BEGIN + 12 * MS);
}

TEST(a_hole_may_begin_before_the_runs_or_be_of_another_thread)
{
	assert_false(sf_runs_lost(&runs, TID, 2, BEGIN, BEGIN + MS));
	expect_last(BEGIN, UINT64_MAX, true, false);
	event(BEGIN + 2 * MS, 0, true);
	/* It ran on that CPU: what is hidden is foretold. */
	assert_true(sf_runs_lost(&runs, TID, 0, BEGIN, BEGIN + 3 * MS));
	expect_last(BEGIN, 2 * MS, true, false);
	event(BEGIN + 2 * MS + MS / 2, 1, false);
	assert_int_equal(n_hidden, 3);
	expect_last(BEGIN + 2 * MS, MS / 2, true, true);
	assert_false(sf_runs_lost(&runs, TID, 2, BEGIN + 3 * MS, BEGIN + 6 * MS));
	event(BEGIN + 8 * MS, 1, false);
	/* Enough time to move there and back. */
	assert_true(sf_runs_lost(&runs, TID, 2, BEGIN + 9 * MS, BEGIN + 12 * MS));
	assert_false(sf_runs_lost(&runs, TID + 1, 2, BEGIN + 12 * MS, BEGIN + 13 * MS));
	expect_last(BEGIN + 12 * MS, UINT64_MAX, true, false);
}

/* Any app can write lines that report losses of a CPU that writes nothing. */
TEST(test_gaps_are_reported_once)
{
	begin();
	for (unsigned int n = 0; n < 200; n++)
		compose(n, n % 2);
	for (unsigned int i = 0; i < 100; i++)
		sf_runs_lost(&runs, TID, 9, 0, BEGIN + 200 * PERIOD);
	assert_in_range(n_hidden, 200, 200 + 3 * 100);
}
