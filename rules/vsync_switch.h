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

/**
 * vsync_switch_find() - the best moment, as ticks and presents show it
 * @source: the counter of ticks that is nearest to presents
 * @from_ns: not before
 * @sure_ns: about here both periods were in use already, or the other one is
 * @now_ns: up to here
 */
struct vsync_switch vsync_switch_find(const struct vsync_log *log, unsigned int source,
				      uint64_t before_ns, uint64_t after_ns, uint64_t from_ns,
				      uint64_t sure_ns, uint64_t now_ns);

#endif
