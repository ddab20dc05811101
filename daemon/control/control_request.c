/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/control/control_request.h"

#include <stdbool.h>
#include <string.h>

#include "parser/chars.h"

/* The rest of a line. */
struct rest {
	const char *at, *end;
};

/* Skips the next word if it is @word. */
static bool skip_word(struct rest *rest, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(rest->end - rest->at) < len || memcmp(rest->at, word, len) != 0)
		return false;
	if (rest->at + len < rest->end && rest->at[len] != ' ')
		return false;
	rest->at += len;
	return true;
}

static bool skip_blank(struct rest *rest)
{
	if (rest->at == rest->end || *rest->at != ' ')
		return false;
	rest->at++;
	return true;
}

/* A blank and a number of columns or lines. */
static bool parse_side(struct rest *rest, unsigned int *side)
{
	const char *begin;

	if (!skip_blank(rest))
		return false;
	*side = 0;
	for (begin = rest->at; rest->at < rest->end; rest->at++) {
		if (!is_digit(*rest->at))
			break;
		*side = *side * 10 + (unsigned int)(*rest->at - '0');
		if (*side > CONTROL_SIDE_MAX)
			return false;
	}
	return rest->at > begin && *side > 0;
}

static const char *parse_mark(struct rest *rest, char text[static CONTROL_MARK_MAX + 1])
{
	size_t len = 0;

	if (!skip_blank(rest) || rest->at == rest->end)
		return "mark: the text is missing";
	for (; rest->at < rest->end; rest->at++) {
		char c = *rest->at;

		if (len == CONTROL_MARK_MAX)
			return "mark: the text has more than 1024 bytes";
		if (c == '\\') {
			if (++rest->at == rest->end || !strchr("n\\", *rest->at) || !*rest->at)
				return "mark: a backslash must be written as \\\\";
			c = *rest->at == 'n' ? '\n' : '\\';
		}
		if (c == '\0')
			return "mark: the text contains a NUL";
		text[len++] = c;
	}
	text[len] = '\0';
	return NULL;
}

static const char *parse_status(struct rest *rest, struct control_request *request)
{
	request->verb = CONTROL_STATUS;
	if (rest->at == rest->end)
		return NULL;
	request->verb = CONTROL_STATUS_TEXT;
	if (skip_blank(rest) && skip_word(rest, "text") && parse_side(rest, &request->columns) &&
	    rest->at == rest->end)
		return NULL;
	return "status: must be 'status' or 'status text COLUMNS'";
}

static const char *parse_top(struct rest *rest, struct control_request *request)
{
	request->verb = CONTROL_TOP;
	if (parse_side(rest, &request->columns) && parse_side(rest, &request->lines)) {
		request->colour = skip_blank(rest);
		if (rest->at == rest->end ? !request->colour
					  : skip_word(rest, "colour") && rest->at == rest->end)
			return NULL;
	}
	return "top: must be 'top COLUMNS LINES' or 'top COLUMNS LINES colour'";
}

static const char *parse_end(const struct rest *rest, struct control_request *request,
			     enum control_verb verb)
{
	request->verb = verb;
	return rest->at == rest->end ? NULL : "unexpected text after the command";
}

const char *control_request_parse(struct control_request *request, const char *line, size_t len)
{
	struct rest rest = { line, line + len };

	request->columns = request->lines = 0;
	request->colour = false;
	request->text[0] = '\0';
	if (skip_word(&rest, "status"))
		return parse_status(&rest, request);
	if (skip_word(&rest, "top"))
		return parse_top(&rest, request);
	if (skip_word(&rest, "rotate"))
		return parse_end(&rest, request, CONTROL_ROTATE);
	if (skip_word(&rest, "stop"))
		return parse_end(&rest, request, CONTROL_STOP);
	if (!skip_word(&rest, "mark"))
		return "the command must be status, top, mark, rotate or stop";
	request->verb = CONTROL_MARK;
	return parse_mark(&rest, request->text);
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
