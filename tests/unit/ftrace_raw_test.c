/* SPDX-License-Identifier: Apache-2.0 */
/* Pages built byte by byte, with rare content, and with content that no kernel writes. */
#include "tests/unit/unit.h"

#include "parser/ftrace_raw.h"
#include "tests/unit/guarded.h"

#define PAGE_SIZE 4096
#define PRINT_ID 5

static struct ftrace_format format = {
	.print_id = PRINT_ID,
	.pid_offset = 4,
	.text_offset = 16,
	.commit_offset = 8,
	.commit_size = 8,
	.data_offset = 16,
	.page_size = 4096,
};

struct builder {
	char bytes[PAGE_SIZE];
	size_t len; /* of the data */
};

static void put_word(struct builder *b, uint32_t word)
{
	memcpy(b->bytes + format.data_offset + b->len, &word, sizeof(word));
	b->len += sizeof(word);
}

static void put_event(struct builder *b, uint32_t delta, uint16_t id, int32_t tid, const char *text,
		      size_t text_len)
{
	size_t len = (format.text_offset + text_len + 3) & ~(size_t)3;
	char *at;

	if (len <= 28 * 4) {
		put_word(b, (uint32_t)(len / 4) | delta << 5);
	} else {
		put_word(b, delta << 5);
		put_word(b, (uint32_t)len + 4);
	}
	at = b->bytes + format.data_offset + b->len;
	memset(at, 0, len);
	memcpy(at, &id, sizeof(id));
	memcpy(at + format.pid_offset, &tid, sizeof(tid));
	memcpy(at + format.text_offset, text, text_len);
	b->len += len;
}

static void put_print(struct builder *b, uint32_t delta, const char *text)
{
	put_event(b, delta, PRINT_ID, 42, text, strlen(text) + 1);
}

FIXTURE(guarded_set_up, guarded_tear_down)

/* Starts to read a page that ends where unreadable memory begins. */
static bool begin_bytes(struct ftrace_page *page, const char *bytes, size_t size)
{
	char *copy = guarded.end - size;

	memcpy(copy, bytes, size);
	return ftrace_page_begin(page, &format, (struct span){ copy, size });
}

static struct ftrace_page begin(struct builder *b, uint64_t time_ns, uint64_t flags)
{
	uint64_t commit = b->len | flags;
	struct ftrace_page page;

	memcpy(b->bytes, &time_ns, sizeof(time_ns));
	memcpy(b->bytes + format.commit_offset, &commit, format.commit_size);
	assert_true(begin_bytes(&page, b->bytes, PAGE_SIZE));
	return page;
}

static void assert_print(struct ftrace_page *page, uint64_t time_ns, const char *text)
{
	struct ftrace_print print = { 0 };

	assert_true(ftrace_page_next(page, &print));
	assert_fields(&print, time_ns == time_ns, tid == 42);
	assert_true(span_equal(print.text, span_of(text)));
}

static void assert_end(struct ftrace_page *page)
{
	struct ftrace_print print;

	assert_false(ftrace_page_next(page, &print));
	assert_false(ftrace_page_next(page, &print));
}

/* A stamp keeps the high bits of the page's time. */
TEST(time_extends_and_stamps_are_applied)
{
	const uint64_t high = UINT64_C(3) << 59;
	struct builder b = { .len = 0 };
	struct ftrace_page page;

	put_print(&b, 7, "first");
	put_word(&b, 30 | 1U << 5); /* 1 + (2 << 27) more */
	put_word(&b, 2);
	put_print(&b, 3, "after an extend");
	put_word(&b, 31 | 5U << 5); /* the time is 5 + (8 << 27) */
	put_word(&b, 8);
	put_print(&b, 1, "after a stamp");
	page = begin(&b, high + 1000, 0);
	assert_print(&page, high + 1007, "first");
	assert_print(&page, high + 1007 + 1 + (UINT64_C(2) << 27) + 3, "after an extend");
	assert_print(&page, high + 5 + (UINT64_C(8) << 27) + 1, "after a stamp");
	assert_end(&page);
	assert_fields(&page, damaged == false, lost == 0);
	/* A later stamp has the next of the high bits. */
	b.len = 0;
	put_word(&b, 31 | 5U << 5);
	put_word(&b, 8);
	put_print(&b, 0, "x");
	page = begin(&b, high + (UINT64_C(1) << 59) - 1, 0);
	assert_print(&page, high + (UINT64_C(1) << 59) + 5 + (UINT64_C(8) << 27), "x");
}

/* A text ends at a newline, a NUL or the end of its event. */
TEST(events_other_than_print_are_skipped)
{
	char longer[1200];
	struct builder b = { .len = 0 };
	struct ftrace_page page;

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	put_event(&b, 10, PRINT_ID + 1, 42, "not a print", 12);
	put_word(&b, 29 | 4U << 5); /* a discarded event of 8 bytes */
	put_word(&b, 8);
	put_word(&b, 0);
	put_print(&b, 6, "C|1|a|1\n  sf-683 [000] .... 9.0: tracing_mark_write: B|683|x");
	put_event(&b, 1, PRINT_ID, 42, "a\0b", 4);
	put_event(&b, 0, PRINT_ID, 42, "abcd", 4);
	put_event(&b, 0, PRINT_ID, 42, "", 0);
	put_print(&b, 0, longer);
	put_word(&b, 29); /* the rest is empty */
	put_print(&b, 1, "behind the end");
	page = begin(&b, 0, 0);
	assert_print(&page, 20, "C|1|a|1");
	assert_print(&page, 21, "a");
	assert_print(&page, 21, "abcd");
	assert_print(&page, 21, "");
	assert_print(&page, 21, longer);
	assert_end(&page);
	assert_false(page.damaged);
}

TEST(number_of_lost_events_is_read_from_the_page)
{
	const uint64_t lost = UINT64_C(1) << 31, counted = UINT64_C(1) << 30;
	const uint64_t high = UINT64_C(0xffffffff) << 32; /* the field is signed in the kernel */
	struct builder b = { .len = 0 };
	uint64_t number = 1;
	struct ftrace_page page;

	put_print(&b, 0, "x");
	assert_int_equal(begin(&b, 0, 0).lost, 0);
	assert_int_equal(begin(&b, 0, lost).lost, FTRACE_LOST_UNKNOWN);
	memcpy(b.bytes + format.data_offset + b.len, &number, sizeof(number));
	page = begin(&b, 0, lost | counted | high);
	assert_int_equal(page.lost, 1);
	assert_print(&page, 0, "x");
	assert_end(&page);
	/* A page without space for the number only says that events were lost. */
	while (b.len + 4 + format.data_offset <= PAGE_SIZE)
		put_word(&b, 30);
	assert_int_equal(begin(&b, 0, lost | counted).lost, FTRACE_LOST_UNKNOWN);
}

TEST(page_of_a_32_bit_kernel_is_parsed)
{
	const struct ftrace_format of_64_bits = format;
	struct builder b = { .len = 0 };
	struct ftrace_page page;
	uint32_t number = 9;

	format.commit_size = 4;
	format.data_offset = 12;
	put_print(&b, 1, "x");
	memcpy(b.bytes + 12 + b.len, &number, sizeof(number));
	page = begin(&b, 77, UINT32_C(3) << 30);
	assert_int_equal(page.lost, 9);
	assert_print(&page, 78, "x");
	assert_end(&page);
	format = of_64_bits;
}

TEST(incomplete_pages_are_refused)
{
	char bytes[64] = { 0 };
	struct ftrace_page page;

	assert_false(begin_bytes(&page, bytes, 0));
	assert_false(begin_bytes(&page, bytes, 15));
	assert_true(begin_bytes(&page, bytes, 16));
	bytes[8] = 49; /* one byte more than there is */
	assert_false(begin_bytes(&page, bytes, 64));
	bytes[8] = 48;
	assert_true(begin_bytes(&page, bytes, 64));
}

TEST(wrong_event_length_is_damage)
{
	static const uint32_t lies[] = { 0, 8, 4095, 0xfffffffc, 0xffffffff, 0x80000000 };
	struct builder b = { .len = 0 };
	struct ftrace_page page;

	for (size_t i = 0; i < COUNT_OF(lies); i++) {
		b.len = 0;
		put_print(&b, 1, "x");
		put_word(&b, 1U << 5);
		put_word(&b, lies[i]);
		page = begin(&b, 0, 0);
		assert_print(&page, 1, "x");
		assert_end(&page);
		assert_true(page.damaged);
	}
	b.len = 0;
	put_print(&b, 1, "a text that is cut");
	b.len -= 4;
	page = begin(&b, 0, 0);
	assert_end(&page);
	assert_true(page.damaged);
}

/* Before unreadable memory. What is read from those of a kernel: unit source_raw. */
TEST(format_files_may_be_wrong)
{
	static const struct {
		bool is_page, valid;
		const char *text;
	} cases[] = {
		{ false, false, "nonsense" },
		{ false, false, "ID: 65536\n common_pid;\toffset:4;\n buf[];\toffset:16;" },
		{ false, true, "ID:65535\n common_pid;\toffset:4;\n buf;\toffset:16;" },
		{ false, false, "ID: x\n common_pid;\toffset:4;\n buf[];\toffset:16;" },
		{ false, false, "ID: 5\n common_pid;\n\toffset:4;\n buf[];\toffset:16;" },
		{ false, false, "ID: 5\n common_pid;\toffset:4;\n buf[];\toffset: " },
		{ true, false, "nonsense" },
		{ true, true, " commit;\toffset:8;\tsize:4;\n data;\toffset:12;\tsize:4084;" },
		{ true, false, " commit;\toffset:8;\tsize:5;\n data;\toffset:16;\tsize:4080;" },
		{ true, false, " commit;\toffset:8;\tsize:8;\n data;\toffset:15;\tsize:4080;" },
		{ true, false, " commit;\tsize:8;\n data;\toffset:16;\tsize:4080;" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct ftrace_format read = { 0 };
		size_t len = strlen(cases[i].text);
		struct span text = { memcpy(guarded.end - len, cases[i].text, len), len };

		assert_int_equal(cases[i].is_page ? ftrace_format_read_page(&read, text)
						  : ftrace_format_read_print(&read, text),
				 cases[i].valid);
	}
}
