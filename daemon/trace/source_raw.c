/* SPDX-License-Identifier: Apache-2.0 */
/* The per-CPU rings of trace_pipe_raw, merged by time.
 *
 * A writer that is interrupted between its stamp and its text shows up late, so what is younger
 * than a few milliseconds waits for the next drain: it stays in its page, or in the kernel.
 */
#include "daemon/trace/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/trace/cpu_buffer_stats.h"
#include "daemon/trace/setting_file.h"
#include "daemon/trace/tracefs.h"
#include "daemon/base/wall_clock.h"
#include "daemon/trace/thread_cache.h"
#include "parser/ftrace_merge.h"
#include "parser/marker.h"

/* So old an event must be: who is interrupted while it writes one is back by then. */
#define HOLD_NS UINT64_C(5000000)

/* In so much time a flood fills a small ring. Not less: to follow a writer from event to event
 * costs more than to take a page. */
#define HOLD_BOOST_NS UINT64_C(500000)

/* A clock that the kernel told is followed for so long. */
#define CLOCK_FRESH_NS UINT64_C(1000000000)

/* SurfaceFlinger is looked for once in a drain, which takes several turns. */
#define FOLLOW_NS UINT64_C(100000000)

/* Pages of one turn, before signals and files get theirs. */
#define PAGES_MAX 512

/* So many turns in a row may give nothing while there is something. */
#define TURNS_HELD_MAX 4

/* Sub-buffers of any kernel. */
#define PAGE_SIZE_MIN 1024
#define PAGE_SIZE_MAX 1048576

/* As many as a kernel can be built for. */
#define CPUS_MAX 8192

struct raw_cpu {
	int fd;
	int32_t cpu;
	char *bytes; /* a sub-buffer */
	struct cpu_buffer_counts stats;
	uint64_t told; /* of stats.lost */
};

struct source_raw {
	struct source source;
	struct tracefs *tracefs;
	const struct trace_files *files;
	struct ftrace_format format;
	size_t page_size;
	struct thread_cache threads;
	uint64_t follow_ns;	 /* when to look for SurfaceFlinger again */
	uint64_t clock_asked_ns; /* when the kernel told its clock: CLOCK_MONOTONIC_RAW, or 0 */
	uint64_t clock_ahead_ns; /* of that, modulo 2^64 */
	uint64_t now_ns;	 /* of this turn, on the clock of loop_now() */
	unsigned int pages;	 /* of this turn */
	unsigned int turns_held; /* turns that gave nothing, because it was too young */
	uint64_t damaged;	 /* of the merge's, told as malformed */
	struct ftrace_merge merge;
	struct ftrace_cpu_buffer *buffers; /* of the merge, one for each of cpus */
	unsigned int n_cpus;
	struct raw_cpu cpus[];
};

/* Reads the next sub-buffer; a shorter read would leave the rest of it for the next. False where
 * there is none: read() may even return 0 while tracing is on. */
static bool read_page(void *context, unsigned int buffer, struct span *bytes)
{
	struct source_raw *raw = context;
	struct raw_cpu *cpu = &raw->cpus[buffer];
	ssize_t n = raw->source.held_only ? 0 : read(cpu->fd, cpu->bytes, raw->page_size);

	if (n <= 0)
		return false;
	raw->pages++;
	*bytes = (struct span){ cpu->bytes, (size_t)n };
	return true;
}

/* A page says that something is missing before it, but a full one has no room for how much: the
 * kernel's account has it. It is ahead of the page, so a later page may have nothing to add. */
static int64_t lost_before(const struct source_raw *raw, struct raw_cpu *cpu)
{
	uint64_t told = cpu->told;

	cpu_buffer_counts_read(&cpu->stats, raw->files, (unsigned int)cpu->cpu);
	if (!cpu->stats.known)
		return TRACE_LOST_UNKNOWN;
	cpu->told = cpu->stats.lost;
	return (int64_t)(cpu->stats.lost - told);
}

/* Text has microseconds, which the kernel rounds so: both sources give the same rows. */
static uint64_t time_of(const struct ftrace_cpu_buffer *buffer)
{
	return (buffer->next.time_ns + 500) / 1000 * 1000;
}

static void pass_lost(const struct source_raw *raw, struct raw_cpu *cpu,
		      struct ftrace_cpu_buffer *buffer, const struct record_taker *taker)
{
	struct trace_record record = {
		.kind = TRACE_LOST,
		.cpu = cpu->cpu,
		.tid = TRACE_ID_UNKNOWN,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
		.time_ns = time_of(buffer),
		.value = lost_before(raw, cpu),
	};

	buffer->has_lost = false;
	taker->take(taker->context, &record);
}

static void pass(struct source_raw *raw, struct ftrace_cpu_buffer *buffer,
		 const struct record_taker *taker)
{
	struct raw_cpu *cpu = &raw->cpus[buffer - raw->buffers];
	struct trace_record record = {
		.cpu = cpu->cpu,
		.tid = buffer->next.tid,
		.tgid = TRACE_ID_UNKNOWN,
		.time_ns = time_of(buffer),
	};

	if (buffer->has_lost)
		pass_lost(raw, cpu, buffer, taker);
	raw->source.markers++;
	if (!marker_parse(buffer->next.text, &record)) {
		raw->source.malformed++;
		return;
	}
	thread_cache_name(&raw->threads, &record, raw->now_ns);
	taker->take(taker->context, &record);
}

/* A clock that only the kernel has: it tells, for the price of a file, so it is asked seldom. In
 * between such a clock goes as that of the hardware, which nobody sets. */
static bool read_kernel_clock(struct source_raw *raw, uint64_t *now_ns)
{
	uint64_t hardware_ns = (uint64_t)clock_read(CLOCK_MONOTONIC_RAW);

	if (raw->clock_asked_ns && hardware_ns < raw->clock_asked_ns + CLOCK_FRESH_NS &&
	    wall_clock_is_time(raw->source.clock)) {
		*now_ns = hardware_ns + raw->clock_ahead_ns;
		return true;
	}
	if (!cpu_buffer_now(raw->files, (unsigned int)raw->cpus[0].cpu, now_ns))
		return false;
	/* Whoever is interrupted here is too late: then more is held back, not less. */
	raw->clock_asked_ns = (uint64_t)clock_read(CLOCK_MONOTONIC_RAW);
	raw->clock_ahead_ns = *now_ns - raw->clock_asked_ns;
	return true;
}

/* The trace clock now; false where it cannot be read. */
static bool read_clock(struct source_raw *raw, uint64_t *now_ns)
{
	clockid_t id;

	if (!wall_clock_same(raw->source.clock, &id))
		return read_kernel_clock(raw, now_ns);
	*now_ns = (uint64_t)clock_read(id);
	return true;
}

/* What is younger has to wait; but not for ever, whatever is wrong with the clock. */
static uint64_t limit_of(struct source_raw *raw)
{
	uint64_t hold_ns = raw->source.boost ? HOLD_BOOST_NS : HOLD_NS;
	uint64_t now_ns;

	if (raw->source.last || raw->source.held_only || raw->turns_held >= TURNS_HELD_MAX ||
	    !read_clock(raw, &now_ns) || now_ns < hold_ns)
		return UINT64_MAX;
	return now_ns - hold_ns;
}

/* A page that is broken cannot say how many events it held. */
static void count_damage(struct source_raw *raw)
{
	raw->source.malformed += raw->merge.damaged - raw->damaged;
	raw->damaged = raw->merge.damaged;
}

static ssize_t raw_take(struct source *source, const struct record_taker *taker)
{
	struct source_raw *raw = (struct source_raw *)source;
	uint64_t limit_ns = limit_of(raw), bytes = raw->merge.bytes;
	struct ftrace_cpu_buffer *buffer;

	raw->pages = 0;
	raw->now_ns = loop_now();
	if (raw->now_ns >= raw->follow_ns) {
		raw->follow_ns = raw->now_ns + FOLLOW_NS;
		thread_cache_follow(&raw->threads);
	}
	ftrace_merge_turn(&raw->merge);
	while (raw->pages < PAGES_MAX && (buffer = ftrace_merge_peek(&raw->merge, limit_ns))) {
		raw->turns_held = 0;
		pass(raw, buffer, taker);
		ftrace_merge_pop(&raw->merge);
	}
	raw->turns_held += raw->merge.first && raw->pages < PAGES_MAX;
	count_damage(raw);
	return raw->pages > 0 ? (ssize_t)(raw->merge.bytes - bytes) : -EAGAIN;
}

/* --- opening --- */

static void raw_close(struct source *source)
{
	struct source_raw *raw = (struct source_raw *)source;

	for (unsigned int i = 0; i < raw->n_cpus; i++) {
		if (raw->cpus[i].fd >= 0)
			close(raw->cpus[i].fd);
		free(raw->cpus[i].bytes);
	}
	if (raw->source.fd >= 0)
		close(raw->source.fd);
	if (raw->source.full_fd >= 0)
		close(raw->source.full_fd);
	thread_cache_end(&raw->threads);
	free(raw->buffers);
	free(raw);
}

static const struct source_ops raw_ops = { .take = raw_take, .close = raw_close };

/* What is wrong with a file of the trace. */
static int fail(char why[static SOURCE_WHY_SIZE], const char *name, int error)
{
	snprintf(why, SOURCE_WHY_SIZE, "%s: %s", name,
		 error == -EPROTO ? "not as this program knows it" : strerror(-error));
	return error;
}

/* Returns 0 or -errno. */
static int read_format(const char *directory, const char *name, struct ftrace_format *format,
		       bool (*read)(struct ftrace_format *format, struct span text),
		       char why[static SOURCE_WHY_SIZE])
{
	char *text = setting_read_all(directory, name);
	int error = 0;

	if (!text)
		error = -errno;
	else if (!read(format, span_of(text)))
		error = -EPROTO;
	free(text);
	return error < 0 ? fail(why, name, error) : 0;
}

/* Formats are the same for all instances; sub-buffers may have another size in each. */
static int read_formats(struct source_raw *raw, char why[static SOURCE_WHY_SIZE])
{
	const char *top = tracefs_directory(raw->tracefs);
	char value[SETTING_SIZE];
	int error = read_format(top, "events/ftrace/print/format", &raw->format,
				ftrace_format_read_print, why);

	if (error == 0)
		error = read_format(top, "events/header_page", &raw->format,
				    ftrace_format_read_page, why);
	if (error < 0)
		return error;
	raw->page_size = raw->format.page_size;
	if (setting_read(tracefs_path(raw->tracefs), "buffer_subbuf_size_kb", value) == 0)
		raw->page_size = strtoul(value, NULL, 10) * 1024;
	if (raw->page_size >= PAGE_SIZE_MIN && raw->page_size <= PAGE_SIZE_MAX)
		return 0;
	return fail(why, "buffer_subbuf_size_kb", -EPROTO);
}

static int open_cpu(struct source_raw *raw, unsigned int i, char why[static SOURCE_WHY_SIZE])
{
	struct raw_cpu *cpu = &raw->cpus[raw->n_cpus];
	char name[64], path[1200];
	int fd;

	snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", i);
	snprintf(path, sizeof(path), "%s/%s", tracefs_path(raw->tracefs), name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		return 0;
	if (fd < 0)
		return fail(why, name, -errno);
	*cpu = (struct raw_cpu){ .fd = fd, .cpu = (int32_t)i };
	cpu_buffer_counts_read(&cpu->stats, raw->files, i);
	raw->n_cpus++;
	cpu->bytes = malloc(raw->page_size);
	if (!cpu->bytes)
		return fail(why, "a buffer", -ENOMEM);
	memset(cpu->bytes, 0, raw->page_size);
	return 0;
}

/* A CPU that was never there has no ring: it would always call. */
static bool has_cpu_buffer(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) >= 0 && !(poll_fd.revents & POLLERR);
}

/* Readable as soon as a ring is half full: then nobody waits for the next drain. */
static int watch_cpu_buffers(struct source_raw *raw)
{
	int fd;

	if (setting_write(tracefs_path(raw->tracefs), "buffer_percent", "50") < 0)
		return -1;
	fd = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int i = 0; fd >= 0 && i < raw->n_cpus; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (!has_cpu_buffer(raw->cpus[i].fd))
			continue;
		if (epoll_ctl(fd, EPOLL_CTL_ADD, raw->cpus[i].fd, &event) < 0) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* CPUs that the trace has rings for. A process may know of fewer: of those it can run on. Returns
 * their number or -errno. */
static int count_cpus(const struct tracefs *tracefs)
{
	struct dirent *entry;
	char path[1200];
	unsigned int cpu;
	DIR *directory;
	int n = 0;

	snprintf(path, sizeof(path), "%s/per_cpu", tracefs_path(tracefs));
	directory = opendir(path);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory)))
		if (sscanf(entry->d_name, "cpu%u", &cpu) == 1 && (int)cpu >= n && cpu < CPUS_MAX)
			n = (int)cpu + 1;
	closedir(directory);
	return n > 0 ? n : -ENOENT;
}

/* Both as large as the rings are many. NULL: no memory. */
static struct source_raw *raw_new(struct tracefs *tracefs, const struct trace_files *files,
				  unsigned int cpus)
{
	struct source_raw *raw = calloc(1, sizeof(*raw) + cpus * sizeof(raw->cpus[0]));
	struct ftrace_cpu_buffer *buffers = calloc(cpus + 1, sizeof(*buffers));

	if (!raw || !buffers) {
		free(raw);
		free(buffers);
		return NULL;
	}
	raw->source = (struct source){
		.ops = &raw_ops,
		.name = "trace_pipe_raw",
		.clock = tracefs_clock(tracefs),
		.fd = -1,
		.full_fd = -1,
	};
	raw->tracefs = tracefs;
	raw->files = files;
	raw->buffers = buffers;
	thread_cache_begin(&raw->threads, "/proc");
	return raw;
}

int source_raw_open(struct source **out, struct tracefs *tracefs, const struct trace_files *files,
		    char why[static SOURCE_WHY_SIZE])
{
	int cpus = count_cpus(tracefs);
	struct source_raw *raw;
	int error;

	if (cpus < 0)
		return fail(why, "per_cpu", cpus);
	raw = raw_new(tracefs, files, (unsigned int)cpus);
	if (!raw)
		return fail(why, "the rings", -ENOMEM);
	/* trace_pipe is never read: it rings where there is something, and keeps those away that
	 * would take events from us. */
	raw->source.fd = tracefs_open_pipe(tracefs);
	error = raw->source.fd == -EBUSY ? fail(why, "trace_pipe", -EBUSY) : read_formats(raw, why);
	for (int i = 0; error == 0 && i < cpus; i++)
		error = open_cpu(raw, (unsigned int)i, why);
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
	raw->source.full_fd = watch_cpu_buffers(raw);
	*out = &raw->source;
	return 0;
}
