/* SPDX-License-Identifier: Apache-2.0 */
/* The per-CPU rings of trace_pipe_raw, merged by time.
 *
 *     CPU 0  |page: . . . . . . .|          held back: younger than the drain
 *     CPU 1  |page: . . . .|                             v
 *     out     . . .. . . . ..  .  . .  .    |  . .  .
 *
 * A page of each CPU is open at a time, and the oldest event of all goes first. A writer that is
 * interrupted between its stamp and its text shows up late, so what is younger than a few
 * milliseconds waits for the next drain: it stays in its page, or in the kernel.
 */
#include "daemon/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "daemon/loop.h"
#include "daemon/ring_stats.h"
#include "daemon/setting_file.h"
#include "daemon/tracefs.h"
#include "daemon/wall_clock.h"
#include "daemon/writers.h"
#include "parser/ftrace_raw.h"
#include "parser/marker.h"

/* So old an event must be: who is interrupted while it writes one is back by then. */
#define HOLD_NS UINT64_C(5000000)

/* Pages of one turn, before signals and files get theirs. */
#define PAGES_MAX 512

/* So many turns in a row may give nothing while there is something. */
#define TURNS_HELD_MAX 4

/* Sub-buffers of any kernel. */
#define PAGE_SIZE_MIN 1024
#define PAGE_SIZE_MAX 1048576

struct raw_cpu {
	int fd;
	int32_t cpu;
	char *bytes; /* a sub-buffer */
	struct ftrace_page page;
	struct ftrace_print next; /* where has_next is set */
	bool has_next;
	bool has_lost; /* before next, not told yet */
	struct ring_cpu stats;
	uint64_t told; /* of stats.lost */
};

struct source_raw {
	struct source source;
	struct tracefs *tracefs;
	struct ftrace_format format;
	size_t page_size;
	struct writers writers;
	uint64_t now_ns;	 /* of this turn, on the clock of loop_now() */
	unsigned int pages;	 /* of this turn */
	unsigned int turns_held; /* turns that gave nothing, because it was too young */
	unsigned int n_cpus;
	struct raw_cpu cpus[];
};

/* --- one CPU --- */

/* Reads the next sub-buffer; a shorter read would leave the rest of it for the next. False where
 * there is none: read() may even return 0 while tracing is on. */
static bool read_page(struct source_raw *raw, struct raw_cpu *cpu)
{
	ssize_t n = read(cpu->fd, cpu->bytes, raw->page_size);

	if (n <= 0)
		return false;
	raw->pages++;
	if (!ftrace_page_begin(&cpu->page, &raw->format, (struct span){ cpu->bytes, (size_t)n }))
		return false;
	cpu->has_lost |= cpu->page.lost != 0;
	return true;
}

/* Finds the next event. False where there is none now. */
static bool advance(struct source_raw *raw, struct raw_cpu *cpu)
{
	cpu->has_next = false;
	while (!cpu->has_next) {
		cpu->has_next = cpu->page.format && ftrace_page_next(&cpu->page, &cpu->next);
		if (!cpu->has_next && !read_page(raw, cpu)) {
			cpu->page.format = NULL;
			return false;
		}
	}
	return true;
}

/* --- all of them --- */

/* The CPU with the oldest event, or NULL. *until_ns: so long it stays the oldest. */
static struct raw_cpu *oldest(struct source_raw *raw, uint64_t *until_ns)
{
	struct raw_cpu *first = NULL;

	*until_ns = UINT64_MAX;
	for (unsigned int i = 0; i < raw->n_cpus; i++) {
		struct raw_cpu *cpu = &raw->cpus[i];

		if (!cpu->has_next)
			continue;
		if (!first || cpu->next.time_ns < first->next.time_ns) {
			if (first)
				*until_ns = first->next.time_ns;
			first = cpu;
		} else if (cpu->next.time_ns < *until_ns) {
			*until_ns = cpu->next.time_ns;
		}
	}
	return first;
}

/* A page says that something is missing before it, but a full one has no room for how much: the
 * kernel's account has it. It is ahead of the page, so a later page may have nothing to add. */
static int64_t lost_before(const struct source_raw *raw, struct raw_cpu *cpu)
{
	uint64_t told = cpu->told;

	ring_cpu_look(&cpu->stats, tracefs_path(raw->tracefs), (unsigned int)cpu->cpu);
	if (!cpu->stats.known)
		return TRACE_LOST_UNKNOWN;
	cpu->told = cpu->stats.lost;
	return (int64_t)(cpu->stats.lost - told);
}

static void pass_lost(const struct source_raw *raw, struct raw_cpu *cpu,
		      const struct record_taker *taker)
{
	struct trace_record record = {
		.kind = TRACE_LOST,
		.cpu = cpu->cpu,
		.tid = TRACE_ID_UNKNOWN,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
		.time_ns = cpu->next.time_ns,
		.value = lost_before(raw, cpu),
	};

	cpu->has_lost = false;
	taker->take(taker->context, &record);
}

static void pass(struct source_raw *raw, struct raw_cpu *cpu, const struct record_taker *taker)
{
	struct trace_record record = {
		.cpu = cpu->cpu,
		.tid = cpu->next.tid,
		.tgid = TRACE_ID_UNKNOWN,
		.time_ns = cpu->next.time_ns,
	};

	if (cpu->has_lost)
		pass_lost(raw, cpu, taker);
	raw->source.markers++;
	if (!marker_parse(cpu->next.text, &record)) {
		raw->source.malformed++;
		return;
	}
	writers_name(&raw->writers, &record, raw->now_ns);
	taker->take(taker->context, &record);
}

static const struct {
	const char *name;
	clockid_t id;
} clocks[] = {
	{ "boot", CLOCK_BOOTTIME },
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "tai", CLOCK_TAI },
};

/* The trace clock now; false where it cannot be read. */
static bool read_clock(const struct source_raw *raw, uint64_t *now_ns)
{
	const char *name = tracefs_clock(raw->tracefs);

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(name, clocks[i].name) != 0)
			continue;
		*now_ns = (uint64_t)clock_read(clocks[i].id);
		return true;
	}
	return false;
}

/* What is younger has to wait; but not for ever, whatever is wrong with the clock. */
static uint64_t limit_of(const struct source_raw *raw)
{
	uint64_t now_ns;

	if (raw->source.last || raw->turns_held >= TURNS_HELD_MAX || !read_clock(raw, &now_ns))
		return UINT64_MAX;
	return now_ns - HOLD_NS;
}

static ssize_t raw_take(struct source *source, const struct record_taker *taker)
{
	struct source_raw *raw = (struct source_raw *)source;
	uint64_t limit_ns = limit_of(raw);
	uint64_t until_ns;
	struct raw_cpu *cpu;

	raw->pages = 0;
	writers_follow(&raw->writers);
	raw->now_ns = loop_now();
	for (unsigned int i = 0; i < raw->n_cpus; i++)
		if (!raw->cpus[i].has_next)
			advance(raw, &raw->cpus[i]);
	while (raw->pages < PAGES_MAX && (cpu = oldest(raw, &until_ns))) {
		if (cpu->next.time_ns > limit_ns) {
			raw->turns_held++;
			break;
		}
		raw->turns_held = 0;
		if (until_ns > limit_ns)
			until_ns = limit_ns;
		do
			pass(raw, cpu, taker);
		while (advance(raw, cpu) && cpu->next.time_ns <= until_ns &&
		       raw->pages < PAGES_MAX);
	}
	return raw->pages > 0 ? (ssize_t)(raw->pages * raw->page_size) : -EAGAIN;
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
	free(raw);
}

static const struct source_ops raw_ops = { .take = raw_take, .close = raw_close };

static bool read_format(const char *directory, const char *name, struct ftrace_format *format,
			bool (*read)(struct ftrace_format *format, struct span text))
{
	char *text = setting_read_all(directory, name);
	bool done = text && read(format, span_of(text));

	free(text);
	return done;
}

/* Formats are the same for all instances; sub-buffers may have another size in each. */
static int read_formats(struct source_raw *raw)
{
	const char *top = tracefs_directory(raw->tracefs);
	char value[SETTING_SIZE];

	if (!read_format(top, "events/ftrace/print/format", &raw->format,
			 ftrace_format_read_print) ||
	    !read_format(top, "events/header_page", &raw->format, ftrace_format_read_page))
		return -ENOENT;
	raw->page_size = raw->format.page_size;
	if (setting_read(tracefs_path(raw->tracefs), "buffer_subbuf_size_kb", value) == 0)
		raw->page_size = strtoul(value, NULL, 10) * 1024;
	return raw->page_size >= PAGE_SIZE_MIN && raw->page_size <= PAGE_SIZE_MAX ? 0 : -EPROTO;
}

static int open_cpu(struct source_raw *raw, unsigned int i)
{
	struct raw_cpu *cpu = &raw->cpus[raw->n_cpus];
	char path[1200];
	int fd;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", tracefs_path(raw->tracefs),
		 i);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENODEV || errno == ENXIO ? 0 : -errno;
	*cpu = (struct raw_cpu){ .fd = fd, .cpu = (int32_t)i };
	ring_cpu_look(&cpu->stats, tracefs_path(raw->tracefs), i);
	raw->n_cpus++;
	cpu->bytes = malloc(raw->page_size);
	if (!cpu->bytes)
		return -ENOMEM;
	memset(cpu->bytes, 0, raw->page_size);
	return 0;
}

/* Readable as soon as a ring is half full: then nobody waits for the next drain. */
static int watch_rings(struct source_raw *raw)
{
	int fd;

	if (setting_write(tracefs_path(raw->tracefs), "buffer_percent", "50") < 0)
		return -1;
	fd = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int i = 0; fd >= 0 && i < raw->n_cpus; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (epoll_ctl(fd, EPOLL_CTL_ADD, raw->cpus[i].fd, &event) < 0) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* trace_pipe is never read: it rings where there is something, and keeps those away that would
 * take events from us. Kernels before 6.6 let several read it: the lock keeps our like away. */
static int open_bell(struct source_raw *raw)
{
	raw->source.fd = tracefs_open_pipe(raw->tracefs);
	if (raw->source.fd == -EBUSY)
		return -EBUSY;
	if (raw->source.fd >= 0 && flock(raw->source.fd, LOCK_EX | LOCK_NB) < 0 &&
	    errno == EWOULDBLOCK)
		return -EBUSY;
	return 0;
}

int source_raw_open(struct source **out, struct tracefs *tracefs)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct source_raw *raw = calloc(1, sizeof(*raw) + (size_t)cpus * sizeof(raw->cpus[0]));
	int error;

	if (!raw)
		return -ENOMEM;
	raw->source = (struct source){
		.ops = &raw_ops,
		.name = "trace_pipe_raw",
		.fd = -1,
		.full_fd = -1,
	};
	raw->tracefs = tracefs;
	writers_begin(&raw->writers, "/proc");
	error = open_bell(raw);
	if (error == 0)
		error = read_formats(raw);
	for (long i = 0; error == 0 && i < cpus; i++)
		error = open_cpu(raw, (unsigned int)i);
	if (error == 0 && raw->n_cpus == 0)
		error = -ENOENT;
	if (error < 0) {
		raw_close(&raw->source);
		return error;
	}
	raw->source.full_fd = watch_rings(raw);
	*out = &raw->source;
	return 0;
}
