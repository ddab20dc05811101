/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "rules/language/pattern.h"

static struct pattern_capture capture;

static struct pattern parse(const char *text)
{
	struct pattern pattern;
	size_t at;

	if (pattern_parse(&pattern, span_of(text), &at))
		fail_msg("refused: %s", text);
	return pattern;
}

static bool may_match(const char *pattern_text, const char *name)
{
	struct pattern pattern = parse(pattern_text);

	return pattern_may_match(&pattern, word_load_some(name, strlen(name)));
}

static bool matches(const char *pattern_text, const char *name)
{
	struct pattern pattern = parse(pattern_text);
	bool answer = pattern_match(&pattern, span_of(name), &capture);

	if (answer && !may_match(pattern_text, name))
		fail_msg("%s: matches %s, but it may not", name, pattern_text);
	return answer;
}

TEST(test_patterns_match_whole_names)
{
	assert_false(matches("VSYNC-sf", "VSYNC-sf-app"));
	assert_false(matches("VSYNC-sf", "xVSYNC-sf"));
	assert_false(matches("VSYNC-sf", "VSYNC-s"));
	assert_true(matches("*", ""));
	assert_true(matches("composite *", "composite "));
	assert_false(matches("composite *", "composite"));
	assert_true(matches("*a*b", "xxaxxb"));
	assert_true(matches("*ab", "abab"));
	assert_false(matches("*a*b", "bbbaaa"));
	assert_false(matches("{layer}", ""));
	assert_false(matches("latchBuffer {layer} - {frame}", "latchBuffer  - 1"));
	assert_false(matches("f{frame}", "f"));
	assert_false(matches("f{frame}", "f12x"));
	assert_false(matches("f{frame}", "f-1"));
	assert_false(matches("f{frame}", "f99999999999999999999"));
	assert_false(matches("* in {time}", "VSYNC in 27520"));
	assert_false(matches("* in {time}", "VSYNC in 2.us"));
	assert_false(matches("* in {time}", "VSYNC in -5us"));
	assert_false(matches("* in {time}", "VSYNC in 99999999999us"));
	/* The longest pattern, by its parts. */
	assert_true(matches("a*b{layer}c{number}d{newer}e{time}f", "a.b.c1d2e3msf"));
}

/* The first bytes of a name exclude nearly all patterns that do not match. */
TEST(test_head_excludes_names_that_cannot_match)
{
	assert_false(may_match("E*", ""));
	assert_false(may_match("VSYNC-s*", "VSYNC-app"));
	assert_false(may_match("VSYNC-sf", "VSYNC-s"));
	assert_false(may_match("composite *", "compose"));
}

/* The longest text is that of the layer. */
TEST(test_a_match_captures_layer_frame_and_time)
{
	static const struct {
		const char *pattern, *name, *layer;
		int64_t frame, time_ns;
	} cases[] = {
		{ "VSYNC-sf", "VSYNC-sf", "", -1, -1 },
		{ "*_0", "HW_VSYNC_ON_0", "", -1, -1 },
		{ "{layer}", "StatusBar#0", "StatusBar#0", -1, -1 },
		{ "TX - {layer}", "TX - View - com.a/a#0", "View - com.a/a#0", -1, -1 },
		{ "latch {layer} - {frame}", "latch a - 1 - b#7 - 34", "a - 1 - b#7", 34, -1 },
		{ "f{frame}", "f0", "", 0, -1 },
		{ "f{frame}", "f999999999999999999", "", INT64_C(999999999999999999), -1 },
		{ "* in {time}", "vsync in 16.66ms", "", -1, 16660000 },
		{ "* in {time}", "VSYNC in 27520us", "", -1, 27520000 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		if (!matches(cases[i].pattern, cases[i].name) ||
		    !span_equal(capture.layer, span_of(cases[i].layer)))
			fail_msg("%s", cases[i].name);
		assert_fields(&capture, frame == cases[i].frame, time_ns == cases[i].time_ns);
	}
	assert_false(matches("{layer}x", "a failed match leaves the capture"));
	assert_int_equal(capture.time_ns, 27520000);
}

/* A name has at most 4 KB; matching it must not take seconds. */
TEST(test_hostile_names_are_matched_fast)
{
	static char name[4097];

	memset(name, 'a', sizeof(name) - 1);
	assert_false(matches("*a*b", name));
	memset(name, ' ', sizeof(name) - 1);
	for (size_t i = 1; i < sizeof(name) - 1; i += 3)
		name[i] = '-';
	memcpy(name, "latchBuffer ", 12);
	assert_false(matches("latchBuffer {layer} - {frame}", name));
}

static bool glob(const char *pattern, const char *name)
{
	return pattern_glob(span_of(pattern), span_of(name));
}

TEST(test_globs_match_whole_names)
{
	assert_false(glob("cod", "codex"));
	assert_true(glob("cod*", "codex"));
	assert_true(glob("", ""));
	assert_false(glob("", "x"));
	assert_true(glob("**a**", "xay"));
	assert_true(glob("*.app/*Main*", "com.app/com.app.Main#0"));
	assert_false(glob("*.app/*Main*", "com.app/com.app.Other"));
	assert_true(glob("*a*a*a*a*", "aaaa"));
	assert_false(glob("*a*a*a*a*", "aaa"));
	assert_true(glob("c?d", "cod"));
	assert_true(glob("c?d", "c\xc3\xb6"
				"d"));
	assert_false(glob("cod?", "cod"));
	assert_true(glob("*?d", "cod"));
	assert_true(glob("??*", "cod"));
	assert_true(glob("View[{a}](BLAST)", "View[{a}](BLAST)"));
}
