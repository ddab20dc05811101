/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture answers to those who ask it (control_request.h). */
#ifndef JANKD_DAEMON_CAPTURE_CONTROL_H
#define JANKD_DAEMON_CAPTURE_CONTROL_H

#include "daemon/capture.h"

/* Begins to listen. Returns 0, or EXIT_FAILED after the reason was said on stderr: a daemon that
 * cannot be asked cannot be ended either; 'run' goes on without. */
int capture_control_begin(struct capture *capture);

/* The capture waits for its files: answers those who have waited long enough. */
void capture_control_wait(struct capture *capture);

/* The session has ended: what those will hear who wait for the end. */
void capture_control_farewell(struct capture *capture);

#endif
