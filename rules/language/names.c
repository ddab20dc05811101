/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/language/names.h"

/* Instead of a mask of open slices. A number follows the name of a numbered one. */
#define NAMES_SLICE UINT32_MAX
#define NAMES_NUMBERED (UINT32_MAX - 1)

/* The entry of a name, which may be new: @found tells. */
static inline struct known_name *entry_of(struct name_table *names, struct span name, uint32_t open,
					  bool *found)
{
	bool is_long = name.len >= sizeof(uint64_t);
	uint64_t head = word_load_some(name.ptr, name.len);
	uint64_t tail = is_long ? word_load(name.ptr + name.len - sizeof(uint64_t)) : name.len;
	uint64_t key = (head ^ (tail << 1 | tail >> 63) ^ (uint64_t)name.len << 56) + open;
	struct known_name *known;

	key *= UINT64_C(0x9e3779b97f4a7c15);
	key >>= 64 - NAMES_BITS;
	*found = true;
	for (unsigned int i = 0; i < 2; i++) {
		known = &names->known[key ^ i];
		if (known->length == name.len && known->open == open &&
		    memcmp(known->text, name.ptr, name.len) == 0)
			return known;
	}
	*found = false;
	known = &names->known[key];
	if (known->length > 0)
		known = &names->known[key ^ (names->misses++ & 1)];
	*known = (struct known_name){ .length = (uint32_t)name.len, .open = open };
	memcpy(known->text, name.ptr, name.len);
	return known;
}

void names_set_rules(struct name_table *names, const struct ruleset *rules)
{
	memset(names, 0, sizeof(*names));
	names->rules = rules;
}

const struct rule *names_counter(struct name_table *names, struct span name, uint32_t open,
				 struct pattern_capture *capture)
{
	const struct rule_index *counters = &names->rules->counters;
	struct known_name *known;
	bool found;

	open &= counters->contexts;
	if (name.len == 0 || name.len > NAMES_TEXT)
		return ruleset_match(names->rules, counters, name, open, capture);
	known = entry_of(names, name, open, &found);
	if (!found) {
		known->rule = ruleset_match(names->rules, counters, name, open, &known->capture);
		if (known->capture.layer.ptr)
			known->layer_at = (uint32_t)(known->capture.layer.ptr - name.ptr);
	}
	*capture = known->capture;
	capture->layer.ptr = name.ptr + known->layer_at;
	return known->rule;
}

const struct slice_meaning *names_slice(struct name_table *names, struct span name,
					struct slice_meaning *meaning)
{
	bool has_digits = names->rules->slices.has_digits, found;
	uint64_t value = 0, unit = 1;
	struct span stem = name;
	struct known_name *known;
	int64_t number = -1;

	/* The name without the number at its end; rules read none that is longer. Most of these
	 * numbers do not come again. */
	for (; !has_digits && stem.len > 0 && is_digit(stem.ptr[stem.len - 1]) &&
	       unit <= PATTERN_NUMBER_MAX;
	     unit *= 10)
		value += unit * (uint64_t)(stem.ptr[--stem.len] - '0');
	if (stem.len < name.len)
		number = (int64_t)value;
	if (stem.len == 0 || stem.len > NAMES_TEXT || is_digit(stem.ptr[stem.len - 1]))
		return ruleset_match_slice(names->rules, name, meaning);
	known = entry_of(names, stem, number < 0 ? NAMES_SLICE : NAMES_NUMBERED, &found);
	if (!found && number < 0) {
		ruleset_match_slice(names->rules, name, &known->meaning);
	} else if (!found) {
		/* What the rules say of this name with any number after it. */
		char text[NAMES_TEXT + 1];
		struct span numbered = { text, stem.len + 1 };
		struct slice_meaning other;

		memcpy(text, stem.ptr, stem.len);
		text[stem.len] = '0';
		ruleset_match_slice(names->rules, numbered, &known->meaning);
		/* Of most names the rules read no number, and a second search is as long. */
		if (known->meaning.number == 0 || known->meaning.newer == 0) {
			text[stem.len] = '1';
			ruleset_match_slice(names->rules, numbered, &other);
			known->is_number = known->meaning.number != other.number;
			known->is_newer = known->meaning.newer != other.newer;
		}
	}
	if (!found)
		known->is_unnamed = !known->meaning.mask && known->meaning.role == RULE_NONE &&
				    !names->rules->layers_in_slices;
	if (known->is_unnamed)
		return &slice_unnamed;
	*meaning = known->meaning;
	if (known->is_number)
		meaning->number = number;
	if (known->is_newer)
		meaning->newer = number;
	return meaning;
}
