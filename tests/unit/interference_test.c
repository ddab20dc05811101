/* SPDX-License-Identifier: Apache-2.0 */
/* Detection of suspend, of a change of the wall clock, of an emptied buffer and of removed tags. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/android/properties.h"
#include "daemon/base/loop.h"
#include "daemon/base/options.h"
#include "daemon/capture/clock_watch.h"
#include "daemon/capture/interference_tags.h"
#include "daemon/trace/cpu_buffer_stats.h"
#include "tests/unit/fake_device.h"

#define STEP(seconds) ((int64_t)((seconds)*1e9))

static struct clock_change after(struct clock_watch *watch, double mono, double slept, double set)
{
	struct clock_reading next = watch->last;

	next.mono += STEP(mono);
	next.boot += STEP(mono + slept);
	next.wall += STEP(mono + slept + set);
	return clock_watch_compare(watch, next);
}

TEST(suspend_and_wall_clock_steps_are_detected)
{
	struct clock_watch watch = { 0 };
	struct clock_change change = clock_watch_compare(
		&watch, (struct clock_reading){ STEP(100), STEP(5000), STEP(1.7e9) });

	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
	change = after(&watch, 1, 0, 0);
	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
	/* reading the clocks takes time, and a clock that is synchronized may run a little faster
	 */
	change = after(&watch, 1, 0.02, 0.1);
	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
	change = after(&watch, 0.25, 3600, 0);
	assert_int_equal(change.slept_ns, STEP(3600));
	assert_int_equal(change.stepped_ns, 0);
	change = after(&watch, 0.25, 0, 7200);
	assert_int_equal(change.slept_ns, 0);
	assert_int_equal(change.stepped_ns, STEP(7200));
	change = after(&watch, 0.25, 8, -3600);
	assert_int_equal(change.slept_ns, STEP(8));
	assert_int_equal(change.stepped_ns, STEP(-3600));
	change = after(&watch, 1, 0, 0);
	assert_int_equal(change.slept_ns | change.stepped_ns, 0);
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
}

TEST(malformed_statistics_count_no_loss)
{
	struct cpu_buffer_counts cpu = { 0 };

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
	(void)context;
	changes++;
	is_missing = missing;
}

static void on_restored(void *context, int status)
{
	(void)context;
	(void)status;
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
	fake_device_end();
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

static void begin_tags(void)
{
	const struct interference_tags_calls calls = {
		.changed = on_changed,
		.restored = on_restored,
	};

	tags = (struct interference_tags){ .set = 0 };
	interference_tags_begin(&tags, &calls, &options, &loop, 2);
}

/* Returns true if getprop was run. */
static bool tick(void)
{
	bool is_run;

	interference_tags_tick(&tags, true);
	is_run = child_runs(&tags.getprop);
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
	assert_false(tick());
	assert_false(tick());
	assert_int_equal(changes, 0);
	fake_device_set(TAGS, "0x0");
	put_serial(8);
	assert_true(tick());
	assert_true(changes == 1 && is_missing);
	assert_false(tick());
	put_serial(9);
	fake_device_set(TAGS, "0x2");
	assert_true(tick());
	assert_true(changes == 2 && !is_missing);
}

TEST(tags_without_an_answer_are_read_again)
{
	scratch_mkdir("dev/__properties__");
	put_serial(7);
	fake_device_hang("getprop");
	begin_tags();
	assert_true(tick());
	assert_true(tick());
}

TEST(devices_without_that_number_read_the_tags_each_time)
{
	begin_tags();
	assert_true(tick());
	assert_true(tick());
	interference_tags_end(&tags);
	/* of an unknown version */
	put_area("dev/__properties__", 7, 1);
	begin_tags();
	assert_true(tick());
	assert_true(tick());
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
	close(fd);
	assert_int_equal(property_serial_read(-1), -1);
}
