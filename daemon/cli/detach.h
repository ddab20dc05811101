/* SPDX-License-Identifier: Apache-2.0 */
/* From a command that somebody typed to a process that depends on nobody. */
#ifndef JANKD_DAEMON_CLI_DETACH_H
#define JANKD_DAEMON_CLI_DETACH_H

#include <signal.h>
#include <stdbool.h>

/* Which of the two processes this is. */
enum detach_side {
	DETACH_DAEMON, /* in a session of its own, without any descriptor but the standard ones */
	DETACH_CALLER, /* the one that was called; the daemon's word has come */
	DETACH_FAILED, /* no daemon: the reason was said on stderr */
};

struct detach {
	int fd;	  /* daemon: where the caller waits for a word, also standard error until then */
	int code; /* caller: exit code, 0 = the daemon is ready; otherwise it said why on stderr */
	long pid; /* caller: of the daemon */
	sigset_t signals; /* those that were blocked before */
	bool is_ended;	  /* caller: it was ended before the daemon was ready, and so is that */
};

/**
 * detach_begin() - part from terminal and parent
 * @command: its name, for messages
 *
 * Returns in both processes. The caller's waits for detach_tell(), not for ever: then the daemon is
 * asked to end; so it is where the caller's gets a SIGINT, SIGTERM or SIGQUIT before.
 */
enum detach_side detach_begin(struct detach *detach, const char *command);

/* Tells the caller's process the exit code. From then on nobody hears standard error. */
void detach_tell(struct detach *detach, int code);

#endif
