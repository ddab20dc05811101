/* SPDX-License-Identifier: Apache-2.0 */
/* How a capture is, for people. */
#ifndef JANKD_DAEMON_CAPTURE_STATUS_TEXT_H
#define JANKD_DAEMON_CAPTURE_STATUS_TEXT_H

#include <stdio.h>

#include "daemon/capture/session.h"

/* Prints what it does, what it saw, what it lost, what it costs, and the surfaces in front. */
void status_text_print(FILE *out, const struct session *session, double uptime_s,
		       unsigned int columns);

#endif
