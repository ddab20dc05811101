/* SPDX-License-Identifier: Apache-2.0 */
/* Which Surfaces and sections --surface, --app and --section select. */
#ifndef JANKD_TOOLS_REPORT_SELECT_H
#define JANKD_TOOLS_REPORT_SELECT_H

#include "tools/report/session.h"

/* All may be NULL: everything. Globs match whole names: '*' is any text, '?' one character. */
struct selection {
	const char *surface, *app; /* globs */
	const char *section;	   /* the text of a mark, as a glob */
	bool with_info;		   /* --info: all of the info of late frames */
	bool has_range;		   /* --from or --to */
	int64_t from_us, to_us;	   /* of the frames on the page: from_us <= time < to_us */
};

bool select_surface(const struct selection *selection, const char *surface, const char *app);
bool select_section(const struct selection *selection, const struct session *session,
		    uint32_t section);

#endif
