/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes names for output. A name from a trace or a file system can have any bytes: escape
 * sequences for the terminal, line ends, bytes that are not text. */
#ifndef JANKD_DAEMON_BASE_TEXT_H
#define JANKD_DAEMON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One character as it is printed. */
struct text_unit {
	char bytes[5]; /* the UTF-8 character, or "\xNN"; NUL-terminated */
	unsigned int len;
	unsigned int used; /* bytes of the input; 0 at the end */
};

/* The next character of a name, as it is printed: control characters (C0, DEL, C1) and bytes that
 * are not valid UTF-8 become \xNN, byte by byte. A backslash is not changed. */
struct text_unit text_next(const char *at);

/* Escapes @from for a terminal into @to, which has @size bytes, cut at a whole character.
 * Characters that change the direction of text (U+202E) become \xNN, too. Returns the length. */
size_t text_escape(char *to, size_t size, const char *from);

/* Columns of escaped text on a terminal: two for a wide character. */
size_t text_columns(const char *text);

/* Escapes @from into at most @columns columns: ".." replaces the middle of longer text. */
size_t text_shorten(char *to, size_t size, const char *from, size_t columns);

/* The same for text whose end is more important: an ellipsis replaces the beginning. */
size_t text_cut_left(char *to, size_t size, const char *from, size_t columns);

/* Prints text, escaped, in lines of at most @columns that break at blanks. The lines after the
 * first begin with @indent blanks. Only a word longer than a line is cut. */
void text_print_paragraph(FILE *out, unsigned int columns, unsigned int indent, const char *text);

/* The same as for printf(). The lines after the first begin with two blanks more than it does. */
void text_print_line(FILE *out, unsigned int columns, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Shortens each component in @name to Android's short form, in place: "com.a/com.a.Main" to
 * "com.a/.Main", "SurfaceView[com.a/com.a.Main](BLAST)" to "SurfaceView[com.a/.Main](BLAST)". */
void text_short_component(char *name);

/* Appends to a text, which has space for @size bytes. Returns false, and changes nothing, if it
 * does not fit. */
bool text_append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Copies a text, cut to fit; "" if @from is NULL. @size: more than 0. Returns @to. */
char *text_copy(char *to, size_t size, const char *from);

#endif
