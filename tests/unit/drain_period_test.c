/* SPDX-License-Identifier: Apache-2.0 */
/* The time between two drains is a quarter of the time in which the fullest buffer runs over. */
#include "tests/unit/unit.h"

#include "daemon/base/periods.h"
#include "daemon/capture/drain_period.h"

#define MOST_NS (1900 * MS)

static uint64_t cpu_bytes[2];
static struct drain_period period;
static struct interference_size size;
static uint64_t now_ns;

static uint64_t bytes_of(const struct source *source, unsigned int cpu)
{
	(void)source;
	return cpu < 2 ? cpu_bytes[cpu] : 0;
}

static const struct source_ops ops = { .cpu_bytes = bytes_of };
static const struct source raw = { .ops = &ops };

static const struct source_ops text_ops = { .cpu_bytes = NULL };
static struct source text = { .ops = &text_ops };

static int set_up(void **state)
{
	cpu_bytes[0] = cpu_bytes[1] = 0;
	now_ns = 1000 * MS;
	period = (struct drain_period){ .since_ns = 0 };
	size = (struct interference_size){ .cpus = 2, .kb = { 1024, 1024 } };
	drain_period_begin(&period, now_ns);
	return 0;
}

FIXTURE(set_up, NULL)

static uint64_t period_ms(void)
{
	return drain_period_ns(&period, &size, MOST_NS) / MS;
}

/* Both CPUs write for @ms, then the buffers are read. */
static void write_for(uint64_t ms, uint64_t bytes0, uint64_t bytes1)
{
	now_ns += ms * MS;
	cpu_bytes[0] += bytes0;
	cpu_bytes[1] += bytes1;
	drain_period_measure(&period, &raw, now_ns);
}

/* 26,214 bytes in 100 ms fill 1 MB in 4 s. */
TEST(silence_does_not_hide_a_rate)
{
	for (int i = 0; i < 4; i++)
		write_for(500, 0, 0);
	now_ns += 60000 * MS;
	drain_period_resume(&period, now_ns);
	write_for(100, 26214, 0);
	assert_int_equal(period_ms(), 1000);
}

TEST(first_periods_are_short)
{
	assert_int_equal(period_ms(), 250);
	write_for(250, 0, 0);
	assert_int_equal(period_ms(), 500);
	write_for(500, 0, 0);
	assert_int_equal(period_ms(), 1000);
	write_for(1000, 0, 0);
	assert_int_equal(period_ms(), 1900);
	write_for(1900, 0, 0);
	assert_int_equal(period_ms(), 1900);
}

TEST(fullest_buffer_counts)
{
	for (int i = 0; i < 4; i++)
		write_for(1000, 1000, 512 * 1024); /* full after 2 s */
	assert_in_range(period_ms(), 495, 500);
	size.kb[0] = 1; /* full after a second, another program made it smaller */
	assert_in_range(period_ms(), 250, 257);
	size.kb[0] = 0; /* unknown */
	assert_in_range(period_ms(), 495, 500);
}

TEST(growing_rate_counts_at_once_and_a_falling_one_later)
{
	for (int i = 0; i < 4; i++)
		write_for(1000, 0, 0);
	assert_int_equal(period_ms(), 1900);
	write_for(1000, 1024 * 1024, 0);
	assert_in_range(period_ms(), 245, 250);
	write_for(250, 0, 0);
	assert_in_range(period_ms(), 495, 500);
	write_for(500, 0, 0);
	assert_in_range(period_ms(), 995, 1001);
}

/* A burst of events between two drains that are close together is no flood. */
TEST(short_times_are_not_measured)
{
	for (int i = 0; i < 4; i++)
		write_for(1000, 0, 0);
	write_for(1, 4096, 0);
	assert_int_equal(period_ms(), 1900);
	write_for(999, 0, 0);
	assert_int_equal(period_ms(), 1900);
}

TEST(flood_has_a_shortest_period)
{
	write_for(1000, UINT64_C(1) << 40, 0);
	assert_int_equal(drain_period_ns(&period, &size, MOST_NS), 5 * MS);
}

/* Its lines may come from any CPU. */
TEST(text_counts_as_one_cpu)
{
	text.counts.bytes = 512 * 1024;
	size.kb[0] = 512;
	drain_period_measure(&period, &text, now_ns + 1000 * MS);
	assert_in_range(period_ms(), 245, 250);
}

/* With the wait of the frames before it, no time between two drains is longer than the usual one
 * with the wait while the display's clock is new. */
TEST(rows_of_frames_that_wait_long_are_written_as_soon_as_others)
{
	assert_int_equal(drain_period_with_delay_ns(periods.drain_most_ns, 0),
			 periods.drain_most_ns);
	assert_int_equal(drain_period_with_delay_ns(300 * MS, 100 * MS), 300 * MS);
	for (uint64_t took = 0; took < 400 * MS; took += 50 * MS) {
		for (uint64_t waiting = 0; waiting + took <= 1700 * MS; waiting += 50 * MS) {
			uint64_t delay = drain_period_delay_ns(took, waiting);
			uint64_t next = drain_period_with_delay_ns(periods.drain_most_ns, delay);

			assert_in_range(waiting + took + next, periods.drain_most_ns, 2500 * MS);
		}
	}
}
