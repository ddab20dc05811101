/* SPDX-License-Identifier: Apache-2.0 */
/* The one vocabulary between the rooms: what a trace says, one record at a time.
 *
 * Every source of events, text or binary, ends in these records, so that everything behind them
 * is the same for all. The letters are those of Android's libcutils trace-dev.inc.
 */
#ifndef JANKD_PARSER_RECORD_H
#define JANKD_PARSER_RECORD_H

#include <stdint.h>

#include "parser/span.h"

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
	TRACE_LOST, /* the kernel's own word: events were lost on a CPU before this point */
};

/* Value of a TRACE_LOST record where the kernel does not know how many. */
#define TRACE_LOST_UNKNOWN INT64_C(-1)

/* A thread, a process or a CPU that the line does not name. */
#define TRACE_ID_UNKNOWN (-1)

/* Whose thread wrote an event, where that is known for sure. Text cannot tell: whoever writes a
 * marker can write a line's end and a whole other line behind it. */
enum trace_writer {
	TRACE_WRITER_UNKNOWN,
	TRACE_WRITER_SURFACEFLINGER, /* one of its process */
	TRACE_WRITER_OTHER,	     /* any other */
};

struct trace_record {
	enum trace_kind kind;
	enum trace_writer writer;
	int32_t cpu;	   /* CPU that wrote the event, or TRACE_ID_UNKNOWN */
	int32_t tid;	   /* writer's thread, from the event's header: the kernel's word */
	int32_t tgid;	   /* writer's process, or TRACE_ID_UNKNOWN: the column is optional */
	int32_t pid;	   /* the process that the payload names: the writer's own word, in the
			    * writer's pid namespace; TRACE_ID_UNKNOWN where there is none */
	uint64_t time_ns;  /* trace clock; for TRACE_LOST the last time seen before */
	int64_t value;	   /* counter: its value; async: the cookie; lost: number of events */
	struct span comm;  /* writer's name, without padding; "<...>" where the kernel forgot it */
	struct span name;  /* slice, counter, instant; may hold any bytes but '\n' and NUL */
	struct span track; /* of G, H and N */
};

#endif
