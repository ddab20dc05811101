/* SPDX-License-Identifier: Apache-2.0 */
/* The Surfaces of a session by app, for the verdict: as text, and as JSON. */
#ifndef JANKD_DAEMON_CONTROL_APPS_H
#define JANKD_DAEMON_CONTROL_APPS_H

#include "daemon/base/status.h"

/* An app is judged by the Surface that draws for the longest time. */
struct app_result {
	const char *app; /* "": Surfaces of no app */
	const struct status_surface *judged;
	unsigned int surfaces;
	uint64_t harm_ns; /* of all its Surfaces */
};

/* The apps of status->surfaces: those with most harm first, then those that draw longest. Returns
 * their number. The results point into @status. */
unsigned int apps_of(struct app_result apps[STATUS_SURFACES_MAX], const struct status *status);

#endif
