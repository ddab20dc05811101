/* SPDX-License-Identifier: Apache-2.0 */
/* A perfetto trace to records, in the order of time.
 *
 * Packets of different CPUs and writers overlap in time, so the trace is read twice:
 *
 *     first:  packets ──► names, clocks, and the regions: where they are, and their earliest time
 *     then:   regions by that time ──► blocks of sorted events ──► merged by time ──► records
 *
 * A region is read when the merge reaches its earliest time, and its block is freed after its last
 * event. So the memory depends on how far the packets are out of order, and not on the size of the
 * trace. It is limited: events that come too late for that are left out, and counted.
 */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_READER_H
#define JANKD_DAEMON_TRACE_PERFETTO_READER_H

#include <stdint.h>
#include <sys/types.h>

#include "daemon/trace/source.h"
#include "parser/span.h"

struct perfetto_reader;

/**
 * perfetto_reader_open() - prepare to read
 * @source: its counts and its damage are updated; borrowed
 * @fd: of a regular file, whose trace begins at @base; -1: the trace is in memory, at @whole.
 * Borrowed, too
 *
 * Returns 0 or -ENOMEM. *out: to be closed with perfetto_reader_close().
 */
int perfetto_reader_open(struct perfetto_reader **out, struct source *source, int fd, uint64_t base,
			 struct span whole);

/* As source_read(), but errors are not reported. */
ssize_t perfetto_reader_read(struct perfetto_reader *reader, const struct record_sink *sink);

/* As source_describe_damage(). */
void perfetto_reader_describe_damage(const struct perfetto_reader *reader, char text[static 200]);

/* Frees @reader, which may be NULL. Returns NULL. */
struct perfetto_reader *perfetto_reader_close(struct perfetto_reader *reader);

#endif
