/* SPDX-License-Identifier: Apache-2.0 */
/* From the process of a command to a daemon that depends on no terminal, shell or parent. */
#ifndef JANKD_DAEMON_CLI_DETACH_H
#define JANKD_DAEMON_CLI_DETACH_H

#include <signal.h>
#include <stdbool.h>

/* Which of the two processes this is. */
enum detach_side {
	DETACH_DAEMON, /* in a session of its own, with the standard descriptors only */
	DETACH_CALLER, /* the process of the command; the daemon has called detach_started() */
	DETACH_FAILED, /* the same, without a daemon: the reason was reported */
};

struct detach {
	int fd;	  /* the pipe from the daemon to the caller; its standard error until it started */
	int code; /* caller: of detach_started(); if not 0, the daemon reported why */
	long pid; /* caller: of the daemon */
	sigset_t signals;   /* the signal mask before detach_begin() */
	bool is_terminated; /* caller: it has sent SIGTERM to the daemon */
};

/**
 * detach_begin() - make a daemon
 * @command: its name, for messages
 *
 * Returns in both processes; in the caller's after detach_started() of the daemon. A daemon that
 * needs longer than 60 s gets a SIGTERM; so does one whose caller gets a SIGINT, SIGTERM or SIGQUIT
 * before.
 */
enum detach_side detach_begin(struct detach *detach, const char *command);

/* Called by the daemon: it has started, or with another @code than 0, has failed to. The caller
 * exits with that code. From then on standard error goes to /dev/null. */
void detach_started(struct detach *detach, int code);

#endif
