/* SPDX-License-Identifier: Apache-2.0 */
/* A perfetto trace to records, in the order of time.
 *
 * Packets of different CPUs and writers overlap in time, so the trace is read twice:
 *
 *     first:  packets ──► names, clocks, and the regions: where they are, and their earliest time
 *     then:   regions by that time ──► runs of events in order ──► merged by time ──► records
 *
 * A region is read when the merge reaches its earliest time, and freed after its last event. So the
 * memory depends on how far the packets are out of order, and not on the size of the trace. It is
 * limited: events that come too late for that are left out, and counted, and the times from which
 * they may be missing have losses.
 */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_READER_H
#define JANKD_DAEMON_TRACE_PERFETTO_READER_H

#include <stdint.h>
#include <sys/types.h>

#include "parser/record.h"
#include "parser/span.h"

struct perfetto_reader;

struct perfetto_counts {
	uint64_t bytes;	    /* read; complete after the first read */
	uint64_t markers;   /* and events of FrameTimeline */
	uint64_t malformed; /* markers that cannot be parsed */
	uint64_t corrupt;   /* packets that are damaged; their intact part was read */
	bool sound;	    /* a packet is not, or is compressed: it is a perfetto trace */
	uint64_t too_large; /* packets that were left out */
	uint64_t lost;	    /* times that a writer of packets lost some */
	uint64_t late;	    /* events that were left out: too far out of order */
	uint64_t untimed;   /* events that were left out: their clock is unknown */
	const char *damage; /* why the rest of the trace is missing, a constant; or NULL */
};

/**
 * perfetto_reader_open() - prepare to read
 * @fd: of a plain file, whose trace begins at @base; -1: the trace is @whole. Both are borrowed.
 *
 * Returns 0 or -ENOMEM. *out: to be closed with perfetto_reader_close().
 */
int perfetto_reader_open(struct perfetto_reader **out, int fd, off_t base, struct span whole);

/**
 * perfetto_reader_read() - read a piece of the trace
 * @record: gets the records; their text is valid only during the call. At each call the counts
 * include that record and all damage before it.
 *
 * Returns > 0: there may be more; 0: the end; -errno.
 */
ssize_t perfetto_reader_read(struct perfetto_reader *reader,
			     void (*record)(void *context, const struct trace_record *record),
			     void *context);

const struct perfetto_counts *perfetto_reader_counts(struct perfetto_reader *reader);

/* Sets @text to the text of an event: what the damage consists of, so far. */
void perfetto_reader_describe_damage(const struct perfetto_reader *reader, char text[static 200]);

/* Frees @reader, which may be NULL. Returns NULL. */
struct perfetto_reader *perfetto_reader_close(struct perfetto_reader *reader);

#endif
