/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd start': makes a daemon of its process, independent of terminal, shell and parent, in which
 * the capture runs. */
#include "daemon/cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/base/folder.h"
#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "rules/language/ruleset.h"

/* Time limit until the daemon has started: atrace alone may need 20 s on a busy device. */
#define START_NS (60 * NS_PER_S)

/* Time limit after that until the daemon has closed the pipe. */
#define CLOSE_NS NS_PER_S

struct detach {
	int fd;	       /* pipe from the daemon to the caller; until the start also standard error */
	long pid;      /* caller: pid of the daemon */
	int signal_fd; /* caller: signals that end it */
	bool is_signalled;  /* caller: one has come */
	bool is_terminated; /* caller: it has sent SIGTERM to the daemon */
};

/* The daemon writes into the pipe: its pid, then its standard error (text without NUL), then a NUL
 * and the exit code. */

static bool redirect_to_null(int onto)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool done = fd >= 0 && dup2(fd, onto) == onto;

	if (fd > STDERR_FILENO)
		close(fd);
	return done;
}

/* After a signal, sends SIGTERM to the daemon. Only once: a second one would end its child
 * processes early (base/child.h). */
static void pass_signal(struct detach *detach)
{
	struct signalfd_siginfo info;

	if (read(detach->signal_fd, &info, sizeof(info)) > 0)
		detach->is_signalled = true;
	if (!detach->is_signalled || detach->is_terminated || detach->pid <= 0)
		return;
	detach->is_terminated = true;
	kill((pid_t)detach->pid, SIGTERM);
}

/* Reads from the daemon until @until_ns, whatever a read says: the daemon runs until the pipe is
 * closed. Returns the number of bytes; 0: none came, or the pipe is closed. */
static size_t read_pipe(struct detach *detach, void *to, size_t size, uint64_t until_ns)
{
	struct pollfd fds[] = { { .fd = detach->fd, .events = POLLIN },
				{ .fd = detach->signal_fd, .events = POLLIN } };
	uint64_t now;

	while ((now = loop_now()) < until_ns) {
		ssize_t n;

		pass_signal(detach);
		if (poll(fds, 2, 1 + (int)((until_ns - now) / NS_PER_MS)) <= 0 || !fds[0].revents)
			continue;
		n = read(detach->fd, to, size);
		if (n >= 0)
			return (size_t)n;
	}
	return 0;
}

/* Prints the daemon's standard error until its exit code comes. Returns that code, or EXIT_FAILED
 * after the reason was reported: no daemon runs. */
static int wait_for_start(struct detach *detach)
{
	uint64_t until_ns = loop_now() + START_NS, closed_ns;
	int64_t pid = 0;
	bool is_known = read_pipe(detach, &pid, sizeof(pid), until_ns) == sizeof(pid);
	int code = -1;
	char text[1024];
	size_t len;

	detach->pid = (long)pid;
	while (is_known && code < 0 &&
	       (len = read_pipe(detach, text, sizeof(text), until_ns)) > 0) {
		const char *end = memchr(text, '\0', len);

		folder_write(STDERR_FILENO, text, end ? (size_t)(end - text) : len);
		if (!end)
			continue;
		if (end + 1 == text + len && read_pipe(detach, text, 1, until_ns) == 0)
			break;
		code = end + 1 < text + len ? end[1] : text[0];
	}
	/* The daemon closes the pipe when it has closed all of the caller's descriptors. */
	closed_ns = loop_now() + CLOSE_NS;
	while (code >= 0 && read_pipe(detach, text, sizeof(text), closed_ns) > 0)
		;
	pass_signal(detach);
	if (code > 0 || (code == 0 && !detach->is_terminated))
		return code;
	if (detach->is_signalled) {
		report("stopped by a signal before the capture began; start again");
	} else if (pid > 0 && loop_now() >= until_ns) {
		kill((pid_t)pid, SIGTERM);
		report("the daemon was not ready within 60 s and was stopped; try 'jankd run'");
	} else {
		/* It may run if only its message is missing. */
		if (pid > 0)
			kill((pid_t)pid, SIGTERM);
		report("the daemon ended unexpectedly before it was ready; try 'jankd run'");
	}
	return EXIT_FAILED;
}

/* Makes a daemon. Returns in both processes: in the daemon, which has the standard descriptors only
 * and a session of its own, with *is_daemon; in the caller after the daemon has written its exit
 * code. Returns 0; in the caller also that code, or EXIT_FAILED after the reason was reported. The
 * daemon gets a SIGTERM if it needs longer than 60 s, or if the caller gets SIGINT, SIGTERM or
 * SIGQUIT meanwhile. */
static int detach_begin(struct detach *detach, bool *is_daemon)
{
	int pipe_ends[2], ending[] = { SIGINT, SIGTERM, SIGQUIT };
	struct sigaction action;
	sigset_t signals;
	struct dirent *entry;
	DIR *directory;
	size_t n = 0;
	int64_t pid;
	int code;

	/* The user may close the terminal right after this command. */
	signal(SIGHUP, SIG_IGN);
	sigprocmask(SIG_BLOCK, NULL, &signals);
	/* The terminal does not send these to the daemon, so the caller passes them on. One that is
	 * ignored stays ignored. Before the fork, so that no signal is lost. */
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			ending[n++] = ending[i];
	detach->signal_fd = loop_signals(ending, n);
	if (detach->signal_fd < 0 || pipe2(pipe_ends, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		report("cannot create the daemon: %s; %s", strerror(errno),
		       report_advice(-errno, "stop other programs and try again"));
		return EXIT_FAILED;
	}
	*is_daemon = pid == 0;
	if (!*is_daemon) {
		close(pipe_ends[1]);
		while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
			;
		detach->fd = pipe_ends[0];
		code = wait_for_start(detach);
		close(detach->fd);
		close(detach->signal_fd);
		return code;
	}

	/* This process becomes the leader of a new session and forks the daemon. The daemon is not
	 * a leader, so it can never get a controlling terminal. */
	detach->fd = pipe_ends[1];
	if (setsid() < 0)
		_exit(EXIT_FAILED);
	pid = fork();
	if (pid != 0)
		_exit(pid < 0 ? EXIT_FAILED : EXIT_DONE);
	pid = getpid();
	sigprocmask(SIG_SETMASK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* The caller may have others, such as a socket of adb, or a pipe whose reader waits for its
	 * end. */
	directory = opendir("/proc/self/fd");
	while (directory && (entry = readdir(directory))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && fd != detach->fd && fd != dirfd(directory))
			close(fd);
	}
	if (directory)
		closedir(directory);
	if (write(detach->fd, &pid, sizeof(pid)) != (ssize_t)sizeof(pid) ||
	    !redirect_to_null(STDIN_FILENO) || !redirect_to_null(STDOUT_FILENO) ||
	    dup2(detach->fd, STDERR_FILENO) < 0 || chdir("/") < 0)
		_exit(EXIT_FAILED);
	return 0;
}

/* --- the command --- */

/* Makes a relative path of the command line absolute: the working directory of a daemon is "/".
 * Returns 0, or EXIT_FAILED after the reason was reported. */
static int make_absolute(const char **path, char absolute[static PATH_MAX])
{
	size_t len = 0;

	if (!*path || **path == '/')
		return 0;
	if (!getcwd(absolute, PATH_MAX)) {
		report("%s: the working directory was removed; change to another one", *path);
		return EXIT_FAILED;
	}
	len = strlen(absolute);
	if (strncmp(*path, "./", 2) == 0)
		*path += 2;
	if (snprintf(absolute + len, PATH_MAX - len, "/%s", *path) >= (int)(PATH_MAX - len)) {
		report("%s: the path is too long; change to another directory", *path);
		return EXIT_FAILED;
	}
	*path = absolute;
	return 0;
}

int cmd_start(struct options *options)
{
	struct detach detach = { .fd = -1 };
	char folder[4 * PATH_MAX];
	char paths[3][PATH_MAX];
	struct capture *capture;
	bool is_daemon;
	int code = open_files_allow();

	if (code == 0)
		code = make_absolute(&options->folder, paths[0]);
	if (code == 0 && !ruleset_builtin(options->rules).ptr)
		code = make_absolute(&options->rules, paths[1]);
	if (code == 0)
		code = make_absolute(&options->tracefs, paths[2]);
	if (code == 0)
		code = detach_begin(&detach, &is_daemon);
	if (code != 0)
		return code;
	if (!is_daemon) {
		text_escape(folder, sizeof(folder), options->folder);
		printf("jankd: capturing to %s (pid %ld)\n", folder, detach.pid);
		return EXIT_DONE;
	}
	code = capture_begin(&capture, options, resume_killed(options));
	resume_forget_killed();
	if (code != 0)
		capture_close(capture);
	/* The caller exits with the code. From then on standard error goes to /dev/null. The write
	 * fails if the caller is gone: then the code is not needed. */
	redirect_to_null(STDERR_FILENO);
	if (write(detach.fd, (const char[]){ '\0', (char)code }, 2) < 0)
		errno = 0;
	close(detach.fd);
	if (code != 0)
		return code;
	code = capture_loop(capture, NULL);
	capture_close(capture);
	return code;
}
