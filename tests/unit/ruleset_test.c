/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files with mistakes: each is found, and the message has its place. */
#include "tests/unit/unit.h"

#include "rules/language/names.h"
#include "rules/language/ruleset.h"

/* The smallest valid rule file. */
#define LEAST "present slice postFramebuffer\nlatch counter {layer} inside acquireBuffer\n"

static struct ruleset_error error;

static struct ruleset *parsed(const char *text)
{
	struct ruleset *rules = NULL;

	if (ruleset_new(&rules, span_of(text), &error) != 0)
		fail_msg("line %u, column %u: %s", error.line, error.column, error.message);
	return rules;
}

static void assert_refused(struct span text, unsigned int line, unsigned int column,
			   const char *part)
{
	struct ruleset *rules = NULL;

	memset(&error, 0, sizeof(error));
	assert_int_equal(ruleset_new(&rules, text, &error), 1);
	assert_null(rules);
	if (!strstr(error.message, part))
		fail_msg("'%s' lacks '%s'", error.message, part);
	assert_null(strchr(error.message, '\n'));
	assert_fields(&error, line == line, column == column);
}

TEST(test_every_error_has_position_and_message)
{
	static const struct {
		const char *text;
		unsigned int line, column;
		const char *part;
	} bad[] = {
		{ "tack counter VSYNC\n", 1, 1, "a rule begins with" },
		{ "\n# c\n  tack counter VSYNC\n", 3, 3, "'tack'" },
		{ "tick\n", 1, 5, "takes counter" },
		{ "tick slice VSYNC\n", 1, 6, "takes counter, not 'slice'" },
		{ "present counter x\n", 1, 9, "takes slice" },
		{ "tick counter\n", 1, 13, "pattern is missing" },
		{ "tick counter # x\n", 1, 14, "pattern is missing" },
		{ "tick counter \"\"\n", 1, 15, "empty" },
		{ "tick counter \"VSYNC\n", 1, 14, "closing" },
		{ "tick counter a{b}\n", 1, 15, "braces must enclose layer" },
		{ "tick counter *{layer}\n", 1, 15, "two wildcards" },
		{ "tick counter a**\n", 1, 16, "two wildcards" },
		{ "tick counter *a*b*c\n", 1, 18, "at most twice" },
		{ "latch instant {layer}-{layer}\n", 1, 23, "once" },
		{ "latch instant {frame}-{frame}\n", 1, 23, "once" },
		{ "latch counter x\n", 1, 15, "{layer}" },
		{ "target instant x\n", 1, 16, "{time}" },
		{ "target counter x{time}\n", 1, 8, "takes instant" },
		{ "queue rise *\n", 1, 12, "{layer}" },
		{ "drop fall \"a b\"\n", 1, 12, "{layer}" },
		{ "tick counter a b\n", 1, 16, "end of the line" },
		{ "tick counter a inside\n", 1, 22, "pattern is missing" },
		{ "tick counter a inside b inside c\n", 1, 25, "end of the line" },
		{ "tick counter a inside {b}\n", 1, 23, "braces" },
		{ "rename layer a\n", 1, 15, "new name" },
		{ "rename layer a b c\n", 1, 18, "end of the line" },
		{ "engine\n", 1, 7, "last-counter" },
		{ "engine v8\n", 1, 8, "last-counter" },
		{ "present slice x\n", 2, 1, "no 'latch'" },
		{ "latch counter {layer}\n", 2, 1, "no 'present" },
		{ "", 1, 1, "no 'present" },
		{ "# nothing\n\n", 3, 1, "no 'present" },
		{ "engine last-counter\n", 2, 1, "no 'present" },
	};

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_refused(span_of(bad[i].text), bad[i].line, bad[i].column, bad[i].part);
}

TEST(test_a_binary_file_is_refused)
{
	assert_refused(SPAN_LITERAL(LEAST "ti\0ck"), 3, 1, "NUL");
}

TEST(test_message_with_a_long_word_is_cut)
{
	char text[5000];

	memset(text, 'x', sizeof(text));
	assert_refused((struct span){ text, sizeof(text) }, 1, 1, "'xxx");
	assert_true(strlen(error.message) < sizeof(error.message));
}

static char *repeated(const char *line, unsigned int times)
{
	char *text = malloc(times * 64 + sizeof(LEAST));
	size_t len = 0;

	for (unsigned int i = 0; i < times; i++)
		len += (size_t)sprintf(text + len, line, i);
	strcpy(text + len, LEAST);
	return text;
}

TEST(test_too_many_rules_are_refused)
{
	char *text = repeated("tick counter t%u\n", RULES_MAX - 2);

	ruleset_free(parsed(text));
	free(text);
	text = repeated("tick counter t%u\n", RULES_MAX - 1);
	assert_refused(span_of(text), RULES_MAX + 1, 1, "200 rules");
	free(text);
}

TEST(test_too_many_contexts_are_refused)
{
	char *text = repeated("tick counter t inside s%u\n", RULE_CONTEXTS_MAX - 1);

	ruleset_free(parsed(text));
	/* A repeated one is stored once. */
	strcpy(text + strlen(text), "tick counter u inside acquireBuffer\n");
	ruleset_free(parsed(text));
	free(text);
	text = repeated("tick counter t inside s%u\n", RULE_CONTEXTS_MAX);
	assert_refused(span_of(text), RULE_CONTEXTS_MAX + 2, 30, "24 'inside'");
	free(text);
}

static uint32_t mask_of(const struct ruleset *rules, struct span name)
{
	struct slice_meaning meaning;

	return ruleset_match_slice(rules, name, &meaning)->mask;
}

/* Follows the example of jankd-rules(5) for a vendor's present slice. */
TEST(test_default_rules_with_a_line_of_a_vendor_parse)
{
	struct span base = ruleset_builtin("default");
	struct ruleset *rules;
	struct slice_meaning meaning;
	char *text = malloc(base.len + 100);

	memcpy(text, base.ptr, base.len);
	strcpy(text + base.len, "present slice \"vendorPresent *\"\ninput slice \"onComposer*\"\n");
	rules = parsed(text);
	ruleset_match_slice(rules, SPAN_LITERAL("onComposerHalVsync 8333333ns"), &meaning);
	assert_int_equal(meaning.time_ns, 8333333);
	assert_int_equal(mask_of(rules, SPAN_LITERAL("vendorPresent 1")), SLICE_PRESENT);
	assert_int_equal(mask_of(rules, SPAN_LITERAL("vendorPresent")), 0);
	ruleset_free(rules);
	free(text);
}

TEST(test_roles_and_numbers_of_the_default_rules)
{
	static const struct {
		const char *name;
		enum rule_role role;
		int64_t number, newer, time_ns;
	} slices[] = {
		{ "beginFrame 1253124 vsyncIn 27.38ms", RULE_PLAN, 1253124, -1, 27380000 },
		{ "onMessageInvalidate 1 vsyncIn 5.00ms", RULE_PLAN, 1, -1, 5000000 },
		{ "commit 4711 vsyncIn 12.34ms (adjusted)", RULE_REPLAN, 4711, -1, 12340000 },
		{ "commit 4711 vsyncIn 1.234567ms", RULE_PLAN, 4711, -1, 1234567 },
		{ "commit 4711 vsyncIn -1.50ms", RULE_NONE, 4711, -1, -1 },
		{ "commit 4711 vsyncIn 99999999999999999999.99ms", RULE_NONE, 4711, -1, -1 },
		{ "commit 4711", RULE_NONE, 4711, -1, -1 },
		{ "commit", RULE_FINISH, -1, -1, -1 },
		{ "Choreographer#doFrame 4711", RULE_CALLBACK, 4711, -1, -1 },
		{ "Choreographer#doFrame", RULE_CALLBACK, -1, -1, -1 },
		{ "Choreographer#doFrameX", RULE_NONE, -1, -1, -1 },
		{ "Choreographer#doFrame - resynced to 7 in 9.1ms", RULE_RESYNC, -1, -1, -1 },
		{ "draw-VRI[Main]", RULE_DRAW, -1, -1, -1 },
		{ "drawn", RULE_NONE, -1, -1, -1 },
		{ "DrawFrames 4711", RULE_DRAW_FRAME, 4711, -1, -1 },
		{ "DrawFrameX 4711", RULE_NONE, -1, -1, -1 },
		{ "acquireNextBufferLocked - VRI[(f:9,]#0(f:1,a:2)frame=12", RULE_SEND, 12, 1, -1 },
		{ "Trace GPU completion fence 0", RULE_GPU_QUEUED, 0, -1, -1 },
		{ "waiting for GPU completion 4294967295", RULE_GPU_WAIT, 4294967295, -1, -1 },
		{ "HWC release fence 15832 has signaled", RULE_RELEASE_DONE, 15832, -1, -1 },
		{ "waiting for RE Completion 3317", RULE_RENDER_WAIT, 3317, -1, -1 },
		{ "Trace GPU completion fence", RULE_NONE, -1, -1, -1 },
		{ "Trace GPU completion fence 1x", RULE_NONE, -1, -1, -1 },
		{ "Trace GPU completion fence 99999999999999999999", RULE_NONE, -1, -1, -1 },
		{ "waiting for something 12345", RULE_NONE, -1, -1, -1 },
		{ "GPU completion fence 1 has signaled?", RULE_NONE, -1, -1, -1 },
	};
	struct ruleset *rules = parsed(ruleset_builtin("default").ptr);
	static struct name_table names;

	names_set_rules(&names, rules);
	for (size_t i = 0; i < COUNT_OF(slices); i++) {
		struct slice_meaning own, copy;
		const struct slice_meaning *meaning =
			ruleset_match_slice(rules, span_of(slices[i].name), &own);

		if (meaning->role != slices[i].role || meaning->number != slices[i].number ||
		    meaning->newer != slices[i].newer || meaning->time_ns != slices[i].time_ns)
			fail_msg("%s: role %d, number %lld, newer %lld, time %lld", slices[i].name,
				 (int)meaning->role, (long long)meaning->number,
				 (long long)meaning->newer, (long long)meaning->time_ns);
		/* A new name, and a known one. */
		for (unsigned int n = 0; n < 2; n++) {
			const struct slice_meaning *known =
				names_slice(&names, span_of(slices[i].name), &copy);

			assert_fields(known, mask == own.mask, role == own.role,
				      since_14 == own.since_14, number == own.number,
				      newer == own.newer, time_ns == own.time_ns);
		}
	}
	ruleset_free(rules);
}

static const struct rule *counter_rule(const struct ruleset *rules, const char *name, uint32_t open)
{
	struct pattern_capture capture;

	return ruleset_match(rules, &rules->counters, span_of(name), open, &capture);
}

/* A byte order mark, DOS and missing line ends, a comment. */
TEST(test_quotes_hold_blanks_and_escapes)
{
	struct ruleset *rules = parsed("\xef\xbb\xbfpresent slice postFramebuffer\r\n\r\n"
				       "tick counter \"a \\\"b\\\" \\\\ #c\"\n"
				       "latch counter {layer} inside acquireBuffer # tail");

	assert_int_equal(rules->n_rules, 3);
	assert_non_null(counter_rule(rules, "a \"b\" \\ #c", 0));
	ruleset_free(rules);
}

/* Half of the patterns begin with different bytes, and the others could match each of these names:
 * if two match, always the first one in the file is used. */
TEST(test_first_rule_counts_with_the_most_rules)
{
	char text[8192] = LEAST;
	struct ruleset *rules;
	size_t len = strlen(text);
	char name[16];

	for (unsigned int i = 0; i < (RULES_MAX - 2) / 2; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"tick counter *-%u\ntick counter %c-%u\n", i,
					(char)(128 + i), i + 1);
	rules = parsed(text);
	for (unsigned int i = 1; i < (RULES_MAX - 2) / 2; i++) {
		snprintf(name, sizeof(name), "%c-%u", (char)(128 + i), i);
		assert_int_equal(counter_rule(rules, name, 0) - rules->rules, 2 + 2 * i);
		snprintf(name, sizeof(name), "%c-%u", (char)(128 + i), i + 1);
		assert_int_equal(counter_rule(rules, name, 0) - rules->rules, 3 + 2 * i);
		snprintf(name, sizeof(name), "a-%u", i);
		assert_int_equal(counter_rule(rules, name, 0) - rules->rules, 2 + 2 * i);
	}
	ruleset_free(rules);
}

TEST(test_a_rule_with_a_context_needs_its_slice)
{
	struct ruleset *rules = parsed(LEAST);
	uint32_t open = mask_of(rules, SPAN_LITERAL("acquireBuffer"));

	assert_int_not_equal(open, 0);
	assert_null(counter_rule(rules, "StatusBar#0", 0));
	assert_int_equal(counter_rule(rules, "StatusBar#0", open)->role, RULE_LATCH);
	ruleset_free(rules);
}

TEST(test_empty_name_matches_a_star)
{
	struct ruleset *rules = parsed(LEAST "ignore counter *\n");

	assert_int_equal(counter_rule(rules, "", 0)->role, RULE_IGNORE);
	assert_int_equal(mask_of(rules, SPAN_NULL), 0);
	ruleset_free(rules);
}
