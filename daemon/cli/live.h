/* SPDX-License-Identifier: Apache-2.0 */
/* A page of text that changes in place on a terminal: the table of surfaces of 'run' and 'top'. */
#ifndef JANKD_DAEMON_CLI_LIVE_H
#define JANKD_DAEMON_CLI_LIVE_H

#include "rules/pipeline.h"

struct live;

/* Takes the terminal at standard output. Returns NULL where there is none, or no memory: then
 * nothing is drawn. */
struct live *live_begin(void);

/* Shows @text: whole lines of printable characters. */
void live_show(struct live *live, const char *text);

/* Shows the table under the line @title. */
void live_draw(struct live *live, struct pipeline *pipeline, const char *title);

/* Stops this process, as Ctrl-Z does, with the terminal as it was; returns when it goes on. */
void live_suspend(struct live *live);

/* Gives the terminal back as it was and frees @live, which may be NULL. Returns NULL. */
struct live *live_end(struct live *live);

#endif
