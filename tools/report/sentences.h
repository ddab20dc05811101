/* SPDX-License-Identifier: Apache-2.0 */
/* What a session says of an app, in sentences: of text, page, JSON and Markdown. */
#ifndef JANKD_TOOLS_REPORT_SENTENCES_H
#define JANKD_TOOLS_REPORT_SENTENCES_H

#include "daemon/show/grade_text.h"
#include "tools/report/session.h"

struct session_sentences {
	char grade[GRADE_TEXT_SIZE]; /* grade_sentence() */
	/* Which section is worst, whose fault the lost time is, and what else is known of it; may
	 * be empty. */
	char whose[3 * GRADE_TEXT_SIZE];
	char next[GRADE_TEXT_SIZE]; /* next_tell() */
};

void session_sentences(struct session_sentences *sentences, const struct session *session,
		       const struct graded_app *app, enum language language);

/* Why there is no grade, and what is known nevertheless: of a capture that was killed before it had
 * a file that says how long apps drew. "" if that is not the reason. */
void session_no_grade(char text[GRADE_TEXT_SIZE], const struct session *session,
		      enum language language);

/* A counter of session.json; 0 if it is not known. */
uint64_t session_counter(const struct session *session, const char *key);

/* "complete", "8.0 s (13 %) missing" ... */
#define SESSION_COMPLETE_SIZE 80
void session_tell_complete(char text[SESSION_COMPLETE_SIZE], const struct session *session,
			   const struct graded_app *app);

/* Sets the frame rate and the display's, and whether the Surface is even. */
void surface_set_rates(struct graded *graded, const struct session *session,
		       const struct surface *surface);

/* The apps, the one with most frames first; none if frames are known otherwise. Returns their
 * number. */
unsigned int timeline_apps(struct timeline_app apps[TIMELINE_APPS_MAX],
			   const struct session *session);

/* What to do next about an app that is not known to be good, derived from its facts: "look at 0:30,
 * the worst freeze, in checkout: doFrame 1433.3 ms (traversal 1433.3) on the app's main thread.";
 * "": nothing, or the sentence itself says it. */
void next_tell(char text[GRADE_TEXT_SIZE], const struct session *session,
	       const struct graded_app *app, enum language language);

#endif
