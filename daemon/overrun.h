/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own count of events that were overwritten before anybody read them. */
#ifndef JANKD_DAEMON_OVERRUN_H
#define JANKD_DAEMON_OVERRUN_H

#include <stdint.h>

/* The sum over all CPUs since the buffer was cleared last. @path: tracefs, or an instance in it.
 * 0 where it cannot be read. */
uint64_t overrun_count(const char *path);

#endif
