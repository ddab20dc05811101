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

/* The first anchor from @at on, or NULL. */
static const char *find_anchor(struct ftrace_text *text, const char *at)
{
	for (;;) {
		while (text->next_anchor < text->n_anchors) {
			const char *anchor = text->anchors[text->next_anchor];

			if (anchor >= at)
				return anchor;
			text->next_anchor++;
		}
		if (text->scan.at >= text->scan.end)
			return NULL;
		text->next_anchor = 0;
		text->n_anchors = anchor_scan(&text->scan, text->anchors);
	}
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
	/* Does another one stand on this line? */
	if (behind.len > 0) {
		const char *another = find_anchor(text, behind.ptr + 1);

		if (another && another < end)
			next = glued_line(behind, another);
	}
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

/* --- the rule: a line as nearly all are --- */

/* Bytes that a header has at most here, and that may be read before the anchor. */
#define HEADER_MAX 96

/* A payload is looked through eight bytes at a time so far; few are longer. */
#define PAYLOAD_MAX 512

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

ALWAYS_INLINE uint64_t load_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Not zero where one of the bytes of @word is @byte; the lowest bit set is in the first that is. */
ALWAYS_INLINE uint64_t find_byte(uint64_t word, uint8_t byte)
{
	word ^= ONES * byte;
	return (word - ONES) & ~word & HIGHS;
}

/* The number that eight digits are, less '0' each, the first in the lowest byte. */
ALWAYS_INLINE uint64_t eight_digits(uint64_t word)
{
	word = word * 10 + (word >> 8);
	return (((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
		(((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
	       32;
}

/* Takes the digits that end at *@end, 7 at most, off it. False: there are none, or more. */
ALWAYS_INLINE bool take_digits_fast(const char **end, uint32_t *number)
{
	uint64_t word = load_word(*end - 8) ^ (ONES * '0');
	uint64_t others = ((word + ONES * 0x76) | word) & HIGHS;
	unsigned int n;

	if (!others)
		return false;
	n = (unsigned int)__builtin_clzll(others) / 8;
	if (n == 0)
		return false;
	*number = (uint32_t)eight_digits(word >> (64 - 8 * n) << (64 - 8 * n));
	*end -= n;
	return true;
}

ALWAYS_INLINE const char *skip_blanks_fast(const char *end)
{
	for (int i = 0; i < 8 && end[-1] == ' '; i++)
		end--;
	return end;
}

/* Takes "seconds.micros" and the blank before it. */
ALWAYS_INLINE bool take_time_fast(const char **end, uint64_t *time_ns)
{
	uint64_t word = load_word(*end - 8);
	uint64_t micros = ((word & ~UINT64_C(0xffff)) | UINT64_C(0x3030)) ^ (ONES * '0');
	const char *at = *end - 7;
	uint32_t seconds;

	if (*at != '.' || (((micros + ONES * 0x76) | micros) & HIGHS) ||
	    !take_digits_fast(&at, &seconds) || at[-1] != ' ')
		return false;
	*time_ns = (uint64_t)seconds * UINT64_C(1000000000) + eight_digits(micros) * 1000;
	*end = skip_blanks_fast(at);
	return true;
}

/* Takes "[cpu] flags": three digits, and four or five flags. */
ALWAYS_INLINE bool take_cpu_fast(const char **end, int32_t *cpu)
{
	uint64_t flags = load_word(*end - 8);
	const char *at = *end - 4;
	uint32_t number;

	if (at[-1] != ' ')
		at--;
	/* What stands left of the flags is looked at below. */
	flags |= UINT64_MAX >> (8 * (*end - at));
	if (find_byte(flags, ' ') || find_byte(flags, ']') || find_byte(flags, '\n') ||
	    at[-1] != ' ' || at[-2] != ']')
		return false;
	at -= 2;
	if (!take_digits_fast(&at, &number) || at[-1] != '[')
		return false;
	*cpu = (int32_t)number;
	*end = skip_blanks_fast(at - 1);
	return true;
}

/* Takes "(tgid)", where it is there. */
ALWAYS_INLINE bool take_tgid_fast(const char **end, int32_t *tgid)
{
	const char *at = *end - 1;
	uint32_t number;

	*tgid = TRACE_ID_UNKNOWN;
	if (*at != ')')
		return true;
	if (take_digits_fast(&at, &number)) {
		*tgid = (int32_t)number;
		at = skip_blanks_fast(at);
	} else {
		for (int i = 0; i < 8 && at[-1] == '-'; i++)
			at--;
	}
	if (at[-1] != '(')
		return false;
	*end = skip_blanks_fast(at - 1);
	return true;
}

/* The end of the payload, or NULL where it is not simply the next line end. */
ALWAYS_INLINE const char *find_end_fast(const char *at, const char *end)
{
	for (const char *last = end - 8; at <= last; at += 8) {
		uint64_t word = load_word(at);
		uint64_t newline = find_byte(word, '\n'), nul = find_byte(word, '\0');

		if (nul)
			return NULL;
		if (newline)
			return at + (unsigned int)__builtin_ctzll(newline) / 8;
	}
	return NULL;
}

/* Reads the header that ends at @at. False: it is not as most are, or not at the begin of a line.
 */
ALWAYS_INLINE bool parse_header_fast(const char *begin, const char *from, const char *at,
				     struct trace_record *record)
{
	uint64_t time_ns;
	int32_t cpu, tgid;
	uint32_t tid;

	if (at - begin < HEADER_MAX || !take_time_fast(&at, &time_ns) ||
	    !take_cpu_fast(&at, &cpu) || !take_tgid_fast(&at, &tgid) ||
	    !take_digits_fast(&at, &tid) || at[-1] != '-' || at[-2 - COMM_WIDTH] != '\n')
		return false;
	record->comm = (struct span){ at - 1 - COMM_WIDTH, COMM_WIDTH };
	if (record->comm.ptr < from || find_byte(load_word(record->comm.ptr), '\n') ||
	    find_byte(load_word(record->comm.ptr + 8), '\n'))
		return false;
	record->comm = span_skip(record->comm, count_blanks(record->comm));
	record->time_ns = time_ns;
	record->cpu = cpu;
	record->tgid = tgid;
	record->tid = (int32_t)tid;
	return true;
}

/* Reads the marker line around the anchor @at, if it is as nearly all are: its header of the usual
 * widths, its payload short, nothing glued to it. Whatever is not goes the long way: both give the
 * same. True: *behind is the payload, which ends where the line does. */
ALWAYS_INLINE bool parse_line_fast(struct ftrace_text *text, const char *from, const char *at,
				   struct span *behind, struct trace_record *record)
{
	static const char function[] = ": tracing_mark_write: ";
	const char *payload = at + sizeof(function) - 1;
	const char *limit = text->scan.end;
	const char *end, *another;

	if (limit - at > PAYLOAD_MAX)
		limit = at + PAYLOAD_MAX;
	if (limit - payload < 8 || memcmp(at, function, sizeof(function) - 1) != 0 ||
	    !parse_header_fast(text->scan.begin, from, at, record))
		return false;
	end = find_end_fast(payload, limit);
	another = end ? find_anchor(text, payload) : NULL;
	if (!end || (another && another < end) || end[-1] == '\r' || end[-1] == '\\')
		return false;
	*behind = (struct span){ payload, (size_t)(end - payload) };
	text->markers++;
	text->last_ns = record->time_ns;
	return true;
}

/* --- the stream --- */

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

/* Begins with the complete lines of the input. */
static void begin_lines(struct ftrace_text *text, struct span *input, bool last)
{
	struct span lines = complete_lines(text, input, last);

	text->scan = (struct anchor_scan){ lines.ptr, lines.ptr, lines.ptr + lines.len };
	text->n_anchors = text->next_anchor = 0;
}

enum ftrace_text_result ftrace_text_next(struct ftrace_text *text, struct span *input, bool last,
					 struct trace_record *record)
{
	const char *glued; /* what stands behind a marker that could not be read */
	const char *next, *at;

	if (!text->scan.end)
		begin_lines(text, input, last);
	next = glued = input->ptr;
	while ((at = find_anchor(text, next))) {
		struct span line;
		const char *line_at;
		bool found;

		if (parse_line_fast(text, input->ptr, at, &line, record)) {
			glued = next = line.ptr + line.len;
			if (!marker_parse(line, record)) {
				text->malformed++;
				continue;
			}
			*input = span_skip(*input, (size_t)(next - input->ptr));
			return FTRACE_TEXT_RECORD;
		}
		line.ptr = line_begin(input->ptr, at);
		line.len = (size_t)(line_end(at, text->scan.end) - line.ptr);
		if (line.len >= FTRACE_TEXT_LINE_MAX) {
			drop_long_line(text, line.ptr);
			next = line.ptr + line.len;
			continue;
		}
		if (at - glued == LOST_ANCHOR && glued > line.ptr)
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
		next = line.ptr == line_at ? at + 1 : line.ptr;
	}
	*input = span_skip(*input, (size_t)(text->scan.end - input->ptr));
	text->scan.end = NULL;
	if (!last)
		complete_lines(text, input, false); /* what is left may be too long already */
	return FTRACE_TEXT_MORE;
}
