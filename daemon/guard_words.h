/* SPDX-License-Identifier: Apache-2.0 */
/* What events.csv says of each trouble. */
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

#endif
