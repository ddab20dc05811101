/* SPDX-License-Identifier: Apache-2.0 */
/* A loss in the text of a trace begins with the last event of its CPU, of any kind, however the
 * stream is split. */
#include "tests/unit/unit.h"

#include "parser/ftrace_text.h"

#define TEXT_MAX 262144

static char text[TEXT_MAX];
static size_t len;
static struct trace_record loss;

static void add(const char *line)
{
	len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", line);
}

static void add_switch(int cpu, unsigned int us)
{
	char line[200];

	snprintf(line, sizeof(line),
		 "          <idle>-0     [%03d] d..2   100.%06u: sched_switch: prev_comm=a[1] "
		 "prev_pid=7",
		 cpu, us);
	add(line);
}

/* Reads the text in pieces; ->loss is the last loss. */
static void read_pieces(size_t piece)
{
	struct ftrace_text *parser = calloc(1, sizeof(*parser));
	struct trace_record record;
	size_t given = 0;
	struct span input = { text, 0 };

	loss = (struct trace_record){ 0 };
	do {
		given = given + piece < len ? given + piece : len;
		input.len = (size_t)(text + given - input.ptr);
		while (ftrace_text_next(parser, &input, given == len, &record) ==
		       FTRACE_TEXT_RECORD)
			if (record.kind == TRACE_LOST)
				loss = record;
	} while (given < len);
	free(parser);
}

static void check(uint64_t from_us, uint64_t us)
{
	static const size_t pieces[] = { TEXT_MAX, 1, 7, 100, 4096, 20000, 65536 };

	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		read_pieces(pieces[i]);
		assert_fields(&loss, kind == TRACE_LOST, from_ns == from_us * 1000,
			      time_ns == us * 1000);
	}
}

static void begin(void)
{
	len = 0;
	add("     app-7     (    7) [001] ....   100.000010: tracing_mark_write: B|7|slice");
}

/* Also if no marker came since. */
TEST(a_loss_begins_with_the_last_event_of_its_cpu)
{
	begin();
	add_switch(1, 20);
	add("CPU:1 [LOST 5 EVENTS]");
	check(100000020, 100000020);
	begin();
	add_switch(1, 20);
	add_switch(2, 30);
	add("     app-7     (    7) [003] ....   100.000040: tracing_mark_write: B|7|slice");
	add_switch(2, 50);
	add("CPU:1 [LOST 5 EVENTS]");
	add_switch(1, 60);
	check(100000020, 100000040);
	/* From the first loss on each event is known, however long ago it was. */
	for (unsigned int i = 0; i < 1000; i++)
		add_switch(2, 70 + i);
	add("CPU:1 [LOST 5 EVENTS]");
	check(100000060, 100000060);
}

TEST(an_event_long_ago_is_not_looked_for)
{
	begin();
	add_switch(1, 20);
	for (unsigned int i = 0; i < 1000; i++)
		add_switch(2, 30 + i);
	add("CPU:1 [LOST 5 EVENTS]");
	check(0, 100000010);
	len = 0;
	for (unsigned int i = 0; i < 1000; i++)
		add_switch(1, i);
	add("     app-7     (    7) [001] ....   100.000010: tracing_mark_write: B|7|slice");
	add("[001] 1: no event");
	add("CPU:1 [LOST 5 EVENTS]");
	check(100000010, 100000010);
}

TEST(a_loss_may_be_at_the_begin)
{
	len = 0;
	add("CPU:1 [LOST 5 EVENTS]");
	add_switch(1, 60);
	check(0, 0);
	len = 0;
	add_switch(1, 20);
	add("[001]:"); /* it is too long after the last marker: there was none */
	add("CPU:1 [LOST 5 EVENTS]");
	read_pieces(TEXT_MAX);
	assert_int_equal(loss.from_ns, 0);
}
