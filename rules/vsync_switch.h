/* SPDX-License-Identifier: Apache-2.0 */
/* When did the display go from one period to another? */
#ifndef JANKD_RULES_VSYNC_SWITCH_H
#define JANKD_RULES_VSYNC_SWITCH_H

#include <stdint.h>

#include "rules/vsync_log.h"

struct vsync_switch {
	uint64_t at_ns;		 /* where a present of that vsync begins */
	uint64_t from_ns, to_ns; /* it was in between */
};

/* What is looked for. */
struct vsync_when {
	uint64_t before_ns, after_ns; /* the periods */
	uint64_t error_ns;	      /* of the new one */
	uint64_t from_ns;	      /* not before */
	uint64_t sure_ns; /* about here both periods were in use already, or the other one is */
	uint64_t now_ns;  /* up to here */
};

/* The best moment, as ticks and presents show it. @source: the counter of ticks that is nearest to
 * presents. */
struct vsync_switch vsync_switch_find(const struct vsync_log *log, unsigned int source,
				      const struct vsync_when *when);

#endif
