/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a daemon of a command's process: independent of terminal, shell and parent. */
#ifndef JANKD_DAEMON_CLI_DETACH_H
#define JANKD_DAEMON_CLI_DETACH_H

#include <signal.h>
#include <stdbool.h>

/* Which of the two processes this is. */
enum detach_side {
	DETACH_DAEMON, /* in a session of its own, with the standard descriptors only */
	DETACH_CALLER, /* the process of the command; the daemon has called detach_started() */
	DETACH_FAILED, /* the process of the command; no daemon runs, and the reason was reported */
};

struct detach {
	int fd;	  /* pipe from the daemon to the caller; until the start also standard error */
	int code; /* caller: @code of detach_started(); if not 0, the daemon has reported why */
	long pid; /* caller: pid of the daemon */
	sigset_t signals;   /* the signal mask before detach_begin() */
	int signal_fd;	    /* caller: signals that end it */
	bool is_signalled;  /* caller: one has come */
	bool is_terminated; /* caller: it has sent SIGTERM to the daemon */
};

/**
 * detach_begin() - make a daemon
 * @command: its name, for messages
 *
 * Returns in both processes; in the caller after the daemon has called detach_started(). The daemon
 * gets a SIGTERM if it needs longer than 60 s, or if the caller gets SIGINT, SIGTERM or SIGQUIT
 * meanwhile.
 */
enum detach_side detach_begin(struct detach *detach, const char *command);

/* The daemon calls this when it has started (@code 0) or failed to start (the exit code). The
 * caller exits with @code. From then on the daemon's standard error goes to /dev/null. */
void detach_started(struct detach *detach, int code);

#endif
