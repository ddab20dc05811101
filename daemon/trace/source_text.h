/* SPDX-License-Identifier: Apache-2.0 */
/* The part that all sources of text share: a buffer for the bytes, and the parser of its lines.
 *
 *     bytes() ──► text_buffer ──► ftrace_text ──► thread_cache, lost_claims ──► sink
 *     file, pipe                                  a live text only
 *
 * Text is parsed in the buffer. If that remembers text, it is a ring: each read is stored after the
 * previous one. Only the incomplete line at the end of a lap is copied.
 *
 *     0             begin    head             old                            lap_end   size
 *     |--- this lap -----|line..|-- next read --|--- previous lap, oldest first -------|  |
 */
#ifndef JANKD_DAEMON_TRACE_SOURCE_TEXT_H
#define JANKD_DAEMON_TRACE_SOURCE_TEXT_H

#include "daemon/trace/lost_claims.h"
#include "daemon/trace/source.h"
#include "daemon/trace/thread_cache.h"
#include "parser/ftrace_text.h"

struct text_buffer {
	char *bytes;
	size_t size;
	bool remembers;
	size_t begin; /* of the incomplete line */
	size_t head;  /* where the next read is stored */
	/* The whole lines that are left of the previous lap. */
	size_t old, lap_end;
};

/* The first member of each source of text. */
struct source_text {
	struct source source;
	/* Reads up to @size bytes into @buffer. Returns as source_read(). */
	ssize_t (*bytes)(struct source_text *text, void *buffer, size_t size);
	struct text_buffer buffer;
	struct ftrace_text parser;
	const char *at; /* end of the record that the sink gets now, or NULL */

	/* Of a live trace: /proc has the names of threads, the kernel counts of lost events. */
	const struct trace_files *files; /* NULL: a recorded trace */
	uint64_t read_ns;		 /* when the bytes were read, on the clock of loop_now() */
	uint64_t asked_ns; /* the same of the last read, with or without bytes; 0: none */
	struct thread_cache threads;
	struct lost_claims claims; /* ->files is NULL before the first read */
};

/* Allocates the memory of @text, of which the caller has set ->source and ->bytes; the rest is
 * zeros.
 * @remember_ns: see source_file_open(). @files: of a live trace, borrowed; or NULL. Returns 0 or
 * -ENOMEM. The caller calls source_text_close() in both cases. */
int source_text_open(struct source_text *text, uint64_t remember_ns,
		     const struct trace_files *files);
void source_text_close(struct source_text *text);

/* Members of struct source_ops. */
ssize_t source_text_read(struct source *source, enum source_how how,
			 const struct record_sink *sink);
void source_text_describe_damage(const struct source *source, char message[static 200]);

#endif
