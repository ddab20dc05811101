/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/options_parse.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/android/android.h"
#include "daemon/cli/option_arg.h"
#include "daemon/base/report.h"

/* A header line and some rows. */
#define ROTATE_SIZE_MIN 4096

/* Options without a short form. */
enum {
	OPT_RULES = 256,
	OPT_FOCUS,
	OPT_INCLUDE,
	OPT_EXCLUDE,
	OPT_VSYNC_MS,
	OPT_FRAMES_LOG,
	OPT_STDOUT,
	OPT_MAX_SURFACES,
	OPT_MAX_THREADS,
	OPT_ROTATE_SIZE,
	OPT_ROTATE_TIME,
	OPT_KEEP,
	OPT_MIN_FREE,
	OPT_SYNC,
	OPT_TRIGGER,
	OPT_SNAPSHOT,
	OPT_SNAPSHOT_SECONDS,
	OPT_SOURCE,
	OPT_TRACEFS,
	OPT_INSTANCE,
	OPT_BUFFER_KB,
	OPT_CATEGORIES,
	OPT_NO_ATRACE,
	OPT_YIELD,
	OPT_DURATION,
	OPT_WAIT,
	OPT_UNTIL_EXIT,
};

#define SHORT_OPTIONS ":t:k:T:d:f:F:h"

/* Those of run and start alone come first: analyze begins behind them. */
static const struct option known_options[] = {
	{ "source", required_argument, NULL, OPT_SOURCE },
	{ "tracefs", required_argument, NULL, OPT_TRACEFS },
	{ "instance", required_argument, NULL, OPT_INSTANCE },
	{ "buffer-kb", required_argument, NULL, OPT_BUFFER_KB },
	{ "categories", required_argument, NULL, OPT_CATEGORIES },
	{ "no-atrace", no_argument, NULL, OPT_NO_ATRACE },
	{ "yield", no_argument, NULL, OPT_YIELD },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "wait", required_argument, NULL, OPT_WAIT },
	{ "until-exit", required_argument, NULL, OPT_UNTIL_EXIT },
#define CAPTURE_OPTIONS 10
	{ "target", required_argument, NULL, 't' },
	{ "kpi", required_argument, NULL, 'k' },
	{ "KPI", required_argument, NULL, 'k' },
	{ "type", required_argument, NULL, 'T' },
	{ "delay", required_argument, NULL, 'd' },
	{ "frames", required_argument, NULL, 'f' },
	{ "folder", required_argument, NULL, 'F' },
	{ "help", no_argument, NULL, 'h' },
	{ "rules", required_argument, NULL, OPT_RULES },
	{ "focus", required_argument, NULL, OPT_FOCUS },
	{ "include", required_argument, NULL, OPT_INCLUDE },
	{ "exclude", required_argument, NULL, OPT_EXCLUDE },
	{ "vsync-ms", required_argument, NULL, OPT_VSYNC_MS },
	{ "frames-log", no_argument, NULL, OPT_FRAMES_LOG },
	{ "stdout", no_argument, NULL, OPT_STDOUT },
	{ "max-surfaces", required_argument, NULL, OPT_MAX_SURFACES },
	{ "max-threads", required_argument, NULL, OPT_MAX_THREADS },
	{ "rotate-size", required_argument, NULL, OPT_ROTATE_SIZE },
	{ "rotate-time", required_argument, NULL, OPT_ROTATE_TIME },
	{ "keep", required_argument, NULL, OPT_KEEP },
	{ "min-free", required_argument, NULL, OPT_MIN_FREE },
	{ "sync", required_argument, NULL, OPT_SYNC },
	{ "trigger", required_argument, NULL, OPT_TRIGGER },
	{ "snapshot", required_argument, NULL, OPT_SNAPSHOT },
	{ "snapshot-seconds", required_argument, NULL, OPT_SNAPSHOT_SECONDS },
	{ NULL, 0, NULL, 0 },
};

static int take_glob(const struct option_arg *arg, const char **globs)
{
	size_t n = 0;

	while (globs[n])
		n++;
	if (n == OPTIONS_GLOBS_MAX)
		return option_wrong(arg, "one glob too many, 64 are the limit");
	return option_take_text(arg, &globs[n]);
}

static int take_type(const struct option_arg *arg, unsigned int *type)
{
	uint64_t value = 0;
	int code = option_take_count(arg, 0, 4, "a number", &value);

	if (code == 0)
		*type = (unsigned int)value;
	return code;
}

static int take_instance(const struct option_arg *arg, const char **instance)
{
	if (strchr(arg->value, '/') || arg->value[0] == '.')
		return option_wrong(arg, "not the name of a trace instance");
	return option_take_text(arg, instance);
}

static int take_categories(const struct option_arg *arg, const char **categories)
{
	if (!android_are_categories(arg->value))
		return option_wrong(arg, "not 1 to 32 names of atrace's categories");
	*categories = arg->value;
	return 0;
}

static int take_source(const struct option_arg *arg, enum options_source *source)
{
	static const char *const names[] = {
		[OPTIONS_SOURCE_AUTO] = "auto",
		[OPTIONS_SOURCE_TEXT] = "text",
		[OPTIONS_SOURCE_RAW] = "raw",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(arg->value, names[i]) != 0)
			continue;
		*source = (enum options_source)i;
		return 0;
	}
	return option_wrong(arg, "not one of auto, text, raw");
}

static int take_seconds(const struct option_arg *arg, uint64_t *ns)
{
	return option_take_time(arg, 0.001, 1e8, 1e9, "a number of seconds", ns);
}

static int take_table_size(const struct option_arg *arg, unsigned int *size)
{
	uint64_t value = 0;
	int code = option_take_count(arg, 16, 4096, "a number", &value);

	if (code == 0)
		*size = (unsigned int)value;
	return code;
}

/* "com.game/.Main", or the package alone: a word with a dot. */
static int take_focus(const struct option_arg *arg, const char **focus)
{
	const char *value = arg->value, *slash = strchr(value, '/');
	bool word = value[0] && strpbrk(value, " \t\r\n") == NULL;
	bool both = slash && slash > value && slash[1] && !strchr(slash + 1, '/');

	if (!word || !(both || (!slash && strchr(value, '.'))))
		return option_wrong(arg, "not an APP/ACTIVITY such as com.game/.Main");
	*focus = value;
	return 0;
}

static int take_trigger(struct options *options, const struct option_arg *arg)
{
	struct trigger_error error;
	char wanted[160];

	options->trigger = arg->value;
	options->pipeline.trigger = &options->condition;
	if (trigger_parse(&options->condition, arg->value, &error) == 0)
		return 0;
	snprintf(wanted, sizeof(wanted), "column %u: %s", error.column, error.message);
	return option_wrong(arg, wanted);
}

static int take_run_option(struct options *options, int option, const struct option_arg *arg)
{
	switch (option) {
	case OPT_SOURCE:
		return take_source(arg, &options->source);
	case OPT_TRACEFS:
		return option_take_text(arg, &options->tracefs);
	case OPT_INSTANCE:
		return take_instance(arg, &options->instance);
	case OPT_BUFFER_KB:
		options->buffer_given = true;
		return option_take_count(arg, 4, 4194304, "a number of KB", &options->buffer_kb);
	case OPT_CATEGORIES:
		options->categories_given = true;
		return take_categories(arg, &options->categories);
	case OPT_NO_ATRACE:
		options->no_atrace = true;
		return 0;
	case OPT_YIELD:
		options->yield = true;
		return 0;
	case OPT_WAIT:
		return take_seconds(arg, &options->wait_ns);
	case OPT_UNTIL_EXIT:
		return option_take_text(arg, &options->until_exit);
	default: /* OPT_DURATION */
		return take_seconds(arg, &options->duration_ns);
	}
}

/* How files roll, and what is kept of them. */
static int take_files_option(struct options *options, int option, const struct option_arg *arg)
{
	switch (option) {
	case OPT_ROTATE_SIZE:
		return option_take_bytes(arg, ROTATE_SIZE_MIN, &options->rotate_size);
	case OPT_ROTATE_TIME:
		return take_seconds(arg, &options->rotate_time_ns);
	case OPT_KEEP:
		return option_take_count(arg, 1, UINT32_MAX, "a number of segments",
					 &options->keep);
	case OPT_MIN_FREE:
		return option_take_bytes(arg, 0, &options->min_free);
	case OPT_SYNC:
		return take_seconds(arg, &options->sync_ns);
	case OPT_TRIGGER:
		return take_trigger(options, arg);
	case OPT_SNAPSHOT:
		return option_take_time(arg, 0.001, 1e6, 1e6, "a number of milliseconds",
					&options->snapshot_ns);
	case OPT_SNAPSHOT_SECONDS:
		options->snapshot_length_given = true;
		return option_take_time(arg, 0.1, 600, 1e9, "a number of seconds",
					&options->snapshot_length_ns);
	default:
		return take_run_option(options, option, arg);
	}
}

static int take_option(struct options *options, int option, const struct option_arg *arg)
{
	struct pipeline_options *pipeline = &options->pipeline;

	switch (option) {
	case 't':
		return option_take_number(arg, 0.001, 10000, "a frame rate", &pipeline->target_fps);
	case 'k':
		return option_take_time(arg, 0.001, 1e6, 1e6, "a number of milliseconds",
					&pipeline->kpi_ns);
	case 'T':
		return take_type(arg, &pipeline->type);
	case 'd':
		return option_take_time(arg, 0, 1e6, 1e9, "a number of seconds",
					&pipeline->delay_ns);
	case 'f':
		return option_take_count(arg, 0, UINT32_MAX, "a number of frames",
					 &pipeline->min_frames);
	case 'F':
		return option_take_text(arg, &options->folder);
	case OPT_RULES:
		return option_take_text(arg, &options->rules);
	case OPT_FOCUS:
		return take_focus(arg, &pipeline->focus);
	case OPT_INCLUDE:
		return take_glob(arg, options->include);
	case OPT_EXCLUDE:
		return take_glob(arg, options->exclude);
	case OPT_VSYNC_MS:
		return option_take_time(arg, 2, 1000, 1e6, "a period in milliseconds",
					&pipeline->vsync_ns);
	case OPT_FRAMES_LOG:
		options->frames_log = true;
		return 0;
	case OPT_STDOUT:
		options->to_stdout = true;
		return 0;
	case OPT_MAX_SURFACES:
		return take_table_size(arg, &pipeline->max_surfaces);
	case OPT_MAX_THREADS:
		return take_table_size(arg, &pipeline->max_threads);
	default:
		return take_files_option(options, option, arg);
	}
}

/* What getopt did not like: ':' a value is missing, '?' all else. */
static int refuse(const struct options *options, int option, char **argv)
{
	const char *command = options_command_name(options->command);
	const char *word = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	if (optopt > 0 && optopt < 256 && strncmp(word, "--", 2) != 0)
		word = letter;
	if (option == ':')
		report("%s: %s: needs a value; 'jankd %s --help' says which", command, word,
		       command);
	else if (optopt >= 256 || (optopt > 0 && strchr(word, '=')))
		report("%s: %s: takes no value; leave it out", command, word);
	else
		report("%s: %s: unknown option; 'jankd %s --help' lists them", command, word,
		       command);
	return EXIT_USAGE;
}

static void set_defaults(struct options *options, enum options_command command)
{
	*options = (struct options){
		.command = command,
		.pipeline = PIPELINE_OPTIONS_DEFAULT,
		.folder = options_default_folder(),
		.rules = "default",
		.categories = "gfx view",
		.buffer_kb = 1024,
		.snapshot_length_ns = UINT64_C(10000000000),
	};
}

/* The rest of the command line: files, where the command takes some. */
static int take_operands(struct options *options, int argc, char **argv)
{
	options->files = argv + optind;
	options->file_count = argc - optind;
	if (options->command != OPTIONS_ANALYZE && options->file_count > 0) {
		report("%s: %s: unexpected argument; recorded traces are for 'jankd analyze'",
		       options_command_name(options->command), options->files[0]);
		return EXIT_USAGE;
	}
	if (options->command == OPTIONS_ANALYZE && options->file_count == 0) {
		report("analyze: FILE is missing; name recorded traces, or '-' for standard input");
		return EXIT_USAGE;
	}
	return 0;
}

/* Options that one of them alone makes nothing of. True: there are some, and it was said. */
static bool refuse_together(const struct options *options)
{
	const struct {
		bool wrong;
		const char *name, *why;
	} cases[] = {
		{ options->to_stdout && options->command == OPTIONS_START, "--stdout",
		  "a daemon has no standard output; leave it out, or use 'jankd run'" },
		{ options->to_stdout && options->pipeline.type >= 3, "--stdout",
		  "prints the rows of fps.csv, which --type 3 and 4 leave out; leave one of them "
		  "out" },
		{ options->source == OPTIONS_SOURCE_RAW && options->snapshot_ns > 0, "--snapshot",
		  "saves text, which --source raw does not have; leave one of them out" },
		{ options->snapshot_length_given && options->snapshot_ns == 0, "--snapshot-seconds",
		  "says how long a snapshot is, and none is asked for; add --snapshot MS" },
		{ options->no_atrace && options->categories_given, "--categories",
		  "are what atrace switches on, and --no-atrace runs none; leave one of them out" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!cases[i].wrong)
			continue;
		report("%s: %s: %s", options_command_name(options->command), cases[i].name,
		       cases[i].why);
		return true;
	}
	return false;
}

int options_parse(struct options *options, enum options_command command, int argc, char **argv)
{
	const struct option *known =
		known_options + (command == OPTIONS_ANALYZE ? CAPTURE_OPTIONS : 0);
	int option, index;

	set_defaults(options, command);
	opterr = 0;
	optind = 0; /* 0, not 1: makes glibc forget what it knew of another argv */
	while (index = -1, (option = getopt_long(argc, argv, SHORT_OPTIONS, known, &index)) != -1) {
		char letter[] = { '-', (char)option, '\0' };
		char name[32] = "--";
		struct option_arg arg = { options_command_name(command), letter, optarg };
		int code;

		if (option == ':' || option == '?')
			return refuse(options, option, argv);
		if (option == 'h') {
			options->help = true;
			return 0;
		}
		if (index >= 0)
			arg.name = strncat(name, known[index].name, sizeof(name) - 3);
		code = take_option(options, option, &arg);
		if (code != 0)
			return code;
	}
	options->pipeline.late_ns = options->snapshot_ns;
	options->pipeline.recorded = command == OPTIONS_ANALYZE;
	options->pipeline.front_is_queried = command != OPTIONS_ANALYZE && android_has("dumpsys");
	options->pipeline.include = options->include[0] ? options->include : NULL;
	options->pipeline.exclude = options->exclude[0] ? options->exclude : NULL;
	if (refuse_together(options))
		return EXIT_USAGE;
	return take_operands(options, argc, argv);
}
