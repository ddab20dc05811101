/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of pages that are made up: all events come out, once and in order. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

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

/* Events are a time, and who wrote it: text is not needed here. */
struct event {
	uint64_t time_ns;
	int32_t tid;
};

/* What a ring has, and how much of it can be read so far. */
struct ring {
	struct event events[4000];
	unsigned int n, read, ready;
	unsigned int per_page;
	uint64_t flags; /* of each page's commit */
	bool broken;	/* the next page says that it is longer than it is */
	char page[PAGE_SIZE];
};

static struct ring kernel[RINGS];
static struct ftrace_ring rings[RINGS];
static struct ftrace_merge merge;

static size_t put_event(char *at, uint32_t delta, int32_t tid)
{
	uint32_t word = 5 | delta << 5; /* five words of data */
	uint16_t id = PRINT_ID;

	memcpy(at, &word, 4);
	memset(at + 4, 0, 20);
	memcpy(at + 4, &id, 2);
	memcpy(at + 8, &tid, 4);
	memcpy(at + 20, "x\n", 3);
	return 24;
}

static bool read_page(void *context, unsigned int number, struct span *bytes)
{
	struct ring *ring = &kernel[number];
	unsigned int room = (PAGE_SIZE - 16) / 24;
	uint64_t time_ns, commit = 0;

	assert_ptr_equal(context, kernel);
	if (ring->read == ring->ready)
		return false;
	time_ns = ring->events[ring->read].time_ns;
	memcpy(ring->page, &time_ns, 8);
	if (ring->per_page && ring->per_page < room)
		room = ring->per_page;
	for (; room > 0 && ring->read < ring->ready; room--) {
		const struct event *event = &ring->events[ring->read++];

		commit += put_event(ring->page + 16 + commit, (uint32_t)(event->time_ns - time_ns),
				    event->tid);
		time_ns = event->time_ns;
	}
	commit |= ring->flags;
	if (ring->broken)
		commit = PAGE_SIZE;
	ring->broken = false;
	memcpy(ring->page + 8, &commit, 8);
	*bytes = (struct span){ ring->page, PAGE_SIZE };
	return true;
}

static int set_up(void **state)
{
	(void)state;
	memset(kernel, 0, sizeof(kernel));
	memset(rings, 0, sizeof(rings));
	merge = (struct ftrace_merge){
		.format = &format,
		.rings = rings,
		.n_rings = RINGS,
		.read = read_page,
		.context = kernel,
	};
	return 0;
}

static void write_event(unsigned int ring, uint64_t time_ns, int32_t tid)
{
	kernel[ring].events[kernel[ring].n++] = (struct event){ time_ns, tid };
	kernel[ring].ready = kernel[ring].n;
}

static void assert_next(uint64_t limit_ns, unsigned int number, uint64_t time_ns)
{
	struct ftrace_ring *ring = ftrace_merge_peek(&merge, limit_ns);

	assert_ptr_equal(ring, &rings[number]);
	assert_int_equal(ring->next.time_ns, time_ns);
	ftrace_merge_pop(&merge);
}

static void oldest_first(void **state)
{
	(void)state;
	write_event(0, 10, 1);
	write_event(0, 40, 1);
	write_event(2, 20, 1);
	write_event(2, 30, 1);
	write_event(4, 5, 1);
	ftrace_merge_turn(&merge);
	assert_next(UINT64_MAX, 4, 5);
	assert_next(UINT64_MAX, 0, 10);
	assert_next(UINT64_MAX, 2, 20);
	assert_next(UINT64_MAX, 2, 30);
	assert_next(UINT64_MAX, 0, 40);
	assert_null(ftrace_merge_peek(&merge, UINT64_MAX));
}

/* As trace_pipe orders them. */
static void same_time(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int ring = 0; ring < RINGS; ring++)
			write_event(ring, 7 + i / 2, 1);
	ftrace_merge_turn(&merge);
	for (unsigned int ring = 0; ring < RINGS; ring++) {
		assert_next(UINT64_MAX, ring, 7);
		assert_next(UINT64_MAX, ring, 7);
	}
	for (unsigned int ring = 0; ring < RINGS; ring++)
		assert_next(UINT64_MAX, ring, 8);
}

/* What is too young waits, and older ones that come meanwhile go first. */
static void held_back(void **state)
{
	(void)state;
	write_event(1, 100, 1);
	write_event(1, 200, 1);
	ftrace_merge_turn(&merge);
	assert_next(150, 1, 100);
	assert_null(ftrace_merge_peek(&merge, 150));
	assert_null(ftrace_merge_peek(&merge, 199));
	write_event(3, 180, 1);
	assert_null(ftrace_merge_peek(&merge, 190)); /* not asked for in this turn */
	ftrace_merge_turn(&merge);
	assert_next(190, 3, 180);
	assert_null(ftrace_merge_peek(&merge, 190));
	assert_next(200, 1, 200);
	assert_null(ftrace_merge_peek(&merge, UINT64_MAX));
}

static void losses(void **state)
{
	(void)state;
	kernel[2].flags = UINT64_C(1) << 31;
	kernel[2].per_page = 1;
	write_event(2, 10, 1);
	write_event(2, 20, 1);
	write_event(1, 15, 1);
	ftrace_merge_turn(&merge);
	assert_true(rings[2].has_lost);
	rings[2].has_lost = false;
	assert_next(UINT64_MAX, 2, 10);
	assert_true(rings[2].has_lost);
	assert_false(rings[1].has_lost);
	assert_next(UINT64_MAX, 1, 15);
	assert_true(rings[2].has_lost);
	assert_next(UINT64_MAX, 2, 20);
}

/* A broken page is counted, and the ones behind it are read in the next turn. */
static void broken_pages(void **state)
{
	(void)state;
	kernel[0].per_page = 1;
	kernel[0].broken = true;
	write_event(0, 10, 1);
	write_event(0, 20, 1);
	ftrace_merge_turn(&merge);
	assert_null(ftrace_merge_peek(&merge, UINT64_MAX));
	assert_int_equal(merge.damaged, 1);
	ftrace_merge_turn(&merge);
	assert_next(UINT64_MAX, 0, 20);
	assert_int_equal(merge.damaged, 1);
}

/* Writers on all rings, drains at any time, limits of any age: the stream is that of the times. */
static void any_turns(void **state)
{
	unsigned int written = 0, taken = 0;
	uint64_t now_ns = 1000, last_ns = 0;

	(void)state;
	srand(1);
	for (unsigned int i = 0; i < RINGS; i++)
		kernel[i].per_page = 1 + (unsigned int)rand() % 20;
	while (taken < 15000) {
		uint64_t limit_ns;

		for (int n = rand() % 40; n > 0 && written < 15000; n--) {
			now_ns += (uint64_t)rand() % 3;
			write_event((unsigned int)rand() % (RINGS - 1), now_ns, (int32_t)written++);
		}
		limit_ns = written == 15000 ? UINT64_MAX : now_ns - (uint64_t)rand() % 20;
		ftrace_merge_turn(&merge);
		for (struct ftrace_ring *ring; (ring = ftrace_merge_peek(&merge, limit_ns));) {
			assert_true(ring->next.time_ns >= last_ns &&
				    ring->next.time_ns <= limit_ns);
			last_ns = ring->next.time_ns;
			taken++;
			ftrace_merge_pop(&merge);
		}
	}
	assert_int_equal(taken, 15000);
	assert_int_equal(merge.damaged, 0);
}

#define test(function) cmocka_unit_test_setup(function, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(oldest_first), test(same_time),	test(held_back),
		test(losses),	    test(broken_pages), test(any_turns),
	};

	return cmocka_run_group_tests_name("ftrace_merge", tests, NULL, NULL);
}
