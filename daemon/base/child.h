/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes that cannot hang us: each in a process group of its own, which is killed at its
 * deadline, with what it prints taken a line at a time. */
#ifndef JANKD_DAEMON_BASE_CHILD_H
#define JANKD_DAEMON_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/loop.h"
#include "parser/span.h"

/* What is longer of a line is thrown away. */
#define CHILD_LINE_MAX 2048

/* One that runs beside a capture. */
struct child {
	pid_t pid; /* 0: none runs */
	struct loop *loop;
	struct watcher output;
	uint64_t deadline_ns; /* on the clock of loop_now() */
	size_t len;	      /* of the line that has begun */
	char text[CHILD_LINE_MAX];
	/* It prints a line or two, and is asked often: its output wakes nobody before it is
	 * complete, and its end is seen by child_check(). */
	bool brief;
	/* Each line of output, without its end; borrowed during the call. May be NULL. */
	void (*line)(struct child *child, struct span line);
	/* It has ended: its exit status as a shell tells it; -ETIMEDOUT; -ECHILD: it is not known.
	 * May start it again. */
	void (*ended)(struct child *child, int status);
	void *context; /* of whoever started it */
};

/**
 * child_start() - start a program that a loop listens to
 * @child: must not move while it runs; line, ended and context are set
 * @argv: argv[0] is looked for on PATH
 * @timeout_ms: after so long its group is killed, at the next child_check()
 *
 * Returns 0 or -errno. Functions of @child are called by loop_wait() and child_check() only.
 */
int child_start(struct child *child, struct loop *loop, char *const argv[], int timeout_ms);

static inline bool child_runs(const struct child *child)
{
	return child->pid > 0;
}

/* To be called about once a second: keeps the deadline, and sees the end of what has closed its
 * output before. */
void child_check(struct child *child);

/* Kills it, where it runs. Its functions are not called any more. */
void child_kill(struct child *child);

/**
 * child_run() - run a program to its end
 * @timeout_ms: after so long its group is killed
 * @silent_ms: and already after so long in which it printed nothing; 0: that does not matter
 * @until_signal: not longer than until a blocked signal of child_end_on() is pending
 * @output: what it prints, cut to @size, NUL-terminated
 *
 * Returns its exit status, or -errno: -ETIMEDOUT, -EINTR after a signal, -ECHILD where it is not
 * known.
 */
int child_run(char *const argv[], int timeout_ms, int silent_ms, bool until_signal, char *output,
	      size_t size);

/* Which signals end a capture; none before it is called. */
void child_end_on(const int *numbers, size_t count);

/* Takes those signals, where they are pending: who asked for the end has been heard. */
void child_forget_signals(void);

#endif
