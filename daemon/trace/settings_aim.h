/* SPDX-License-Identifier: Apache-2.0 */
/* What settings are to be put back to, where other programs may have changed some meanwhile.
 *
 * Three texts as in settings.h say it: what was there before us, what we and atrace made of it,
 * and what is there now. A setting that is as we left it goes back to what it was. One that is
 * neither is another program's choice, made after ours: it stays, and is named. So the end of
 * atrace, which changes all of them again, cannot change it either. */
#ifndef JANKD_DAEMON_TRACE_SETTINGS_AIM_H
#define JANKD_DAEMON_TRACE_SETTINGS_AIM_H

#include "daemon/trace/settings.h"

/* The settings that stay, for people: "trace_clock mono, buffer_size_kb 2048". All zeros: none. */
struct settings_left {
	char text[200];
	unsigned int n;	   /* of them */
	unsigned int more; /* of these, for which there is no room in the text */
};

/* From now on @set does not say any more that we have set the file @name of a place: another
 * program has written to it, if only the same value. Then it stays as it is. */
void settings_leave(struct settings *set, const char *instance, const char *name);

/**
 * settings_aim() - what settings_restore() is to be given
 * @aim: the caller frees it; where it is incomplete, @before is the next best
 * @before: as the journal has it; lines that are none of settings.h come out as they are
 * @set: SPAN_NULL: not known; then all is put back that differs from @before
 */
void settings_aim(struct settings *aim, struct span before, struct span set, struct span found,
		  struct settings_left *left);

/* The same of what is there now, which it reads. @budget: for properties. */
void settings_aim_now(struct settings *aim, const struct settings *before,
		      const struct settings *set, const char *tracefs,
		      struct property_budget *budget, struct settings_left *left);

#endif
