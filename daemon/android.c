/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/report.h"
#include "daemon/wall_clock.h"

#define NS_PER_MS INT64_C(1000000)

/* atrace clears and resizes the kernel's buffers, and at the end prints them. */
#define ATRACE_DEADLINE_MS 20000
#define GETPROP_DEADLINE_MS 2000

/* Longer lists of categories are refused. */
#define WORDS_SIZE 1024
#define BLANKS " \t,"

extern char **environ;

static int64_t now_ms(void)
{
	return clock_read(CLOCK_MONOTONIC) / NS_PER_MS;
}

bool android_has(const char *program)
{
	const char *path = getenv("PATH");
	char candidate[1024];

	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)len, path, program);
		if (len > 0 && access(candidate, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* In a process group of its own: a Ctrl-C on the terminal is for us alone, and must not end
 * atrace before it has stopped tracing. Signals that we block or ignore are as usual there. */
static void set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, pipe;

	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawnattr_init(attributes);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						     POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &pipe);
}

/* Starts @argv with its output into @output_fd. Returns 0 or -errno. */
static int spawn(char *const argv[], int output_fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO);
	set_attributes(&attributes);
	error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

/* Reads until the end or the deadline; what does not fit is thrown away. False: too late. */
static bool read_output(int fd, int64_t deadline_ms, char *output, size_t size)
{
	size_t len = 0;

	for (;;) {
		int64_t left = deadline_ms - now_ms();
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		char rest[4096];
		ssize_t n;

		if (left <= 0)
			return false;
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		n = read(fd, rest, sizeof(rest));
		if (n <= 0)
			break;
		if ((size_t)n > size - 1 - len)
			n = (ssize_t)(size - 1 - len);
		memcpy(output + len, rest, (size_t)n);
		len += (size_t)n;
		output[len] = '\0';
	}
	return true;
}

/* Waits until the deadline, then kills the child's whole group. Returns the exit status, or
 * -ETIMEDOUT. */
static int reap(pid_t pid, bool in_time, int64_t deadline_ms)
{
	struct timespec pause = { 0, 10 * NS_PER_MS };
	int status = 0;

	while (in_time && waitpid(pid, &status, WNOHANG) == 0) {
		in_time = now_ms() < deadline_ms;
		nanosleep(&pause, NULL);
	}
	if (!in_time) {
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -ETIMEDOUT;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Runs a program. Returns its exit status, or -errno. @output is NUL-terminated. */
static int run(char *const argv[], int timeout_ms, char *output, size_t size)
{
	int64_t deadline_ms = now_ms() + timeout_ms;
	int fds[2];
	pid_t pid;
	bool in_time;
	int error;

	output[0] = '\0';
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	error = spawn(argv, fds[1], &pid);
	close(fds[1]);
	if (error < 0) {
		close(fds[0]);
		return error;
	}
	in_time = read_output(fds[0], deadline_ms, output, size);
	close(fds[0]);
	return reap(pid, in_time, deadline_ms);
}

/* The reason that a run gives: its first line of output, or the error's name. */
static const char *reason(int status, char *output)
{
	if (status == -ETIMEDOUT)
		return "it does not come to its end";
	if (status < 0)
		return strerror(-status);
	output[strcspn(output, "\n")] = '\0';
	return output[0] ? output : "it failed";
}

bool android_are_categories(const char *categories)
{
	const char *at = categories + strspn(categories, BLANKS);
	size_t words = 0;

	for (; *at; at += strspn(at, BLANKS)) {
		if (*at == '-')
			return false;
		words++;
		at += strcspn(at, BLANKS);
	}
	return words > 0 && words <= ANDROID_CATEGORIES_MAX && strlen(categories) < WORDS_SIZE;
}

int android_atrace_start(uint64_t buffer_kb, const char *categories)
{
	char words[WORDS_SIZE], size[24], output[4096];
	char *argv[ANDROID_CATEGORIES_MAX + 6] = { "atrace", "-b", size, "-c", "--async_start" };
	size_t argc = 5;
	char *rest = words;
	char *word;
	int status;

	snprintf(size, sizeof(size), "%llu", (unsigned long long)buffer_kb);
	snprintf(words, sizeof(words), "%s", categories);
	while ((word = strsep(&rest, BLANKS)) && argc < ANDROID_CATEGORIES_MAX + 5)
		if (*word)
			argv[argc++] = word;
	status = run(argv, ATRACE_DEADLINE_MS, output, sizeof(output));
	if (status == 0)
		return 0;
	report("run: atrace --async_start: %s; try other --categories, or --no-atrace",
	       reason(status, output));
	return status < 0 ? status : -EIO;
}

void android_atrace_stop(bool quiet)
{
	char *argv[] = { "atrace", "--async_stop", NULL };
	char output[4096];
	int status = run(argv, ATRACE_DEADLINE_MS, output, sizeof(output));

	if (status != 0 && !quiet)
		report("warning: run: atrace --async_stop: %s; tracing may still be on",
		       reason(status, output));
}

/* Reads a property. False: the deadline is over, ask no more. */
static bool read_property(const char *name, int64_t deadline_ms, char *value, size_t size)
{
	char *argv[] = { "getprop", (char *)name, NULL };
	int status = run(argv, (int)(deadline_ms - now_ms()), value, size);

	if (status != 0)
		value[0] = '\0';
	value[strcspn(value, "\r\n")] = '\0';
	return status != -ETIMEDOUT;
}

void android_read_device(struct android_device *device)
{
	int64_t deadline_ms = now_ms() + GETPROP_DEADLINE_MS;

	*device = (struct android_device){ .model = "" };
	if (!android_has("getprop"))
		return;
	if (read_property("ro.product.model", deadline_ms, device->model, sizeof(device->model)) &&
	    read_property("ro.build.version.sdk", deadline_ms, device->sdk, sizeof(device->sdk)))
		read_property("ro.build.fingerprint", deadline_ms, device->build,
			      sizeof(device->build));
}
