/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/control/control.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENT_NS UINT64_C(5000000000)
#define BACKLOG 64

/* Anybody may come to the socket. So many who are not admitted are seen off in a second; the next
 * wait, and cost nothing. */
#define REJECTED_MAX 200

/* Places are free again: those who waited before the door come in. */
static void make_room(struct control *control)
{
	if (control->is_full && !control->is_paused)
		loop_watch(control->loop, &control->listener, EPOLLIN);
	control->is_full = false;
}

/* --- clients --- */

static void drop(struct control_client *client)
{
	if (client->watcher.fd < 0)
		return;
	loop_forget(client->control->loop, &client->watcher);
	close(client->watcher.fd);
	client->watcher.fd = -1;
	make_room(client->control);
	if (!client->answer)
		return;
	free(client->answer);
	client->answer = NULL;
#ifdef __GLIBC__
	/* A status is hundreds of small pieces: their room would be kept. */
	malloc_trim(0);
#endif
}

/* Sends what the socket takes; the rest when it takes more. */
static void send_answer(struct control_client *client)
{
	ssize_t n = send(client->watcher.fd, client->answer + client->sent,
			 client->answer_len - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n > 0)
		client->sent += (size_t)n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || client->sent == client->answer_len ||
	    loop_watch(client->control->loop, &client->watcher, EPOLLOUT) < 0)
		drop(client);
}

static void say_farewell(struct control_client *client, const char *text)
{
	send(client->watcher.fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	drop(client);
}

static void hold(struct control_client *client)
{
	client->since_ns = loop_now();
	client->deadline_ns = UINT64_MAX;
	loop_forget(client->control->loop, &client->watcher);
}

/* Lets the capture answer the first @len bytes of the line. */
static void answer(struct control_client *client, size_t len)
{
	struct control *control = client->control;
	struct control_request request;
	const char *error = control_request_parse(&request, client->line, len);
	FILE *out = open_memstream(&client->answer, &client->answer_len);
	enum control_reply reply = CONTROL_ANSWERED;

	if (!out) {
		drop(client);
		return;
	}
	if (error)
		fprintf(out, "error: %s\n", error);
	else
		reply = control->answer(control->context, &request, &client->ticket, out);
	if (fclose(out) != 0) {
		drop(client);
	} else if (reply == CONTROL_ANSWERED) {
		send_answer(client);
	} else {
		client->is_held = reply == CONTROL_AT_END;
		client->is_waiting = reply == CONTROL_LATER;
		client->verb = request.verb;
		hold(client);
	}
}

static void finish(struct control_client *client)
{
	struct control *control = client->control;
	uint64_t waited_ns = loop_now() - client->since_ns;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool is_whole = out && control->finish(control->context, client->verb, client->ticket,
					       waited_ns, out);

	if ((out && fclose(out) != 0) || !is_whole) {
		free(text);
		return;
	}
	free(client->answer);
	client->answer = text;
	client->answer_len = len;
	client->is_waiting = false;
	client->deadline_ns = loop_now() + CLIENT_NS;
	send_answer(client);
}

void control_finish(struct control *control)
{
	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (control->clients[i].watcher.fd >= 0 && control->clients[i].is_waiting)
			finish(&control->clients[i]);
}

void control_dismiss(struct control *control, uint64_t waited_ns, const char *text)
{
	uint64_t now_ns = loop_now();

	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct control_client *client = &control->clients[i];

		if (client->watcher.fd >= 0 && client->is_held &&
		    now_ns - client->since_ns >= waited_ns)
			say_farewell(client, text);
	}
}

static void read_line(struct control_client *client)
{
	char *begin = client->line + client->len;
	ssize_t n =
		recv(client->watcher.fd, begin, sizeof(client->line) - client->len, MSG_DONTWAIT);
	const char *end = n > 0 ? memchr(begin, '\n', (size_t)n) : NULL;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(client);
		return;
	}
	client->len += (size_t)n;
	if (end)
		answer(client, (size_t)(end - client->line));
	else if (client->len == sizeof(client->line))
		say_farewell(client, "error: a line of more than 4096 bytes\n");
}

static void on_client(struct watcher *watcher, uint32_t events)
{
	struct control_client *client = watcher->context;

	(void)events;
	if (client->answer)
		send_answer(client);
	else
		read_line(client);
}

/* --- who comes --- */

static bool is_admitted(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

/* A free place, or that of the one who has been silent longest. NULL: all wait for answers. */
static struct control_client *find_place(struct control *control)
{
	struct control_client *oldest = NULL;

	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct control_client *client = &control->clients[i];

		if (client->watcher.fd < 0)
			return client;
		if (!client->answer && (!oldest || client->deadline_ns < oldest->deadline_ns))
			oldest = client;
	}
	return oldest;
}

/* Until the next tick nobody is let in. */
static void pause_listener(struct control *control)
{
	loop_watch(control->loop, &control->listener, 0);
	control->is_paused = true;
}

static void admit(struct control *control, int fd)
{
	bool admitted = is_admitted(fd);
	struct control_client *client = admitted ? find_place(control) : NULL;

	if (!admitted && ++control->rejected >= REJECTED_MAX)
		pause_listener(control);
	if (!client) {
		close(fd);
		return;
	}
	if (client->watcher.fd >= 0)
		say_farewell(client, "error: " CONTROL_CROWDED "\n");
	client->control = control;
	client->watcher = (struct watcher){ .fd = fd, .ready = on_client, .context = client };
	client->len = client->sent = 0;
	client->is_held = client->is_waiting = false;
	client->deadline_ns = loop_now() + CLIENT_NS;
	if (loop_watch(control->loop, &client->watcher, EPOLLIN) < 0)
		drop(client);
	else
		read_line(client); /* it has spoken already, as a rule: no crowd may push it out */
}

/* One at a time: events of the trace come before a crowd. */
static void on_listener(struct watcher *watcher, uint32_t events)
{
	struct control *control = watcher->context;
	int fd;

	(void)events;
	if (!find_place(control)) {
		/* Whoever comes is not sent away: he waits, too. */
		loop_watch(control->loop, &control->listener, 0);
		control->is_full = true;
		return;
	}
	fd = accept4(watcher->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		admit(control, fd);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
		/* It would ring without end. */
		pause_listener(control);
	}
}

/* --- the socket --- */

/* A name that nobody can have taken before. Returns 0 or -errno. */
static int make_name(char name[static CONTROL_NAME_SIZE])
{
	unsigned char bytes[16];
	int len = snprintf(name, CONTROL_NAME_SIZE, "jankd-");

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		len += snprintf(name + len, CONTROL_NAME_SIZE - (size_t)len, "%02x", bytes[i]);
	return 0;
}

/* Returns a listening socket or -errno. */
static int listen_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -errno;
	/* Abstract: a NUL comes first. */
	memcpy(address.sun_path + 1, name, strlen(name));
	if (bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

void control_init(struct control *control)
{
	control->listener = WATCHER_NONE;
	control->is_paused = control->is_full = false;
	control->rejected = 0;
	control->farewell[0] = '\0';
	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		control->clients[i].watcher = WATCHER_NONE;
		control->clients[i].answer = NULL;
	}
}

int control_open(struct control *control, struct loop *loop)
{
	int error = make_name(control->name);
	int fd = error < 0 ? error : listen_at(control->name);

	if (fd < 0)
		return fd;
	control->loop = loop;
	control->listener = (struct watcher){ .fd = fd, .ready = on_listener, .context = control };
	return loop_watch(loop, &control->listener, EPOLLIN);
}

void control_tick(struct control *control)
{
	uint64_t now = loop_now();

	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (control->clients[i].deadline_ns < now)
			drop(&control->clients[i]);
	if (control->is_paused)
		loop_watch(control->loop, &control->listener, EPOLLIN);
	control->is_paused = false;
	control->rejected = 0;
}

void control_close(struct control *control)
{
	for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct control_client *client = &control->clients[i];

		if (client->watcher.fd >= 0 && client->is_held)
			say_farewell(client, control->farewell);
		drop(client);
	}
	if (control->listener.fd < 0)
		return;
	loop_forget(control->loop, &control->listener);
	close(control->listener.fd);
	control->listener.fd = -1;
}
