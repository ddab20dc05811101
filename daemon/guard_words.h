/* SPDX-License-Identifier: Apache-2.0 */
/* What events.csv says of what others do to the trace, and how often. */
#ifndef JANKD_DAEMON_GUARD_WORDS_H
#define JANKD_DAEMON_GUARD_WORDS_H

#include "daemon/guard.h"

/* Behind each stands the value, but for GUARD_OFF, which has none. */
struct guard_words {
	const char *came;
	const char *gone; /* by itself */
	const char *taken;
};

const struct guard_words *guard_words(enum guard_trouble_kind kind);

/* A row of events.csv; so many of a minute that they fill no disk. */
void guard_tell(struct guard *guard, const char *text);
void guard_tell_value(struct guard *guard, const char *text, const char *value);

#endif
