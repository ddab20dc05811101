/* SPDX-License-Identifier: Apache-2.0 */
/* The size of each CPU's trace buffer. A new instance has buffers of 7 KB. The kernel enlarges them
 * when an event or a tracer is switched on, but not for markers. atrace enlarges them, too; without
 * atrace, jankd does. */
#ifndef JANKD_DAEMON_TRACE_BUFFER_SIZE_H
#define JANKD_DAEMON_TRACE_BUFFER_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Enough for 4 s of 1,200 events a second. */
#define BUFFER_ENOUGH_KB 512

/* Returns the smallest size of all CPUs, in KB; 0 if it cannot be read. @directory, here and below:
 * of the instance. */
uint64_t buffer_size_read(const char *directory);

/**
 * buffer_size_set() - give each CPU a buffer of at least @kb
 * @exactly: also make larger buffers smaller
 *
 * Returns 0, or -errno if a buffer is still smaller than @kb.
 */
int buffer_size_set(const char *directory, uint64_t kb, bool exactly);

#endif
