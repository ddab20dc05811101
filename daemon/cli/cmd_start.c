/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/capture/capture.h"
#include "daemon/cli/detach.h"
#include "daemon/base/open_files.h"
#include "daemon/cli/help.h"
#include "daemon/cli/options_parse.h"
#include "daemon/base/report.h"
#include "daemon/base/text.h"
#include "rules/ruleset.h"

/* Paths of the command line mean what they meant there, though a daemon sits in "/". */
struct paths {
	char folder[PATH_MAX], rules[PATH_MAX], tracefs[PATH_MAX];
};

/* Returns 0, or EXIT_FAILED after the reason was said on stderr. */
static int make_absolute(const char **path, char absolute[static PATH_MAX])
{
	size_t len = 0;

	if (!*path || **path == '/')
		return 0;
	if (!getcwd(absolute, PATH_MAX)) {
		report("start: %s: the folder we are in is gone; go to another", *path);
		return EXIT_FAILED;
	}
	len = strlen(absolute);
	if (strncmp(*path, "./", 2) == 0)
		*path += 2;
	if (snprintf(absolute + len, PATH_MAX - len, "/%s", *path) >= (int)(PATH_MAX - len)) {
		report("start: %s: the path is too long; go to another folder", *path);
		return EXIT_FAILED;
	}
	*path = absolute;
	return 0;
}

static int make_all_absolute(struct options *options, struct paths *paths)
{
	int code = make_absolute(&options->folder, paths->folder);

	if (code == 0 && !ruleset_builtin(options->rules).ptr)
		code = make_absolute(&options->rules, paths->rules);
	return code == 0 ? make_absolute(&options->tracefs, paths->tracefs) : code;
}

static int count(struct detach *detach, const struct options *options)
{
	static struct capture capture; /* large: a stack may be small */
	int code = capture_begin(&capture, options);

	if (code != 0) {
		capture_close(&capture);
		detach_tell(detach, code);
		return code;
	}
	detach_tell(detach, EXIT_DONE);
	code = capture_loop(&capture);
	capture_close(&capture);
	return code;
}

static int say(const struct detach *detach, const struct options *options)
{
	char folder[4 * PATH_MAX];

	text_escape(folder, sizeof(folder), options->folder);
	if (detach->code == EXIT_DONE)
		printf("jankd: counting into %s (pid %ld)\n", folder, detach->pid);
	return detach->code;
}

int cmd_start(int argc, char **argv)
{
	struct detach detach = { .fd = -1 };
	struct options options;
	struct paths paths;
	int code = options_parse(&options, OPTIONS_START, argc, argv);

	if (code != 0)
		return code;
	if (options.help) {
		fputs(help_start, stdout);
		return EXIT_DONE;
	}
	code = open_files_allow(argv[0]);
	if (code == 0)
		code = make_all_absolute(&options, &paths);
	if (code != 0)
		return code;
	switch (detach_begin(&detach, "start")) {
	case DETACH_DAEMON:
		return count(&detach, &options);
	case DETACH_CALLER:
		return say(&detach, &options);
	default:
		return EXIT_FAILED;
	}
}
