/* SPDX-License-Identifier: Apache-2.0 */
/* Generated CPU buffers: each event is returned once, and in order. */
#include "tests/unit/unit.h"

#include "parser/ftrace_merge.h"

#define RINGS 5
#define PAGE_SIZE 512
#define PRINT_ID 5

static const struct ftrace_format format = {
	.print_id = PRINT_ID,
	.pid_offset = 4,
	.text_offset = 16,
	.commit_offset = 8,
	.commit_size = 8,
	.data_offset = 16,
	.page_size = PAGE_SIZE,
};

/* The pages of a CPU buffer, and how many of them can be read so far. */
struct trace_buffer {
	uint64_t events_ns[16];
	unsigned int n, read, ready;
	unsigned int per_page;
	uint64_t flags; /* of each page's commit */
	bool broken;	/* the next page has a wrong length: longer than the page */
	char page[PAGE_SIZE];
};

/* The last one is of no CPU of the merge. */
static struct trace_buffer kernel[RINGS + 1];
static struct ftrace_cpu_buffer buffers[RINGS + 1];
static struct ftrace_merge merge;

static bool read_page(void *context, unsigned int number, struct span *bytes)
{
	struct trace_buffer *buffer = &kernel[number];
	unsigned int space = (PAGE_SIZE - 16) / 24;
	uint64_t time_ns, commit = 0;

	assert_ptr_equal(context, kernel);
	if (buffer->read == buffer->ready)
		return false;
	time_ns = buffer->events_ns[buffer->read];
	memcpy(buffer->page, &time_ns, 8);
	if (buffer->per_page && buffer->per_page < space)
		space = buffer->per_page;
	for (; space > 0 && buffer->read < buffer->ready; space--) {
		const uint64_t next_ns = buffer->events_ns[buffer->read++];
		/* Five words of data, and a text behind its instruction pointer. */
		const uint32_t words[] = {
			5 | (uint32_t)(next_ns - time_ns) << 5, PRINT_ID, 1, 0, 0, 'x'
		};

		memcpy(buffer->page + 16 + commit, words, sizeof(words));
		commit += sizeof(words);
		time_ns = next_ns;
	}
	commit |= buffer->flags;
	if (buffer->broken)
		commit = PAGE_SIZE;
	buffer->broken = false;
	memcpy(buffer->page + 8, &commit, 8);
	*bytes = (struct span){ buffer->page, PAGE_SIZE };
	return true;
}

static void write_event(unsigned int buffer, uint64_t time_ns)
{
	kernel[buffer].events_ns[kernel[buffer].n++] = time_ns;
	kernel[buffer].ready = kernel[buffer].n;
}

static int set_up(void **state)
{
	memset(kernel, 0, sizeof(kernel));
	memset(buffers, 0, sizeof(buffers));
	merge = (struct ftrace_merge){
		.format = &format,
		.buffers = buffers,
		.n_buffers = RINGS,
		.read = read_page,
		.context = kernel,
	};
	write_event(RINGS, 1);
	return 0;
}

FIXTURE(set_up, NULL)

static void assert_next(uint64_t limit_ns, unsigned int number, uint64_t time_ns)
{
	struct ftrace_cpu_buffer *buffer = ftrace_merge_peek(&merge, limit_ns);

	assert_ptr_equal(buffer, &buffers[number]);
	assert_int_equal(buffer->next.time_ns, time_ns);
	ftrace_merge_pop(&merge);
}

/* Those of equal time in the order of the CPUs, as trace_pipe orders them. */
TEST(oldest_event_comes_first)
{
	buffers[RINGS].has_next = true;
	write_event(4, 5);
	write_event(4, 6);
	write_event(0, 6);
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int buffer = 0; buffer < RINGS; buffer++)
			write_event(buffer, 7 + i / 2);
	ftrace_merge_turn(&merge);
	assert_next(UINT64_MAX, 4, 5);
	assert_next(UINT64_MAX, 0, 6);
	assert_next(UINT64_MAX, 4, 6);
	for (unsigned int buffer = 0; buffer < RINGS; buffer++) {
		assert_next(UINT64_MAX, buffer, 7);
		assert_next(UINT64_MAX, buffer, 7);
	}
	for (unsigned int buffer = 0; buffer < RINGS; buffer++)
		assert_next(UINT64_MAX, buffer, 8);
	assert_null(ftrace_merge_peek(&merge, UINT64_MAX));
}

/* Events that are too young wait; older ones that arrive meanwhile come first. */
TEST(events_after_the_limit_are_held_back)
{
	write_event(1, 100);
	write_event(1, 200);
	ftrace_merge_turn(&merge);
	assert_next(150, 1, 100);
	assert_null(ftrace_merge_peek(&merge, 150));
	assert_null(ftrace_merge_peek(&merge, 199));
	write_event(3, 180);
	assert_null(ftrace_merge_peek(&merge, 190)); /* beyond the limit of this turn */
	ftrace_merge_turn(&merge);
	assert_next(190, 3, 180);
	assert_null(ftrace_merge_peek(&merge, 190));
	assert_next(200, 1, 200);
	assert_null(ftrace_merge_peek(&merge, UINT64_MAX));
}

TEST(loss_is_flagged_for_its_cpu_buffer)
{
	kernel[2].flags = UINT64_C(1) << 31;
	kernel[2].per_page = 1;
	write_event(2, 10);
	write_event(2, 20);
	write_event(1, 15);
	ftrace_merge_turn(&merge);
	assert_true(buffers[2].has_lost);
	buffers[2].has_lost = false;
	assert_next(UINT64_MAX, 2, 10);
	assert_true(buffers[2].has_lost);
	assert_false(buffers[1].has_lost);
	assert_next(UINT64_MAX, 1, 15);
	assert_true(buffers[2].has_lost);
	assert_next(UINT64_MAX, 2, 20);
	assert_int_equal(buffers[2].bytes, 2 * 40);
	assert_int_equal(merge.bytes, 3 * 40);
}

TEST(broken_page_is_counted_and_skipped)
{
	kernel[0].per_page = 1;
	kernel[0].broken = true;
	write_event(0, 10);
	write_event(0, 20);
	ftrace_merge_turn(&merge);
	assert_null(ftrace_merge_peek(&merge, UINT64_MAX));
	assert_int_equal(merge.damaged, 1);
	ftrace_merge_turn(&merge);
	assert_next(UINT64_MAX, 0, 20);
	assert_int_equal(merge.damaged, 1);
}
