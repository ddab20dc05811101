/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/ruleset_match.h"

#include "parser/chars.h"

/* --- the indexes --- */

/* The first part of rule @i, or of context @i (there are fewer contexts than rules). NULL if it
 * does not belong to @index. */
static const struct pattern_part *begin_of(const struct ruleset *rules,
					   const struct rule_index *index, unsigned int i)
{
	const struct rule_index *its = &rules->counters;

	if (index == &rules->in_slices)
		return i < rules->n_contexts ? &rules->contexts[i].parts[0] : NULL;
	if (rules->rules[i].event == EVENT_LAYER)
		return NULL;
	if (rules->rules[i].event == EVENT_SLICE)
		its = &rules->slices;
	else if (rules->rules[i].event == EVENT_INSTANT)
		its = &rules->instants;
	return index == its ? &rules->rules[i].pattern.parts[0] : NULL;
}

static bool begins_with(const struct pattern_part *part, unsigned int byte)
{
	return part && part->kind == PATTERN_LITERAL && (uint8_t)part->text.ptr[0] == byte;
}

/* Adds the list for names that begin with @byte; 256: for names of all other bytes. */
static void add_list(struct ruleset *rules, struct rule_index *index, unsigned int byte)
{
	for (unsigned int i = 0; i < rules->n_rules; i++) {
		const struct pattern_part *part = begin_of(rules, index, i);

		if (part && (part->kind != PATTERN_LITERAL || begins_with(part, byte)))
			rules->numbers[rules->n_numbers++] = (uint8_t)i;
	}
}

/* Bits of the second bytes of names that begin with @part. */
static uint64_t seconds_of(const struct pattern_part *part)
{
	if (part->kind != PATTERN_LITERAL || part->text.len < 2)
		return UINT64_MAX;
	return UINT64_C(1) << ((uint8_t)part->text.ptr[1] % 64);
}

static void set_seconds(struct ruleset *rules, struct rule_index *index, unsigned int byte)
{
	bool are_slices = index == &rules->slices || index == &rules->in_slices;

	index->seconds[byte] = 0;
	for (unsigned int i = 0; i < index->n[byte]; i++) {
		unsigned int number = rules->numbers[index->first[byte] + i];

		if (are_slices || rules->rules[number].context == 0)
			index->seconds[byte] |= seconds_of(begin_of(rules, index, number));
	}
}

static void build_index(struct ruleset *rules, struct rule_index *index)
{
	unsigned int shared = rules->n_numbers;
	bool has_own_list[256] = { false };
	unsigned int n_shared;

	for (unsigned int i = 0; i < rules->n_rules; i++) {
		const struct pattern_part *part = begin_of(rules, index, i);

		if (part && part->kind == PATTERN_LITERAL)
			has_own_list[(uint8_t)part->text.ptr[0]] = true;
	}
	add_list(rules, index, 256);
	n_shared = rules->n_numbers - shared;
	for (unsigned int byte = 0; byte < 256; byte++) {
		bool own = has_own_list[byte];
		unsigned int first = own ? rules->n_numbers : shared;

		if (own)
			add_list(rules, index, byte);
		index->first[byte] = (uint16_t)first;
		index->n[byte] = (uint8_t)(own ? rules->n_numbers - first : n_shared);
		set_seconds(rules, index, byte);
	}
}

void ruleset_build_indexes(struct ruleset *rules)
{
	for (unsigned int i = 0; i < rules->n_rules; i++)
		if (rules->rules[i].event == EVENT_SLICE &&
		    pattern_has(&rules->rules[i].pattern, PATTERN_LAYER))
			rules->layers_in_slices = true;
	build_index(rules, &rules->counters);
	build_index(rules, &rules->instants);
	build_index(rules, &rules->slices);
	build_index(rules, &rules->in_slices);
}

/* --- matching --- */

static unsigned int first_byte(struct span name)
{
	return name.len > 0 ? (uint8_t)name.ptr[0] : 0;
}

bool rule_is_unique(const struct rule *rule)
{
	return rule->role <= RULE_TRANSACTION && rule->pattern.parts[0].kind == PATTERN_LITERAL;
}

/* The meaning that a rule of that role gives to a slice. */
static const uint32_t slice_bits[RULE_N_ROLES] = {
	[RULE_NOMINAL] = SLICE_NOMINAL, [RULE_COMMIT] = SLICE_COMMIT,
	[RULE_PRESENT] = SLICE_PRESENT, [RULE_COMPOSITE] = SLICE_COMPOSITE,
	[RULE_WORK] = SLICE_WORK,	[RULE_CALLBACK] = SLICE_WORK | SLICE_CALLBACK,
	[RULE_TOKEN] = SLICE_TOKEN,
};

/* More digits are no vsync id: they would not fit into 64 bits. */
#define VSYNC_ID_DIGITS 18

/* The number after the first blank: "commit 4711 vsyncIn 12.34ms". -1: there is none. */
static int64_t vsync_id_in(struct span name)
{
	const char *blank = memchr(name.ptr, ' ', name.len);
	size_t at = blank ? (size_t)(blank - name.ptr) + 1 : name.len;
	size_t first = at;
	int64_t number = 0;

	while (at < name.len && is_digit(name.ptr[at]) && at - first < VSYNC_ID_DIGITS)
		number = number * 10 + (name.ptr[at++] - '0');
	return at > first && (at == name.len || name.ptr[at] == ' ') ? number : -1;
}

const struct slice_meaning slice_unnamed = { .number = -1, .newer = -1, .time_ns = -1 };

const struct slice_meaning *ruleset_match_slice(const struct ruleset *rules, struct span name,
						struct slice_meaning *meaning)
{
	unsigned int byte = first_byte(name);
	const uint8_t *numbers = rules->numbers + rules->slices.first[byte];
	uint64_t head = word_load_some(name.ptr, name.len);
	struct pattern_capture capture;

	*meaning = slice_unnamed;
	for (unsigned int i = 0; i < rules->slices.n[byte]; i++) {
		const struct rule *rule = &rules->rules[numbers[i]];
		const struct pattern *pattern = &rule->pattern;

		if (!pattern_may_match(pattern, head) ||
		    (rule->role >= RULE_PLAN ? meaning->role != RULE_NONE && !slice_bits[rule->role]
					     : !slice_bits[rule->role]) ||
		    !(pattern->captures ? pattern_match(pattern, name, &capture)
					: pattern_is(pattern, name)))
			continue;
		meaning->mask |= slice_bits[rule->role];
		meaning->since_14 |= rule->since_14;
		if (rule->role >= RULE_PLAN && meaning->role == RULE_NONE)
			meaning->role = rule->role;
		else if (rule->role != RULE_NOMINAL)
			continue;
		if (pattern->captures) {
			meaning->number = capture.frame;
			meaning->newer = capture.newer;
			meaning->time_ns = capture.time_ns;
		}
	}
	if (meaning->number < 0 && (meaning->mask & SLICE_NUMBERED))
		meaning->number = vsync_id_in(name);
	numbers = rules->numbers + rules->in_slices.first[byte];
	for (unsigned int i = 0; i < rules->in_slices.n[byte]; i++) {
		unsigned int number = numbers[i];

		if (pattern_may_match(&rules->contexts[number], head) &&
		    pattern_is(&rules->contexts[number], name))
			meaning->mask |= UINT32_C(1) << (SLICE_CONTEXT_SHIFT + number);
	}
	return meaning;
}

const struct rule *ruleset_match(const struct ruleset *rules, const struct rule_index *index,
				 struct span name, uint32_t open, struct pattern_capture *capture)
{
	unsigned int byte = first_byte(name);
	const uint8_t *numbers = rules->numbers + index->first[byte];
	uint64_t head;

	if (open == 0 && !rule_seconds_have(index->seconds[byte], name))
		return NULL;
	head = word_load_some(name.ptr, name.len);
	for (unsigned int i = 0; i < index->n[byte]; i++) {
		const struct rule *rule = &rules->rules[numbers[i]];

		if ((rule->context != 0 && !(rule->context & open)) ||
		    !pattern_may_match(&rule->pattern, head))
			continue;
		if (rule->pattern.captures ? pattern_match(&rule->pattern, name, capture)
					   : pattern_is(&rule->pattern, name))
			return rule;
	}
	return NULL;
}

bool ruleset_ignores_layer(const struct ruleset *rules, struct span layer)
{
	for (unsigned int i = 0; i < rules->n_rules; i++)
		if (rules->rules[i].role == RULE_IGNORE && rules->rules[i].event == EVENT_LAYER &&
		    pattern_match(&rules->rules[i].pattern, layer, NULL))
			return true;
	return false;
}

struct span ruleset_rename(const struct ruleset *rules, struct span name)
{
	for (unsigned int i = 0; i < rules->n_rules; i++)
		if (rules->rules[i].role == RULE_RENAME &&
		    pattern_match(&rules->rules[i].pattern, name, NULL))
			return rules->rules[i].text;
	return name;
}

struct span ruleset_surface(const struct ruleset *rules, struct span layer, char copy[SURFACE_MAX])
{
	return ruleset_rename(rules, surface_of_layer(layer, copy));
}
