/* SPDX-License-Identifier: Apache-2.0 */
/* Rule text to immutable tables. The language is described at the top of default.rules. */
#ifndef JANKD_RULES_RULESET_H
#define JANKD_RULES_RULESET_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

struct ruleset;

/* Where and why a rule text is wrong. Lines and columns count from 1, columns in bytes. */
struct ruleset_error {
	unsigned int line;
	unsigned int column;
	char message[200]; /* what is wrong and what would be right, one line */
};

/**
 * ruleset_new() - parse a rule text
 * @out: the rule set; the caller gives it back with ruleset_free()
 * @text: borrowed during the call only
 * @error: set where the text is wrong
 *
 * Returns 0; 1 where the text is wrong (*@error says why); -ENOMEM.
 */
int ruleset_new(struct ruleset **out, struct span text, struct ruleset_error *error);

/* Frees @rules, which may be NULL. Returns NULL. */
struct ruleset *ruleset_free(struct ruleset *rules);

/* Are they of the engine last-counter, the way of 2019? It has no layers and no single frames. */
bool ruleset_is_last_counter(const struct ruleset *rules);

/* The text of a rule set that is built in ("default", "gfx2019"); SPAN_NULL for other names. */
struct span ruleset_builtin(const char *name);

/* Names of the built-in rule sets, ended by NULL. */
extern const char *const ruleset_builtin_names[];

#endif
