/* SPDX-License-Identifier: Apache-2.0 */
/* What waits before it is written. Rows: the gate of --trigger lets through those while it is open
 * and of the five seconds before, each once and in order. Events leave their queue sorted by time,
 * and wait only for a limited time. */
#include "tests/unit/unit.h"

#include "daemon/files/output.h"
#include "daemon/files/trigger_gate.h"
#include "rules/base/row.h"

static struct trigger_gate *gate;

static struct seen {
	char text[256];
	unsigned int rows;
	uint64_t last_end_ns;
} seen;

static struct event_queue queue;
static char written[65536];

static void write_event(void *context, const struct queued_event *event)
{
	size_t len = strlen(written);

	/* The wall clock is 1000 ahead, also of one that gets another time. */
	assert_int_equal(event->wall_ns - event->time_ns, 1000);
	snprintf(written + len, sizeof(written) - len, "%lld%s ", (long long)event->time_ns,
		 event->text);
}

static int set_up(void **state)
{
	gate = calloc(1, sizeof(*gate));
	seen = (struct seen){ .rows = 0 };
	queue = (struct event_queue){ .n = 0 };
	event_queue_init(&queue, write_event, NULL);
	written[0] = '\0';
	return 0;
}

static int tear_down(void **state)
{
	free(gate);
	return 0;
}

FIXTURE(set_up, tear_down)

static void on_row(void *context, const struct trigger_gate_row *row)
{
	seen.rows++;
	assert_true(row->span.end_ns >= seen.last_end_ns);
	seen.last_end_ns = row->span.end_ns;
	if (row->which == ROW_FRAMES && row->text.len < 16)
		strncat(seen.text, row->text.ptr, row->text.len);
}

/* Gives the gate a row of frames.csv for [@begin_ns, @end_ns]. */
static void keep_named(uint64_t begin_ns, uint64_t end_ns, const char *text)
{
	const struct trigger_gate_row row = { ROW_FRAMES, { begin_ns, end_ns }, span_of(text) };

	trigger_gate_keep(gate, &row);
}

static void keep(uint64_t begin_ns, uint64_t end_ns)
{
	keep_named(begin_ns, end_ns, formatted("%u ", (unsigned int)(end_ns / SECOND)));
}

/* A name of 1000 bytes. */
static const char *long_name(void)
{
	static char name[1001];

	memset(name, 'x', sizeof(name) - 1);
	return name;
}

static int passes(uint64_t begin_ns, uint64_t end_ns)
{
	struct trigger_gate_span span = { begin_ns, end_ns };

	return trigger_gate_passes(gate, &span);
}

TEST(gate_passes_rows_of_the_five_seconds_before)
{
	assert_false(passes(0, UINT64_MAX));
	for (unsigned int s = 1; s <= 20; s++)
		keep((s - 1) * SECOND, s * SECOND);
	assert_int_equal(trigger_gate_open(gate, 20 * SECOND + 1, NULL, on_row), 0);
	assert_string_equal(seen.text, "16 17 18 19 20 ");
	assert_true(passes(20 * SECOND, 21 * SECOND));
	assert_true(passes(10 * SECOND, 16 * SECOND));
	assert_false(passes(10 * SECOND, 15 * SECOND));
	trigger_gate_close(gate, 30 * SECOND);
	assert_true(passes(30 * SECOND, 31 * SECOND));
	assert_false(passes(30 * SECOND + 1, 31 * SECOND));
	keep(30 * SECOND + 1, 31 * SECOND);
	assert_int_equal(trigger_gate_open(gate, 33 * SECOND, NULL, on_row), 0);
	assert_string_equal(seen.text, "16 17 18 19 20 31 ");
}

/* Long rows of one second do not fit. Of those of 100 seconds the last five fit; none is missed. */
TEST(newest_of_too_many_rows_are_kept)
{
	uint64_t missed, end_ns = 0;

	for (unsigned int i = 0; i < 10000; i++) {
		end_ns = SECOND + i * (MS / 10);
		keep_named(end_ns, end_ns, long_name());
	}
	missed = trigger_gate_open(gate, end_ns, NULL, on_row);
	assert_true(missed > 0);
	assert_int_equal(missed + seen.rows, 10000);
	assert_true(seen.rows > 1300); /* of 1 KB in three quarters of 2 MB */
	assert_int_equal(seen.last_end_ns, end_ns);
	seen.rows = 0;
	for (unsigned int i = 1; i <= 10000; i++)
		keep_named(end_ns + i * 10 * MS, end_ns + i * 10 * MS, long_name());
	assert_int_equal(trigger_gate_open(gate, end_ns + 100 * SECOND, NULL, on_row), 0);
	assert_int_equal(seen.rows, 501);
}

/* --- the queue of events --- */

static void add_event(int64_t time_ns, const char *text, uint64_t since_ns)
{
	const struct queued_event event = { time_ns, time_ns + 1000, since_ns, "mark", text };

	event_queue_add(&queue, &event);
}

/* Each word does one thing: 'at:text' adds an event with the number of the word as its since_ns;
 * '<at' releases, 'old<n' releases old ones, 'restart' restarts; '|' ends a part of the output. */
static const struct {
	const char *words, *written;
} scripts[] = {
	/* sorted by time, and of one time in the order of adding */
	{ "30:a 10:b 30:c 20:d <9 | <29 | 30:e <30", "| 10b 20d | 30a 30c 30e " },
	/* one without a time keeps its place */
	{ "-1:a 20:b -1:c 10:d <99", "-1a 10d 20b -1c " },
	/* one that comes too late states its time; a new clock may go back */
	{ "20:a <20 10:b <20 restart 10:c <20", "20a 20b (happened at 0.000000 s) 10c " },
	{ "20:a restart | 5:b <5", "20a | 5b " },
	/* old ones leave with the earlier ones */
	{ "| 30:a 10:b 40:c old<0 | old<1", "| | 10b 30a " },
};

TEST(events_leave_sorted_by_time)
{
	for (size_t i = 0; i < COUNT_OF(scripts); i++) {
		char copy[100];
		uint64_t n = 0;

		event_queue_restart(&queue);
		written[0] = '\0';
		strcpy(copy, scripts[i].words);
		for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "), n++) {
			char *colon = strchr(word, ':');

			if (colon)
				add_event(atol(word), colon + 1, n);
			else if (word[0] == '<')
				event_queue_release(&queue, (uint64_t)atol(word + 1));
			else if (word[0] == 'o')
				event_queue_release_old(&queue, (uint64_t)atol(word + 4));
			else if (word[0] == 'r')
				event_queue_restart(&queue);
			else
				strcat(written, "| ");
		}
		assert_string_equal(written, scripts[i].written);
	}
}

TEST(full_queue_releases_the_earliest_events)
{
	for (int64_t i = 0; i < EVENT_QUEUE_MAX + 2; i++)
		add_event(i, "x", 0);
	assert_string_equal(written, "0x 1x ");
	assert_int_equal(queue.n, EVENT_QUEUE_MAX);
}

TEST(long_texts_release_events_early)
{
	static char text[2 * EVENT_TEXT_MAX];
	unsigned int n = 0;

	memset(text, 't', sizeof(text) - 1);
	for (int64_t i = 0; i < 10; i++)
		add_event(i, text, 0);
	for (const char *at = written; *at; at++)
		n += *at == ' ';
	assert_int_equal(queue.n + n, 10);
	assert_in_range(queue.n, 5, 6);
	written[0] = '\0';
	event_queue_release(&queue, UINT64_MAX);
	assert_int_equal(queue.used, 0);
}

/* A forged time or realtime_ts gives a time of day that is out of range. */
TEST(a_wall_time_that_cannot_be_added_is_unknown)
{
	struct output output = { .events = &queue, .clock = { true, INT64_MAX - 5 } };

	output_event(&output, 10, ROW_UNKNOWN, "mark", "");
	output.clock.offset_ns = 100;
	output_event(&output, -7, ROW_UNKNOWN, "mark", "");
	queue.written_ns = UINT64_MAX - 5;
	add_event(20, "", 0);
	for (size_t i = 0; i < queue.n; i++)
		assert_int_equal(queue.places[i].event.wall_ns, ROW_UNKNOWN);
}
