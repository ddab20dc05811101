/* SPDX-License-Identifier: Apache-2.0 */
/* How a capture answers the requests of clients (control.h). */
#ifndef JANKD_DAEMON_CAPTURE_CAPTURE_CONTROL_H
#define JANKD_DAEMON_CAPTURE_CAPTURE_CONTROL_H

#include <limits.h>
#include <stdbool.h>

#include "daemon/capture/drain.h"
#include "daemon/capture/session.h"
#include "daemon/control/control.h"

struct capture_control {
	struct session *session;
	struct drain *drain;
	bool *is_over;		   /* the capture is ending; set by 'stop' */
	struct control *control;   /* NULL: no socket */
	char end[PATH_MAX + 2048]; /* the answer to 'stop' */
	bool is_stalled;	   /* the capture has waited long for its files */
	bool is_closing;	   /* 'stop' is answered now */
};

/* Opens the socket. The caller sets ->session to ->is_over, which are borrowed. Returns 0, or
 * EXIT_FAILED after the reason was reported. A daemon fails, as it cannot be stopped without a
 * socket; 'run' continues. */
int capture_control_begin(struct capture_control *control, struct loop *loop);

/* Call it while the capture waits for its files: answers the clients that have waited too
 * long. */
void capture_control_wait(struct capture_control *control);

/* Call it when the session has ended: prepares the answer to 'stop', which
 * capture_control_close() sends. @failed: the exit code of the capture is not 0; the last report
 * says why. */
void capture_control_ended(struct capture_control *control, bool failed);

/* Closes the socket, in any state. */
void capture_control_close(struct capture_control *control);

#endif
