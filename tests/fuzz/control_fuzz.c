/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the request of a client, as the answer of the program that listens in a folder, and
 * as the .lock with its name. */
#include <stdlib.h>
#include <string.h>

/* Included, because its static functions are called. The copy in the library is not linked. */
#include "daemon/control/control_client.c"

#include "tests/fuzz/target.h"
#include "tests/unit/scratch.h"

/* --- requests --- */

static void check_mark(const struct control_request *request)
{
	char line[CONTROL_LINE_MAX], again[CONTROL_LINE_MAX];
	struct control_request copy;
	size_t len = control_request_mark(line, request->text);

	if (len == 0 || control_request_parse(&copy, line, len - 1) != NULL ||
	    copy.verb != CONTROL_MARK || strcmp(copy.text, request->text) != 0)
		wrong("a mark is not read as it was written");
	if (control_request_mark(again, copy.text) != len || memcmp(line, again, len) != 0)
		wrong("a mark is not written as it was read");
}

static void check_request(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t len = newline ? (size_t)(newline - data) : size;
	struct control_request request;
	char *line = malloc(len ? len : 1);
	const char *error;
	bool has_columns, has_lines;

	if (!line)
		abort();
	memcpy(line, data, len);
	memset(&request, 0xff, sizeof(request));
	error = control_request_parse(&request, line, len);
	free(line);
	note(error ? error : request.text, strlen(error ? error : request.text));
	if (error) {
		if (error[0] == '\0' || strchr(error, '\n'))
			wrong("a refusal is no line");
		return;
	}
	if (!memchr(request.text, '\0', sizeof(request.text)) || request.verb > CONTROL_STOP)
		wrong("a request without sense was understood");
	has_columns = request.verb == CONTROL_STATUS_TEXT || request.verb == CONTROL_TOP;
	has_lines = request.verb == CONTROL_TOP;
	if (has_columns != (request.columns > 0) || has_lines != (request.lines > 0) ||
	    request.columns > 4096 || request.lines > 4096)
		wrong("a size that no screen has");
	NOTE(request.verb, request.columns, request.lines);
	if ((request.verb == CONTROL_MARK) != (request.text[0] != '\0'))
		wrong("a text that belongs to no mark");
	if (request.verb == CONTROL_MARK)
		check_mark(&request);
}

/* --- answers --- */

static void check_answer(const uint8_t *data, size_t size)
{
	struct control_answer answer = { .body = NULL };
	const struct holder holder = { .pid = 0 };
	int ends[2], result;

	/* All data must fit in the socket's buffer. */
	if (size > 65536 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	if (size > 0 && send(ends[0], data, size, MSG_NOSIGNAL) != (ssize_t)size)
		abort();
	close(ends[0]);
	result = receive(&answer, "/folder", &holder, ends[1], INT64_MAX);
	close(ends[1]);
	if (result < 0 && result != -EBUSY)
		wrong("an answer that has come cannot be read");
	if (!memchr(answer.why, '\0', sizeof(answer.why)))
		wrong("a reason without an end");
	note(answer.why, strlen(answer.why));
	note(answer.body, answer.body ? strlen(answer.body) : 0);
	if (result == 0 && (!answer.body || size < 3 || memcmp(data, "ok\n", 3) != 0))
		wrong("an answer out of nothing");
	if (result != 0 && answer.body)
		wrong("a refusal with a body");
	for (const char *c = answer.body ? answer.body : ""; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
			wrong("an answer that is not fit to print");
	free(answer.body);
}

/* --- locks --- */

static void check_lock(const uint8_t *data, size_t size)
{
	struct holder holder = { .pid = 0 };

	scratch_put_bytes(".lock", data, size);
	if (read_lock(&holder, scratch_root) != 0)
		wrong("a lock cannot be read");
	NOTE(holder.pid);
	note(holder.name, strlen(holder.name));
	if (!memchr(holder.name, '\0', sizeof(holder.name)) || strchr(holder.name, '\n') ||
	    holder.uid != geteuid())
		wrong("a holder that is none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (scratch_root[0] == '\0') {
		scratch_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		atexit(scratch_remove);
	}
	check_request(data, size);
	check_answer(data, size);
	check_lock(data, size);
	return 0;
}
