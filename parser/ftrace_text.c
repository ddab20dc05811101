/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the markers first and splits only those lines.
 *
 * A line of ftrace text; all columns but the first and the last two are optional or of varying
 * width:
 *
 *     surfaceflinger-990   (  990) [001] ....  28306.044232: tracing_mark_write: B|990|postFrame
 *     |comm        |tid    |tgid   |cpu  |flags|seconds    ^ |function           |payload
 *                                                          the anchor
 *
 * The anchor is ": " and the first letters of a function that writes markers. A scan over whole
 * blocks of bytes finds it. Then the line is read: the payload to the right of it, and the header
 * to the left of it.
 */
#include "parser/ftrace_text.h"

#include "parser/anchor.h"
#include "parser/marker.h"
#include "parser/swar.h"

/* Hot path: everything is inlined, so that values stay in registers. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Skips the function of a marker line and the ':' after it, with a suffix of the compiler in
 * between (".isra.0"). */
static bool skip_function(struct span *text)
{
	/* Kernel 6.18 moved the write to another function. "0" is printed by 3.x kernels and later
	 * ones of some vendors, an address if the kernel hides its symbols. */
	enum { ADDRESS, PRINT, NAMES = 5 };
	static const struct span names[NAMES] = {
		[ADDRESS] = SPAN_INIT("0x"),
		[PRINT] = SPAN_INIT("print"),
		SPAN_INIT("tracing_mark_write"),
		SPAN_INIT("write_marker_to_buffer"),
		SPAN_INIT("0"),
	};
	size_t i = 0, n;

	while (i < NAMES && !span_starts_with(*text, names[i]))
		i++;
	if (i == NAMES)
		return false;
	n = names[i].len;
	if (i == ADDRESS) {
		while (n < text->len && is_hex_digit(text->ptr[n]))
			n++;
		if (n == names[i].len)
			return false;
	} else if (n < text->len && text->ptr[n] == '.') {
		while (n < text->len && text->ptr[n] != ':' && text->ptr[n] != ' ')
			n++;
	}
	if (n >= text->len || text->ptr[n] != ':')
		return false;
	*text = span_skip(*text, n + 1);
	if (i != PRINT)
		return true;
	/* trace-cmd prints event and function. */
	while (text->len > 1 && text->ptr[0] == ' ' && text->ptr[1] == ' ')
		*text = span_skip(*text, 1);
	if (span_starts_with(*text, SPAN_LITERAL(" tracing_mark_write: ")))
		*text = span_skip(*text, sizeof(" tracing_mark_write:") - 1);
	return true;
}

/* --- lines --- */

/* The anchor of a loss is the ':' of "CPU:". */
#define LOST_ANCHOR 3

/* "CPU:3 [LOST 1734 EVENTS]", or "CPU:3 [LOST EVENTS]" if the kernel does not give the number. */
static bool parse_lost(struct span line, struct trace_record *record)
{
	static const struct span label = SPAN_INIT("CPU:");
	static const struct span lost = SPAN_INIT(" [LOST ");
	static const struct span events = SPAN_INIT("EVENTS]");
	uint64_t cpu, number;

	while (line.len > 0 && (unsigned char)line.ptr[line.len - 1] <= ' ')
		line.len--;
	if (!span_starts_with(line, label))
		return false;
	line = span_skip(line, label.len);
	if (!span_take_number(&line, INT32_MAX, &cpu) || !span_starts_with(line, lost))
		return false;
	line = span_skip(line, lost.len);
	record->cpu = (int32_t)cpu;
	record->value = TRACE_LOST_UNKNOWN;
	if (span_take_number(&line, INT64_MAX, &number)) {
		record->value = (int64_t)number;
		if (line.len > 0 && line.ptr[0] == ' ')
			line = span_skip(line, 1);
	}
	return span_equal(line, events);
}

/* An event may come that long after the marker before it. */
#define LATER_NS UINT64_C(1000000000)

/* Keeps the times of events of any kind as those of the last ones of their CPUs. @is_cut: the first
 * line may be cut, and is not read. */
static void note_lines(struct ftrace_text *text, const char *line, const char *end, bool is_cut)
{
	for (const char *next; line < end; line = next, is_cut = false) {
		const char *newline = memchr(line, '\n', (size_t)(end - line)), *at;
		struct trace_record record;
		struct span head;

		next = newline ? newline + 1 : end;
		at = is_cut ? NULL : memchr(line, '[', (size_t)(next - line));
		while (at && (at = memchr(at + 1, ':', (size_t)(next - at - 1))))
			if (is_digit(at[-1]) && at + 1 < next && at[1] == ' ')
				break;
		head = (struct span){ line, at ? (size_t)(at - line) : 0 };
		if (ftrace_header_read(&head, &record) && record.cpu >= 0 &&
		    record.cpu < FTRACE_TEXT_CPUS)
			text->cpu_ns[record.cpu] = record.time_ns;
	}
}

/* Sets the record of the loss whose line is at @at. It begins after the last event of its CPU, and
 * so it ends later, too; but a damaged line has any time. From the first loss on, each line is
 * noted: most traces have none. */
static void set_lost(struct ftrace_text *text, const char *at, struct trace_record *record)
{
	size_t n = (size_t)(at - text->scan.begin), n_tail = text->tail_len;
	const char *tail_end = text->tail + n_tail;
	bool is_cut = false, is_damaged;
	int32_t cpu = record->cpu;
	uint64_t from_ns = 0;

	if (!text->has_markers_only) {
		/* Before the first loss, the events just before it are looked up in the text. */
		if (!text->has_lost) {
			is_cut = n > sizeof(text->tail);
			if (is_cut)
				n = sizeof(text->tail);
			if (n_tail + n > sizeof(text->tail))
				n_tail = sizeof(text->tail) - n;
			note_lines(text, tail_end - n_tail, tail_end,
				   n_tail + n == sizeof(text->tail));
			text->noted = at - n;
		}
		note_lines(text, text->noted, at, is_cut);
		text->has_lost = true;
		text->noted = at;
		if (cpu >= 0 && cpu < FTRACE_TEXT_CPUS)
			from_ns = text->cpu_ns[cpu];
	}
	is_damaged = from_ns > text->last_ns + LATER_NS;
	*record = (struct trace_record){
		.kind = TRACE_LOST,
		.cpu = cpu,
		.tid = TRACE_ID_UNKNOWN,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
		.time_ns = from_ns > text->last_ns && !is_damaged ? from_ns : text->last_ns,
		.from_ns = is_damaged ? 0 : from_ns,
		.value = record->value,
	};
}

/* Keeps the end of the lines that were read, or what is in them. */
static void keep_tail(struct ftrace_text *text)
{
	size_t n = (size_t)(text->scan.end - text->scan.begin), kept;

	if (text->has_markers_only)
		return;
	if (text->has_lost) {
		note_lines(text, text->noted, text->scan.end, false);
		return;
	}
	if (n > sizeof(text->tail))
		n = sizeof(text->tail);
	kept = sizeof(text->tail) - n < text->tail_len ? sizeof(text->tail) - n : text->tail_len;
	memmove(text->tail, text->tail + text->tail_len - kept, kept);
	if (n > 0)
		memcpy(text->tail + kept, text->scan.end - n, n);
	text->tail_len = kept + n;
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
		if (text->scan.at < at)
			text->scan.at = at;
		if (text->scan.at >= text->scan.end)
			return NULL;
		text->next_anchor = 0;
		text->n_anchors = anchor_scan(&text->scan, text->anchors);
	}
}

/* Finds the next line in a payload. If a payload contains another whole header or a loss, the
 * kernel has cut the text at a NUL, and the line end with it. The payload ends there. Returns NULL
 * if there is none. Any process writes payloads: each anchor of them is looked at once. */
static const char *glued_line(const struct ftrace_text *text, struct span payload)
{
	const char *end = payload.ptr + payload.len, *last = payload.ptr;
	const char *from = payload.ptr, *bracket = NULL;
	struct anchor_scan scan = { text->scan.begin, text->scan.at, end };
	const char *const *found = text->anchors + text->next_anchor;
	size_t n = text->n_anchors - text->next_anchor;
	const char *more[ANCHORS_MAX];
	struct trace_record record;

	for (; n > 0; n = scan.at < end ? anchor_scan(&scan, more) : 0, found = more) {
		for (size_t i = 0; i < n && found[i] < end; i++) {
			const char *at = found[i];
			struct span head, after;

			if (at <= payload.ptr)
				continue;
			last = at;
			if (at[1] != ' ' || !is_digit(at[-1]))
				continue;
			/* A header has a bracket, and no such anchor after it. */
			if (bracket < from) {
				bracket = memchr(from, ']', (size_t)(end - from));
				bracket = bracket ? bracket : end;
			}
			from = at;
			if (bracket > at)
				continue;
			head = (struct span){ payload.ptr, (size_t)(at - payload.ptr) };
			after = (struct span){ at + 2, (size_t)(end - at) - 2 };
			if (skip_function(&after) && ftrace_header_read(&head, &record))
				return head.ptr + head.len;
		}
	}
	/* A loss ends with the line: no other anchor follows. */
	if (last - payload.ptr < LOST_ANCHOR)
		return NULL;
	last -= LOST_ANCHOR;
	return parse_lost((struct span){ last, (size_t)(end - last) }, &record) ? last : NULL;
}

/* Reads the line around the anchor @at. @line: the whole line. For a marker line with a valid
 * header it is set to the text glued to it, or to nothing. */
static bool parse_line(struct ftrace_text *text, struct span *line, const char *at,
		       struct trace_record *record)
{
	const char *end = line->ptr + line->len;
	struct span head = { line->ptr, (size_t)(at - line->ptr) };
	struct span after = { at + 2, (size_t)(end - at) - 2 };
	const char *next = NULL, *nul;

	if (at[1] != ' ' || !skip_function(&after) || head.len == 0 ||
	    !is_digit(head.ptr[head.len - 1]))
		return false;
	text->markers++;
	if (!ftrace_header_read(&head, record)) {
		text->malformed++;
		return false;
	}
	/* Is there another one on this line? */
	if (after.len > 0)
		next = glued_line(text, after);
	if (next) {
		text->glued++;
		after.len = (size_t)(next - after.ptr);
	}
	*line = (struct span){ next ? next : end, next ? (size_t)(end - next) : 0 };
	text->last_ns = record->time_ns;
	/* The text as the process wrote it: without the text after a NUL, and without the escaped
	 * line end of old HTML files. */
	if (after.len > 0 && after.ptr[0] == ' ')
		after = span_skip(after, 1);
	nul = memchr(after.ptr, '\0', after.len);
	if (nul)
		after.len = (size_t)(nul - after.ptr);
	if (after.len > 0 && after.ptr[after.len - 1] == '\r')
		after.len--;
	if (after.len >= 3 && memcmp(after.ptr + after.len - 3, "\\n\\", 3) == 0)
		after.len -= 3;
	if (marker_parse(after, false, record))
		return true;
	text->malformed++;
	return false;
}

/* --- the fast path: a usual line --- */

/* Longest payload on the fast path. */
#define PAYLOAD_MAX 512

static const char function[] = ": tracing_mark_write: ";

/* The end of the payload at @at: a line end or NUL. NULL: there is none before @limit, or an anchor
 * is before it. */
ALWAYS_INLINE const char *payload_end(const char *at, const char *limit)
{
	const char *end;

#ifdef BLOCK_SIZE
	/* anchor_is() reads three bytes more. */
	for (; limit - at >= BLOCK_SIZE + 3; at += BLOCK_SIZE) {
		uint32_t found = block_find(at, "\n\0:");

		/* Few of many ':' may be anchors: see anchor_is(). */
		if (found && at[__builtin_ctz(found)] == ':')
			found &= ~block_find(at, ":::") | block_find(at - 1, "UUU") |
				 (block_find(at + 1, "   ") & block_find(at + 3, "r:x"));
		for (; found; found &= found - 1) {
			end = at + (unsigned int)__builtin_ctz(found);
			if (*end != ':')
				return end;
			if (anchor_is(end))
				return NULL;
		}
	}
#endif
	end = text_end(at, limit);
	return end && !anchor_may_be_in(at, end) ? end : NULL;
}

/* Reads the marker line around the anchor @at, if it is a usual one: a header of the usual widths,
 * a short payload, nothing glued to it. Other lines are read on the slow path, with the same
 * result. On success *after is the payload, which ends with the line. @is_likely: an anchor is only
 * likely there, and then it is that of the line that begins at @from. */
ALWAYS_INLINE bool parse_line_fast(struct ftrace_text *text, const char *from, const char *at,
				   bool is_likely, struct span *after, struct trace_record *record)
{
	const size_t last = sizeof(function) - 1 - 8;
	const char *payload = at + sizeof(function) - 1;
	const char *limit = text->scan.end;
	const char *line, *end;

	if (limit - at > PAYLOAD_MAX)
		limit = at + PAYLOAD_MAX;
	/* Three overlapping words cover the usual function. */
	if (limit - payload < 10 || word_load(at) != word_load(function) ||
	    word_load(at + 8) != word_load(function + 8) ||
	    word_load(at + last) != word_load(function + last))
		return false;
	line = ftrace_header_read_cached(&text->headers, text->scan.begin, from, is_likely, at,
					 record);
	end = line && (!is_likely || line == from) ? payload_end(payload, limit) : NULL;
	if (!end || *end == '\0' || (unsigned char)end[-1] <= ' ' || end[-1] == '\\')
		return false;
	*after = (struct span){ payload, (size_t)(end - payload) };
	if (!is_likely)
		text->header_len = (size_t)(at - line);
	return true;
}

/* --- the stream --- */

/* Drops a line that is too long. It is counted if a marker may begin in its first
 * FTRACE_TEXT_LINE_MAX bytes, which do not depend on how the stream is split. */
static void drop_long_line(struct ftrace_text *text, const char *line)
{
	if (anchor_find(line, line, line + FTRACE_TEXT_LINE_MAX))
		text->too_long++;
}

/* The complete lines of the input. The rest of a line that was too long is dropped. */
static struct span complete_lines(struct ftrace_text *text, struct span *input, bool last)
{
	const char *newline;

	if (text->in_long_line) {
		newline = memchr(input->ptr, '\n', input->len);
		*input = newline ? span_skip(*input, (size_t)(newline + 1 - input->ptr))
				 : span_skip(*input, input->len);
		text->in_long_line = !newline;
		text->tail_len = 0;
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

/* Where the anchor of the line after @newline is, if that line is like the one before: then the
 * text up to there need not be scanned. NULL: it is unknown, or scanned. */
ALWAYS_INLINE const char *likely_anchor(const struct ftrace_text *text, const char *newline)
{
	if ((text->n_anchors > 0 && text->anchors[text->n_anchors - 1] > newline) ||
	    (size_t)(text->scan.end - newline) <= text->header_len || text->header_len == 0 ||
	    newline - text->scan.begin < FTRACE_HEADER_READS || *newline != '\n')
		return NULL;
	return newline + 1 + text->header_len;
}

/* Reads usual lines up to the first one that is not, or whose marker is malformed. Those before the
 * first record are skipped. Returns the number of records. */
ALWAYS_INLINE size_t read_usual(struct ftrace_text *text, struct span *input,
				struct trace_record *records, size_t max)
{
	const char *next = input->ptr, *at;
	uint64_t malformed = 0;
	struct span payload;
	size_t n = 0;

	while (n < max) {
		at = likely_anchor(text, next);
		if (!at || !parse_line_fast(text, next + 1, at, true, &payload, &records[n])) {
			at = find_anchor(text, next);
			if (!at || !parse_line_fast(text, next, at, false, &payload, &records[n])) {
				text->unusual = next;
				break;
			}
		}
		if (marker_parse_ended(payload, true, &records[n])) {
			next = payload.ptr + payload.len;
			records[n].text_len = (uint32_t)(next - records[n].comm.ptr);
			n++;
		} else if (n == 0) {
			next = payload.ptr + payload.len;
			text->last_ns = records[0].time_ns;
			malformed++;
		} else {
			break;
		}
	}
	text->malformed += malformed;
	text->markers += malformed + n;
	if (n > 0)
		text->last_ns = records[n - 1].time_ns;
	*input = span_skip(*input, (size_t)(next - input->ptr));
	return n;
}

/* Reads the next line that has an anchor, which is no usual one. Returns false if it has no record,
 * and at the end of the lines. */
static bool read_any(struct ftrace_text *text, struct span *input, bool last,
		     struct trace_record *record)
{
	const char *next = input->ptr, *at;
	const char *glued = next; /* text after a marker that could not be read */

	for (;;) {
		struct span line;
		const char *line_at, *newline;
		bool found;

		at = find_anchor(text, next);
		if (!at)
			break;
		line = text->line;
		if (next > input->ptr && at > line.ptr + line.len) {
			/* The next line may be a usual one. */
			*input = span_skip(*input, (size_t)(line.ptr + line.len - input->ptr));
			return false;
		}
		if (line.ptr < input->ptr || at > line.ptr + line.len) {
			newline = memrchr(input->ptr, '\n', (size_t)(at - input->ptr));
			line.ptr = newline ? newline + 1 : input->ptr;
			newline = memchr(at, '\n', (size_t)(text->scan.end - at));
			line.len = (size_t)((newline ? newline : text->scan.end) - line.ptr);
			text->line = line;
		}
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
			set_lost(text, line.ptr, record);
			line = span_skip(line, line.len);
		}
		if (found || parse_line(text, &line, at, record)) {
			record->text_len = found ? 0 : (uint32_t)(line.ptr - record->comm.ptr);
			*input = span_skip(*input, (size_t)(line.ptr - input->ptr));
			return true;
		}
		glued = line.ptr;
		next = line.ptr == line_at ? at + 1 : line.ptr;
	}
	*input = span_skip(*input, (size_t)(text->scan.end - input->ptr));
	keep_tail(text);
	text->scan.end = NULL;
	if (!last)
		complete_lines(text, input, false); /* the rest may be too long already */
	return false;
}

size_t ftrace_text_read(struct ftrace_text *text, struct span *input, bool last,
			struct trace_record *records, size_t max)
{
	size_t n;

	if (!text->scan.end) {
		struct span lines = complete_lines(text, input, last);

		text->scan = (struct anchor_scan){ lines.ptr, lines.ptr, lines.ptr + lines.len };
		text->line = SPAN_NULL;
		text->noted = lines.ptr;
		text->unusual = NULL;
		text->n_anchors = text->next_anchor = 0;
	}
	do {
		n = input->ptr == text->unusual ? 0 : read_usual(text, input, records, max);
		if (n == 0)
			n = read_any(text, input, last, records);
	} while (n == 0 && text->scan.end);
	return n;
}
