/* SPDX-License-Identifier: Apache-2.0 */
/* How names are written to a terminal and to a file, and compared with others. */
#include "tests/unit/unit.h"

#include "daemon/android/android.h"
#include "daemon/base/text.h"

static void is_shown_as(const char *from, const char *expected)
{
	char text[512];

	assert_int_equal(text_escape(text, sizeof(text), from), strlen(expected));
	assert_string_equal(text, expected);
}

TEST(control_characters_are_escaped_for_a_terminal)
{
	is_shown_as("plain \\ name", "plain \\ name");
	is_shown_as("\x1b[31m\n\x7f", "\\x1B[31m\\x0A\\x7F");
	is_shown_as("\xc2\x9b"
		    "31m",
		    "\\xC2\\x9B31m");
	is_shown_as("\xff\xc3\xa9", "\\xFF\xc3\xa9");
	/* U+202E and U+2066 change the direction of the text after them, U+2028 ends a line, U+061C
	 * marks a direction. */
	is_shown_as("a\xe2\x80\xae"
		    "b",
		    "a\\xE2\\x80\\xAE"
		    "b");
	is_shown_as("\xe2\x81\xa6\xe2\x80\xa8\xd8\x9c", "\\xE2\\x81\\xA6\\xE2\\x80\\xA8\\xD8\\x9C");
	/* In a file they are kept, and characters with adjacent codes here. */
	assert_int_equal(text_next("\xe2\x80\xae").len, 3);
	is_shown_as("\xe2\x80\xaf\xe2\x80\xa7\xe2\x81\xa5", "\xe2\x80\xaf\xe2\x80\xa7\xe2\x81\xa5");
}

TEST(columns_of_wide_characters_are_counted)
{
	assert_int_equal(text_columns(""), 0);
	assert_int_equal(text_columns("abc\xc3\xa9"), 4);
	assert_int_equal(text_columns("\xe6\xb8\xb8\xe6\x88\x8f"), 4);	   /* two of Han */
	assert_int_equal(text_columns("\xed\x95\x9c\xea\xb0\x80 x"), 6);   /* two of Hangul */
	assert_int_equal(text_columns("\xef\xbc\xa1\xf0\x9f\x8e\xae"), 4); /* wide A, an emoji */
	assert_int_equal(text_columns("\xef\xbd\xb1\xd0\x96\xce\xb1"), 3); /* half-wide Kana */
}

/* Of all characters, those that turn the direction, or end a line; and how many are wide. */
TEST(ranges_of_characters_are_exact)
{
	size_t wide = 0;

	for (unsigned int code = 0x800; code < 0x40000; code++) {
		const bool is_long = code > 0xffff,
			   is_turned = code == 0x200e || code == 0x200f ||
				       (code >= 0x2028 && code <= 0x202e) ||
				       (code >= 0x2066 && code <= 0x2069);
		char text[5] = "", shown[64], *to = text;

		*to++ = (char)(is_long ? 0xf0 | code >> 18 : 0xe0 | code >> 12);
		if (is_long)
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to = (char)(0x80 | (code & 0x3f));
		wide += text_columns(text) == 2;
		if (code < 0xd800 || code > 0xdfff)
			assert_int_equal(text_escape(shown, sizeof(shown), text) > strlen(text),
					 is_turned);
	}
	assert_int_equal(wide, 193844); /* of blocks of East Asian characters and pictographs */
}

/* A name that is cut fits, and is cut between characters. */
TEST(names_are_shortened_to_columns)
{
	static const char *const names[] = {
		"com.example.app/com.example.app.MainActivity",
		"\xe6\xb8\xb8\xe6\x88\x8f"
		"a\xe6\xb8\xb8\xe6\x88\x8f\xe6\xb8\xb8"
		"bc\xe6\xb8\xb8\xe6\x88\x8f",
		"\x1b\x1b\x1b\xf0\x9f\x8e\xae\x1b\xe6\xb8\xb8\x1b\x1b",
	};

	char name[64];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		for (size_t columns = 4; columns < 50; columns++) {
			char text[512], again[512];
			size_t got;

			text_shorten(text, sizeof(text), names[i], columns);
			got = text_columns(text);
			assert_true(got <= columns);
			text_escape(again, sizeof(again), names[i]);
			assert_true(got + 2 >= columns || strcmp(text, again) == 0);
			text_escape(again, sizeof(again), text);
			assert_string_equal(again, text);
		}
	}
	text_shorten(name, sizeof(name), "0123456789", 8);
	assert_string_equal(name, "012..789");
	text_shorten(name, sizeof(name), "0123456789", 3);
	assert_string_equal(name, "0123456789");
}

/* Two names of one app differ at the end. */
TEST(names_are_cut_on_the_left)
{
	static const char name[] = "\x1b\xe6\xb8\xb8\xe6\x88\x8f/.MainActivity";
	char text[64];

	for (size_t columns = 2; columns < 30; columns++) {
		text_cut_left(text, sizeof(text), name, columns);
		assert_in_range(text_columns(text), columns < 22 ? columns - 1 : 22,
				columns < 22 ? columns : 22);
	}
	assert_string_equal(text, "\\x1B\xe6\xb8\xb8\xe6\x88\x8f/.MainActivity");
	text_cut_left(text, sizeof(text), name, 17);
	assert_string_equal(text, "\xe2\x80\xa6\xe6\x88\x8f/.MainActivity");
	/* The ellipsis has more bytes than the text that it replaces. */
	text_cut_left(text, 11, "0123456789", 9);
	assert_true(strlen(text) < 11);
}

static void is_short(const char *name, const char *expected)
{
	char copy[128];

	strcpy(copy, name);
	text_short_component(copy);
	assert_string_equal(copy, expected);
}

TEST(names_of_components_are_shortened)
{
	is_short("com.example.mail/com.example.mail.MainActivity",
		 "com.example.mail/.MainActivity");
	is_short("SurfaceView[com.a/com.a.Main](BLAST)", "SurfaceView[com.a/.Main](BLAST)");
	is_short("SurfaceView - com.a/com.a.ui.Main", "SurfaceView - com.a/.ui.Main");
	is_short("a_1/a_1.B com.b/com.b.C", "a_1/.B com.b/.C");
	/* A class of another package, or only a package. */
	is_short("com.a/com.b.Main", "com.a/com.b.Main");
	is_short("com.launcher/com.launcher2.Launcher", "com.launcher/com.launcher2.Launcher");
	is_short("com.a/com.a", "com.a/com.a");
	is_short("com.a/.Main", "com.a/.Main");
	is_short("/.Main", "/.Main");
	is_short("StatusBar", "StatusBar");
	is_short("a/a/a.", "a/a/.");
	is_short("", "");
}

/* --- the distance of two names, for messages about a name that does not exist --- */

TEST(distances_are_counted_in_bytes)
{
	char a[NEAREST_NAME_BYTES + 50], b[NEAREST_NAME_BYTES + 10];

	assert_int_equal(nearest_name_distance("", ""), 0);
	assert_int_equal(nearest_name_distance("com.a/com.a.Main", "com.a/com.a.Main"), 0);
	assert_int_equal(nearest_name_distance("com.a", "com.b"), 1);
	assert_int_equal(nearest_name_distance("com.a", "om.a"), 1);
	assert_int_equal(nearest_name_distance("", "com"), 3);
	assert_int_equal(nearest_name_distance("kitten", "sitting"), 3);
	/* Only the begin of a long name counts. */
	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(nearest_name_distance(a, b), 0);
}
