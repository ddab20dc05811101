/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static void redirect(const struct scratch *scratch, const char *name, const char *kind, int onto)
{
	char file[64];
	int fd;

	snprintf(file, sizeof(file), "%s.%s", name, kind);
	fd = open(scratch_path(scratch, file), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || dup2(fd, onto) < 0)
		_exit(127);
	close(fd);
}

void program_start(struct program *program, const struct scratch *scratch, const char *name,
		   const char *const *arguments)
{
	const char *argv[ARGUMENTS_MAX + 2] = { program_jankd() };

	for (size_t i = 0; arguments[i] && i < ARGUMENTS_MAX; i++)
		argv[i + 1] = arguments[i];
	*program = (struct program){ .scratch = scratch };
	snprintf(program->name, sizeof(program->name), "%s", name);
	fflush(NULL);
	program->pid = fork();
	if (program->pid == 0) {
		int null = open("/dev/null", O_RDWR);

		if (chdir(scratch->path) < 0 || dup2(null, STDIN_FILENO) < 0)
			_exit(127);
		redirect(scratch, name, "out", STDOUT_FILENO);
		redirect(scratch, name, "err", STDERR_FILENO);
		execv(argv[0], (char **)argv);
		_exit(127);
	}
	if (program->pid < 0)
		abort();
}

static void pause_a_little(void)
{
	const struct timespec pause = { 0, PAUSE_NS };

	nanosleep(&pause, NULL);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int program_end(struct program *program)
{
	double until = seconds() + PROGRAM_S;
	int status = 0;
	pid_t pid;

	while ((pid = waitpid(program->pid, &status, WNOHANG)) == 0 && seconds() < until)
		pause_a_little();
	if (pid == 0) {
		kill(program->pid, SIGKILL);
		waitpid(program->pid, &status, 0);
		program->status = -1;
	} else {
		program->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	program->pid = 0;
	return program->status;
}

int program_run(struct program *program, const struct scratch *scratch, const char *first, ...)
{
	const char *arguments[ARGUMENTS_MAX] = { first };
	va_list rest;

	va_start(rest, first);
	for (size_t i = 1; i < ARGUMENTS_MAX - 1 && arguments[i - 1]; i++)
		arguments[i] = va_arg(rest, const char *);
	va_end(rest);
	program_start(program, scratch, first, arguments);
	return program_end(program);
}

static const char *printed(const struct program *program, const char *kind)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.%s", program->name, kind);
	return scratch_get(program->scratch, file);
}

const char *program_out(const struct program *program)
{
	return printed(program, "out");
}

const char *program_err(const struct program *program)
{
	return printed(program, "err");
}

bool program_wait_for(const struct scratch *scratch, const char *file, const char *text)
{
	double until = seconds() + PROGRAM_S;

	while (!strstr(scratch_get(scratch, file), text)) {
		if (seconds() >= until)
			return false;
		pause_a_little();
	}
	return true;
}
