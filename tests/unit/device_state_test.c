/* SPDX-License-Identifier: Apache-2.0 */
/* Battery, screen and temperatures of a device, from a fake sysfs. */
#include "tests/unit/unit.h"

#include "daemon/android/device_state.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

#define MINUTE_NS (60 * UINT64_C(1000000000))
#define BATTERY "sys/class/power_supply/battery"
#define LIGHT "sys/class/backlight/panel0-backlight"
#define ZONE "sys/class/thermal/thermal_zone"

static struct device_state state;
static struct device_values v;
static char text[DEVICE_STATE_TEXT];

static int set_up(void **unused)
{
	scratch_set_up(unused);
	scratch_mkdir("sys/class");
	return 0;
}

static int tear_down(void **unused)
{
	device_state_close(&state);
	return scratch_tear_down(unused);
}

FIXTURE(set_up, tear_down)

/* Writes @value as the kernel does, with a line end. */
static void put(const char *folder, const char *name, const char *value)
{
	scratch_mkdir(folder);
	scratch_put(formatted("%s/%s", folder, name), formatted("%s\n", value));
}

static void put_zone(int number, const char *type, const char *temp)
{
	put(formatted(ZONE "%d", number), "type", type);
	put(formatted(ZONE "%d", number), "temp", temp);
}

static void make_phone(void)
{
	put("sys/class/power_supply/usb", "type", "USB");
	put(BATTERY, "type", "Battery");
	put(BATTERY, "capacity", "81");
	put(BATTERY, "temp", "312");
	put(BATTERY, "status", "Discharging");
	put(LIGHT, "brightness", "120");
	put(LIGHT, "max_brightness", "255");
	put(LIGHT, "bl_power", "0");
	put_zone(0, "cpu-0-0-usr", "47000");
	put_zone(1, "cpu-1-0-usr", "52300");
	put_zone(2, "VIRTUAL-SKIN", "34100");
	put_zone(3, "gpuss-0", "90000");
	put("sys/class/thermal/cooling_device0", "type", "thermal-cpufreq-0");
	put("sys/class/thermal/cooling_device0", "cur_state", "3");
}

static void read_values(void)
{
	device_state_close(&state);
	device_state_open(&state, scratch_root);
	v = device_state_read(&state);
}

TEST(all_values_of_a_phone_are_read)
{
	make_phone();
	read_values();
	assert_int_equal(v.battery_percent, 81);
	assert_int_equal(v.battery_mc, 31200);
	assert_int_equal(v.charging, DEVICE_DISCHARGING);
	assert_int_equal(v.screen_on, 1);
	assert_int_equal(v.brightness, 120);
	assert_int_equal(v.brightness_max, 255);
	assert_int_equal(v.skin_mc, 34100);
	assert_int_equal(v.cpu_mc, 52300);
	assert_int_equal(v.cpu_cooling, 3);
	assert_true(device_state_event(&state, 0, text));
	assert_string_equal(text, "battery 81 %, 31.2 C, discharging, screen on, brightness "
				  "120/255, skin 34.1 C, CPU 52.3 C, CPU cooling 3");
}

TEST(machine_without_them_has_no_values)
{
	read_values();
	assert_false(device_values_any(&v));
	assert_false(device_state_is_screen_off(&state));
	assert_false(device_state_event(&state, 0, text));
	/* Not Android: the root of this machine is not read. */
	device_state_open(&state, NULL);
	v = device_state_read(&state);
	assert_false(device_values_any(&v));
}

/* Unknown, not 0. */
TEST(values_that_cannot_be_read_are_unknown)
{
	static const char *const hostile[] = {
		"", "x", "1x", "-", "99999999999999999999", "-99999999999999999999", "1e3", "\xff",
	};

	for (size_t i = 0; i < COUNT_OF(hostile); i++) {
		make_phone();
		put(BATTERY, "capacity", hostile[i]);
		put(BATTERY, "temp", hostile[i]);
		put(BATTERY, "status", hostile[i]);
		put(LIGHT, "brightness", hostile[i]);
		put(LIGHT, "max_brightness", hostile[i]);
		put_zone(0, "cpu-0-0-usr", hostile[i]);
		put_zone(1, "cpu-1-0-usr", hostile[i]);
		put_zone(2, "VIRTUAL-SKIN", hostile[i]);
		put("sys/class/thermal/cooling_device0", "cur_state", hostile[i]);
		read_values();
		assert_false(device_values_any(&v));
	}
}

/* A sensor that is not connected, or another unit. */
TEST(impossible_temperatures_are_unknown)
{
	make_phone();
	put(BATTERY, "capacity", "101");
	put(BATTERY, "temp", "-400");
	put_zone(0, "cpu-0-0-usr", "-273150");
	put_zone(1, "cpu-1-0-usr", "45");
	put_zone(2, "VIRTUAL-SKIN", "150000");
	put_zone(4, "battery", "30500");
	read_values();
	assert_int_equal(v.battery_percent, DEVICE_UNKNOWN);
	assert_int_equal(v.cpu_mc, DEVICE_UNKNOWN);
	assert_int_equal(v.skin_mc, DEVICE_UNKNOWN);
	/* The zone replaces the battery's own sensor. */
	assert_int_equal(v.battery_mc, 30500);
}

TEST(battery_of_a_pen_is_ignored)
{
	put("sys/class/power_supply/a_pen", "type", "Battery");
	put("sys/class/power_supply/a_pen", "scope", "Device");
	put("sys/class/power_supply/a_pen", "capacity", "5");
	read_values();
	assert_int_equal(v.battery_percent, DEVICE_UNKNOWN);
	make_phone();
	read_values();
	assert_int_equal(v.battery_percent, 81);
}

TEST(screen_is_off_without_light_or_power)
{
	make_phone();
	read_values();
	assert_false(device_state_is_screen_off(&state));
	put(LIGHT, "brightness", "0");
	assert_true(device_state_is_screen_off(&state));
	put(LIGHT, "brightness", "120");
	assert_false(device_state_is_screen_off(&state));
	put(LIGHT, "bl_power", "4");
	assert_true(device_state_is_screen_off(&state));
	/* The other panel of a phone that folds. */
	put("sys/class/backlight/panel1-backlight", "brightness", "9");
	read_values();
	assert_false(device_state_is_screen_off(&state));
}

TEST(screen_without_a_light_has_a_connector)
{
	put("sys/class/drm/card0-HDMI-A-1", "dpms", "On");
	read_values();
	assert_int_equal(v.screen_on, DEVICE_UNKNOWN);
	put("sys/class/drm/card0-DSI-1", "dpms", "Off");
	read_values();
	assert_int_equal(v.screen_on, 0);
	assert_int_equal(v.brightness, DEVICE_UNKNOWN);
	put("sys/class/drm/card0-DSI-1", "dpms", "On");
	assert_false(device_state_is_screen_off(&state));
}

TEST(old_driver_has_the_light_among_the_leds)
{
	put("sys/class/leds/red", "brightness", "255");
	put("sys/class/leds/lcd-backlight", "brightness", "33");
	read_values();
	assert_int_equal(v.brightness, 33);
	assert_int_equal(v.brightness_max, DEVICE_UNKNOWN);
	assert_true(device_state_event(&state, 0, text));
	assert_string_equal(text, "screen on, brightness 33");
}

TEST(event_is_due_once_a_minute_after_a_change)
{
	make_phone();
	read_values();
	assert_true(device_state_event(&state, 1, text));
	put(BATTERY, "capacity", "80");
	assert_false(device_state_event(&state, MINUTE_NS, text));
	assert_true(device_state_event(&state, MINUTE_NS + 1, text));
	assert_memory_equal(text, "battery 80 % (-1), 31.2 C", 25);
	/* Noise is no change. */
	put(BATTERY, "temp", "316");
	put(LIGHT, "brightness", "130");
	put_zone(1, "cpu-1-0-usr", "55000");
	assert_false(device_state_event(&state, 2 * MINUTE_NS + 1, text));
	/* Small changes add up. */
	put(BATTERY, "temp", "322");
	assert_false(device_state_event(&state, 3 * MINUTE_NS, text));
	assert_true(device_state_event(&state, 3 * MINUTE_NS + 1, text));
	assert_contains(text, "32.2 C");
}

/* A device with a hundred zones: the others still have space. */
TEST(number_of_files_is_limited)
{
	make_phone();
	for (int i = 4; i < 104; i++)
		put_zone(i, "cpu-x", "60000");
	read_values();
	assert_int_equal(v.skin_mc, 34100);
	assert_int_equal(v.cpu_cooling, 3);
	assert_int_equal(v.cpu_mc, 60000);
	assert_true(state.n_files <= DEVICE_STATE_FILES_MAX);
}
