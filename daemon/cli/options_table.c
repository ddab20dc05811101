/* SPDX-License-Identifier: Apache-2.0 */
/* To add an option: a field in struct options (base/options.h), its default in options_default(),
 * and a row here. A value of a new kind needs a case in options_parse.c. */
#include "daemon/cli/options_table.h"

#include <stdint.h>

#define RUN (1U << OPTIONS_RUN)
#define START (1U << OPTIONS_START)
#define ANALYZE (1U << OPTIONS_ANALYZE)
#define STATUS (1U << OPTIONS_STATUS)
#define FILES (1U << OPTIONS_FILES)
#define DOCTOR (1U << OPTIONS_DOCTOR)

/* Commands that capture; that count frames; that need the folder of a capture. */
#define CAPTURE (RUN | START)
#define COUNT (CAPTURE | ANALYZE)
#define CONNECT                                                                                    \
	((1U << OPTIONS_STOP) | STATUS | (1U << OPTIONS_TOP) | (1U << OPTIONS_MARK) |              \
	 (1U << OPTIONS_ROTATE) | FILES | DOCTOR)
#define ALL ((1U << OPTIONS_COMMANDS) - 1)

/* The offset of field @name; the compiler refuses a field that is not a @type. */
#define FIELD(type, name)                                                                          \
	(offsetof(struct options, name) +                                                          \
	 0 * sizeof((type *)NULL == &((struct options *)NULL)->name))

/* The kind of an option's value, and the field that it sets. */
#define SETS(of_kind, type, name) .kind = OPTION_##of_kind, .field = FIELD(type, name)

/* Enough for a header line and some rows. */
#define ROTATE_SIZE_MIN 4096

const struct option_row options_table[] = {
	/* --- run, start and analyze --- */
	{ "target", 't', "FPS", COUNT, SETS(NUMBER, double, pipeline.target_fps),
	  .limits = { 0.001, 10000, "a frame rate" },
	  .help = "frame rate that gets the full score (the display's refresh rate during "
		  "the row's own intervals; 60 if it is unknown)" },
	{ "kpi", 'k', "MS", COUNT, .alias = "KPI", SETS(MS, uint64_t, pipeline.kpi_ns),
	  .limits = { 0.001, 1e6, "a number of milliseconds" },
	  .help = "frame time that the score counts as acceptable (100)" },
	{ "type", 'T', "0..4", COUNT, SETS(SMALL_COUNT, unsigned int, pipeline.type),
	  .limits = { 0, 4, "a number" },
	  .help = "rows to write. 0: fps.csv; 1: fps.csv, and dropFrames.csv with frames of "
		  "42 ms or more; 2: fps.csv, and dropFrames.csv with frames of more than "
		  "one vsync; 3 and 4: as 1 and 2, but without fps.csv (0)" },
	{ "delay", 'd', "S", COUNT, SETS(SECONDS, uint64_t, pipeline.delay_ns),
	  .limits = { 0, 1e6, "a number of seconds" },
	  .help = "check every S seconds of trace time whether a row of fps.csv is complete "
		  "(1)" },
	{ "frames", 'f', "N", COUNT, SETS(COUNT, uint64_t, pipeline.min_frames),
	  .limits = { 0, UINT32_MAX, "a number of frames" },
	  .help = "a row is complete if it has more than N frames (20)" },
	{ "folder", 'F', "DIR", COUNT, SETS(TEXT, const char *, folder), .is_once = true,
	  .help = "output folder (/data/local/tmp/fps if /data/local/tmp exists, else "
		  "./fps); files that are already there are kept and renamed to "
		  "NAME-000001.csv and so on" },
	{ "rules", 0, "NAME|FILE", COUNT, SETS(TEXT, const char *, rules), .is_path = true,
	  .help = "rule set: default, gfx2019, or a rule file (default)" },
	{ "focus", 0, "APP/ACTIVITY", COUNT, SETS(FOCUS, const char *, pipeline.focus),
	  .help = "the app in front at the start; APP alone is enough" },
	{ "include", 0, "GLOB", COUNT, SETS(GLOB, const char *, include[0]),
	  .help = "count only surfaces that match; may be repeated" },
	{ "exclude", 0, "GLOB", COUNT, SETS(GLOB, const char *, exclude[0]),
	  .help = "do not count surfaces that match; may be repeated. A GLOB matches the "
		  "whole Surface column, or the whole app in the layer's name; '*' is any "
		  "text, '?' any one character" },
	{ "vsync-ms", 0, "MS", COUNT, SETS(MS, uint64_t, pipeline.vsync_ns),
	  .limits = { 2, 1000, "a period in milliseconds" },
	  .help = "the display's period, for a trace without vsyncs: 2 to 1000; not used if "
		  "presents do not fit it" },
	{ "frames-log", 0, NULL, COUNT, SETS(FLAG, bool, frames_log),
	  .help = "also write frames.csv, one row for each frame" },
	{ "rotate-size", 0, "BYTES", COUNT, SETS(BYTES, uint64_t, rotate_size),
	  .limits = { .least = ROTATE_SIZE_MIN },
	  .help = "begin a new segment before a file becomes larger than this (K, M or G may "
		  "follow); a longer row gets a segment of its own. The files of a closed "
		  "segment are renamed to NAME-000001.csv and so on, all with the same "
		  "number" },
	{ "rotate-time", 0, "S", COUNT, SETS(SECONDS, uint64_t, rotate_time_ns),
	  .limits = { 0.001, 1e8, "a number of seconds" },
	  .help = "begin a new segment every S seconds of trace time" },
	{ "keep", 0, "N", COUNT, SETS(COUNT, uint64_t, keep),
	  .limits = { 1, UINT32_MAX, "a number of segments" },
	  .help = "keep the newest N closed segments, including those of earlier sessions, "
		  "and delete older ones (keep all)" },
	{ "min-free", 0, "BYTES", COUNT, SETS(BYTES, uint64_t, min_free),
	  .given = FIELD(bool, min_free_given),
	  .help = "keep this much disk space free: jankd deletes the oldest segments, except "
		  "events.csv; if that is not enough, it stops writing frames.csv, then "
		  "frametimeline.csv, dropFrames.csv, doframe.csv, latency.csv and last "
		  "fps.csv, until there is space again (run and start on Android: 5 % of the "
		  "file system or 500M, whichever is less; otherwise 0, no limit)" },
	{ "min-free", 0, "BYTES", DOCTOR, SETS(BYTES, uint64_t, min_free),
	  .given = FIELD(bool, min_free_given),
	  .help = "report if less disk space than this is free (on Android: 5 % of the file "
		  "system or 500M, whichever is less; otherwise 0, no limit)" },
	{ "sync", 0, "S", COUNT, SETS(SECONDS, uint64_t, sync_ns),
	  .limits = { 0.001, 1e8, "a number of seconds" },
	  .help = "sync the rows to the disk every S seconds, so that a power failure loses "
		  "few rows (only when a segment is closed)" },
	{ "snapshot", 0, "MS", COUNT, SETS(MS, uint64_t, snapshot_ns),
	  .limits = { 0.001, 1e6, "a number of milliseconds" },
	  .help = "save the trace around a frame that is at least MS late, for "
		  "ui.perfetto.dev and 'jankd analyze': snapshot-000001.txt and so on. A "
		  "frame's lateness is its interval minus the layer's cadence: the most "
		  "frequent of the layer's last 16 intervals, while it draws continuously. A "
		  "freeze is late, idle time is not. At most one snapshot is saved in 10 s, and "
		  "only the newest 64 are kept. In a recorded trace with lost events, some "
		  "intervals near a loss are counted that are unknown without this option" },
	{ "snapshot-seconds", 0, "S", COUNT, SETS(SECONDS, uint64_t, snapshot_length_ns),
	  .given = FIELD(bool, snapshot_length_given),
	  .limits = { 0.1, 600, "a number of seconds" },
	  .help = "trace time in a snapshot; a fifth of it, at most 1 s, is after the frame. "
		  "A snapshot is shorter if the trace does not fit into memory: 2 MB for "
		  "each second, 16 to 64 MB in all (10)" },
	{ "trigger", 0, "EXPR", COUNT, SETS(TRIGGER, const char *, trigger),
	  .help = "write only the rows of the time in which EXPR is true, and of the 5 s "
		  "before. EXPR is 'fps<30' (over the last second of a surface's frames) or "
		  "'interval>100ms' (of one frame or freeze), with <, <=, > or >=. After it, "
		  "'for 3s' (it was true at each frame for that time) and 'on GLOB' (surfaces "
		  "that match, as in --include) are optional: \"fps<30 for 3s on com.game*\". EXPR "
		  "stays true until 1 s after the last frame that meets it. A GLOB that matched no "
		  "surface is reported at the end" },
	{ "class", 0, "app|game|map|video", COUNT, SETS(CLASS, enum app_class, pipeline.app_class),
	  .help = "class of all apps, for the rule of the Software Green Alliance: while an "
		  "app draws continuously, the class app needs 55 frames per second, and the "
		  "others 25 (detected for each surface, and marked with '?')" },
	{ "max-surfaces", 0, "N", COUNT, SETS(SMALL_COUNT, unsigned int, pipeline.max_series),
	  .limits = { 16, 4096, "a number" },
	  .help = "series in memory at a time with --rules gfx2019 (256); other rules always "
		  "have space for 4096 layers and surfaces" },
	{ "max-threads", 0, "N", COUNT, SETS(SMALL_COUNT, unsigned int, pipeline.max_threads),
	  .limits = { 16, 4096, "a number" },
	  .help = "threads whose slices are known at a time (256)" },
	{ "stdout", 0, NULL, RUN | ANALYZE, SETS(FLAG, bool, to_stdout), .is_once = true,
	  .help = "print the rows of fps.csv as they are written, instead of the table" },
	/* Parsed, so that options_parse.c refuses it with a better reason than 'unknown option'. */
	{ "stdout", 0, NULL, START, SETS(FLAG, bool, to_stdout), .is_once = true },
	/* --- run and start --- */
	{ "source", 0, "auto|text|raw|latency", CAPTURE, SETS(SOURCE, enum options_source, source),
	  .help = "how events are read. raw: trace_pipe_raw, which is much cheaper, and no "
		  "app can forge a line in it; text: trace_pipe; auto: raw if it can be "
		  "read, but text with --snapshot; latency: instead of a trace, the present "
		  "fences that dumpsys SurfaceFlinger --latency prints, also written to "
		  "latency.csv (auto)" },
	{ "tracefs", 0, "DIR", CAPTURE | DOCTOR, SETS(TEXT, const char *, tracefs), .is_path = true,
	  .help = "where tracefs is mounted (detected)" },
	{ "instance", 0, "NAME", CAPTURE, SETS(INSTANCE, const char *, instance),
	  .help = "trace instance to read; if it does not exist, it is created, and removed "
		  "at the end (the top level)" },
	{ "instance", 0, "NAME", DOCTOR, SETS(INSTANCE, const char *, instance),
	  .help = "trace instance to check; it is not created (the top level)" },
	{ "buffer-kb", 0, "N", CAPTURE, SETS(COUNT, uint64_t, buffer_kb),
	  .given = FIELD(bool, buffer_given), .limits = { 4, 4194304, "a number of KB" },
	  .help = "size of the trace buffer per CPU, in KB, restored at the end (1024; but "
		  "the buffer of an existing instance, and a larger one of the top level, "
		  "keep their size)" },
	{ "categories", 0, "\"LIST\"", CAPTURE | DOCTOR, SETS(CATEGORIES, const char *, categories),
	  .given = FIELD(bool, categories_given),
	  .help = "categories that atrace enables (\"gfx view\")" },
	{ "device-id", 0, "ID", CAPTURE, SETS(DEVICE_ID, const char *, device_id),
	  .help = "id of the device in session.json (the property ro.serialno; without it a "
		  "random one, which later captures into the folder keep)" },
	{ "no-atrace", 0, NULL, CAPTURE, SETS(FLAG, bool, no_atrace),
	  .help = "do not run atrace, even if it is installed" },
	{ "no-frametimeline", 0, NULL, CAPTURE, SETS(FLAG, bool, no_frametimeline),
	  .help = "do not run perfetto for frametimeline.csv, even on Android 12 or later" },
	{ "yield", 0, NULL, CAPTURE, SETS(FLAG, bool, yield),
	  .help = "if another program switches tracing or tags off or makes the buffers "
		  "smaller, leave it so instead of restoring them" },
	{ "wait", 0, "S", CAPTURE, SETS(SECONDS, uint64_t, wait_ns),
	  .limits = { 0.001, 1e8, "a number of seconds" },
	  .help = "start counting after S seconds of wall time; the setup is done before" },
	{ "duration", 0, "S", CAPTURE, SETS(SECONDS, uint64_t, duration_ns),
	  .limits = { 0.001, 1e8, "a number of seconds" },
	  .help = "end after S seconds of wall time, not counting those of --wait" },
	{ "until-exit", 0, "APP", CAPTURE, SETS(TEXT, const char *, until_exit),
	  .help = "end when the last process of APP has ended. APP is \"com.example.app\" "
		  "with all its processes, or one of them, \"com.example.app:name\". If APP "
		  "is not running yet, jankd waits until it starts" },
	{ "resume", 0, NULL, START, SETS(FLAG, bool, resume), .is_once = true,
	  .help = "use the options of the last capture of the folder, from its "
		  "session.json: after a reboot or a kill, for example. Other options of "
		  "this command replace them. --duration and --wait begin again" },
	{ "json", 0, NULL, ANALYZE, SETS(FLAG, bool, json), .is_once = true,
	  .help = "print the grades as JSON instead of the table: one object, on one line, "
		  "for each file" },
	{ "dumpsys", 0, "FILE", ANALYZE, SETS(TEXT, const char *, dumpsys), .is_once = true,
	  .help = "the output of 'adb shell dumpsys SurfaceFlinger' on the device of the "
		  "traces: how long apps and SurfaceFlinger may work on a frame, and the "
		  "display's period where the trace does not state one. '-' is standard "
		  "input" },
	/* --- stop, status, top, mark, rotate, files, doctor --- */
	{ "json", 0, NULL, STATUS, SETS(FLAG, bool, json),
	  .help = "print the JSON object of session.json, plus running, pid and uptime_s. If "
		  "no capture runs: how the last one ended (ended_by: stop, kill or reboot)" },
	{ "folder", 'F', "DIR", CONNECT, SETS(TEXT, const char *, folder), .is_once = true,
	  .help = "the folder that the capture writes to (as in 'jankd start')" },
	{ "times", 0, NULL, FILES, SETS(FLAG, bool, list_times),
	  .help = "list modification times instead of checksums, which need all bytes to be "
		  "read" },
	{ "read", 0, "NAME", FILES, SETS(TEXT, const char *, read_name),
	  .help = "print this file of the list instead, all bytes from --from on" },
	{ "from", 0, "OFFSET", FILES, SETS(COUNT, uint64_t, read_from),
	  .given = FIELD(bool, read_from_given),
	  .limits = { 0, 999999999999999, "a number of bytes" },
	  .help = "with --read: skip this many bytes (0)" },
	/* --- all --- */
	{ "help", 'h', NULL, ALL, SETS(FLAG, bool, help), .is_once = true,
	  .help = "print this help" },
};

const size_t options_table_rows = sizeof(options_table) / sizeof(options_table[0]);
