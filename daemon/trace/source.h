/* SPDX-License-Identifier: Apache-2.0 */
/* A source gives the records of one trace: of a recorded file, of the text of a live trace, or of
 * the kernel's ring buffers. 'run' and 'analyze' use different sources; the rest is the same. */
#ifndef JANKD_DAEMON_TRACE_SOURCE_H
#define JANKD_DAEMON_TRACE_SOURCE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "parser/record.h"

struct source_ops;
struct trace_files;
struct live_trace;

/* Receives records in the order of the trace. Their text is valid only during the call, and so is
 * what ->loss_ahead and ->counts of the source say of them. */
struct record_sink {
	void (*records)(void *context, const struct trace_record *records, size_t n);
	void *context;
};

/* How to read a source. Events that are still being written arrive late, so a source may hold back
 * the newest ones to put all into order. */
enum source_how {
	SOURCE_NORMAL,
	SOURCE_BOOSTED,	  /* a buffer is nearly full: hold back less, to read it in time */
	SOURCE_HELD_ONLY, /* read nothing: only pass on the events that were held back */
	SOURCE_LAST,	  /* tracing has ended: hold nothing back */
};

/* A read of a live trace that fails is tried this often. Then events of that CPU are missing; of a
 * pipe the capture ends. */
#define SOURCE_TRIES 3

/* Counted since the source was opened. When the sink gets a record, that record and all damage
 * before it are already counted. */
struct source_counts {
	uint64_t bytes;	    /* read, of text or of ring buffer pages */
	uint64_t markers;   /* set at the end of source_read() */
	uint64_t malformed; /* markers that cannot be parsed; of raw buffers: pages, too */
	uint64_t glued;	    /* markers found after another one on the same line */
	uint64_t too_long;  /* lines that were dropped because of their length */
	uint64_t damaged;   /* malformed, glued and too_long together */
	uint64_t unread;    /* packets of a file that are corrupt or too large */
};

/* Callers read these members but do not write them. */
struct source {
	const struct source_ops *ops;
	const char *name; /* for messages */
	/* The kernel prints the events as lines. Options of the trace change the format of the
	 * lines. The unit of their times is that of the clock when the source was opened. */
	bool depends_on_line_format;
	int fd;		    /* readable when there are events; < 0: no such descriptor */
	int highwater_fd;   /* readable when a buffer is half full; < 0: no such descriptor */
	const char *damage; /* why data is missing, a constant; or NULL */
	/* What it is, if it has no markers, and what to do then; constants, or NULL. */
	const char *what, *advice;
	/* Events were lost, and the record that reports it comes later than those of other CPUs
	 * from the time of the loss. Set before the sink gets the first of these. */
	bool loss_ahead;
	/* Parts of the trace cannot be read: the text of the last event about it, and the number of
	 * such texts. */
	char failure[200];
	unsigned int failures;
	bool is_incomplete; /* because of that, events are missing */
	struct source_counts counts;
};

/* The functions of one kind of source. Each may be NULL: then there is nothing to read or to do;
 * for cpu_bytes see source_cpu_bytes(). describe_damage may be so for a source that has none. */
struct source_ops {
	ssize_t (*read)(struct source *source, enum source_how how, const struct record_sink *sink);
	uint64_t (*cpu_bytes)(const struct source *source, unsigned int cpu);
	void (*describe_damage)(const struct source *source, char text[static 200]);
	void (*stop)(struct source *source);
	void (*close)(struct source *source);
};

/**
 * source_read() - read a piece of the trace and pass its records to the sink
 * @sink: NULL: the records are discarded
 *
 * Returns > 0: the number of bytes that were read; there may be more. 0: the end of a recorded
 * trace. -EAGAIN: there is nothing to read now. Another -errno: reading failed, and the reason was
 * reported. In each case the sink may have got records.
 */
static inline ssize_t source_read(struct source *source, enum source_how how,
				  const struct record_sink *sink)
{
	return source->ops->read ? source->ops->read(source, how, sink) : -EAGAIN;
}

/* The trace clock is @clock from now on. */
void source_set_clock(struct source *source, const char *clock);

/* Bytes that were read from the buffer of a CPU. The lines of a text have no known place in the
 * buffers: all of them count for each CPU. */
static inline uint64_t source_cpu_bytes(const struct source *source, unsigned int cpu)
{
	return source->ops->cpu_bytes ? source->ops->cpu_bytes(source, cpu) : source->counts.bytes;
}

/* Sets @text to the text of an event: what ->counts.damaged consists of, so far. */
static inline void source_describe_damage(const struct source *source, char text[static 200])
{
	source->ops->describe_damage(source, text);
}

/* Closes the files that are read, so that the settings of the trace can be restored. The counts and
 * the remembered text stay. @source may be NULL, or already stopped. */
static inline void source_stop(struct source *source)
{
	if (source && source->ops->stop)
		source->ops->stop(source);
}

/* Stops and frees @source, which may be NULL. Returns NULL. */
static inline struct source *source_close(struct source *source)
{
	if (source && source->ops->close)
		source->ops->close(source);
	return NULL;
}

/* --- the lost events that a live text reports; nothing for other sources --- */

/* The kernel's buffers were emptied, so its counts of lost events start again. */
void source_buffers_emptied(struct source *source);

/* Compares the lost events that the text reports with the kernel's counts. Call it about once a
 * second, between two reads; @is_end: there is no later call. Returns true if there are forged
 * lines to report: @text is that of an event. */
bool source_check_lost(struct source *source, bool is_end, char text[static 200]);

/* --- the text that a source of text remembers --- */

/* Finds the lines from @begin_ns, or from the oldest one that is remembered, until now. @parts: the
 * text, in order; the second part is empty if the first has all. "Now" is the record that the sink
 * gets at this time, or between two reads the last record. The text is valid until
 * source_overwrites() returns its memory or the source is closed. */
void source_remembered(const struct source *source, uint64_t begin_ns, struct span parts[2]);

/* The memory that the next read overwrites. Save its text first if it is still needed. */
struct span source_overwrites(const struct source *source);

/* Returns true if the next read overwrites remembered text of @since_ns or later. */
bool source_would_lose(const struct source *source, uint64_t since_ns);

/* --- opening --- */

/**
 * source_file_open() - open a recorded trace, in any container
 * @out: to be closed with source_close()
 * @path: "-" is standard input
 * @remember_ns: trace time of the text that is remembered, about; 0: nothing
 *
 * The container is recognised at the first read. Returns 0, or -errno after the reason was
 * reported.
 */
int source_file_open(struct source **out, const char *path, uint64_t remember_ns);

/**
 * source_file_lines() - read a file that is no trace, in any container
 * @path: as above
 * @advice: what to do if there is no such file, or it is not text
 * @line: called with each line, without its end; borrowed, and cut after SOURCE_LINE_MAX bytes.
 *        Returns false: the rest is not read
 *
 * Reads SOURCE_LINES_BYTES at most. Returns 0, or -errno after the reason was reported.
 */
#define SOURCE_LINE_MAX 2048
#define SOURCE_LINES_BYTES (64u << 20)
int source_file_lines(const char *path, const char *advice,
		      bool (*line)(void *context, struct span line), void *context);

/**
 * source_pipe_open() - open the live trace_pipe, as text
 * @out: to be closed with source_close()
 * @trace, @files: of that trace; borrowed until source_stop()
 * @remember_ns: see source_file_open()
 *
 * Returns 0, or -errno after the reason was reported.
 */
int source_pipe_open(struct source **out, struct live_trace *trace, const struct trace_files *files,
		     uint64_t remember_ns);

/**
 * source_raw_open() - open the ring buffers of all CPUs
 * @out, @trace, @files: as for source_pipe_open()
 * @why: after an error, set to the failing file of the trace and the reason
 *
 * Returns 0, or -errno if they cannot be read. Reports nothing.
 */
#define SOURCE_WHY_SIZE 160
int source_raw_open(struct source **out, struct live_trace *trace, const struct trace_files *files,
		    char why[static SOURCE_WHY_SIZE]);

/* Checks whether source_raw_open() would succeed. Changes and reads nothing. Returns as it does. */
int source_raw_check(struct live_trace *trace, const struct trace_files *files,
		     char why[static SOURCE_WHY_SIZE]);

#endif
