/* SPDX-License-Identifier: Apache-2.0 */
/* How large the buffers of a trace are: one number for all CPUs, or one for each. */
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

/* Reads them as they are now. False: they cannot be read; @size is not changed. */
bool interference_size_read(struct interference_size *size, const struct trace_files *files);

/* Is the buffer of some CPU smaller in @now than in @wanted? */
bool interference_size_is_smaller(const struct interference_size *now,
				  const struct interference_size *wanted);

bool interference_size_is_same(const struct interference_size *a,
			       const struct interference_size *b);

/* Sets the buffer of each CPU that is smaller to its size in @wanted. Returns 0 or -errno. */
int interference_size_write(const struct interference_size *wanted,
			    const struct trace_files *files);

/* As text: "4099", or "2000, 4099": of as many CPUs as fit. */
void interference_size_print(const struct interference_size *size, char text[static SETTING_SIZE]);

#endif
