/* SPDX-License-Identifier: Apache-2.0 */
/* Android's perfetto program during a capture, for SurfaceFlinger's FrameTimeline alone: Android 12
 * and later. Its configuration has no ftrace, which would clear the buffer of the capture. */
#ifndef JANKD_DAEMON_ANDROID_PERFETTO_H
#define JANKD_DAEMON_ANDROID_PERFETTO_H

#include <stdbool.h>

#include "daemon/base/loop.h"
#include "parser/span.h"

struct perfetto;

struct perfetto_calls {
	/* Its output, in pieces as they come; borrowed. */
	void (*bytes)(void *context, struct span bytes);
	/* It ended before perfetto_stop(). @why: borrowed. */
	void (*failed)(void *context, const char *why);
	void *context;
};

/* Returns true if a device with this ro.build.version.sdk has FrameTimeline, and the program is
 * there. */
bool perfetto_is_there(const char *sdk);

/* Starts it. @loop: borrowed. Returns 0 or -errno; in both cases perfetto_end() follows. */
int perfetto_begin(struct perfetto **out, struct loop *loop, const struct perfetto_calls *calls);

/* Call it about once a second: detects its end. @perfetto of this and the following may be NULL. */
void perfetto_tick(struct perfetto *perfetto);

/* Asks it to end. It passes on what it still has. */
void perfetto_stop(struct perfetto *perfetto);

/* Waits for its end after perfetto_stop(), at most for two seconds, and kills it then. Returns
 * false if it was killed. */
bool perfetto_finish(struct perfetto *perfetto);

/* Kills it if it runs, and frees @perfetto. Returns NULL. */
struct perfetto *perfetto_end(struct perfetto *perfetto);

#endif
