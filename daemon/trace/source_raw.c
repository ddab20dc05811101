/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's ring buffers, one for each CPU, read as pages from trace_pipe_raw and merged by
 * time.
 *
 *     cpu0/trace_pipe_raw ──► page ──► ftrace_page ──┐
 *     cpu1/trace_pipe_raw ──► page ──► ftrace_page ──┼──► ftrace_merge ──► marker ──► sink
 *     ...                                            ┘
 *
 * A writer may be interrupted between its time stamp and its text; its event then arrives late. So
 * events younger than a few milliseconds are held back until the next read. They stay in their
 * page, or in the kernel.
 */
#include "daemon/trace/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/denial.h"
#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "daemon/trace/setting_file.h"
#include "daemon/trace/tracefs.h"
#include "daemon/base/wall_clock.h"
#include "daemon/trace/thread_cache.h"
#include "daemon/trace/trace_files.h"
#include "parser/ftrace_raw.h"
#include "parser/marker.h"

/* Events are held back until they have this age: by then an interrupted writer has finished. */
#define HOLD_NS UINT64_C(5000000)

/* The same when boosted: a flood of events can fill a small buffer in this time. A shorter time
 * costs more: then the kernel returns pages with few events. */
#define HOLD_BOOST_NS UINT64_C(500000)

/* For how long a time read from the kernel is extrapolated. */
#define CLOCK_FRESH_NS UINT64_C(1000000000)

/* How often SurfaceFlinger's process is checked: about once in a drain, which has several reads. */
#define FOLLOW_NS UINT64_C(100000000)

/* Most pages of one read. A caller can stop between two reads: even a slow CPU needs less than 0.1
 * s for the thousand events of one. */
#define PAGES_MAX 16

/* Most records that the sink gets at once. */
#define RECORDS_MAX 32

/* After this number of consecutive reads that held back all events, nothing is held back. */
#define READS_HELD_MAX 4

/* Smallest and largest size of a page (a sub-buffer) in any kernel. */
#define PAGE_SIZE_MIN 1024
#define PAGE_SIZE_MAX 1048576

/* Most CPUs that a kernel can be built for. */
#define CPUS_MAX 8192

struct raw_cpu {
	int fd;
	char *bytes; /* a page */
	struct cpu_buffer_counts stats;
	uint64_t reported; /* losses of stats.lost that were passed on */
	int error;	   /* of the last read, errno: the buffer cannot be read; 0: it can */
	bool has_failed;   /* it could not be read since its last event */
	bool is_there;	   /* it could be read once, so the CPU has a buffer */
};

struct source_raw {
	struct source source;
	struct live_trace *trace;
	const struct trace_files *files;
	char clock[SETTING_SIZE]; /* the trace clock's name */
	struct ftrace_format format;
	size_t page_size;
	struct thread_cache threads;
	uint64_t follow_ns;	 /* when to check SurfaceFlinger's process again */
	uint64_t clock_read_ns;	 /* when the kernel's clock was read: CLOCK_MONOTONIC_RAW, or 0 */
	uint64_t clock_ahead_ns; /* kernel's clock minus that time, modulo 2^64 */
	uint64_t now_ns;	 /* of this read, on the clock of loop_now() */
	uint64_t passed_ns;	 /* the time of the last record that was passed on */
	bool failure_is_new;	 /* a buffer became readable or unreadable in this read */
	bool is_held_only;	 /* this read reads no pages */
	unsigned int pages;	 /* of this read */
	unsigned int reads_held; /* reads in a row without a record: all events were too young */
	uint64_t damaged;	 /* damaged pages of ->merge that are counted as malformed */
	const struct record_sink *sink; /* of this read; NULL: the records are discarded */
	struct trace_record *record;	/* of records: those before it are not passed on yet */
	struct trace_record records[RECORDS_MAX];
	struct ftrace_merge merge;
	struct ftrace_cpu_buffer *buffers; /* of the merge, one for each of cpus */
	unsigned int n_cpus;
	struct raw_cpu cpus[];
};

/* Passes on the records so far. They borrow from pages and from the names of threads, and what the
 * source says of losses and damage is that before them: so this is called before each change. */
static void pass_on(struct source_raw *raw)
{
	size_t n = (size_t)(raw->record - raw->records);

	raw->record = raw->records;
	raw->source.loss_ahead = raw->merge.losses > 0;
	if (n > 0 && raw->sink)
		raw->sink->records(raw->sink->context, raw->records, n);
}

/* Reads the next page, with one read() of its full size. Returns false if there is none: read() may
 * return 0 even while tracing is on. */
static bool read_page(void *context, unsigned int buffer, struct span *bytes)
{
	struct source_raw *raw = context;
	struct raw_cpu *cpu = &raw->cpus[buffer];
	bool has_failed;
	int tries = 0;
	ssize_t n;

	if (raw->is_held_only)
		return false;
	pass_on(raw);
	do {
		n = read(cpu->fd, cpu->bytes, raw->page_size);
		/* ENODEV: the CPU was never online, so it has no buffer yet. */
		has_failed = n < 0 && errno != EAGAIN && errno != EINTR &&
			     (errno != ENODEV || cpu->is_there);
	} while (has_failed && ++tries < SOURCE_TRIES);
	if (has_failed) {
		/* Events of this CPU are missing until its buffer can be read, and then those that
		 * come too late. */
		int error = errno;

		if (cpu->error == 0)
			report_warning("%s/per_cpu/cpu%" PRId32
				       "/trace_pipe_raw: %s; its events are missing",
				       raw->trace->path, raw->buffers[buffer].cpu, strerror(error));
		raw->failure_is_new |= cpu->error != error;
		cpu->error = error;
		cpu->has_failed = true;
		raw->merge.losses += !raw->buffers[buffer].has_lost;
		raw->buffers[buffer].has_lost = true;
		return false;
	}
	cpu->is_there |= n >= 0 || errno == EAGAIN;
	if (cpu->error) {
		cpu->error = 0;
		raw->failure_is_new = true;
	}
	if (n <= 0)
		return false;
	raw->pages++;
	*bytes = (struct span){ cpu->bytes, (size_t)n };
	return true;
}

/* A page has no space for the number of events that were lost before it if it is full, so it comes
 * from the kernel's statistics. These may include losses before later pages: then it is 0 for those
 * pages. Returns false if the event at @time_ns is too late: later events of other CPUs were passed
 * on while this buffer could not be read. */
static __attribute__((noinline)) bool hand_over_lost(struct source_raw *raw,
						     struct ftrace_cpu_buffer *buffer,
						     uint64_t time_ns)
{
	struct raw_cpu *cpu = &raw->cpus[buffer - raw->buffers];
	struct trace_record *record = raw->records;

	if (cpu->has_failed && time_ns < raw->passed_ns) {
		raw->source.is_incomplete = true;
		return false;
	}
	pass_on(raw);
	*record = (struct trace_record){
		.kind = TRACE_LOST,
		.cpu = buffer->cpu,
		.tid = TRACE_ID_UNKNOWN,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
		.time_ns = time_ns,
		.value = TRACE_LOST_UNKNOWN,
	};
	cpu_buffer_counts_read(&cpu->stats, raw->files, (unsigned int)buffer->cpu);
	if (cpu->stats.known && cpu->stats.error == 0 && !cpu->has_failed) {
		record->value = (int64_t)(cpu->stats.lost - cpu->reported);
		cpu->reported = cpu->stats.lost;
	}
	buffer->has_lost = cpu->has_failed = false;
	raw->merge.losses--;
	raw->record++;
	pass_on(raw);
	return true;
}

/* Looks up the thread of raw->record, which changes the entries that the records before it borrow
 * from. */
static __attribute__((noinline)) const struct cached_thread *find_thread(struct source_raw *raw)
{
	struct trace_record record = *raw->record;

	pass_on(raw);
	*raw->record = record;
	return thread_cache_find(&raw->threads, record.tid, raw->now_ns);
}

static inline void hand_over(struct source_raw *raw, struct ftrace_cpu_buffer *buffer)
{
	bool is_readable = buffer->page.end - buffer->next.text.ptr >= MARKER_READS;
	/* Rounded to microseconds as the kernel does for text, so both sources give the same rows.
	 */
	uint64_t time_ns = (buffer->next.time_ns + 500) / 1000 * 1000;
	const struct cached_thread *thread;

	if (buffer->has_lost && !hand_over_lost(raw, buffer, time_ns))
		return;
	raw->passed_ns = time_ns;
	raw->source.counts.markers++;
	if (!marker_parse(buffer->next.text, is_readable, raw->record)) {
		pass_on(raw);
		raw->source.counts.malformed++;
		raw->source.counts.damaged++;
		return;
	}
	raw->record->cpu = buffer->cpu;
	raw->record->text_len = 0;
	raw->record->tid = buffer->next.tid;
	raw->record->time_ns = time_ns;
	thread = thread_cache_first(&raw->threads, buffer->next.tid, raw->now_ns);
	if (!thread)
		thread = find_thread(raw);
	thread_cache_name(&raw->threads, thread, raw->record++);
	if (raw->record == raw->records + RECORDS_MAX)
		pass_on(raw);
}

/* Returns the time from which events are held back; UINT64_MAX: none are, also if the clock seems
 * wrong. A trace clock that only the kernel can read comes from a file. That costs too much for
 * each read, so the time is extrapolated by CLOCK_MONOTONIC_RAW, a clock that cannot be set. */
static uint64_t limit_of(struct source_raw *raw, enum source_how how)
{
	uint64_t hold_ns = how == SOURCE_BOOSTED ? HOLD_BOOST_NS : HOLD_NS, now_ns;
	clockid_t id;

	if (how == SOURCE_LAST || how == SOURCE_HELD_ONLY || raw->reads_held >= READS_HELD_MAX)
		return UINT64_MAX;
	if (wall_clock_same(raw->clock, &id)) {
		now_ns = (uint64_t)clock_read(id);
	} else {
		now_ns = (uint64_t)clock_read(CLOCK_MONOTONIC_RAW);
		if (raw->clock_read_ns && now_ns < raw->clock_read_ns + CLOCK_FRESH_NS &&
		    wall_clock_is_time(raw->clock)) {
			now_ns += raw->clock_ahead_ns;
		} else if (kernel_clock_now(raw->files, (unsigned int)raw->buffers[0].cpu,
					    &now_ns)) {
			/* An interruption here makes the clock late: then more events are held
			 * back, not fewer. */
			raw->clock_read_ns = (uint64_t)clock_read(CLOCK_MONOTONIC_RAW);
			raw->clock_ahead_ns = now_ns - raw->clock_read_ns;
		} else {
			return UINT64_MAX;
		}
	}
	return now_ns < hold_ns ? UINT64_MAX : now_ns - hold_ns;
}

/* After a read: sets the text of an event, if there is a new one: which buffers cannot be read.
 * @is_end: there is no later read, and such a buffer has no event to report its loss with. */
static void report_failures(struct source_raw *raw, bool is_end)
{
	struct source *source = &raw->source;
	char cpus[96] = "";
	int error = 0;

	for (unsigned int i = 0; i < raw->n_cpus; i++) {
		struct ftrace_cpu_buffer *buffer = &raw->buffers[i];

		if (raw->cpus[i].error == 0)
			continue;
		error = raw->cpus[i].error;
		text_append(cpus, sizeof(cpus), " %" PRId32, buffer->cpu);
		source->is_incomplete |= is_end;
		if (is_end && buffer->has_lost && !buffer->has_next && raw->passed_ns > 0)
			hand_over_lost(raw, buffer, raw->passed_ns);
	}
	if (!raw->failure_is_new)
		return;
	raw->failure_is_new = false;
	source->failures++;
	if (error == 0)
		snprintf(source->failure, sizeof(source->failure),
			 "the trace buffers of all CPUs can be read again");
	else
		snprintf(source->failure, sizeof(source->failure),
			 "events of CPU%s are missing: trace_pipe_raw cannot be read: %s", cpus,
			 strerror(error));
}

static ssize_t raw_read(struct source *source, enum source_how how, const struct record_sink *sink)
{
	struct source_raw *raw = (struct source_raw *)source;
	uint64_t limit_ns = limit_of(raw, how), bytes = raw->merge.bytes;
	struct ftrace_cpu_buffer *buffer;

	raw->is_held_only = how == SOURCE_HELD_ONLY;
	raw->sink = sink;
	raw->pages = 0;
	raw->now_ns = loop_now();
	if (raw->now_ns >= raw->follow_ns) {
		raw->follow_ns = raw->now_ns + FOLLOW_NS;
		thread_cache_follow(&raw->threads);
	}
	buffer = ftrace_merge_turn(&raw->merge, limit_ns);
	for (; buffer && raw->pages < PAGES_MAX; buffer = ftrace_merge_pop(&raw->merge)) {
		raw->reads_held = 0;
		hand_over(raw, buffer);
	}
	pass_on(raw);
	raw->reads_held += raw->merge.first && raw->pages < PAGES_MAX;
	/* The number of events in a damaged page is unknown. */
	source->counts.malformed += raw->merge.damaged - raw->damaged;
	source->counts.damaged = source->counts.malformed;
	raw->damaged = raw->merge.damaged;
	if (raw->failure_is_new || how == SOURCE_LAST)
		report_failures(raw, how == SOURCE_LAST && !raw->merge.first);
	if (raw->pages == 0)
		return -EAGAIN;
	source->counts.bytes += raw->merge.bytes - bytes;
	return (ssize_t)(raw->merge.bytes - bytes);
}

static uint64_t raw_cpu_bytes(const struct source *source, unsigned int cpu)
{
	const struct source_raw *raw = (const struct source_raw *)source;

	for (unsigned int i = 0; i < raw->n_cpus; i++)
		if (raw->buffers[i].cpu == (int32_t)cpu)
			return raw->buffers[i].bytes;
	return 0;
}

/* A buffer has no lines, so none is too long or glued to another one. */
static void raw_describe_damage(const struct source *source, char text[static 200])
{
	snprintf(text, 200, "malformed markers or damaged pages so far: %" PRIu64,
		 source->counts.damaged);
}

/* --- opening --- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void raw_stop(struct source *source)
{
	struct source_raw *raw = (struct source_raw *)source;

	for (unsigned int i = 0; i < raw->n_cpus; i++)
		close_fd(&raw->cpus[i].fd);
	close_fd(&source->fd);
	close_fd(&source->highwater_fd);
}

static void raw_close(struct source *source)
{
	struct source_raw *raw = (struct source_raw *)source;

	raw_stop(source);
	for (unsigned int i = 0; i < raw->n_cpus; i++)
		free(raw->cpus[i].bytes);
	thread_cache_end(&raw->threads);
	free(raw->buffers);
	free(raw);
}

static const struct source_ops raw_ops = {
	.read = raw_read,
	.cpu_bytes = raw_cpu_bytes,
	.describe_damage = raw_describe_damage,
	.stop = raw_stop,
	.close = raw_close,
};

void source_set_clock(struct source *source, const char *clock)
{
	struct source_raw *raw = (struct source_raw *)source;

	if (source->ops != &raw_ops)
		return;
	snprintf(raw->clock, sizeof(raw->clock), "%s", clock);
	raw->clock_read_ns = 0;
}

/* Sets @why for the file @name of the trace. Returns @error. */
static int fail(char why[static SOURCE_WHY_SIZE], const char *name, int error)
{
	snprintf(why, SOURCE_WHY_SIZE, "%s: %s", name,
		 error == -EPROTO ? "unknown format" : strerror(-error));
	return error;
}

/* Reads the formats, which all instances share, and the size of sub-buffers, which may differ. */
static int read_formats(struct source_raw *raw, char why[static SOURCE_WHY_SIZE])
{
	static const struct {
		const char *name;
		bool (*read)(struct ftrace_format *format, struct span text);
	} files[] = {
		{ "events/ftrace/print/format", ftrace_format_read_print },
		{ "events/header_page", ftrace_format_read_page },
	};
	char value[SETTING_SIZE];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text = setting_read_all(raw->trace->directory, files[i].name);
		int error = text ? 0 : -errno;

		if (text && !files[i].read(&raw->format, span_of(text)))
			error = -EPROTO;
		free(text);
		if (error < 0)
			return fail(why, files[i].name, error);
	}
	raw->page_size = raw->format.page_size;
	if (setting_read(raw->trace->path, "buffer_subbuf_size_kb", value) == 0)
		raw->page_size = strtoul(value, NULL, 10) * 1024;
	if (raw->page_size >= PAGE_SIZE_MIN && raw->page_size <= PAGE_SIZE_MAX)
		return 0;
	return fail(why, "buffer_subbuf_size_kb", -EPROTO);
}

/* Opens all that can fail, and changes no setting. */
static int open_raw(struct source_raw **out, struct live_trace *trace,
		    const struct trace_files *files, char why[static SOURCE_WHY_SIZE])
{
	char name[64], path[1200], denial[DENIAL_SIZE];
	unsigned int number, cpus = 0;
	struct source_raw *raw;
	struct dirent *entry;
	DIR *directory;
	int error;

	/* The CPUs for which the trace has buffers: libc may report only those that this process
	 * can run on. */
	snprintf(path, sizeof(path), "%s/per_cpu", trace->path);
	directory = opendir(path);
	if (!directory)
		return fail(why, "per_cpu", -errno);
	while ((entry = readdir(directory)))
		if (sscanf(entry->d_name, "cpu%u", &number) == 1 && number >= cpus &&
		    number < CPUS_MAX)
			cpus = number + 1;
	closedir(directory);
	if (cpus == 0)
		return fail(why, "per_cpu", -ENOENT);

	raw = calloc(1, sizeof(*raw) + cpus * sizeof(raw->cpus[0]));
	if (!raw)
		return fail(why, "the ring buffers", -ENOMEM);
	raw->source = (struct source){
		.ops = &raw_ops,
		.name = "trace_pipe_raw",
		.fd = -1,
		.highwater_fd = -1,
	};
	raw->trace = trace;
	raw->files = files;
	raw->record = raw->records;
	thread_cache_begin(&raw->threads, "/proc");
	raw->buffers = calloc(cpus + 1, sizeof(*raw->buffers));
	if (!raw->buffers) {
		raw_close(&raw->source);
		return fail(why, "the ring buffers", -ENOMEM);
	}

	/* trace_pipe is opened but never read. poll() reports it as readable when there are events.
	 * While it is open, no other program can read it and remove events. */
	raw->source.fd = live_trace_open_pipe(trace);
	error = raw->source.fd == -EBUSY ? fail(why, "trace_pipe", -EBUSY) : read_formats(raw, why);
	for (number = 0; error == 0 && number < cpus; number++) {
		struct raw_cpu *cpu = &raw->cpus[raw->n_cpus];

		snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", number);
		snprintf(path, sizeof(path), "%s/%s", trace->path, name);
		cpu->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (cpu->fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
			continue;
		if (cpu->fd < 0) {
			error = -errno;
			denial_describe(denial, path, R_OK, error);
			snprintf(why, SOURCE_WHY_SIZE, "%.50s: %.100s", name, denial);
			break;
		}
		raw->buffers[raw->n_cpus++].cpu = (int32_t)number;
		cpu_buffer_counts_read(&cpu->stats, files, number);
		cpu->bytes = malloc(raw->page_size);
		if (cpu->bytes)
			memset(cpu->bytes, 0, raw->page_size);
		else
			error = fail(why, "a buffer", -ENOMEM);
	}
	if (error == 0 && raw->n_cpus == 0)
		error = fail(why, "per_cpu", -ENOENT);
	if (error < 0) {
		raw_close(&raw->source);
		return error;
	}
	raw->merge = (struct ftrace_merge){
		.format = &raw->format,
		.buffers = raw->buffers,
		.n_buffers = raw->n_cpus,
		.read = read_page,
		.context = raw,
	};
	*out = raw;
	return 0;
}

int source_raw_open(struct source **out, struct live_trace *trace, const struct trace_files *files,
		    char why[static SOURCE_WHY_SIZE])
{
	struct source_raw *raw;
	int error = open_raw(&raw, trace, files, why), fd;

	if (error < 0)
		return error;
	*out = &raw->source;
	if (setting_write(raw->trace->path, "buffer_percent", "50") < 0)
		return 0;
	fd = raw->source.highwater_fd = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int i = 0; fd >= 0 && i < raw->n_cpus; i++) {
		struct pollfd poll_fd = { .fd = raw->cpus[i].fd, .events = POLLIN };
		struct epoll_event event = { .events = EPOLLIN };

		/* A CPU that was never online has no buffer: poll() always reports an error. */
		if (poll(&poll_fd, 1, 0) < 0 || (poll_fd.revents & POLLERR) ||
		    epoll_ctl(fd, EPOLL_CTL_ADD, raw->cpus[i].fd, &event) == 0)
			continue;
		close_fd(&raw->source.highwater_fd);
		break;
	}
	return 0;
}

int source_raw_check(struct live_trace *trace, const struct trace_files *files,
		     char why[static SOURCE_WHY_SIZE])
{
	struct source_raw *raw;
	int error = open_raw(&raw, trace, files, why);

	if (error == 0)
		raw_close(&raw->source);
	return error;
}
