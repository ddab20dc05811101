/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket: requests, which may be any bytes; a server that a loop drives, and clients in
 * threads. */
#include "tests/unit/unit.h"

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The tests read its array of clients. The copy in the library is not linked. */
#include "daemon/control/control_server.c"

#include "daemon/base/folder.h"
#include "tests/unit/printed.h"
#include "tests/unit/scratch.h"

/* --- requests --- */

TEST(invalid_requests_are_refused)
{
	char bad[] = ";stat;statuses;status ;status text;status text 0;status text 80 ;top;"
		     "top 80;top 80 ;top 80 24 7;top 80 4097;top 80 24colour;top "
		     "99999999999999999999 24;"
		     "top 0x50 24;stop now; stop;rotate\r;mark;mark ;mark a\\;mark a\\t";
	char *rest = bad, *one;
	struct control_request request;

	while ((one = strsep(&rest, ";")))
		if (!control_request_parse(&request, one, strlen(one)))
			fail_msg("'%s' was understood", one);
	assert_non_null(control_request_parse(&request, "mark a\0b", 8));
	assert_non_null(control_request_parse(&request, "mark a\\\0", 8));
	assert_non_null(control_request_parse(&request, "stop\0", 5));
}

static void check_mark(const char *text)
{
	char line[CONTROL_LINE_MAX];
	struct control_request request;
	size_t len = control_request_mark(line, text);

	assert_true(len > 0);
	assert_ptr_equal(memchr(line, '\n', len), line + len - 1);
	assert_null(control_request_parse(&request, line, len - 1));
	assert_int_equal(request.verb, CONTROL_MARK);
	assert_string_equal(request.text, text);
}

TEST(mark_text_is_escaped_and_unescaped)
{
	char text[CONTROL_MARK_MAX + 2], line[CONTROL_LINE_MAX];
	struct control_request request;

	check_mark("x");
	check_mark("  two  blanks ");
	check_mark("a\nb\\n\\\\c\r\x01\xff");
	memset(text, '\n', sizeof(text));
	text[CONTROL_MARK_MAX] = '\0';
	check_mark(text);
	text[CONTROL_MARK_MAX] = '\n';
	text[CONTROL_MARK_MAX + 1] = '\0';
	assert_int_equal(control_request_mark(line, text), 0);
	assert_int_equal(control_request_mark(line, ""), 0);
	memset(line, 'x', sizeof(line));
	memcpy(line, "mark ", 5);
	assert_null(control_request_parse(&request, line, 5 + CONTROL_MARK_MAX));
	assert_int_equal(strlen(request.text), CONTROL_MARK_MAX);
	assert_non_null(control_request_parse(&request, line, 5 + CONTROL_MARK_MAX + 1));
}

/* --- the server --- */

#define ANSWER_S 60

/* Of control_client.c. */
#define ANSWER_MAX (1 << 20)

static struct folder folder;
static struct loop loop;
static struct control *control;

/* How the server answers. */
static bool is_later;
static const char *reply_text;
static bool is_done;
static unsigned int n_requests;
static struct control_request last_request;

static bool on_request(void *context, struct control_request *request, uint64_t waited_ns,
		       FILE *out)
{
	bool waits = request->ticket == 7, is_whole = waits ? is_done : !is_later;

	assert_ptr_equal(context, &control);
	assert_in_range(waited_ns, 0, ANSWER_S * SECOND);
	last_request = *request;
	n_requests += !waits;
	request->ticket = 7;
	if (is_whole)
		fputs(waits ? "ok\nfinished\n" : reply_text, out);
	return is_whole;
}

static int set_up(void **state)
{
	const struct control_handler handler = { on_request, &control };

	scratch_set_up(state);
	is_later = false;
	reply_text = "ok\nhere\n";
	is_done = false;
	n_requests = 0;
	if (loop_open(&loop) != 0 || folder_open(&folder, scratch_path("out")) != 0 ||
	    control_open(&control, &loop, &handler, &folder.state_dir) != 0)
		return -1;
	return folder_write_address(&folder, control_name(control));
}

static int tear_down(void **state)
{
	control_close(control);
	loop_close(&loop);
	folder_close(&folder);
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up, tear_down)

/* --- a client that sends any text --- */

static int connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path + 1, name, strlen(name));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, size), 0);
	return fd;
}

static void serve(void)
{
	while (loop_wait(&loop, 0))
		;
}

static void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	serve();
}

/* The text received; NULL: nothing yet; "": the connection was closed. */
static const char *received_text(int fd)
{
	static char text[65536];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return NULL;
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* A client that has sent @text. */
static int client(const char *text)
{
	int fd = connect_to(control_name(control));

	send_text(fd, text);
	assert_int_equal(scratch_inherited(), 0);
	return fd;
}

static void assert_answer(const char *question, const char *answer)
{
	int fd = client(question);

	assert_contains(received_text(fd), answer);
	assert_string_equal(received_text(fd), "");
	close(fd);
}

TEST(a_request_gets_one_answer_and_is_closed)
{
	char line[CONTROL_LINE_MAX + 1] = "";
	int fd = client("");

	assert_answer("status\n", "ok\nhere\n");
	assert_int_equal(last_request.verb, CONTROL_STATUS);
	assert_answer("top 80 4096\n", "ok\nhere\n");
	assert_fields(&last_request, verb == CONTROL_TOP, columns == 80, lines == 4096);
	assert_false(last_request.colour);
	assert_answer("top 80 24 colour\n", "ok\nhere\n");
	assert_true(last_request.colour);
	assert_answer("top 80 24 \n", "error: ");
	assert_int_equal(n_requests, 3);
	assert_answer("dance\n", "error: ");
	assert_answer("\n", "error: ");
	assert_int_equal(n_requests, 3);
	/* Only the first of two lines is used. */
	assert_answer("rotate\nstop\n", "ok\nhere\n");
	assert_int_equal(last_request.verb, CONTROL_ROTATE);
	assert_int_equal(n_requests, 4);
	memset(line, 'A', CONTROL_LINE_MAX - 1);
	send_text(fd, line);
	assert_null(received_text(fd));
	send_text(fd, "A");
	assert_contains(received_text(fd), "error: ");
	close(fd);
	/* In pieces. */
	fd = client("sta");
	assert_null(received_text(fd));
	send_text(fd, "tus\n");
	assert_string_equal(received_text(fd), "ok\nhere\n");
	close(fd);
}

/* Clients without a request do not block others. */
TEST(an_idle_client_is_closed_for_a_new_one)
{
	int idle[CLIENTS_MAX], fd;

	for (int i = 0; i < CLIENTS_MAX; i++)
		idle[i] = client("");
	assert_answer("status\n", "ok\n");
	assert_contains(received_text(idle[0]), CONTROL_BUSY);
	assert_null(received_text(idle[1]));
	for (int i = 0; i < CLIENTS_MAX; i++)
		close(idle[i]);
	serve();
	/* A client past its deadline is closed, too. */
	fd = client("");
	control_tick(control);
	assert_null(received_text(fd));
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].watcher.fd >= 0)
			control->clients[i].deadline_ns = 1;
	control_tick(control);
	assert_string_equal(received_text(fd), "");
	close(fd);
}

TEST(without_descriptors_clients_wait_for_a_tick)
{
	struct rlimit before, few;
	int fd = connect_to(control_name(control));

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){ (rlim_t)fd + 1, before.rlim_max };
	assert_false(control_has_clients(control));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	send_text(fd, "status\n");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_true(control_has_clients(control));
	assert_false(loop_wait(&loop, 0));
	control_tick(control);
	assert_false(control_has_clients(control));
	serve();
	assert_string_equal(received_text(fd), "ok\nhere\n");
	close(fd);
}

/* While all slots are deferred, new clients wait. */
TEST(deferred_answers_are_sent_when_done)
{
	int waiting[CLIENTS_MAX], last;

	is_later = true;
	for (int i = 0; i < CLIENTS_MAX; i++)
		waiting[i] = client("mark x\n");
	is_later = false;
	last = client("status\n");
	control_answer_waiting(control);
	assert_null(received_text(waiting[0]));
	assert_null(received_text(last));
	is_done = true;
	control_answer_waiting(control);
	serve();
	assert_string_equal(received_text(last), "ok\nhere\n");
	for (int i = 0; i < CLIENTS_MAX; i++) {
		assert_string_equal(received_text(waiting[i]), "ok\nfinished\n");
		close(waiting[i]);
	}
	close(last);
}

TEST(stop_is_answered_at_the_end)
{
	int fd;

	is_later = true;
	fd = client("stop\n");
	control_answer_waiting(control);
	assert_null(received_text(fd));
	is_done = true;
	control_close(control);
	control = NULL;
	assert_string_equal(received_text(fd), "ok\nfinished\n");
	close(fd);
	/* A capture whose socket was closed. */
	control_close(control);
}

/* --- the client --- */

struct question {
	const char *line;
	struct control_answer answer;
	int result;
	int over[2]; /* a pipe that gets a byte with the answer */
};

static void *ask(void *context)
{
	struct question *question = context;

	question->result = control_send(&question->answer, folder.path, question->line, ANSWER_S);
	if (write(question->over[1], "x", 1) != 1)
		abort();
	return NULL;
}

/* Sends the request while the server runs, which answers with @text. */
static void ask_served(struct question *question, const char *line, const char *text)
{
	struct pollfd over;
	pthread_t thread;

	reply_text = text;
	*question = (struct question){ .line = line };
	assert_int_equal(pipe(question->over), 0);
	over = (struct pollfd){ .fd = question->over[0], .events = POLLIN };
	assert_int_equal(pthread_create(&thread, NULL, ask, question), 0);
	while (poll(&over, 1, 0) == 0)
		loop_wait(&loop, loop_now() + 5 * MS);
	pthread_join(thread, NULL);
	close(question->over[0]);
	close(question->over[1]);
}

/* Strangers have filled the backlog of the abstract socket, and no more of them are accepted. */
TEST(the_owner_is_served_beside_a_crowd_of_strangers)
{
	struct question question;
	struct stat info;
	int crowd[BACKLOG + 1];

	for (int i = 0; i <= BACKLOG; i++)
		crowd[i] = connect_to(control_name(control));
	pause_listener(control, LISTENER_ABSTRACT);
	ask_served(&question, "status\n", "ok\nhere\n");
	assert_int_equal(question.result, 0);
	free(question.answer.body);
	for (int i = 0; i <= BACKLOG; i++)
		close(crowd[i]);
	/* The folder is moved away and made again. */
	assert_int_equal(rename(scratch_path("out"), scratch_path("away")), 0);
	assert_int_equal(mkdir(scratch_path("out"), 0700), 0);
	control_reopen(control, scratch_path("out"));
	assert_false(scratch_has("away/.socket"));
	/* Nobody else can connect there, and it is removed at the end. */
	assert_int_equal(stat(scratch_path("out/.socket"), &info), 0);
	assert_int_equal(info.st_mode & 07777, 0600);
	control_close(control);
	control = NULL;
	assert_false(scratch_has("out/.socket"));
}

TEST(client_returns_the_text_or_why_there_is_none)
{
	static char text[ANSWER_MAX + 1];
	struct question question;

	/* An answer is escaped before it is printed: any program may have sent it. */
	ask_served(&question, "status\n",
		   "ok\n\x1b\x01\x02\x03\x04\x05\x06\x07\x08\x0b\xff\xc3\xb6\n");
	assert_int_equal(question.result, 0);
	assert_string_equal(question.answer.body,
			    "\\x1B\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\\x0B\\xFF\xc3\xb6\n");
	free(question.answer.body);
	ask_served(&question, "rotate\n", "error: not now; later\n");
	assert_int_equal(question.result, CONTROL_REFUSED);
	assert_string_equal(question.answer.why, "not now; later");
	assert_null(question.answer.body);
	ask_served(&question, "status\n", "ok\nno line end");
	assert_int_equal(question.result, -EPROTO);
	assert_contains(question.answer.why, folder.path);
	ask_served(&question, "status\n", "hello\n");
	assert_int_equal(question.result, -EPROTO);
	/* A long answer is sent in pieces; one byte more is too long. */
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "ok\n", 3);
	text[ANSWER_MAX - 2] = '\n';
	text[ANSWER_MAX - 1] = '\0';
	ask_served(&question, "status\n", text);
	assert_int_equal(question.result, 0);
	assert_string_equal(question.answer.body, text + 3);
	free(question.answer.body);
	text[ANSWER_MAX - 2] = 'x';
	text[ANSWER_MAX - 1] = '\n';
	ask_served(&question, "status\n", text);
	assert_int_equal(question.result, -EMSGSIZE);
	assert_null(question.answer.body);
}

/* There is no answer of the capture in a folder; the reason names something. */
static void is_not_answered(const char *path, int error, const char *named)
{
	struct control_answer answer;

	assert_int_equal(control_send(&answer, path, "status\n", 1), error);
	assert_contains(answer.why, named);
}

TEST(a_capture_that_does_not_answer_is_reported)
{
	struct folder silent;

	/* It has the lock but no socket yet: after two seconds this is reported. */
	assert_int_equal(folder_open(&silent, scratch_path("silent")), 0);
	is_not_answered(silent.path, -ENOTCONN, formatted("pid %d", (int)getpid()));
	folder_close(&silent);
	/* The server's loop does not run: the kernel accepts the connection. */
	is_not_answered(folder.path, -EAGAIN, folder.path);
	serve();
}
