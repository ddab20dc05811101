/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a trace's buffers: one number for all CPUs, or one for each. */
#ifndef JANKD_DAEMON_CAPTURE_INTERFERENCE_SIZE_H
#define JANKD_DAEMON_CAPTURE_INTERFERENCE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/trace.h"

struct interference_size {
	bool differ; /* the CPUs' sizes */
	unsigned int cpus;
	uint64_t kb[CPU_BUFFER_CPUS_MAX]; /* of each CPU; 0: unknown */
};

/* Reads the current sizes. False: they cannot be read, and @size is not changed. */
bool interference_size_read(struct interference_size *size, const struct trace_files *files);

/* True: at least one CPU has a smaller buffer in @now than in @wanted. */
bool interference_size_is_smaller(const struct interference_size *now,
				  const struct interference_size *wanted);

bool interference_size_is_same(const struct interference_size *a,
			       const struct interference_size *b);

/* Sets each buffer that is smaller to its size in @wanted. Returns 0 or -errno. */
int interference_size_write(const struct interference_size *wanted,
			    const struct trace_files *files);

/* As text: "4099 KB per CPU", or "2000, 4099 KB per CPU" with as many CPUs as fit. */
void interference_size_print(const struct interference_size *size, char text[static SETTING_SIZE]);

#endif
