/* SPDX-License-Identifier: Apache-2.0 */
/* A line that the kernel glued to the one before it, behind forged ones in a payload. */
#include "tests/unit/unit.h"

#include "parser/ftrace_text.h"

#define TEXT_MAX 262144

static char text[TEXT_MAX];
static size_t len;
static struct trace_record loss;
static struct ftrace_text parser;

static void add(const char *line)
{
	len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", line);
}

/* Reads the text in pieces; ->loss is the last loss. */
static void read_pieces(size_t piece)
{
	struct trace_record record;
	size_t given = 0;
	struct span input = { text, 0 };

	loss = (struct trace_record){ 0 };
	parser = FTRACE_TEXT_INIT;
	do {
		given = given + piece < len ? given + piece : len;
		input.len = (size_t)(text + given - input.ptr);
		while (ftrace_text_read(&parser, &input, given == len, &record, 1) > 0)
			if (record.kind == TRACE_LOST)
				loss = record;
	} while (given < len);
}

TEST(a_line_is_found_after_a_payload_of_anchors)
{
	static const char *const units[] = { "U:",	  "CPU:1",	    "1: tr",
					     "1: 0:",	  "1: 0x1:",	    "CPU:1 [LOST 1 EVENTS]",
					     "] 1.1: 0:", "-1 [0] 1.1: tr", ": 0:[" };
	static const char *const ends[] = {
		"CPU:1 [LOST 5 EVENTS]",
		"     app-7     (    7) [001] ....   100.000020: tracing_mark_write: E|7", "U:"
	};

	for (size_t i = 0; i < COUNT_OF(units) * COUNT_OF(ends); i++) {
		const char *unit = units[i / COUNT_OF(ends)], *last = ends[i % COUNT_OF(ends)];

		for (size_t n = 1; n * strlen(unit) < 3900; n += 1 + n / 8) {
			len = 0;
			add("     app-7     (    7) [001] ....   100.000010: "
			    "tracing_mark_write: B|7|slice");
			len--;
			for (size_t k = 0; k < n; k++)
				len += (size_t)snprintf(text + len, 100, "%s", unit);
			add(last);
			for (size_t piece = TEXT_MAX; piece > 0; piece /= 600) {
				read_pieces(piece);
				assert_int_equal(parser.glued, last != ends[2]);
				assert_int_equal(loss.value, last == ends[0] ? 5 : 0);
				assert_int_equal(parser.last_ns,
						 last == ends[1] ? 100000020000 : 100000010000);
			}
		}
	}
}
