/* SPDX-License-Identifier: Apache-2.0 */
/* The requests to a running capture. Each is one line:
 *
 *     status               a JSON object: that of session.json, with pid, uptime_s and others
 *     status text COLUMNS  the same as text for people
 *     top COLUMNS LINES    the table of surfaces, of at most this size; for a terminal with colours
 *                          'colour' follows
 *     mark TEXT            a row of events.csv; in TEXT, "\n" is a line end and "\\" a backslash
 *     rotate               closes the current segments and starts new ones
 *     stop                 ends the capture
 */
#ifndef JANKD_DAEMON_CONTROL_CONTROL_REQUEST_H
#define JANKD_DAEMON_CONTROL_CONTROL_REQUEST_H

#include <stddef.h>

#include "daemon/control/control.h"

/* Error for a client that is closed before it has sent its request. Nothing was done, so it may try
 * again. */
#define CONTROL_BUSY "too many clients; try again in a second"

/**
 * control_request_parse() - parse a request
 * @line: @len bytes without the line end; any bytes
 *
 * Returns NULL, or why the line is not a request: constant text.
 */
const char *control_request_parse(struct control_request *request, const char *line, size_t len);

#endif
