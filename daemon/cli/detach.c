/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/detach.h"

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

#include "daemon/base/loop.h"
#include "daemon/base/report.h"

/* atrace may take 20 s, on a device that is busy. */
#define READY_NS UINT64_C(60000000000)

/* And so long until it has let go of the caller. */
#define CLOSED_NS NS_PER_S
#define NS_PER_S UINT64_C(1000000000)

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
	sigprocmask(SIG_SETMASK, &detach->signals, NULL);
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

/* Those that end 'start' before it is ready: the daemon has none of the terminal. */
static const int ends[] = { SIGINT, SIGTERM, SIGQUIT };
#define ENDS (sizeof(ends) / sizeof(ends[0]))

static volatile sig_atomic_t is_ended;

static void on_end(int number)
{
	(void)number;
	is_ended = true;
}

/* From before there is a daemon on: none is missed. @usual: as it was. */
static void block_ends(sigset_t *usual)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < ENDS; i++)
		sigaddset(&blocked, ends[i]);
	sigprocmask(SIG_BLOCK, &blocked, usual);
}

/* What is ignored stays so. */
static void catch_ends(void)
{
	const struct sigaction caught = { .sa_handler = on_end };
	struct sigaction usual;

	for (size_t i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &usual) == 0 && usual.sa_handler != SIG_IGN)
			sigaction(ends[i], &caught, NULL);
}

/* Once: a second one would say that there is a hurry. */
static void pass_end(struct detach *detach)
{
	if (!is_ended || detach->is_ended || detach->pid <= 0)
		return;
	detach->is_ended = true;
	kill((pid_t)detach->pid, SIGTERM);
}

/* Waits for some bytes. Returns their number; 0: the daemon is gone, or the time is over. */
static size_t wait_for(struct detach *detach, void *to, size_t size, uint64_t until_ns)
{
	struct pollfd readable = { .fd = detach->fd, .events = POLLIN };
	uint64_t now;

	while ((now = loop_now()) < until_ns) {
		uint64_t left_ns = until_ns - now;
		const struct timespec left = { (time_t)(left_ns / NS_PER_S),
					       (long)(left_ns % NS_PER_S) };
		ssize_t n;

		pass_end(detach);
		if (ppoll(&readable, 1, &left, &detach->signals) <= 0)
			continue;
		n = read(detach->fd, to, size);
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

	while ((len = wait_for(detach, text, sizeof(text), until_ns)) > 0) {
		const char *word = memchr(text, '\0', len);

		pass_on(text, word ? (size_t)(word - text) : len);
		if (!word)
			continue;
		if (word + 1 == text + len && wait_for(detach, text, 1, until_ns) == 0)
			return false;
		detach->code = word + 1 < text + len ? word[1] : text[0];
		/* Until it has closed its end: then nothing binds it to us. */
		until_ns = loop_now() + CLOSED_NS;
		while (wait_for(detach, text, sizeof(text), until_ns) > 0)
			;
		return true;
	}
	return false;
}

static enum detach_side hear(struct detach *detach, const char *command)
{
	uint64_t until_ns = loop_now() + READY_NS;
	int64_t pid = 0;
	bool told = wait_for(detach, &pid, sizeof(pid), until_ns) == sizeof(pid);

	detach->pid = (long)pid;
	told = told && listen_to(detach, until_ns);
	pass_end(detach);
	/* One that failed has said why. */
	if (told && (detach->code != EXIT_DONE || !detach->is_ended))
		return DETACH_CALLER;
	if (is_ended) {
		report("%s: a signal came before it was ready: its daemon ends, too; start again",
		       command);
	} else if (pid > 0 && loop_now() >= until_ns) {
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
	int pipe_ends[2];
	pid_t child;

	/* The terminal may close at once. */
	signal(SIGHUP, SIG_IGN);
	block_ends(&detach->signals);
	if (pipe2(pipe_ends, O_CLOEXEC) < 0 || (child = fork()) < 0) {
		report("%s: %s; %s", command, strerror(errno),
		       report_advice(-errno, "close other programs"));
		return DETACH_FAILED;
	}
	if (child == 0) {
		detach->fd = pipe_ends[1];
		return become_daemon(detach);
	}
	close(pipe_ends[1]);
	catch_ends();
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	detach->fd = pipe_ends[0];
	side = hear(detach, command);
	close(detach->fd);
	return side;
}
