/* SPDX-License-Identifier: Apache-2.0 */
/* What Android is asked at the begin of a capture, beside it: the app in front, and the display's
 * period. Frames wait for their vsyncs longer than the answers take; who answers nothing holds up
 * nothing. */
#ifndef JANKD_DAEMON_QUESTIONS_H
#define JANKD_DAEMON_QUESTIONS_H

#include <stdbool.h>

#include "daemon/child.h"
#include "daemon/session.h"
#include "parser/dumpsys.h"

struct questions {
	struct session *session;
	struct loop *loop;
	struct child focus, period;
	struct dumpsys_focus found;
	bool windows; /* 'dumpsys input' did not know: 'dumpsys window' is asked */
	bool heard;   /* the period's line came */
};

/* Asks, where there is somebody to ask and the options do not say. @session and @loop: borrowed. */
void questions_begin(struct questions *questions, struct session *session, struct loop *loop);

/* To be called about once a second. */
void questions_tick(struct questions *questions);

/* Asks no more; in any state. */
void questions_end(struct questions *questions);

#endif
