/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parser/span.h"

/* Length of the valid UTF-8 character at @byte (RFC 3629: no overlong form, no surrogate, at
 * most U+10FFFF) and its code, or 0. Ends at the NUL, which is no continuation byte. */
static unsigned int utf8_decode(const unsigned char *byte, uint32_t *code)
{
	unsigned int len = byte[0] < 0x80 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;

	*code = byte[0];
	if (len == 1)
		return 1;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	*code = byte[0] & (0x7fu >> len);
	for (unsigned int i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (byte[i] & 0x3f);
	}
	if (len == 3 && (*code < 0x800 || (*code >= 0xd800 && *code <= 0xdfff)))
		return 0;
	if (len == 4 && (*code < 0x10000 || *code > 0x10ffff))
		return 0;
	return len;
}

/* Arrays of these are in ascending order, see is_in(). */
struct code_range {
	uint32_t first, last;
};

/* Characters that change the direction of text, or end a line. With them, a terminal could show the
 * name and the text after it wrongly. */
static const struct code_range directions[] = {
	{ 0x061c, 0x061c },
	{ 0x200e, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2066, 0x2069 },
};

/* East Asian wide characters and pictographs, in whole blocks. All others count as one column.
 * Combining marks have no width: with them, columns are not aligned, but no line is too long. */
static const struct code_range wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x23e9, 0x23f3 }, { 0x25fd, 0x25fe },
	{ 0x2614, 0x27bf },   { 0x2b1b, 0x2b55 },   { 0x2e80, 0x303e }, { 0x3041, 0xa4cf },
	{ 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff }, { 0xfe10, 0xfe19 },
	{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 }, { 0x16fe0, 0x1b2ff },
	{ 0x1f004, 0x1faff }, { 0x20000, 0x3fffd },
};

static bool is_in(uint32_t code, const struct code_range *ranges, size_t count)
{
	for (size_t i = 0; i < count && code >= ranges[i].first; i++)
		if (code <= ranges[i].last)
			return true;
	return false;
}

/* The next character. @is_terminal: also escapes characters that change the direction of text. */
static struct text_unit next_unit(const char *at, bool is_terminal)
{
	static const char digits[] = "0123456789ABCDEF";
	const unsigned char *byte = (const unsigned char *)at;
	struct text_unit unit = { .len = 0, .used = 0 };
	bool is_control, is_direction;
	unsigned int len;
	uint32_t code;

	if (byte[0] == '\0')
		return unit;
	len = utf8_decode(byte, &code);
	is_control = code < 0x20 || (code >= 0x7f && code < 0xa0); /* C0, DEL and C1 */
	is_direction =
		is_terminal && is_in(code, directions, sizeof(directions) / sizeof(directions[0]));
	if (len > 0 && !is_control && !is_direction) {
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

struct text_unit text_next(const char *at)
{
	return next_unit(at, false);
}

size_t text_escape(char *to, size_t size, const char *from)
{
	size_t len = 0;

	for (;;) {
		struct text_unit unit = next_unit(from, true);

		if (unit.used == 0 || len + unit.len >= size)
			break;
		memcpy(to + len, unit.bytes, unit.len);
		len += unit.len;
		from += unit.used;
	}
	to[len] = '\0';
	return len;
}

/* Steps over a character of escaped text. Returns its columns. */
static size_t step(const char **at)
{
	uint32_t code;
	unsigned int len = utf8_decode((const unsigned char *)*at, &code);

	*at += len > 0 ? len : 1;
	return len > 0 && is_in(code, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

size_t text_columns(const char *text)
{
	size_t columns = 0;

	while (*text)
		columns += step(&text);
	return columns;
}

/* Keeps the first @head and the last @tail columns; @mark is between them. */
static size_t cut_middle(char *to, size_t head, size_t tail, const char *mark)
{
	size_t cut = text_columns(to) - tail, width = 0, len = strlen(mark), at = 0;
	const char *rest = to;

	/* A wide character at either cut goes as a whole. */
	while (width < cut) {
		width += step(&rest);
		if (width <= head)
			at = (size_t)(rest - to);
	}
	memmove(to + at + len, rest, strlen(rest) + 1);
	memcpy(to + at, mark, len);
	return strlen(to);
}

size_t text_shorten(char *to, size_t size, const char *from, size_t columns)
{
	size_t head = (columns - 2) / 2;

	text_escape(to, size, from);
	if (columns < 4 || text_columns(to) <= columns)
		return strlen(to);
	return cut_middle(to, head, columns - 2 - head, "..");
}

size_t text_cut_left(char *to, size_t size, const char *from, size_t columns)
{
	static const char ellipsis[] = "\xe2\x80\xa6"; /* U+2026: one column, but more bytes */

	text_escape(to, size - strlen(ellipsis), from);
	if (columns < 2 || text_columns(to) <= columns)
		return strlen(to);
	return cut_middle(to, 0, columns - 1, ellipsis);
}

/* Longer lines are cut. Names are the longest part. */
#define LINE_SIZE 32768

void text_short_component(char *name)
{
	for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		const char *package = slash;
		char *class = slash + 1;
		size_t len;

		while (package > name && is_package_char(package[-1]))
			package--;
		len = (size_t)(slash - package);
		if (len > 0 && strncmp(class, package, len) == 0 && class[len] == '.')
			memmove(class, class + len, strlen(class + len) + 1);
	}
}

void text_print_paragraph(FILE *out, unsigned int columns, unsigned int indent, const char *text)
{
	unsigned int most = columns > indent + 16 ? columns - indent : 16;
	unsigned int at = (unsigned int)strspn(text, " ");
	char first[LINE_SIZE], shown[LINE_SIZE];

	text_copy(first, sizeof(first), text + at);
	fprintf(out, "%*s", (int)at, "");
	for (char *word = first; *word;) {
		size_t length = strcspn(word, " ");
		char end = word[length];
		unsigned int width;

		word[length] = '\0';
		text_shorten(shown, sizeof(shown), word, most);
		width = (unsigned int)text_columns(shown);
		if (word > first && at + 1 + width > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (word > first) {
			fputc(' ', out);
			at++;
		}
		fputs(shown, out);
		at += width;
		word += length + (end != '\0');
	}
	fputc('\n', out);
}

void text_print_line(FILE *out, unsigned int columns, const char *format, ...)
{
	char line[LINE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text_print_paragraph(out, columns, (unsigned int)strspn(line, " ") + 2, line);
}

bool text_append(char *text, size_t size, const char *format, ...)
{
	size_t len = strlen(text);
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text + len, size - len, format, arguments);
	va_end(arguments);
	if (n >= 0 && (size_t)n < size - len)
		return true;
	text[len] = '\0';
	return false;
}

char *text_copy(char *to, size_t size, const char *from)
{
	size_t length = from ? strnlen(from, size - 1) : 0;

	if (length > 0)
		memcpy(to, from, length);
	to[length] = '\0';
	return to;
}
