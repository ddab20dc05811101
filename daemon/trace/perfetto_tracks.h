/* SPDX-License-Identifier: Apache-2.0 */
/* The writers of the packets of a perfetto trace: their clocks, what they lost, and their track
 * events, as the markers that these stand for. SurfaceFlinger of Android
 * 15 QPR1 and later writes them instead of ftrace if its categories prefer perfetto's SDK
 * (atrace_categories_prefer_sdk).
 *
 * A thread is a writer of its own, a sequence. An event refers to what its sequence wrote before:
 * the number of a name, a track, and a time that is the difference to the packet before:
 *
 *     sequence 5:  clock 64 = 1000000000 ns, default track 11      (cleared: what was before is
 * void) track 11 = thread 612 of process 612
 *                  + 5000 ns, begin, name 1 = "commit 7"           B|612|commit 7
 *                  track 12 = "VSYNC-sf"
 *                  + 100 ns, counter, track 12, value 1            C|612|VSYNC-sf|1
 *                  + 900 ns, end                                   E|612
 *
 * The first pass over the packets keeps what they define, with the packet's number. The second pass
 * reads regions in the order of time, and looks it up by that number. Slices of other tracks than a
 * thread's have no use here.
 */
#ifndef JANKD_DAEMON_TRACE_PERFETTO_TRACKS_H
#define JANKD_DAEMON_TRACE_PERFETTO_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/perfetto.h"

struct perfetto_tracks;

/* The text of a marker, and of a name in it. */
#define PERFETTO_MARKER_SIZE 4096
#define PERFETTO_NAME_MAX (PERFETTO_MARKER_SIZE - 64)

/* Returns NULL if out of memory. */
struct perfetto_tracks *perfetto_tracks_new(void);
void perfetto_tracks_free(struct perfetto_tracks *tracks);

/* A region of packets begins: its packets are read one after the other, in both passes. */
void perfetto_tracks_begin_region(struct perfetto_tracks *tracks);

/* The next packet of the first pass. @number: larger than that of the packet before. Returns false
 * if it is damaged, or does not fit. */
bool perfetto_tracks_follow(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			    uint64_t number);

/* To be called before that for a packet with a bundle of events. @first_ns: of its first event; 0:
 * it has none. */
void perfetto_tracks_follow_bundle(struct perfetto_tracks *tracks,
				   const struct perfetto_packet *packet, uint64_t number,
				   int32_t cpu, uint64_t first_ns);

/* The first pass is over. *untimed: the number of events without a time; *lost: the times that a
 * writer lost packets. */
void perfetto_tracks_end(struct perfetto_tracks *tracks, uint64_t *untimed, uint64_t *lost);

/* The second pass: events of the CPU of that bundle may be missing before it. */
bool perfetto_tracks_is_gap(struct perfetto_tracks *tracks, uint64_t number);

/* The second pass: the next CPU after @cpu (the first after -1) whose events may be missing up to
 * the end of that bundle; -1: there is none. */
int32_t perfetto_tracks_next_lost(const struct perfetto_tracks *tracks, uint64_t number,
				  int32_t cpu);

/* The time of the next packet of the region, in either pass, after perfetto_tracks_follow(). To be
 * called for each packet: its time, or clocks, may be the base of later ones. *clock: set to that
 * of the packet; if the sequence defined it, to the clock that it counts from, and *time_ns to the
 * time on that. Returns false: it is no event, has no time, or its clock is unknown: only the
 * writer could say what a clock of its own counts. */
bool perfetto_tracks_time(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			  uint64_t number, uint64_t *clock, uint64_t *time_ns);

/* The second pass: packets of the sequence were lost before this one, with events. */
bool perfetto_tracks_lost(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			  uint64_t number);

/* The second pass: writes the marker of a track event into @text. *tid: of its thread. Returns 1;
 * 0: there is none for it; -1: what it refers to is missing. */
int perfetto_tracks_marker(struct perfetto_tracks *tracks, const struct perfetto_packet *packet,
			   uint64_t number, char text[static PERFETTO_MARKER_SIZE],
			   struct span *marker, int32_t *tid);

#endif
