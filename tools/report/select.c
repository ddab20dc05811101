/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/select.h"

#include "rules/language/pattern.h"

static bool matches(const char *glob, const char *name)
{
	return !glob || pattern_glob(span_of(glob), span_of(name));
}

bool select_surface(const struct selection *selection, const char *surface, const char *app)
{
	return matches(selection->surface, surface) && matches(selection->app, app);
}

bool select_section(const struct selection *selection, const struct session *session,
		    uint32_t section)
{
	if (!selection->section)
		return true;
	return session->n_sections > 0 &&
	       matches(selection->section, name_of(session, session->sections[section].name));
}
