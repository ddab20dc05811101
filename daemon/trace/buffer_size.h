/* SPDX-License-Identifier: Apache-2.0 */
/* How much the trace buffer of each CPU holds. The kernel gives an instance that was never used 7
 * KB, and makes it larger for events and tracers, but not for markers: 'atrace' asks for more, and
 * without it we have to. */
#ifndef JANKD_DAEMON_TRACE_BUFFER_SIZE_H
#define JANKD_DAEMON_TRACE_BUFFER_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* KB of a CPU's buffer, the smallest of all CPUs; 0 where it cannot be read. @directory: of the
 * instance, as below. */
uint64_t buffer_size_read(const char *directory);

/**
 * buffer_size_set() - give each CPU's buffer at least @kb
 * @exactly: larger ones are made smaller, too
 *
 * Returns 0, or -errno: a buffer is still smaller than that.
 */
int buffer_size_set(const char *directory, uint64_t kb, bool exactly);

#endif
