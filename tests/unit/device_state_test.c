/* SPDX-License-Identifier: Apache-2.0 */
/* The device: battery, screen and temperatures from a fake sysfs, where jankd runs on it, and its
 * log. */
#include "tests/unit/unit.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/android/background.h"
#include "daemon/android/device_state.h"
#include "daemon/android/logcat.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

#define MINUTE_NS (60 * UINT64_C(1000000000))
#define BATTERY "sys/class/power_supply/battery"
#define LIGHT "sys/class/backlight/panel0-backlight"
#define ZONE "sys/class/thermal/thermal_zone"

static struct device_state device;
static struct device_values v;
static char event[DEVICE_STATE_TEXT];

static int set_up(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("sys/class");
	return 0;
}

static int tear_down(void **state)
{
	device_state_close(&device);
	return scratch_tear_down(state);
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
	device_state_close(&device);
	device_state_open(&device, scratch_root);
	v = device_state_read(&device);
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
	assert_true(device_state_event(&device, 0, event));
	assert_string_equal(event, "battery 81 %, 31.2 C, discharging, screen on, brightness "
				   "120/255, skin 34.1 C, CPU 52.3 C, CPU cooling 3");
}

TEST(machine_without_them_has_no_values)
{
	read_values();
	assert_false(device_values_any(&v));
	assert_false(device_state_is_screen_off(&device));
	assert_false(device_state_event(&device, 0, event));
	/* Not Android: the root of this machine is not read. */
	device_state_open(&device, NULL);
	v = device_state_read(&device);
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
	assert_false(device_state_is_screen_off(&device));
	put(LIGHT, "brightness", "0");
	assert_true(device_state_is_screen_off(&device));
	put(LIGHT, "brightness", "120");
	assert_false(device_state_is_screen_off(&device));
	put(LIGHT, "bl_power", "4");
	assert_true(device_state_is_screen_off(&device));
	/* The other panel of a phone that folds. */
	put("sys/class/backlight/panel1-backlight", "brightness", "9");
	read_values();
	assert_false(device_state_is_screen_off(&device));
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
	assert_false(device_state_is_screen_off(&device));
}

TEST(old_driver_has_the_light_among_the_leds)
{
	put("sys/class/leds/red", "brightness", "255");
	put("sys/class/leds/lcd-backlight", "brightness", "33");
	read_values();
	assert_int_equal(v.brightness, 33);
	assert_int_equal(v.brightness_max, DEVICE_UNKNOWN);
	assert_true(device_state_event(&device, 0, event));
	assert_string_equal(event, "screen on, brightness 33");
}

TEST(event_is_due_once_a_minute_after_a_change)
{
	make_phone();
	read_values();
	assert_true(device_state_event(&device, 1, event));
	put(BATTERY, "capacity", "80");
	assert_false(device_state_event(&device, MINUTE_NS, event));
	assert_true(device_state_event(&device, MINUTE_NS + 1, event));
	assert_memory_equal(event, "battery 80 % (-1), 31.2 C", 25);
	/* Noise is no change. */
	put(BATTERY, "temp", "316");
	put(LIGHT, "brightness", "130");
	put_zone(1, "cpu-1-0-usr", "55000");
	assert_false(device_state_event(&device, 2 * MINUTE_NS + 1, event));
	/* Small changes add up. */
	put(BATTERY, "temp", "322");
	assert_false(device_state_event(&device, 3 * MINUTE_NS, event));
	assert_true(device_state_event(&device, 3 * MINUTE_NS + 1, event));
	assert_contains(event, "32.2 C");
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
	assert_true(device.n_files <= DEVICE_STATE_FILES_MAX);
}

/* --- where jankd runs: with a fake /proc, /dev/cpuset and /sys --- */

#define OOM "proc/self/oom_score_adj"

static int put_proc(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("proc/self");
	scratch_put(OOM, "0\n");
	scratch_put("proc/self/cgroup", "5:cpu:/x\n4:cpuset:/top-app\n0::/\n");
	scratch_mkdir("dev/cpuset/top-app");
	scratch_put("dev/cpuset/top-app/cgroup.procs", "");
	return 0;
}

FIXTURE(put_proc, scratch_tear_down)

/* What a child process found: copied through a pipe. */
static struct found {
	struct status_process process;
	char cpuset[32];
	int pid;
	cpu_set_t before, now, child; /* of this process, and of one that was released */
} found;

/* Enters the background in a child process, and releases a child of that. */
static void enter(const char *root)
{
	int fds[2], status;
	pid_t pid;

	memset(&found, 0, sizeof(found));
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		struct background background;
		pid_t child;
		char path[64];

		found.pid = getpid();
		sched_getaffinity(0, sizeof(found.before), &found.before);
		background_enter(&background, root);
		background_read(&background, &found.process);
		sched_getaffinity(0, sizeof(found.now), &found.now);
		child = fork();
		if (child == 0)
			pause();
		snprintf(path, sizeof(path), "proc/%d", (int)child);
		scratch_mkdir(path);
		strcat(path, "/oom_score_adj");
		scratch_put(path, "-800\n");
		background_release(&background, child);
		sched_getaffinity(child, sizeof(found.child), &found.child);
		scratch_put("released", scratch_get(path));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (found.process.cpuset)
			snprintf(found.cpuset, sizeof(found.cpuset), "%s", found.process.cpuset);
		_exit(write(fds[1], &found, sizeof(found)) == sizeof(found) ? 0 : 1);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &found, sizeof(found)), sizeof(found));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

TEST(nothing_changes_on_other_machines)
{
	enter(NULL);
	assert_true(CPU_EQUAL(&found.now, &found.before));
	assert_string_equal(found.cpuset, "");
	assert_string_equal(scratch_get(OOM), "0\n");
}

TEST(oom_score_adj_is_lowered_and_children_get_theirs_back)
{
	enter(scratch_root);
	assert_int_equal(found.process.oom_score_adj, -800);
	assert_memory_equal(scratch_get("released"), "0\n", 2);
}

/* adbd's own children may have -1000. */
TEST(lower_oom_score_adj_is_kept)
{
	scratch_put(OOM, "-950\n");
	enter(scratch_root);
	assert_int_equal(found.process.oom_score_adj, -950);
	scratch_put(OOM, "what\n");
	enter(scratch_root);
	assert_int_equal(found.process.oom_score_adj, DEVICE_UNKNOWN);
}

TEST(cpuset_is_entered_and_children_leave_it)
{
	char text[32];

	scratch_mkdir("dev/cpuset/background");
	scratch_put("dev/cpuset/background/cgroup.procs", "");
	enter(scratch_root);
	assert_string_equal(found.cpuset, "background");
	snprintf(text, sizeof(text), "%d\n", found.pid);
	assert_string_equal(scratch_get("dev/cpuset/background/cgroup.procs"), text);
	assert_true(strlen(scratch_get("dev/cpuset/top-app/cgroup.procs")) > 1);
	assert_string_not_equal(scratch_get("dev/cpuset/top-app/cgroup.procs"), text);
}

TEST(second_cpuset_is_entered_if_the_first_is_missing)
{
	scratch_mkdir("dev/cpuset/system-background");
	scratch_put("dev/cpuset/system-background/tasks", "");
	enter(scratch_root);
	assert_string_equal(found.cpuset, "system-background");
	/* The way back is unknown. */
	scratch_put("proc/self/cgroup", "0::/\n");
	enter(scratch_root);
	assert_string_equal(found.cpuset, "");
}

/* The first CPU of this machine is little, the others are big. */
static void put_speeds(const char *name, int little, int big)
{
	cpu_set_t cpus;
	bool is_first = true;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[128], text[32];

		if (!CPU_ISSET(cpu, &cpus))
			continue;
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpufreq", cpu);
		scratch_mkdir(path);
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", cpu, name);
		snprintf(text, sizeof(text), "%d\n", is_first ? little : big);
		scratch_put(path, text);
		is_first = false;
	}
}

TEST(only_little_cpus_are_used)
{
	static const char *const names[] = { "cpu_capacity", "cpufreq/cpuinfo_max_freq" };
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		scratch_remove();
		put_proc(NULL);
		put_speeds(names[i], 250, 1024);
		enter(scratch_root);
		assert_int_equal(CPU_COUNT(&found.now), 1);
		assert_null(strpbrk(found.process.cpus, ",-"));
		assert_true(CPU_EQUAL(&found.child, &found.before));
	}
}

TEST(equal_or_unknown_cpus_are_all_used)
{
	static const int pairs[][2] = { { 1024, 1024 }, { 250, 0 }, { 0, 1024 } };

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		put_speeds("cpu_capacity", pairs[i][0], pairs[i][1]);
		enter(scratch_root);
		assert_true(CPU_EQUAL(&found.now, &found.before));
	}
}

/* --- lines for the log, received by a socket of the test --- */

/* Bytes of the header: id, tid, time. */
#define HEADER 11

static struct logcat logcat = { .fd = -1 };
static int logd = -1;
static unsigned char datagram[8192];

static void start_logd(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	logd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	assert_true(snprintf(address.sun_path, sizeof(address.sun_path), "%s/dev/socket/logdw",
			     scratch_root) < (int)sizeof(address.sun_path));
	unlink(address.sun_path);
	assert_int_equal(bind(logd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static int open_log(void **state)
{
	scratch_set_up(state);
	scratch_mkdir("dev/socket");
	logcat_open(&logcat, scratch_root);
	return 0;
}

static int close_log(void **state)
{
	logcat_close(&logcat);
	if (logd >= 0)
		close(logd);
	logd = -1;
	return scratch_tear_down(state);
}

FIXTURE(open_log, close_log)

/* The text of the next line, or NULL. */
static const char *next_line(void)
{
	ssize_t n = recv(logd, datagram, sizeof(datagram) - 1, 0);

	if (n < 0)
		return NULL;
	assert_true(n > HEADER + 1 + (ssize_t)sizeof("jankd"));
	assert_int_equal(datagram[n - 1], '\0');
	assert_string_equal((char *)datagram + HEADER + 1, "jankd");
	return (char *)datagram + HEADER + 1 + sizeof("jankd");
}

TEST(line_has_the_form_of_logd)
{
	uint16_t tid;
	uint32_t s, ns;

	start_logd();
	logcat_write(&logcat, LOGCAT_WARNING, "tracing was switched off");
	assert_string_equal(next_line(), "tracing was switched off");
	assert_int_equal(datagram[0], 0); /* the main log */
	memcpy(&tid, datagram + 1, sizeof(tid));
	assert_int_equal(tid, (uint16_t)gettid());
	memcpy(&s, datagram + 3, sizeof(s));
	memcpy(&ns, datagram + 7, sizeof(ns));
	assert_in_range(s, time(NULL) - 60, time(NULL) + 60);
	assert_in_range(ns, 0, 999999999);
	assert_int_equal(datagram[HEADER], 5);
	assert_null(next_line());
}

/* A line may have a name from the trace. */
TEST(bytes_that_are_no_text_are_escaped)
{
	char longest[10000];

	start_logd();
	logcat_write(&logcat, LOGCAT_INFO, "a\nb\xff");
	assert_string_equal(next_line(), "a\\x0Ab\\xFF");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	logcat_write(&logcat, LOGCAT_INFO, longest);
	assert_in_range(strlen(next_line()), 1000, 4000);
}

TEST(without_logd_nothing_happens)
{
	logcat_write(&logcat, LOGCAT_INFO, "to no one");
	start_logd();
	logcat_write(&logcat, LOGCAT_INFO, "first");
	assert_string_equal(next_line(), "first");
	/* logd was restarted. */
	close(logd);
	logcat_write(&logcat, LOGCAT_INFO, "to no one");
	start_logd();
	logcat_write(&logcat, LOGCAT_INFO, "second");
	assert_string_equal(next_line(), "second");
	logcat_close(&logcat);
	logcat_open(&logcat, NULL);
	logcat_write(&logcat, LOGCAT_INFO, "not on Android");
	assert_null(next_line());
}

/* A logd that does not read blocks nothing; and there is a limit of lines. */
TEST(many_lines_are_limited)
{
	unsigned int n = 0;

	start_logd();
	for (int i = 0; i < 1000; i++)
		logcat_write(&logcat, LOGCAT_INFO, "again");
	while (next_line())
		n++;
	assert_in_range(n, 1, 30);
	assert_int_equal(logcat.left_out, 970);
	/* A minute later. */
	logcat.limit = (struct rate_limit){ .allowed = 0 };
	logcat_write(&logcat, LOGCAT_INFO, "last");
	assert_string_equal(next_line(), "(970 lines left out) last");
}
