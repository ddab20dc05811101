/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a line of ftrace text that is left of the function:
 *
 *     surfaceflinger-990   (  990) [001] ....  28306.044232
 *     |comm        |tid    |tgid   |cpu  |flags|seconds
 *
 * It is read from right to left, because comm may contain anything (spaces, '-', ':', brackets),
 * and only the columns to the right of it have a fixed form. All columns except for the first and
 * the last one are optional or of varying width.
 */
#ifndef JANKD_PARSER_FTRACE_HEADER_H
#define JANKD_PARSER_FTRACE_HEADER_H

#include <stdbool.h>

#include "parser/record.h"
#include "parser/swar.h"

/**
 * ftrace_header_read() - read a header of any shape
 * @head: ends after the time. On success it is set to the text to the left of comm: empty, except
 * for a line that is glued to the end of another one
 *
 * Sets comm, tid, tgid, cpu, time and writer of @record; comm borrows from @head's memory. Returns
 * false if it is no header; then nothing is set.
 */
bool ftrace_header_read(struct span *head, struct trace_record *record);

/* Most lines repeat the text before the decimal point of the time, as a thread writes several
 * markers in a second. To read it again costs several times as much as to compare it. */
#define FTRACE_HEADERS_CACHED 256
#define FTRACE_HEADER_CACHED_MIN 32
#define FTRACE_HEADER_CACHED_MAX 64

struct ftrace_header_cached {
	char text[FTRACE_HEADER_CACHED_MAX]; /* from the start of the line to the point */
	uint32_t len;			     /* 0: none */
	uint16_t comm_at, comm_len;
	int32_t cpu, tid, tgid; /* in the order of a record: they are copied at once */
	uint64_t seconds_ns;
};

/* Bytes before the end of a header that are read: the longest of the cache, the line end before it,
 * ".micros". */
#define FTRACE_HEADER_READS (1 + FTRACE_HEADER_CACHED_MAX + 7)

/* All zeros: empty. */
struct ftrace_headers {
	unsigned int
		last; /* the one that was found last: most lines repeat that of the line before */
	struct ftrace_header_cached cached[FTRACE_HEADERS_CACHED];
};

_Static_assert(FTRACE_HEADERS_CACHED == 256, "a place is eight bits");

typedef uint64_t ftrace_header_pair __attribute__((vector_size(16)));

static inline ftrace_header_pair ftrace_header_differ(const char *a, const char *b)
{
	ftrace_header_pair bits = { 0 }, one, other;

	for (size_t i = 0; i < FTRACE_HEADER_CACHED_MIN; i += sizeof(ftrace_header_pair)) {
		memcpy(&one, a + i, sizeof(ftrace_header_pair));
		memcpy(&other, b + i, sizeof(ftrace_header_pair));
		bits |= one ^ other;
	}
	return bits;
}

/* True: the text before @point is that of @cached, and a line begins with it, at @from if
 * @is_whole. Compares its first and its last 32 bytes, which overlap. */
static inline __attribute__((always_inline)) bool ftrace_header_is(
	const struct ftrace_header_cached *cached, const char *from, bool is_whole,
	const char *point)
{
	const char *line = is_whole ? from : point - cached->len;
	size_t half = FTRACE_HEADER_CACHED_MIN;
	ftrace_header_pair bits;

	if (is_whole ? cached->len != (size_t)(point - from)
		     : cached->len == 0 || line < from || line[-1] != '\n')
		return false;
	bits = ftrace_header_differ(line, cached->text) |
	       ftrace_header_differ(point - half, cached->text + cached->len - half);
	return (bits[0] | bits[1]) == 0;
}

/* Reads a header that is not in the cache, and keeps it in @cached. @point: in its time. */
const char *ftrace_header_read_new(struct ftrace_header_cached *cached, struct span head,
				   const char *point, struct trace_record *record);

/**
 * ftrace_header_read_cached() - read a header at the start of a line, fast if it is in the cache
 * @headers: the cache
 * @begin: start of the readable memory
 * @from: start of the unread bytes: the header does not begin before it
 * @is_whole: it begins at @from, where a line begins; FTRACE_HEADER_READS bytes are readable
 * @at: end of the header
 *
 * The time must have six decimals, and no anchor may be in the header. Returns the start of the
 * line, or NULL: it is no such header; then @record is undefined, and the caller uses
 * ftrace_header_read(). Both give the same result.
 */
static inline __attribute__((always_inline)) const char *ftrace_header_read_cached(
	struct ftrace_headers *headers, const char *begin, const char *from, bool is_whole,
	const char *at, struct trace_record *record)
{
	struct span head = { from, (size_t)(at - from) };
	struct ftrace_header_cached *cached = &headers->cached[headers->last];
	uint64_t micros, hash;

	if (!is_whole && at - begin < FTRACE_HEADER_READS)
		return NULL;
	/* Six digits; of eight bytes the point and the one before it are left out. */
	micros = ((word_load(at - 8) & ~UINT64_C(0xffff)) | UINT64_C(0x3030)) ^ (WORD_ONES * '0');
	at -= 7;
	if (*at != '.' || word_not_digits(micros))
		return NULL;
	if (!ftrace_header_is(cached, from, is_whole, at)) {
		/* The hashed bytes contain its thread, its CPU and its second. */
		hash = word_load(at - 8);
		for (int i = 16; i <= FTRACE_HEADER_CACHED_MIN; i += 8)
			hash = (hash ^ word_load(at - i)) * UINT64_C(0x9e3779b97f4a7c15);
		headers->last = (uint8_t)(hash >> 56);
		cached = &headers->cached[headers->last];
		if (!ftrace_header_is(cached, from, is_whole, at))
			return ftrace_header_read_new(cached, head, at, record);
	}
	at = is_whole ? from : at - cached->len;
	record->comm = (struct span){ at + cached->comm_at, cached->comm_len };
	record->time_ns = cached->seconds_ns + word_number(micros) * 1000;
	record->writer = TRACE_WRITER_UNKNOWN;
	record->cpu = cached->cpu;
	record->tid = cached->tid;
	record->tgid = cached->tgid;
	return at;
}

#endif
