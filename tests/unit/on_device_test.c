/* SPDX-License-Identifier: Apache-2.0 */
/* A capture on a device with a fake sysfs, /dev and /proc: what it says about the device, and that
 * it lets the device sleep. The capture runs in a child process of the test. */
#include "tests/unit/unit.h"

#include <glob.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>

#include "daemon/base/periods.h"
#include "daemon/capture/capture.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/live.h"

#define BATTERY "phone/sys/class/power_supply/battery"
#define LIGHT "phone/sys/class/backlight/panel0-backlight"
#define FLAGS "debug.atrace.tags.enableflags"
#define OOM "phone/proc/self/oom_score_adj"

static char root[128];
static int logd;
static struct options options; /* of the capture */

static void open_logd(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	scratch_mkdir("phone/dev/socket");
	assert_true(snprintf(address.sun_path, sizeof(address.sun_path), "%s/dev/socket/logdw",
			     root) < (int)sizeof(address.sun_path));
	logd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(logd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static int set_up(void **state)
{
	live_set_up(state);
	snprintf(root, sizeof(root), "%s/phone", scratch_root);
	options = options_default(OPTIONS_RUN);
	options.device_root = root;
	options.folder = "out";
	options.no_atrace = true;
	options.frames_log = true;
	scratch_put(BATTERY "/type", "Battery\n");
	scratch_put(BATTERY "/capacity", "81\n");
	scratch_put(BATTERY "/temp", "312\n");
	scratch_put(LIGHT "/brightness", "120\n");
	scratch_put(LIGHT "/max_brightness", "255\n");
	scratch_put(OOM, "0\n");
	scratch_put("phone/sys/power/wake_lock", "");
	open_logd();
	fake_device_begin();
	return 0;
}

static int tear_down(void **state)
{
	live_tear_down(state);
	fake_device_end();
	close(logd);
	return 0;
}

FIXTURE(set_up, tear_down)

static void run_capture(void)
{
	struct capture *running;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int code;

	if (chdir(scratch_root) < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(127);
	code = capture_begin(&running, &options, NULL);
	if (code == 0)
		code = capture_loop(running, NULL);
	capture_close(running);
	_exit(code);
}

/* Starts 'jankd run' on the fake device. */
static void begin(const char *tracefs)
{
	options.tracefs = tracefs;
	fflush(NULL);
	live_pid = fork();
	if (live_pid == 0)
		run_capture();
}

/* The same, and waits until it captures. */
static void start(void)
{
	begin("tr");
	live_wait_until_it_captures();
}

/* All lines in the log so far. */
static const char *logged(void)
{
	static char text[65536];
	char line[8192];
	size_t len = strlen(text);
	ssize_t n;

	while ((n = recv(logd, line, sizeof(line), 0)) > 18 && len + (size_t)n < sizeof(text))
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", line + 18);
	return text;
}

static void wait_until_logged(const char *text)
{
	wait_until(strstr(logged(), text));
}

TEST(values_of_the_device_are_in_the_files)
{
	static const char values[] =
		"\"%s\":{\n      \"battery_percent\":%d,\n      \"battery_celsius\":31.2,\n"
		"      \"charging\":null,\n      \"screen_on\":true,\n      \"brightness\":120,\n"
		"      \"brightness_max\":255,\n      \"skin_celsius\":null,\n"
		"      \"cpu_celsius\":null,\n      \"cpu_cooling\":null\n";
	struct statvfs disk;
	const char *json;
	uint64_t floor;

	/* It ends by itself. */
	begin("/nonexistent");
	assert_int_equal(live_signal(0), 1);
	wait_until_logged("/nonexistent");
	start();
	wait_until_logged("started: jankd ");
	live_frames(20);
	live_wait_event(",device,\"battery 81 %, 31.2 C, screen on, brightness 120/255\"\n");
	assert_contains(scratch_get("out/session.json"), "\"end\":null");
	scratch_put(BATTERY "/capacity", "80\n");
	live_set("tracing_on", "0\n");
	wait_until_logged("another program set tracing_on to 0");
	live_stop();
	wait_until_logged("stopped after ");
	json = scratch_get("out/session.json");
	assert_contains(json, formatted(values, "start", 81), formatted(values, "end", 80),
			"\"oom_score_adj\":-800");
	assert_string_equal(scratch_get("phone/sys/power/wake_lock"), "");
	/* Disk space is kept free. */
	assert_int_equal(statvfs(scratch_root, &disk), 0);
	floor = (uint64_t)disk.f_blocks / 20 * disk.f_frsize;
	if (floor > UINT64_C(500) << 20)
		floor = UINT64_C(500) << 20;
	assert_contains(json, formatted("\"min_free\":%llu,", (unsigned long long)floor));
}

/* --- sleep --- */

/* How often the threads of a process have slept; negative: unknown. */
static long sleeps(pid_t pid)
{
	char line[128];
	long sum = 0, n = -1;
	glob_t tasks;

	glob(formatted("/proc/%d/task/*/status", (int)pid), 0, NULL, &tasks);
	for (size_t i = 0; i < tasks.gl_pathc; i++) {
		FILE *file = fopen(tasks.gl_pathv[i], "r");

		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
				sum += n;
		if (file)
			fclose(file);
	}
	globfree(&tasks);
	return n < 0 ? -1 : sum;
}

/* Waits until nothing has woken up the capture for four of the longest periods. */
static void wait_until_asleep(void)
{
	double window = 4 * (double)periods.drain_most_ns / 1e9, since = 0;
	long before = 0;

	do {
		double begin = program_seconds();

		wait_until(sleeps(live_pid) != before || program_seconds() - begin > window);
		since = program_seconds() - begin;
		before = sleeps(live_pid);
	} while (since <= window);
}

/* Though nothing is drawn, timers wake it up. */
static void is_awake(void)
{
	long before = sleeps(live_pid);

	sleep(2);
	assert_true(sleeps(live_pid) > before);
}

static void needs_counts(void)
{
	if (sleeps(getpid()) >= 0)
		return;
	print_message("/proc/PID/task/TID/status has no voluntary_ctxt_switches\n");
	skip();
}

static void start_with_the_screen(const char *brightness)
{
	scratch_put(LIGHT "/brightness", brightness);
	options.min_free_given = true;
	start();
	live_frames(30);
	live_wait_rows("frames.csv", 30);
}

/* With tags of atrace jankd runs getprop with each tick, also one that a client has caused. The end
 * of a slow one would cause the next tick. */
TEST(nothing_wakes_a_device_whose_screen_is_off)
{
	size_t queries;

	needs_counts();
	fake_device_set(FLAGS, "0x400");
	options.no_atrace = false;
	start_with_the_screen("0\n");
	wait_until_asleep();
	queries = strlen(scratch_get("device/queries"));
	assert_int_equal(live_ask("mark", "night"), 0);
	live_wait_event(",mark,night\n");
	wait_until_asleep();
	assert_int_equal(strlen(scratch_get("device/queries")), queries);
	/* Another program that changes the trace wakes it up. */
	live_set("tracing_on", "0\n");
	live_wait_event("set tracing_on to 0");
	live_wait_setting("tracing_on", "1");
	wait_until_asleep();
	/* And so does the source. After the night the tags are watched again. */
	fake_device_set(FLAGS, "0x8");
	scratch_put(LIGHT "/brightness", "9\n");
	live_frames(30);
	live_wait_rows("frames.csv", 60);
	wait_for_text("device/log", "--only_userspace gfx view");
	sleep(6);
	is_awake();
	live_stop();
}

/* The thread that writes the files does it, when it is woken up. */
TEST(rows_are_synced_before_the_device_sleeps)
{
	needs_counts();
	options.sync_ns = 5 * SECOND;
	options.duration_ns = 13 * SECOND;
	start_with_the_screen("0\n");
	sleep(4);
	is_awake();
	wait_until_asleep();
	/* It ends though it sleeps. */
	live_end();
}
