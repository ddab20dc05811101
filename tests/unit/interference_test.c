/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture watches: suspend, a change of the wall clock, an emptied buffer, removed tags, and
 * how fast the buffers fill. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <limits.h>
#include <sys/resource.h>

#include "daemon/android/android.h"
#include "daemon/base/loop.h"
#include "daemon/base/options.h"
#include "daemon/base/periods.h"
#include "daemon/base/wall_clock.h"
#include "daemon/capture/drain.h"
#include "daemon/trace/trace_files.h"
#include "tests/unit/fake_device.h"

/* Where no file can be watched, that no write was detected says nothing. */
TEST(a_watch_of_no_file_is_closed)
{
	struct trace_watch watch;

	trace_watch_open(&watch, WATCHER_NONE, "/nowhere", true);
	assert_int_equal(watch.watcher.fd, -1);
	assert_int_equal(trace_watch_read(&watch), 0);
}

TEST(suspend_and_wall_clock_steps_are_detected)
{
	/* In milliseconds. Reading the clocks takes time, and a clock that is synchronized may run
	 * a little faster. */
	static const struct {
		int64_t mono, slept, set, slept_found, stepped_found;
	} rows[] = {
		{ 0, 5000000, 0, 0, 0 },
		{ 1000, 0, 0, 0, 0 },
		{ 1000, 49, 199, 0, 0 },
		{ 1000, 50, -199, 50, 0 },
		{ 250, 3600000, 0, 3600000, 0 },
		{ 250, 0, 200, 0, 200 },
		{ 250, 8000, -3600000, 8000, -3600000 },
		{ 1000, 0, -200, 0, -200 },
		{ 1000, 0, 0, 0, 0 },
	};
	struct clock_reading now = { .wall = 1700000000 * (int64_t)SECOND };
	struct clock_watch watch = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct clock_change change;

		now.mono += rows[i].mono * (int64_t)MS;
		now.boot += (rows[i].mono + rows[i].slept) * (int64_t)MS;
		now.wall += (rows[i].mono + rows[i].slept + rows[i].set) * (int64_t)MS;
		change = clock_watch_compare(&watch, now);
		assert_fields(&change, slept_ns == rows[i].slept_found * (int64_t)MS,
			      stepped_ns == rows[i].stepped_found * (int64_t)MS);
	}
}

static bool parse_counts(struct cpu_buffer_counts *cpu, uint64_t overrun, uint64_t read)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "entries: 7\noverrun: %" PRIu64 "\ncommit overrun: 99\nbytes: 1\n"
			 "oldest event ts:     0.000000\nnow ts: 12514.868828\n"
			 "dropped events: 5\nread events: %" PRIu64 "\n",
			 overrun, read);

	return cpu_buffer_counts_parse(cpu, (struct span){ text, (size_t)n });
}

TEST(emptied_buffer_does_not_reset_lost_events)
{
	struct cpu_buffer_counts cpu = { 0 };

	assert_false(parse_counts(&cpu, 1000, 10));
	assert_int_equal(cpu.lost, 0);
	assert_false(parse_counts(&cpu, 1000, 500));
	assert_false(parse_counts(&cpu, 1234, 600));
	assert_int_equal(cpu.lost, 234);
	/* emptied: all counts start at 0 */
	assert_true(parse_counts(&cpu, 6, 20));
	assert_int_equal(cpu.lost, 240);
	assert_false(parse_counts(&cpu, 6, 20));
	assert_true(parse_counts(&cpu, 6, 19));
	assert_int_equal(cpu.lost, 246);
	/* malformed */
	cpu = (struct cpu_buffer_counts){ 0 };
	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_NULL));
	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_LITERAL("overrun: ")));
	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_LITERAL("commit overrun: 5")));
	assert_int_equal(cpu.lost, 0);
	assert_false(cpu_buffer_counts_parse(&cpu, SPAN_LITERAL("read events: x\noverrun: 3")));
	assert_int_equal(cpu.lost, 3);
}

/* --- getprop is only run for the tags if a property may have changed --- */

#define TAGS "debug.atrace.tags.enableflags"
#define MAGIC 0x504f5250
#define VERSION 0xfc6ed0ab

static struct options options;
static struct loop loop;
static struct interference_tags tags;
static int changes;
static bool is_missing;

static void on_changed(void *context, bool missing)
{
	changes++;
	is_missing = missing;
}

static int restored; /* status of the last end */

static void on_restored(void *context, int status)
{
	restored = status;
}

static void put_area(const char *name, uint32_t serial, uint32_t version)
{
	uint32_t area[32] = { 100, serial, MAGIC, version };

	scratch_put_bytes(name, area, sizeof(area));
}

static void put_serial(uint32_t serial)
{
	put_area("dev/__properties__/properties_serial", serial, VERSION);
}

static int set_up(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("tr");
	scratch_mkdir("dev");
	fake_device_begin();
	fake_device_set(TAGS, "0x2");
	options = (struct options){ .device_root = scratch_root };
	assert_int_equal(loop_open(&loop), 0);
	changes = 0;
	is_missing = false;
	return 0;
}

static int tear_down(void **state)
{
	interference_tags_end(&tags);
	loop_close(&loop);
	return fake_device_tear_down(state);
}

FIXTURE(set_up, tear_down)

static void begin_tags(void)
{
	tags = (struct interference_tags){
		.changed = on_changed,
		.restored = on_restored,
		.options = &options,
		.loop = &loop,
		.wanted = 2,
	};
	interference_tags_begin(&tags);
	assert_int_equal(scratch_inherited(), 0);
}

/* Returns true if getprop was run. */
static bool tick(void)
{
	bool is_run;

	interference_tags_tick(&tags, true);
	is_run = child_runs(&tags.getprop);
	assert_int_equal(scratch_inherited(), 0);
	for (int i = 0; i < 1000 && child_runs(&tags.getprop); i++) {
		loop_wait(&loop, loop_now() + 10000000);
		child_check(&tags.getprop);
	}
	assert_false(child_runs(&tags.getprop));
	return is_run;
}

TEST(tags_are_read_again_when_a_property_has_changed)
{
	scratch_mkdir("dev/__properties__");
	put_serial(7);
	begin_tags();
	assert_true(tick());
	assert_false(tick() || tick());
	assert_int_equal(changes, 0);
	fake_device_set(TAGS, "0x0");
	put_serial(8);
	assert_true(tick());
	assert_true(changes == 1 && is_missing);
	assert_false(tick());
	put_serial(9);
	fake_device_set(TAGS, "0x2\n0x0"); /* only the first line counts */
	assert_true(tick());
	assert_true(changes == 2 && !is_missing);
}

TEST(tags_without_an_answer_are_read_again)
{
	scratch_mkdir("dev/__properties__");
	put_serial(7);
	fake_device_hang("getprop");
	begin_tags();
	assert_true(tick() && tick());
}

TEST(devices_without_that_number_read_the_tags_each_time)
{
	for (int i = 0; i < 2; i++) {
		begin_tags();
		assert_true(tick() && tick());
		interference_tags_end(&tags);
		put_area("dev/__properties__", 7, 1); /* of an unknown version */
	}
}

/* Restores the tags. Returns the status of atrace. */
static int restore(void)
{
	restored = INT_MAX;
	assert_int_equal(interference_tags_restore(&tags), 0);
	assert_int_equal(interference_tags_restore(&tags), 0);
	for (int i = 0; i < 1000 && restored == INT_MAX; i++) {
		loop_wait(&loop, loop_now() + 10 * MS);
		interference_tags_tick(&tags, false);
	}
	return restored;
}

TEST(tags_are_set_without_tracing_or_else_with_it)
{
	options.categories = "gfx view";
	options.buffer_kb = 1024;
	begin_tags();
	assert_true(tick());
	fake_device_set(TAGS, "0x0");
	assert_true(tick());
	assert_int_equal(restore(), 0);
	assert_string_equal(fake_device_get(TAGS), "0xa");
	assert_true(tick());
	assert_int_equal(changes, 1);
	fake_device_fail("atrace", "no such option");
	assert_int_equal(restore(), 1);
	assert_string_equal(scratch_get("device/log"),
			    "atrace --async_start --only_userspace gfx view\n"
			    "atrace --async_start --only_userspace gfx view\n"
			    "atrace -b 1024 -c --async_start gfx view\n");
	fake_device_hang("atrace");
	assert_int_equal(interference_tags_restore(&tags), 0);
}

TEST(android_5_has_one_area)
{
	int fd;

	put_area("dev/__properties__", 7, VERSION);
	fd = property_serial_open(options.device_root);
	assert_int_equal(property_serial_read(fd), 7);
	put_area("dev/__properties__", UINT32_MAX, VERSION);
	assert_int_equal(property_serial_read(fd), UINT32_MAX);
	scratch_put("dev/__properties__", "short");
	assert_int_equal(property_serial_read(fd), -1);
	assert_int_equal(property_serial_open(options.device_root), -1);
	close(fd);
	assert_int_equal(property_serial_read(-1), -1);
}

/* --- the time between two drains is a quarter of the time in which the fullest buffer runs over
 * --- */

static uint64_t cpu_bytes[2];
static struct interference interference;
static struct session session;
static struct drain drain;
static uint64_t now_ns;

static uint64_t bytes_of(const struct source *source, unsigned int cpu)
{
	return cpu < 2 ? cpu_bytes[cpu] : 0;
}

static const struct source_ops ops = { .cpu_bytes = bytes_of };
static struct source raw = { .ops = &ops };

static const struct source_ops text_ops = { .cpu_bytes = NULL };
static struct source text = { .ops = &text_ops };

static int set_up_period(void **state)
{
	cpu_bytes[0] = cpu_bytes[1] = 0;
	now_ns = 1000 * MS;
	session.source = &raw;
	interference.size_now = (struct buffer_sizes){ .cpus = 2, .kb = { 1024, 1024 } };
	drain = (struct drain){ .session = &session, .interference = &interference };
	drain_begin(&drain, periods.drain_most_ns);
	drain.rates_ns = now_ns;
	return 0;
}

FIXTURE(set_up_period, NULL)

static uint64_t period_ms(void)
{
	return drain_period_ns(&drain, 0) / MS;
}

/* Both CPUs write for @ms, then the buffers are read. */
static void write_for(uint64_t ms, uint64_t bytes0, uint64_t bytes1)
{
	now_ns += ms * MS;
	cpu_bytes[0] += bytes0;
	cpu_bytes[1] += bytes1;
	drain_measure(&drain, now_ns);
}

TEST(period_follows_the_rate)
{
	static const struct {
		uint64_t ms, bytes, least_ms, most_ms;
	} steps[] = {
		/* The first periods are short. */
		{ 250, 0, 500, 500 },
		{ 500, 0, 1000, 1000 },
		{ 1000, 0, 1850, 1850 },
		/* A rate that grows counts at once, one that falls later. */
		{ 1000, 1024 * 1024, 245, 250 },
		{ 250, 0, 495, 500 },
		{ 500, 0, 995, 1001 },
		{ 1000, 0, 1850, 1850 },
		/* A burst of events between two drains that are close together is no flood. */
		{ 1, 4096, 1850, 1850 },
		{ 999, 0, 1850, 1850 },
		/* A flood has a shortest period. */
		{ 1000, UINT64_C(1) << 40, 5, 5 },
	};

	assert_int_equal(period_ms(), 250);
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		write_for(steps[i].ms, steps[i].bytes, 0);
		assert_in_range(period_ms(), steps[i].least_ms, steps[i].most_ms);
	}
	/* Silence does not hide a rate: 26,214 bytes in 100 ms fill 1 MB in 4 s. */
	set_up_period(NULL);
	for (int i = 0; i < 4; i++)
		write_for(500, 0, 0);
	now_ns += 60000 * MS;
	drain.rates_ns = now_ns;
	write_for(100, 26214, 0);
	assert_int_equal(period_ms(), 1000);
}

TEST(fullest_buffer_counts)
{
	struct buffer_sizes *size = &interference.size_now;
	char text_of_size[SETTING_SIZE];

	for (int i = 0; i < 4; i++)
		write_for(1000, 1000, 512 * 1024); /* full after 2 s */
	assert_in_range(period_ms(), 495, 500);
	size->kb[0] = 1; /* full after a second, another program made it smaller */
	assert_in_range(period_ms(), 250, 257);
	size->kb[0] = 0; /* unknown */
	assert_in_range(period_ms(), 495, 500);
	size->differ = true;
	buffer_sizes_print(size, text_of_size);
	assert_string_equal(text_of_size, "0, 1024 KB per CPU");
}

/* Its lines may come from any CPU. */
TEST(text_counts_as_one_cpu)
{
	text.counts.bytes = 512 * 1024;
	session.source = &text;
	interference.size_now.kb[0] = 512;
	drain_measure(&drain, now_ns + 1000 * MS);
	assert_in_range(period_ms(), 245, 250);
}

/* If this process may change its priority. */
TEST(a_boosted_drain_has_a_higher_priority)
{
	drain.nice = getpriority(PRIO_PROCESS, 0);
	drain_boost(&drain, true);
	if (getpriority(PRIO_PROCESS, 0) != -4)
		assert_int_equal(setpriority(PRIO_PROCESS, 0, -4), -1);
	drain_boost(&drain, false);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), drain.nice);
}

/* With the wait of the frames before it, no time between two drains is longer than the usual one
 * with the wait while the display's clock is new. */
TEST(rows_of_frames_that_wait_long_are_written_as_soon_as_others)
{
	drain.limit_ns = UINT64_MAX;
	assert_int_equal(drain_period_ns(&drain, 0), periods.drain_most_ns);
	drain.limit_ns = 300 * MS;
	assert_int_equal(drain_period_ns(&drain, 100 * MS), 300 * MS);
	drain.limit_ns = UINT64_MAX;
	for (uint64_t took = 0; took < 400 * MS; took += 50 * MS) {
		for (uint64_t waiting = 0; waiting + took <= 1700 * MS; waiting += 50 * MS) {
			uint64_t next = drain_period_ns(&drain, drain_delay_ns(took, waiting));

			assert_in_range(waiting + took + next, periods.drain_most_ns, 2500 * MS);
		}
	}
}
