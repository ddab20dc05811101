/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/capture/capture.h"
#include "daemon/cli/detach.h"
#include "daemon/cli/resume.h"
#include "daemon/cli/open_files.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "rules/language/ruleset.h"

/* Makes a relative path of the command line absolute: the working directory of a daemon is "/".
 * Returns 0, or EXIT_FAILED after the reason was reported. */
static int make_absolute(const char **path, char absolute[static PATH_MAX])
{
	size_t len = 0;

	if (!*path || **path == '/')
		return 0;
	if (!getcwd(absolute, PATH_MAX)) {
		report("start: %s: the working directory was removed; change to another one",
		       *path);
		return EXIT_FAILED;
	}
	len = strlen(absolute);
	if (strncmp(*path, "./", 2) == 0)
		*path += 2;
	if (snprintf(absolute + len, PATH_MAX - len, "/%s", *path) >= (int)(PATH_MAX - len)) {
		report("start: %s: the path is too long; change to another directory", *path);
		return EXIT_FAILED;
	}
	*path = absolute;
	return 0;
}

/* Runs the capture in the daemon until it ends. Returns the exit code. */
static int run_daemon(struct detach *detach, struct options *options)
{
	struct capture *capture;
	int code = capture_begin(&capture, options, resume_killed(options));

	resume_forget_killed();
	if (code != 0) {
		capture_close(capture);
		detach_started(detach, code);
		return code;
	}
	detach_started(detach, EXIT_DONE);
	code = capture_loop(capture, NULL);
	capture_close(capture);
	return code;
}

int cmd_start(struct options *options)
{
	struct detach detach = { .fd = -1 };
	char folder[4 * PATH_MAX];
	char paths[3][PATH_MAX];
	int code = open_files_allow("start");

	if (code == 0)
		code = make_absolute(&options->folder, paths[0]);
	if (code == 0 && !ruleset_builtin(options->rules).ptr)
		code = make_absolute(&options->rules, paths[1]);
	if (code == 0)
		code = make_absolute(&options->tracefs, paths[2]);
	if (code != 0)
		return code;
	switch (detach_begin(&detach, "start")) {
	case DETACH_DAEMON:
		return run_daemon(&detach, options);
	case DETACH_CALLER:
		text_escape(folder, sizeof(folder), options->folder);
		if (detach.code == EXIT_DONE)
			printf("jankd: capturing to %s (pid %ld)\n", folder, detach.pid);
		return detach.code;
	default:
		return EXIT_FAILED;
	}
}
