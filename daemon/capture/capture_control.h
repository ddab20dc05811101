/* SPDX-License-Identifier: Apache-2.0 */
/* How a capture answers the requests of clients (control.h). */
#ifndef JANKD_DAEMON_CAPTURE_CAPTURE_CONTROL_H
#define JANKD_DAEMON_CAPTURE_CAPTURE_CONTROL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/capture/drain.h"
#include "daemon/capture/session.h"
#include "daemon/control/control.h"

struct capture_control {
	struct session *session;
	struct drain *drain;
	const uint64_t *begin_ns; /* when the capture began, on the clock of loop_now() */
	const bool *is_over;	  /* it is ending */
	void (*stop)(void *context);
	void *context;		   /* of stop() */
	struct control *control;   /* NULL: there is no socket */
	char end[PATH_MAX + 2048]; /* the answer to 'stop' */
};

/* Opens the socket. ->session to ->context are set: borrowed. Returns 0, or EXIT_FAILED after the
 * reason was reported: a daemon without a socket cannot be stopped; 'run' goes on without. */
int capture_control_begin(struct capture_control *control, struct loop *loop);

/* The capture waits for its files: answers the clients that have waited long enough. */
void capture_control_wait(struct capture_control *control);

/* The session has ended: makes the answer to 'stop', which capture_control_close() sends. */
void capture_control_ended(struct capture_control *control);

/* Closes the socket, in any state. */
void capture_control_close(struct capture_control *control);

#endif
