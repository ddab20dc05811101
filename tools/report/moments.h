/* SPDX-License-Identifier: Apache-2.0 */
/* Late frames and freezes, alike ones together: of one kind, Surface, cause and name of section. */
#ifndef JANKD_TOOLS_REPORT_MOMENTS_H
#define JANKD_TOOLS_REPORT_MOMENTS_H

#include "daemon/show/grade_text.h"
#include "tools/report/session.h"

struct moments {
	bool is_freeze, is_of_app; /* is_of_app: the Surface is a part of an app */
	bool is_endless;	   /* no frame ended it */
	uint16_t surface;
	uint8_t cause;	   /* enum cause */
	uint32_t section;  /* the name of that where they ended; NAME_NONE without sections */
	uint32_t began_in; /* the name of another one, where they began; NAME_NONE: there is none */
	uint32_t times;
	uint64_t shortest_us, longest_us, lost_us; /* lost_us: 0 is unknown, of a drop of 2019 */
	int64_t first_us; /* when the first one began: the frame before it */
	const struct late_row *worst;
};

/* A time of the session from its begin: "18:00", "1:02:03"; as the trace has it, "60.485 s", if
 * there was more than one clock. */
#define SESSION_TIME_SIZE GRADE_TIME_SIZE
void session_time(char text[SESSION_TIME_SIZE], const struct session *session, int64_t time_us);

/* The one moment, as a group. */
struct moments moments_of(const struct session *session, const struct late_row *late);

/* Groups those that the session keeps and the selection shows, those of apps first, then by time
 * lost. Returns their number or -ENOMEM; *@groups must be freed. */
int moments_read(struct moments **groups, const struct session *session,
		 const struct selection *selection);

/* What the info of a late frame says of the app's own work: "doFrame 1433.3 ms (traversal 1433.3)".
 * The counters after it are left out. "": nothing. */
size_t moment_work(const struct session *session, const struct late_row *late, const char **text);

/* How long the frame that ended a freeze of unknown cause had waited in the queue, if that was for
 * half of the freeze or longer; else 0. */
uint64_t moment_queued_us(const struct late_row *late);

/* The section, escaped: "checkout", "home (began in checkout)"; "" without sections. */
#define MOMENTS_PLACE_SIZE 432
void moments_place(char text[MOMENTS_PLACE_SIZE], const struct session *session,
		   const struct moments *group, enum language language);

/* "freeze, checkout, App too slow, 40 times, 0.60 to 1.45 s, 41.00 s lost"; "freeze, home (began in
 * checkout), ..."; "..., no frame ended it" */
#define MOMENTS_TEXT_SIZE 768
void moments_tell(char text[MOMENTS_TEXT_SIZE], const struct session *session,
		  const struct moments *group);

#endif
