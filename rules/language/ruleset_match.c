/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/language/ruleset_match.h"

_Static_assert(SLICE_CONTEXT_SHIFT + RULE_CONTEXTS_MAX <= 32, "each context has a bit");
_Static_assert(RULES_MAX + RULE_CONTEXTS_MAX < 256, "the number of a rule has one byte");

/* @events: the mask of EVENT_BIT of the rules that belong to @index. */
static void build_index(const struct ruleset *rules, struct rule_index *index, unsigned int events)
{
	for (unsigned int i = 0; i < RULES_MAX + rules->n_contexts; i++) {
		const struct rule *rule = &rules->rules[i];
		const struct pattern_part *part = &rule->pattern.parts[0];
		bool is_literal = part->kind == PATTERN_LITERAL;
		uint64_t seconds = UINT64_MAX, lengths;
		size_t least = 0;

		if (!(events & EVENT_BIT(rule->event)))
			continue;
		for (unsigned int k = 0; k < rule->pattern.n_parts; k++)
			least += rule->pattern.parts[k].text.len;
		if (is_literal && part->text.len >= 2)
			seconds = UINT64_C(1) << ((uint8_t)part->text.ptr[1] % 64);
		if (least >= 63)
			lengths = UINT64_C(1) << 63;
		else if (rule->pattern.n_parts == 1 && least > 0)
			lengths = UINT64_C(1) << least;
		else
			lengths = UINT64_MAX << least;
		index->has_digits |= pattern_has_digits(&rule->pattern);
		index->contexts |= rule->context;
		for (unsigned int byte = 0; byte < 256; byte++) {
			struct rule_list *list = &index->lists[byte % RULE_LISTS];

			if (is_literal && (uint8_t)part->text.ptr[0] != byte)
				continue;
			if (is_literal || byte < RULE_LISTS)
				list->numbers[list->n++] = (uint8_t)i;
			if (rule->event != EVENT_SLICE && rule->context != 0)
				continue;
			index->seconds[byte] |= seconds;
			index->lengths[byte] |= lengths;
		}
	}
}

/* The meaning that a rule of that role gives to a slice. */
static const uint32_t slice_bits[RULE_N_ROLES] = {
	[RULE_NOMINAL] = SLICE_NOMINAL,	  [RULE_COMMIT] = SLICE_COMMIT,
	[RULE_PRESENT] = SLICE_PRESENT,	  [RULE_COMPOSITE] = SLICE_COMPOSITE,
	[RULE_WORK] = SLICE_WORK,	  [RULE_CALLBACK] = SLICE_WORK | SLICE_CALLBACK,
	[RULE_TOKEN] = SLICE_TOKEN,	  [RULE_GPU_WAIT] = SLICE_WAIT,
	[RULE_RELEASE_WAIT] = SLICE_WAIT, [RULE_RENDER_WAIT] = SLICE_WAIT,
};

void ruleset_build_indexes(struct ruleset *rules)
{
	for (unsigned int i = 0; i < rules->n_rules; i++) {
		struct rule *rule = &rules->rules[i];

		rule->bits = slice_bits[rule->role];
		rules->layers_in_slices |=
			rule->event == EVENT_SLICE && pattern_has(&rule->pattern, PATTERN_LAYER);
	}
	build_index(rules, &rules->counters, ON_ANY_COUNTER);
	build_index(rules, &rules->instants, ON_INSTANT);
	build_index(rules, &rules->slices, ON_SLICE);
}

/* --- matching --- */

/* The rules that a name can match. */
static const struct rule_list *list_of(const struct rule_index *index, struct span name)
{
	return &index->lists[name.len > 0 ? (uint8_t)name.ptr[0] % RULE_LISTS : 0];
}

const struct slice_meaning slice_unnamed = { .number = -1, .newer = -1, .time_ns = -1 };

const struct slice_meaning *ruleset_match_slice(const struct ruleset *rules, struct span name,
						struct slice_meaning *meaning)
{
	const struct rule_list *list = list_of(&rules->slices, name);
	uint64_t head = word_load_some(name.ptr, name.len);
	struct pattern_capture capture = PATTERN_NO_CAPTURE;

	*meaning = slice_unnamed;
	for (unsigned int i = 0; i < list->n; i++) {
		const struct rule *rule = &rules->rules[list->numbers[i]];
		const struct pattern *pattern = &rule->pattern;

		if (!pattern_may_match(pattern, head) ||
		    !(rule->bits || (rule->role >= RULE_PLAN && meaning->role == RULE_NONE)) ||
		    !pattern_match(pattern, name, &capture))
			continue;
		meaning->mask |= rule->bits;
		meaning->since_14 |= rule->since_14;
		if (rule->role >= RULE_PLAN && meaning->role == RULE_NONE)
			meaning->role = rule->role;
		else if (rule->role != RULE_NOMINAL)
			continue;
		/* A rule without such a part takes nothing from the rules before it. */
		if (capture.frame >= 0)
			meaning->number = capture.frame;
		if (capture.newer >= 0)
			meaning->newer = capture.newer;
		if (capture.time_ns >= 0)
			meaning->time_ns = capture.time_ns;
	}
	if (meaning->number < 0 && (meaning->mask & SLICE_NUMBERED)) {
		/* The number after the first blank: "commit 4711 vsyncIn 12.34ms". */
		const char *blank = memchr(name.ptr, ' ', name.len);
		uint64_t number;

		name = span_skip(name, blank ? (size_t)(blank - name.ptr) + 1 : name.len);
		if (span_take_number(&name, PATTERN_NUMBER_MAX, &number) &&
		    (name.len == 0 || name.ptr[0] == ' '))
			meaning->number = (int64_t)number;
	}
	return meaning;
}

const struct rule *ruleset_match(const struct ruleset *rules, const struct rule_index *index,
				 struct span name, uint32_t open, struct pattern_capture *capture)
{
	const struct rule_list *list = list_of(index, name);
	uint64_t head;

	*capture = PATTERN_NO_CAPTURE;
	open &= index->contexts;
	if (!rule_index_may_match(index, name, open))
		return NULL;
	head = word_load_some(name.ptr, name.len);
	for (unsigned int i = 0; i < list->n; i++) {
		const struct rule *rule = &rules->rules[list->numbers[i]];

		if ((rule->context != 0 && !(rule->context & open)) ||
		    !pattern_may_match(&rule->pattern, head))
			continue;
		if (pattern_match(&rule->pattern, name, capture))
			return rule->role == RULE_NONE ? NULL : rule;
	}
	return NULL;
}

bool ruleset_ignores_layer(const struct ruleset *rules, struct span layer)
{
	for (unsigned int i = rules->layers_begin; i < rules->layers_end; i++)
		if (rules->rules[i].role == RULE_IGNORE && rules->rules[i].event == EVENT_LAYER &&
		    pattern_match(&rules->rules[i].pattern, layer, NULL))
			return true;
	return false;
}

struct span ruleset_rename(const struct ruleset *rules, struct span name)
{
	for (unsigned int i = rules->layers_begin; i < rules->layers_end; i++)
		if (rules->rules[i].role == RULE_RENAME &&
		    pattern_match(&rules->rules[i].pattern, name, NULL))
			return rules->rules[i].text;
	return name;
}
