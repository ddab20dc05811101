/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/cli/cmd.h"
#include "daemon/cli/help.h"
#include "daemon/base/report.h"
#include "daemon/version.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "run", cmd_run },	  { "start", cmd_start },     { "stop", cmd_stop },
	{ "status", cmd_status }, { "top", cmd_top },	      { "mark", cmd_mark },
	{ "rotate", cmd_rotate }, { "analyze", cmd_analyze }, { "rules", cmd_rules },
};

/* Who starts us with one of them closed must not find messages in the first file we open. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* Has the reader of our pipe closed it? Then it has read enough. */
static bool is_unread(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

/* What was printed may still not be out. */
static int end(int code)
{
	int error = ferror(stdout) ? EIO : 0;

	if (fflush(stdout) != 0)
		error = errno;
	if (error == 0 || code != EXIT_DONE || is_unread())
		return code;
	report("standard output: %s; send it elsewhere", strerror(error));
	return EXIT_FAILED;
}

static int run_command(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		report("usage: a command is missing; 'jankd --help' lists them");
		return EXIT_USAGE;
	}
	if (strcmp(name, "--version") == 0) {
		printf("jankd %s\n", JANKD_VERSION);
		return EXIT_DONE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		fputs(help_program, stdout);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(name, commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	report("%s: an unknown %s; 'jankd --help' lists them", name,
	       name[0] == '-' ? "option" : "command");
	return EXIT_USAGE;
}

/* What is freed goes back to the kernel: a process that once used more does not stay larger. */
static void keep_small(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 65536);
	mallopt(M_TRIM_THRESHOLD, 65536);
#endif
#ifdef M_ARENA_MAX
	/* One arena for all threads: there are two of them. */
	mallopt(M_ARENA_MAX, 1);
#endif
}

/* What whoever started us ignores is ignored here, too: of children nothing would be known then. A
 * file that may not grow is an error of its write. */
static void take_signals(void)
{
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
	keep_small();
	take_signals();
	open_standard_files();
	return end(run_command(argc, argv));
}
