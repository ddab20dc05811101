/* SPDX-License-Identifier: Apache-2.0 */
/* The raw CPU buffers of a fake tracefs, with pages made by the test: records sorted by time, lost
 * events, events that are too young, and errors at opening. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/wall_clock.h"
#include "daemon/trace/source.h"
#include "daemon/trace/trace_files.h"
#include "daemon/trace/tracefs.h"
#include "tests/unit/fake_tracefs.h"
#include "tests/unit/printed.h"

#define PAGE 4096
#define PRINT_ID 5
#define MISSED_EVENTS (UINT64_C(1) << 31)
#define RECORDS_MAX 64

static struct tracefs *tracefs;
static struct trace_files files;
static struct source *source;
static char why[SOURCE_WHY_SIZE];
static int cpu_buffers[FAKE_TRACEFS_CPUS];

/* The records of the source; texts are copied. */
static struct kept {
	struct trace_record record;
	char name[64];
	bool loss_ahead; /* of the source, at that record */
} kept[RECORDS_MAX];
static unsigned int n_kept;

static void keep(void *context, const struct trace_record *record)
{
	struct kept *next = &kept[n_kept++];

	(void)context;
	assert_true(n_kept <= RECORDS_MAX);
	next->record = *record;
	next->loss_ahead = source->loss_ahead;
	snprintf(next->name, sizeof(next->name), "%.*s", (int)record->name.len, record->name.ptr);
}

static const struct record_sink sink = { .record = keep };

static int set_up(void **state)
{
	n_kept = 0;
	source = NULL;
	fake_tracefs_set_up(state);
	fake_tracefs_raw();
	cpu_buffers[0] = fake_tracefs_open("per_cpu/cpu0/trace_pipe_raw");
	cpu_buffers[1] = fake_tracefs_open("per_cpu/cpu1/trace_pipe_raw");
	trace_files_init(&files);
	return tracefs_open(&tracefs, fake_tracefs, NULL);
}

static int tear_down(void **state)
{
	source_close(source);
	trace_files_close(&files);
	tracefs_close(tracefs);
	close(cpu_buffers[0]);
	close(cpu_buffers[1]);
	return scratch_tear_down(state);
}

static int open_source(void)
{
	int error;

	trace_files_open(&files, tracefs_path(tracefs));
	why[0] = '\0';
	error = source_raw_open(&source, tracefs, &files, why);
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

static void page_begin(struct page *page, uint64_t time_ns)
{
	memset(page, 0, sizeof(*page));
	page->time_ns = time_ns;
}

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
	struct page page;

	page_begin(&page, time_ns);
	page_print(&page, 0, 42, text);
	page_write(&page, cpu, flags);
}

static uint64_t now_ns(void)
{
	return (uint64_t)clock_read(CLOCK_BOOTTIME);
}

static uint64_t a_second_ago(void)
{
	return (now_ns() - SECOND) / 1000 * 1000;
}

/* Reads once; after that there are @n records. */
static void reads(enum source_how how, unsigned int n)
{
	source_read(source, how, &sink);
	assert_int_equal(n_kept, n);
}

/* --- records --- */

static int set_up_opened(void **state)
{
	return set_up(state) != 0 ? -1 : open_source();
}

FIXTURE(set_up_opened, tear_down)

TEST(records_of_all_cpus_are_sorted_by_time)
{
	static const struct {
		const char *name;
		int kind;
		uint64_t after_ns;
	} wanted[] = {
		{ "first", TRACE_SLICE_BEGIN, 0 },
		{ "second", TRACE_INSTANT, 1000 },
		{ "third", TRACE_COUNTER, 3000 },
		{ "fourth", TRACE_SLICE_BEGIN, 5000 },
	};
	uint64_t begin = a_second_ago();
	struct page page;

	assert_string_equal(source->name, "trace_pipe_raw");
	page_begin(&page, begin);
	page_print(&page, 0, 42, "B|42|first\n");
	page_print(&page, 3000, 42, "C|42|third|-7\n");
	page_write(&page, 0, 0);
	page_begin(&page, begin + 1000);
	page_print(&page, 0, 43, "I|43|second\n");
	page_print(&page, 4000, 43, "B|43|fourth\n");
	page_write(&page, 1, 0);
	assert_true(source_read(source, SOURCE_NORMAL, &sink) > 0);
	assert_int_equal(n_kept, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_string_equal(kept[i].name, wanted[i].name);
		assert_int_equal(kept[i].record.kind, wanted[i].kind);
		assert_int_equal(kept[i].record.time_ns, begin + wanted[i].after_ns);
		assert_int_equal(kept[i].record.cpu, i % 2);
		assert_int_equal(kept[i].record.tid, 42 + i % 2);
	}
	assert_int_equal(kept[2].record.value, -7);
	assert_int_equal(source->counts.markers, 4);
	assert_int_equal(source->counts.malformed, 0);
	assert_int_equal(source_read(source, SOURCE_NORMAL, &sink), -EAGAIN);
	assert_int_equal(n_kept, 4);
}

/* A caller can stop between two reads. */
TEST(read_is_limited_to_16_pages)
{
	uint64_t begin = a_second_ago();

	for (unsigned int i = 0; i < 24; i++)
		write_one(i % 2, begin + i * MS, "B|42|work\n", 0);
	assert_true(source_read(source, SOURCE_NORMAL, &sink) > 0);
	assert_in_range(n_kept, 14, 16);
	assert_true(source_read(source, SOURCE_NORMAL, &sink) > 0);
	assert_int_equal(n_kept, 24);
}

/* As the kernel rounds them for text. */
TEST(times_are_rounded_to_microseconds)
{
	uint64_t begin = a_second_ago();
	struct page page;

	page_begin(&page, begin);
	page_print(&page, 499, 42, "B|42|down\n");
	page_print(&page, 1, 42, "B|42|up\n");
	page_write(&page, 0, 0);
	reads(SOURCE_NORMAL, 2);
	assert_int_equal(kept[0].record.time_ns, begin);
	assert_int_equal(kept[1].record.time_ns, begin + 1000);
}

TEST(damage_is_counted)
{
	struct page page;
	char text[200];

	page_begin(&page, a_second_ago());
	page_print(&page, 0, 42, "hello\n");
	page_print(&page, 1, 42, "B|42|work\n");
	page_write(&page, 0, 0);
	reads(SOURCE_NORMAL, 1);
	assert_int_equal(source->counts.markers, 2);
	assert_int_equal(source->counts.malformed, 1);
	source_describe_damage(source, text);
	assert_string_equal(text, "malformed markers or damaged pages so far: 1");
	page.len = PAGE; /* more than fits */
	page_write(&page, 0, 0);
	source_read(source, SOURCE_NORMAL, &sink);
	assert_true(source->counts.malformed > 1);
}

/* The page has a flag that events are missing; the statistics have their number. */
TEST(loss_record_precedes_the_next_event)
{
	scratch_put("tr/per_cpu/cpu1/stats",
		    "entries: 0\noverrun: 321\ndropped events: 0\nread events: 7\n");
	write_one(1, a_second_ago(), "B|42|work\n", MISSED_EVENTS);
	reads(SOURCE_NORMAL, 2);
	assert_int_equal(kept[0].record.kind, TRACE_LOST);
	assert_int_equal(kept[0].record.cpu, 1);
	assert_int_equal(kept[0].record.value, 321);
	assert_int_equal(kept[1].record.kind, TRACE_SLICE_BEGIN);
}

/* Events of other CPUs from the time of the loss come before its record. */
TEST(loss_is_shown_ahead_of_its_record)
{
	write_one(0, now_ns() - 3 * SECOND, "B|41|before\n", 0);
	write_one(0, now_ns() - 2 * SECOND, "E|41\n", 0);
	write_one(1, a_second_ago(), "B|42|after\n", MISSED_EVENTS);
	reads(SOURCE_NORMAL, 4);
	assert_int_equal(kept[2].record.kind, TRACE_LOST);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(kept[i].loss_ahead, i < 2);
	assert_false(source->loss_ahead);
}

TEST(bytes_are_counted_by_cpu)
{
	write_one(1, a_second_ago(), "B|42|work\n", 0);
	reads(SOURCE_NORMAL, 1);
	assert_int_equal(source_cpu_bytes(source, 0), 0);
	assert_int_equal(source_cpu_bytes(source, 1), source->counts.bytes);
	/* a head of 4 bytes, 16 of the event, the text with its NUL, and the page's head */
	assert_in_range(source_cpu_bytes(source, 1), 32, 48);
}

/* A writer that was interrupted may still add an earlier event. */
TEST(young_events_are_held_back)
{
	write_one(0, a_second_ago(), "B|42|old\n", 0);
	write_one(0, now_ns() + 3600 * SECOND, "B|42|young\n", 0);
	reads(SOURCE_NORMAL, 1);
	/* At the end they are read. */
	reads(SOURCE_LAST, 2);
	assert_string_equal(kept[1].name, "young");
}

/* Even if the clock is wrong. */
TEST(young_events_are_not_held_back_forever)
{
	write_one(0, now_ns() + 3600 * SECOND, "B|42|young\n", 0);
	for (int i = 0; i < 10 && n_kept == 0; i++)
		source_read(source, SOURCE_NORMAL, &sink);
	assert_int_equal(n_kept, 1);
}

TEST(held_only_does_not_read_the_buffers)
{
	write_one(0, a_second_ago(), "B|42|there\n", 0);
	reads(SOURCE_HELD_ONLY, 0);
	reads(SOURCE_NORMAL, 1);
}

/* --- opening --- */

FIXTURE(set_up, tear_down)

TEST(number_of_lost_events_is_unknown_without_statistics)
{
	unlink(scratch_path("tr/per_cpu/cpu0/stats"));
	assert_int_equal(open_source(), 0);
	write_one(0, a_second_ago(), "B|42|work\n", MISSED_EVENTS);
	reads(SOURCE_NORMAL, 2);
	assert_int_equal(kept[0].record.kind, TRACE_LOST);
	assert_int_equal(kept[0].record.value, TRACE_LOST_UNKNOWN);
}

/* "now ts" in the statistics is 10 s. */
TEST(time_of_the_local_clock_is_read_from_stats)
{
	scratch_put("tr/trace_clock", "[local] global boot\n");
	assert_int_equal(open_source(), 0);
	source_set_clock(source, "local");
	write_one(0, 9 * SECOND, "B|42|old\n", 0);
	write_one(0, 3600 * SECOND, "B|42|young\n", 0);
	reads(SOURCE_NORMAL, 1);
	assert_string_equal(kept[0].name, "old");
	reads(SOURCE_NORMAL, 1);
}

static void assert_cannot(const char *name)
{
	assert_true(open_source() < 0);
	assert_null(source);
	if (!strstr(why, name))
		fail_msg("'%s' names no %s", why, name);
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
	unlink(scratch_path("tr/events/ftrace/print/format"));
	assert_cannot("events/ftrace/print/format");
}

TEST(missing_cpu_buffers_are_an_error)
{
	unlink(scratch_path("tr/per_cpu/cpu0/trace_pipe_raw"));
	unlink(scratch_path("tr/per_cpu/cpu1/trace_pipe_raw"));
	assert_cannot("per_cpu");
}

TEST(cpu_without_buffer_is_skipped)
{
	unlink(scratch_path("tr/per_cpu/cpu1/trace_pipe_raw"));
	assert_int_equal(open_source(), 0);
}

/* Two readers would each get half of the events. */
TEST(second_reader_is_refused)
{
	struct source *second = NULL;

	assert_int_equal(open_source(), 0);
	assert_int_equal(source_raw_open(&second, tracefs, &files, why), -EBUSY);
	assert_contains(why, "trace_pipe");
	printed_begin(2);
	assert_int_equal(source_pipe_open(&second, tracefs, &files, 0), -EBUSY);
	assert_contains(printed_end(), "trace_pipe");
}
