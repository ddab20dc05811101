/* SPDX-License-Identifier: Apache-2.0 */
/* What Android is asked beside a capture: the display's period, once, and the app in front, at the
 * begin and whenever a window of another app begins to draw. Frames wait for their vsyncs longer
 * than the answers take; an answer that does not come holds up nothing. */
#ifndef JANKD_DAEMON_ANDROID_ANDROID_PROBE_H
#define JANKD_DAEMON_ANDROID_ANDROID_PROBE_H

#include <stdbool.h>

#include "daemon/base/child.h"
#include "daemon/base/options.h"
#include "parser/dumpsys.h"
#include "rules/pipeline.h"
#include "rules/surface.h"

struct android_probe {
	struct pipeline *const *pipeline; /* that there is: another one takes its place */
	void (*found_focus)(void *context, const char *name);
	void *context;
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

/* Asks, where dumpsys is there and @options do not say. ->pipeline, ->found_focus, which is called
 * with the activity in front at the begin, and ->context are set; all else is zero. @loop:
 * borrowed. */
void android_probe_begin(struct android_probe *probe, const struct options *options,
			 struct loop *loop);

/* Asks again, where what was read gives reason to. To be called after each row of reads. */
void android_probe_follow(struct android_probe *probe);

/* To be called about once a second. */
void android_probe_tick(struct android_probe *probe);

/* Asks no more; in any state. */
void android_probe_end(struct android_probe *probe);

#endif
