/* SPDX-License-Identifier: Apache-2.0 */
/* A page of text that is updated in place on a terminal: the table of 'run' and 'top'. */
#ifndef JANKD_DAEMON_CLI_LIVE_H
#define JANKD_DAEMON_CLI_LIVE_H

struct live;
struct status;

/* Switches the terminal at standard output to the live view. Returns NULL if there is no terminal
 * or no memory: the functions below then draw nothing. */
struct live *live_begin(void);

/* Shows @text: whole lines of printable characters. */
void live_show(struct live *live, const char *text);

/* Shows the table of @status under the line @title. */
void live_draw(struct live *live, const struct status *status, const char *title);

/* Stops this process as Ctrl-Z does. The terminal is restored meanwhile. Returns when the process
 * is continued. */
void live_suspend(struct live *live);

/* Restores the terminal and frees @live, which may be NULL. Returns NULL. */
struct live *live_end(struct live *live);

#endif
