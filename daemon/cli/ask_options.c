/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/ask_options.h"

#include <getopt.h>
#include <string.h>

#include "daemon/cli/option_arg.h"
#include "daemon/base/options.h"
#include "daemon/base/report.h"

static const struct option known_options[] = {
	{ "json", no_argument, NULL, 'j' }, /* status alone */
	{ "folder", required_argument, NULL, 'F' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int refuse(const struct ask_options *options, int option, char **argv)
{
	const char *word = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	if (optopt > 0 && strncmp(word, "--", 2) != 0)
		word = letter;
	if (option == ':')
		report("%s: %s: needs a value; 'jankd %s --help' says which", options->command,
		       word, options->command);
	else if (optopt > 0 && strchr(word, '='))
		report("%s: %s: takes no value; leave it out", options->command, word);
	else
		report("%s: %s: unknown option; 'jankd %s --help' lists them", options->command,
		       word, options->command);
	return EXIT_USAGE;
}

static int take_operands(struct ask_options *options, bool takes_text, int argc, char **argv)
{
	int count = argc - optind;

	if (takes_text && count == 0) {
		report("mark: TEXT is missing; say what the moment shall be called");
		return EXIT_USAGE;
	}
	if (count > (int)takes_text) {
		report("%s: %s: unexpected argument; %s", options->command,
		       argv[optind + takes_text],
		       takes_text ? "put the text in quotes" : "name a folder with -F");
		return EXIT_USAGE;
	}
	options->text = takes_text ? argv[optind] : NULL;
	return 0;
}

int ask_options_parse(struct ask_options *options, int argc, char **argv)
{
	bool is_status = strcmp(argv[0], "status") == 0;
	int option;

	*options = (struct ask_options){
		.command = argv[0],
		.folder = options_default_folder(),
	};
	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":F:h", known_options + !is_status, NULL)) != -1) {
		struct option_arg given = { options->command, "-F", optarg };

		if (option == ':' || option == '?')
			return refuse(options, option, argv);
		if (option == 'F' && option_take_text(&given, &options->folder) != 0)
			return EXIT_USAGE;
		options->json |= option == 'j';
		options->help |= option == 'h';
		if (options->help)
			return 0;
	}
	return take_operands(options, strcmp(argv[0], "mark") == 0, argc, argv);
}
