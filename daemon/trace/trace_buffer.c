/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/trace_buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon/base/loop.h"
#include "parser/ftrace_text.h"

/* Most bytes of a read. */
#define READ_SIZE ((size_t)262144)

/* A lap ends if less space than this remains. */
#define SPACE_MIN ((size_t)65536)
_Static_assert(SPACE_MIN >= 2 * FTRACE_TEXT_LINE_MAX, "a begun line leaves space to read");

/* With the markers of atrace's gfx category a phone writes less than 1 MB of text a second; with
 * all categories it may be 10 MB. */
#define SIZE_PER_S (UINT64_C(2) << 20)
#define SIZE_LEAST ((size_t)16 << 20)
#define SIZE_MOST ((size_t)64 << 20)

/* The text in which a time is looked for line by line. */
#define STEP ((size_t)65536)

int trace_buffer_open(struct trace_buffer *buffer, uint64_t remember_ns)
{
	/* All pages of a ring now; otherwise the process would grow for minutes. */
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (remember_ns > 0 ? MAP_POPULATE : 0);
	uint64_t size = remember_ns / 1000 * SIZE_PER_S / (NS_PER_S / 1000);

	if (remember_ns == 0)
		size = READ_SIZE;
	else if (size < SIZE_LEAST)
		size = SIZE_LEAST;
	else if (size > SIZE_MOST)
		size = SIZE_MOST;
	*buffer = (struct trace_buffer){ .size = size, .remembers = remember_ns > 0 };
	buffer->bytes = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (buffer->bytes != MAP_FAILED)
		return 0;
	buffer->bytes = NULL;
	return -ENOMEM;
}

void trace_buffer_close(struct trace_buffer *buffer)
{
	if (buffer->bytes)
		munmap(buffer->bytes, buffer->size);
	buffer->bytes = NULL;
}

/* --- reading --- */

static bool is_lap_over(const struct trace_buffer *buffer)
{
	return buffer->remembers && buffer->size - buffer->head < SPACE_MIN;
}

static size_t space_after(const struct trace_buffer *buffer, size_t head)
{
	return buffer->size - head < READ_SIZE ? buffer->size - head : READ_SIZE;
}

struct span trace_buffer_overwrites(const struct trace_buffer *buffer)
{
	size_t unread = buffer->head - buffer->begin;

	if (is_lap_over(buffer))
		return (struct span){ buffer->bytes, unread + space_after(buffer, unread) };
	return (struct span){ buffer->bytes + buffer->head, space_after(buffer, buffer->head) };
}

/* The line after @at; @end: there is none. */
static const char *next_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

char *trace_buffer_space(struct trace_buffer *buffer, size_t *size)
{
	const char *bytes = buffer->bytes;
	size_t unread = buffer->head - buffer->begin, end;

	/* The next lap begins with the incomplete line. */
	if (is_lap_over(buffer)) {
		memmove(buffer->bytes, buffer->bytes + buffer->begin, unread);
		buffer->lap_end = buffer->begin;
		buffer->old = buffer->begin = 0;
		buffer->head = unread;
	}
	*size = space_after(buffer, buffer->head);
	end = buffer->head + *size;
	if (end >= buffer->lap_end)
		buffer->old = buffer->lap_end;
	else if (buffer->old < end)
		buffer->old = (size_t)(next_line(bytes + end, bytes + buffer->lap_end) - bytes);
	return buffer->bytes + buffer->head;
}

struct span trace_buffer_filled(struct trace_buffer *buffer, size_t len)
{
	buffer->head += len;
	return (struct span){ buffer->bytes + buffer->begin, buffer->head - buffer->begin };
}

void trace_buffer_done(struct trace_buffer *buffer, struct span rest)
{
	if (buffer->remembers) {
		buffer->begin = (size_t)(rest.ptr - buffer->bytes);
		return;
	}
	memmove(buffer->bytes, rest.ptr, rest.len);
	buffer->head = rest.len;
}

void trace_buffer_end_line(struct trace_buffer *buffer, bool dropped)
{
	if (dropped)
		buffer->head = buffer->begin;
	else if (buffer->remembers && buffer->head > buffer->begin)
		buffer->bytes[buffer->head++] = '\n';
}

/* --- remembered text --- */

/* The time of the first marker, or of the last one; 0: there is none. */
static uint64_t time_in(struct span text, bool last)
{
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct trace_record record;
	uint64_t time_ns = 0;

	while ((last || time_ns == 0) && ftrace_text_read(&state, &text, true, &record, 1) > 0)
		if (record.comm.ptr)
			time_ns = record.time_ns;
	return time_ns;
}

bool trace_buffer_would_lose(const struct trace_buffer *buffer, uint64_t since_ns)
{
	struct span text = trace_buffer_overwrites(buffer);
	size_t end = (size_t)(text.ptr - buffer->bytes) + text.len;
	size_t old = is_lap_over(buffer) ? 0 : buffer->old;
	size_t old_end = is_lap_over(buffer) ? buffer->begin : buffer->lap_end;

	old_end = old_end < end ? old_end : end;
	return old < old_end &&
	       time_in((struct span){ buffer->bytes + old, old_end - old }, true) >= since_ns;
}

/* Looks at a marker of each STEP bytes, from the end on, as a clock may have been set back, and
 * cuts the lines before the first one that is earlier than @begin_ns. Returns false if there is
 * none. */
static bool cut_steps(struct span *text, uint64_t begin_ns)
{
	const char *begin = text->ptr, *end = begin + text->len;

	for (const char *at = end; at > begin;) {
		size_t before = (size_t)(at - begin);
		const char *step = before > STEP ? at - STEP : begin;
		const char *from = before > STEP ? next_line(step, at) : begin;
		uint64_t first_ns = time_in((struct span){ from, (size_t)(at - from) }, false);

		if (first_ns > 0 && first_ns < begin_ns) {
			*text = (struct span){ from, (size_t)(end - from) };
			return true;
		}
		at = from < at ? from : step;
	}
	return false;
}

/* Cuts the lines before the first marker of @begin_ns or later, which is near after cut_steps().
 * Returns false if there is none, and cuts nothing. */
static bool cut_lines(struct span *text, uint64_t begin_ns)
{
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct span input = *text;
	struct trace_record record;

	while (ftrace_text_read(&state, &input, true, &record, 1) > 0) {
		const char *comm = record.comm.ptr, *newline;

		if (!comm || record.time_ns < begin_ns)
			continue;
		newline = memrchr(text->ptr, '\n', (size_t)(comm - text->ptr));
		if (newline)
			*text = span_skip(*text, (size_t)(newline + 1 - text->ptr));
		return true;
	}
	return false;
}

void trace_buffer_find(const struct trace_buffer *buffer, uint64_t begin_ns, const char *end,
		       struct span parts[2])
{
	struct span old = { buffer->bytes + buffer->old, buffer->lap_end - buffer->old };
	const char *newline;

	if (!end)
		end = buffer->bytes + buffer->begin;
	newline = memchr(end, '\n', (size_t)(buffer->bytes + buffer->head - end));
	end = newline ? newline + 1 : end;
	parts[0] = (struct span){ buffer->bytes, (size_t)(end - buffer->bytes) };
	parts[1] = SPAN_NULL;
	if (!cut_steps(&parts[0], begin_ns) && old.len > 0) {
		cut_steps(&old, begin_ns);
		if (cut_lines(&old, begin_ns)) {
			parts[1] = parts[0];
			parts[0] = old;
		}
	}
	if (parts[1].len == 0)
		cut_lines(&parts[0], begin_ns);
}
