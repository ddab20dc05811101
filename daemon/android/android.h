/* SPDX-License-Identifier: Apache-2.0 */
/* Android's own programs, the processes of apps, and what jankd does only on a device.
 *
 * Each program runs as a child process (base/child.h) with a deadline, so one that hangs does not
 * block jankd. child_program_exists() checks whether this machine has a program.
 *
 *     atrace.c         atrace: enables what apps and the kernel write into the trace
 *     properties.c     getprop and setprop: tags of atrace, model of the device
 *     android_probe.h  dumpsys during a capture: app in the foreground, period of the display,
 *                      durations of frames
 *     dumpsys.c        parses the output of dumpsys
 *     app_watch.c      finds the processes of one app in /proc, and when the last one ends
 *     device_state.c   battery, screen and temperatures, from sysfs
 *     background.c     the CPUs on which jankd runs, and its oom_score_adj
 *     latency_poll.h   dumpsys during a capture: present fences of layers
 *     logcat.c         lines in the device's log
 *
 * Read atrace.c first: it runs a program to its end. android_probe.c runs one beside the event loop
 * of a capture. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_H
#define JANKD_DAEMON_ANDROID_ANDROID_H

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/android/android_probe.h"
#include "daemon/android/latency_poll.h"
#include "daemon/base/device_values.h"
#include "daemon/base/loop.h"
#include "daemon/base/status.h"
#include "rules/base/rate_limit.h"

/* --- atrace.c ---
 *
 * atrace enables tracing for a list of categories: it sets properties that apps read (the tags) and
 * settings of tracefs. */

/* Limits of jankd; atrace itself accepts more. */
#define ATRACE_CATEGORIES_MAX 32
#define ATRACE_WORDS_SIZE 1024

/* Deadline of atrace: it clears and resizes the kernel's buffers, and at the end prints them. */
#define ATRACE_TIMEOUT_MS 20000

/* A command line of atrace. It points into itself, so it must not be copied. */
struct atrace_command {
	char *argv[ATRACE_CATEGORIES_MAX + 6]; /* ends with a NULL */
	char words[ATRACE_WORDS_SIZE];
	char size[24];
};

/* Returns true if @categories is a list for atrace: 1 to ATRACE_CATEGORIES_MAX words, separated by
 * blanks or commas. No word may begin with '-', like an option. */
bool atrace_are_categories(const char *categories);

/* Sets @command to atrace -b @buffer_kb -c --async_start @categories. @tags_alone: to the command
 * that sets only the tags; atrace has it since Android 9. */
void atrace_make_command(struct atrace_command *command, uint64_t buffer_kb, const char *categories,
			 bool tags_alone);

/* Runs that command. Returns 0, or -errno after the reason was reported. @until_signal, here and
 * below: see child_run(). */
int atrace_start(uint64_t buffer_kb, const char *categories, bool until_signal);

/* Checks that atrace has all @categories. @why: set to the first one that it does not have, or to
 * the reason why they cannot be listed. Returns 0; 1 if one is missing; or -errno: -ENOENT if this
 * machine has no atrace. */
#define ATRACE_WHY_SIZE 160
int atrace_check(const char *categories, char why[static ATRACE_WHY_SIZE]);

/* Ends tracing. A failure is reported as a warning, unless @quiet. */
void atrace_stop(int timeout_ms, bool until_signal, bool quiet);

/* --- properties.c ---
 *
 * Android's system properties, through getprop and setprop. */

/* A time limit for several calls of getprop and setprop together: four seconds from the begin, and
 * two for each, as a service that hangs is known by then. */
struct property_budget {
	int64_t deadline_ms; /* CLOCK_MONOTONIC */
	bool until_signal;   /* see child_run() */
	bool is_over;	     /* getprop does not exist, or gave no answer: it is not run again */
};

struct property_budget property_budget_begin(bool until_signal);

/* Reads a property; one that is not set is "". Returns false, with "", if it cannot be read. */
bool android_getprop(struct property_budget *budget, const char *name, char *value, size_t size);

/* Returns 0 or -errno; -EACCES if setprop failed. */
int android_setprop(struct property_budget *budget, const char *name, const char *value);

/* Opens the number that the C library of Android adds 1 to whenever any property is set: the serial
 * of its property area (bionic, libc/system_properties/prop_area.h). @root: prefix of its path.
 * Returns a descriptor, or -1 if this device has none. The caller closes it. */
int property_serial_open(const char *root);

/* Returns that number, or -1 if it is unknown. */
int64_t property_serial_read(int fd);

/* Reads them; those that cannot be read are "". */
void android_device_read(struct property_budget *budget, struct android_device *device);

/* --- app_watch.c ---
 *
 * --until-exit: waits until an app runs, and then until its last process has ended. */

struct app_watch {
	const char *app; /* NULL: nothing to do */
	DIR *proc;	 /* NULL: not opened yet */
	struct loop *loop;
	/* One process of the app. At its end, another one is searched for. */
	pid_t pid;		/* 0: none */
	bool has_run;		/* there was one */
	struct watcher process; /* its pidfd; before Linux 5.3 there is none, and ticks poll */
};

/* Watches the processes of @app. @watch must not move. @app: as in the first argument of a process:
 * "com.example.app" also matches "com.example.app:remote"; borrowed. NULL: this and the functions
 * below do nothing. @loop: borrowed, open until app_watch_end(). */
void app_watch_begin(struct app_watch *watch, const char *app, struct loop *loop);

/* Call it once a second: searches for an app that does not run yet, or no longer. Returns true
 * once: the app has run, and its last process has ended. */
bool app_watch_tick(struct app_watch *watch);

/* Stops watching. May be called in any state, before the loop is closed. */
void app_watch_end(struct app_watch *watch);

/* --- device_state.c ---
 *
 * Battery, screen and temperatures of the device, from sysfs: Android has no service that could be
 * asked without a child process. The files are found and opened once, and then read again and
 * again, so a reading costs some microseconds.
 *
 *     /sys/class/power_supply/(type Battery)   capacity, temp, status
 *     /sys/class/backlight, leds/lcd-backlight brightness, bl_power
 *     /sys/class/drm/(DSI or eDP connector)    dpms
 *     /sys/class/thermal/thermal_zone(skin, battery, cpu)     temp
 *     /sys/class/thermal/cooling_device(cpufreq, cpu)         cur_state
 *
 * Android's own thermal status is in no file. What a device does not have, or does not let this
 * user read, is unknown. */

/* A device has up to a hundred thermal zones, several of them for each CPU. */
#define DEVICE_STATE_FILES_MAX 32

/* Bytes of an event's text with its NUL. */
#define DEVICE_STATE_TEXT 256

/* What a file says. */
enum device_file_kind {
	DEVICE_FILE_CAPACITY,
	DEVICE_FILE_BATTERY_TEMP, /* tenths of a degree */
	DEVICE_FILE_STATUS,
	DEVICE_FILE_BRIGHTNESS,
	DEVICE_FILE_BL_POWER, /* of the light before it */
	DEVICE_FILE_DPMS,
	DEVICE_FILE_ZONE_SKIN,
	DEVICE_FILE_ZONE_BATTERY,
	DEVICE_FILE_ZONE_CPU,
	DEVICE_FILE_COOLING,
};

struct device_state {
	struct device_file {
		enum device_file_kind kind;
		int fd;
		int max; /* DEVICE_FILE_BRIGHTNESS: the driver's maximum, or DEVICE_UNKNOWN */
	} files[DEVICE_STATE_FILES_MAX];
	unsigned int n_files;
	struct device_values reported; /* of the last event */
	uint64_t next_ns;	       /* the next event, on the clock of the caller */
};

/* Finds and opens the files. @root: prefix of all paths, "" for those of the kernel; NULL: this is
 * no Android device, and no value is known. */
void device_state_open(struct device_state *state, const char *root);

/* Reads all values. */
struct device_values device_state_read(const struct device_state *state);

/* Reads only the files of the screen. True: the screen is known to be off. */
bool device_state_is_screen_off(const struct device_state *state);

/* True: an event is due: at the first call that finds a value; after that once a minute at most, if
 * a value has changed by more than noise. @now_ns: any clock that does not go back. @text: set to
 * "battery 81 % (-1), 31.2 C, discharging, screen on, brightness 120/255, skin 34.1 C" */
bool device_state_event(struct device_state *state, uint64_t now_ns,
			char text[static DEVICE_STATE_TEXT]);

/* May be called in any state. */
void device_state_close(struct device_state *state);

/* --- background.c ---
 *
 * Where a capture runs on an Android device: on the little CPUs, so that it never takes a big one
 * from the app that is measured, and late in the order in which the device ends processes when
 * memory is short.
 *
 *     /proc/self/oom_score_adj                 set to -800 if it is higher and this user may
 *     /dev/cpuset/background, system-background    entered, if this user may
 *     sched_setaffinity()                      to those of the allowed CPUs that are the slowest
 *
 * Child processes (atrace, dumpsys) get back what this process had before. */

struct background {
	const char *root;      /* NULL: not entered */
	int oom_before;	       /* or DEVICE_UNKNOWN */
	cpu_set_t cpus_before; /* of this thread */
	bool has_new_cpus;     /* ->cpus_before differ from the current ones */
	char home[256];	       /* the cpuset before, from its root: "/"; "": unknown */
	const char *cpuset;    /* the name of the entered one; NULL: none. Constant */
};

/* To be called while this process has one thread: later threads get the same. @root: prefix of all
 * paths, "" for those of the kernel; borrowed; NULL: this is no Android device, and nothing is
 * changed. What is not allowed is not changed. */
void background_enter(struct background *background, const char *root);

/* Gives a child process what this process had before background_enter(). @background: a struct
 * background. */
void background_release(void *background, pid_t child);

/* Sets @process to what is in effect now. */
void background_read(const struct background *background, struct status_process *process);

/* --- logcat.c ---
 *
 * Lines in Android's log, with the tag jankd: 'adb logcat -s jankd' shows them.
 *
 * A line is a datagram to the socket of logd, Android 5 and later. Earlier versions have a device
 * file of the kernel instead (/dev/log/main), which is not supported. */

/* The values of android/log.h. */
enum logcat_priority { LOGCAT_INFO = 4, LOGCAT_WARNING = 5 };

struct logcat {
	int fd; /* -1: nothing is written */
	const char *root;
	struct rate_limit limit;
	unsigned int left_out; /* lines since the last one that was written */
};

#define LOGCAT_CLOSED ((struct logcat){ .fd = -1 })

/* @root: prefix of the socket's path, "" for that of the device; borrowed; NULL: this is no Android
 * device, and nothing is written. */
void logcat_open(struct logcat *logcat, const char *root);

/* Writes a line; @text: any bytes. Never waits: without logd, or if it does not keep up, the line
 * is dropped. At most 30 lines a minute are written; the next one has the number of those that were
 * left out. */
void logcat_write(struct logcat *logcat, enum logcat_priority priority, const char *text);

/* May be called in any state. */
void logcat_close(struct logcat *logcat);

#endif
