/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of the control socket (control.h): asks the capture that runs in a folder. */
#ifndef JANKD_DAEMON_CONTROL_CONTROL_CLIENT_H
#define JANKD_DAEMON_CONTROL_CONTROL_CLIENT_H

#include <stddef.h>
#include <stdint.h>

/* An answer is not longer. */
#define CONTROL_ANSWER_MAX (1 << 20)

struct control_answer {
	char *body; /* without the line "ok", NUL-terminated; freed with free() */
	char why[512];
};

/**
 * control_ask() - ask, and wait for the answer
 * @folder: where the capture writes
 * @line: the request, with its line end
 * @timeout_s: for the whole answer; a capture that does not give it is not waited for
 *
 * Returns 0 with a body. Returns > 0 and -errno with the reason in ->why ("what: why; what to
 * do"), which is not said yet:
 */
enum {
	CONTROL_NOBODY = 1, /* no capture runs there */
	CONTROL_GONE,	    /* it ended before it answered */
	CONTROL_REFUSED,    /* it said no */
};

int control_ask(struct control_answer *answer, const char *folder, const char *line,
		unsigned int timeout_s);

#endif
