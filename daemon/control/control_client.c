/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/folder.h"
#include "daemon/base/last_session.h"
#include "daemon/base/state_dir.h"
#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "daemon/base/text_file.h"
#include "daemon/base/wall_clock.h"

/* Limit of the bytes of an answer. */
#define ANSWER_MAX (1 << 20)

/* How long a request is repeated if the folder is locked but the capture does not answer: it may be
 * starting or ending. */
#define RETRY_NS UINT64_C(2000000000)

/* The capture that writes to a folder, from the folder's .lock. */
struct holder {
	long pid;
	char name[64]; /* of its socket; "": it has none */
	uid_t uid;     /* owner of the file */
};

/* Returns 0 or -errno. */
static int read_lock(struct holder *holder, const char *folder)
{
	char text[128] = "";
	struct stat info;
	const char *line;
	int fd = state_dir_find(folder, STATE_DIR_LOCK);
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode))
		n = S_ISDIR(info.st_mode) ? -EISDIR : -EINVAL;
	else if ((n = text_file_read_begin(fd, text, sizeof(text) - 1)) < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	holder->uid = info.st_uid;
	holder->pid = strtol(text, NULL, 10);
	line = strchr(text, '\n');
	snprintf(holder->name, sizeof(holder->name), "%s", line ? line + 1 : "");
	holder->name[strcspn(holder->name, "\n")] = '\0';
	return 0;
}

/* Any user could create a .lock, and listen at the name in it. So only a process of this user is
 * trusted; root also trusts a process of the .lock's owner. @flags: of socket(), for the connect()
 * alone. */
static int try_address(const struct sockaddr_un *address, size_t size, int flags,
		       const struct holder *holder, unsigned int timeout_s)
{
	struct timeval timeout = { .tv_sec = timeout_s };
	int error = 0, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	struct ucred peer;
	socklen_t peer_size = sizeof(peer);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (const struct sockaddr *)address, (socklen_t)size) < 0)
		error = -errno;
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) < 0 ||
		 (peer.uid != geteuid() && (geteuid() != 0 || peer.uid != holder->uid)))
		error = -EPERM;
	else if (fcntl(fd, F_SETFL, 0) < 0)
		error = -errno;
	if (error == 0)
		return fd;
	close(fd);
	return error;
}

static int failed(struct control_answer *answer, const char *folder, const struct holder *holder,
		  int error)
{
	const char *why = error == -EAGAIN     ? "it does not answer"
			  : error == -EPERM    ? "it belongs to another user"
			  : error == -EPROTO   ? "it sent an incomplete answer"
			  : error == -EMSGSIZE ? "it sent an answer that is too long"
					       : strerror(-error);
	const char *what_to_do = error == -EPERM ? "run this command as the user who started it"
						 : report_advice(error, "try again, or kill it");

	snprintf(answer->why, sizeof(answer->why), "%.300s: jankd (pid %ld): %s; %s", folder,
		 holder->pid, why, what_to_do);
	return error;
}

/* Reads until the connection is closed or breaks, or @until_ns is over. Separates "ok" from the
 * body, and "error: " from the reason. The body is escaped line by line: a process of another user
 * may send escape sequences for the terminal. Returns as control_send(). */
static int receive(struct control_answer *answer, const char *folder, const struct holder *holder,
		   int fd, int64_t until_ns)
{
	char *text = malloc(ANSWER_MAX + 1), *rest, *line;
	struct pollfd in = { .fd = fd, .events = POLLIN };
	int64_t left_ns = 1;
	size_t len = 0, size, escaped = 0;
	int error = 0;
	bool is_whole;
	ssize_t n = 1;

	if (!text)
		return failed(answer, folder, holder, -ENOMEM);
	while (n != 0 && left_ns > 0 && len < ANSWER_MAX) {
		n = recv(fd, text + len, ANSWER_MAX - len, MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			break;
		len += n > 0 ? (size_t)n : 0;
		if (n >= 0)
			continue;
		left_ns = until_ns - clock_read(CLOCK_MONOTONIC);
		if (left_ns > 0)
			poll(&in, 1, (int)(left_ns / 1000000) + 1);
	}
	text[len] = '\0';
	is_whole = n == 0 && len > 0 && text[len - 1] == '\n' && strlen(text) == len;

	if (n > 0 || left_ns <= 0) {
		error = failed(answer, folder, holder, n > 0 ? -EMSGSIZE : -EAGAIN);
	} else if (is_whole && strncmp(text, "ok\n", 3) == 0) {
		size = 4 * len + 1;
		answer->body = malloc(size);
		if (answer->body) {
			for (rest = text + 3; (line = strsep(&rest, "\n"));) {
				escaped +=
					text_escape(answer->body + escaped, size - escaped, line);
				answer->body[escaped] = '\n';
				escaped += rest ? 1 : 0;
			}
			answer->body[escaped] = '\0';
		} else {
			snprintf(answer->why, sizeof(answer->why), "out of memory; %s",
				 report_advice(-ENOMEM, ""));
			error = -ENOMEM;
		}
	} else if (strncmp(text, "error: ", 7) == 0) {
		snprintf(answer->why, sizeof(answer->why), "%.*s", (int)strcspn(text + 7, "\n"),
			 text + 7);
		error = strcmp(answer->why, CONTROL_BUSY) == 0 ? -EBUSY : CONTROL_REFUSED;
	} else {
		snprintf(answer->why, sizeof(answer->why),
			 "%.300s: jankd ended before it answered; see events.csv", folder);
		error = CONTROL_GONE;
	}
	free(text);
	return error;
}

/* A capture that was killed holds its lock, and may accept connections, until its last thread has
 * ended. */
static bool has_died(const char *folder)
{
	const struct timespec pause = { 0, 20000000 };

	for (int i = 0; i < 20; i++) {
		if (!state_dir_is_held(folder))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Sets the error for a failed connection. @error: -EPERM if a process of another user listens
 * there. Such a process may use the socket name of a killed capture, but it cannot hold the lock.
 */
static int no_connection(struct control_answer *answer, const char *folder,
			 const struct holder *holder, int error)
{
	char how[LAST_SESSION_TEXT];

	/* The socket of a killed capture may be closed, and its name taken, before its lock. */
	if (error == -EPERM ? has_died(folder) : !state_dir_is_held(folder)) {
		/* How the last capture ended, if that was not on purpose. */
		last_session_describe(how, folder);
		if (how[0])
			snprintf(answer->why, sizeof(answer->why),
				 "%.200s: no capture writes to this folder: %s; continue with "
				 "'jankd start --resume'",
				 folder, how);
		else
			snprintf(answer->why, sizeof(answer->why),
				 "%.300s: no capture writes to this folder%s; name the folder of a "
				 "running capture with -F",
				 folder,
				 error == -EPERM ? " (a program of another user listens on its "
						   "socket name)"
						 : "");
		return CONTROL_NOT_RUNNING;
	}
	if (error == -EPERM)
		return failed(answer, folder, holder, error);
	if (holder->pid <= 0) {
		snprintf(answer->why, sizeof(answer->why),
			 "%.300s/.lock: it is locked by another program; stop that program",
			 folder);
		return -ENOTCONN;
	}
	snprintf(answer->why, sizeof(answer->why),
		 "%.300s: jankd (pid %ld) does not accept commands: it is not capturing (it is "
		 "starting, ending or analyzing a recorded trace), or it is in another network "
		 "namespace; try again",
		 folder, holder->pid);
	return -ENOTCONN;
}

static int send_once(struct control_answer *answer, struct holder *holder, const char *folder,
		     const char *line, unsigned int timeout_s)
{
	int64_t until_ns = clock_read(CLOCK_MONOTONIC) + timeout_s * INT64_C(1000000000);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int error, file, fd = -1;
	size_t len;
	ssize_t n;

	*answer = (struct control_answer){ .body = NULL };
	*holder = (struct holder){ .pid = 0 };
	error = read_lock(holder, folder);
	if (error < 0 && error != -ENOENT && error != -ENOTDIR) {
		/* It is unknown whether a jankd runs there. */
		snprintf(answer->why, sizeof(answer->why), "%.300s/.lock: %s; %s", folder,
			 folder_why(error),
			 error == -EACCES ? "run this command as the user who started it"
					  : folder_advice(error));
		return error;
	}
	if (error < 0 || !holder->name[0])
		return no_connection(answer, folder, holder, -ECONNREFUSED);

	/* First the socket's file, without a wait: other users cannot keep it busy. */
	file = state_dir_find(folder, STATE_DIR_SOCKET);
	if (file >= 0) {
		snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", file);
		fd = try_address(&address, sizeof(address), SOCK_NONBLOCK, holder, timeout_s);
		close(file);
	}
	if (fd < 0) {
		len = strlen(holder->name);
		address.sun_path[0] = '\0';
		memcpy(address.sun_path + 1, holder->name, len);
		fd = try_address(&address, offsetof(struct sockaddr_un, sun_path) + 1 + len, 0,
				 holder, timeout_s);
	}
	if (fd == -ECONNREFUSED || fd == -EPERM)
		return no_connection(answer, folder, holder, fd);
	if (fd < 0)
		return failed(answer, folder, holder, fd);

	for (n = 1; n > 0 && *line; line += n > 0 ? n : 0)
		n = send(fd, line, strlen(line), MSG_NOSIGNAL);
	/* What could not be sent is not answered. But a capture that is busy has said so before it
	 * closed the connection. */
	error = receive(answer, folder, holder, fd, n < 0 ? 0 : until_ns);
	close(fd);
	return error;
}

int control_send(struct control_answer *answer, const char *folder, const char *line,
		 unsigned int timeout_s)
{
	const struct timespec pause = { 0, 50000000 };
	uint64_t until_ns;
	struct holder holder;

	folder_wait_for_lock(folder);
	until_ns = loop_now() + RETRY_NS;
	/* Tries again for a while: a capture that is starting will listen soon, other clients will
	 * be served soon, and a killed capture will have ended soon. */
	for (;;) {
		int result = send_once(answer, &holder, folder, line, timeout_s);

		if (result == CONTROL_GONE && !has_died(folder))
			return failed(answer, folder, &holder, -EPROTO);
		if ((result != -ENOTCONN && result != -EBUSY && result != CONTROL_GONE) ||
		    loop_now() >= until_ns)
			return result;
		nanosleep(&pause, NULL);
	}
}
