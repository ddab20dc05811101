/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict as text: of a session at its end, and of its files in jank-report. */
#ifndef JANKD_DAEMON_BASE_VERDICT_TEXT_H
#define JANKD_DAEMON_BASE_VERDICT_TEXT_H

#include <stdio.h>

#include "daemon/base/status.h"

/* Prints the verdict in some lines, each cut to @columns: which apps were late, how often, when it
 * was worst, and what is unknown. */
void verdict_print(FILE *out, const struct status *status, unsigned int columns);

#endif
