/* SPDX-License-Identifier: Apache-2.0 */
/* Where a capture runs on an Android device: on the little CPUs, so that it never takes a big one
 * from the app that is measured, and late in the order in which the device ends processes when
 * memory is short.
 *
 *     /proc/self/oom_score_adj                 set to -800 if it is higher and this user may
 *     /dev/cpuset/background, system-background    entered, if this user may
 *     sched_setaffinity()                      to those of the allowed CPUs that are the slowest
 *
 * Child processes (atrace, dumpsys) get back what this process had before. */
#ifndef JANKD_DAEMON_ANDROID_BACKGROUND_H
#define JANKD_DAEMON_ANDROID_BACKGROUND_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#include "daemon/base/status.h"

struct background {
	const char *root;      /* NULL: not entered */
	int oom_before;	       /* or DEVICE_UNKNOWN */
	cpu_set_t cpus_before; /* of this thread */
	bool has_new_cpus;     /* ->cpus_before differ from the current ones */
	char home[256];	       /* the cpuset before, from its root: "/"; "": unknown */
	const char *cpuset;    /* the name of the entered one; NULL: none. Constant */
};

/* To be called while this process has one thread: later threads get the same. @root: prefix of all
 * paths, "" for those of the kernel; borrowed; NULL: this is no Android device, and nothing is
 * changed. What is not allowed is not changed. */
void background_enter(struct background *background, const char *root);

/* Gives a child process what this process had before background_enter(). */
void background_release(const struct background *background, pid_t child);

/* Sets @process to what is in effect now. */
void background_read(const struct background *background, struct status_process *process);

#endif
