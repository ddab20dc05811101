/* SPDX-License-Identifier: Apache-2.0 */
/* The table of surfaces on a terminal while a capture runs. */
#ifndef JANKD_DAEMON_LIVE_H
#define JANKD_DAEMON_LIVE_H

#include "rules/pipeline.h"

struct live;

/* Takes the terminal at standard output. Returns NULL where there is none, or no memory: then
 * nothing is drawn. */
struct live *live_begin(void);

/* Draws the table under the line @title. */
void live_draw(struct live *live, struct pipeline *pipeline, const char *title);

/* Gives the terminal back as it was and frees @live, which may be NULL. Returns NULL. */
struct live *live_end(struct live *live);

#endif
