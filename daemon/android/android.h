/* SPDX-License-Identifier: Apache-2.0 */
/* Android's own programs, the processes of apps, and what jankd does only on a device.
 *
 * Each program runs as a child process (base/child.h) with a deadline, so one that hangs does not
 * block jankd. child_program_exists() checks whether this machine has a program.
 *
 *     atrace.c         atrace: enables what apps and the kernel write into the trace
 *     properties.c     getprop and setprop: tags of atrace, model of the device
 *     android_probe.c  dumpsys during a capture: app in the foreground, period of the display,
 *                      durations of frames
 *     dumpsys.c        parses the output of dumpsys
 *     app_watch.c      finds the processes of one app in /proc, and when the last one ends
 *     device_state.c   battery, screen and temperatures, from sysfs
 *     background.c     the CPUs on which jankd runs, and its oom_score_adj
 *     latency_poll.c   dumpsys during a capture: present fences of layers
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

#include "daemon/base/child.h"
#include "daemon/base/device_values.h"
#include "daemon/base/loop.h"
#include "daemon/base/options.h"
#include "daemon/base/status.h"
#include "parser/span.h"
#include "parser/surfaceflinger_dump.h"
#include "rules/base/rate_limit.h"
#include "rules/beside/present_fence.h"
#include "rules/language/surface.h"
#include "rules/pipeline.h"

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

/* Runs that command, until a signal at most. Returns 0, or -errno after the reason was reported. */
int atrace_start(uint64_t buffer_kb, const char *categories);

/* Checks that atrace has all @categories. @why: set to the first one that it does not have, or to
 * the reason why they cannot be listed. Returns 0; 1 if one is missing; or -errno: -ENOENT if this
 * machine has no atrace. */
#define ATRACE_WHY_SIZE 160
int atrace_check(const char *categories, char why[static ATRACE_WHY_SIZE]);

/* Ends tracing. A failure is reported as a warning, unless @quiet. @until_signal: see child_run().
 */
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

/* --- dumpsys.c ---
 *
 * Parses what dumpsys prints about the app in the foreground and the display's period, in each
 * version of Android. Names of windows come from apps and may be any text. */

#define DUMPSYS_NAME_SIZE 512

/* What a line names. A name of higher rank replaces one of lower rank. */
enum dumpsys_rank {
	DUMPSYS_NOTHING,
	DUMPSYS_APP,	/* the app with the focus */
	DUMPSYS_WINDOW, /* the window with the focus */
	DUMPSYS_DISPLAY /* the window with the focus, on the display with the focus */
};

/* All zeros before the first line. */
struct dumpsys_focus {
	enum dumpsys_rank rank;	      /* of the name */
	enum dumpsys_rank block;      /* of the current list, from its headline */
	uint64_t display;	      /* with the focus; 0 before its line */
	bool is_past;		      /* the lines describe the last ANR, not the current state */
	char name[DUMPSYS_NAME_SIZE]; /* "package/activity" with the full class name; or "" */
};

/* Parses the next line of 'dumpsys input' or 'dumpsys window'. 'dumpsys input' names the focused
 * window in different ways: up to Android 9 in a line of its own, up to 11 with hasFocus=true,
 * since 10 in a list with one window for each display. */
void dumpsys_focus_line(struct dumpsys_focus *focus, struct span line);

/* The display's period in ns: the first line of 'dumpsys SurfaceFlinger --latency'. 0 if @line is
 * not a period of 2 ms to 1 s. */
uint64_t dumpsys_period_ns(struct span line);

/* The refresh rates of the displays' modes, in mHz, without repetitions. All zeros at first. */
#define DUMPSYS_RATES_MAX 16

struct dumpsys_rates {
	unsigned int mhz[DUMPSYS_RATES_MAX];
	unsigned int n;
};

/* Adds the rates in @text, the output of 'dumpsys display': "fps=60.000004" of each mode. Further
 * ones than DUMPSYS_RATES_MAX are left out. */
void dumpsys_add_rates(struct dumpsys_rates *rates, struct span text);

/* --- android_probe.c ---
 *
 * Runs dumpsys during a capture. It queries the display's period and the durations of frames once,
 * and the app in the foreground at the start and each time a window of another app begins to draw.
 * The pipeline holds frames until their vsyncs arrive, which takes longer than dumpsys. Without an
 * answer, it counts them without the app. */

struct android_probe {
	struct pipeline *pipeline; /* borrowed, as ->context */
	void (*event)(void *context, const char *kind, const char *text);
	void *context;
	struct loop *loop;
	bool is_available;  /* dumpsys exists */
	struct child focus; /* dumpsys, while it runs */
	/* dumpsys SurfaceFlinger: one query at a time, as each holds it up. */
	struct child display;
	enum display_query {
		DISPLAY_PERIOD,	   /* the period, in the first line */
		DISPLAY_VSYNC,	   /* the durations that SurfaceFlinger plans for a frame */
		DISPLAY_SCHEDULER, /* the same, if DISPLAY_VSYNC has none, as on Android 14 */
	} query;
	bool has_line;			 /* the first line was read */
	struct surfaceflinger_dump dump; /* the output so far */
	bool wants_durations;
	struct dumpsys_focus found; /* from the output of ->focus */
	bool use_window; /* run 'dumpsys window', because 'dumpsys input' does not name the app */
	/* Of the query that runs, or of the last one: */
	uint64_t since_ns;	   /* trace time from which its answer is valid; 0: the start */
	uint64_t uncertain_ns;	   /* trace time since which the pipeline was uncertain */
	bool is_second;		   /* the previous query had the same ->uncertain_ns */
	char new_app[APP_SIZE];	   /* the app that began to draw then */
	struct rate_limit queries; /* of the app in the foreground */
};

/* Starts the first queries, if dumpsys exists: for the values that @options does not have. The
 * caller has set ->pipeline, ->event and ->context; all other members are zero. ->event is called
 * with "focus" and the activity in the foreground at the start. @loop: borrowed. */
void android_probe_begin(struct android_probe *probe, const struct options *options,
			 struct loop *loop);

/* Starts a query if the pipeline is uncertain about the app in the foreground. Call it after
 * records were read. */
void android_probe_follow(struct android_probe *probe);

/* Call it every second or two while a query runs. */
void android_probe_tick(struct android_probe *probe);

/* Runs dumpsys to its end, for at most 10 s: sets the display's period in ns, 0 if it is unknown,
 * and the rates of its modes. Returns false if this machine has no dumpsys. */
bool android_display_read(uint64_t *period_ns, struct dumpsys_rates *rates);

/* True: a query runs. */
bool android_probe_runs(const struct android_probe *probe);

/* Ends the queries. May be called in any state. */
void android_probe_end(struct android_probe *probe);

/* --- latency_poll.c ---
 *
 * Polls the present fences of layers with 'dumpsys SurfaceFlinger --latency' instead of reading a
 * trace.
 *
 *     scan     every 5 s: --list, then --latency of each name that may have buffers. A layer whose
 *              ring has fresh rows lives
 *     poll     between scans only the living layers, twice in the time in which a ring of 127
 *              frames is overwritten
 *
 * Layers that --include and --exclude leave out are only listed.
 *
 * Frames are passed on in the order of their times. A layer that is not polled between scans may
 * have frames, too, so only those from before the last scan can be passed on. */

struct latency_calls {
	void (*frame)(void *context, const struct present_fence *frame);
	/* All frames up to @until_ns were passed on. Times are those of the boot clock. */
	void (*passed)(void *context, uint64_t until_ns);
	void (*event)(void *context, const char *kind, const char *text);
	void *context;
};

struct latency_poll;

/* Begins with a scan. Frames from now on count. @options, @loop: borrowed. NULL: out of memory. */
struct latency_poll *latency_poll_begin(const struct options *options, struct loop *loop,
					const struct latency_calls *calls);

/* Starts the next run if one is due. To be called after each wakeup. @poll may be NULL. */
void latency_poll_follow(struct latency_poll *poll);

/* When it has to be called, on the clock of loop_now(). UINT64_MAX: @poll is NULL. */
uint64_t latency_poll_next(const struct latency_poll *poll);

/* Reads the living layers a last time, and passes all frames on. Takes 2 s at most. */
void latency_poll_finish(struct latency_poll *poll);

/* Frees it, which may be NULL. Returns NULL. */
struct latency_poll *latency_poll_end(struct latency_poll *poll);

const struct status_latency *latency_poll_counts(const struct latency_poll *poll);

/* Longer names are compared by their first bytes. */
#define NEAREST_NAME_BYTES 128

/* The number of bytes to insert, remove or replace to make one name from the other (Levenshtein's
 * distance). */
unsigned int nearest_name_distance(const char *a, const char *b);

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
