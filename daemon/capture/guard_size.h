/* SPDX-License-Identifier: Apache-2.0 */
/* How large the buffers of a trace are: one number for all CPUs, or one for each. */
#ifndef JANKD_DAEMON_CAPTURE_GUARD_SIZE_H
#define JANKD_DAEMON_CAPTURE_GUARD_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/ring_stats.h"
#include "daemon/trace/trace_files.h"

struct guard_size {
	bool differ; /* the CPUs' sizes */
	unsigned int cpus;
	uint64_t kb[RING_CPUS_MAX]; /* 0: not known */
};

/* Reads them as they are now. False: they cannot be read; @size is not changed. */
bool guard_size_read(struct guard_size *size, const struct trace_files *files);

/* Is the buffer of some CPU smaller in @now than in @wanted? */
bool guard_size_is_smaller(const struct guard_size *now, const struct guard_size *wanted);

bool guard_size_is_same(const struct guard_size *a, const struct guard_size *b);

/* Gives each CPU whose buffer is smaller what it has in @wanted. Returns 0 or -errno. */
int guard_size_write(const struct guard_size *wanted, const struct trace_files *files);

/* For people: "4099", or "2000, 4099": of the first CPUs, as far as there is room. */
void guard_size_print(const struct guard_size *size, char text[static SETTING_SIZE]);

#endif
