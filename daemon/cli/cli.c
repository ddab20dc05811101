/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/cli/cmd.h"
#include "daemon/cli/help.h"
#include "daemon/cli/options_parse.h"
#include "daemon/cli/resume.h"
#include "daemon/version.h"

static int (*const commands[OPTIONS_COMMANDS])(struct options *options) = {
	[OPTIONS_RUN] = cmd_run,	 [OPTIONS_START] = cmd_start, [OPTIONS_STOP] = cmd_stop,
	[OPTIONS_STATUS] = cmd_status,	 [OPTIONS_TOP] = cmd_top,     [OPTIONS_MARK] = cmd_mark,
	[OPTIONS_ROTATE] = cmd_rotate,	 [OPTIONS_FILES] = cmd_files, [OPTIONS_DOCTOR] = cmd_doctor,
	[OPTIONS_ANALYZE] = cmd_analyze, [OPTIONS_RULES] = cmd_rules,
};

static int run_command(enum options_command command, int argc, char **argv)
{
	struct options options;
	int code = options_parse(&options, command, argc, argv);

	if (code != 0)
		return code;
	if (options.help) {
		help_print(command);
		return EXIT_DONE;
	}
	if (options.resume)
		code = resume_options(&options, argc, argv);
	return code == 0 ? commands[command](&options) : code;
}

int cli_run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		report("usage: no command given; see 'jankd --help'");
		return EXIT_USAGE;
	}
	if (strcmp(name, "--version") == 0) {
		printf("jankd %s\n", JANKD_VERSION);
		return EXIT_DONE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		help_print_program();
		return EXIT_DONE;
	}
	for (int command = 0; command < OPTIONS_COMMANDS; command++)
		if (strcmp(name, options_command_name(command)) == 0)
			return run_command(command, argc - 1, argv + 1);
	report("%s: unknown %s; see 'jankd --help'", name, name[0] == '-' ? "option" : "command");
	return EXIT_USAGE;
}
