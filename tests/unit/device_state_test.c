/* SPDX-License-Identifier: Apache-2.0 */
/* The device: battery, screen, temperatures from a fake sysfs, where jankd runs on it; its log. */
#include "tests/unit/unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "daemon/android/android.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

#define MINUTE_NS (60 * UINT64_C(1000000000))
#define BATTERY "power_supply/battery/"
#define LIGHT "backlight/panel0-backlight/"
#define ZONE "thermal/thermal_zone"
#define COOLER "thermal/cooling_device0/"

/* The files of a phone below sys/class. */
#define TYPES                                                                                      \
	"power_supply/usb/type=USB|" BATTERY "type=Battery|" ZONE "0/type=cpu-0-0-usr|" ZONE       \
	"1/type=cpu-1-0-usr|" ZONE "2/type=VIRTUAL-SKIN|" ZONE "3/type=gpuss-0|" COOLER            \
	"type=thermal-cpufreq-0|"
#define VALUES                                                                                     \
	BATTERY "capacity=81|" BATTERY "temp=312|" BATTERY "status=Discharging|" LIGHT             \
		"brightness=120|" LIGHT "max_brightness=255|" ZONE "0/temp=47000|" ZONE            \
		"1/temp=52300|" ZONE "2/temp=34100|" COOLER "cur_state=3|"
#define PHONE TYPES VALUES ZONE "3/temp=90000|" LIGHT "bl_power=0|"

static struct device_state device;
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
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up, tear_down)

/* Writes "FILE=VALUE|..." as the kernel does, with line ends. @value: of all files, or NULL. */
static void put(const char *files, const char *value)
{
	char copy[1024], *rest = copy, *file, *own;

	snprintf(copy, sizeof(copy), "%s", files);
	while ((file = strsep(&rest, "|")) && (own = strchr(file, '='))) {
		*own++ = '\0';
		scratch_put(formatted("sys/class/%s", file),
			    formatted("%s\n", value ? value : own));
	}
}

/* The event of a device with the files in sys/class; "": none. */
static const char *first_event(void)
{
	struct device_values values;

	device_state_close(&device);
	device_state_open(&device, scratch_root);
	assert_int_equal(scratch_inherited(), 0);
	values = device_state_read(&device);
	if (!device_state_event(&device, 0, event))
		event[0] = '\0';
	assert_int_equal(device_values_any(&values), event[0] != '\0');
	assert_int_equal(device_state_is_screen_off(&device), strstr(event, "screen off") != NULL);
	return event;
}

TEST(values_of_a_device_are_read)
{
	static const struct {
		const char *files, *event;
	} rows[] = {
		{ PHONE, "battery 81 %, 31.2 C, discharging, screen on, brightness 120/255, "
			 "skin 34.1 C, CPU 52.3 C, CPU cooling 3" },
		{ "", "" },
		/* Temperatures of a sensor that is not connected, or in another unit. The zone
		 * replaces the battery's own sensor. */
		{ PHONE BATTERY "capacity=101|" BATTERY "temp=-301|" ZONE "0/temp=999|" ZONE
				"1/temp=45|" ZONE "2/temp=120001|" ZONE "4/type=battery|" ZONE
				"4/temp=30500",
		  "battery 30.5 C, discharging, screen on, brightness 120/255, CPU cooling 3" },
		{ PHONE BATTERY "capacity=0|" BATTERY "temp=1201|" BATTERY "status=Full|" ZONE
				"0/temp=1000|" ZONE "1/temp=999|" ZONE "2/temp=120000|" COOLER
				"cur_state=1001",
		  "battery 0 %, full, screen on, brightness 120/255, skin 120.0 C, CPU 1.0 C" },
		{ BATTERY "type=Battery|" BATTERY "capacity=100|" BATTERY "temp=-300|" BATTERY
			  "status=Not charging|" COOLER "type=cpu|" COOLER "cur_state=0",
		  "battery 100 %, -30.0 C, not charging, CPU cooling 0" },
		{ BATTERY "type=Battery|" BATTERY "temp=1200|" BATTERY "status=Charging|" COOLER
			  "type=CPU|" COOLER "cur_state=1000",
		  "battery 120.0 C, charging, CPU cooling 1000" },
		/* The battery of a pen, and a second one of the device. */
		{ "power_supply/a_pen/type=Battery|power_supply/a_pen/scope=Device|"
		  "power_supply/a_pen/capacity=5",
		  "" },
		{ BATTERY "type=Battery|" BATTERY "capacity=81|power_supply/a_pen/type=Battery|"
			  "power_supply/a_pen/scope=Device|power_supply/a_pen/capacity=5|"
			  "power_supply/second/type=Battery|power_supply/second/capacity=7",
		  "battery 81 %" },
		/* Switched off; the other panel of a phone that folds. */
		{ LIGHT "brightness=0|" LIGHT "max_brightness=0", "screen off, brightness 0" },
		{ LIGHT "brightness=120|" LIGHT "max_brightness=255|" LIGHT "bl_power=4",
		  "screen off, brightness 0/255" },
		{ LIGHT "brightness=120|" LIGHT "bl_power=1|backlight/panel1/brightness=9|"
			"backlight/panel1/max_brightness=1|leds/lcd-backlight/brightness=200",
		  "screen on, brightness 9/1" },
		/* A connector instead of a light; a light among the LEDs of an old driver. */
		{ "drm/card0-HDMI-A-1/dpms=On", "" },
		{ "drm/card0-DSI-1/dpms=Off|drm/card0-HDMI-A-1/dpms=On", "screen off" },
		{ "drm/card0-DSI-1/dpms=Off|drm/card0-eDP-1/dpms=On", "screen on" },
		{ "leds/red/brightness=255|leds/lcd-backlight/brightness=33",
		  "screen on, brightness 33" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		tear_down(NULL);
		set_up(NULL);
		put(rows[i].files, NULL);
		assert_string_equal(first_event(), rows[i].event);
	}
	/* A machine that is no device. */
	device_state_close(&device);
	device_state_open(&device, NULL);
	assert_int_equal(device.n_files, 0);
	assert_false(device_state_event(&device, 0, event));
}

/* Unknown, not 0. */
TEST(values_that_cannot_be_read_are_unknown)
{
	static const char *const hostile[] = {
		"", "x", "1x", "-", "99999999999999999999", "-99999999999999999999", "1e3", "\xff",
	};

	put(PHONE, NULL);
	for (size_t i = 0; i < COUNT_OF(hostile); i++) {
		put(VALUES, hostile[i]);
		assert_string_equal(first_event(), "");
	}
}

/* Small changes are noise, but they add up. */
TEST(event_is_due_once_a_minute_after_a_change)
{
	static const struct {
		const char *files, *event;
	} minutes[] = {
		{ BATTERY "capacity=80", "battery 80 % (-1), 31.2 C" },
		{ BATTERY "temp=321|" LIGHT "brightness=144|" ZONE "1/temp=62299", NULL },
		{ BATTERY "temp=322", "battery 80 %, 32.2 C" },
		{ LIGHT "brightness=119", "brightness 119/255" },
		{ ZONE "2/temp=33101", NULL },
		{ ZONE "2/temp=33100|" ZONE "1/temp=52300", "skin 33.1 C, CPU 52.3 C" },
		{ ZONE "1/temp=62300", "CPU 62.3 C" },
		{ COOLER "cur_state=2", "CPU cooling 2" },
		{ BATTERY "status=Charging", "charging" },
		{ BATTERY "status=", "32.2 C, screen on" },
	};
	uint64_t now_ns = 1;

	put(PHONE, NULL);
	first_event();
	for (size_t i = 0; i < COUNT_OF(minutes); i++, now_ns += MINUTE_NS) {
		put(minutes[i].files, NULL);
		assert_false(device_state_event(&device, now_ns + MINUTE_NS - 2, event));
		assert_int_equal(device_state_event(&device, now_ns + MINUTE_NS - 1, event),
				 minutes[i].event != NULL);
		if (minutes[i].event)
			assert_contains(event, minutes[i].event);
	}
}

/* A device with a hundred zones: the others still have space. */
TEST(number_of_files_is_limited)
{
	put(PHONE, NULL);
	for (int i = 4; i < 104; i++)
		put(formatted(ZONE "%d/type=cpu-x|" ZONE "%d/temp=60000", i, i), NULL);
	assert_contains(first_event(), "skin 34.1 C, CPU 60.0 C, CPU cooling 3");
	/* Three of the battery, two of the light, eight CPUs, skin and cooling. */
	assert_int_equal(device.n_files, 15);
}

/* --- where jankd runs: with a fake /proc, /dev/cpuset and /sys --- */

#define OOM "proc/self/oom_score_adj"

static int put_proc(void **state)
{
	scratch_set_up(state);
	scratch_put(OOM, "0\n");
	scratch_put("proc/self/cgroup", "5:cpu:/x\n4:cpuset:/top-app\n0::/\n");
	scratch_put("dev/cpuset/top-app/cgroup.procs", "");
	return 0;
}

FIXTURE(put_proc, scratch_tear_down_closed)

/* What a child process found, in memory that it shares. */
static struct found {
	struct status_process process;
	int pid;
	cpu_set_t before, now, child; /* of this process, and of one that was released */
} * found;

/* Enters the background in a child process, and releases a child of that. */
static void enter(const char *root)
{
	pid_t pid;

	if (!found)
		found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(found != MAP_FAILED);
	pid = fork();
	if (pid == 0) {
		struct background background;
		char path[64];
		pid_t child;

		found->pid = getpid();
		sched_getaffinity(0, sizeof(found->before), &found->before);
		background_enter(&background, root);
		background_read(&background, &found->process);
		sched_getaffinity(0, sizeof(found->now), &found->now);
		child = fork();
		if (child == 0)
			pause();
		snprintf(path, sizeof(path), "proc/%d/oom_score_adj", (int)child);
		scratch_put(path, "");
		background_release(&background, child);
		sched_getaffinity(child, sizeof(found->child), &found->child);
		scratch_put("released", scratch_get(path));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(nothing_changes_on_other_machines)
{
	enter(NULL);
	assert_true(CPU_EQUAL(&found->now, &found->before));
	assert_null(found->process.cpuset);
	assert_string_equal(scratch_get(OOM), "0\n");
}

/* adbd's own children may have -1000. */
TEST(oom_score_adj_is_lowered_and_children_get_theirs_back)
{
	static const struct {
		const char *before;
		int now;
		const char *released;
	} rows[] = {
		{ "1000\n", -800, "1000\n" },
		{ "-799\n", -800, "-799\n" },
		{ "-801\n", -801, "-801\n" },
		{ "-1000\n", -1000, "-1000\n" },
		{ "1001\n", DEVICE_UNKNOWN, "" },
		{ "-1001\n", DEVICE_UNKNOWN, "" },
		{ "what\n", DEVICE_UNKNOWN, "" },
		{ "900 and what is longer than a number\n", -800, "900\n" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		scratch_put(OOM, rows[i].before);
		enter(scratch_root);
		assert_int_equal(found->process.oom_score_adj, rows[i].now);
		assert_string_equal(scratch_get("released"), rows[i].released);
	}
}

TEST(cpuset_is_entered_and_children_leave_it)
{
	const char *text;

	scratch_put("dev/cpuset/background/cgroup.procs", "");
	enter(scratch_root);
	assert_string_equal(found->process.cpuset, "background");
	text = formatted("%d\n", found->pid);
	assert_string_equal(scratch_get("dev/cpuset/background/cgroup.procs"), text);
	assert_true(strlen(scratch_get("dev/cpuset/top-app/cgroup.procs")) > 1);
	assert_string_not_equal(scratch_get("dev/cpuset/top-app/cgroup.procs"), text);
	/* The second one if the first is missing; none if the way back is unknown. */
	unlink(scratch_path("dev/cpuset/background/cgroup.procs"));
	scratch_put("dev/cpuset/system-background/tasks", "");
	enter(scratch_root);
	assert_string_equal(found->process.cpuset, "system-background");
	scratch_put("proc/self/cgroup", "0::/\n");
	enter(scratch_root);
	assert_null(found->process.cpuset);
}

/* The first CPU of this machine is little, the others are big. */
static void put_speeds(const char *name, int little, int big)
{
	cpu_set_t cpus;
	bool is_first = true;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &cpus))
			continue;
		scratch_put(formatted("sys/devices/system/cpu/cpu%d/%s", cpu, name),
			    formatted("%d\n", is_first ? little : big));
		is_first = false;
	}
}

TEST(only_little_cpus_are_used)
{
	static const struct {
		const char *name;
		int little, big;
		bool are_known;
	} rows[] = {
		{ "cpufreq/cpuinfo_max_freq", 250, 1024, true },
		{ "cpu_capacity", 1024, 1024, false },
		{ "cpu_capacity", 250, 0, true }, /* cpuinfo_max_freq of the first row */
		{ "cpufreq/cpuinfo_max_freq", 0, 1024, false },
		{ "cpu_capacity", 1023, 1024, true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		put_speeds(rows[i].name, rows[i].little, rows[i].big);
		enter(scratch_root);
		assert_true(CPU_EQUAL(&found->child, &found->before));
		if (rows[i].are_known)
			assert_int_equal(CPU_COUNT(&found->now), 1);
		else
			assert_true(CPU_EQUAL(&found->now, &found->before));
		assert_int_equal(strpbrk(found->process.cpus, ",-") == NULL,
				 CPU_COUNT(&found->now) == 1);
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
	return scratch_inherited();
}

static int close_log(void **state)
{
	logcat_close(&logcat);
	if (logd >= 0)
		close(logd);
	logd = -1;
	return scratch_tear_down_closed(state);
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
	char longest[10000];
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
	/* A line may have a name from the trace. */
	logcat_write(&logcat, LOGCAT_INFO, "a\nb\xff");
	assert_string_equal(next_line(), "a\\x0Ab\\xFF");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	logcat_write(&logcat, LOGCAT_INFO, longest);
	assert_int_equal(strlen(next_line()), 2047);
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
