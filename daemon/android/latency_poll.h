/* SPDX-License-Identifier: Apache-2.0 */
/* Polls the present fences of layers with 'dumpsys SurfaceFlinger --latency' instead of reading a
 * trace.
 *
 *     scan     every 5 s: --list, then --latency of each name that may have buffers. A layer whose
 *              ring has fresh rows lives
 *     poll     between scans only the living layers, twice in the time in which a ring of 127
 *              frames is overwritten
 *
 * Layers that --include and --exclude leave out are only listed.
 *
 * Frames are passed on in the order of their times. A layer that is not polled between scans may
 * have frames, too, so only those from before the last scan can be passed on.
 */
#ifndef JANKD_DAEMON_ANDROID_LATENCY_POLL_H
#define JANKD_DAEMON_ANDROID_LATENCY_POLL_H

#include <stdint.h>

#include "daemon/base/child.h"
#include "daemon/base/options.h"
#include "daemon/base/status.h"
#include "rules/beside/present_fence.h"

#define LATENCY_LAYERS_MAX 32  /* that live at a time */
#define LATENCY_NAMES_MAX 512  /* of a list */
#define LATENCY_HELD_MAX 8192  /* frames that wait for a scan */
#define LATENCY_NAME_SIZE 1024 /* with its NUL; layers with longer names are not polled */

struct latency_calls {
	void (*frame)(void *context, const struct present_fence *frame);
	/* All frames up to @until_ns were passed on. Times are those of the boot clock. */
	void (*passed)(void *context, uint64_t until_ns);
	void (*event)(void *context, const char *kind, const char *text);
	void *context;
};

struct latency_poll;

/* Begins with a scan. Frames from now on count. @options, @loop: borrowed. NULL: out of memory. */
struct latency_poll *latency_poll_begin(const struct options *options, struct loop *loop,
					const struct latency_calls *calls);

/* Starts the next run if one is due. To be called after each wakeup. @poll may be NULL. */
void latency_poll_follow(struct latency_poll *poll);

/* When it has to be called, on the clock of loop_now(). UINT64_MAX: @poll is NULL. */
uint64_t latency_poll_next(const struct latency_poll *poll);

/* Reads the living layers a last time, and passes all frames on. Takes 2 s at most. */
void latency_poll_finish(struct latency_poll *poll);

/* Frees it, which may be NULL. Returns NULL. */
struct latency_poll *latency_poll_end(struct latency_poll *poll);

const struct status_latency *latency_poll_counts(const struct latency_poll *poll);

/* Longer names are compared by their first bytes. */
#define NEAREST_NAME_BYTES 128

/* The number of bytes to insert, remove or replace to make one name from the other (Levenshtein's
 * distance). */
unsigned int nearest_name_distance(const char *a, const char *b);

#endif
