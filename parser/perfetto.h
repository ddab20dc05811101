/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of a perfetto trace: those parts of them that jankd needs.
 *
 * A trace is a sequence of packets: field 1 of the whole. The numbers of the fields are those of
 * perfetto's trace_packet.proto, ftrace_event_bundle.proto, ftrace_event.proto, process_tree.proto,
 * clock_snapshot.proto, frame_timeline_event.proto, track_event.proto and track_descriptor.proto.
 * Each function reads what it can of damaged bytes, and returns false if there is damage.
 */
#ifndef JANKD_PARSER_PERFETTO_H
#define JANKD_PARSER_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

/* perfetto's builtin clocks. */
enum perfetto_clock {
	PERFETTO_CLOCK_UNKNOWN = 0,
	PERFETTO_CLOCK_REALTIME = 1,
	PERFETTO_CLOCK_REALTIME_COARSE = 2,
	PERFETTO_CLOCK_MONOTONIC = 3,
	PERFETTO_CLOCK_MONOTONIC_COARSE = 4,
	PERFETTO_CLOCK_MONOTONIC_RAW = 5,
	PERFETTO_CLOCK_BOOTTIME = 6,
	PERFETTO_CLOCKS,
};

enum perfetto_frame {
	PERFETTO_FRAME_NONE, /* more bytes are needed, or there are none */
	PERFETTO_FRAME_PACKET,
	PERFETTO_FRAME_OTHER,	/* a field that is no packet: it was skipped */
	PERFETTO_FRAME_INVALID, /* no trace from here on */
};

/**
 * perfetto_frame() - the next packet of a stream
 * @rest: unread bytes of the stream; advanced past what was returned
 * @packet: set with PERFETTO_FRAME_PACKET
 * @needed: set with PERFETTO_FRAME_NONE: the bytes from the begin of @rest that complete the field,
 * as far as known
 */
enum perfetto_frame perfetto_frame(struct span *rest, struct span *packet, uint64_t *needed);

/* A packet. Spans are borrowed; a part that it does not have is SPAN_NULL. */
struct perfetto_packet {
	uint64_t time_ns;
	bool has_time;
	uint64_t clock;	   /* of time_ns; 0: the packet does not say */
	uint64_t sequence; /* of the writer; 0: none */
	bool has_defaults;
	uint64_t default_clock; /* of the sequence from now on, if has_defaults; 0: none */
	bool cleared;	  /* from now on its sequence has no default clock, but for this one */
	bool needs_state; /* it refers to what the sequence wrote since it was cleared */
	bool lost_before; /* packets of the sequence were lost before this one */
	bool is_first;	  /* of its sequence; older versions of perfetto do not say so */
	bool has_default_track;
	uint64_t default_track; /* likewise: of events that name none */
	struct span ftrace, clocks, processes, timeline;
	struct span track_event, track, interned;
	struct span compressed; /* packets: by zlib or zstd */
	bool is_zstd;
	/* What the members above are from. */
	uint64_t flags;
	struct span defaults, track_defaults, zstd;
};

bool perfetto_packet_read(struct span bytes, struct perfetto_packet *packet);

/* The clock of the events of ftrace. */
enum perfetto_ftrace_clock {
	PERFETTO_FTRACE_BOOT = 0,
	PERFETTO_FTRACE_UNKNOWN = 1,
	PERFETTO_FTRACE_GLOBAL = 2,
	PERFETTO_FTRACE_LOCAL = 3,
	PERFETTO_FTRACE_MONOTONIC_RAW = 4,
};

/* Events of one CPU, in order. */
struct perfetto_bundle {
	int32_t cpu;
	bool lost; /* events of the CPU were lost before them */
	uint64_t clock;
	uint64_t ftrace_ns, boot_ns; /* the same moment on two clocks; 0: not given */
	uint64_t first_ns;	     /* of its first event, of any kind; 0: it has none */
	struct span compact;	     /* events in their compact form: switches of threads */
};

bool perfetto_bundle_read(struct span bytes, struct perfetto_bundle *bundle);

/* A marker that a process wrote. */
struct perfetto_print {
	uint64_t time_ns;
	int32_t tid;
	struct span text;
};

/* The next marker of a bundle; other events are skipped. @rest: unread bytes of the bundle.
 * Returns false at the end, or at damage: then @rest is not empty. */
bool perfetto_print_next(struct span *rest, struct perfetto_print *print);

/* A process or a thread of a process tree. */
struct perfetto_thread {
	int32_t tid;
	int32_t tgid;
	struct span name; /* of a process: the first word of its command line; may be empty */
	bool is_process;
};

/* The next one; @rest: unread bytes of the tree. Returns as perfetto_print_next(). */
bool perfetto_thread_next(struct span *rest, struct perfetto_thread *thread);

/* One moment on several clocks. */
struct perfetto_clocks {
	uint64_t times_ns[PERFETTO_CLOCKS]; /* 0: not given */
	/* The clock that the writer of the packet defines for its own packets, whose times are
	 * differences (its number is 64 or more). */
	uint64_t own; /* its number; 0: the snapshot defines none */
	uint64_t unit_ns;
	uint64_t base_clock; /* that of ->times_ns from which it counts; 0: none is given */
};

bool perfetto_clocks_read(struct span bytes, struct perfetto_clocks *clocks);

/* --- track events: what a program writes with perfetto's SDK instead of ftrace --- */

enum perfetto_track_type {
	PERFETTO_TRACK_OTHER = 0,
	PERFETTO_TRACK_BEGIN = 1,
	PERFETTO_TRACK_END = 2,
	PERFETTO_TRACK_INSTANT = 3,
	PERFETTO_TRACK_COUNTER = 4,
};

struct perfetto_track_event {
	uint64_t type;
	bool has_track;
	uint64_t track;	      /* else it is the writer's default */
	uint64_t name_id;     /* of the writer's names; 0: none */
	struct span name;     /* SPAN_NULL: none */
	struct span category; /* the first that is written as text; SPAN_NULL: none */
	bool has_value;
	int64_t value; /* of a counter */
};

bool perfetto_track_event_read(struct span bytes, struct perfetto_track_event *event);

/* A track: of a thread, a process, a counter, or of slices that belong to none. */
struct perfetto_track {
	uint64_t id;
	struct span name;
	int32_t pid, tid; /* of a thread's track; pid: also of a process's; else -1 */
	struct span thread_name, process_name;
};

bool perfetto_track_read(struct span bytes, struct perfetto_track *track);

enum perfetto_names { PERFETTO_NAMES_CATEGORY = 1, PERFETTO_NAMES_EVENT = 2 };

/* The next name of a kind that a writer gives a number; @rest: unread bytes of its interned data.
 * Returns as perfetto_print_next(). */
bool perfetto_name_next(struct span *rest, enum perfetto_names kind, uint64_t *id,
			struct span *name);

/* --- one event of SurfaceFlinger's FrameTimeline (Android 12 and later) --- */

/* The numbers are those of the fields of FrameTimelineEvent. */
enum timeline_kind {
	TIMELINE_EXPECTED_DISPLAY = 1,
	TIMELINE_ACTUAL_DISPLAY = 2,
	TIMELINE_EXPECTED_SURFACE = 3,
	TIMELINE_ACTUAL_SURFACE = 4,
	TIMELINE_END = 5,
};

/* -1: the event does not have it. */
struct timeline_event {
	enum timeline_kind kind;
	int64_t cookie; /* the same in a start and in its end */
	int64_t token, display_token;
	int32_t pid;
	int32_t present_type, prediction, severity;
	int32_t on_time_finish, gpu_composition, is_buffer; /* 0 or 1 */
	int64_t jank_type;				    /* bits */
	struct span layer;
};

/* Reads the message FrameTimelineEvent. Returns false if it is none of these kinds, or damaged. */
bool timeline_event_read(struct span bytes, struct timeline_event *event);

#endif
