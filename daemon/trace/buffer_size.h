/* SPDX-License-Identifier: Apache-2.0 */
/* The size of each CPU's trace buffer. A new instance has buffers of 7 KB, which the kernel makes
 * larger for events and tracers, but not for markers: atrace makes them larger, and without it we
 * have to. */
#ifndef JANKD_DAEMON_TRACE_BUFFER_SIZE_H
#define JANKD_DAEMON_TRACE_BUFFER_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the smallest size of all CPUs, in KB; 0 where it cannot be read. @directory: of the
 * instance, here and below. */
uint64_t buffer_size_read(const char *directory);

/**
 * buffer_size_set() - give each CPU a buffer of at least @kb
 * @exactly: larger ones are made smaller, too
 *
 * Returns 0, or -errno: a buffer is still smaller than that.
 */
int buffer_size_set(const char *directory, uint64_t kb, bool exactly);

#endif
