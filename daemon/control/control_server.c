/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/base/periods.h"
#include "daemon/base/state_dir.h"

#define CLIENTS_MAX 16

/* Bytes of a socket name with its NUL. */
#define NAME_SIZE 48

#define BACKLOG 64

enum listener {
	LISTENER_FILE,
	LISTENER_ABSTRACT,
	LISTENERS,
};

/* Every process can connect to the abstract socket. After this number of processes of other users
 * between two ticks, none of its connections are accepted until the next tick. They wait in the
 * backlog, which costs no CPU. */
#define REJECTED_MAX 200

struct client {
	struct control *control;
	struct watcher watcher; /* fd < 0: this entry is free */
	char line[CONTROL_LINE_MAX];
	size_t len;
	char *answer; /* NULL: there is none yet; the first ->sent bytes are sent */
	size_t answer_len, sent;
	struct control_request request;
	uint64_t since_ns; /* when its request began to wait for an answer; 0: it does not */
	uint64_t deadline_ns;
};

struct control {
	struct loop *loop;
	struct control_handler handler;
	struct watcher listeners[LISTENERS];
	bool is_paused;	       /* no descriptors left, or too many rejected: until the next tick */
	unsigned int rejected; /* processes of other users since the last tick */
	char name[NAME_SIZE];
	int dir_fd;			/* with the socket's file */
	char file[STATE_DIR_NAME_SIZE]; /* "": there is none */
	ino_t inode;			/* of the file */
	struct client clients[CLIENTS_MAX];
};

static void watch_listeners(struct control *control, uint32_t events)
{
	for (int i = 0; i < LISTENERS; i++)
		if (control->listeners[i].fd >= 0)
			loop_watch(control->loop, &control->listeners[i], events);
}

/* --- clients --- */

/* Closes the connection, and accepts new ones again. */
static void drop(struct client *client)
{
	struct control *control = client->control;

	if (client->watcher.fd < 0)
		return;
	loop_close_watcher(control->loop, &client->watcher);
	if (!control->is_paused)
		watch_listeners(control, EPOLLIN);
	if (!client->answer)
		return;
	free(client->answer);
	client->answer = NULL;
#ifdef __GLIBC__
	/* A status allocates hundreds of small blocks; without this, libc would keep the memory. */
	malloc_trim(0);
#endif
}

/* Sends as much as the socket accepts now. The event loop calls it again for the rest. */
static void send_answer(struct client *client)
{
	ssize_t n = send(client->watcher.fd, client->answer + client->sent,
			 client->answer_len - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n > 0)
		client->sent += (size_t)n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || client->sent == client->answer_len ||
	    loop_watch(client->control->loop, &client->watcher, EPOLLOUT) < 0)
		drop(client);
}

static void send_and_drop(struct client *client, const char *text)
{
	send(client->watcher.fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	drop(client);
}

/* Sends the answer to the request. If there is none yet, the client waits. */
static void answer(struct client *client)
{
	const struct control_handler *handler = &client->control->handler;
	bool waits = client->since_ns > 0;
	uint64_t waited_ns = waits ? loop_now() - client->since_ns : 0;
	FILE *out = open_memstream(&client->answer, &client->answer_len);
	bool is_whole = out && handler->answer(handler->context, &client->request, waited_ns, out);
	bool is_printed = out && fclose(out) == 0;

	if (is_printed && is_whole) {
		client->since_ns = 0;
		client->deadline_ns = loop_now() + periods.client_ns;
		send_answer(client);
		return;
	}
	free(client->answer);
	client->answer = NULL;
	/* A client that waits is asked for again. */
	if (!is_printed && !waits) {
		drop(client);
	} else if (!waits) {
		client->since_ns = loop_now();
		client->deadline_ns = UINT64_MAX;
		loop_forget(client->control->loop, &client->watcher);
	}
}

void control_answer_waiting(struct control *control)
{
	for (int i = 0; control && i < CLIENTS_MAX; i++)
		if (control->clients[i].watcher.fd >= 0 && control->clients[i].since_ns > 0)
			answer(&control->clients[i]);
}

static void read_line(struct client *client)
{
	char *begin = client->line + client->len, text[128];
	ssize_t n =
		recv(client->watcher.fd, begin, sizeof(client->line) - client->len, MSG_DONTWAIT);
	const char *end = n > 0 ? memchr(begin, '\n', (size_t)n) : NULL, *error;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(client);
		return;
	}
	client->len += (size_t)n;
	if (!end && client->len == sizeof(client->line))
		send_and_drop(client, "error: the request has more than 4096 bytes\n");
	if (!end)
		return;
	error = control_request_parse(&client->request, client->line, (size_t)(end - client->line));
	if (error) {
		snprintf(text, sizeof(text), "error: %s\n", error);
		send_and_drop(client, text);
	} else {
		answer(client);
	}
}

static void on_client(struct watcher *watcher, uint32_t events)
{
	struct client *client = watcher->context;

	(void)events;
	if (client->answer)
		send_answer(client);
	else
		read_line(client);
}

/* --- new connections --- */

/* No connections are accepted there until the next tick. */
static void pause_listener(struct control *control, enum listener listener)
{
	loop_watch(control->loop, &control->listeners[listener], 0);
	control->is_paused = true;
}

/* Accepts only one connection: many clients must not delay the reading of the trace. */
static void on_listener(struct watcher *watcher, uint32_t events)
{
	struct control *control = watcher->context;
	struct client *client = NULL;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd;

	(void)events;
	/* A free entry, or that of the oldest client without a request. */
	for (int i = 0; i < CLIENTS_MAX; i++) {
		struct client *other = &control->clients[i];

		if (other->watcher.fd < 0) {
			client = other;
			break;
		}
		if (!other->answer && other->since_ns == 0 &&
		    (!client || other->deadline_ns < client->deadline_ns))
			client = other;
	}
	if (!client) {
		/* All wait for answers. New ones wait in the backlog until an entry is free. */
		watch_listeners(control, 0);
		return;
	}
	fd = accept4(watcher->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		/* The listener stays readable: without a pause this would be a busy loop. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
			pause_listener(control, (enum listener)(watcher - control->listeners));
		return;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    (peer.uid != 0 && peer.uid != geteuid())) {
		if (++control->rejected >= REJECTED_MAX)
			pause_listener(control, LISTENER_ABSTRACT);
		close(fd);
		return;
	}
	if (client->watcher.fd >= 0)
		send_and_drop(client, "error: " CONTROL_BUSY "\n");
	client->watcher = (struct watcher){ .fd = fd, .ready = on_client, .context = client };
	client->len = client->sent = 0;
	client->since_ns = 0;
	client->deadline_ns = loop_now() + periods.client_ns;
	if (loop_watch(control->loop, &client->watcher, EPOLLIN) < 0)
		drop(client);
	else
		/* Usually the request has arrived: then no other client can replace this one. */
		read_line(client);
}

/* --- the socket --- */

/* Listens at a random name, which no other process can predict. Returns a socket or -errno. */
static int listen_at_name(char name[static NAME_SIZE])
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	unsigned char bytes[16];
	int len = snprintf(name, NAME_SIZE, "jankd-"), fd, error;
	socklen_t size;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		len += snprintf(name + len, NAME_SIZE - (size_t)len, "%02x", bytes[i]);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* An abstract name begins with a NUL. */
	memcpy(address.sun_path + 1, name, (size_t)len);
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
	if (bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* Listens at a file, to which nobody can connect before listen(), and then only its owner and root.
 * One that a killed capture left is replaced. Without it, clients use the abstract socket. */
static void open_file(struct control *control, const struct state_dir *dir)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *name = dir->names[STATE_DIR_SOCKET];
	struct stat info;
	int fd;

	control->dir_fd = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
	if (control->dir_fd < 0 || dir->is_world_writable)
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The whole path may be too long for an address. */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", control->dir_fd,
		 name);
	unlinkat(control->dir_fd, name, 0);
	/* The file gets the mode of the socket. Later its name may be another user's link. */
	if (fd >= 0 && fchmod(fd, 0600) == 0 &&
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0) {
		snprintf(control->file, sizeof(control->file), "%s", name);
		if (fstatat(control->dir_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISSOCK(info.st_mode) && listen(fd, BACKLOG) == 0) {
			control->inode = info.st_ino;
			control->listeners[LISTENER_FILE].fd = fd;
			return;
		}
	}
	if (fd >= 0)
		close(fd);
}

/* The next capture of the folder may already have its own. */
static void remove_file(struct control *control)
{
	struct stat info;

	if (control->file[0] &&
	    fstatat(control->dir_fd, control->file, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	    info.st_ino == control->inode)
		unlinkat(control->dir_fd, control->file, 0);
	if (control->dir_fd >= 0)
		close(control->dir_fd);
	control->file[0] = '\0';
	control->dir_fd = -1;
}

int control_open(struct control **out, struct loop *loop, const struct control_handler *handler,
		 const struct state_dir *dir)
{
	struct control *control = calloc(1, sizeof(*control));
	int error;

	*out = NULL;
	if (!control)
		return -ENOMEM;
	control->loop = loop;
	control->handler = *handler;
	for (int i = 0; i < LISTENERS; i++)
		control->listeners[i] = (struct watcher){
			.fd = -1,
			.ready = on_listener,
			.context = control,
		};
	for (int i = 0; i < CLIENTS_MAX; i++) {
		control->clients[i].control = control;
		control->clients[i].watcher = WATCHER_NONE;
	}
	open_file(control, dir);
	error = control->listeners[LISTENER_ABSTRACT].fd = listen_at_name(control->name);
	for (int i = 0; i < LISTENERS && error >= 0; i++)
		if (control->listeners[i].fd >= 0)
			error = loop_watch(loop, &control->listeners[i], EPOLLIN);
	if (error == 0)
		*out = control;
	else
		control_close(control);
	return error;
}

void control_reopen(struct control *control, const char *path)
{
	int fd = control ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct state_dir dir;

	if (fd < 0)
		return;
	loop_close_watcher(control->loop, &control->listeners[LISTENER_FILE]);
	remove_file(control);
	state_dir_open(&dir, fd);
	open_file(control, &dir);
	if (control->listeners[LISTENER_FILE].fd >= 0 &&
	    loop_watch(control->loop, &control->listeners[LISTENER_FILE], EPOLLIN) < 0)
		loop_close_watcher(control->loop, &control->listeners[LISTENER_FILE]);
	state_dir_close(&dir);
	close(fd);
}

const char *control_name(const struct control *control)
{
	return control->name;
}

bool control_has_clients(const struct control *control)
{
	for (int i = 0; control && i < CLIENTS_MAX; i++)
		if (control->clients[i].watcher.fd >= 0)
			return true;
	return control && control->is_paused;
}

void control_tick(struct control *control)
{
	uint64_t now = loop_now();

	if (!control)
		return;
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (control->clients[i].deadline_ns < now)
			drop(&control->clients[i]);
	if (control->is_paused)
		watch_listeners(control, EPOLLIN);
	control->is_paused = false;
	control->rejected = 0;
}

void control_close(struct control *control)
{
	if (!control)
		return;
	control_answer_waiting(control);
	for (int i = 0; i < CLIENTS_MAX; i++)
		drop(&control->clients[i]);
	for (int i = 0; i < LISTENERS; i++)
		loop_close_watcher(control->loop, &control->listeners[i]);
	remove_file(control);
	free(control);
}
