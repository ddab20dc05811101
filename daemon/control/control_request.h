/* SPDX-License-Identifier: Apache-2.0 */
/* What a running capture can be asked, as one line.
 *
 *     status               a JSON object: that of session.json, with pid and uptime_s
 *     status text COLUMNS  the same for people
 *     top COLUMNS LINES    the table of surfaces, in that much room
 *     mark TEXT            a row of events.csv; in TEXT, "\n" is a line end and "\\" a backslash
 *     rotate               closes the current segments and begins new ones
 *     stop                 ends the capture
 */
#ifndef JANKD_DAEMON_CONTROL_CONTROL_REQUEST_H
#define JANKD_DAEMON_CONTROL_CONTROL_REQUEST_H

#include <stddef.h>

/* Bytes of a line with its line end; a longer one is refused. */
#define CONTROL_LINE_MAX 4096

/* Why one who was let in before he had asked was sent away: nothing was done, he may ask again. */
#define CONTROL_CROWDED "too many ask at once; ask again in a second"

/* Bytes of a mark, at most. */
#define CONTROL_MARK_MAX 1024

enum control_verb {
	CONTROL_STATUS,
	CONTROL_STATUS_TEXT,
	CONTROL_TOP,
	CONTROL_MARK,
	CONTROL_ROTATE,
	CONTROL_STOP,
};

struct control_request {
	enum control_verb verb;
	unsigned int columns, lines;
	char text[CONTROL_MARK_MAX + 1];
};

/**
 * control_request_parse() - understand a line
 * @line: @len bytes without the line end; any bytes
 *
 * Returns NULL, or why it cannot be done: constant text.
 */
const char *control_request_parse(struct control_request *request, const char *line, size_t len);

/* The reverse for a mark: @text as the line that asks for it. Returns its length with the line
 * end, or 0 where @text is empty or longer than CONTROL_MARK_MAX. */
size_t control_request_mark(char line[static CONTROL_LINE_MAX], const char *text);

#endif
