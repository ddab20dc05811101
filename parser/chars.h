/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of ASCII characters. <ctype.h> depends on the locale, and does not accept negative chars.
 */
#ifndef JANKD_PARSER_CHARS_H
#define JANKD_PARSER_CHARS_H

#include <stdbool.h>

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

#endif
