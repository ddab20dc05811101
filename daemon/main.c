/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "daemon/cmd.h"
#include "daemon/options.h"
#include "daemon/report.h"
#include "daemon/version.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "run", cmd_run },
	{ "analyze", cmd_analyze },
	{ "rules", cmd_rules },
};

int main(int argc, char **argv)
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
