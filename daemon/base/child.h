/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes with deadlines: each runs in a process group of its own, which is killed at the
 * deadline. A child runs to its end (child_run()), or beside the event loop (struct child). */
#ifndef JANKD_DAEMON_BASE_CHILD_H
#define JANKD_DAEMON_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/loop.h"
#include "parser/span.h"

/* Longer lines are cut. */
#define CHILD_LINE_MAX 2048

/* A child beside the event loop. */
struct child {
	pid_t pid; /* 0: it does not run */
	struct loop *loop;
	struct watcher output;
	/* Its output is complete, so it is about to end: see ->end_checks. */
	struct watcher end_timer;
	uint64_t end_checks;  /* how often that was checked */
	uint64_t deadline_ns; /* on the clock of loop_now() */
	size_t len;	      /* of the line that is not complete yet */
	char text[CHILD_LINE_MAX];
	/* For a child that prints one or two lines and runs often: the loop wakes up only when its
	 * output is complete, and child_check() detects its end. */
	bool brief;
	/* Called with each line of output, without the line end; borrowed. May be NULL. */
	void (*line)(struct child *child, struct span line);
	/* If it is set, it is called instead, with the output as it is; borrowed. Output does not
	 * wake up the loop: child_check() reads it. No process that writes it waits for this one:
	 * what does not fit the pipe, 1 MB, is lost. */
	void (*bytes)(struct child *child, struct span bytes);
	bool waits; /* with ->bytes: it does wait, nothing is lost, and output wakes up the loop */
	int errors; /* with ->bytes: its standard error, see child_last_error() */
	/* What it reads from standard input, less than a page; borrowed. NULL: nothing. */
	const char *input;
	/* Called at its end, with its exit status (128 + signal after a signal), -ETIMEDOUT, or
	 * -ECHILD if the status is unknown. May start the child again. May be NULL. */
	void (*ended)(struct child *child, int status);
	void *context; /* for these */
};

/* @started: called with @context for each child that was started, except brief ones. It can change
 * what the child inherited. NULL: nothing is called. */
void child_on_start(void (*started)(void *context, pid_t pid), void *context);

/* Returns true if @program is on PATH. */
bool child_program_exists(const char *program);

/**
 * child_start() - start a program beside the event loop
 * @child: must not move while it runs; ->brief, ->line, ->ended and ->context are set
 * @argv: argv[0] is searched for on PATH
 * @timeout_ms: after this time child_check() kills its process group; < 0: it may run for any time
 *
 * Returns 0 or -errno; -EAGAIN: too many that were killed have not ended. ->line and ->ended are
 * called by loop_wait() and child_check() only.
 */
int child_start(struct child *child, struct loop *loop, char *const argv[], int timeout_ms);

static inline bool child_runs(const struct child *child)
{
	return child->pid > 0;
}

/* Call it about once a second. It reads the output of a child with ->bytes, kills a child at its
 * deadline, and detects the end of a child that has already closed its output, or that has ->bytes
 * and left its output to others. */
void child_check(struct child *child);

/* Serves the loop until it has ended, or until @until_ns of loop_now(). */
void child_wait(struct child *child, uint64_t until_ns);

/* Sends a signal to its process group, if it runs. */
void child_signal(struct child *child, int number);

/* The last line that a child with ->bytes printed to standard error; may be "". For ->ended, and
 * valid until it returns. */
const char *child_last_error(const struct child *child);

/* Kills it, if it runs. ->line and ->ended are not called. Its end is not waited for: some
 * processes cannot end. */
void child_kill(struct child *child);

/**
 * child_run() - run a program to its end
 * @timeout_ms: after this time its process group is killed
 * @silent_ms: its group is also killed when it has printed nothing for this time; 0: no limit
 * @until_signal: its group is also killed when a blocked signal of child_end_on() is pending
 * @output: what it prints, cut to @size, NUL-terminated
 *
 * Returns its exit status, or -errno: -ETIMEDOUT; -EINTR after a signal; -ECHILD if the status is
 * unknown.
 */
int child_run(char *const argv[], int timeout_ms, int silent_ms, bool until_signal, char *output,
	      size_t size);

/* Sets the signals that end a capture, for @until_signal. Before the first call there are none. */
void child_end_on(const int *numbers, size_t count);

/* True: one of them is pending. */
bool child_signal_came(void);

/* Discards pending signals of child_end_on(): the capture is already ending. */
void child_discard_signals(void);

#endif
