/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed text: a pointer and a length, not NUL-terminated.
 *
 * A span owns nothing. It is valid as long as the memory that it points to; those of a trace_record
 * are valid until the next read into the source's buffer.
 */
#ifndef JANKD_PARSER_SPAN_H
#define JANKD_PARSER_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Kinds of ASCII characters. <ctype.h> depends on the locale, and does not accept negative chars.
 */
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool is_letter(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z');
}

/* Lower case only: the kernel and Android print no other. */
static inline bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* True: it may be part of a package's name. */
static inline bool is_package_char(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '.';
}

struct span {
	const char *ptr;
	size_t len;
};

#define SPAN_NULL ((struct span){ NULL, 0 })
/* A literal as an expression, and as the initialiser of a static object. */
#define SPAN_LITERAL(text) ((struct span){ (text), sizeof(text) - 1 })
#define SPAN_INIT(text)                                                                            \
	{                                                                                          \
		(text), sizeof(text) - 1                                                           \
	}

static inline struct span span_of(const char *text)
{
	return (struct span){ text, text ? strlen(text) : 0 };
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool span_starts_with(struct span text, struct span prefix)
{
	return text.len >= prefix.len &&
	       (prefix.len == 0 || memcmp(text.ptr, prefix.ptr, prefix.len) == 0);
}

/* @text without its first @n bytes; empty if it has fewer. */
static inline struct span span_skip(struct span text, size_t n)
{
	if (n > text.len)
		n = text.len;
	return (struct span){ text.ptr + n, text.len - n };
}

/* Removes the decimal number that @text begins with. Returns false if there is none, or it is more
 * than @max. */
static inline bool span_take_number(struct span *text, uint64_t max, uint64_t *number)
{
	size_t n = 0;

	*number = 0;
	for (; n < text->len && is_digit(text->ptr[n]); n++) {
		uint64_t digit = (uint64_t)(text->ptr[n] - '0');

		if (*number > (max - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	*text = span_skip(*text, n);
	return n > 0;
}

/* The same of a number that may be negative. Where there is none, a '-' may be removed. */
static inline bool span_take_signed(struct span *text, int64_t *number)
{
	bool is_negative = text->len > 0 && text->ptr[0] == '-';
	uint64_t value;

	*text = span_skip(*text, is_negative);
	if (!span_take_number(text, (uint64_t)INT64_MAX + is_negative, &value))
		return false;
	*number = (int64_t)(is_negative ? -value : value);
	return true;
}

/* @text without the blanks and tabs that it begins with. */
static inline struct span span_skip_blanks(struct span text)
{
	while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
		text = span_skip(text, 1);
	return text;
}

#endif
