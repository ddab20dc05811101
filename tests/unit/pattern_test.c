/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <string.h>

#include "rules/pattern.h"

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

static void assert_layer(const char *layer)
{
	assert_int_equal(capture.layer.len, strlen(layer));
	assert_memory_equal(capture.layer.ptr, layer, capture.layer.len);
}

TEST(test_a_literal_matches_the_whole_name)
{
	assert_true(matches("VSYNC-sf", "VSYNC-sf"));
	assert_false(matches("VSYNC-sf", "VSYNC-sf-app"));
	assert_false(matches("VSYNC-sf", "xVSYNC-sf"));
	assert_false(matches("VSYNC-sf", "VSYNC-s"));
	assert_false(matches("VSYNC-sf", ""));
}

/* The first bytes of a name exclude nearly all patterns that do not match. */
TEST(test_head_excludes_names_that_cannot_match)
{
	assert_true(may_match("E*", "E"));
	assert_true(may_match("VSYNC-s*", "VSYNC-sf"));
	assert_true(may_match("VSYNC-sf", "VSYNC-sf"));
	assert_true(may_match("composite *", "composite 1532417"));
	assert_true(may_match("*_0", "HW_VSYNC_ON_0"));
	assert_true(may_match("{layer}", ""));
	assert_false(may_match("E*", ""));
	assert_false(may_match("E*", "B"));
	assert_false(may_match("VSYNC-s*", "VSYNC-app"));
	assert_false(may_match("VSYNC-sf", "VSYNC-s"));
	assert_false(may_match("composite *", "compose"));
	assert_false(may_match("composite *", "xcomposite"));
}

TEST(test_a_star_matches_any_text)
{
	assert_true(matches("*", ""));
	assert_true(matches("*", "anything"));
	assert_true(matches("composite *", "composite 1532417"));
	assert_true(matches("composite *", "composite "));
	assert_false(matches("composite *", "composite"));
	assert_true(matches("*_0", "HW_VSYNC_ON_0"));
	assert_true(matches("*a*b", "xxaxxb"));
	assert_true(matches("*ab", "abab"));
	assert_false(matches("*a*b", "bbbaaa"));
}

TEST(test_layer_matches_the_longest_text)
{
	assert_true(matches("{layer}", "StatusBar#0"));
	assert_layer("StatusBar#0");
	assert_true(matches("TX - {layer}", "TX - SurfaceView - com.app/com.app.Main#0"));
	assert_layer("SurfaceView - com.app/com.app.Main#0");
	assert_true(matches("latchBuffer {layer} - {frame}", "latchBuffer a - 1 - b#7 - 1234"));
	assert_layer("a - 1 - b#7");
	assert_int_equal(capture.frame, 1234);
}

TEST(test_layer_is_never_empty)
{
	assert_false(matches("{layer}", ""));
	assert_false(matches("TX - {layer}", "TX - "));
	assert_false(matches("latchBuffer {layer} - {frame}", "latchBuffer  - 1"));
}

TEST(test_frame_is_a_number)
{
	assert_true(matches("f{frame}", "f0"));
	assert_int_equal(capture.frame, 0);
	assert_true(matches("f{frame}", "f999999999999999999"));
	assert_int_equal(capture.frame, INT64_C(999999999999999999));
	assert_false(matches("f{frame}", "f"));
	assert_false(matches("f{frame}", "fx"));
	assert_false(matches("f{frame}", "f12x"));
	assert_false(matches("f{frame}", "f-1"));
	assert_false(matches("f{frame}", "f99999999999999999999"));
}

TEST(test_time_is_a_number_with_a_unit)
{
	assert_true(matches("* in {time}", "vsync in 16.66ms"));
	assert_int_equal(capture.time_ns, 16660000);
	assert_true(matches("* in {time}", "VSYNC in 27520us"));
	assert_int_equal(capture.time_ns, 27520000);
	assert_false(matches("* in {time}", "VSYNC in 27520"));
	assert_false(matches("* in {time}", "VSYNC in 2.us"));
	assert_false(matches("* in {time}", "VSYNC in -5us"));
	assert_false(matches("* in {time}", "VSYNC in 99999999999us"));
}

TEST(test_pattern_without_frame_captures_no_number)
{
	assert_true(matches("{layer}", "a"));
	assert_int_equal(capture.frame, -1);
}

TEST(test_failed_match_does_not_change_the_capture)
{
	assert_true(matches("{layer}", "kept"));
	assert_false(matches("{layer}x", "other"));
	assert_layer("kept");
}

TEST(test_error_of_a_pattern_has_its_position)
{
	static const struct {
		const char *text;
		size_t at;
	} bad[] = {
		{ "", 0 },
		{ "a{", 1 },
		{ "ab{lyer}", 2 },
		{ "a**", 2 },
		{ "*{layer}", 1 },
		{ "{layer} {layer}", 8 },
		{ "{frame}-{frame}", 8 },
		{ "*a*b*c", 4 },
	};
	struct pattern pattern;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		size_t at = SIZE_MAX;
		const char *message = pattern_parse(&pattern, span_of(bad[i].text), &at);

		if (!message)
			fail_msg("accepted: %s", bad[i].text);
		assert_int_equal(at, bad[i].at);
	}
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
	assert_true(glob("cod", "cod"));
	assert_false(glob("cod", "codex"));
	assert_true(glob("cod*", "codex"));
	assert_true(glob("*", ""));
	assert_true(glob("", ""));
	assert_false(glob("", "x"));
	assert_true(glob("**a**", "xay"));
	assert_true(glob("*.app/*Main*", "com.app/com.app.Main#0"));
	assert_false(glob("*.app/*Main*", "com.app/com.app.Other"));
	assert_true(glob("*a*a*a*a*", "aaaa"));
	assert_false(glob("*a*a*a*a*", "aaa"));
	assert_true(glob("{layer}", "{layer}"));
	assert_true(glob("c?d", "cod"));
	assert_true(glob("c?d", "c\xc3\xb6"
				"d"));
	assert_false(glob("cod?", "cod"));
	assert_false(glob("?", ""));
	assert_true(glob("*?d", "cod"));
	assert_true(glob("??*", "cod"));
	assert_true(glob("SurfaceView[a](BLAST)", "SurfaceView[a](BLAST)"));
}
