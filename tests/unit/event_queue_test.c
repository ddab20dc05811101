/* SPDX-License-Identifier: Apache-2.0 */
/* Events leave the queue sorted by time, and wait only for a limited time. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "daemon/files/event_queue.h"
#include "rules/row.h"

static struct event_queue queue;
static char written[65536];

static void write_event(void *context, const struct queued_event *event)
{
	size_t len = strlen(written);

	snprintf(written + len, sizeof(written) - len, "%lld%s ", (long long)event->time_ns,
		 event->text);
}

static int set_up(void **state)
{
	memset(&queue, 0, sizeof(queue));
	event_queue_init(&queue, write_event, NULL);
	written[0] = '\0';
	return 0;
}

FIXTURE(set_up, NULL)

static void add_at(int64_t time_ns, const char *text, uint64_t since_ns)
{
	const struct queued_event event = {
		.time_ns = time_ns, .since_ns = since_ns, .kind = "mark", .text = text
	};

	event_queue_add(&queue, &event);
}

static void add(int64_t time_ns, const char *text)
{
	add_at(time_ns, text, 0);
}

static void expect(const char *text)
{
	assert_string_equal(written, text);
	written[0] = '\0';
}

TEST(events_leave_sorted_by_time)
{
	add(30, "a");
	add(10, "b");
	add(30, "c");
	add(20, "d");
	event_queue_release(&queue, 9);
	expect("");
	event_queue_release(&queue, 29);
	expect("10b 20d ");
	add(30, "e");
	event_queue_release(&queue, 30);
	expect("30a 30c 30e ");
}

TEST(event_without_time_keeps_its_place)
{
	add(ROW_UNKNOWN, "a");
	add(20, "b");
	add(ROW_UNKNOWN, "c");
	add(10, "d");
	event_queue_release(&queue, UINT64_MAX);
	expect("-1a 10d 20b -1c ");
}

TEST(event_that_comes_too_late_states_its_time)
{
	add(20, "a");
	event_queue_release(&queue, 20);
	add(10, "b");
	event_queue_release(&queue, 20);
	expect("20a 20b (happened at 0.000000 s) ");
	event_queue_restart(&queue);
	add(10, "c");
	event_queue_release(&queue, 20);
	expect("10c ");
}

TEST(restart_releases_events_of_the_old_clock)
{
	add(20, "a");
	event_queue_restart(&queue);
	expect("20a ");
	add(5, "b");
	event_queue_release(&queue, 5);
	expect("5b ");
}

TEST(old_events_are_released_with_earlier_ones)
{
	add_at(30, "a", 100);
	add_at(10, "b", 200);
	add_at(40, "c", 200);
	event_queue_release_old(&queue, 99);
	expect("");
	event_queue_release_old(&queue, 100);
	expect("10b 30a ");
}

TEST(full_queue_releases_the_earliest_events)
{
	for (int64_t i = 0; i < EVENT_QUEUE_MAX + 2; i++)
		add(i, "x");
	expect("0x 1x ");
	assert_int_equal(queue.n, EVENT_QUEUE_MAX);
}

TEST(long_texts_release_events_early)
{
	static char text[2 * EVENT_TEXT_MAX];
	unsigned int n = 0;

	memset(text, 't', sizeof(text) - 1);
	for (int64_t i = 0; i < 10; i++)
		add(i, text);
	for (const char *at = written; *at; at++)
		n += *at == ' ';
	assert_int_equal(queue.n + n, 10);
	assert_in_range(queue.n, 5, 6);
	written[0] = '\0';
	event_queue_release(&queue, UINT64_MAX);
	assert_int_equal(queue.used, 0);
}
