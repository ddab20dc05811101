/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/language/names.h"

#include "parser/chars.h"

/* Instead of a mask of open slices. */
#define NAMES_SLICE UINT32_MAX

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
	known = &names->known[key >> (64 - NAMES_BITS)];
	*found = known->length == name.len && known->open == open &&
		 memcmp(known->text, name.ptr, name.len) == 0;
	if (!*found) {
		*known = (struct known_name){ .length = (uint32_t)name.len, .open = open };
		memcpy(known->text, name.ptr, name.len);
	}
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
	if (!rule_index_may_match(counters, name, open))
		return NULL;
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
	struct known_name *known;
	bool found;

	/* Most that end with a digit have a number that does not come again. */
	if (name.len == 0 || name.len > NAMES_TEXT || is_digit(name.ptr[name.len - 1]))
		return ruleset_match_slice(names->rules, name, meaning);
	known = entry_of(names, name, NAMES_SLICE, &found);
	if (!found)
		ruleset_match_slice(names->rules, name, &known->meaning);
	*meaning = known->meaning;
	return meaning;
}
