/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of the running kernel, read by jankd's parser and by libtraceevent's kbuffer, give equal
 * events. */
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "parser/ftrace_raw.h"

#define TRACEFS "/sys/kernel/tracing"
#define SKIPPED 77
#define CPUS 2
#define PAGE_MAX 65536

/* For each CPU; with all sizes of sub-buffers there are more than a million. */
#define EVENTS 220000

static char instance[128];

static void skip(const char *why)
{
	printf("skipped: %s\n", why);
	exit(SKIPPED);
}

static void die(const char *what)
{
	printf("FAILED: %s: %s\n", what, strerror(errno));
	rmdir(instance);
	exit(1);
}

static int open_file(const char *name, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", instance, name);
	return open(path, flags | O_CLOEXEC);
}

static bool write_file(const char *name, const char *text)
{
	int fd = open_file(name, O_WRONLY);
	ssize_t n = write(fd, text, strlen(text));

	close(fd);
	return n == (ssize_t)strlen(text);
}

static struct span read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, size);

	close(fd);
	return (struct span){ text, n > 0 ? (size_t)n : 0 };
}

/* --- what is written --- */

/* Text of any length, some with a newline or a NUL. */
static size_t make_marker(char *text, unsigned int n)
{
	size_t len = (size_t)sprintf(text, "C|%u|layer %u#0|%u", n % 7, n % 50, n);

	if (n % 97 == 0)
		for (size_t more = n % 1500; more > 0; more--)
			text[len++] = 'x';
	if (n % 1009 == 0)
		text[len / 2] = '\n';
	if (n % 2003 == 0)
		text[len / 3] = '\0';
	return len;
}

static void write_markers(int cpu_number)
{
	struct timespec pause = { 0, 200000000 }; /* more than 27 bits of nanoseconds */
	int fd = open_file("trace_marker", O_WRONLY);
	char text[4096];
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET((size_t)cpu_number, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	for (unsigned int n = 0; n < EVENTS; n++) {
		size_t len = make_marker(text, n);

		if (n % (EVENTS / 3) == 5)
			nanosleep(&pause, NULL);
		if (write(fd, text, len) < 0)
			break;
	}
	close(fd);
}

/* --- what is compared --- */

static struct ftrace_format format;
static unsigned long events, pages, losses, unequal;

static void differs(const char *what, unsigned long long ours, unsigned long long theirs)
{
	if (unequal++ < 10)
		printf("FAILED: %s: ours %llu, kbuffer's %llu\n", what, ours, theirs);
}

/* Converts an event of kbuffer. Returns false if it is not a print event. */
static bool their_print(struct kbuffer *kbuf, void *data, unsigned long long time_ns,
			struct ftrace_print *print)
{
	const char *event = data;
	uint16_t id;

	memcpy(&id, event, sizeof(id));
	memcpy(&print->tid, event + 4, sizeof(print->tid));
	print->time_ns = time_ns;
	print->text = (struct span){ event + format.text_offset,
				     (size_t)kbuffer_event_size(kbuf) - format.text_offset };
	for (size_t i = 0; i < print->text.len; i++)
		if (strchr("\n", print->text.ptr[i])) /* or NUL */
			print->text.len = i;
	return id == format.print_id;
}

static void compare_event(const struct ftrace_print *ours, const struct ftrace_print *theirs)
{
	events++;
	if (ours->time_ns != theirs->time_ns)
		differs("time", ours->time_ns, theirs->time_ns);
	if (ours->tid != theirs->tid)
		differs("tid", (unsigned long long)ours->tid, (unsigned long long)theirs->tid);
	if (!span_equal(ours->text, theirs->text))
		differs("length of text", ours->text.len, theirs->text.len);
}

static void compare_page(struct kbuffer *kbuf, char *bytes, size_t size)
{
	struct ftrace_print ours, theirs;
	struct ftrace_page page;
	unsigned long long time_ns;
	void *data;
	int missed;

	pages++;
	kbuffer_load_subbuffer(kbuf, bytes);
	missed = kbuffer_missed_events(kbuf);
	if (!ftrace_page_begin(&page, &format, (struct span){ bytes, size })) {
		differs("no page", 0, 1);
		return;
	}
	losses += missed != 0;
	if (page.lost != (missed < 0 ? FTRACE_LOST_UNKNOWN : missed))
		differs("lost", (unsigned long long)page.lost, (unsigned long long)missed);
	for (data = kbuffer_read_event(kbuf, &time_ns); data;
	     data = kbuffer_next_event(kbuf, &time_ns)) {
		if (!their_print(kbuf, data, time_ns, &theirs))
			continue;
		if (ftrace_page_next(&page, &ours))
			compare_event(&ours, &theirs);
		else
			differs("events of a page", 0, 1);
	}
	if (ftrace_page_next(&page, &ours))
		differs("events of a page", 1, 0);
	if (page.damaged)
		differs("damaged", 1, 0);
}

static void read_cpu(int cpu, size_t page_size)
{
	static char bytes[PAGE_MAX] __attribute__((aligned(8)));
	/* The kernel's long can have another size than this program's. */
	struct kbuffer *kbuf = kbuffer_alloc(
		format.commit_size == 4 ? KBUFFER_LSIZE_4 : KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	char name[64];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	fd = open_file(name, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		die(name);
	while ((n = read(fd, bytes, page_size)) > 0)
		compare_page(kbuf, bytes, (size_t)n);
	close(fd);
	kbuffer_free(kbuf);
}

static void capture(const char *buffer_kb, const char *subbuf_kb)
{
	/* Before Linux 6.8 there is one size of sub-buffers. */
	if (!write_file("buffer_subbuf_size_kb", subbuf_kb))
		subbuf_kb = "4";
	if (!write_file("buffer_size_kb", buffer_kb))
		die("buffer_size_kb");
	for (int cpu = 0; cpu < CPUS; cpu++)
		write_markers(cpu);
	for (int cpu = 0; cpu < CPUS; cpu++)
		read_cpu(cpu, (size_t)atoi(subbuf_kb) * 1024);
	printf("%s KB per CPU, sub-buffers of %s KB: %lu events on %lu pages, %lu with loss so "
	       "far\n",
	       buffer_kb, subbuf_kb, events, pages, losses);
}

int main(void)
{
	static char text[8192];
	struct span read;

	if (geteuid() != 0)
		skip("reading a live trace needs root");
	if (access(TRACEFS "/instances", W_OK) != 0)
		skip("no tracefs at " TRACEFS);
	if (sysconf(_SC_NPROCESSORS_ONLN) < CPUS)
		skip("there is one CPU only");
	read = read_text(TRACEFS "/events/ftrace/print/format", text, sizeof(text));
	if (!ftrace_format_read_print(&format, read))
		die("format of print");
	read = read_text(TRACEFS "/events/header_page", text, sizeof(text));
	if (!ftrace_format_read_page(&format, read))
		die("header_page");
	snprintf(instance, sizeof(instance), TRACEFS "/instances/jankd-pages-%d", (int)getpid());
	if (mkdir(instance, 0700) < 0)
		skip("no instance can be made");
	capture("65536", "4");
	capture("65536", "16");
	capture("65536", "64");
	capture("64", "4"); /* overflows */
	rmdir(instance);
	if (events < 1000000 || losses == 0)
		differs("too little was seen", events, 1000000);
	return unequal ? 1 : 0;
}
