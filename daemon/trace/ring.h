/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer that a session reads into. Where it is asked to, it remembers: text is read behind
 * what was read before, round and round, and is taken apart where it lies. Nothing is copied but
 * the line that is begun where a round ends.
 *
 *     0             begin    head                                            lap_end   size
 *     |--- this round ---|line..|-- next read --|--- the round before, oldest first ---|  |
 */
#ifndef JANKD_DAEMON_TRACE_RING_H
#define JANKD_DAEMON_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/span.h"

/* Whole lines of the text, with the time of the last record in them. */
struct ring_chunk {
	size_t begin;
	uint64_t last_ns;
};

/* More than a round has: those that end for their size, and those that end for their time. */
#define RING_CHUNKS 1024

struct ring {
	char *bytes;
	size_t size;
	bool remembers;
	size_t begin;	/* of the line that has no end yet */
	size_t head;	/* where the next read goes */
	size_t lap_end; /* end of the whole lines of the round before */
	/* Oldest first. The last one is open: lines are added to it. */
	struct ring_chunk chunks[RING_CHUNKS];
	size_t chunk_first, chunk_count;
	uint64_t open_ns;  /* time of the open chunk's first record */
	uint64_t chunk_ns; /* a chunk ends behind so much time */
};

/**
 * ring_open() - get the memory
 * @remember_ns: about so much trace time is remembered, as far as bounded memory goes; 0: nothing
 *
 * All of it is there from now on: it does not grow. Returns 0 or -ENOMEM.
 */
int ring_open(struct ring *ring, uint64_t remember_ns);
void ring_close(struct ring *ring);

/* What the next ring_room() gives away: whoever still needs the text there saves it first. */
struct span ring_overwrites(const struct ring *ring);

/* Would that be text of @since_ns or later? */
bool ring_would_lose(const struct ring *ring, uint64_t since_ns);

/* Where the next bytes are to be read to; *size is set to how many at most. */
char *ring_room(struct ring *ring, size_t *size);

/* @len bytes were read there. Returns what has not been taken apart. */
struct span ring_filled(struct ring *ring, size_t len);

/* Everything up to @rest, which ring_filled() returned, is taken apart. @last_ns: the time of the
 * last record there. */
void ring_done(struct ring *ring, struct span rest, uint64_t last_ns);

/* The source has ended, maybe within a line: that ends there, or is @dropped. To be called before
 * the last ring_done(). */
void ring_end_line(struct ring *ring, bool dropped);

/* Where the lines end that have been taken apart. */
const char *ring_end(const struct ring *ring);

/**
 * ring_find() - the lines that are remembered of a stretch of time
 * @begin_ns: from the first marker of that time on, or the oldest there is
 * @end: where the stretch ends: in what ring_filled() returned last, or ring_end()
 * @parts: the text, in order; the second is empty where the first has all
 */
void ring_find(const struct ring *ring, uint64_t begin_ns, const char *end, struct span parts[2]);

#endif
