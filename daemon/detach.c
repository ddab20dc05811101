/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/detach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/loop.h"
#include "daemon/report.h"

/* atrace may take 20 s, on a device that is busy. */
#define READY_NS UINT64_C(60000000000)

/* And so long until it has let go of the caller. */
#define CLOSED_NS (1000 * NS_PER_MS)
#define NS_PER_MS UINT64_C(1000000)

/* What goes through the pipe: the daemon's pid, its standard error, which holds no NUL, and behind
 * a NUL the exit code. */

/* --- the daemon's side --- */

/* Whatever the caller had open: a socket of adb, the pipe of a script that waits for its end. */
static void close_others(int keep)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && fd != keep && fd != dirfd(directory))
			close(fd);
	}
	if (directory)
		closedir(directory);
}

static bool put_null(int onto)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool done = fd >= 0 && dup2(fd, onto) == onto;

	if (fd > STDERR_FILENO)
		close(fd);
	return done;
}

/* Runs in the process between the two: it alone may become the leader of a session, the one it
 * forks never gets a terminal. */
static enum detach_side become_daemon(struct detach *detach)
{
	int64_t pid;

	if (setsid() < 0)
		_exit(EXIT_FAILED);
	pid = fork();
	if (pid != 0)
		_exit(pid < 0 ? EXIT_FAILED : EXIT_DONE);
	pid = getpid();
	signal(SIGPIPE, SIG_IGN);
	close_others(detach->fd);
	if (write(detach->fd, &pid, sizeof(pid)) != (ssize_t)sizeof(pid) ||
	    !put_null(STDIN_FILENO) || !put_null(STDOUT_FILENO) ||
	    dup2(detach->fd, STDERR_FILENO) < 0 || chdir("/") < 0)
		_exit(EXIT_FAILED);
	return DETACH_DAEMON;
}

void detach_tell(struct detach *detach, int code)
{
	char word[] = { '\0', (char)code };

	put_null(STDERR_FILENO);
	/* Whoever called may be gone: then nobody needs it. */
	if (write(detach->fd, word, sizeof(word)) < 0)
		errno = 0;
	close(detach->fd);
	detach->fd = -1;
}

/* --- the caller's side --- */

/* Waits for some bytes. Returns their number; 0: the daemon is gone, or the time is over. */
static size_t wait_for(int fd, void *to, size_t size, uint64_t until_ns)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	uint64_t now;

	while ((now = loop_now()) < until_ns) {
		ssize_t n;

		if (poll(&readable, 1, (int)((until_ns - now) / NS_PER_MS + 1)) <= 0)
			continue;
		n = read(fd, to, size);
		if (n >= 0)
			return (size_t)n;
		if (errno != EINTR)
			return 0;
	}
	return 0;
}

static void pass_on(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, text, len);

		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

/* Hands over what the daemon says until its word comes. Returns false where none came. */
static bool listen_to(struct detach *detach, uint64_t until_ns)
{
	char text[1024];
	size_t len;

	while ((len = wait_for(detach->fd, text, sizeof(text), until_ns)) > 0) {
		const char *word = memchr(text, '\0', len);

		pass_on(text, word ? (size_t)(word - text) : len);
		if (!word)
			continue;
		if (word + 1 == text + len && wait_for(detach->fd, text, 1, until_ns) == 0)
			return false;
		detach->code = word + 1 < text + len ? word[1] : text[0];
		/* Until it has closed its end: then nothing binds it to us. */
		until_ns = loop_now() + CLOSED_NS;
		while (wait_for(detach->fd, text, sizeof(text), until_ns) > 0)
			;
		return true;
	}
	return false;
}

static enum detach_side hear(struct detach *detach, const char *command)
{
	uint64_t until_ns = loop_now() + READY_NS;
	int64_t pid = 0;

	if (wait_for(detach->fd, &pid, sizeof(pid), until_ns) == sizeof(pid) &&
	    listen_to(detach, until_ns)) {
		detach->pid = (long)pid;
		return DETACH_CALLER;
	}
	if (pid > 0 && loop_now() >= until_ns) {
		kill((pid_t)pid, SIGTERM);
		report("%s: not ready after 60 s; it was told to end, try 'jankd run'", command);
	} else {
		report("%s: the daemon died before it could count; try 'jankd run'", command);
	}
	return DETACH_FAILED;
}

enum detach_side detach_begin(struct detach *detach, const char *command)
{
	enum detach_side side;
	int ends[2];
	pid_t child;

	/* The terminal may close at once. */
	signal(SIGHUP, SIG_IGN);
	if (pipe2(ends, O_CLOEXEC) < 0 || (child = fork()) < 0) {
		report("%s: %s; %s", command, strerror(errno),
		       report_advice(-errno, "close other programs"));
		return DETACH_FAILED;
	}
	if (child == 0) {
		detach->fd = ends[1];
		return become_daemon(detach);
	}
	close(ends[1]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	detach->fd = ends[0];
	side = hear(detach, command);
	close(detach->fd);
	return side;
}
