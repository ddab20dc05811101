/* SPDX-License-Identifier: Apache-2.0 */
/* session.json: what a session was, for whoever finds its files later. */
#ifndef JANKD_DAEMON_SESSION_JSON_H
#define JANKD_DAEMON_SESSION_JSON_H

#include "daemon/session.h"

/* Replaces session.json. For a recorded trace nothing of this machine or moment is in it: the
 * same input gives the same bytes. What goes wrong is told where all trouble of files is. */
void session_json_write(struct session *session);

/* The same object for whoever asks a capture that runs since @uptime_s. Returns text to be freed
 * with free(), or NULL where there is no memory. */
char *session_json_status(const struct session *session, double uptime_s);

#endif
