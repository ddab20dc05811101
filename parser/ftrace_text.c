/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the markers first and splits only those.
 *
 * A line of ftrace text, all columns but the first and the last two optional or of varying width:
 *
 *     surfaceflinger-990   (  990) [001] ....  28306.044232: tracing_mark_write: B|990|postFrame
 *     |comm        |tid    |tgid   |cpu  |flags|seconds    ^ |function           |payload
 *                                                          the anchor
 *
 * The anchor, ": " and the first letters of a function that writes markers, is what a scan over
 * whole blocks of bytes looks for. Behind an anchor the line is read: the payload to its right,
 * the header to its left and from right to left, because comm may hold anything (spaces, '-',
 * ':', brackets) and only what stands right of it has a shape.
 */
#include "parser/ftrace_text.h"

#include "parser/anchor.h"
#include "parser/marker.h"

/* comm is printed with %16s and is 15 bytes at most: so wide is its column. */
#define COMM_WIDTH 16

/* The header is read in registers: this is the hot path. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Takes @word and the ':' behind it, but for what a compiler adds to a symbol (".isra.0"). */
static bool take_symbol(struct span *text, struct span word)
{
	size_t n = word.len;

	if (!span_starts_with(*text, word))
		return false;
	if (n < text->len && text->ptr[n] == '.')
		while (n < text->len && text->ptr[n] != ':' && text->ptr[n] != ' ')
			n++;
	if (n >= text->len || text->ptr[n] != ':')
		return false;
	*text = span_skip(*text, n + 1);
	return true;
}

/* "0x" and hex digits: the writer's address where the kernel hides its symbols. */
static bool take_address(struct span *text)
{
	size_t n = 2;

	if (!span_starts_with(*text, SPAN_LITERAL("0x")))
		return false;
	while (n < text->len && is_hex(text->ptr[n]))
		n++;
	if (n == 2 || n >= text->len || text->ptr[n] != ':')
		return false;
	*text = span_skip(*text, n + 1);
	return true;
}

/* Takes the function of a marker line. Kernel 6.18 moved the write into another function; "0" is
 * what 3.x kernels and some vendors' later ones print. trace-cmd prints event and function. */
static bool take_function(struct span *text)
{
	static const struct span names[] = {
		SPAN_INIT("tracing_mark_write"),
		SPAN_INIT("0"),
		SPAN_INIT("write_marker_to_buffer"),
	};

	/* The rule; what follows are the exceptions. */
	if (span_starts_with(*text, SPAN_LITERAL("tracing_mark_write: "))) {
		*text = span_skip(*text, sizeof("tracing_mark_write:") - 1);
		return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (take_symbol(text, names[i]))
			return true;
	if (take_address(text))
		return true;
	if (!take_symbol(text, SPAN_LITERAL("print")))
		return false;
	while (text->len > 1 && text->ptr[0] == ' ' && text->ptr[1] == ' ')
		*text = span_skip(*text, 1);
	if (span_starts_with(*text, SPAN_LITERAL(" tracing_mark_write: ")))
		*text = span_skip(*text, sizeof(" tracing_mark_write:") - 1);
	return true;
}

/* --- the header, read from its right end --- */

ALWAYS_INLINE void drop_spaces(struct span *head)
{
	while (head->len > 0 && head->ptr[head->len - 1] == ' ')
		head->len--;
}

/* Takes the digits off the end, 10 at most. Returns how many there were: 11 for more than 10. */
ALWAYS_INLINE unsigned int take_digits_back(struct span *head, uint64_t *number)
{
	const char *at = head->ptr + head->len;
	unsigned int n = 0;
	uint64_t value = 0;

	for (uint64_t unit = 1; at > head->ptr && is_digit(at[-1]) && n <= 10; unit *= 10, n++)
		value += unit * (uint64_t)(*--at - '0');
	head->len = (size_t)(at - head->ptr);
	*number = value;
	return n;
}

/* Takes a decimal number off the end. False where there is none or it does not fit. */
ALWAYS_INLINE bool take_number_back(struct span *head, int32_t *number)
{
	uint64_t value;
	unsigned int n = take_digits_back(head, &value);

	if (n == 0 || n > 10 || value > INT32_MAX)
		return false;
	*number = (int32_t)value;
	return true;
}

/* Takes the digits behind the point, nearly always six. Returns how many there were. */
ALWAYS_INLINE unsigned int take_fraction_back(struct span *head, uint64_t *fraction)
{
	const char *six;
	uint32_t value = 0;
	bool digits = true;

	if (head->len < 7 || head->ptr[head->len - 7] != '.')
		return take_digits_back(head, fraction);
	six = head->ptr + head->len - 6;
	for (int i = 0; i < 6; i++) {
		digits &= is_digit(six[i]);
		value = value * 10 + (uint32_t)(six[i] - '0');
	}
	if (!digits)
		return take_digits_back(head, fraction);
	head->len -= 6;
	*fraction = value;
	return 6;
}

/* Takes "seconds.fraction" off the end: microseconds in all clocks that atrace picks. */
ALWAYS_INLINE bool take_time_back(struct span *head, uint64_t *time_ns)
{
	static const uint32_t units[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
					  10000,      1000,	 100,	   10,	    1 };
	uint64_t seconds;
	uint64_t fraction;
	unsigned int n = take_fraction_back(head, &fraction);

	if (n == 0 || n > 9 || head->len == 0 || head->ptr[head->len - 1] != '.')
		return false;
	head->len--;
	*time_ns = fraction * units[n];
	/* 10 digits: 317 years, and the nanoseconds fit. */
	n = take_digits_back(head, &seconds);
	if (n == 0 || n > 10)
		return false;
	*time_ns += seconds * UINT64_C(1000000000);
	return head->len == 0 || head->ptr[head->len - 1] == ' ';
}

/* Takes the flags, where there are any: irqs-off, need-resched, hardirq/softirq, preempt-depth
 * and, since Linux 5.15, migrate-disable. */
ALWAYS_INLINE bool drop_flags(struct span *head)
{
	size_t begin;

	drop_spaces(head);
	begin = head->len;
	while (begin > 0 && head->ptr[begin - 1] != ' ' && head->ptr[begin - 1] != ']')
		begin--;
	if (head->len - begin > 8)
		return false;
	head->len = begin;
	drop_spaces(head);
	return true;
}

ALWAYS_INLINE bool take_cpu_back(struct span *head, int32_t *cpu)
{
	if (head->len == 0 || head->ptr[head->len - 1] != ']')
		return false;
	head->len--;
	if (!take_number_back(head, cpu))
		return false;
	if (head->len == 0 || head->ptr[head->len - 1] != '[')
		return false;
	head->len--;
	drop_spaces(head);
	return true;
}

/* Takes "(  683)" or "(-----)", where it is there. */
ALWAYS_INLINE bool take_tgid_back(struct span *head, int32_t *tgid)
{
	*tgid = TRACE_ID_UNKNOWN;
	if (head->len == 0 || head->ptr[head->len - 1] != ')')
		return true;
	head->len--;
	if (!take_number_back(head, tgid))
		while (head->len > 0 && head->ptr[head->len - 1] == '-')
			head->len--;
	drop_spaces(head);
	if (head->len == 0 || head->ptr[head->len - 1] != '(')
		return false;
	head->len--;
	drop_spaces(head);
	return true;
}

/* Blanks that comm is padded with on its left: most of them eight at a time. */
ALWAYS_INLINE size_t count_blanks(struct span comm)
{
	size_t n = 0;
	uint64_t others;

	while (comm.len - n >= sizeof(others)) {
		memcpy(&others, comm.ptr + n, sizeof(others));
		others ^= UINT64_C(0x2020202020202020);
		if (others)
			return n + (size_t)__builtin_ctzll(others) / 8;
		n += sizeof(others);
	}
	while (n < comm.len && comm.ptr[n] == ' ')
		n++;
	return n;
}

/* Reads a header: what stands on the line left of the anchor. On success @head is what stands
 * left of the column of comm: empty, but for a line that is glued to another. */
static bool parse_header(struct span *head, struct trace_record *record)
{
	struct span rest = *head; /* in registers, as is what is read: the scan is the hot path */
	struct span comm;
	uint64_t time_ns;
	int32_t cpu, tgid, tid;

	if (!take_time_back(&rest, &time_ns) || !drop_flags(&rest) || !take_cpu_back(&rest, &cpu) ||
	    !take_tgid_back(&rest, &tgid) || !take_number_back(&rest, &tid))
		return false;
	if (rest.len == 0 || rest.ptr[rest.len - 1] != '-')
		return false;
	rest.len--;
	comm = rest;
	if (comm.len > COMM_WIDTH)
		comm = span_skip(comm, comm.len - COMM_WIDTH);
	*head = (struct span){ rest.ptr, rest.len - comm.len };
	record->comm = span_skip(comm, count_blanks(comm));
	record->time_ns = time_ns;
	record->cpu = cpu;
	record->tgid = tgid;
	record->tid = tid;
	return true;
}

/* --- lines --- */

static const char *line_begin(const char *begin, const char *at)
{
	const char *newline = memrchr(begin, '\n', (size_t)(at - begin));

	return newline ? newline + 1 : begin;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

/* The anchor of a loss is the ':' of "CPU:". */
#define LOST_ANCHOR 3

/* "CPU:3 [LOST 1734 EVENTS]" or, where the kernel does not know, "CPU:3 [LOST EVENTS]". */
static bool parse_lost(struct span line, struct trace_record *record)
{
	static const struct span cpu = SPAN_INIT("CPU:");
	static const struct span lost = SPAN_INIT(" [LOST ");
	static const struct span events = SPAN_INIT("EVENTS]");
	int64_t number = 0;
	size_t digits = 0;
	struct span head;

	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (!span_starts_with(line, cpu))
		return false;
	line = span_skip(line, cpu.len);
	while (digits < line.len && is_digit(line.ptr[digits]))
		digits++;
	head = (struct span){ line.ptr, digits };
	if (!take_number_back(&head, &record->cpu))
		return false;
	line = span_skip(line, digits);
	if (!span_starts_with(line, lost))
		return false;
	line = span_skip(line, lost.len);
	for (digits = 0; digits < line.len && digits < 18 && is_digit(line.ptr[digits]); digits++)
		number = number * 10 + (line.ptr[digits] - '0');
	record->value = digits > 0 ? number : TRACE_LOST_UNKNOWN;
	line = span_skip(line, digits);
	if (digits > 0 && line.len > 0 && line.ptr[0] == ' ')
		line = span_skip(line, 1);
	return span_equal(line, events);
}

static void set_lost(const struct ftrace_text *text, struct trace_record *record)
{
	record->kind = TRACE_LOST;
	record->tid = TRACE_ID_UNKNOWN;
	record->tgid = TRACE_ID_UNKNOWN;
	record->pid = TRACE_ID_UNKNOWN;
	record->time_ns = text->last_ns;
	record->comm = record->name = record->track = SPAN_NULL;
}

/* Is the anchor @at that of a loss that stands between @begin and @end? */
static bool is_lost(const char *begin, const char *at, const char *end)
{
	struct trace_record record;

	return at - begin >= LOST_ANCHOR &&
	       parse_lost((struct span){ at - LOST_ANCHOR, (size_t)(end - at) + LOST_ANCHOR },
			  &record);
}

/* Where a second whole header or a loss stands in a payload, the kernel cut the first at a NUL,
 * its line end with it, and what comes next follows on the same line: the payload ends there.
 * @at: the first anchor in it. */
static const char *glued_line(struct span payload, const char *at)
{
	const char *end = payload.ptr + payload.len;

	while (at) {
		struct span behind = { at + 2, (size_t)(end - at) - 2 };
		struct span head = { payload.ptr, (size_t)(at - payload.ptr) };
		struct trace_record record;

		if (at[1] == ' ' && take_function(&behind) && parse_header(&head, &record))
			return head.ptr + head.len;
		if (is_lost(payload.ptr, at, end))
			return at - LOST_ANCHOR;
		at = anchor_find(payload.ptr, at + 1, end);
	}
	return NULL;
}

/* A marker's text as the process wrote it: nothing behind a NUL, no "\n\" of old HTML files. */
static struct span payload_of(struct span text)
{
	static const struct span html_tail = SPAN_INIT("\\n\\");
	const char *nul;

	if (text.len > 0 && text.ptr[0] == ' ')
		text = span_skip(text, 1);
	nul = memchr(text.ptr, '\0', text.len);
	if (nul)
		text.len = (size_t)(nul - text.ptr);
	if (text.len > 0 && text.ptr[text.len - 1] == '\r')
		text.len--;
	if (text.len >= html_tail.len && text.ptr[text.len - 1] == '\\' &&
	    memcmp(text.ptr + text.len - html_tail.len, html_tail.ptr, html_tail.len) == 0)
		text.len -= html_tail.len;
	return text;
}

/* Reads the line around the anchor @at. @line runs from its begin to its end; if it is a marker's,
 * readable or not, @line is what comes behind it: nothing, or what is glued to it. */
static bool parse_line(struct ftrace_text *text, struct span *line, const char *at,
		       struct trace_record *record)
{
	const char *end = line->ptr + line->len;
	struct span head = { line->ptr, (size_t)(at - line->ptr) };
	struct span behind = { at + 2, (size_t)(end - at) - 2 };
	const char *next = NULL;

	if (at[1] != ' ' || !take_function(&behind) || head.len == 0 ||
	    !is_digit(head.ptr[head.len - 1]))
		return false;
	text->markers++;
	if (!parse_header(&head, record)) {
		text->malformed++;
		return false;
	}
	/* The search for the next marker shows whether one stands on this line. */
	text->anchor = anchor_find(behind.ptr, behind.ptr, text->lines_end);
	text->looked_ahead = !text->anchor || text->anchor >= end;
	if (!text->looked_ahead)
		next = glued_line(behind, text->anchor);
	if (next) {
		text->glued++;
		behind.len = (size_t)(next - behind.ptr);
	}
	*line = (struct span){ next ? next : end, next ? (size_t)(end - next) : 0 };
	text->last_ns = record->time_ns;
	if (marker_parse(payload_of(behind), record))
		return true;
	text->malformed++;
	return false;
}

/* Drops a line that is too long. It counts where a marker may begin in the part of it that every
 * way to split the stream shows. */
static void drop_long_line(struct ftrace_text *text, const char *line)
{
	if (anchor_find(line, line, line + FTRACE_TEXT_LINE_MAX))
		text->too_long++;
}

/* The complete lines of the input; what is left of a line that was too long is dropped. */
static struct span complete_lines(struct ftrace_text *text, struct span *input, bool last)
{
	const char *newline;

	if (text->in_long_line) {
		newline = memchr(input->ptr, '\n', input->len);
		*input = newline ? span_skip(*input, (size_t)(newline + 1 - input->ptr))
				 : span_skip(*input, input->len);
		text->in_long_line = !newline;
	}
	if (last || input->len == 0)
		return *input;
	newline = memrchr(input->ptr, '\n', input->len);
	if (!newline && input->len >= FTRACE_TEXT_LINE_MAX) {
		drop_long_line(text, input->ptr);
		text->in_long_line = true;
		*input = span_skip(*input, input->len);
	}
	return (struct span){ input->ptr, newline ? (size_t)(newline + 1 - input->ptr) : 0 };
}

/* The next anchor from @at on: looked up before, if the search went on from a record. */
static const char *next_anchor(struct ftrace_text *text, const char *begin, const char *at)
{
	if (!text->looked_ahead)
		return at < text->lines_end ? anchor_find(begin, at, text->lines_end) : NULL;
	text->looked_ahead = false;
	return text->anchor;
}

enum ftrace_text_result ftrace_text_next(struct ftrace_text *text, struct span *input, bool last,
					 struct trace_record *record)
{
	const char *begin = input->ptr;
	const char *glued; /* what stands behind a marker that could not be read */
	const char *at;

	if (!text->looked_ahead) {
		struct span lines = complete_lines(text, input, last);

		begin = lines.ptr;
		text->lines_end = lines.ptr + lines.len;
	}
	at = glued = begin;
	while ((at = next_anchor(text, begin, at))) {
		struct span line = { line_begin(begin, at), 0 };
		const char *line_at;
		bool found;

		line.len = (size_t)(line_end(at, text->lines_end) - line.ptr);
		if (line.len >= FTRACE_TEXT_LINE_MAX) {
			drop_long_line(text, line.ptr);
			at = begin = line.ptr + line.len;
			continue;
		}
		if (at - glued == LOST_ANCHOR)
			line = span_skip(line, (size_t)(glued - line.ptr));
		line_at = line.ptr;
		found = at - line.ptr == LOST_ANCHOR && parse_lost(line, record);
		if (found) {
			set_lost(text, record);
			line = span_skip(line, line.len);
		}
		if (found || parse_line(text, &line, at, record)) {
			*input = span_skip(*input, (size_t)(line.ptr - input->ptr));
			return FTRACE_TEXT_RECORD;
		}
		glued = line.ptr;
		at = line.ptr == line_at ? at + 1 : line.ptr;
	}
	*input = span_skip(*input, (size_t)(text->lines_end - input->ptr));
	if (!last)
		complete_lines(text, input, false); /* what is left may be too long already */
	return FTRACE_TEXT_MORE;
}
