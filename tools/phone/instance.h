/* SPDX-License-Identifier: Apache-2.0 */
/* The tracefs instance that a plan is played into. */
#ifndef JANKD_TOOLS_PHONE_INSTANCE_H
#define JANKD_TOOLS_PHONE_INSTANCE_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

struct instance;

/**
 * instance_open() - open an instance, or create it
 * @tracefs: mount point of tracefs, or NULL: found, and mounted where it is not
 * @name: of the instance
 * @buffer_kb: buffer of each CPU in KiB, set only in a created instance
 * @keep: do not remove a created instance
 *
 * A created instance is set up as by atrace: clock, tgids, names of threads. An existing one is
 * used as it is. Ends the program where tracefs reports an error. Closed by instance_close().
 */
struct instance *instance_open(const char *tracefs, const char *name, int buffer_kb, bool keep);

/* Path of the instance's trace_marker; borrowed. */
const char *instance_marker_path(const struct instance *instance);

/* The clock from which the kernel takes the times in this instance; CLOCK_MONOTONIC, and a line on
 * stderr, where a program cannot read that clock. */
clockid_t instance_clock(const struct instance *instance);

/* Waits until a process has a trace_pipe of the instance open, or until @stop. Ends the program
 * with an error after @seconds. */
void instance_wait_reader(const struct instance *instance, unsigned int seconds,
			  const volatile sig_atomic_t *stop);

/* Closes @instance, which may be NULL, and removes it where it was created. Waits some seconds for
 * its reader to close it; a line on stderr where it cannot be removed. */
void instance_close(struct instance *instance);

#endif
