/* SPDX-License-Identifier: Apache-2.0 */
/* The table of devices and builds: the sessions of several devices, added up.
 *
 * A row for each device, build and app. Its numbers are sums over the Surfaces by which the app is
 * judged in each session, or that --surface selects. The device is the id of session.json, else the
 * name of the folder before the session id, as jank-adb pull names it.
 */
#ifndef JANKD_TOOLS_REPORT_DEVICES_H
#define JANKD_TOOLS_REPORT_DEVICES_H

#include "tools/report/select.h"
#include "tools/report/session.h"

struct device_row {
	char *device;		   /* NULL: unknown */
	const char *model, *build; /* of the session; NULL: unknown */
	const char *app;
	uint32_t sessions, pass, fail;
	/* Sums; NAN if one of them is unknown. */
	double frames, time_s, jank, stalls, stall_time_s;
	uint32_t last; /* session that was counted last */
};

struct devices {
	struct device_row *rows; /* the one with most janks in 10 minutes first */
	uint32_t n;
};

/* Returns 0 or -ENOMEM; devices_free() must be called in any case. */
int devices_read(struct devices *devices, const struct session *sessions, uint32_t n_sessions,
		 const struct selection *selection);
void devices_free(struct devices *devices);

/* Rates; NAN if unknown. */
double device_fps(const struct device_row *row);
double device_per_10_min(const struct device_row *row, double count);

#endif
