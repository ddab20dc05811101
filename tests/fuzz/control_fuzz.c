/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at both ends of the control socket: as the request of a client, as the answer of the
 * program that listens in a folder, and as the .lock with its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Included, because their static functions are called. The copies in the library are not linked. */
#include "daemon/control/control_client.c"
#include "daemon/control/control_server.c"

#include "daemon/control/control_request.h"
#include "tests/fuzz/target.h"
#include "tests/unit/scratch.h"

static struct loop loop;
static struct control *control;

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
	if ((request.verb == CONTROL_MARK) != (request.text[0] != '\0'))
		wrong("a text that belongs to no mark");
	if (request.verb == CONTROL_MARK)
		check_mark(&request);
}

/* --- the server --- */

static enum control_reply answer_all(void *context, const struct control_request *request,
				     uint64_t *ticket, FILE *out)
{
	(void)context;
	(void)ticket;
	fprintf(out, "ok\nverb %d\n", (int)request->verb);
	return CONTROL_ANSWERED;
}

static bool answer_waiting_all(void *context, enum control_verb verb, uint64_t ticket,
			       uint64_t waited_ns, FILE *out)
{
	(void)context;
	(void)verb;
	(void)ticket;
	(void)waited_ns;
	fputs("ok\n", out);
	return true;
}

static void serve(void)
{
	while (loop_wait(&loop, 0))
		;
}

/* Sends in pieces, and checks that each client gets one complete answer or none. */
static void check_server(const uint8_t *data, size_t size)
{
	struct holder holder = { .pid = getpid(), .uid = geteuid() };
	struct received received = { .text = NULL };
	const char *error = NULL;
	struct control_request request;
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t len = newline ? (size_t)(newline - data) : size;
	int fd;

	snprintf(holder.name, sizeof(holder.name), "%s", control_name(control));
	fd = connect_to(&holder, 1);
	if (fd < 0)
		wrong("no connection");
	for (size_t done = 0; done < size;) {
		size_t piece = 1 + data[done] * 16u;

		if (piece > size - done)
			piece = size - done;
		if (send(fd, data + done, piece, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
		done += piece;
		serve();
	}
	shutdown(fd, SHUT_WR);
	serve();
	read_all(&received, fd, 0);
	close(fd);
	serve();
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].watcher.fd >= 0)
			wrong("a client that is gone keeps its place");
	if (newline && len < CONTROL_LINE_MAX)
		error = control_request_parse(&request, (const char *)data, len);
	if (newline && len < CONTROL_LINE_MAX && received.text[0] != '\0' &&
	    strncmp(received.text, error ? "error: " : "ok\n", error ? 7 : 3) != 0)
		wrong("an answer to another question");
	if (!newline && strncmp(received.text, "ok", 2) == 0)
		wrong("half a line was answered");
	free(received.text);
}

/* --- answers --- */

static void check_answer(const uint8_t *data, size_t size)
{
	struct control_answer answer = { .body = NULL };
	struct received received = { .text = NULL };
	int ends[2], result;

	/* All data must fit in the socket's buffer. */
	if (size > 65536 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	if (size > 0 && send(ends[0], data, size, MSG_NOSIGNAL) != (ssize_t)size)
		abort();
	close(ends[0]);
	if (read_all(&received, ends[1], INT64_MAX) != 0)
		wrong("an answer that has come cannot be read");
	close(ends[1]);
	result = parse_answer(&answer, &received, "/folder");
	if (!memchr(answer.why, '\0', sizeof(answer.why)))
		wrong("a reason without an end");
	if (result == 0 && (!answer.body || size < 3 || memcmp(data, "ok\n", 3) != 0))
		wrong("an answer out of nothing");
	if (result != 0 && answer.body)
		wrong("a refusal with a body");
	for (const char *c = answer.body ? answer.body : ""; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
			wrong("an answer that is not fit to print");
	free(answer.body);
	free(received.text);
}

/* --- locks --- */

static void check_lock(const uint8_t *data, size_t size)
{
	struct holder holder = { .pid = 0 };

	scratch_put_bytes(".lock", data, size);
	if (read_lock(&holder, scratch_root) != 0)
		wrong("a lock cannot be read");
	if (!memchr(holder.name, '\0', sizeof(holder.name)) || strchr(holder.name, '\n') ||
	    holder.uid != geteuid())
		wrong("a holder that is none");
}

static void end(void)
{
	control_close(control, "");
	loop_close(&loop);
	scratch_remove();
}

static void begin(void)
{
	const struct control_handler handler = { answer_all, answer_waiting_all, NULL };

	scratch_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (loop_open(&loop) != 0 || control_open(&control, &loop, &handler) != 0)
		abort();
	atexit(end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (scratch_root[0] == '\0')
		begin();
	check_request(data, size);
	check_server(data, size);
	check_answer(data, size);
	check_lock(data, size);
	return 0;
}
