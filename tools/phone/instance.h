/* SPDX-License-Identifier: Apache-2.0 */
/* The tracefs instance that a plan is played into. */
#ifndef JANKD_TOOLS_PHONE_INSTANCE_H
#define JANKD_TOOLS_PHONE_INSTANCE_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

struct phone_instance;

/**
 * phone_instance_open() - an instance by name, made where there is none
 * @tracefs: where tracefs is mounted, or NULL: found, and mounted where it is not
 * @name: of the instance
 * @buffer_kb: size of the buffer of each CPU, set only in an instance of our own
 * @keep: leave an instance of our own behind
 *
 * An instance of our own is set up as atrace does: clock, tgids, names of threads. One that was
 * there is taken as it is. Ends the program where tracefs refuses. Freed by
 * phone_instance_close().
 */
struct phone_instance *phone_instance_open(const char *tracefs, const char *name, int buffer_kb,
					   bool keep);

/* Path of the instance's trace_marker; borrowed. */
const char *phone_instance_marker(const struct phone_instance *instance);

/* The clock whose time the kernel gives to marks of this instance. CLOCK_MONOTONIC, and a line
 * on stderr, where a program cannot read that clock. */
clockid_t phone_instance_clock(const struct phone_instance *instance);

/* Waits until a process of this machine has a trace_pipe of the instance open. Ends the program
 * after @seconds. */
void phone_instance_wait_reader(const struct phone_instance *instance, unsigned int seconds,
				const volatile sig_atomic_t *stop);

/* Removes an instance of our own, after its reader has gone if one is there; gives up after some
 * seconds, and says so. @instance may be NULL. */
void phone_instance_close(struct phone_instance *instance);

#endif
