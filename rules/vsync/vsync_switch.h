/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the time when the display changed from one period to another. */
#ifndef JANKD_RULES_VSYNC_VSYNC_SWITCH_H
#define JANKD_RULES_VSYNC_VSYNC_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/vsync/vsync_log.h"

struct vsync_switch {
	uint64_t at_ns;		 /* start of a present in the first vsync of the new period */
	uint64_t from_ns, to_ns; /* the range in which the switch may be */
};

/* What to search for, and in which time. */
struct vsync_switch_search {
	uint64_t before_ns, after_ns; /* the two periods */
	bool draws_less;	      /* the new one has fewer compositions */
	uint64_t error_ns;	      /* of the new period */
	uint64_t old_from_ns;	      /* the period before is valid from here on */
	uint64_t from_ns;	      /* start of the search */
	uint64_t stated_ns;	      /* or a little before, if events allow it; 0: unknown */
	uint64_t sure_ns;	      /* the switch was before this time, or near it */
	uint64_t now_ns;	      /* end of the search */
};

/* Finds the best moment according to ticks and presents. @source: the tick counter that is nearest
 * to presents. */
struct vsync_switch vsync_switch_find(const struct vsync_log *log, unsigned int source,
				      const struct vsync_switch_search *search);

#endif
