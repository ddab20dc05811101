/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture answers to those who ask it (control_request.h). */
#ifndef JANKD_DAEMON_CAPTURE_CAPTURE_CONTROL_H
#define JANKD_DAEMON_CAPTURE_CAPTURE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/control/control.h"
#include "daemon/capture/drain.h"
#include "daemon/capture/session.h"

struct capture_control {
	struct session *session;
	struct drain *drain;
	const uint64_t *begin_ns; /* when the capture began, on the clock of loop_now() */
	const bool *is_over;	  /* it is ending */
	void (*stop)(void *context);
	void *context; /* of stop() */
	struct control control;
};

/* Begins to listen. ->session to ->context are set: borrowed. Returns 0, or EXIT_FAILED after the
 * reason was said on stderr: a daemon that cannot be asked cannot be ended either; 'run' goes on
 * without. */
int capture_control_begin(struct capture_control *control, struct loop *loop);

/* The capture waits for its files: answers those who have waited long enough. */
void capture_control_wait(struct capture_control *control);

/* The session has ended: what those are answered who wait for the end. */
void capture_control_farewell(struct capture_control *control);

#endif
