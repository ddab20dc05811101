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
 * @opened: set before an error ends the program, so that what was created can still be closed
 * @tracefs: mount point of tracefs, or NULL: it is searched, and mounted if necessary
 * @name: of the instance, or NULL: the top level of tracefs, which always exists
 * @buffer_kb: buffer of each CPU in KiB, set only in a created instance
 * @keep: do not remove a created instance
 *
 * A created instance is set up as atrace does: clock, tgids, names of threads. An existing one is
 * not changed. Ends the program if tracefs reports an error. Close it with instance_close().
 */
void instance_open(struct instance **opened, const char *tracefs, const char *name, int buffer_kb,
		   bool keep);

/* Path of the instance's trace_marker; borrowed. */
const char *instance_marker_path(const struct instance *instance);

/* The clock of the times in this instance. If it cannot be read from user space: CLOCK_MONOTONIC,
 * and a line on stderr. */
clockid_t instance_clock(const struct instance *instance);

/* Waits until a process has a trace_pipe of the instance open, or until @stop. Ends the program
 * with an error after @seconds. */
void instance_wait_reader(const struct instance *instance, unsigned int seconds,
			  const volatile sig_atomic_t *stop);

/* Closes @instance, which may be NULL, and removes it if instance_open() created it. Waits a
 * few seconds until its reader has closed it. If it cannot be removed, prints a line on stderr. */
void instance_close(struct instance *instance);

#endif
