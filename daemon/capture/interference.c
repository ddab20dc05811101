/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "daemon/trace/trace.h"
#include "daemon/base/periods.h"
#include "daemon/base/text.h"
#include "daemon/base/wall_clock.h"
#include "parser/chars.h"

#define NS_PER_MS UINT64_C(1000000)
#define MINUTE_NS (60000 * NS_PER_MS)

/* Events in a minute, as other programs can cause any number of them. */
#define EVENTS_MAX 30

/* Restored settings in periods.restores_ns. After that the other program's value stays. */
#define RESTORES_MAX 4

/* Network time adjusts the wall clock continuously. Above this difference its offset is updated,
 * without an event. */
#define DRIFT_NS (2 * (int64_t)NS_PER_MS)

/* In this time it is adjusted by that much at most: 500 ppm. */
#define FOLLOW_WALL_NS (4000 * NS_PER_MS)

/* The delay from a brief change to its report. A write is detected twice: when the file is opened
 * and when it is written. And tools and kernels that empty a trace switch it off for up to 40 ms.
 */
#define RECHECK_NS (100 * NS_PER_MS)

/* An event of events.csv waits until the trace around it was read and counted. */
#define EVENT_WAIT_NS (600 * NS_PER_MS)

/* The kinds whose value is compared as text. */
static const enum interference_kind plain[] = { INTERFERENCE_CPUS, INTERFERENCE_MARKERS,
						INTERFERENCE_OVERWRITE };

#define N_PLAIN (sizeof(plain) / sizeof(plain[0]))

/* Each kind: its file, and the texts in events.csv, which begin with who did it. Tags have no file,
 * they are a property of the device; the format of lines has several. The texts are read later, so
 * they are in the past tense. The value follows, except for INTERFERENCE_OFF. */
static const struct {
	enum trace_setting setting;
	const char *name; /* of the setting */
	const char *changed, *changed_back;
} kinds[INTERFERENCE_KINDS] = {
	[INTERFERENCE_OFF] = { TRACE_SETTING_ON, "tracing_on", "switched tracing off",
			       "switched tracing on again" },
	[INTERFERENCE_CLOCK] = { TRACE_SETTING_CLOCK, "trace_clock", "set the trace clock to",
				 "set the trace clock back to" },
	[INTERFERENCE_SIZE] = { TRACE_SETTING_SIZE, "buffer_size_kb", "shrank the trace buffer to",
				"enlarged the trace buffer again to" },
	[INTERFERENCE_TAGS] = { TRACE_SETTINGS, "the atrace tags",
				"switched off atrace tags of apps, leaving",
				"switched the atrace tags of apps on again:" },
	[INTERFERENCE_CPUS] = { TRACE_SETTING_CPUS, "tracing_cpumask",
				"set tracing_cpumask (the traced CPUs) to",
				"set tracing_cpumask (the traced CPUs) back to" },
	[INTERFERENCE_MARKERS] = { TRACE_SETTING_MARKERS, "options/markers",
				   "switched trace markers off: options/markers",
				   "switched trace markers on again: options/markers" },
	[INTERFERENCE_OVERWRITE] = { TRACE_SETTING_OVERWRITE, "options/overwrite",
				     "made full buffers drop new events: options/overwrite",
				     "made full buffers drop old events again: options/overwrite" },
	[INTERFERENCE_FORMAT] = { TRACE_SETTINGS, "the format of trace lines",
				  "changed the format of trace lines, so they cannot be parsed:",
				  "restored the format of trace lines:" },
};

/* --- events --- */

static void write_event(struct interference *interference, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void write_event(struct interference *interference, const char *format, ...)
{
	char text[352];
	va_list arguments;

	interference->has_reported = true;
	if (interference->event_ns == 0)
		interference->event_ns = loop_now();
	if (!rate_limit_allows(&interference->events, EVENTS_MAX, MINUTE_NS, loop_now())) {
		interference->withheld++;
		return;
	}
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (interference->withheld > 0)
		text_append(text, sizeof(text), " (%u similar events suppressed)",
			    interference->withheld);
	interference->withheld = 0;
	session_event(interference->session, "tracing", "%s", text);
	output_flush(&interference->session->output);
}

/* --- holes --- */

/* Events may be missing since @since_ns. Events from that time may still be read after this call,
 * so the loss is pending until the buffers were read to their end. */
static void add_hole_since(struct interference *interference, uint64_t since_ns)
{
	pipeline_hole(interference->session->pipeline, since_ns);
	session_set_loss_pending(interference->session, true);
}

/* The hole begins when tracing was last known to work. */
static void add_hole(struct interference *interference)
{
	add_hole_since(interference, interference->good_ns);
}

static void add_hole_of(struct interference *interference, enum interference_kind kind)
{
	if (kind == INTERFERENCE_TAGS && interference->tags_good_ns < interference->good_ns)
		add_hole_since(interference, interference->tags_good_ns);
	else
		add_hole(interference);
}

static uint64_t trace_now(const struct interference *interference)
{
	return pipeline_now(interference->session->pipeline);
}

/* --- clocks --- */

static void measure_wall(struct interference *interference)
{
	output_set_clock(&interference->session->output,
			 kernel_clock_measure(interference->values[INTERFERENCE_CLOCK],
					      interference->files));
}

/* The clock that counts from now on. */
static void set_clock(struct interference *interference, const char *clock)
{
	strcpy(interference->values[INTERFERENCE_CLOCK], clock);
	source_set_clock(interference->session->source, clock);
}

/* After this call records have times of another clock. */
static void begin_new_clock(struct interference *interference)
{
	session_new_clock(interference->session, interference->good_ns);
	interference->good_ns = interference->tags_good_ns = interference->tags_query_ns = 0;
}

static void check_clocks(struct interference *interference)
{
	struct clock_change change = clock_watch_compare(&interference->clocks, clock_watch_read());

	/* The wall clock gives events their time, so it is measured before an event is written. */
	if (change.slept_ns || change.stepped_ns)
		measure_wall(interference);
	if (change.slept_ns) {
		add_hole(interference);
		write_event(interference, "the device was suspended for %" PRId64 ".%03d s",
			    change.slept_ns / 1000000000, (int)(change.slept_ns / 1000000 % 1000));
	}
	if (change.stepped_ns) {
		int64_t size_ns = change.stepped_ns < 0 ? -change.stepped_ns : change.stepped_ns;

		write_event(interference, "the wall clock jumped by %s%" PRId64 ".%03d s",
			    change.stepped_ns < 0 ? "-" : "+", size_ns / 1000000000,
			    (int)(size_ns / 1000000 % 1000));
	}
}

static void follow_wall(struct interference *interference)
{
	struct wall_clock now;
	int64_t drift_ns;

	if (interference->wall_ns && loop_now() < interference->wall_ns + FOLLOW_WALL_NS)
		return;
	interference->wall_ns = loop_now();
	now = kernel_clock_measure(interference->values[INTERFERENCE_CLOCK], interference->files);
	drift_ns = now.offset_ns - interference->session->output.clock.offset_ns;
	if (now.known && (drift_ns > DRIFT_NS || drift_ns < -DRIFT_NS))
		output_set_clock(&interference->session->output, now);
}

/* --- changed settings: reported --- */

/* Returns false if it cannot be read. Then @size is not changed. */
static bool read_size(struct buffer_sizes *size, const struct trace_files *files)
{
	char value[SETTING_SIZE];

	if (trace_files_setting(files, TRACE_SETTING_SIZE, value) < 0)
		return false;
	buffer_sizes_read(size, files->path, value);
	return true;
}

/* The option of the format from @which on that differs from the start, or TRACE_SETTINGS. */
static enum trace_setting next_format(const struct interference *interference, int which)
{
	char value[SETTING_SIZE];

	for (; interference->has_format && which < TRACE_SETTINGS; which++)
		if (trace_files_setting(interference->files, (enum trace_setting)which, value) ==
			    0 &&
		    (value[0] == '1') != interference->format[which - TRACE_SETTING_FORMAT])
			return (enum trace_setting)which;
	return TRACE_SETTINGS;
}

/* "options/raw 1, options/hex 1" */
static void print_format(const struct interference *interference, char text[static SETTING_SIZE])
{
	int which = next_format(interference, TRACE_SETTING_FORMAT);

	strcpy(text, which < TRACE_SETTINGS ? "" : "all options as at the start");
	for (; which < TRACE_SETTINGS; which = next_format(interference, which + 1))
		if (!text_append(text, SETTING_SIZE, "%s%s %d", text[0] ? ", " : "",
				 trace_files_name((enum trace_setting)which),
				 !interference->format[which - TRACE_SETTING_FORMAT]))
			break;
}

static int write_format(const struct interference *interference)
{
	int which = next_format(interference, TRACE_SETTING_FORMAT), error = 0;

	for (; error == 0 && which < TRACE_SETTINGS; which = next_format(interference, which + 1))
		error = setting_write(
			interference->path, trace_files_name((enum trace_setting)which),
			interference->format[which - TRACE_SETTING_FORMAT] ? "1" : "0");
	return error;
}

/* The value as it is printed in events. */
static const char *value_of(const struct interference *interference, enum interference_kind kind,
			    char value[static SETTING_SIZE])
{
	struct buffer_sizes size;

	value[0] = '\0';
	if (kind == INTERFERENCE_TAGS)
		snprintf(value, SETTING_SIZE, "0x%" PRIx64, interference->tags.set);
	else if (kind == INTERFERENCE_SIZE && read_size(&size, interference->files))
		buffer_sizes_print(&size, value);
	else if (kind == INTERFERENCE_FORMAT)
		print_format(interference, value);
	else
		trace_files_setting(interference->files, kinds[kind].setting, value);
	return value;
}

static void report_value(struct interference *interference, enum interference_kind kind,
			 const char *who, const char *text)
{
	char value[SETTING_SIZE];

	if (kind == INTERFERENCE_OFF)
		write_event(interference, "%s %s", who, text);
	else
		write_event(interference, "%s %s %s", who, text,
			    value_of(interference, kind, value));
}

static void report_change(struct interference *interference, enum interference_kind kind,
			  bool is_changed, uint64_t since_ns)
{
	interference->changes[kind] =
		(struct interference_change){ .is_changed = is_changed, .since_ns = since_ns };
	interference->set_by_others |= 1u << kinds[kind].setting;
	report_value(interference, kind, "another program",
		     is_changed ? kinds[kind].changed : kinds[kind].changed_back);
}

/* The event is written before the new clock is set, as it has a time of the old one. */
static void update_change(struct interference *interference, enum interference_kind kind,
			  bool is_changed)
{
	if (interference->changes[kind].is_changed == is_changed)
		return;
	report_change(interference, kind, is_changed, loop_now());
	if (kind == INTERFERENCE_CLOCK && !is_changed)
		begin_new_clock(interference);
	else
		add_hole_of(interference, kind);
}

/* --- changed settings: restored --- */

/* Writes of jankd itself are not reported. */
static void ignore_own_writes(struct interference *interference)
{
	trace_watch_read(&interference->watch);
	source_buffers_emptied(interference->session->source);
	cpu_buffer_stats_forget(&interference->buffer, interference->files);
}

static int write_setting(struct interference *interference, enum interference_kind kind)
{
	struct buffer_sizes now;

	if (kind == INTERFERENCE_TAGS)
		return interference_tags_restore(&interference->tags);
	if (kind == INTERFERENCE_SIZE)
		return read_size(&now, interference->files)
			       ? buffer_sizes_grow(interference->path, &now, &interference->size)
			       : 0;
	if (kind == INTERFERENCE_FORMAT)
		return write_format(interference);
	return setting_write(interference->path, trace_files_name(kinds[kind].setting),
			     interference->values[kind]);
}

static void report_restored(struct interference *interference, enum interference_kind kind)
{
	interference->changes[kind].is_changed = false;
	interference->set_by_others &= ~(1u << kinds[kind].setting);
	report_value(interference, kind, "jankd", kinds[kind].changed_back);
	if (kind == INTERFERENCE_CLOCK)
		begin_new_clock(interference);
	else
		add_hole_of(interference, kind);
}

static void restore(struct interference *interference, enum interference_kind kind)
{
	int error = write_setting(interference, kind);

	interference->changes[kind].since_ns = loop_now();
	ignore_own_writes(interference);
	/* Tags are restored when atrace has ended, see on_tags_restored(). */
	if (kind != INTERFERENCE_TAGS && error == 0) {
		report_restored(interference, kind);
	} else if (error < 0) {
		write_event(interference, "jankd could not restore %s: %s", kinds[kind].name,
			    strerror(-error));
	}
}

/* The change is not restored. A clock that counts time is used from now on. */
static void accept_change(struct interference *interference, enum interference_kind kind)
{
	char clock[SETTING_SIZE];

	if (kind != INTERFERENCE_CLOCK ||
	    trace_files_setting(interference->files, TRACE_SETTING_CLOCK, clock) < 0 ||
	    !wall_clock_is_time(clock))
		return;
	interference->changes[kind].is_changed = false;
	begin_new_clock(interference);
	set_clock(interference, clock);
	measure_wall(interference);
}

static void restore_if_due(struct interference *interference, enum interference_kind kind)
{
	struct interference_change *change = &interference->changes[kind];
	bool yield = interference->session->options->yield;

	if (!change->is_changed || loop_now() - change->since_ns < periods.restore_ns)
		return;
	if (!yield && !change->is_accepted &&
	    rate_limit_allows(&interference->restores, RESTORES_MAX, periods.restores_ns,
			      loop_now())) {
		restore(interference, kind);
		return;
	}
	if (!yield && !change->is_accepted)
		write_event(
			interference,
			"another program kept changing settings of the trace, so jankd does not "
			"restore this one: %s",
			kinds[kind].name);
	change->is_accepted = true;
	accept_change(interference, kind);
}

/* --- changed settings: detected --- */

/* A larger buffer does no harm, but resizing has emptied it. */
static void check_size(struct interference *interference)
{
	char value[SETTING_SIZE];
	struct buffer_sizes now;
	bool smaller;

	if (!read_size(&now, interference->files))
		return;
	interference->size_now = now;
	smaller = buffer_sizes_are_smaller(&now, &interference->size);
	if (!smaller && !interference->changes[INTERFERENCE_SIZE].is_changed &&
	    memcmp(now.kb, interference->size.kb, sizeof(now.kb)) != 0) {
		buffer_sizes_print(&now, value);
		write_event(interference, "another program resized the trace buffer to %s", value);
		add_hole(interference);
	}
	update_change(interference, INTERFERENCE_SIZE, smaller);
	if (!smaller)
		interference->size = now;
}

static bool has_file(unsigned int files, enum trace_file file)
{
	return files & 1u << file;
}

static bool is_recheck_due(const struct interference *interference)
{
	return interference->recheck_since_ns > 0 &&
	       loop_now() - interference->recheck_since_ns >= RECHECK_NS;
}

static void check_on(struct interference *interference)
{
	bool written = has_file(interference->brief, TRACE_FILE_ON);
	char value[SETTING_SIZE];
	bool off;

	if (trace_files_setting(interference->files, TRACE_SETTING_ON, value) < 0)
		return;
	off = value[0] == '0';
	if (!off || interference->changes[INTERFERENCE_OFF].is_changed) {
		update_change(interference, INTERFERENCE_OFF, off);
	} else if (written && is_recheck_due(interference)) {
		report_change(interference, INTERFERENCE_OFF, true, interference->recheck_since_ns);
	} else if (!written) {
		/* Tracing may be on again at the recheck, but it was off. */
		interference->brief |= 1u << TRACE_FILE_ON;
		add_hole(interference);
	}
}

static unsigned int hex_digit(char c)
{
	return is_digit(c) ? (unsigned int)(c - '0') : (unsigned int)(c - 'a') + 10;
}

/* @mask: as the kernel prints it, "ff,ffffffff". */
static bool has_all_cpus(const struct interference *interference, const char *mask)
{
	unsigned int cpu = 0;

	for (size_t i = strlen(mask); i > 0; i--) {
		if (mask[i - 1] == ',')
			continue;
		for (unsigned int bit = 0; bit < 4; bit++, cpu++)
			if (cpu < interference->n_cpus && !(hex_digit(mask[i - 1]) & 1u << bit))
				return false;
	}
	return cpu >= interference->n_cpus;
}

static void follow_value(struct interference *interference, enum interference_kind kind,
			 const char *value)
{
	if (kind == INTERFERENCE_CPUS)
		interference->hides_cpus = !has_all_cpus(interference, value);
	else if (kind == INTERFERENCE_OVERWRITE)
		interference->drops = value[0] == '0';
}

static void check_settings(struct interference *interference)
{
	char value[SETTING_SIZE];

	if (trace_files_setting(interference->files, TRACE_SETTING_CLOCK, value) == 0)
		update_change(interference, INTERFERENCE_CLOCK,
			      strcmp(value, interference->values[INTERFERENCE_CLOCK]) != 0);
	check_size(interference);
	check_on(interference);
	for (size_t i = 0; i < N_PLAIN; i++) {
		const char *wanted = interference->values[plain[i]];

		if (!wanted[0] ||
		    trace_files_setting(interference->files, kinds[plain[i]].setting, value) < 0)
			continue;
		follow_value(interference, plain[i], value);
		update_change(interference, plain[i], strcmp(value, wanted) != 0);
	}
	update_change(interference, INTERFERENCE_FORMAT,
		      next_format(interference, TRACE_SETTING_FORMAT) < TRACE_SETTINGS);
}

/* --- brief changes: changed back before the files were read --- */

/* A write to these files empties a buffer. */
#define EMPTIED                                                                                    \
	(1u << TRACE_FILE_TRACE | 1u << TRACE_FILE_CLOCK | 1u << TRACE_FILE_SUBBUF |               \
	 1u << TRACE_FILE_SNAPSHOT)

/* After a write to these files events may be missing, or may have had another format. */
#define BRIEF (EMPTIED | 1u << TRACE_FILE_ON | 1u << TRACE_FILE_CPUS | 1u << TRACE_FILE_OPTION)

static void report_brief(struct interference *interference)
{
	if (interference->brief & EMPTIED)
		write_event(interference, "another program emptied the trace buffer");
	else if (has_file(interference->brief, TRACE_FILE_ON) &&
		 !interference->changes[INTERFERENCE_OFF].is_changed)
		write_event(interference,
			    "another program wrote to tracing_on: tracing was switched "
			    "off and on, or stayed on");
	if (has_file(interference->brief, TRACE_FILE_CPUS))
		write_event(interference,
			    "another program changed tracing_cpumask (the traced CPUs) and changed "
			    "it back, or wrote the same value");
	if (has_file(interference->brief, TRACE_FILE_OPTION))
		write_event(
			interference,
			"another program changed options of the trace and changed them back, or "
			"wrote the same values");
}

/* A brief change is reported at the recheck, unless the change lasts. */
static void check_brief(struct interference *interference, unsigned int files, bool emptied)
{
	unsigned int now = files & BRIEF;

	if (emptied)
		now |= 1u << TRACE_FILE_TRACE;
	if (now)
		add_hole(interference);
	if (now & EMPTIED)
		source_buffers_emptied(interference->session->source);
	if (interference->has_reported)
		interference->reported_ns = loop_now();
	/* The same write may be detected twice, see RECHECK_NS. */
	else if (loop_now() - interference->reported_ns < RECHECK_NS)
		now &= EMPTIED | 1u << TRACE_FILE_ON;
	interference->brief |= now;
	if (interference->brief && !interference->recheck_since_ns)
		interference->recheck_since_ns = loop_now();
	if (!interference->has_reported && !is_recheck_due(interference))
		return;
	if (!interference->has_reported && interference->brief)
		report_brief(interference);
	interference->brief = 0;
	interference->recheck_since_ns = 0;
}

/* --- other readers --- */

static void check_raw_readers(struct interference *interference, unsigned int files)
{
	bool is_read = interference->watch.raw_readers > 0;

	if (!has_file(files, TRACE_FILE_RAW) && !is_read)
		return;
	if (is_read && !interference->raw_reader_reported)
		write_event(interference, "another program began to read the raw trace: the events "
					  "that it reads are missing here");
	else if (!is_read)
		write_event(interference,
			    interference->raw_reader_reported
				    ? "other programs stopped reading the raw trace"
				    : "another program briefly read the raw trace: the events "
				      "that it read are missing here");
	interference->raw_reader_reported = is_read;
	add_hole(interference);
}

/* Kernels before 5.8 record nothing while the trace is read; later ones only with this option. */
static bool reading_pauses(const struct interference *interference)
{
	char value[SETTING_SIZE];
	int error = setting_read(interference->path, "options/pause-on-trace", value);

	return error == 0 ? value[0] == '1' : error == -ENOENT;
}

/* A program that has just opened the trace may only empty it. If it is still open at the next tick,
 * the program reads it. */
static void check_text_readers(struct interference *interference, unsigned int files, bool is_tick)
{
	bool is_read = interference->watch.text_readers > 0;
	bool was_read = has_file(files, TRACE_FILE_WAS_READ);

	if (!is_read && !was_read && !interference->text_reader_reported)
		return;
	if (!interference->text_reader_reported && !reading_pauses(interference))
		return;
	add_hole(interference);
	if (is_read && !interference->text_reader_reported && is_tick) {
		write_event(interference,
			    "another program began to read the trace: until it stops, "
			    "the kernel records no events");
		interference->text_reader_reported = true;
	} else if (!is_read) {
		if (interference->text_reader_reported)
			write_event(interference, "other programs stopped reading the trace");
		else if (was_read)
			write_event(interference, "another program briefly read the trace: the "
						  "kernel recorded no events meanwhile");
		interference->text_reader_reported = false;
	}
}

/* --- all checks --- */

/* Counts the events that a full buffer dropped. Only the kernel's statistics have them. */
static void count_dropped(struct interference *interference)
{
	for (unsigned int cpu = 0; cpu < interference->buffer.cpus; cpu++) {
		uint64_t dropped = cpu_buffer_stats_dropped(&interference->buffer, cpu);
		struct trace_record record = {
			.kind = TRACE_LOST,
			.cpu = (int32_t)cpu,
			.tid = TRACE_ID_UNKNOWN,
			.tgid = TRACE_ID_UNKNOWN,
			.pid = TRACE_ID_UNKNOWN,
			.time_ns = interference->good_ns,
			.value = (int64_t)dropped,
		};

		if (dropped == 0)
			continue;
		add_hole(interference);
		pipeline_record(interference->session->pipeline, &record);
	}
}

/* Then it is not known whether events were lost, and whether another program emptied a buffer. */
static void check_unreadable(struct interference *interference)
{
	int error = 0;
	uint64_t cpus = cpu_buffer_stats_unreadable(&interference->buffer, &error);

	if (cpus & ~interference->unreadable)
		write_event(
			interference,
			"the statistics of trace buffers cannot be read, so lost events are not "
			"counted: CPU %d: %s",
			__builtin_ctzll(cpus & ~interference->unreadable), strerror(-error));
	interference->unreadable = cpus;
}

static void check_trace(struct interference *interference, unsigned int files)
{
	bool emptied = cpu_buffer_stats_read(&interference->buffer, interference->files);

	check_unreadable(interference);
	interference->has_reported = false;
	count_dropped(interference);
	check_settings(interference);
	check_brief(interference, files, emptied);
}

/* Returns the files that were written or read since the last call. A write of the current value is
 * detected only here. While jankd's own atrace runs, the write may come from it. */
static unsigned int read_watch(struct interference *interference)
{
	static const struct {
		enum trace_file file;
		enum trace_setting setting;
	} written[] = {
		{ TRACE_FILE_ON, TRACE_SETTING_ON },
		{ TRACE_FILE_CLOCK, TRACE_SETTING_CLOCK },
		{ TRACE_FILE_SIZE, TRACE_SETTING_SIZE },
	};
	uint64_t events = interference->watch.events;
	unsigned int files = trace_watch_read(&interference->watch);

	/* The loop watches for one write only, so that many of them do not keep it busy. */
	if (interference->watch.events != events)
		interference->is_watching = false;
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		if (has_file(files, written[i].file) && !child_runs(&interference->tags.atrace))
			interference->set_by_others |= 1u << written[i].setting;
	return files;
}

/* @is_tick: checks everything, even if no file was written. Without inotify, only such a check
 * proves that tracing works. */
static void check(struct interference *interference, bool is_tick)
{
	const unsigned int readers = 1u << TRACE_FILE_RAW | 1u << TRACE_FILE_WAS_READ;
	unsigned int files = read_watch(interference);

	check_clocks(interference);
	check_raw_readers(interference, files);
	check_text_readers(interference, files, is_tick);
	/* Nothing but the kernel's statistics shows dropped events, and they must be found before
	 * the frames behind them are counted. */
	if (is_tick || files & ~readers || is_recheck_due(interference) || interference->drops)
		check_trace(interference, files);
	if (is_tick || interference->watch.watcher.fd >= 0)
		interference->good_ns = trace_now(interference);
	if (loop_now() >= interference->event_ns + EVENT_WAIT_NS)
		interference->event_ns = 0;
}

bool interference_may_read(struct interference *interference)
{
	if (interference->is_on)
		check(interference, false);
	return !interference->changes[INTERFERENCE_CLOCK].is_changed;
}

static bool waits_for_restore(const struct interference *interference, enum interference_kind kind)
{
	const struct interference_change *change = &interference->changes[kind];

	if (kind == INTERFERENCE_TAGS && child_runs(&interference->tags.atrace))
		return false;
	return change->is_changed && !change->is_accepted;
}

uint64_t interference_due_ns(const struct interference *interference)
{
	uint64_t busy_ns = interference->tick_ns + periods.tick_ns, due_ns = UINT64_MAX;

	if (!interference->is_on || interference->tick_ns == 0)
		return UINT64_MAX;
	if (!interference->is_watching && interference->watch.watcher.fd >= 0)
		due_ns = busy_ns;
	if (interference->recheck_since_ns > 0)
		due_ns = loop_earlier(due_ns, interference->recheck_since_ns + RECHECK_NS);
	if (interference->event_ns > 0)
		due_ns = loop_earlier(due_ns, interference->event_ns + EVENT_WAIT_NS);
	for (int kind = 0; kind < INTERFERENCE_KINDS; kind++)
		if (waits_for_restore(interference, (enum interference_kind)kind))
			due_ns = loop_earlier(due_ns, busy_ns);
	return due_ns;
}

/* True: events that show frames are not recorded now. */
static bool hides_frames(const struct interference *interference)
{
	static const enum interference_kind hiding[] = { INTERFERENCE_OFF, INTERFERENCE_MARKERS,
							 INTERFERENCE_FORMAT };
	bool hides = interference->hides_cpus || interference->watch.raw_readers > 0;

	for (size_t i = 0; i < sizeof(hiding) / sizeof(hiding[0]); i++)
		hides |= interference->changes[hiding[i]].is_changed;
	return hides;
}

void interference_drained(struct interference *interference)
{
	if (interference->is_on && !hides_frames(interference))
		session_set_loss_pending(interference->session, false);
}

static void report_lost_claims(struct interference *interference, bool is_end)
{
	char text[200];

	if (source_check_lost(interference->session->source, is_end, text))
		write_event(interference, "%s", text);
}

void interference_pause_programs(struct interference *interference, bool paused)
{
	interference->is_paused = paused;
}

void interference_tick(struct interference *interference)
{
	if (!interference->is_on)
		return;
	interference->tick_ns = loop_now();
	check(interference, true);
	report_lost_claims(interference, false);
	if (!interference->is_paused) {
		interference->tags_good_ns = interference->tags_query_ns;
		interference->tags_query_ns = trace_now(interference);
	}
	interference_tags_tick(&interference->tags, !interference->is_paused);
	for (int kind = 0; kind < INTERFERENCE_KINDS; kind++)
		restore_if_due(interference, kind);
	follow_wall(interference);
	interference->is_watching = interference->watch.watcher.fd >= 0 &&
				    loop_watch(interference->loop, &interference->watch.watcher,
					       EPOLLIN | EPOLLONESHOT) == 0;
}

/* --- tags --- */

static void on_tags_changed(void *context, bool missing)
{
	update_change(context, INTERFERENCE_TAGS, missing);
}

static void on_tags_restored(void *context, int status)
{
	struct interference *interference = context;

	ignore_own_writes(interference);
	interference->changes[INTERFERENCE_TAGS].since_ns = loop_now();
	if (status == 0)
		report_restored(interference, INTERFERENCE_TAGS);
	else
		write_event(interference, "atrace could not switch the tags on again");
}

/* --- begin and end --- */

void interference_begin(struct interference *interference, struct session *session,
			struct loop *loop, const struct trace_files *files, uint64_t tags,
			struct watcher watcher)
{
	const struct interference_tags_calls tags_calls = {
		.changed = on_tags_changed,
		.restored = on_tags_restored,
		.context = interference,
	};
	char value[SETTING_SIZE];

	*interference = (struct interference){
		.session = session,
		.loop = loop,
		.files = files,
		.path = files->path,
		.is_on = true,
	};
	strcpy(interference->values[INTERFERENCE_OFF], "1");
	trace_files_setting(files, TRACE_SETTING_CLOCK, value);
	set_clock(interference, value);
	read_size(&interference->size, files);
	interference->size_now = interference->size;
	while (interference->n_cpus < TRACE_CPUS_MAX &&
	       trace_files_has_cpu(files, interference->n_cpus))
		interference->n_cpus++;
	/* Who may not look into per_cpu is refused every number. */
	if (interference->n_cpus == TRACE_CPUS_MAX)
		interference->n_cpus = trace_cpus();
	for (size_t i = 0; i < N_PLAIN; i++)
		if (trace_files_setting(files, kinds[plain[i]].setting,
					interference->values[plain[i]]) == 0)
			follow_value(interference, plain[i], interference->values[plain[i]]);
	session_set_trace_clock(session, interference->values[INTERFERENCE_CLOCK]);
	trace_watch_open(&interference->watch, watcher, files->path,
			 session->source->depends_on_line_format);
	cpu_buffer_stats_forget(&interference->buffer, files);
	clock_watch_compare(&interference->clocks, clock_watch_read());
	interference_tags_begin(&interference->tags, &tags_calls, session->options, loop, tags);
	session_set_counts(session, &interference->buffer, &interference->restores.allowed);
	interference->has_format = session->source->depends_on_line_format;
	for (int i = TRACE_SETTING_FORMAT; interference->has_format && i < TRACE_SETTINGS; i++)
		if (trace_files_setting(files, (enum trace_setting)i, value) == 0)
			interference->format[i - TRACE_SETTING_FORMAT] = value[0] == '1';
	if (interference->hides_cpus) {
		/* The mask was narrow before the capture, and stays so. */
		session_set_loss_pending(interference->session, true);
		write_event(
			interference,
			"some CPUs are not traced, so the vsyncs of most late frames are unknown: "
			"tracing_cpumask (the traced CPUs) is %s",
			interference->values[INTERFERENCE_CPUS]);
	}
}

void interference_end(struct interference *interference)
{
	char value[SETTING_SIZE];

	if (!interference->is_on)
		return;
	interference->is_on = false;
	read_watch(interference);
	/* At the end there is no time for a recheck. */
	if (has_file(interference->brief, TRACE_FILE_ON) && !(interference->brief & EMPTIED) &&
	    (trace_files_setting(interference->files, TRACE_SETTING_ON, value) < 0 ||
	     value[0] != '1'))
		report_change(interference, INTERFERENCE_OFF, true, interference->recheck_since_ns);
	report_brief(interference);
	report_lost_claims(interference, true);
	cpu_buffer_stats_read(&interference->buffer, interference->files);
	check_unreadable(interference);
	count_dropped(interference);
	interference_tags_end(&interference->tags);
	loop_close_watcher(interference->loop, &interference->watch.watcher);
}
