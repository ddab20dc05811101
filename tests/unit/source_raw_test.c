/* SPDX-License-Identifier: Apache-2.0 */
/* The raw CPU buffers of a fake tracefs, with pages made by the test: records sorted by time, lost
 * events, events that are too young, and errors at opening. */
#include "tests/unit/unit.h"

#include <sys/stat.h>
#include <time.h>

#include "daemon/base/wall_clock.h"
#include "daemon/trace/source.h"
#include "daemon/trace/trace_files.h"
#include "daemon/trace/tracefs.h"
#include "tests/unit/fake_tracefs.h"
#include "tests/unit/printed.h"

#define PAGE 4096
#define PRINT_ID 5
#define MISSED_EVENTS (UINT64_C(1) << 31)

static struct live_trace *trace;
static struct trace_files files;
static struct source *source;
static char why[SOURCE_WHY_SIZE];
static int cpu_buffers[FAKE_TRACEFS_CPUS];

/* The records of the source, a line for each: microseconds since @begin_ns, kind, CPU/thread, name,
 * value; '!' if the source has a loss ahead. */
static uint64_t begin_ns;
static char got[4096];
static unsigned int n_got;

static void keep(void *context, const struct trace_record *record, size_t n)
{
	static const char kinds[] = { [TRACE_SLICE_BEGIN] = 'B',
				      [TRACE_SLICE_END] = 'E',
				      [TRACE_INSTANT] = 'I',
				      [TRACE_COUNTER] = 'C',
				      [TRACE_LOST] = 'L' };
	size_t len = strlen(got);

	for (n_got += (unsigned int)n; n > 0; n--, record++) {
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%lld %c%d/%d %.*s",
					((long long)record->time_ns - (long long)begin_ns) / 1000,
					kinds[record->kind], record->cpu, record->tid,
					(int)record->name.len,
					record->name.len ? record->name.ptr : "");
		if (record->kind == TRACE_COUNTER || record->kind == TRACE_LOST)
			len += (size_t)snprintf(got + len, sizeof(got) - len, " %lld",
						(long long)record->value);
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%s\n",
					source->loss_ahead ? "!" : "");
	}
}

static const struct record_sink sink = { .records = keep };

static int set_up(void **state)
{
	n_got = 0;
	got[0] = '\0';
	begin_ns = ((uint64_t)clock_read(CLOCK_BOOTTIME) - SECOND) / 1000 * 1000;
	source = NULL;
	fake_tracefs_set_up(state);
	fake_tracefs_raw();
	cpu_buffers[0] = fake_tracefs_open("per_cpu/cpu0/trace_pipe_raw");
	cpu_buffers[1] = fake_tracefs_open("per_cpu/cpu1/trace_pipe_raw");
	trace_files_init(&files);
	return live_trace_open(&trace, fake_tracefs, NULL);
}

static int tear_down(void **state)
{
	source_close(source);
	trace_files_close(&files);
	live_trace_close(trace);
	close(cpu_buffers[0]);
	close(cpu_buffers[1]);
	return scratch_tear_down_closed(state);
}

static int open_source(void)
{
	int error;

	trace_files_open(&files, trace->path);
	why[0] = '\0';
	error = source_raw_open(&source, trace, &files, why);
	/* Set by the capture, which reads it later. */
	if (error == 0)
		source_set_clock(source, "boot");
	return error;
}

/* --- pages --- */

struct page {
	char bytes[PAGE];
	uint64_t len, time_ns;
};

static void page_print(struct page *page, uint32_t delta_ns, int32_t tid, const char *text)
{
	size_t len = (16 + strlen(text) + 1 + 3) & ~(size_t)3;
	uint32_t head = (uint32_t)(len / 4) | delta_ns << 5;
	char *at = page->bytes + 16 + page->len;
	uint16_t id = PRINT_ID;

	memcpy(at, &head, sizeof(head));
	memcpy(at + 4, &id, sizeof(id));
	memcpy(at + 4 + 4, &tid, sizeof(tid));
	strcpy(at + 4 + 16, text);
	page->len += 4 + len;
}

static void page_write(struct page *page, int cpu, uint64_t flags)
{
	uint64_t commit = page->len | flags;

	memcpy(page->bytes, &page->time_ns, 8);
	memcpy(page->bytes + 8, &commit, 8);
	assert_int_equal(write(cpu_buffers[cpu], page->bytes, PAGE), PAGE);
}

/* Writes a page with one marker of thread 42. */
static void write_one(int cpu, uint64_t time_ns, const char *text, uint64_t flags)
{
	struct page page = { .time_ns = time_ns };

	page_print(&page, 0, 42, text);
	page_write(&page, cpu, flags);
}

/* Reads once: these records. */
static void reads(enum source_how how, const char *records)
{
	got[0] = '\0';
	source_read(source, how, &sink);
	assert_string_equal(got, records);
}

/* --- records --- */

static int set_up_opened(void **state)
{
	return set_up(state) != 0 ? -1 : open_source();
}

FIXTURE(set_up_opened, tear_down)

/* Those of equal time in the order of the CPUs, as trace_pipe orders them. */
TEST(records_of_all_cpus_are_sorted_by_time)
{
	struct page page = { .time_ns = begin_ns };

	assert_string_equal(source->name, "trace_pipe_raw");
	page_print(&page, 0, 42, "B|42|first\n");
	page_print(&page, 3000, 42, "C|42|third|-7\n");
	page_write(&page, 0, 0);
	page = (struct page){ .time_ns = begin_ns + 1000 };
	page_print(&page, 0, 43, "I|43|second\n");
	page_print(&page, 2000, 43, "B|43|fourth\n");
	page_write(&page, 1, 0);
	reads(SOURCE_NORMAL, "0 B0/42 first\n1 I1/43 second\n3 C0/42 third -7\n3 B1/43 fourth\n");
	assert_fields(&source->counts, markers == 4, malformed == 0);
	assert_int_equal(source_read(source, SOURCE_NORMAL, &sink), -EAGAIN);
}

/* A caller can stop between two reads. */
TEST(read_is_limited_to_16_pages)
{
	for (unsigned int i = 0; i < 24; i++)
		write_one(i % 2, begin_ns + i * MS, "B|42|work\n", 0);
	assert_true(source_read(source, SOURCE_NORMAL, &sink) > 0);
	assert_in_range(n_got, 14, 16);
	assert_true(source_read(source, SOURCE_NORMAL, &sink) > 0);
	assert_int_equal(n_got, 24);
}

/* As the kernel rounds times for text. */
TEST(times_are_rounded_to_microseconds_and_damage_is_counted)
{
	struct page page = { .time_ns = begin_ns };
	char text[200];

	page_print(&page, 499, 42, "B|42|down\n");
	page_print(&page, 1, 42, "B|42|up\n");
	page_print(&page, 1, 42, "hello\n");
	page_write(&page, 0, 0);
	reads(SOURCE_NORMAL, "0 B0/42 down\n1 B0/42 up\n");
	assert_fields(&source->counts, markers == 3, malformed == 1);
	source_describe_damage(source, text);
	assert_string_equal(text, "malformed markers or damaged pages so far: 1");
	/* a head of 4 bytes, 16 of the event, the text with its NUL, and the page's head */
	assert_int_equal(source_cpu_bytes(source, 0), source->counts.bytes);
	assert_int_equal(source_cpu_bytes(source, 1), 0);
	assert_int_equal(source->counts.bytes, 16 + 32 + 32 + 28);
	page.len = PAGE; /* more than fits */
	page_write(&page, 0, 0);
	write_one(0, begin_ns + 1000, "B|42|after\n", 0);
	reads(SOURCE_NORMAL, "");
	reads(SOURCE_NORMAL, "1 B0/42 after\n");
	assert_int_equal(source->counts.malformed, 2);
}

/* A page has a flag that events are missing; the statistics have their number. Events of other CPUs
 * from the time of the loss come before its record. */
TEST(loss_record_precedes_the_next_event)
{
	scratch_put("tr/per_cpu/cpu1/stats",
		    "entries: 0\noverrun: 321\ndropped events: 0\nread events: 7\n");
	write_one(0, begin_ns - 2 * SECOND, "B|41|before\n", 0);
	write_one(0, begin_ns - SECOND, "E|41\n", 0);
	write_one(1, begin_ns, "B|42|after\n", MISSED_EVENTS);
	reads(SOURCE_NORMAL,
	      "-2000000 B0/42 before!\n-1000000 E0/42 !\n0 L1/-1  321\n0 B1/42 after\n");
	assert_false(source->loss_ahead);
}

/* The descriptor of the source for that file. */
static int descriptor_of(const char *name)
{
	struct stat wanted, info;
	int mine = -1;

	assert_int_equal(stat(scratch_path(name), &wanted), 0);
	for (int fd = 3; fd < 256 && mine < 0; fd++)
		if (fd != cpu_buffers[0] && fd != cpu_buffers[1] && fstat(fd, &info) == 0 &&
		    info.st_ino == wanted.st_ino && info.st_dev == wanted.st_dev)
			mine = fd;
	return mine;
}

/* A folder can be opened, and not be read: EISDIR stands for EIO. Its events that come too late for
 * those of the other CPU are lost, and so is what a page of it says it has lost. */
TEST(a_cpu_that_cannot_be_read_is_a_hole)
{
	int fd = descriptor_of("tr/per_cpu/cpu1/trace_pipe_raw"), kept = dup(fd), folder;

	folder = open("/", O_RDONLY | O_CLOEXEC);
	write_one(1, begin_ns, "B|42|before\n", 0);
	reads(SOURCE_NORMAL, "0 B1/42 before\n");
	dup2(folder, fd);
	close(folder);
	write_one(0, begin_ns + SECOND / 4, "B|42|zero\n", 0);
	write_one(1, begin_ns + SECOND / 8, "B|42|late\n", 0);
	printed_begin(2);
	reads(SOURCE_NORMAL, "250000 B0/42 zero!\n");
	assert_contains(printed_end(),
			"cpu1/trace_pipe_raw: Is a directory; its events are missing");
	assert_string_equal(
		source->failure,
		"events of CPU 1 are missing: trace_pipe_raw cannot be read: Is a directory");
	reads(SOURCE_NORMAL, "");
	assert_fields(source, failures == 1, is_incomplete == false);
	dup2(kept, fd);
	close(kept);
	write_one(1, begin_ns + SECOND / 2, "B|42|again\n", 0);
	reads(SOURCE_NORMAL,
	      formatted("500000 L1/-1  %lld\n500000 B1/42 again\n", (long long)TRACE_LOST_UNKNOWN));
	assert_contains(source->failure, "can be read again");
	assert_fields(source, failures == 2, is_incomplete == true, loss_ahead == false);
}

/* The page says that events were lost. How many is unknown until the statistics are read. */
TEST(statistics_that_cannot_be_read_do_not_say_that_nothing_is_lost)
{
	int fd = descriptor_of("tr/per_cpu/cpu1/stats"), folder = open("/", O_RDONLY | O_CLOEXEC);

	dup2(folder, fd);
	close(folder);
	write_one(1, begin_ns, "B|42|after\n", MISSED_EVENTS);
	reads(SOURCE_NORMAL,
	      formatted("0 L1/-1  %lld\n0 B1/42 after\n", (long long)TRACE_LOST_UNKNOWN));
}

/* A writer that was interrupted may still add an earlier event. */
TEST(young_events_are_held_back)
{
	write_one(0, begin_ns, "B|42|old\n", 0);
	write_one(0, begin_ns + 3600 * SECOND, "B|42|young\n", 0);
	reads(SOURCE_HELD_ONLY, "");
	reads(SOURCE_NORMAL, "0 B0/42 old\n");
	/* Older ones that arrive meanwhile come first. */
	write_one(1, begin_ns + 1000, "B|42|late\n", 0);
	reads(SOURCE_NORMAL, "1 B1/42 late\n");
	/* At the end they are read. */
	reads(SOURCE_LAST, "3600000000 B0/42 young\n");
	/* They are not held back forever: the clock may be wrong. */
	write_one(0, begin_ns + 3600 * SECOND, "B|42|young\n", 0);
	for (int i = 0; i < 10 && n_got == 2; i++)
		source_read(source, SOURCE_NORMAL, &sink);
	assert_int_equal(n_got, 3);
}

/* --- opening --- */

FIXTURE(set_up, tear_down)

TEST(number_of_lost_events_is_unknown_without_statistics)
{
	unlink(scratch_path("tr/per_cpu/cpu0/stats"));
	assert_int_equal(open_source(), 0);
	write_one(0, begin_ns, "B|42|work\n", MISSED_EVENTS);
	reads(SOURCE_NORMAL,
	      formatted("0 L0/-1  %lld\n0 B0/42 work\n", (long long)TRACE_LOST_UNKNOWN));
}

/* "now ts" in the statistics is 10 s. */
TEST(time_of_the_local_clock_is_read_from_stats)
{
	scratch_put("tr/trace_clock", "[local] global boot\n");
	assert_int_equal(open_source(), 0);
	source_set_clock(source, "local");
	begin_ns = 0;
	write_one(0, 9 * SECOND, "B|42|old\n", 0);
	write_one(0, 3600 * SECOND, "B|42|young\n", 0);
	reads(SOURCE_NORMAL, "9000000 B0/42 old\n");
	reads(SOURCE_NORMAL, "");
}

static void assert_cannot(const char *name)
{
	assert_true(open_source() < 0);
	assert_null(source);
	assert_contains(why, name);
	trace_files_close(&files);
}

TEST(unreadable_format_files_are_named)
{
	scratch_put("tr/buffer_subbuf_size_kb", "0\n");
	assert_cannot("buffer_subbuf_size_kb");
	scratch_put("tr/buffer_subbuf_size_kb", "2048\n");
	assert_cannot("buffer_subbuf_size_kb");
	unlink(scratch_path("tr/buffer_subbuf_size_kb"));
	scratch_put("tr/events/header_page", "nonsense\n");
	assert_cannot("events/header_page");
	unlink(scratch_path("tr/events/header_page"));
	assert_cannot("events/header_page");
	scratch_put("tr/events/ftrace/print/format", "nonsense\n");
	assert_cannot("events/ftrace/print/format");
}

TEST(cpu_without_buffer_is_skipped)
{
	unlink(scratch_path("tr/per_cpu/cpu1/trace_pipe_raw"));
	assert_int_equal(open_source(), 0);
	source_close(source);
	source = NULL;
	trace_files_close(&files);
	unlink(scratch_path("tr/per_cpu/cpu0/trace_pipe_raw"));
	assert_cannot("per_cpu");
}

TEST(text_depends_on_the_format_of_its_lines)
{
	assert_int_equal(open_source(), 0);
	assert_false(source->depends_on_line_format);
	source_close(source);
	assert_int_equal(source_pipe_open(&source, trace, &files, 0), 0);
	assert_true(source->depends_on_line_format);
}

/* A call that is meant for another kind of source does nothing, before and after source_stop(). */
static void take_each_call(struct source *kind)
{
	char text[200];

	for (int i = 0; i < 2; i++) {
		source_set_clock(kind, "boot");
		source_buffers_emptied(kind);
		assert_false(source_check_lost(kind, i == 1, text));
		source_stop(kind);
	}
	source = source_close(kind);
}

TEST(each_kind_of_source_takes_each_call)
{
	static const struct source_ops no_ops = { NULL };

	assert_int_equal(open_source(), 0);
	take_each_call(source);
	assert_int_equal(source_pipe_open(&source, trace, &files, 0), 0);
	take_each_call(source);
	scratch_put("a.txt", "# tracer: nop\n");
	assert_int_equal(source_file_open(&source, scratch_path("a.txt"), 0), 0);
	take_each_call(source);
	take_each_call(&(struct source){ .ops = &no_ops });
}

/* Two readers would each get half of the events. */
TEST(second_reader_is_refused)
{
	struct source *second = NULL;

	assert_int_equal(open_source(), 0);
	assert_int_equal(source_raw_open(&second, trace, &files, why), -EBUSY);
	assert_contains(why, "trace_pipe");
	printed_begin(2);
	assert_int_equal(source_pipe_open(&second, trace, &files, 0), -EBUSY);
	assert_contains(printed_end(), "trace_pipe");
}
