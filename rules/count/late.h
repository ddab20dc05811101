/* SPDX-License-Identifier: Apache-2.0 */
/* How late frames are: by how much their interval exceeds the cadence so far. For the harm that
 * they do, and for --snapshot, which reports frames that are late by a given time.
 *
 *     frames    . . . . . . . . . . . .           .         a frame in every second vsync
 *                                       <------->           lateness: the time beyond the cadence
 *
 * The cadence so far is the most frequent length of a layer's last 16 intervals; if several are
 * equally frequent, the shortest.
 *
 * --snapshot needs 8 intervals since the last wait. For it, a layer that does not draw continuously
 * is idle between its frames, not late: one that usually draws less than ten times a second, such
 * as the clock of a status bar, or one with more than a quarter of its intervals longer than 4
 * cadences.
 */
#ifndef JANKD_RULES_COUNT_LATE_H
#define JANKD_RULES_COUNT_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/base/interval.h"

#define LATE_INTERVALS 16

/* Of a layer. All zeros: it had no interval. */
struct late_series {
	unsigned int n;		 /* intervals since the last wait */
	unsigned int cadence_at; /* place of the interval with the cadence so far */
	struct late_interval {
		uint32_t ns : 31;
		uint32_t plain : 1; /* its number of vsyncs is unknown */
	} intervals[LATE_INTERVALS];
	uint8_t vsyncs[LATE_INTERVALS]; /* of each interval that is not plain */
};

struct lateness {
	/* The frame is late by the limit or more. A wait is late if it is a stall, even if the
	 * cadence is unknown, and not if the layer was idle. */
	bool reported;
	/* The interval's whole vsyncs beyond the cadence so far, or beyond a render period if that
	 * is longer, in ns; of a stall its length. 0: it is in time, or the vsyncs are unknown, or
	 * it is a wait without a stall. After a switch of the refresh rate the cadence is as long
	 * as before, rounded up to whole vsyncs of the display as it is now: an interval that is no
	 * longer is in time; and so is one that has no more vsyncs than the cadence had before; and
	 * one of a film, whose frames have 2 and 3 vsyncs in turn. */
	uint64_t harm_ns;
	bool gap; /* the interval is longer than 4 cadences, or a wait, or unknown */
};

/* Follows the next interval of a layer of @surface. @limit_ns: reported are frames that are late by
 * this time; 0: none. */
struct lateness late_follow(struct late_series *series, const char *surface, uint64_t limit_ns,
			    struct interval interval, enum wait_kind wait);

#endif
