/* SPDX-License-Identifier: Apache-2.0 */
/* A source gives the records of one trace, whatever it reads them from: a recorded file, the text
 * of a live trace, or the kernel's ring buffers. 'run' and 'analyze' differ in the source alone.
 */
#ifndef JANKD_DAEMON_TRACE_SOURCE_H
#define JANKD_DAEMON_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "parser/record.h"

struct source_ops;
struct trace_files;
struct tracefs;

/* Receives records in the order of the trace. Their text is valid during the call only. */
struct record_sink {
	void (*record)(void *context, const struct trace_record *record);
	void *context;
};

/* How a source is to be read. Events that are still being written arrive late, so a source may hold
 * the youngest ones back to put them into order. */
enum source_how {
	SOURCE_NORMAL,
	SOURCE_BOOSTED,	  /* a buffer is nearly full: hold less back, to read it in time */
	SOURCE_HELD_ONLY, /* read nothing: hand over what was held back */
	SOURCE_LAST,	  /* nothing is written any more: hold nothing back */
};

/* Counted since the source was opened. A record that is handed over is counted already, and so is
 * all damage before it. */
struct source_counts {
	uint64_t bytes;	    /* read, of text or of ring buffer pages */
	uint64_t markers;   /* as of the end of the last source_read() */
	uint64_t malformed; /* of these: unreadable */
	uint64_t glued;	    /* of these: found behind another one on the same line */
	uint64_t too_long;  /* lines that were dropped for their length */
	uint64_t damaged;   /* malformed, glued and too_long together */
};

/* Callers read these members and write none. */
struct source {
	const struct source_ops *ops;
	const char *name;   /* for messages */
	bool is_text;	    /* it reads lines, whose form depends on options of the trace */
	int fd;		    /* readable when there are events; < 0: none */
	int highwater_fd;   /* readable when a buffer is half full; < 0: none */
	const char *damage; /* why the data end early, constant; NULL: they do not */
	struct source_counts counts;
};

/* What the kinds of sources differ in. A member that is NULL has nothing to do. */
struct source_ops {
	ssize_t (*read)(struct source *source, enum source_how how, const struct record_sink *sink);
	void (*set_clock)(struct source *source, const char *clock);
	void (*buffers_emptied)(struct source *source);
	bool (*check_lost)(struct source *source, bool is_end, char text[static 200]);
	void (*stop)(struct source *source);
	void (*close)(struct source *source);
};

/**
 * source_read() - read a piece of the trace and hand over its records
 * @sink: NULL: what is read is thrown away
 *
 * Returns > 0: bytes that were read; there may be more. 0: the end of a recorded trace. -EAGAIN:
 * there is nothing to read now. Another -errno: reading failed, and the reason is on stderr. In
 * each case records may have been handed over.
 */
static inline ssize_t source_read(struct source *source, enum source_how how,
				  const struct record_sink *sink)
{
	return source->ops->read(source, how, sink);
}

/* The trace clock is @clock from now on. */
static inline void source_set_clock(struct source *source, const char *clock)
{
	if (source->ops->set_clock)
		source->ops->set_clock(source, clock);
}

/* The kernel's buffers were emptied, so its counts of lost events start again. */
static inline void source_buffers_emptied(struct source *source)
{
	if (source->ops->buffers_emptied)
		source->ops->buffers_emptied(source);
}

/**
 * source_check_lost() - compare the lost events that a text reports with the kernel's counts
 * @is_end: there is no later call
 * @text: set to the text of an event
 *
 * To be called about once a second, between two reads. Returns true where lines were found that are
 * not the kernel's, and it is time to report them.
 */
static inline bool source_check_lost(struct source *source, bool is_end, char text[static 200])
{
	return source->ops->check_lost && source->ops->check_lost(source, is_end, text);
}

/* Closes what is read, so that the settings of the trace can be restored; the counts and the
 * remembered text stay. @source may be NULL, or stopped already. */
static inline void source_stop(struct source *source)
{
	if (source)
		source->ops->stop(source);
}

/* Stops and frees @source, which may be NULL. Returns NULL. */
static inline struct source *source_close(struct source *source)
{
	if (source)
		source->ops->close(source);
	return NULL;
}

/* --- the text that a source of text remembers --- */

/**
 * source_remembered() - the lines of a stretch of time that ends now
 * @begin_ns: trace time of the first marker; or the oldest there is
 * @parts: the text, in order; the second is empty where the first has all
 *
 * Now is the record that is being handed over; between two reads it is the last one. The text is
 * valid until source_overwrites() names it or the source is closed.
 */
void source_remembered(const struct source *source, uint64_t begin_ns, struct span parts[2]);

/* The memory that the next read overwrites: text there that is still needed has to be saved first.
 */
struct span source_overwrites(const struct source *source);

/* Does the next read overwrite remembered text of @since_ns or later? */
bool source_would_lose(const struct source *source, uint64_t since_ns);

/* --- opening --- */

/**
 * source_file_open() - a recorded trace, in any container
 * @out: to be closed with source_close()
 * @command: the command's name, for messages
 * @path: "-" is standard input
 * @remember_ns: about so much of the text is remembered; 0: nothing
 *
 * The container is recognised at the first read. Returns 0, or -errno after the reason was
 * reported.
 */
int source_file_open(struct source **out, const char *command, const char *path,
		     uint64_t remember_ns);

/**
 * source_pipe_open() - the live trace_pipe, as text
 * @out: to be closed with source_close()
 * @tracefs, @files: of that trace; borrowed until source_stop()
 * @remember_ns: see source_file_open()
 *
 * Returns 0, or -errno after the reason was reported.
 */
int source_pipe_open(struct source **out, struct tracefs *tracefs, const struct trace_files *files,
		     uint64_t remember_ns);

/**
 * source_raw_open() - the ring buffers of all CPUs behind trace_pipe
 * @out, @tracefs, @files: as of source_pipe_open()
 * @why: set where it fails: the file of the trace, and what is wrong with it
 *
 * Returns 0; or -errno where they cannot be read that way: nothing is reported then.
 */
#define SOURCE_WHY_SIZE 160
int source_raw_open(struct source **out, struct tracefs *tracefs, const struct trace_files *files,
		    char why[static SOURCE_WHY_SIZE]);

#endif
