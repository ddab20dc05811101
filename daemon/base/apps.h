/* SPDX-License-Identifier: Apache-2.0 */
/* The Surfaces of a session by app, for the verdict: as text, and as JSON. */
#ifndef JANKD_DAEMON_BASE_APPS_H
#define JANKD_DAEMON_BASE_APPS_H

#include "daemon/base/status.h"

/* An app is judged by the Surface that draws for the longest time. */
struct app_result {
	const char *app; /* "": Surfaces of no app */
	const struct status_surface *judged;
	unsigned int surfaces;
	uint64_t harm_ns;    /* of all its Surfaces, as the next one */
	uint64_t endless_ns; /* stalls that no frame ended */
	bool is_late;	     /* a frame of it was late, a jank, or a stall */
};

/* True: @a has more harm than @b. Of two with the same, one is worse. */
bool surface_is_worse(const struct status_surface *a, const struct status_surface *b);

/* The apps of status->surfaces: those with most harm first, then those that draw longest. Returns
 * their number. The results point into @status. */
unsigned int apps_of(struct app_result apps[STATUS_SURFACES_MAX], const struct status *status);

/* The whole name of the app whose main thread has the name @end, of which the kernel keeps the last
 * 15 bytes; @end itself if no Surface, or more than one app, fits. */
const char *app_whole_name(const struct status *status, const char *end);

#endif
