/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/program.h"

#define ARGUMENTS_MAX 48
#define PAUSE_NS 5000000

const char *program_jankd(void)
{
	static char *jankd;

	/* It is started with another working directory. */
	if (!jankd && unit_argument)
		jankd = realpath(unit_argument, NULL);
	if (!jankd)
		fail_msg("usage: %s JANKD", program_invocation_short_name);
	return jankd;
}

static const char *output_name(const char *first, const char *kind)
{
	return formatted("%s.%s", first ? first : "jankd", kind);
}

static void redirect(const char *file, int onto)
{
	int fd = open(scratch_path(file), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || dup2(fd, onto) < 0)
		_exit(127);
	close(fd);
}

pid_t program_start_on(int terminal, const char *const *arguments)
{
	const char *argv[ARGUMENTS_MAX + 2] = { program_jankd() };
	pid_t pid;

	for (size_t i = 0; arguments[i] && i < ARGUMENTS_MAX; i++)
		argv[i + 1] = arguments[i];
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int in = terminal >= 0 ? terminal : open("/dev/null", O_RDWR | O_CLOEXEC);

		if (chdir(scratch_root) < 0 || dup2(in, STDIN_FILENO) < 0)
			_exit(127);
		if (terminal < 0) {
			redirect(output_name(argv[1], "out"), STDOUT_FILENO);
			redirect(output_name(argv[1], "err"), STDERR_FILENO);
		} else if (setsid() < 0 || ioctl(in, TIOCSCTTY, 0) < 0 ||
			   dup2(in, STDOUT_FILENO) < 0 || dup2(in, STDERR_FILENO) < 0) {
			_exit(127);
		}
		execv(argv[0], (char **)argv);
		_exit(127);
	}
	if (pid < 0)
		abort();
	return pid;
}

pid_t program_start(const char *const *arguments)
{
	return program_start_on(-1, arguments);
}

double program_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pause_a_little(void)
{
	const struct timespec pause = { 0, PAUSE_NS };

	nanosleep(&pause, NULL);
}

void program_pause(double begin, const char *condition, const char *file, int line)
{
	if (program_seconds() - begin > PROGRAM_S) {
		print_error("not within %d s: %s\nevents.csv:\n%s\n", PROGRAM_S, condition,
			    scratch_get("out/events.csv"));
		_fail(file, line);
	}
	pause_a_little();
}

int program_end(pid_t pid)
{
	double until = program_seconds() + PROGRAM_S;
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && program_seconds() < until)
		pause_a_little();
	if (ended == 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char *last_first;

int program_run(const char *first, ...)
{
	const char *arguments[ARGUMENTS_MAX] = { first };
	va_list rest;

	va_start(rest, first);
	for (size_t i = 1; i < ARGUMENTS_MAX - 1 && arguments[i - 1]; i++)
		arguments[i] = va_arg(rest, const char *);
	va_end(rest);
	last_first = first;
	return program_end(program_start(arguments));
}

const char *program_out(void)
{
	return scratch_get(output_name(last_first, "out"));
}

const char *program_err(void)
{
	return scratch_get(output_name(last_first, "err"));
}
