/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of rule files: literal text, '*', {layer}, {frame} and {time}. They match whole names.
 */
#ifndef JANKD_RULES_PATTERN_H
#define JANKD_RULES_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "parser/swar.h"

/* '*' and {layer}: with more of them a hostile name could cost the cube of its length. */
#define PATTERN_WILDCARDS_MAX 2
#define PATTERN_PARTS_MAX (2 * (PATTERN_WILDCARDS_MAX + 1) + 1)

enum pattern_part_kind {
	PATTERN_LITERAL,
	PATTERN_ANY,   /* '*': any text, or none */
	PATTERN_LAYER, /* {layer}: any text of at least one byte, the longest match */
	PATTERN_FRAME, /* {frame}: a decimal number */
	PATTERN_TIME,  /* {time}: "16666us", "16.66ms" */
};

struct pattern {
	uint64_t head, head_mask; /* first bytes of matching names, one word at most */
	unsigned int n_parts;
	struct pattern_part {
		enum pattern_part_kind kind;
		struct span text; /* of a literal; borrowed from the parsed text */
	} parts[PATTERN_PARTS_MAX];
};

struct pattern_capture {
	struct span layer; /* borrowed from the name */
	int64_t frame;	   /* -1 where the pattern has no {frame} */
	int64_t time_ns;   /* -1 where it has no {time} */
};

/**
 * pattern_parse() - compile a pattern
 * @pattern: set on success
 * @text: borrowed as long as the pattern lives
 * @at: on failure the offset in @text of the error
 *
 * Returns NULL, or a message with the reason.
 */
const char *pattern_parse(struct pattern *pattern, struct span text, size_t *at);

/* Returns false where no name that begins with the bytes @head (see word_load_some()) can match.
 * Nearly all names match nothing: this test is far cheaper than pattern_match(). */
static inline bool pattern_may_match(const struct pattern *pattern, uint64_t head)
{
	return ((head ^ pattern->head) & pattern->head_mask) == 0;
}

/* Does @name match? Sets @capture, which may be NULL, only on a match. */
bool pattern_match(const struct pattern *pattern, struct span name,
		   struct pattern_capture *capture);

/* Does @name match @glob, with any number of wildcards? '*' is any text, '?' one character.
 * Brackets have no special meaning: names of layers contain them. */
bool pattern_glob(struct span glob, struct span name);

/* Does the pattern have a part of that kind? */
bool pattern_has(const struct pattern *pattern, enum pattern_part_kind kind);

#endif
