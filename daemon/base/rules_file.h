/* SPDX-License-Identifier: Apache-2.0 */
/* Rule sets by name or from files. */
#ifndef JANKD_DAEMON_BASE_RULES_FILE_H
#define JANKD_DAEMON_BASE_RULES_FILE_H

#include "rules/language/ruleset.h"

/* Rule files longer than this are refused. */
#define RULES_FILE_MAX (1 << 20)

/* Loads the rule set that --rules names. Returns it, to be freed with ruleset_free(), or NULL
 * after the reason was reported. */
struct ruleset *rules_load(const char *name_or_file);

/* Makes a rule set of the text of a rule file. Returns as rules_load(). */
struct ruleset *rules_parse(const char *file, struct span text);

/* What a message about --rules advises. */
#define RULES_ADVICE "name a rule file, or a built-in set that 'jankd rules show' lists"

/* Reads a rule file, which must be a regular one: a FIFO could have no writer. Returns its text, to
 * be freed with free(), or SPAN_NULL after the reason was reported: "@option@path: why; @advice".
 */
struct span rules_read_file(const char *option, const char *path, const char *advice);

#endif
