/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/control/control_request.h"

#include <stdbool.h>
#include <string.h>

/* A screen is not larger; a table for one that is would be made for nothing. */
#define SIDE_MAX 4096

/* What is left of a line. */
struct rest {
	const char *at, *end;
};

/* Takes the next word, where it is @word. */
static bool take_word(struct rest *rest, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(rest->end - rest->at) < len || memcmp(rest->at, word, len) != 0)
		return false;
	if (rest->at + len < rest->end && rest->at[len] != ' ')
		return false;
	rest->at += len;
	return true;
}

static bool take_blank(struct rest *rest)
{
	if (rest->at == rest->end || *rest->at != ' ')
		return false;
	rest->at++;
	return true;
}

/* A blank and a number of columns or lines. */
static bool take_side(struct rest *rest, unsigned int *side)
{
	const char *begin;

	if (!take_blank(rest))
		return false;
	*side = 0;
	for (begin = rest->at; rest->at < rest->end; rest->at++) {
		if (*rest->at < '0' || *rest->at > '9')
			break;
		*side = *side * 10 + (unsigned int)(*rest->at - '0');
		if (*side > SIDE_MAX)
			return false;
	}
	return rest->at > begin && *side > 0;
}

static const char *take_mark(struct rest *rest, char text[static CONTROL_MARK_MAX + 1])
{
	size_t len = 0;

	if (!take_blank(rest) || rest->at == rest->end)
		return "mark: the text is missing";
	for (; rest->at < rest->end; rest->at++) {
		char c = *rest->at;

		if (len == CONTROL_MARK_MAX)
			return "mark: more than 1024 bytes of text";
		if (c == '\\') {
			if (++rest->at == rest->end || !strchr("n\\", *rest->at) || !*rest->at)
				return "mark: a backslash stands for itself as \\\\";
			c = *rest->at == 'n' ? '\n' : '\\';
		}
		if (c == '\0')
			return "mark: a NUL in the text";
		text[len++] = c;
	}
	text[len] = '\0';
	return NULL;
}

static const char *take_status(struct rest *rest, struct control_request *request)
{
	request->verb = CONTROL_STATUS;
	if (rest->at == rest->end)
		return NULL;
	request->verb = CONTROL_STATUS_TEXT;
	if (take_blank(rest) && take_word(rest, "text") && take_side(rest, &request->columns) &&
	    rest->at == rest->end)
		return NULL;
	return "status: not 'status' or 'status text COLUMNS'";
}

static const char *take_top(struct rest *rest, struct control_request *request)
{
	request->verb = CONTROL_TOP;
	if (take_side(rest, &request->columns) && take_side(rest, &request->lines) &&
	    rest->at == rest->end)
		return NULL;
	return "top: not 'top COLUMNS LINES'";
}

static const char *take_nothing(const struct rest *rest, struct control_request *request,
				enum control_verb verb)
{
	request->verb = verb;
	return rest->at == rest->end ? NULL : "there is something behind the command";
}

const char *control_request_parse(struct control_request *request, const char *line, size_t len)
{
	struct rest rest = { line, line + len };

	request->columns = request->lines = 0;
	request->text[0] = '\0';
	if (take_word(&rest, "status"))
		return take_status(&rest, request);
	if (take_word(&rest, "top"))
		return take_top(&rest, request);
	if (take_word(&rest, "rotate"))
		return take_nothing(&rest, request, CONTROL_ROTATE);
	if (take_word(&rest, "stop"))
		return take_nothing(&rest, request, CONTROL_STOP);
	if (!take_word(&rest, "mark"))
		return "not one of status, top, mark, rotate, stop";
	request->verb = CONTROL_MARK;
	return take_mark(&rest, request->text);
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
