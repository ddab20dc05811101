/* SPDX-License-Identifier: Apache-2.0 */
/* The names that a trace has again and again, with what the rules say of them: each is matched with
 * the rules once, until another one takes its place. */
#ifndef JANKD_RULES_LANGUAGE_NAMES_H
#define JANKD_RULES_LANGUAGE_NAMES_H

#include "rules/language/ruleset_match.h"

/* A trace has up to some hundred names that rules may name. */
#define NAMES_BITS 9
#define NAMES_MAX (1 << NAMES_BITS)

/* A longer name is matched each time. */
#define NAMES_TEXT 112

struct known_name {
	uint32_t length;	  /* 0: unused */
	uint32_t open;		  /* of a counter: as for ruleset_match() */
	bool is_number, is_newer; /* of a slice: those numbers are the one after its name */
	bool is_unnamed;	  /* of a slice: no rule matches */
	union {
		struct slice_meaning meaning;
		struct {
			const struct rule *rule; /* or NULL */
			struct pattern_capture capture;
			uint32_t layer_at; /* capture.layer begins there in the name */
		};
	};
	char text[NAMES_TEXT];
};

struct name_table {
	const struct ruleset *rules; /* borrowed */
	unsigned int misses;
	struct known_name known[NAMES_MAX]; /* a name is in one of two places */
};

/* Forgets all names: what they mean is up to @rules from now on. */
void names_set_rules(struct name_table *names, const struct ruleset *rules);

/* ruleset_match() of a counter for which rule_index_may_match() is true. */
const struct rule *names_counter(struct name_table *names, struct span name, uint32_t open,
				 struct pattern_capture *capture);

/* ruleset_match_slice(); returns slice_unnamed if no rule matches. */
const struct slice_meaning *names_slice(struct name_table *names, struct span name,
					struct slice_meaning *meaning);

#endif
