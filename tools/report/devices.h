/* SPDX-License-Identifier: Apache-2.0 */
/* The table of devices and builds: the sessions of several devices, added up.
 *
 * A row for each device, build and app. Its grade is that of all sessions of the app, one after the
 * other; frame rate and jank are sums over the Surfaces by which the app is judged in each session,
 * or that --surface selects, of which the grade is then. The device is the id of session.json, else
 * the name of the folder before the session id, as jank-adb pull names it.
 */
#ifndef JANKD_TOOLS_REPORT_DEVICES_H
#define JANKD_TOOLS_REPORT_DEVICES_H

#include "daemon/show/grade_text.h"
#include "tools/report/session.h"

struct device_row {
	char *device;		   /* NULL: unknown */
	const char *model, *build; /* of the session; NULL: unknown */
	const char *app;
	int rank; /* of the app, see app_rank() */
	uint32_t sessions, pass, fail;
	/* Sums; NAN if one of them is unknown. */
	double frames, time_s, jank, stalls, stall_time_s;
	struct grade_facts facts;
	enum grade grade;
	uint32_t grades[GRADES]; /* sessions with each grade */
	/* The frame rate, and the display's, of the session that fails its rule by most. */
	struct graded slowest;
	uint32_t last; /* session that was counted last */
};

struct devices {
	/* Apps first, then home screens and the system; the worst grade first, of equal ones the
	 * one that lost most. */
	struct device_row *rows;
	uint32_t n;
};

/* The device of a session, in memory of its own. Returns -ENOMEM, or 0; *@device may be NULL then:
 * it is unknown. */
int device_of(char **device, const struct session *session);

/* Returns 0 or -ENOMEM; devices_free() must be called in any case. */
int devices_read(struct devices *devices, const struct session *sessions, uint32_t n_sessions,
		 const struct selection *selection);
void devices_free(struct devices *devices);

/* grade_sentence() of the app on that device and build. */
void device_sentence(char text[GRADE_TEXT_SIZE], const struct device_row *row,
		     enum language language);

/* Rates; NAN if unknown. */
double device_fps(const struct device_row *row);
double device_per_10_min(const struct device_row *row, double count);

#endif
