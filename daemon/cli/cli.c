/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/cli/options_table.h"
#include "daemon/version.h"

static int (*const commands[OPTIONS_COMMANDS])(struct options *options) = {
	[OPTIONS_RUN] = cmd_run,	 [OPTIONS_START] = cmd_start, [OPTIONS_STOP] = cmd_stop,
	[OPTIONS_STATUS] = cmd_status,	 [OPTIONS_TOP] = cmd_top,     [OPTIONS_MARK] = cmd_mark,
	[OPTIONS_ROTATE] = cmd_rotate,	 [OPTIONS_FILES] = cmd_files, [OPTIONS_DOCTOR] = cmd_doctor,
	[OPTIONS_ANALYZE] = cmd_analyze, [OPTIONS_RULES] = cmd_rules,
};

int cli_run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	enum options_command command = OPTIONS_RUN;
	struct options options;
	int code;

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
	while (command < OPTIONS_COMMANDS && strcmp(name, options_command_name(command)) != 0)
		command++;
	if (command < OPTIONS_COMMANDS) {
		report_name(name);
		code = options_parse(&options, command, argc - 1, argv + 1);
		if (code == 0 && options.help)
			help_print(command);
		else if (code == 0 && options.resume)
			code = resume_options(&options, argc - 1, argv + 1);
		return code == 0 && !options.help ? commands[command](&options) : code;
	}
	report("%s: unknown %s; see 'jankd --help'", name, name[0] == '-' ? "option" : "command");
	return EXIT_USAGE;
}
