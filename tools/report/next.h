/* SPDX-License-Identifier: Apache-2.0 */
/* What to do next about an app that is not known to be good, derived from its facts. */
#ifndef JANKD_TOOLS_REPORT_NEXT_H
#define JANKD_TOOLS_REPORT_NEXT_H

#include "daemon/show/grade_text.h"
#include "tools/report/session.h"

/* "look at 0:30, the worst freeze, in checkout: doFrame 1433.3 ms (traversal 1433.3) on the app's
 * main thread."; "": nothing, or the sentence itself says it. */
void next_tell(char text[GRADE_TEXT_SIZE], const struct session *session,
	       const struct graded_app *app, enum language language);

#endif
