/* SPDX-License-Identifier: Apache-2.0 */
/* The records that all parts of jankd exchange: the content of a trace, one event at a time.
 *
 * Text and binary sources give the same records, so all code after the parser is the same for both.
 * The letters are those of Android's libcutils trace-dev.inc.
 */
#ifndef JANKD_PARSER_RECORD_H
#define JANKD_PARSER_RECORD_H

#include <stdint.h>

#include "parser/span.h"

/* Markers come first: code on the path of each record compares with the first of the others. */
enum trace_kind {
	TRACE_SLICE_BEGIN,   /* B|pid|name */
	TRACE_SLICE_END,     /* E  E|  E|pid  E|pid|name (kernel drivers) */
	TRACE_COUNTER,	     /* C|pid|name|value */
	TRACE_ASYNC_BEGIN,   /* S|pid|name|cookie */
	TRACE_ASYNC_END,     /* F|pid|name|cookie */
	TRACE_INSTANT,	     /* I|pid|name */
	TRACE_TRACK_BEGIN,   /* G|pid|track|name|cookie, Android 13+ */
	TRACE_TRACK_END,     /* H|pid|track|cookie, 13.0: H|pid|track|name|cookie */
	TRACE_TRACK_INSTANT, /* N|pid|track|name, Android 13+ */
	TRACE_CLOCK_SYNC,    /* trace_event_clock_sync: name, written by atrace */
	TRACE_LOST,	     /* from the kernel: events were lost on a CPU before this point */
	TRACE_TIMELINE,	     /* of a perfetto trace: name is the message FrameTimelineEvent, value
				its sequence; not written by a thread */
};

/* Value of a TRACE_LOST record if the kernel does not give the number. */
#define TRACE_LOST_UNKNOWN INT64_C(-1)

/* A thread, process or CPU that the event does not name. */
#define TRACE_ID_UNKNOWN (-1)

/* The process that wrote an event, if it is certain. Text does not show it: any process can write a
 * line end in a marker, and after it a whole other line. */
enum trace_writer {
	TRACE_WRITER_UNKNOWN,
	TRACE_WRITER_SURFACEFLINGER, /* a thread of SurfaceFlinger */
	TRACE_WRITER_OTHER,	     /* a thread of another process */
};

struct trace_record {
	enum trace_kind kind;
	enum trace_writer writer;
	int32_t cpu;  /* CPU that wrote the event, or TRACE_ID_UNKNOWN */
	int32_t tid;  /* writer's thread, from the event's header */
	int32_t tgid; /* writer's process, or TRACE_ID_UNKNOWN: the column is optional */
	int32_t pid; /* the process in the payload, in the writer's pid namespace; TRACE_ID_UNKNOWN:
			none */
	/* Bytes of its line of text, from ->comm on; 0: it was in no text, so it is not forged. */
	uint32_t text_len;
	/* of the trace clock. TRACE_LOST has no time of its own: in text it gets that of the record
	 * before it, in raw pages that of the record after it. */
	uint64_t time_ns;
	/* TRACE_LOST: of the CPU's last event before the loss, of any kind; 0: unknown */
	uint64_t from_ns;
	int64_t value;	   /* counter: its value; async: the cookie; lost: number of events */
	struct span comm;  /* writer's name, without padding; "<...>": the kernel has lost it */
	struct span name;  /* slice, counter, instant; any bytes except '\n' and NUL */
	struct span track; /* of G, H and N */
};

/* The process that wrote the record. The kernel's number cannot be forged. */
static inline int32_t trace_process(const struct trace_record *record)
{
	return record->tgid != TRACE_ID_UNKNOWN ? record->tgid : record->pid;
}

#endif
