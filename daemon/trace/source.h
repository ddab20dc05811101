/* SPDX-License-Identifier: Apache-2.0 */
/* What a source of trace text is: something to read, to wait for and to close. The session takes
 * its bytes and cares for nothing else, so 'run' and 'analyze' differ in the source alone. */
#ifndef JANKD_DAEMON_TRACE_SOURCE_H
#define JANKD_DAEMON_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "parser/record.h"

struct source;

/* Whoever takes the records of a source that has them itself. */
struct record_taker {
	void (*take)(void *context, const struct trace_record *record);
	void *context;
};

struct source_ops {
	/* One of the two: bytes of text, or records. */
	ssize_t (*read)(struct source *source, void *buffer, size_t size);
	ssize_t (*take)(struct source *source, const struct record_taker *taker);
	void (*close)(struct source *source);
};

struct source {
	const struct source_ops *ops;
	const char *name;  /* for messages */
	const char *clock; /* the trace clock's name: the reader's, if it may change; or NULL */
	int fd;		   /* that is readable when there is something, or < 0 */
	int full_fd;	   /* that is readable when it is urgent, or < 0 */
	/* What the source has to say besides its bytes (tracing was switched off, the data are
	 * damaged), or NULL: a row of events.csv. Constant; whoever takes it sets NULL. */
	const char *notice;
	uint64_t markers;   /* of a source that has records: seen so far */
	uint64_t malformed; /* of these: no marker's text */
	bool last;	    /* set by the reader: nothing comes any more, so little is held back */
	bool boost;	    /* set by the reader: what waits may be lost, so little is held back */
	bool held_only; /* set by the reader: nothing is read, what is held back is handed over */
	bool damaged;	/* the data broke off: what comes last may be half a line */
};

/* Takes up to @size bytes into @buffer. Returns their number; 0 at the end; -EAGAIN where there
 * is nothing now; another -errno where reading failed (said on stderr). */
static inline ssize_t source_read(struct source *source, void *buffer, size_t size)
{
	return source->ops->read(source, buffer, size);
}

/* Hands over records, for a while. Returns the bytes they were made from; else as source_read(). */
static inline ssize_t source_take(struct source *source, const struct record_taker *taker)
{
	return source->ops->take(source, taker);
}

/* Closes @source, which may be NULL, and frees it. Returns NULL. */
static inline struct source *source_close(struct source *source)
{
	if (source)
		source->ops->close(source);
	return NULL;
}

/**
 * source_file_open() - a recorded trace, in whatever container
 * @out: the caller gives it back with source_close()
 * @command: its name, for messages
 * @path: "-" is standard input
 *
 * What it is shows at the first read. Returns 0, or -errno after the reason was said on stderr.
 */
int source_file_open(struct source **out, const char *command, const char *path);

struct trace_files;
struct tracefs;

/**
 * source_pipe_open() - the live trace_pipe
 * @out: the caller gives it back with source_close()
 * @tracefs: borrowed as long as the source lives
 *
 * source_read() never blocks: the reader sleeps between drains. To wait for data with poll()
 * would wake it for every event. Returns 0, or -errno after the reason was said on stderr.
 */
int source_pipe_open(struct source **out, struct tracefs *tracefs);

/**
 * source_raw_open() - the per-CPU rings behind trace_pipe, as they are
 * @out, @tracefs: as of source_pipe_open()
 * @files: of that trace; borrowed likewise
 *
 * @why: set where it fails: the file of the trace, and what is wrong with it
 *
 * Returns 0; -errno where the rings cannot be read that way: nothing is said then.
 */
#define SOURCE_WHY_SIZE 160
int source_raw_open(struct source **out, struct tracefs *tracefs, const struct trace_files *files,
		    char why[static SOURCE_WHY_SIZE]);

#endif
