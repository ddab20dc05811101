/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/language/pattern.h"

#include "rules/base/table.h"

static const struct {
	struct span text;
	enum pattern_part_kind kind;
} specials[] = {
	{ SPAN_INIT("*"), PATTERN_ANY },	 { SPAN_INIT("{layer}"), PATTERN_LAYER },
	{ SPAN_INIT("{frame}"), PATTERN_FRAME }, { SPAN_INIT("{number}"), PATTERN_FRAME },
	{ SPAN_INIT("{newer}"), PATTERN_NEWER }, { SPAN_INIT("{time}"), PATTERN_TIME },
};

const char *pattern_parse(struct pattern *pattern, struct span text, size_t *at)
{
	struct span rest = text;
	unsigned int wildcards = 0;

	pattern->n_parts = 0;
	while (rest.len > 0) {
		enum pattern_part_kind kind;
		size_t n = 0, i = 0;

		while (n < rest.len && rest.ptr[n] != '*' && rest.ptr[n] != '{')
			n++;
		*at = (size_t)(rest.ptr - text.ptr);
		if (n > 0) {
			pattern->parts[pattern->n_parts++] =
				(struct pattern_part){ PATTERN_LITERAL, { rest.ptr, n } };
			rest = span_skip(rest, n);
			continue;
		}
		while (i < ARRAY_SIZE(specials) && !span_starts_with(rest, specials[i].text))
			i++;
		if (i == ARRAY_SIZE(specials))
			return "braces must enclose layer, frame, number, newer or time";
		kind = specials[i].kind;
		if (kind != PATTERN_ANY && pattern_has(pattern, kind))
			return "each name in braces may occur only once in a pattern";
		if (pattern->n_parts > 0 &&
		    pattern->parts[pattern->n_parts - 1].kind != PATTERN_LITERAL)
			return "two wildcards need a literal character between them";
		pattern->parts[pattern->n_parts++] = (struct pattern_part){ kind, SPAN_NULL };
		rest = span_skip(rest, specials[i].text.len);
		wildcards += kind == PATTERN_ANY || kind == PATTERN_LAYER;
		if (wildcards > PATTERN_WILDCARDS_MAX)
			return "'*' and {layer} may occur at most twice in a pattern";
	}
	*at = 0;
	if (pattern->n_parts == 0)
		return "a pattern cannot be empty";
	pattern->head = pattern->head_mask = 0;
	if (pattern->parts[0].kind == PATTERN_LITERAL) {
		rest = pattern->parts[0].text;
		pattern->head = word_load_some(rest.ptr, rest.len);
		pattern->head_mask = rest.len < sizeof(uint64_t) ? (UINT64_C(1) << 8 * rest.len) - 1
								 : UINT64_MAX;
	}
	return NULL;
}

bool pattern_has(const struct pattern *pattern, enum pattern_part_kind kind)
{
	for (unsigned int i = 0; i < pattern->n_parts; i++)
		if (pattern->parts[i].kind == kind)
			return true;
	return false;
}

bool pattern_has_digits(const struct pattern *pattern)
{
	for (unsigned int i = 0; i < pattern->n_parts; i++)
		for (size_t k = 0; k < pattern->parts[i].text.len; k++)
			if (is_digit(pattern->parts[i].text.ptr[k]))
				return true;
	return false;
}

/* Reads a time, a number and its unit, and advances @text. False: there is none or it is too large.
 */
static bool take_time(struct span *text, int64_t *time_ns)
{
	uint64_t value, part = 0, unit = 1;

	if (!span_take_number(text, 1000000000, &value))
		return false;
	if (text->len > 0 && text->ptr[0] == '.') {
		size_t before = text->len - 1;

		*text = span_skip(*text, 1);
		if (!span_take_number(text, 999999, &part) || before - text->len > 6)
			return false;
		for (size_t digits = before - text->len; digits > 0; digits--)
			unit *= 10;
	}
	if (span_starts_with(*text, SPAN_LITERAL("us")))
		*time_ns = (int64_t)(value * 1000 + part * 1000 / unit);
	else if (span_starts_with(*text, SPAN_LITERAL("ns")))
		*time_ns = (int64_t)value;
	else if (span_starts_with(*text, SPAN_LITERAL("ms")))
		*time_ns = (int64_t)(value * 1000000 + part * 1000000 / unit);
	else
		return false;
	*text = span_skip(*text, 2);
	return true;
}

static bool match_parts(const struct pattern_part *part, unsigned int n_parts, struct span name,
			struct pattern_capture *capture)
{
	size_t least, n;
	const char *at;
	uint64_t number;

	if (n_parts == 0)
		return name.len == 0;
	switch (part->kind) {
	case PATTERN_LITERAL:
		return span_starts_with(name, part->text) &&
		       match_parts(part + 1, n_parts - 1, span_skip(name, part->text.len), capture);
	case PATTERN_FRAME:
	case PATTERN_NEWER:
		if (!span_take_number(&name, PATTERN_NUMBER_MAX, &number))
			return false;
		*(part->kind == PATTERN_FRAME ? &capture->frame : &capture->newer) =
			(int64_t)number;
		return match_parts(part + 1, n_parts - 1, name, capture);
	case PATTERN_TIME:
		return take_time(&name, &capture->time_ns) &&
		       match_parts(part + 1, n_parts - 1, name, capture);
	case PATTERN_ANY:
	case PATTERN_LAYER:
		break;
	}
	least = part->kind == PATTERN_LAYER ? 1 : 0;
	/* Tries the longest match first, as names of layers contain " - ", too ("SurfaceView -
	 * app/Activity"). */
	n = name.len;
	if (n_parts == 1 && n >= least)
		goto matched;
	/* A literal follows each wildcard. */
	while (n > 0 && (at = memrchr(name.ptr, part[1].text.ptr[0], n))) {
		n = (size_t)(at - name.ptr);
		if (n >= least && match_parts(part + 1, n_parts - 1, span_skip(name, n), capture))
			goto matched;
	}
	return false;
matched:
	if (part->kind == PATTERN_LAYER)
		capture->layer = (struct span){ name.ptr, n };
	return true;
}

bool pattern_match(const struct pattern *pattern, struct span name, struct pattern_capture *capture)
{
	struct pattern_capture found = PATTERN_NO_CAPTURE;

	if (!match_parts(pattern->parts, pattern->n_parts, name, &found))
		return false;
	if (capture)
		*capture = found;
	return true;
}

bool pattern_glob(struct span glob, struct span name)
{
	size_t g = 0, n = 0, star = SIZE_MAX, retry = 0;

	while (n < name.len) {
		if (g < glob.len && glob.ptr[g] == '*') {
			star = g++;
			retry = n;
		} else if (g < glob.len && glob.ptr[g] == '?') {
			g++;
			/* A character of UTF-8. */
			for (n++; n < name.len && ((unsigned char)name.ptr[n] & 0xc0) == 0x80;)
				n++;
		} else if (g < glob.len && glob.ptr[g] == name.ptr[n]) {
			g++;
			n++;
		} else if (star != SIZE_MAX) {
			g = star + 1;
			n = ++retry;
		} else {
			return false;
		}
	}
	while (g < glob.len && glob.ptr[g] == '*')
		g++;
	return g == glob.len;
}

static bool has_match(const char *const *globs, struct span surface, struct span app)
{
	for (; globs && *globs; globs++)
		if (pattern_glob(span_of(*globs), surface) ||
		    (app.ptr && pattern_glob(span_of(*globs), app)))
			return true;
	return false;
}

bool pattern_excludes(const char *const *include, const char *const *exclude, struct span surface,
		      struct span app)
{
	return (include && *include && !has_match(include, surface, app)) ||
	       has_match(exclude, surface, app);
}
