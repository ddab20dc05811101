/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file of --rules again during a capture (SIGHUP). A child process reads it, as the file
 * may be a FIFO by now, or on a disk that no longer answers: nothing waits for it. */
#ifndef JANKD_DAEMON_CAPTURE_RULES_RELOAD_H
#define JANKD_DAEMON_CAPTURE_RULES_RELOAD_H

#include <stddef.h>

#include "daemon/base/child.h"
#include "daemon/capture/drain.h"
#include "daemon/capture/session.h"

/* All zeros: no reload has begun. */
struct rules_reload {
	struct child child; /* to be checked every quarter of a second while it runs */
	struct session *session;
	struct drain *drain;
	char *text;
	size_t len;
};

/* Begins, or begins again. Events from before the end are counted by the old rules. How it ends is
 * an event. */
void rules_reload_begin(struct rules_reload *reload, struct session *session, struct drain *drain,
			struct loop *loop);

/* Ends it, in any state. */
void rules_reload_end(struct rules_reload *reload);

#endif
