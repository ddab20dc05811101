/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the overflow of full tables in events: at once, then from time to time, and at the end
 * with the final numbers. */
#ifndef JANKD_RULES_STREAM_OVERFLOW_H
#define JANKD_RULES_STREAM_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/stream/events.h"

enum overflow_kind {
	OVERFLOW_FRAMES,      /* frames of layers without space */
	OVERFLOW_EARLY,	      /* frames that were counted early, to free space */
	OVERFLOW_OTHERS,      /* Surfaces without a row of their own */
	OVERFLOW_PERCENTILES, /* rows and Surfaces without percentiles */
	OVERFLOW_SLICES,      /* slices that may have shown a freeze */
	OVERFLOW_ENTRIES,     /* other entries that were in use */
	OVERFLOW_KINDS,
};

/* All zeros: nothing was reported yet. */
struct overflow {
	uint64_t reported[OVERFLOW_KINDS];
	uint64_t reported_ns;
};

/* @counts: since the start of the trace. @last: the trace ends. */
void overflow_report(struct overflow *overflow, const uint64_t counts[OVERFLOW_KINDS],
		     struct event_writer *events, uint64_t time_ns, bool last);

#endif
