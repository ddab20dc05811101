/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Length of the valid UTF-8 character at @byte (RFC 3629: no overlong form, no surrogate, at
 * most U+10FFFF), or 0. Ends at the NUL, which is no continuation byte. */
static unsigned int utf8_length(const unsigned char *byte)
{
	unsigned int len = byte[0] < 0x80 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
	uint32_t code;

	if (len == 1)
		return 1;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	code = byte[0] & (0x7fu >> len);
	for (unsigned int i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (byte[i] & 0x3f);
	}
	if (len == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)))
		return 0;
	if (len == 4 && (code < 0x10000 || code > 0x10ffff))
		return 0;
	return len;
}

static bool is_control(const unsigned char *byte, unsigned int len)
{
	if (len == 1)
		return byte[0] < 0x20 || byte[0] == 0x7f;
	return len == 2 && byte[0] == 0xc2 && byte[1] < 0xa0;
}

struct text_unit text_next(const char *at)
{
	static const char digits[] = "0123456789ABCDEF";
	const unsigned char *byte = (const unsigned char *)at;
	struct text_unit unit = { .len = 0, .used = 0 };
	unsigned int len;

	if (byte[0] == '\0')
		return unit;
	len = utf8_length(byte);
	if (len > 0 && !is_control(byte, len)) {
		memcpy(unit.bytes, at, len);
		unit.len = unit.used = len;
		return unit;
	}
	unit.bytes[0] = '\\';
	unit.bytes[1] = 'x';
	unit.bytes[2] = digits[byte[0] >> 4];
	unit.bytes[3] = digits[byte[0] & 15];
	unit.len = 4;
	unit.used = 1;
	return unit;
}

size_t text_escape(char *to, size_t size, const char *from)
{
	size_t len = 0;

	for (;;) {
		struct text_unit unit = text_next(from);

		if (unit.used == 0 || len + unit.len >= size)
			break;
		memcpy(to + len, unit.bytes, unit.len);
		len += unit.len;
		from += unit.used;
	}
	to[len] = '\0';
	return len;
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t text_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += begins_character(*text);
	return columns;
}

/* Steps over @columns characters of escaped text. */
static const char *skip_columns(const char *text, size_t columns)
{
	while (*text && columns > 0) {
		text++;
		while (!begins_character(*text))
			text++;
		columns--;
	}
	return text;
}

size_t text_shorten(char *to, size_t size, const char *from, size_t columns)
{
	size_t all, head, tail;
	const char *cut;
	char *at;

	text_escape(to, size, from);
	all = text_columns(to);
	if (all <= columns || columns < 4)
		return strlen(to);
	head = (columns - 2) / 2;
	tail = columns - 2 - head;
	at = to + (skip_columns(to, head) - to);
	cut = skip_columns(to, all - tail);
	*at++ = '.';
	*at++ = '.';
	memmove(at, cut, strlen(cut) + 1);
	return strlen(to);
}
