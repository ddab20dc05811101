/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/language/surface.h"

#include <stdlib.h>

#include "parser/swar.h"

/* Each bit of @word changes about half of the bits of the result, the low ones, too. */
static uint64_t mixed(uint64_t word)
{
	word ^= word >> 32; /* else the last bytes of a word would not change the lowest bits */
	word *= UINT64_C(0x9e3779b97f4a7c15);
	return word ^ word >> 32;
}

uint64_t name_hash(struct span text)
{
	uint64_t hash = 0;

	for (; text.len > 8; text = span_skip(text, 8))
		hash = mixed(hash ^ word_load(text.ptr));
	return mixed((hash + text.len) ^ word_load_some(text.ptr, text.len));
}

void name_copy(char *to, size_t size, struct span text)
{
	size_t n = text.len < size - 1 ? text.len : size - 1;

	if (n > 0)
		memcpy(to, text.ptr, n);
	to[n] = '\0';
}

/* --- parts that differ from one start of the app to the next --- */

static bool is_hex_letter(char c)
{
	return c >= 'a' && c <= 'f';
}

static size_t length_of(struct span text, bool (*is)(char c))
{
	size_t n = 0;

	while (n < text.len && is(text.ptr[n]))
		n++;
	return n;
}

/* True: it is probably Java's hashCode() in hexadecimal: 32 bits at most, usually seven digits.
 * Words and small numbers of such characters ("add", "decade", "2048") are no hash. */
static bool is_hash(struct span text)
{
	size_t digits = 0;

	if (text.len < 4 || text.len > 8)
		return false;
	for (size_t i = 0; i < text.len; i++)
		digits += is_digit(text.ptr[i]);
	if (digits == 0)
		return text.len >= 7;
	return digits < text.len || text.len >= 5;
}

/* True: a part of the name ends at @at. */
static bool ends_part(struct span name, size_t at)
{
	char c = at < name.len ? name.ptr[at] : ' ';

	return !is_digit(c) && !is_letter(c) && c != '_' && c != '.' && (unsigned char)c < 0x80;
}

/* "5a1b2c " in "5a1b2c com.a/com.a.Main": the object of a window. */
static size_t hash_before(struct span text)
{
	size_t n = length_of(text, is_hex_digit);

	if (n + 1 >= text.len || text.ptr[n] != ' ' || !is_hash((struct span){ text.ptr, n }))
		return 0;
	return n + 1;
}

/* "@5a1b2c", "@0", "@0x5a1b2c" */
static size_t object_at(struct span text)
{
	struct span rest = span_skip(text, 1);
	bool address = span_starts_with(rest, SPAN_LITERAL("0x"));
	size_t n;

	rest = span_skip(rest, address ? 2 : 0);
	n = length_of(rest, is_hex_digit);
	if (n == 0 || n > 16 || !ends_part(rest, n))
		return 0;
	if (!address && length_of(rest, is_hex_letter) == n &&
	    !is_hash((struct span){ rest.ptr, n }))
		return 0; /* "me@cafe" */
	return n + 1 + (address ? 2 : 0);
}

/* True: @part ends at @at. */
static bool is_before(struct span name, size_t at, struct span part)
{
	return at >= part.len &&
	       span_equal((struct span){ name.ptr + at - part.len, part.len }, part);
}

/* Number of bytes of @name, from @at on, that differ from one start of the app to the next. */
static size_t changing_at(struct span name, size_t at)
{
	struct span rest = span_skip(name, at), after = span_skip(rest, 1);
	size_t n;

	if (rest.len < 2)
		return 0;
	switch (rest.ptr[0]) {
	case '@':
		return object_at(rest);
	case '/': /* "Surface(name=...)/@0x5a1b2c - animation-leash" */
		n = span_starts_with(rest, SPAN_LITERAL("/@0x")) ? object_at(after) : 0;
		return n ? n + 1 : 0;
	case '$': /* "$_29673": Samsung's phones append the app's process to its windows' titles. A
		     class may be called "$_2". */
		after = span_skip(after, 1);
		n = length_of(after, is_digit);
		return rest.ptr[1] == '_' && n >= 2 && ends_part(after, n) ? n + 2 : 0;
	case ':': /* ":5a1b2c" of "PopupWindow:5a1b2c" */
		n = length_of(after, is_hex_digit);
		return n > 0 && ends_part(after, n) &&
				       (is_before(name, at, SPAN_LITERAL("PopupWindow")) ||
					is_hash((struct span){ after.ptr, n }))
			       ? n + 1
			       : 0;
	case '#': /* "#2" of "SurfaceView[com.a/com.a.Main]#2(BLAST)" */
		n = length_of(after, is_digit);
		return n > 0 && n < after.len && after.ptr[n] == '(' &&
				       is_before(name, at, SPAN_LITERAL("]"))
			       ? n + 1
			       : 0;
	case '-': /* "-29673-3" of "ImageReader-1080x2400f1m3-29673-3" and "unnamed-29673-3": the
		     process of an unnamed queue and its serial number. */
		if (!span_starts_with(name, SPAN_LITERAL("ImageReader-")) &&
		    !span_starts_with(name, SPAN_LITERAL("unnamed-")))
			return 0;
		n = length_of(after, is_digit);
		if (n == 0 || n + 1 >= after.len || after.ptr[n] != '-')
			return 0;
		after = span_skip(after, n + 1);
		return length_of(after, is_digit) == after.len ? rest.len : 0;
	default: /* "ActivityRecord{5a1b2c u0 ...}", "Surface(name=5a1b2c StatusBar)" */
		return at == 0 || name.ptr[at - 1] == '{' ||
				       is_before(name, at, SPAN_LITERAL("(name="))
			       ? hash_before(rest)
			       : 0;
	}
}

struct span surface_of_layer(struct span layer, char copy[SURFACE_MAX])
{
	size_t length = 0, n = layer.len;
	struct span name = layer;

	while (n > 0 && is_digit(layer.ptr[n - 1]))
		n--;
	if (n >= 2 && n < layer.len && layer.ptr[n - 1] == '#')
		name.len = n - 1;
	if (name.len > SURFACE_MAX)
		return name;
	for (size_t at = 0; at < name.len;) {
		size_t changing = changing_at(name, at);

		if (changing == 0)
			copy[length++] = name.ptr[at++];
		at += changing;
	}
	return length > 0 ? (struct span){ copy, length } : name;
}

struct span layer_without_bar(struct span name, char copy[SURFACE_MAX])
{
	size_t hash = hash_before(name);
	struct span rest = span_skip(name, hash);

	if (rest.len < 2 || rest.ptr[0] != '|' || name.len > SURFACE_MAX)
		return SPAN_NULL;
	rest = span_skip(rest, 1);
	if (hash == 0)
		return rest;
	memcpy(copy, name.ptr, hash);
	memcpy(copy + hash, rest.ptr, rest.len);
	return (struct span){ copy, hash + rest.len };
}

/* --- app --- */

/* The package that the dotted @word begins with; SPAN_NULL if it has fewer than three parts. */
static struct span package_of(struct span word)
{
	unsigned int parts = 0;
	size_t n = 0;

	while (n < word.len && is_lower(word.ptr[n])) {
		size_t part = n;

		while (n < word.len && word.ptr[n] != '.')
			n++;
		if (n == part)
			break;
		parts++;
		if (n < word.len && (n + 1 == word.len || !is_lower(word.ptr[n + 1])))
			break;
		n += n < word.len;
	}
	return parts >= 3 ? (struct span){ word.ptr, n } : SPAN_NULL;
}

struct span app_of_layer(struct span layer)
{
	const char *slash = layer.len ? memchr(layer.ptr, '/', layer.len) : NULL, *word = slash;
	struct span app = SPAN_NULL;

	/* "com.a" of "... com.a/com.a.Main...": packages contain a '.'. */
	while (slash && word > layer.ptr && is_package_char(word[-1]))
		word--;
	if (slash && memchr(word, '.', (size_t)(slash - word)))
		return (struct span){ word, (size_t)(slash - word) };
	for (size_t at = 0; !app.ptr && at < layer.len; at++) {
		size_t begin = at;

		while (at < layer.len && is_package_char(layer.ptr[at]))
			at++;
		app = package_of((struct span){ layer.ptr + begin, at - begin });
	}
	return app;
}

bool is_activity_layer(struct span layer)
{
	struct span app;

	layer = span_skip(layer, hash_before(layer));
	app = app_of_layer(layer);
	return app.ptr == layer.ptr && app.len < layer.len && app.len > 0 &&
	       layer.ptr[app.len] == '/' && !memchr(layer.ptr, ' ', layer.len);
}

/* --- copies that a table keeps --- */

void long_names_init(struct long_names *names, unsigned int n, struct memory *memory)
{
	*names = (struct long_names){
		.blocks = memory_keep(memory, calloc(n, sizeof(*names->blocks))),
		.free_blocks = memory_keep(memory, calloc(n, sizeof(*names->free_blocks))),
	};
}

void long_names_release(struct long_names *names, char **kept, const char *short_name)
{
	if (*kept && *kept != short_name)
		names->free_blocks[names->n_free++] = *kept;
	*kept = NULL;
}

void long_names_keep(struct long_names *names, char **kept, char short_name[SHORT_NAME_SIZE],
		     struct span text)
{
	long_names_release(names, kept, short_name);
	if (text.len < SHORT_NAME_SIZE) {
		*kept = short_name;
		name_copy(*kept, SHORT_NAME_SIZE, text);
	} else {
		*kept = names->n_free > 0 ? names->free_blocks[--names->n_free]
					  : names->blocks[names->used++];
		name_copy(*kept, NAME_SIZE, text);
	}
}
