/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of a trace's buffers: one number for all CPUs, or one for each. A new instance has
 * buffers of 7 KB. The kernel enlarges them when an event or a tracer is switched on, but not for
 * markers. atrace enlarges them, too; without atrace, jankd does. */
#ifndef JANKD_DAEMON_TRACE_BUFFER_SIZE_H
#define JANKD_DAEMON_TRACE_BUFFER_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/trace_files.h"

/* Enough for 4 s of 1,200 events a second. */
#define BUFFER_ENOUGH_KB 512

struct buffer_sizes {
	bool differ; /* the CPUs' sizes */
	unsigned int cpus;
	uint64_t kb[TRACE_CPUS_MAX]; /* of each CPU; 0: unknown */
};

/* @directory, here and below: of the instance. @value: of its buffer_size_kb; NULL: it is read.
 * Returns the smallest size of all CPUs, in KB; 0 if none can be read. */
uint64_t buffer_sizes_read(struct buffer_sizes *sizes, const char *directory, const char *value);

/* True: at least one CPU has a smaller buffer in @now than in @wanted. */
bool buffer_sizes_are_smaller(const struct buffer_sizes *now, const struct buffer_sizes *wanted);

/* Sets each buffer that is smaller in @now to its size in @wanted. Returns 0 or -errno. */
int buffer_sizes_grow(const char *directory, const struct buffer_sizes *now,
		      const struct buffer_sizes *wanted);

/* As text: "4099 KB per CPU", or "2000, 4099 KB per CPU" with as many CPUs as fit. */
void buffer_sizes_print(const struct buffer_sizes *sizes, char text[static SETTING_SIZE]);

/* Returns that smallest size. */
uint64_t buffer_size_read(const char *directory);

/* Gives each CPU a buffer of at least @kb. @exactly: also makes larger buffers smaller. Returns 0,
 * or -errno if a buffer is still smaller than @kb. */
int buffer_size_set(const char *directory, uint64_t kb, bool exactly);

#endif
