/* SPDX-License-Identifier: Apache-2.0 */
/* What Android is asked beside a capture: the display's period, once, and the app in front, at the
 * begin and whenever a window of another app begins to draw. Frames wait for their vsyncs longer
 * than the answers take; an answer that does not come holds up nothing. */
#ifndef JANKD_DAEMON_QUESTIONS_H
#define JANKD_DAEMON_QUESTIONS_H

#include <stdbool.h>

#include "daemon/child.h"
#include "daemon/session.h"
#include "parser/dumpsys.h"
#include "rules/surface.h"

struct questions {
	struct session *session;
	struct loop *loop;
	struct child focus, period;
	struct dumpsys_focus found;
	bool windows; /* 'dumpsys input' did not know: 'dumpsys window' is asked */
	bool heard;   /* the period's line came */
	bool can_ask;
	uint64_t since_ns;	/* trace time that the answer is for; 0: the begin */
	uint64_t doubt_ns;	/* that gave reason to ask last */
	bool second;		/* the reason is the same as before */
	char doubted[APP_SIZE]; /* the app that began to draw then */
	uint64_t next_ns; /* when the next question may be asked, on the clock of loop_now() */
};

/* Asks, where there is somebody to ask and the options do not say. @session and @loop: borrowed. */
void questions_begin(struct questions *questions, struct session *session, struct loop *loop);

/* Asks again, where what was read gives reason to. To be called after each row of reads. */
void questions_follow(struct questions *questions);

/* To be called about once a second. */
void questions_tick(struct questions *questions);

/* Asks no more; in any state. */
void questions_end(struct questions *questions);

#endif
