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
 * nothing the oldest makes room for a new one. None is waited for: a capture goes on beside them.
 */
#ifndef JANKD_DAEMON_CONTROL_H
#define JANKD_DAEMON_CONTROL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "daemon/control_request.h"
#include "daemon/loop.h"

#define CONTROL_CLIENTS_MAX 16

/* A name and its NUL. */
#define CONTROL_NAME_SIZE 48

struct control;

struct control_client {
	struct control *control;
	struct watcher watcher; /* fd < 0: a free place */
	char line[CONTROL_LINE_MAX];
	size_t len;
	char *answer; /* what is not yet sent begins at @sent; NULL: the line is not whole yet */
	size_t answer_len, sent;
	bool is_held; /* to be answered at the end */
	uint64_t deadline_ns;
};

struct control {
	struct loop *loop;
	struct watcher listener;
	bool is_paused; /* no descriptors left, or too many strangers: until the next tick */
	unsigned int strangers; /* since the last tick */
	char name[CONTROL_NAME_SIZE];
	char farewell[PATH_MAX + 2048]; /* the whole answer to 'stop' */
	struct control_client clients[CONTROL_CLIENTS_MAX];
	/* Prints the whole answer; false: it will be ->farewell. */
	bool (*answer)(void *context, const struct control_request *request, FILE *out);
	void *context; /* of answer */
};

/* So that control_close() is right before control_open() was called. */
void control_init(struct control *control);

/* Begins to listen, under the name that is in control->name then. @control must not move. Returns
 * 0 or -errno. */
int control_open(struct control *control, struct loop *loop);

/* Drops clients whose time is over. To be called about once a second. */
void control_tick(struct control *control);

/* Gives ->farewell to those who wait for the end, and closes everything, in any state. */
void control_close(struct control *control);

#endif
