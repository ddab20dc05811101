/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a rule file: it is accepted, or rejected with a place in the text and a message. */
#include <stdlib.h>
#include <string.h>

#include "rules/language/names.h"
#include "rules/language/ruleset.h"
#include "tests/fuzz/target.h"

static void check_error(struct span text, const struct ruleset_error *error)
{
	unsigned int lines = 2; /* if something is missing, the place is after the last line */

	for (size_t i = 0; i < text.len; i++)
		lines += text.ptr[i] == '\n';
	NOTE(error->line, error->column);
	note(error->message, strlen(error->message));
	if (error->line < 1 || error->line > lines || error->column < 1 ||
	    error->column > text.len + 1 || error->message[0] == '\0' ||
	    !memchr(error->message, '\0', sizeof(error->message)))
		abort();
}

/* Matches each line of the text as a name: the matched part must be inside the name. */
static void match_words(const struct ruleset *rules, struct span text)
{
	static struct name_table names;

	names_set_rules(&names, rules);
	while (text.len > 0) {
		const char *newline = memchr(text.ptr, '\n', text.len);
		size_t len = newline ? (size_t)(newline - text.ptr) : text.len;
		struct span name = { text.ptr, len < 64 ? len : 64 };
		struct pattern_capture capture = PATTERN_NO_CAPTURE;
		struct slice_meaning own, copy;
		const struct slice_meaning *kept, *meaning = ruleset_match_slice(rules, name, &own);
		uint32_t open = meaning->mask;

		/* As a new name, and as a known one. */
		for (unsigned int i = 0; i < 2; i++) {
			kept = names_slice(&names, name, &copy);
			if (kept->mask != open || kept->role != meaning->role ||
			    kept->since_14 != meaning->since_14 ||
			    kept->number != meaning->number || kept->newer != meaning->newer ||
			    kept->time_ns != meaning->time_ns)
				abort();
		}
		NOTE(open, meaning->role, meaning->since_14, meaning->number, meaning->time_ns);
		ruleset_match(rules, &rules->counters, name, open, &capture);
		ruleset_match(rules, &rules->instants, name, open, &capture);
		if (capture.layer.len > 0 &&
		    (capture.layer.ptr < name.ptr ||
		     capture.layer.ptr + capture.layer.len > name.ptr + name.len))
			abort();
		NOTE((int64_t)ruleset_rename(rules, name).len, ruleset_ignores_layer(rules, name),
		     (int64_t)capture.layer.len);
		text = span_skip(text, len + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data, size };
	struct ruleset_error error = { 0 };
	struct ruleset *rules = NULL;

	if (ruleset_new(&rules, text, &error) == 1)
		check_error(text, &error);
	else
		match_words(rules, text);
	ruleset_free(rules);
	return 0;
}
