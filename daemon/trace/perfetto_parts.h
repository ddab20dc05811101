/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the perfetto reader: packets, the merge of their events, and tracks. */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_PARTS_H
#define JANKD_DAEMON_TRACE_PERFETTO_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

#include "parser/perfetto.h"
#include "parser/record.h"

/* --- packet_stream.c: the packets of the trace, one after the other --- */

/* A larger packet is left out. perfetto divides what it writes into packets of less than 1 MB. */
#define PACKET_MAX (8u << 20)

/* The most bytes that are unpacked from one compressed packet. perfetto packs 1 MB at a time. */
#define PACKET_UNPACKED_MAX (64u << 20)

struct source_archive;

struct packet_stream {
	int fd;		    /* of a file; -1: all is in memory */
	off_t base;	    /* where the trace begins in it */
	uint64_t size;	    /* of the trace */
	struct span window; /* of the trace, in memory: all of it, or in ->bytes */
	uint64_t window_begin;
	char *bytes;
	size_t capacity;
	uint64_t packet_begin, packet_end; /* of the outer packet that was returned last */

	struct span inner; /* unread bytes of the unpacked packet, in: */
	char *inner_bytes;
	size_t inner_capacity;
	struct span packed;	     /* of the compressed packet, not unpacked yet */
	bool is_over;		     /* its end was reached, with nothing behind it */
	struct source_archive *zstd; /* unpacks it, or NULL: zlib does */
	bool is_inner;
	uint64_t unpacked; /* bytes from this compressed packet */
	z_stream zlib;

	/* Counts; packets that are read twice count twice. */
	uint64_t too_large, corrupt;
	const char *damage; /* why the rest of the trace is missing, or NULL */
};

/* @fd: of a plain file, whose trace begins at @base; -1: the trace is @whole. Both are borrowed.
 * Returns 0 or -ENOMEM; in both cases packet_stream_close() follows. */
int packet_stream_open(struct packet_stream *stream, int fd, off_t base, struct span whole);
void packet_stream_close(struct packet_stream *stream);

/* Continues with the outer packet that begins at @offset of the trace. */
void packet_stream_seek(struct packet_stream *stream, uint64_t offset);

/**
 * packet_stream_next() - the next packet
 * @packet: valid until the next call
 *
 * Returns 1; 0 at the end; -EINTR after a signal; -errno if the file cannot be read; -ENOMEM.
 */
int packet_stream_next(struct packet_stream *stream, struct span *packet);

/* Continues with the compressed packets in the @packet that was returned last. Returns 0; 1: that
 * one was inside of another, too; -ENOTSUP: this program cannot unpack it; -ENOMEM. */
int packet_stream_unpack(struct packet_stream *stream, const struct perfetto_packet *packet);

/* --- perfetto_merge.c: the events in the order of time --- */

/* The most bytes of a region's events. Only a hostile region has more. */
#define PERFETTO_EVENTS_MAX (4u << 20)

/* An event of ftrace: its bytes are the text of a marker. All others are of an enum trace_kind. */
#define PERFETTO_PRINT (TRACE_TIMELINE + 1)

/* Its bytes are behind it. */
struct perfetto_event {
	uint64_t time_ns;
	int64_t value;	       /* of a counter; TRACE_TIMELINE: the sequence */
	int32_t cpu, tid, pid; /* or TRACE_ID_UNKNOWN */
	uint32_t kind : 8;
	uint32_t len : 24; /* set by perfetto_merge_add() */
};

struct perfetto_region_events;

struct perfetto_run {
	uint64_t time_ns; /* of the next event */
	uint64_t order;	  /* of runs with the same time */
	struct perfetto_region_events *region;
	size_t at, end; /* in the bytes of the region */
};

/* All zeros: empty. */
struct perfetto_merge {
	struct perfetto_run *runs; /* a heap */
	size_t n, capacity;
	struct perfetto_region_events *added; /* the region that events are added to, or NULL */
	struct perfetto_run last;	      /* its last run, which is not in the heap yet, */
	uint64_t last_ns;		      /* and the time of that one's last event */
	size_t bytes;			      /* of all regions and runs */
};

/* Makes space for @n elements of @size bytes in all, @max at most. Returns false if there is none.
 */
bool perfetto_grow(void **array, size_t *capacity, size_t n, size_t size, size_t max);

/* Sorts @n elements of @size bytes, 128 at most, in their place: qsort() may copy all of them. Of
 * two that are equal either may be the first. */
void perfetto_sort(void *array, size_t n, size_t size,
		   int (*compare)(const void *left, const void *right));

/* A region's events follow. @order: its place in the trace. Events of the same time come in the
 * order of the regions, and then as they were added. */
void perfetto_merge_begin_region(struct perfetto_merge *merge, uint64_t order);

/* Copies an event and its bytes. Returns false if the region has too many, or memory is short. */
bool perfetto_merge_add(struct perfetto_merge *merge, const struct perfetto_event *event,
			struct span bytes);

void perfetto_merge_end_region(struct perfetto_merge *merge);

/* The next event, which must exist; valid until it is removed. */
struct perfetto_event *perfetto_merge_first(const struct perfetto_merge *merge);
void perfetto_merge_remove_first(struct perfetto_merge *merge);

void perfetto_merge_free(struct perfetto_merge *merge);

/* --- perfetto_tracks.c: what the writers of packets define --- */

struct perfetto_tracks;

/* Returns NULL if out of memory. */
struct perfetto_tracks *perfetto_tracks_new(void);
void perfetto_tracks_free(struct perfetto_tracks *tracks);

/* A region of packets begins: its packets are read one after the other, in both passes. */
void perfetto_tracks_begin_region(struct perfetto_tracks *tracks);

/* The next packet, in both passes: what follows is about it. @begin: of the outer packet in the
 * trace; @is_inner: it is inside of that one. */
void perfetto_tracks_begin_packet(struct perfetto_tracks *tracks, bool is_inner, uint64_t begin);

/* The first pass. @bundle: of events in the packet, or NULL. Returns false if it is damaged, or
 * does not fit. */
bool perfetto_tracks_follow(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			    const struct perfetto_bundle *bundle);

/* The first pass is over. *untimed: the number of events without a time; *lost: the times that a
 * writer lost packets. */
void perfetto_tracks_end(struct perfetto_tracks *tracks, uint64_t *untimed, uint64_t *lost);

/* The second pass: events of the CPU of that bundle may be missing before it. */
bool perfetto_tracks_is_gap(struct perfetto_tracks *tracks);

/* The second pass: the next CPU after @cpu (the first after -1) whose events may be missing up to
 * the end of that bundle; -1: there is none. */
int32_t perfetto_tracks_next_lost(const struct perfetto_tracks *tracks, int32_t cpu);

/* The time of the packet, in either pass, after perfetto_tracks_follow(). To be called for each
 * packet: its time, or clocks, may be the base of later ones. *clock: set to that of the packet; if
 * the sequence defined it, to the clock that it counts from, and *time_ns to the time on that.
 * Returns false: it is no event, has no time, or its clock is unknown: only the writer could say
 * what a clock of its own counts. */
bool perfetto_tracks_time(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			  uint64_t *clock, uint64_t *time_ns);

/* The second pass: packets of the sequence were lost before this one, with events. */
bool perfetto_tracks_lost(struct perfetto_tracks *tracks, const struct perfetto_packet *packet);

/* The second pass: sets kind, tid, pid and value of @event by a track event, and *name, its bytes.
 * Returns 1; 0: no marker stands for it; -1: what it refers to is missing. */
int perfetto_tracks_event(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			  struct perfetto_event *event, struct span *name);

#endif
