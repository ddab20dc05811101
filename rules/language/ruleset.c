/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/language/ruleset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/base/table.h"
#include "rules/language/ruleset_match.h"

/* The events that a role can be used with, as written in a rule file. */
static const struct {
	const char *word;
	enum rule_event event;
} event_words[] = {
	{ "counter", EVENT_COUNTER }, { "rise", EVENT_RISE },	{ "fall", EVENT_FALL },
	{ "instant", EVENT_INSTANT }, { "slice", EVENT_SLICE }, { "layer", EVENT_LAYER },
};

static const struct {
	const char *word;
	enum rule_role role;
	unsigned int events; /* mask of EVENT_BIT */
	enum pattern_part_kind needs;
} role_words[] = {
#define ROLE(name, word, events, needs) { word, RULE_##name, events, needs },
	RULE_ROLES(ROLE)
#undef ROLE
};

/* A rule text while it is parsed. What reads a part of it returns 0, or 1 after fail(). */
struct reader {
	struct ruleset *rules;
	struct ruleset_error *error;
	char *line; /* start of the line */
	char *at;   /* next byte to read */
	char *end;  /* of the line */
	char *word; /* start of the last word, for the column of an error */
	unsigned int number;
};

static int fail(struct reader *r, const char *at, const char *what, struct span word)
{
	r->error->line = r->number;
	r->error->column = (unsigned int)(at - r->line) + 1;
	if (word.len > 0)
		snprintf(r->error->message, sizeof(r->error->message), "%s, not '%.*s'", what,
			 (int)(word.len < 60 ? word.len : 60), word.ptr);
	else
		snprintf(r->error->message, sizeof(r->error->message), "%s", what);
	return 1;
}

static void add_text(char *to, size_t size, const char *text)
{
	size_t used = strlen(to);

	snprintf(to + used, size - used, "%s", text);
}

/* Reads the next word; SPAN_NULL at the end of the line or at a comment. "Text with \" and \\" is
 * unquoted in place. */
static int read_word(struct reader *r, struct span *word)
{
	char *to;

	*word = SPAN_NULL;
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
	r->word = r->at;
	if (r->at == r->end || *r->at == '#')
		return 0;
	if (*r->at != '"') {
		while (r->at < r->end && *r->at != ' ' && *r->at != '\t')
			r->at++;
		*word = (struct span){ r->word, (size_t)(r->at - r->word) };
		return 0;
	}
	to = ++r->at;
	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '\\' && r->end - r->at > 1 && (r->at[1] == '"' || r->at[1] == '\\'))
			r->at++;
		*to++ = *r->at++;
	}
	if (r->at == r->end)
		return fail(r, r->word, "the closing \" is missing on this line", SPAN_NULL);
	r->at++;
	*word = (struct span){ r->word + 1, (size_t)(to - r->word) - 1 };
	return 0;
}

static int read_pattern(struct reader *r, struct pattern *pattern, struct span *text)
{
	const char *message;
	size_t at;

	if (read_word(r, text))
		return 1;
	if (!text->ptr)
		return fail(r, r->word, "a pattern is missing here", SPAN_NULL);
	message = pattern_parse(pattern, *text, &at);
	return message ? fail(r, text->ptr + at, message, SPAN_NULL) : 0;
}

/* Sets *@bit to the mask of slices that match @pattern. Rules with the same slice share a bit. */
static int add_context(struct reader *r, const struct pattern *pattern, uint32_t *bit)
{
	struct ruleset *rules = r->rules;
	unsigned int i;

	for (i = 0; i < rules->n_contexts; i++) {
		const struct pattern *other = &rules->rules[RULES_MAX + i].pattern;

		if (other->n_parts == 1 && pattern->n_parts == 1 &&
		    span_equal(other->parts[0].text, pattern->parts[0].text))
			break;
	}
	if (i == RULE_CONTEXTS_MAX)
		return fail(r, r->word, "more than 24 'inside' and 'composite' slices in one file",
			    SPAN_NULL);
	*bit = UINT32_C(1) << (SLICE_CONTEXT_SHIFT + i);
	if (i == rules->n_contexts)
		rules->rules[RULES_MAX + rules->n_contexts++] =
			(struct rule){ .event = EVENT_SLICE, .pattern = *pattern, .bits = *bit };
	return 0;
}

static int read_event(struct reader *r, size_t role, struct rule *rule)
{
	unsigned int takes = role_words[role].events;
	const char *before = " takes ";
	char what[128];
	struct span word;

	if (read_word(r, &word))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(event_words); i++) {
		rule->event = event_words[i].event;
		if ((takes & EVENT_BIT(rule->event)) &&
		    span_equal(word, span_of(event_words[i].word)))
			return 0;
	}
	snprintf(what, sizeof(what), "'%s'", role_words[role].word);
	for (size_t i = 0; i < ARRAY_SIZE(event_words); i++) {
		if (!(takes & EVENT_BIT(event_words[i].event)))
			continue;
		add_text(what, sizeof(what), before);
		add_text(what, sizeof(what), event_words[i].word);
		before = " or ";
	}
	return fail(r, r->word, what, word);
}

static int read_rule(struct reader *r, size_t role)
{
	struct rule rule = { .role = role_words[role].role };
	enum pattern_part_kind needs = role_words[role].needs;
	struct pattern slice;
	struct span text, word;

	if (rule.role == RULE_ENGINE) {
		if (read_word(r, &text))
			return 1;
		r->rules->last_counter = span_equal(text, SPAN_LITERAL("last-counter"));
		return r->rules->last_counter
			       ? 0
			       : fail(r, r->word, "the only engine is last-counter", text);
	}
	if (read_event(r, role, &rule) || read_pattern(r, &rule.pattern, &text))
		return 1;
	if (needs && !pattern_has(&rule.pattern, needs) &&
	    !(needs == PATTERN_LAYER ? r->rules->last_counter : rule.event == EVENT_COUNTER))
		return fail(r, text.ptr,
			    needs == PATTERN_LAYER  ? "this pattern must contain {layer}"
			    : needs == PATTERN_TIME ? "this pattern must contain {time}"
						    : "this pattern must contain {number}",
			    SPAN_NULL);
	if (rule.role == RULE_COMPOSITE) {
		if (add_context(r, &rule.pattern, &rule.context))
			return 1;
		r->rules->entered_once |= rule.context;
		r->rules->composites |= rule.context;
	}
	/* The part after the pattern. */
	if (rule.role == RULE_RENAME) {
		if (read_word(r, &rule.text))
			return 1;
		if (rule.text.len == 0)
			return fail(r, r->word,
				    "'rename layer PATTERN' must be followed by the new name",
				    SPAN_NULL);
	}
	for (;;) {
		if (read_word(r, &word))
			return 1;
		if (!word.ptr)
			break;
		if (rule.role == RULE_RENAME)
			return fail(r, r->word, "expected the end of the line", word);
		if (span_equal(word, SPAN_LITERAL("inside")) && rule.context == 0) {
			if (read_pattern(r, &slice, &word) || add_context(r, &slice, &rule.context))
				return 1;
			/* A producer's queueBuffer slice may contain another one of that name. No
			 * other slice contains itself. */
			if (rule.role != RULE_QUEUE)
				r->rules->entered_once |= rule.context;
		} else if (span_equal(word, SPAN_LITERAL("fallback")) && rule.role == RULE_LATCH) {
			rule.fallback = true;
		} else if (span_equal(word, SPAN_LITERAL("since-14"))) {
			rule.since_14 = true;
		} else {
			return fail(r, r->word,
				    "expected 'inside SLICE' (once), 'since-14', 'fallback' (of a "
				    "latch), or the end of the line",
				    word);
		}
	}
	if (r->rules->n_rules == RULES_MAX)
		return fail(r, r->line, "more than 200 rules in one file", SPAN_NULL);
	if (rule.event == EVENT_LAYER) {
		if (r->rules->layers_end == 0)
			r->rules->layers_begin = r->rules->n_rules;
		r->rules->layers_end = r->rules->n_rules + 1;
	}
	r->rules->rules[r->rules->n_rules++] = rule;
	return 0;
}

static bool has_role(const struct ruleset *rules, enum rule_role role)
{
	for (unsigned int i = 0; i < rules->n_rules; i++)
		if (rules->rules[i].role == role)
			return true;
	return false;
}

/* Reads all lines, and checks that they have the rules that are needed to count frames. */
static int read_lines(struct reader *r, char *end)
{
	char what[600] = "a rule begins with";
	struct span word;
	size_t role;

	for (r->number = 1; r->line < end; r->number++) {
		char *newline = memchr(r->line, '\n', (size_t)(end - r->line));

		r->at = r->line;
		r->end = newline ? newline : end;
		if (r->end > r->line && r->end[-1] == '\r')
			r->end--;
		if (memchr(r->line, '\0', (size_t)(r->end - r->line)))
			return fail(r, r->line,
				    "the line contains a NUL byte: this is not a rule file",
				    SPAN_NULL);
		if (read_word(r, &word))
			return 1;
		for (role = 0; role < ARRAY_SIZE(role_words); role++)
			if (span_equal(word, span_of(role_words[role].word)))
				break;
		if (word.ptr && role == ARRAY_SIZE(role_words)) {
			for (size_t i = 0; i < role; i++) {
				add_text(what, sizeof(what), i == 0 ? " " : ", ");
				add_text(what, sizeof(what), role_words[i].word);
			}
			return fail(r, r->word, what, word);
		}
		if (word.ptr && read_rule(r, role))
			return 1;
		r->line = newline ? newline + 1 : end;
	}

	r->line = r->at = r->end;
	if (!has_role(r->rules, RULE_PRESENT))
		return fail(r, r->at,
			    "the file has no 'present slice' rule: no frame would be counted",
			    SPAN_NULL);
	if (!r->rules->last_counter && !has_role(r->rules, RULE_LATCH))
		return fail(r, r->at, "the file has no 'latch' rule: no frame would have a layer",
			    SPAN_NULL);
	return 0;
}

int ruleset_new(struct ruleset **out, struct span text, struct ruleset_error *error)
{
	struct ruleset *rules = calloc(1, sizeof(*rules));
	struct reader r = { .rules = rules, .error = error };

	if (!rules)
		return -ENOMEM;
	/* Some editors begin a file with a byte order mark. */
	if (span_starts_with(text, SPAN_LITERAL("\xef\xbb\xbf")))
		text = span_skip(text, 3);
	rules->text = malloc(text.len + 1);
	if (!rules->text) {
		ruleset_free(rules);
		return -ENOMEM;
	}
	memcpy(rules->text, text.len ? text.ptr : "", text.len);
	r.line = r.at = r.end = rules->text;
	if (read_lines(&r, rules->text + text.len)) {
		ruleset_free(rules);
		return 1;
	}
	ruleset_build_indexes(rules);
	*out = rules;
	return 0;
}

bool ruleset_is_last_counter(const struct ruleset *rules)
{
	return rules->last_counter;
}

struct ruleset *ruleset_free(struct ruleset *rules)
{
	if (rules)
		free(rules->text);
	free(rules);
	return NULL;
}
