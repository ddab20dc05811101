/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of rule files: literal text, '*', {layer}, {frame}, {number}, {newer} and {time}. They
 * match whole names. */
#ifndef JANKD_RULES_LANGUAGE_PATTERN_H
#define JANKD_RULES_LANGUAGE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "parser/swar.h"

/* Most '*' and {layer} in a pattern. With three, the time to match could grow with the cube of a
 * hostile name's length. */
#define PATTERN_WILDCARDS_MAX 2
#define PATTERN_PARTS_MAX (2 * (PATTERN_WILDCARDS_MAX + 3) + 1) /* {frame}, {newer}, {time} */

/* Of a {frame}, a {newer} and a vsync id: 18 digits. */
#define PATTERN_NUMBER_MAX UINT64_C(999999999999999999)

enum pattern_part_kind {
	PATTERN_LITERAL,
	PATTERN_ANY,   /* '*': any text, or none */
	PATTERN_LAYER, /* {layer}: any text of at least one byte, the longest match */
	PATTERN_FRAME, /* {frame}, {number}: a decimal number */
	PATTERN_NEWER, /* {newer}: another one */
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
	int64_t frame;	   /* -1 if the pattern has no {frame} or {number} */
	int64_t newer;	   /* -1 if it has no {newer} */
	int64_t time_ns;   /* -1 if it has no {time} */
};

#define PATTERN_NO_CAPTURE ((struct pattern_capture){ SPAN_NULL, -1, -1, -1 })

/**
 * pattern_parse() - compile a pattern
 * @pattern: set on success
 * @text: borrowed as long as the pattern lives
 * @at: on failure set to the offset of the error in @text
 *
 * Returns NULL, or the reason of the failure.
 */
const char *pattern_parse(struct pattern *pattern, struct span text, size_t *at);

/* False: no name that begins with the bytes @head (see word_load_some()) matches. Nearly all names
 * match no pattern, and this test costs far less than pattern_match(). */
static inline bool pattern_may_match(const struct pattern *pattern, uint64_t head)
{
	return ((head ^ pattern->head) & pattern->head_mask) == 0;
}

/* True: @name matches. Sets @capture, which may be NULL, only on a match. */
bool pattern_match(const struct pattern *pattern, struct span name,
		   struct pattern_capture *capture);

/* True: @name matches @glob, which may have any number of wildcards: '*' is any text, '?' one
 * character. Brackets have no special meaning, as names of layers contain them. */
bool pattern_glob(struct span glob, struct span name);

/* True: layers of that Surface are left out, as no glob of @include matches it, or one of @exclude.
 * Lists end with NULL; an empty one, or NULL, decides nothing. @app: in the layer's own name, which
 * may match as well; SPAN_NULL: it has none. */
bool pattern_excludes(const char *const *include, const char *const *exclude, struct span surface,
		      struct span app);

/* True: the pattern has a part of that kind. */
bool pattern_has(const struct pattern *pattern, enum pattern_part_kind kind);

/* False: whether a name matches does not depend on the number, of at most 18 digits, that it ends
 * with, nor do the captures but that of this number. */
bool pattern_has_digits(const struct pattern *pattern);

#endif
