/* SPDX-License-Identifier: Apache-2.0 */
/* Names that came from a trace or a file system are data: any app may put escape sequences for
 * the terminal, line ends or bytes that are no text into them. */
#ifndef JANKD_DAEMON_BASE_TEXT_H
#define JANKD_DAEMON_BASE_TEXT_H

#include <stddef.h>

/* One character as it is printed. */
struct text_unit {
	char bytes[5]; /* a UTF-8 character as it came, or "\xNN"; NUL-terminated */
	unsigned int len;
	unsigned int used; /* bytes of the input that it stands for; 0 at the end */
};

/**
 * text_next() - the next character of a name, fit to print
 * @at: NUL-terminated text
 *
 * Control characters (C0, DEL, C1) and bytes that are not valid UTF-8 come out as \xNN, byte by
 * byte, with upper-case digits. A backslash stays as it is.
 */
struct text_unit text_next(const char *at);

/* Escapes @from for a terminal into @to, which has @size bytes, cut at a whole character. What
 * turns the direction of text (U+202E) comes out as \xNN, too. Returns the length. */
size_t text_escape(char *to, size_t size, const char *from);

/* Columns that escaped text takes on a terminal: two for a wide character. */
size_t text_columns(const char *text);

/* Escapes @from into at most @columns columns: what is too long loses its middle to "..". */
size_t text_shorten(char *to, size_t size, const char *from, size_t columns);

/* The same, where the end tells more: what is too long loses its begin to an ellipsis. */
size_t text_cut_left(char *to, size_t size, const char *from, size_t columns);

/* Makes Android's short form of each component in @name, in place: "com.a/.Main" of
 * "com.a/com.a.Main", "SurfaceView[com.a/.Main](BLAST)" of "SurfaceView[com.a/com.a.Main](BLAST)".
 */
void text_short_component(char *name);

#endif
