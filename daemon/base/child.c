/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/wall_clock.h"

/* Limit of reads of one child in a row, before the loop serves others. */
#define READS_MAX 16

/* A process that has closed its output is about to end: its end is checked END_CHECKS times, with
 * pauses of END_PAUSE_MS. */
#define END_PAUSE_MS 2
#define END_CHECKS 5

/* The most processes that were killed and have not ended. Then no other one is started. */
#define DYING_MAX 8

/* Time between two checks of deadlines and signals during a wait for output, and of the end. */
#define CHECK_MS 50
#define WAIT_CHECK_NS (20 * NS_PER_MS)

extern char **environ;

static void (*on_start)(void *context, pid_t pid);
static void *on_start_context;

void child_on_start(void (*started)(void *context, pid_t pid), void *context)
{
	on_start = started;
	on_start_context = context;
}

/* The most bytes of output that wait for this process. */
#define PIPE_SIZE (1 << 20)

/* Starts @argv. The child gets a process group of its own, so that Ctrl-C on the terminal does not
 * end atrace before it has stopped tracing. Signals that this process blocks or ignores get their
 * default action. Returns the descriptor of its output, non-blocking, or -errno. */
static int spawn(struct child *child, char *const argv[])
{
	int input[2] = { -1, -1 }, output[2] = { -1, -1 }, errors[2] = { -1, -1 }, error = 0;
	bool is_apart = child->bytes != NULL;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, ignored;

	if (child->input && pipe2(input, O_CLOEXEC) < 0)
		error = -errno;
	if (child->input && error == 0) {
		size_t len = strlen(child->input);

		/* It fits the pipe, so this does not wait. */
		if (write(input[1], child->input, len) != (ssize_t)len)
			error = -EIO;
		close(input[1]);
	}
	/* Neither end of these pipes waits. */
	if (error == 0 && (pipe2(output, O_CLOEXEC | O_NONBLOCK) < 0 ||
			   (is_apart && pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0)))
		error = -errno;
	if (error == 0) {
		if (is_apart)
			fcntl(output[1], F_SETPIPE_SZ, PIPE_SIZE);
		if (!child->bytes || child->waits)
			fcntl(output[1], F_SETFL, 0);
		posix_spawn_file_actions_init(&actions);
		if (child->input)
			posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
		else
			posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
							 O_RDONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
		posix_spawn_file_actions_adddup2(&actions, is_apart ? errors[1] : output[1],
						 STDERR_FILENO);
		sigemptyset(&none);
		sigemptyset(&ignored);
		sigaddset(&ignored, SIGPIPE);
		sigaddset(&ignored, SIGHUP);
		sigaddset(&ignored, SIGXFSZ);
		posix_spawnattr_init(&attributes);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
							      POSIX_SPAWN_SETSIGMASK |
							      POSIX_SPAWN_SETSIGDEF);
		posix_spawnattr_setsigmask(&attributes, &none);
		posix_spawnattr_setsigdefault(&attributes, &ignored);
		error = -posix_spawnp(&child->pid, argv[0], &actions, &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
		posix_spawn_file_actions_destroy(&actions);
	}
	for (int i = error < 0 ? 0 : 1; i < 2; i++) {
		if (output[i] >= 0)
			close(output[i]);
		if (errors[i] >= 0)
			close(errors[i]);
	}
	if (input[0] >= 0)
		close(input[0]);
	child->errors = error < 0 ? -1 : errors[0];
	return error < 0 ? error : output[0];
}

/* Returns true if the child has ended. *status: its exit status, or -ECHILD if it is unknown. */
static bool poll_end(pid_t pid, int *status)
{
	int its;
	pid_t ended = waitpid(pid, &its, WNOHANG);

	*status = ended <= 0 ? -ECHILD : WIFEXITED(its) ? WEXITSTATUS(its) : 128 + WTERMSIG(its);
	return ended > 0 || (ended < 0 && errno != EINTR);
}

/* Processes that were killed. One that waits for a disk that is gone, or that is in a frozen
 * cgroup, does not end before that is over, and nothing may wait for it. */
static pid_t dying[DYING_MAX];

/* Collects those that have ended, and keeps @pid, if it is not 0, where there is space. Returns
 * false if there is none. */
static bool reap_killed(pid_t pid)
{
	bool has_space = false;
	int status;

	for (int i = 0; i < DYING_MAX; i++) {
		if (dying[i] != 0 && !poll_end(dying[i], &status))
			continue;
		dying[i] = pid;
		pid = 0;
		has_space = true;
	}
	return has_space;
}

/* Kills the child and what it has started. It has no group yet if posix_spawn() returned before
 * exec. */
static void kill_group(pid_t pid)
{
	int status;

	if (kill(-pid, SIGKILL) < 0)
		kill(pid, SIGKILL);
	if (!poll_end(pid, &status))
		reap_killed(pid);
}

bool child_program_exists(const char *program)
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

/* --- beside the event loop --- */

static void end_line(struct child *child)
{
	if (child->len == 0 && child->output.fd < 0)
		return;
	if (child->line)
		child->line(child, (struct span){ child->text, child->len });
	child->len = 0;
}

/* Keeps the last line of standard error that is not empty in ->text. */
static void read_errors(struct child *child)
{
	char text[1024];
	bool is_over = true;
	ssize_t n;

	child->len = 0;
	while ((n = read(child->errors, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			bool was_over = is_over;

			is_over = text[i] == '\n' || text[i] == '\r';
			if (was_over && !is_over)
				child->len = 0;
			if (!is_over && child->len + 1 < sizeof(child->text))
				child->text[child->len++] = text[i];
		}
	}
	child->text[child->len] = '\0';
}

const char *child_last_error(const struct child *child)
{
	return child->text;
}

/* Reads what is in the pipe. Returns the result of the last read: 0 at the end. */
static ssize_t read_output(struct child *child, int reads)
{
	char bytes[16384];
	ssize_t n = 1;

	for (int i = 0; i < reads && n > 0 && child->output.fd >= 0; i++) {
		n = read(child->output.fd, bytes, sizeof(bytes));
		if (n > 0 && child->bytes)
			child->bytes(child, (struct span){ bytes, (size_t)n });
		for (ssize_t at = 0; at < n && !child->bytes; at++) {
			if (bytes[at] == '\n')
				end_line(child);
			else if (child->len < sizeof(child->text))
				child->text[child->len++] = bytes[at];
		}
	}
	return n;
}

static void close_files(struct child *child)
{
	loop_close_watcher(child->loop, &child->output);
	loop_close_watcher(child->loop, &child->end_timer);
	if (child->errors >= 0)
		close(child->errors);
	child->errors = -1;
}

static void end(struct child *child, int status)
{
	if (child->bytes) {
		read_output(child, PIPE_SIZE / 4096);
		read_errors(child);
	}
	close_files(child);
	if (!child->bytes)
		end_line(child);
	child->pid = 0;
	if (child->ended)
		child->ended(child, status);
}

static void on_end_timer(struct watcher *watcher, uint32_t events)
{
	struct child *child = watcher->context;
	uint64_t times = 0;
	int status;

	(void)events;
	if (read(watcher->fd, &times, sizeof(times)) > 0)
		child->end_checks += times;
	if (poll_end(child->pid, &status))
		end(child, status);
	else if (child->end_checks >= END_CHECKS)
		loop_close_watcher(child->loop, &child->end_timer); /* see child_check() */
}

static void on_output(struct watcher *watcher, uint32_t events)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_MS * NS_PER_MS };
	const struct itimerspec every = { pause, pause };
	struct child *child = watcher->context;
	struct watcher *timer = &child->end_timer;
	ssize_t n = read_output(child, READS_MAX);
	int status;

	(void)events;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	loop_close_watcher(child->loop, &child->output);
	if (child->brief) {
		end_line(child);
		return;
	}
	if (poll_end(child->pid, &status)) {
		end(child, status);
		return;
	}
	/* Checks soon whether the child has ended. Without a timer child_check() does. */
	child->end_checks = 0;
	timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer->fd < 0 || timerfd_settime(timer->fd, 0, &every, NULL) < 0 ||
	    loop_watch(child->loop, timer, EPOLLIN) < 0)
		loop_close_watcher(child->loop, timer);
}

int child_start(struct child *child, struct loop *loop, char *const argv[], int timeout_ms)
{
	int fd = -EAGAIN;
	int error;

	if (reap_killed(0))
		fd = spawn(child, argv);
	if (fd < 0) {
		child->pid = 0;
		return fd;
	}
	if (on_start && !child->brief)
		on_start(on_start_context, child->pid);
	child->loop = loop;
	child->len = 0;
	child->output = (struct watcher){ .fd = fd, .ready = on_output, .context = child };
	child->end_timer = (struct watcher){ .fd = -1, .ready = on_end_timer, .context = child };
	child->deadline_ns = timeout_ms < 0
				     ? UINT64_MAX
				     : loop_now() + (uint64_t)timeout_ms * (uint64_t)NS_PER_MS;
	/* Even without EPOLLIN epoll reports the end of a pipe. */
	error = loop_watch(loop, &child->output,
			   child->brief || (child->bytes && !child->waits) ? 0 : EPOLLIN);
	if (error < 0)
		child_kill(child);
	return error;
}

void child_check(struct child *child)
{
	int status;

	reap_killed(0);
	if (!child_runs(child))
		return;
	if (child->bytes)
		read_output(child, PIPE_SIZE / 4096);
	if ((child->output.fd < 0 || child->bytes) && poll_end(child->pid, &status)) {
		end(child, status);
	} else if (loop_now() >= child->deadline_ns) {
		kill_group(child->pid);
		end(child, -ETIMEDOUT);
	}
}

void child_kill(struct child *child)
{
	if (!child_runs(child))
		return;
	close_files(child);
	kill_group(child->pid);
	child->pid = 0;
}

void child_wait(struct child *child, uint64_t until_ns)
{
	while (child_runs(child) && loop_now() < until_ns) {
		loop_wait(child->loop, loop_now() + WAIT_CHECK_NS);
		child_check(child);
	}
}

void child_signal(struct child *child, int number)
{
	if (child_runs(child))
		kill(-child->pid, number);
}

/* --- to its end --- */

static sigset_t ending;

void child_end_on(const int *numbers, size_t count)
{
	sigemptyset(&ending);
	for (size_t i = 0; i < count; i++)
		sigaddset(&ending, numbers[i]);
}

bool child_signal_came(void)
{
	sigset_t pending;

	sigpending(&pending);
	sigandset(&pending, &pending, &ending);
	return !sigisemptyset(&pending);
}

void child_discard_signals(void)
{
	const struct timespec at_once = { 0, 0 };

	while (child_signal_came() && sigtimedwait(&ending, NULL, &at_once) > 0)
		;
}

int child_run(char *const argv[], int timeout_ms, int silent_ms, bool until_signal, char *output,
	      size_t size)
{
	int64_t now_ms = clock_monotonic_ms(), deadline_ms = now_ms + timeout_ms;
	int64_t last_output_ms = now_ms; /* or start */
	struct child child = { .pid = 0 };
	struct pollfd out = { .events = POLLIN };
	int checks = 0, status = 0, error = 0;
	bool has_ended = false;
	char bytes[16384];
	size_t len = 0;

	output[0] = '\0';
	out.fd = reap_killed(0) ? spawn(&child, argv) : -EAGAIN;
	if (out.fd < 0)
		return out.fd;
	if (on_start)
		on_start(on_start_context, child.pid);
	while (!has_ended) {
		now_ms = clock_monotonic_ms();
		if (until_signal && child_signal_came())
			error = -EINTR;
		else if (now_ms >= deadline_ms ||
			 (silent_ms > 0 && now_ms - last_output_ms >= silent_ms))
			error = -ETIMEDOUT;
		if (error < 0)
			break;
		poll(&out, 1, out.fd < 0 && checks++ < END_CHECKS ? END_PAUSE_MS : CHECK_MS);
		/* After its end only what is there is read: others may have its output, too. */
		has_ended = poll_end(child.pid, &status);
		for (int i = has_ended ? PIPE_SIZE / 4096 : READS_MAX; out.fd >= 0 && i > 0; i--) {
			ssize_t n = read(out.fd, bytes, sizeof(bytes));
			size_t left = size - 1 - len;

			if (n < 0 && (errno == EAGAIN || errno == EINTR))
				break;
			if (n <= 0) {
				close(out.fd);
				out.fd = -1;
				break;
			}
			last_output_ms = clock_monotonic_ms();
			left = (size_t)n < left ? (size_t)n : left;
			memcpy(output + len, bytes, left);
			len += left;
			output[len] = '\0';
		}
	}
	if (out.fd >= 0)
		close(out.fd);
	if (!has_ended)
		kill_group(child.pid);
	return error < 0 ? error : status;
}
