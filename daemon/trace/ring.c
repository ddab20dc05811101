/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "parser/ftrace_text.h"

#define NS_PER_S UINT64_C(1000000000)

/* What one read takes at most. */
#define READ_SIZE ((size_t)262144)

/* A round ends where less is left. */
#define ROOM_MIN ((size_t)65536)
_Static_assert(ROOM_MIN >= 2 * FTRACE_TEXT_LINE_MAX, "a begun line leaves room to read");

/* With the markers of atrace's gfx alone a phone writes less than a megabyte of text a second;
 * where others trace all there is it may be ten. */
#define SIZE_PER_S (UINT64_C(2) << 20)
#define SIZE_LEAST ((size_t)16 << 20)
#define SIZE_MOST ((size_t)64 << 20)

/* So many chunks in a round, for their size, and in the time that is asked for. */
#define CHUNKS_PER_LAP 256
#define CHUNKS_PER_TIME 128

/* The index reaches back for a minute at least: a frame may be as late. */
#define CHUNK_NS_MIN (NS_PER_S / 10)

/* A chunk that is nearly full takes another read. */
#define CHUNK_MOST (SIZE_MOST / CHUNKS_PER_LAP + READ_SIZE)

static uint64_t chunk_ns_for(uint64_t remember_ns)
{
	uint64_t ns = remember_ns / CHUNKS_PER_TIME;

	return ns > CHUNK_NS_MIN ? ns : CHUNK_NS_MIN;
}

static size_t size_for(uint64_t remember_ns)
{
	uint64_t size = remember_ns / 1000 * SIZE_PER_S / (NS_PER_S / 1000);

	if (remember_ns == 0)
		return READ_SIZE;
	if (size < SIZE_LEAST)
		return SIZE_LEAST;
	return size < SIZE_MOST ? (size_t)size : SIZE_MOST;
}

int ring_open(struct ring *ring, uint64_t remember_ns)
{
	/* Memory that comes page by page would be memory that grows for minutes. */
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;

	*ring = (struct ring){
		.size = size_for(remember_ns),
		.remembers = remember_ns > 0,
		.chunk_ns = chunk_ns_for(remember_ns),
		.chunk_count = 1,
	};
	ring->bytes = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (ring->bytes != MAP_FAILED)
		return 0;
	ring->bytes = NULL;
	return -ENOMEM;
}

void ring_close(struct ring *ring)
{
	if (ring->bytes)
		munmap(ring->bytes, ring->size);
	ring->bytes = NULL;
}

/* --- the index --- */

static const struct ring_chunk *chunk_at(const struct ring *ring, size_t n)
{
	return &ring->chunks[(ring->chunk_first + n) % RING_CHUNKS];
}

static struct ring_chunk *open_chunk(struct ring *ring)
{
	return &ring->chunks[(ring->chunk_first + ring->chunk_count - 1) % RING_CHUNKS];
}

static void forget_oldest(struct ring *ring)
{
	ring->chunk_first = (ring->chunk_first + 1) % RING_CHUNKS;
	ring->chunk_count--;
}

/* The open chunk ends here; an empty one goes on. */
static void next_chunk(struct ring *ring)
{
	if (open_chunk(ring)->begin != ring->begin) {
		if (ring->chunk_count == RING_CHUNKS)
			forget_oldest(ring);
		ring->chunk_count++;
	}
	*open_chunk(ring) = (struct ring_chunk){ .begin = ring->begin };
}

/* Is a chunk that is not open from the round before? */
static bool is_old(const struct ring *ring, const struct ring_chunk *chunk)
{
	return chunk->begin >= ring->begin;
}

/* Forgets what of the round before begins in the first @end bytes. */
static void forget_until(struct ring *ring, size_t end)
{
	while (ring->chunk_count > 1 && is_old(ring, chunk_at(ring, 0)) &&
	       chunk_at(ring, 0)->begin < end)
		forget_oldest(ring);
}

/* --- reading --- */

static bool is_lap_over(const struct ring *ring)
{
	return ring->remembers && ring->size - ring->head < ROOM_MIN;
}

/* The next round begins, with the line that has no end yet. */
static void next_lap(struct ring *ring)
{
	size_t unread = ring->head - ring->begin;

	forget_until(ring, SIZE_MAX);
	next_chunk(ring);
	memmove(ring->bytes, ring->bytes + ring->begin, unread);
	ring->lap_end = ring->begin;
	ring->begin = 0;
	ring->head = unread;
	open_chunk(ring)->begin = 0;
}

static size_t room_behind(const struct ring *ring, size_t head)
{
	return ring->size - head < READ_SIZE ? ring->size - head : READ_SIZE;
}

struct span ring_overwrites(const struct ring *ring)
{
	size_t unread = ring->head - ring->begin;

	if (is_lap_over(ring))
		return (struct span){ ring->bytes, unread + room_behind(ring, unread) };
	return (struct span){ ring->bytes + ring->head, room_behind(ring, ring->head) };
}

bool ring_would_lose(const struct ring *ring, uint64_t since_ns)
{
	struct span text = ring_overwrites(ring);
	size_t end = (size_t)(text.ptr - ring->bytes) + text.len;

	for (size_t n = 0; n + 1 < ring->chunk_count; n++) {
		const struct ring_chunk *chunk = chunk_at(ring, n);

		if ((!is_lap_over(ring) && !is_old(ring, chunk)) || chunk->begin >= end)
			return false;
		if (chunk->last_ns >= since_ns)
			return true;
	}
	return false;
}

char *ring_room(struct ring *ring, size_t *size)
{
	if (is_lap_over(ring))
		next_lap(ring);
	*size = room_behind(ring, ring->head);
	forget_until(ring, ring->head + *size);
	return ring->bytes + ring->head;
}

struct span ring_filled(struct ring *ring, size_t len)
{
	ring->head += len;
	return (struct span){ ring->bytes + ring->begin, ring->head - ring->begin };
}

static void index_lines(struct ring *ring, uint64_t last_ns)
{
	struct ring_chunk *chunk = open_chunk(ring);

	if (chunk->last_ns == 0)
		ring->open_ns = last_ns;
	chunk->last_ns = last_ns;
	if (ring->begin - chunk->begin >= ring->size / CHUNKS_PER_LAP ||
	    last_ns - ring->open_ns >= ring->chunk_ns)
		next_chunk(ring);
}

void ring_done(struct ring *ring, struct span rest, uint64_t last_ns)
{
	if (ring->remembers) {
		ring->begin = (size_t)(rest.ptr - ring->bytes);
		index_lines(ring, last_ns);
		return;
	}
	memmove(ring->bytes, rest.ptr, rest.len);
	ring->head = rest.len;
}

void ring_end_line(struct ring *ring, bool dropped)
{
	if (dropped)
		ring->head = ring->begin;
	else if (ring->remembers && ring->head > ring->begin)
		ring->bytes[ring->head++] = '\n';
}

/* --- looking back --- */

const char *ring_end(const struct ring *ring)
{
	return ring->bytes + ring->begin;
}

/* The oldest of the chunks that reach up to @begin_ns without a break. */
static size_t first_chunk(const struct ring *ring, uint64_t begin_ns)
{
	size_t n = ring->chunk_count - 1;

	while (n > 0 && chunk_at(ring, n - 1)->last_ns >= begin_ns)
		n--;
	return n;
}

/* Leaves out the lines before the first marker of @begin_ns or later. It stands in the first
 * chunk, or times are odd and the text begins where the chunk does. */
static struct span cut_front(struct span text, uint64_t begin_ns)
{
	struct span input = { text.ptr, text.len < CHUNK_MOST ? text.len : CHUNK_MOST };
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct trace_record record;

	while (ftrace_text_next(&state, &input, true, &record) == FTRACE_TEXT_RECORD) {
		const char *comm = record.comm.ptr;
		const char *newline;

		if (!comm || record.time_ns < begin_ns)
			continue;
		newline = memrchr(text.ptr, '\n', (size_t)(comm - text.ptr));
		return newline ? span_skip(text, (size_t)(newline + 1 - text.ptr)) : text;
	}
	return text;
}

/* The end of the line that @at stands in. */
static const char *line_end(const struct ring *ring, const char *at)
{
	const char *newline = memchr(at, '\n', (size_t)(ring->bytes + ring->head - at));

	return newline ? newline + 1 : at;
}

void ring_find(const struct ring *ring, uint64_t begin_ns, const char *end, struct span parts[2])
{
	const char *bytes = ring->bytes;
	size_t n = first_chunk(ring, begin_ns);
	const struct ring_chunk *chunk = chunk_at(ring, n);
	const char *begin = bytes + chunk->begin;

	end = line_end(ring, end);
	if (n + 1 < ring->chunk_count && is_old(ring, chunk)) {
		parts[0] = (struct span){ begin, ring->lap_end - chunk->begin };
		parts[1] = (struct span){ bytes, (size_t)(end - bytes) };
	} else {
		parts[0] = (struct span){ begin, (size_t)(end - begin) };
		parts[1] = SPAN_NULL;
	}
	parts[0] = cut_front(parts[0], begin_ns);
}
