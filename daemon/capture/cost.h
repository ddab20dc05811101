/* SPDX-License-Identifier: Apache-2.0 */
/* What this process has cost the device so far. */
#ifndef JANKD_DAEMON_CAPTURE_COST_H
#define JANKD_DAEMON_CAPTURE_COST_H

#include <stdint.h>

struct cost {
	uint64_t cpu_ms;
	uint64_t children_cpu_ms; /* of atrace and other programs that were run */
	uint64_t rss_kb;	  /* memory, now */
	uint64_t wakeups;	  /* times it slept and was woken */
};

struct cost cost_now(void);

#endif
