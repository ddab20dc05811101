/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/interference.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "daemon/base/periods.h"
#include "daemon/base/text.h"
#include "daemon/base/wall_clock.h"
#include "parser/span.h"

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

/* What a value of another program means for the capture, see hides(). */
static const char *const effects[] = {
	[TRACE_SETTING_CLOCK] = "this clock does not count time, so no events are read",
	[TRACE_SETTING_ON] = "no events are recorded",
	[TRACE_SETTING_CPUS] = "events of other CPUs are not recorded",
	[TRACE_SETTING_MARKERS] = "no markers are recorded",
	[TRACE_SETTING_OVERWRITE] = "a full buffer drops new events",
	[TRACE_SETTING_FORMAT] = "trace lines cannot be parsed",
};

/* The settings that are restored. Tags have no file, they are a property of the device. */
static const char *const names[INTERFERENCE_RESTORED] = { "tracing_on", "buffer_size_kb",
							  "the atrace tags" };

/* --- events --- */

static __attribute__((format(printf, 2, 3))) void write_event(struct interference *interference,
							      const char *format, ...)
{
	char text[352];
	va_list arguments;

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
	output_event_now(&interference->session->output, "tracing", "%s", text);
	output_flush(&interference->session->output);
}

/* --- holes --- */

/* Events may be missing since @since_ns: for most causes since tracing was last known to work,
 * ->good_ns. Events from that time may still be read after this call, so the loss is pending until
 * the buffers were read to their end. */
static void add_hole(struct interference *interference, uint64_t since_ns)
{
	pipeline_hole(interference->session->pipeline, since_ns);
	session_set_loss_pending(interference->session, true);
}

/* --- settings --- */

/* True: with its value events are missing, or cannot be read. */
static bool hides(const struct interference *interference, enum trace_setting which)
{
	const char *value = interference->values[which];
	uint64_t cpus = 0;

	if (which == TRACE_SETTING_CLOCK)
		return !wall_clock_is_time(value);
	if (which == TRACE_SETTING_CPUS) {
		/* As the kernel prints the mask: "ff,ffffffff". */
		for (const char *c = value; *c; c++)
			if (*c != ',')
				cpus = cpus << 4 |
				       (uint64_t)(is_digit(*c) ? *c - '0' : *c - 'a' + 10);
		return value[0] && (cpus & interference->cpus) != interference->cpus;
	}
	if (which == TRACE_SETTING_OVERWRITE)
		return value[0] == '0';
	return which != TRACE_SETTING_SIZE && value[0] != interference->first[which];
}

/* Reads its value as it is printed in events. Returns false if it cannot be read. */
static bool read_value(struct interference *interference, enum trace_setting which,
		       char value[static SETTING_SIZE])
{
	if ((which >= TRACE_SETTING_FORMAT && !interference->has_format) ||
	    trace_files_setting(interference->files, which, value) < 0 || !value[0])
		return false;
	if (which == TRACE_SETTING_SIZE) {
		buffer_sizes_read(&interference->size_now, interference->files->path, value);
		buffer_sizes_print(&interference->size_now, value);
	}
	return true;
}

/* Compares a setting with what is known of it: returns true if it differs. What another program has
 * set is reported if it @is_due. A clock is reported at once, as events with other times must not
 * be read. */
static bool check_setting(struct interference *interference, enum trace_setting which, bool is_due)
{
	char *known = interference->values[which], value[SETTING_SIZE];
	bool is_first = known[0] == '\0', is_hidden;

	if (!read_value(interference, which, value) || strcmp(known, value) == 0)
		return false;
	if (!is_first && !is_due && which != TRACE_SETTING_CLOCK)
		return true;
	strcpy(known, value);
	if (is_first) {
		/* The value at the start, or when it can be read at last. */
		if (which != TRACE_SETTING_ON)
			interference->first[which] = value[0];
		if (which == TRACE_SETTING_SIZE)
			interference->size = interference->size_now;
		if (which == TRACE_SETTING_CLOCK) {
			strcpy(interference->clock, value);
			source_set_clock(interference->session->source, value);
		}
		/* The mask was narrow before the capture, and stays so. */
		if (which == TRACE_SETTING_CPUS && hides(interference, which)) {
			session_set_loss_pending(interference->session, true);
			write_event(interference,
				    "some CPUs are not traced, so the vsyncs of most late frames "
				    "are unknown: tracing_cpumask (the traced CPUs) is %s",
				    value);
		}
		return false;
	}
	interference->set_by_others |= 1u << which;
	is_hidden = hides(interference, which);
	write_event(interference, "another program set %s to %s%s%s", trace_files_name(which),
		    value, is_hidden ? ": " : "",
		    is_hidden ? effects[which < TRACE_SETTING_FORMAT ? which : TRACE_SETTING_FORMAT]
			      : "");
	/* A larger buffer does no harm, but resizing has emptied it. */
	if (which == TRACE_SETTING_SIZE &&
	    !buffer_sizes_are_smaller(&interference->size_now, &interference->size))
		interference->size = interference->size_now;
	if (which == TRACE_SETTING_CLOCK)
		interference->has_other_clock = true;
	add_hole(interference, interference->good_ns);
	return true;
}

/* A write to these files empties a buffer. */
#define EMPTIED (1u << TRACE_FILE_EMPTIED | 1u << TRACE_SETTING_CLOCK)

/* Compares the settings with those that are known. @files: were written. Events may be missing from
 * now on. What another program has set or written is known from the recheck on, @is_due. */
static void check_settings(struct interference *interference, unsigned int files, bool is_due)
{
	const unsigned int clock = 1u << TRACE_SETTING_CLOCK;
	unsigned int differ = 0, same;
	char list[200] = "";

	for (int i = 0; i < TRACE_SETTINGS; i++)
		if (check_setting(interference, (enum trace_setting)i, is_due))
			differ |= 1u << i;
	files |= differ;
	if (files)
		add_hole(interference, interference->good_ns);
	if (files & EMPTIED)
		source_buffers_emptied(interference->session->source);
	interference->written |= files;
	if (differ & clock)
		interference->written &= ~EMPTIED;
	/* What was written, but is as it was. */
	same = is_due && !(differ & ~clock) ? interference->written : 0;
	if (same & EMPTIED) {
		write_event(interference, "another program emptied the trace buffer");
		same &= ~(EMPTIED | 1u << TRACE_SETTING_ON);
	}
	for (unsigned int i = 0; i <= TRACE_FILE_OPTIONS; i++)
		if (same & 1u << i)
			text_append(list, sizeof(list), "%s%s", list[0] ? ", " : "",
				    i < TRACE_SETTINGS ? trace_files_name((enum trace_setting)i)
						       : "trace_options");
	if (list[0])
		write_event(interference,
			    "another program wrote to %s: it was changed and changed back, or "
			    "stayed as it was",
			    list);
	if (is_due)
		interference->written = 0;
	if (is_due || interference->written == 0)
		interference->written_ns = 0;
	else if (interference->written_ns == 0)
		interference->written_ns = loop_now();
}

/* --- other readers --- */

/* A program that has just opened the trace may only empty it. If it is still open at the next tick,
 * the program reads it. */
static void check_readers(struct interference *interference, unsigned int files, bool is_tick)
{
	static const struct {
		enum trace_file was_read;
		bool begins_at_once;
		const char *name, *effect;
	} kinds[] = {
		{ TRACE_FILE_RAW, true, "raw trace", "the events that it reads are missing here" },
		{ TRACE_FILE_WAS_READ, false, "trace", "meanwhile the kernel records no events" },
	};
	const int readers[] = { interference->watch.raw_readers, interference->watch.text_readers };
	char value[SETTING_SIZE];
	int error;

	for (size_t i = 0; i < 2; i++) {
		bool *is_reported = &interference->readers_reported[i];
		bool is_read = readers[i] > 0, was_read = files & 1u << kinds[i].was_read;

		if (!is_read && !was_read && !*is_reported)
			continue;
		/* Kernels before 5.8 record nothing while the trace is read; later ones only with
		 * this option. */
		if (i == 1 && !*is_reported) {
			error = setting_read(interference->files->path, "options/pause-on-trace",
					     value);
			if (error == 0 ? value[0] != '1' : error != -ENOENT)
				continue;
		}
		add_hole(interference, interference->good_ns);
		if (is_read && !*is_reported && (is_tick || kinds[i].begins_at_once)) {
			write_event(interference, "another program began to read the %s: %s",
				    kinds[i].name, kinds[i].effect);
			*is_reported = true;
		} else if (!is_read && *is_reported) {
			write_event(interference, "other programs stopped reading the %s",
				    kinds[i].name);
			*is_reported = false;
		} else if (!is_read && was_read) {
			write_event(interference, "another program briefly read the %s: %s",
				    kinds[i].name, kinds[i].effect);
		}
	}
}

/* --- all checks --- */

/* Reads the kernel's statistics of the buffers. Only they have the events that a full buffer
 * dropped. If they cannot be read, it is not known whether events were lost, and whether another
 * program emptied a buffer. Returns true if one was emptied. */
static bool read_statistics(struct interference *interference)
{
	bool is_emptied = cpu_buffer_stats_read(&interference->buffer, interference->files);
	uint64_t unreadable = 0, newly;

	for (unsigned int cpu = 0; cpu < trace_cpus(); cpu++) {
		struct cpu_buffer_counts *counts = &interference->buffer.cpu[cpu];
		struct trace_record record = {
			.kind = TRACE_LOST,
			.cpu = (int32_t)cpu,
			.tid = TRACE_ID_UNKNOWN,
			.tgid = TRACE_ID_UNKNOWN,
			.pid = TRACE_ID_UNKNOWN,
			.time_ns = interference->good_ns,
			.value = (int64_t)counts->dropped_new,
		};

		if (counts->error < 0)
			unreadable |= UINT64_C(1) << cpu;
		if (counts->dropped_new == 0)
			continue;
		counts->dropped_new = 0;
		add_hole(interference, interference->good_ns);
		pipeline_record(interference->session->pipeline, &record);
	}
	newly = unreadable & ~interference->unreadable;
	interference->unreadable = unreadable;
	if (newly)
		write_event(interference,
			    "the statistics of trace buffers cannot be read, so lost events are "
			    "not counted: CPU %d: %s",
			    __builtin_ctzll(newly),
			    strerror(-interference->buffer.cpu[__builtin_ctzll(newly)].error));
	return is_emptied;
}

/* Returns the files that were written or read since the last call. A write of the current value is
 * detected only here. While jankd's own atrace runs, the write may come from it. */
static unsigned int read_watch(struct interference *interference)
{
	uint64_t events = interference->watch.events;
	unsigned int files = trace_watch_read(&interference->watch);

	/* The loop watches for one write only, so that many of them do not keep it busy. */
	if (interference->watch.events != events)
		interference->is_watching = false;
	if (!child_runs(&interference->tags.atrace))
		interference->set_by_others |= files & ((1u << TRACE_SETTINGS) - 1);
	return files;
}

/* @is_tick: checks everything, even if no file was written. Without inotify, only such a check
 * proves that tracing works. @is_last: no recheck follows. */
static void check(struct interference *interference, bool is_tick, bool is_last)
{
	bool is_due = is_last || (interference->written_ns > 0 &&
				  loop_now() - interference->written_ns >= RECHECK_NS);
	const unsigned int readers = 1u << TRACE_FILE_RAW | 1u << TRACE_FILE_WAS_READ;
	unsigned int files = read_watch(interference);
	struct clock_change change = clock_watch_compare(&interference->clocks, clock_watch_read());
	struct wall_clock now, *clock = &interference->session->output.clock;
	/* True: another program's value is set, and it is not the one that jankd keeps. */
	bool is_wrong[INTERFERENCE_RESTORED];

	/* The wall clock gives events their time, so it is measured before an event is written. */
	if (!interference->has_other_clock &&
	    (change.slept_ns || change.stepped_ns ||
	     loop_now() >= interference->wall_ns + FOLLOW_WALL_NS)) {
		now = kernel_clock_measure(interference->clock, interference->files);
		interference->wall_ns = loop_now();
		if (change.slept_ns || change.stepped_ns ||
		    (now.known && llabs(now.offset_ns - clock->offset_ns) > DRIFT_NS))
			*clock = now;
	}
	if (change.slept_ns) {
		add_hole(interference, interference->good_ns);
		write_event(interference, "the device was suspended for %" PRId64 ".%03d s",
			    change.slept_ns / 1000000000, (int)(change.slept_ns / 1000000 % 1000));
	}
	if (change.stepped_ns)
		write_event(interference, "the wall clock jumped by %s%" PRId64 ".%03d s",
			    change.stepped_ns < 0 ? "-" : "+",
			    (int64_t)llabs(change.stepped_ns) / 1000000000,
			    (int)(llabs(change.stepped_ns) / 1000000 % 1000));

	check_readers(interference, files, is_tick);
	files &= ~readers;
	/* Nothing but the kernel's statistics shows dropped events, and they must be found before
	 * the frames behind them are counted. */
	if (is_tick || files || is_due || hides(interference, TRACE_SETTING_OVERWRITE)) {
		/* A size that is written again empties nothing. */
		files &= ~(1u << TRACE_SETTING_SIZE);
		if (read_statistics(interference))
			files |= 1u << TRACE_FILE_EMPTIED;
		check_settings(interference, files, is_due);
	}
	if (is_tick || interference->watch.watcher.fd >= 0)
		interference->good_ns = pipeline_now(interference->session->pipeline);
	if (loop_now() >= interference->event_ns + EVENT_WAIT_NS)
		interference->event_ns = 0;

	is_wrong[INTERFERENCE_ON] = interference->values[TRACE_SETTING_ON][0] == '0';
	is_wrong[INTERFERENCE_SIZE] =
		buffer_sizes_are_smaller(&interference->size_now, &interference->size);
	is_wrong[INTERFERENCE_TAGS] = interference->tags.missing;
	for (int i = 0; i < INTERFERENCE_RESTORED; i++) {
		if (!is_wrong[i])
			interference->restore_ns[i] = 0;
		else if (interference->restore_ns[i] == 0)
			interference->restore_ns[i] = loop_now() + periods.restore_ns;
	}
}

bool interference_may_read(struct interference *interference, bool is_last)
{
	if (interference->is_on)
		check(interference, false, is_last);
	return !interference->has_other_clock;
}

bool interference_follow_clock(struct interference *interference)
{
	const char *clock = interference->values[TRACE_SETTING_CLOCK];

	if (!wall_clock_is_time(clock))
		return false;
	interference->has_other_clock = false;
	strcpy(interference->clock, clock);
	source_set_clock(interference->session->source, clock);
	session_new_clock(interference->session, interference->good_ns,
			  kernel_clock_measure(clock, interference->files));
	interference->good_ns = interference->tags_good_ns = interference->tags_query_ns = 0;
	return true;
}

void interference_drained(struct interference *interference)
{
	bool is_hidden = interference->written_ns > 0 || interference->watch.raw_readers > 0;

	for (int which = 0; which < TRACE_SETTINGS; which++)
		is_hidden |= which != TRACE_SETTING_OVERWRITE &&
			     hides(interference, (enum trace_setting)which);
	if (interference->is_on && !is_hidden)
		session_set_loss_pending(interference->session, false);
}

/* --- settings that are restored --- */

/* Writes of jankd itself are not reported. */
static void ignore_own_writes(struct interference *interference)
{
	trace_watch_read(&interference->watch);
	source_buffers_emptied(interference->session->source);
	cpu_buffer_stats_forget(&interference->buffer, interference->files);
}

static bool waits_for_restore(const struct interference *interference,
			      enum interference_restored kind)
{
	uint64_t due_ns = interference->restore_ns[kind];

	return due_ns > 0 && due_ns < UINT64_MAX &&
	       !(kind == INTERFERENCE_TAGS && child_runs(&interference->tags.atrace));
}

uint64_t interference_due_ns(const struct interference *interference)
{
	uint64_t busy_ns = interference->tick_ns + periods.tick_ns, due_ns = UINT64_MAX;

	if (!interference->is_on || interference->tick_ns == 0)
		return UINT64_MAX;
	if (!interference->is_watching && interference->watch.watcher.fd >= 0)
		due_ns = busy_ns;
	if (interference->written_ns > 0)
		due_ns = loop_earlier(due_ns, interference->written_ns + RECHECK_NS);
	if (interference->event_ns > 0)
		due_ns = loop_earlier(due_ns, interference->event_ns + EVENT_WAIT_NS);
	for (int i = 0; i < INTERFERENCE_RESTORED; i++)
		if (waits_for_restore(interference, (enum interference_restored)i))
			due_ns = loop_earlier(due_ns, busy_ns);
	return due_ns;
}

static void report_lost_claims(struct interference *interference, bool is_end)
{
	char text[200];

	if (source_check_lost(interference->session->source, is_end, text))
		write_event(interference, "%s", text);
}

void interference_tick(struct interference *interference, bool is_paused)
{
	if (!interference->is_on)
		return;
	interference->tick_ns = loop_now();
	check(interference, true, false);
	report_lost_claims(interference, false);
	if (!is_paused) {
		interference->tags_good_ns = interference->tags_query_ns;
		interference->tags_query_ns = pipeline_now(interference->session->pipeline);
	}
	interference_tags_tick(&interference->tags, !is_paused);

	for (int kind = 0; kind < INTERFERENCE_RESTORED; kind++) {
		enum trace_setting which =
			kind == INTERFERENCE_SIZE ? TRACE_SETTING_SIZE : TRACE_SETTING_ON;
		char *value = interference->values[which];
		uint64_t *due_ns = &interference->restore_ns[kind];
		int error;

		if (!waits_for_restore(interference, (enum interference_restored)kind) ||
		    loop_now() < *due_ns)
			continue;
		*due_ns = UINT64_MAX;
		if (interference->session->options->yield)
			continue;
		if (!rate_limit_allows(&interference->restores, RESTORES_MAX, periods.restores_ns,
				       loop_now())) {
			write_event(interference,
				    "another program kept changing settings of the trace, so jankd "
				    "does not restore this one: %s",
				    names[kind]);
			continue;
		}
		*due_ns = loop_now() + periods.restore_ns;
		if (kind == INTERFERENCE_TAGS)
			error = interference_tags_restore(&interference->tags);
		else if (kind == INTERFERENCE_SIZE)
			error = buffer_sizes_grow(interference->files->path,
						  &interference->size_now, &interference->size);
		else
			error = setting_write(interference->files->path, "tracing_on", "1");
		ignore_own_writes(interference);
		if (error < 0)
			write_event(interference, "jankd could not set %s back: %s", names[kind],
				    strerror(-error));
		/* Tags are restored when atrace has ended, see on_tags_restored(). */
		if (error < 0 || kind == INTERFERENCE_TAGS)
			continue;
		interference->set_by_others &= ~(1u << which);
		if (read_value(interference, which, value))
			write_event(interference, "jankd set %s back to %s", names[kind], value);
		add_hole(interference, interference->good_ns);
	}

	interference->is_watching = interference->watch.watcher.fd >= 0 &&
				    loop_watch(interference->loop, &interference->watch.watcher,
					       EPOLLIN | EPOLLONESHOT) == 0;
}

/* --- tags --- */

static void on_tags_changed(void *context, bool missing)
{
	struct interference *interference = context;

	write_event(interference, "another program set the atrace tags to 0x%" PRIx64 "%s",
		    interference->tags.set, missing ? ": apps write no markers" : "");
	add_hole(interference, loop_earlier(interference->tags_good_ns, interference->good_ns));
}

static void on_tags_restored(void *context, int status)
{
	struct interference *interference = context;

	ignore_own_writes(interference);
	if (status == 0)
		write_event(interference, "jankd set the atrace tags back to 0x%" PRIx64,
			    interference->tags.set);
	else
		write_event(interference,
			    "jankd could not set the atrace tags back: atrace failed");
	add_hole(interference, loop_earlier(interference->tags_good_ns, interference->good_ns));
}

/* --- begin and end --- */

void interference_begin(struct interference *interference, struct session *session,
			struct loop *loop, const struct trace_files *files, uint64_t tags,
			struct watcher watcher)
{
	unsigned int n_cpus = 0;

	*interference = (struct interference){
		.session = session,
		.loop = loop,
		.files = files,
		.values[TRACE_SETTING_ON] = "1",
		.first[TRACE_SETTING_ON] = '1',
		.has_format = session->source->depends_on_line_format,
		.tags = {
			.changed = on_tags_changed,
			.restored = on_tags_restored,
			.context = interference,
			.options = session->options,
			.loop = loop,
			.wanted = tags,
		},
		.is_on = true,
	};
	while (n_cpus < TRACE_CPUS_MAX && trace_files_has_cpu(files, n_cpus))
		n_cpus++;
	/* Who may not look into per_cpu is refused every number. */
	if (n_cpus == TRACE_CPUS_MAX)
		n_cpus = trace_cpus();
	interference->cpus = n_cpus > 0 ? UINT64_MAX >> (TRACE_CPUS_MAX - n_cpus) : 0;
	trace_watch_open(&interference->watch, watcher, files->path, interference->has_format);
	cpu_buffer_stats_forget(&interference->buffer, files);
	clock_watch_compare(&interference->clocks, clock_watch_read());
	interference_tags_begin(&interference->tags);
	session->origin.trace_clock = interference->clock;
	session->buffers = &interference->buffer;
	session->recoveries = &interference->restores.allowed;
	check_settings(interference, 0, false);
}

void interference_end(struct interference *interference)
{
	if (!interference->is_on)
		return;
	interference->is_on = false;
	read_watch(interference);
	report_lost_claims(interference, true);
	read_statistics(interference);
	interference_tags_end(&interference->tags);
	loop_close_watcher(interference->loop, &interference->watch.watcher);
}
