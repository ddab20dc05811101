/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket of a running capture: who may ask, and how.
 *
 * It is an abstract unix stream socket: a folder may be on a file system that has no sockets. Its
 * name is random; it is the second line of the folder's .lock, behind the pid. A client connects,
 * sends one line (control_request.h), and reads to the end: the line "ok" and what it asked for,
 * or one line "error: why". 'stop' is answered when the files are complete and tracing is as it
 * was before.
 *
 * The owner's uid and root are admitted, nobody else. A client has 5 s for all; of those who say
 * nothing the oldest makes room for a new one, and is answered that he may ask again; where all
 * wait for answers, new ones wait to be let in. None is waited for: a capture goes on beside them.
 */
#ifndef JANKD_DAEMON_CONTROL_CONTROL_H
#define JANKD_DAEMON_CONTROL_CONTROL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/control/control_request.h"
#include "daemon/base/loop.h"

#define CONTROL_CLIENTS_MAX 16

/* A name and its NUL. */
#define CONTROL_NAME_SIZE 48

struct control;

/* What became of a question. */
enum control_reply {
	CONTROL_ANSWERED, /* the whole answer is printed */
	CONTROL_LATER,	  /* ->finish will print it */
	CONTROL_AT_END,	  /* it will be ->farewell */
};

struct control_client {
	struct control *control;
	struct watcher watcher; /* fd < 0: a free place */
	char line[CONTROL_LINE_MAX];
	size_t len;
	char *answer; /* what is not yet sent begins at @sent; NULL: the line is not whole yet */
	size_t answer_len, sent;
	bool is_held;		/* to be answered at the end */
	bool is_waiting;	/* to be answered when the files have it */
	enum control_verb verb; /* what is waited for, */
	uint64_t ticket;	/* and of whoever answers: what for */
	uint64_t since_ns;	/* so long */
	uint64_t deadline_ns;
};

struct control {
	struct loop *loop;
	struct watcher listener;
	bool is_paused;	       /* no descriptors left, or too many strangers: until the next tick */
	bool is_full;	       /* all wait for answers: until one has his */
	unsigned int rejected; /* since the last tick */
	char name[CONTROL_NAME_SIZE];
	char farewell[PATH_MAX + 2048]; /* the whole answer to 'stop' */
	struct control_client clients[CONTROL_CLIENTS_MAX];
	/* Answers, or says when. *ticket is for ->finish. */
	enum control_reply (*answer)(void *context, const struct control_request *request,
				     uint64_t *ticket, FILE *out);
	/* Prints the answer of one that waits. False: not yet. @waited_ns: so long it does. */
	bool (*finish)(void *context, enum control_verb verb, uint64_t ticket, uint64_t waited_ns,
		       FILE *out);
	void *context; /* of both */
};

/* So that control_close() is right before control_open() was called. */
void control_init(struct control *control);

/* Begins to listen, under the name that is in control->name then. @control must not move. Returns
 * 0 or -errno. */
int control_open(struct control *control, struct loop *loop);

/* Drops clients whose time is over. To be called about once a second. */
void control_tick(struct control *control);

/* Asks ->finish for those who wait. */
void control_finish(struct control *control);

/* Gives @text, a whole answer, to those who have waited for the end for @waited_ns. */
void control_dismiss(struct control *control, uint64_t waited_ns, const char *text);

/* Gives ->farewell to those who wait for the end, and closes everything, in any state. */
void control_close(struct control *control);

#endif
