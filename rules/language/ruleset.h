/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a rule text into immutable tables. The language is described at the top of default.rules.
 */
#ifndef JANKD_RULES_LANGUAGE_RULESET_H
#define JANKD_RULES_LANGUAGE_RULESET_H

#include <stdbool.h>

#include "parser/span.h"

struct ruleset;

/* The place and reason of an error in a rule text. Lines and columns count from 1, columns in
 * bytes. */
struct ruleset_error {
	unsigned int line;
	unsigned int column;
	char message[700]; /* one line: what is expected, and the wrong word */
};

/**
 * ruleset_new() - parse a rule text
 * @out: the rule set; the caller frees it with ruleset_free()
 * @text: borrowed during the call only
 * @error: set if the text is wrong
 *
 * Returns 0; 1 if the text is wrong (see *@error); -ENOMEM.
 */
int ruleset_new(struct ruleset **out, struct span text, struct ruleset_error *error);

/* Frees @rules, which may be NULL. Returns NULL. */
struct ruleset *ruleset_free(struct ruleset *rules);

/* True: the rules use the engine last-counter of 2019: it has no layers and no rows of frames. */
bool ruleset_is_last_counter(const struct ruleset *rules);

/* The text of a built-in rule set ("default", "gfx2019"); SPAN_NULL for other names. */
struct span ruleset_builtin(const char *name);

/* Names of the built-in rule sets; the last entry is NULL. */
extern const char *const ruleset_builtin_names[];

#endif
