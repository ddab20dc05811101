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

/* Number of chunks in a lap if all end by their size, and in the remembered time if all end by
 * their duration. */
#define CHUNKS_PER_LAP 256
#define CHUNKS_PER_TIME 128

/* With this minimum, the index covers more than a minute: a frame may be that late. */
#define CHUNK_NS_MIN (NS_PER_S / 10)

/* Most bytes of a chunk: one more read may be added to a chunk that is nearly full. */
#define CHUNK_MOST (SIZE_MOST / CHUNKS_PER_LAP + READ_SIZE)

static size_t size_for(uint64_t remember_ns)
{
	uint64_t size = remember_ns / 1000 * SIZE_PER_S / (NS_PER_S / 1000);

	if (remember_ns == 0)
		return READ_SIZE;
	if (size < SIZE_LEAST)
		return SIZE_LEAST;
	return size < SIZE_MOST ? (size_t)size : SIZE_MOST;
}

int trace_buffer_open(struct trace_buffer *buffer, uint64_t remember_ns)
{
	/* All pages of a ring now; otherwise the process would grow for minutes. */
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (remember_ns > 0 ? MAP_POPULATE : 0);

	*buffer = (struct trace_buffer){
		.size = size_for(remember_ns),
		.remembers = remember_ns > 0,
		.chunk_ns = remember_ns / CHUNKS_PER_TIME,
		.chunk_count = 1,
	};
	if (buffer->chunk_ns < CHUNK_NS_MIN)
		buffer->chunk_ns = CHUNK_NS_MIN;
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

/* --- the index --- */

static const struct trace_buffer_chunk *chunk_at(const struct trace_buffer *buffer, size_t n)
{
	return &buffer->chunks[(buffer->chunk_first + n) % TRACE_BUFFER_CHUNKS];
}

static struct trace_buffer_chunk *open_chunk(struct trace_buffer *buffer)
{
	return &buffer->chunks[(buffer->chunk_first + buffer->chunk_count - 1) %
			       TRACE_BUFFER_CHUNKS];
}

static void forget_oldest(struct trace_buffer *buffer)
{
	buffer->chunk_first = (buffer->chunk_first + 1) % TRACE_BUFFER_CHUNKS;
	buffer->chunk_count--;
}

/* Ends the open chunk, unless it is empty, and begins the next one. */
static void next_chunk(struct trace_buffer *buffer)
{
	if (open_chunk(buffer)->begin != buffer->begin) {
		if (buffer->chunk_count == TRACE_BUFFER_CHUNKS)
			forget_oldest(buffer);
		buffer->chunk_count++;
	}
	*open_chunk(buffer) = (struct trace_buffer_chunk){ .begin = buffer->begin };
}

/* Returns true if @chunk, which is not the open one, is of the previous lap. */
static bool is_old(const struct trace_buffer *buffer, const struct trace_buffer_chunk *chunk)
{
	return chunk->begin >= buffer->begin;
}

/* Removes the chunks of the previous lap that begin in the first @end bytes. */
static void forget_until(struct trace_buffer *buffer, size_t end)
{
	while (buffer->chunk_count > 1 && is_old(buffer, chunk_at(buffer, 0)) &&
	       chunk_at(buffer, 0)->begin < end)
		forget_oldest(buffer);
}

/* --- reading --- */

static bool is_lap_over(const struct trace_buffer *buffer)
{
	return buffer->remembers && buffer->size - buffer->head < SPACE_MIN;
}

/* Begins the next lap. Copies the incomplete line to its start. */
static void next_lap(struct trace_buffer *buffer)
{
	size_t unread = buffer->head - buffer->begin;

	forget_until(buffer, SIZE_MAX);
	next_chunk(buffer);
	memmove(buffer->bytes, buffer->bytes + buffer->begin, unread);
	buffer->lap_end = buffer->begin;
	buffer->begin = 0;
	buffer->head = unread;
	open_chunk(buffer)->begin = 0;
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

bool trace_buffer_would_lose(const struct trace_buffer *buffer, uint64_t since_ns)
{
	struct span text = trace_buffer_overwrites(buffer);
	size_t end = (size_t)(text.ptr - buffer->bytes) + text.len;

	for (size_t n = 0; n + 1 < buffer->chunk_count; n++) {
		const struct trace_buffer_chunk *chunk = chunk_at(buffer, n);

		if ((!is_lap_over(buffer) && !is_old(buffer, chunk)) || chunk->begin >= end)
			return false;
		if (chunk->last_ns >= since_ns)
			return true;
	}
	return false;
}

char *trace_buffer_space(struct trace_buffer *buffer, size_t *size)
{
	if (is_lap_over(buffer))
		next_lap(buffer);
	*size = space_after(buffer, buffer->head);
	forget_until(buffer, buffer->head + *size);
	return buffer->bytes + buffer->head;
}

struct span trace_buffer_filled(struct trace_buffer *buffer, size_t len)
{
	buffer->head += len;
	return (struct span){ buffer->bytes + buffer->begin, buffer->head - buffer->begin };
}

static void index_lines(struct trace_buffer *buffer, uint64_t last_ns)
{
	struct trace_buffer_chunk *chunk = open_chunk(buffer);

	if (chunk->last_ns == 0)
		buffer->open_ns = last_ns;
	chunk->last_ns = last_ns;
	if (buffer->begin - chunk->begin >= buffer->size / CHUNKS_PER_LAP ||
	    last_ns - buffer->open_ns >= buffer->chunk_ns)
		next_chunk(buffer);
}

void trace_buffer_done(struct trace_buffer *buffer, struct span rest, uint64_t last_ns)
{
	if (buffer->remembers) {
		buffer->begin = (size_t)(rest.ptr - buffer->bytes);
		index_lines(buffer, last_ns);
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

const char *trace_buffer_end(const struct trace_buffer *buffer)
{
	return buffer->bytes + buffer->begin;
}

/* Cuts the lines before the first marker of @begin_ns or later. That marker is in the first chunk,
 * unless times are out of order; then nothing is cut. */
static struct span cut_front(struct span text, uint64_t begin_ns)
{
	struct span input = { text.ptr, text.len < CHUNK_MOST ? text.len : CHUNK_MOST };
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct trace_record record;

	while (ftrace_text_read(&state, &input, true, &record, 1) > 0) {
		const char *comm = record.comm.ptr;
		const char *newline;

		if (!comm || record.time_ns < begin_ns)
			continue;
		newline = memrchr(text.ptr, '\n', (size_t)(comm - text.ptr));
		return newline ? span_skip(text, (size_t)(newline + 1 - text.ptr)) : text;
	}
	return text;
}

void trace_buffer_find(const struct trace_buffer *buffer, uint64_t begin_ns, const char *end,
		       struct span parts[2])
{
	const char *bytes = buffer->bytes, *begin;
	const char *newline = memchr(end, '\n', (size_t)(bytes + buffer->head - end));
	const struct trace_buffer_chunk *chunk;
	size_t n = buffer->chunk_count - 1;

	/* To the end of that line, from the first chunk from which on all end in that time. */
	end = newline ? newline + 1 : end;
	while (n > 0 && chunk_at(buffer, n - 1)->last_ns >= begin_ns)
		n--;
	chunk = chunk_at(buffer, n);
	begin = bytes + chunk->begin;
	if (n + 1 < buffer->chunk_count && is_old(buffer, chunk)) {
		parts[0] = (struct span){ begin, buffer->lap_end - chunk->begin };
		parts[1] = (struct span){ bytes, (size_t)(end - bytes) };
	} else {
		parts[0] = (struct span){ begin, (size_t)(end - begin) };
		parts[1] = SPAN_NULL;
	}
	parts[0] = cut_front(parts[0], begin_ns);
}
