/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/control/control.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A number of columns or lines. */
static bool parse_side(unsigned int *side, const char *word)
{
	size_t len = strspn(word, "0123456789");

	*side = len < 10 ? (unsigned int)strtoul(word, NULL, 10) : 0;
	return !word[len] && *side > 0 && *side <= CONTROL_SIDE_MAX;
}

const char *control_request_parse(struct control_request *request, const char *line, size_t len)
{
	char copy[CONTROL_LINE_MAX + 1], *rest = copy, *words[5] = { NULL };
	const char *end = line + len, *at = line + strlen("mark ");
	size_t n = 0;

	request->columns = request->lines = 0;
	request->ticket = 0;
	request->colour = false;
	request->text[0] = '\0';
	request->verb = CONTROL_MARK;
	if (len > CONTROL_LINE_MAX || memchr(line, '\0', len))
		return "the request is too long or contains a NUL";

	if (len > strlen("mark ") && memcmp(line, "mark ", strlen("mark ")) == 0) {
		for (; at < end; at++) {
			bool is_escaped = *at == '\\';

			if (n == CONTROL_MARK_MAX)
				return "mark: the text has more than 1024 bytes";
			if (is_escaped && (++at == end || (*at != 'n' && *at != '\\')))
				return "mark: a backslash must be written as \\\\";
			request->text[n++] = is_escaped && *at == 'n' ? '\n' : *at;
		}
		request->text[n] = '\0';
		return NULL;
	}

	memcpy(copy, line, len);
	copy[len] = '\0';
	while (n < 5 && (words[n] = strsep(&rest, " ")))
		n++;
	if (strcmp(words[0], "status") == 0) {
		request->verb = n == 1 ? CONTROL_STATUS : CONTROL_STATUS_TEXT;
		if (n == 1 || (n == 3 && strcmp(words[1], "text") == 0 &&
			       parse_side(&request->columns, words[2])))
			return NULL;
		return "status: must be 'status' or 'status text COLUMNS'";
	}
	if (strcmp(words[0], "top") == 0) {
		request->verb = CONTROL_TOP;
		request->colour = n == 4 && strcmp(words[3], "colour") == 0;
		if ((n == 3 || request->colour) && parse_side(&request->columns, words[1]) &&
		    parse_side(&request->lines, words[2]))
			return NULL;
		return "top: must be 'top COLUMNS LINES' or 'top COLUMNS LINES colour'";
	}
	if (strcmp(words[0], "mark") == 0)
		return "mark: the text is missing";
	request->verb = strcmp(words[0], "rotate") == 0 ? CONTROL_ROTATE : CONTROL_STOP;
	if (request->verb == CONTROL_STOP && strcmp(words[0], "stop") != 0)
		return "the command must be status, top, mark, rotate or stop";
	return n == 1 ? NULL : "unexpected text after the command";
}

size_t control_request_mark(char line[static CONTROL_LINE_MAX], const char *text)
{
	size_t len = strlen("mark ");

	_Static_assert(CONTROL_LINE_MAX >= sizeof("mark \n") + 2 * CONTROL_MARK_MAX,
		       "a mark of line ends alone fits");
	if (text[0] == '\0' || strlen(text) > CONTROL_MARK_MAX)
		return 0;
	memcpy(line, "mark ", len);
	for (; *text; text++) {
		if (*text == '\n' || *text == '\\')
			line[len++] = '\\';
		line[len++] = *text == '\n' ? 'n' : *text;
	}
	line[len++] = '\n';
	return len;
}
