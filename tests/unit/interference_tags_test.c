/* SPDX-License-Identifier: Apache-2.0 */
/* getprop is only run for the tags if a property may have changed. */
#include "tests/unit/unit.h"

#include <unistd.h>

#include "daemon/android/properties.h"
#include "daemon/base/loop.h"
#include "daemon/base/options.h"
#include "daemon/capture/interference_tags.h"
#include "tests/unit/fake_device.h"

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

static void begin(void)
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
	begin();
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
	begin();
	assert_true(tick());
	assert_true(tick());
}

TEST(devices_without_that_number_read_the_tags_each_time)
{
	begin();
	assert_true(tick());
	assert_true(tick());
	interference_tags_end(&tags);
	/* of an unknown version */
	put_area("dev/__properties__", 7, 1);
	begin();
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
