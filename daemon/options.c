/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/android.h"
#include "daemon/report.h"

#define ANDROID_TMP "/data/local/tmp"

/* Options without a short form. */
enum {
	OPT_RULES = 256,
	OPT_FOCUS,
	OPT_INCLUDE,
	OPT_EXCLUDE,
	OPT_VSYNC_MS,
	OPT_FRAMES_LOG,
	OPT_STDOUT,
	OPT_SOURCE,
	OPT_TRACEFS,
	OPT_INSTANCE,
	OPT_BUFFER_KB,
	OPT_CATEGORIES,
	OPT_NO_ATRACE,
	OPT_DURATION,
};

#define SHORT_OPTIONS ":t:k:T:d:f:F:h"

#define COMMON_OPTIONS                                                                             \
	{ "target", required_argument, NULL, 't' }, { "kpi", required_argument, NULL, 'k' },       \
		{ "KPI", required_argument, NULL, 'k' }, { "type", required_argument, NULL, 'T' }, \
		{ "delay", required_argument, NULL, 'd' },                                         \
		{ "frames", required_argument, NULL, 'f' },                                        \
		{ "folder", required_argument, NULL, 'F' }, { "help", no_argument, NULL, 'h' },    \
		{ "rules", required_argument, NULL, OPT_RULES },                                   \
		{ "focus", required_argument, NULL, OPT_FOCUS },                                   \
		{ "include", required_argument, NULL, OPT_INCLUDE },                               \
		{ "exclude", required_argument, NULL, OPT_EXCLUDE },                               \
		{ "vsync-ms", required_argument, NULL, OPT_VSYNC_MS },                             \
		{ "frames-log", no_argument, NULL, OPT_FRAMES_LOG },                               \
	{                                                                                          \
		"stdout", no_argument, NULL, OPT_STDOUT                                            \
	}

static const struct option analyze_options[] = {
	COMMON_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static const struct option run_options[] = {
	COMMON_OPTIONS,
	{ "source", required_argument, NULL, OPT_SOURCE },
	{ "tracefs", required_argument, NULL, OPT_TRACEFS },
	{ "instance", required_argument, NULL, OPT_INSTANCE },
	{ "buffer-kb", required_argument, NULL, OPT_BUFFER_KB },
	{ "categories", required_argument, NULL, OPT_CATEGORIES },
	{ "no-atrace", no_argument, NULL, OPT_NO_ATRACE },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ NULL, 0, NULL, 0 },
};

const char *options_command_name(enum options_command command)
{
	return command == OPTIONS_RUN ? "run" : "analyze";
}

/* An option while it is read. */
struct given {
	const struct options *options;
	const char *name; /* as typed */
	const char *value;
};

static int wrong(const struct given *given, const char *wanted)
{
	const char *command = options_command_name(given->options->command);

	report("%s: %s %s: %s; see 'jankd %s --help'", command, given->name, given->value, wanted,
	       command);
	return EXIT_USAGE;
}

/* A decimal number and nothing else: no blanks, no hex, no "inf". */
static bool parse_number(const char *text, double *number)
{
	char *end;

	if (text[strspn(text, "0123456789.eE+-")] != '\0' || isspace((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtod(text, &end);
	return end != text && *end == '\0' && errno == 0 && isfinite(*number);
}

static int take_number(const struct given *given, double least, double most, const char *wanted,
		       double *number)
{
	double value;

	if (!parse_number(given->value, &value) || value < least || value > most)
		return wrong(given, wanted);
	*number = value;
	return 0;
}

static int take_count(const struct given *given, uint64_t least, uint64_t most, const char *wanted,
		      uint64_t *count)
{
	unsigned long long value;

	if (given->value[0] == '\0' || given->value[strspn(given->value, "0123456789")] != '\0')
		return wrong(given, wanted);
	errno = 0;
	value = strtoull(given->value, NULL, 10);
	if (errno != 0 || value < least || value > most)
		return wrong(given, wanted);
	*count = value;
	return 0;
}

/* A duration given in units of @unit_ns. */
static int take_time(const struct given *given, double least, double most, double unit_ns,
		     const char *wanted, uint64_t *ns)
{
	double value = 0;
	int code = take_number(given, least, most, wanted, &value);

	if (code == 0)
		*ns = (uint64_t)(value * unit_ns + 0.5);
	return code;
}

static int take_glob(const struct given *given, const char **globs)
{
	size_t n = 0;

	while (globs[n])
		n++;
	if (n == OPTIONS_GLOBS_MAX)
		return wrong(given, "one glob too many, 64 are the limit");
	globs[n] = given->value;
	return 0;
}

static int take_type(const struct given *given, unsigned int *type)
{
	uint64_t value = 0;
	int code = take_count(given, 0, 4, "not one of 0, 1, 2, 3, 4", &value);

	if (code == 0)
		*type = (unsigned int)value;
	return code;
}

static int take_text(const struct given *given, const char **text)
{
	if (given->value[0] == '\0')
		return wrong(given, "an empty value");
	*text = given->value;
	return 0;
}

static int take_instance(const struct given *given, const char **instance)
{
	if (strchr(given->value, '/') || given->value[0] == '.')
		return wrong(given, "not the name of a trace instance");
	return take_text(given, instance);
}

static int take_categories(const struct given *given, const char **categories)
{
	if (!android_are_categories(given->value))
		return wrong(given, "not 1 to 32 names of atrace's categories");
	*categories = given->value;
	return 0;
}

static int take_source(const struct given *given)
{
	if (strcmp(given->value, "auto") != 0 && strcmp(given->value, "text") != 0)
		return wrong(given, "not one of auto, text");
	return 0;
}

static int take_run_option(struct options *options, int option, const struct given *given)
{
	switch (option) {
	case OPT_SOURCE:
		return take_source(given);
	case OPT_TRACEFS:
		return take_text(given, &options->tracefs);
	case OPT_INSTANCE:
		return take_instance(given, &options->instance);
	case OPT_BUFFER_KB:
		return take_count(given, 4, 4194304, "not a number of KB from 4 to 4194304",
				  &options->buffer_kb);
	case OPT_CATEGORIES:
		return take_categories(given, &options->categories);
	case OPT_NO_ATRACE:
		options->no_atrace = true;
		return 0;
	default: /* OPT_DURATION */
		return take_time(given, 0.001, 1e8, 1e9, "not a number of seconds above 0",
				 &options->duration_ns);
	}
}

static int take_option(struct options *options, int option, const struct given *given)
{
	struct pipeline_options *pipeline = &options->pipeline;

	switch (option) {
	case 't':
		return take_number(given, 0.001, 10000, "not a frame rate above 0",
				   &pipeline->target_fps);
	case 'k':
		return take_time(given, 0.001, 1e6, 1e6, "not a number of milliseconds above 0",
				 &pipeline->kpi_ns);
	case 'T':
		return take_type(given, &pipeline->type);
	case 'd':
		return take_time(given, 0, 1e6, 1e9, "not a number of seconds from 0 on",
				 &pipeline->delay_ns);
	case 'f':
		return take_count(given, 0, UINT32_MAX, "not a number of frames from 0 on",
				  &pipeline->min_frames);
	case 'F':
		return take_text(given, &options->folder);
	case OPT_RULES:
		return take_text(given, &options->rules);
	case OPT_FOCUS:
		return take_text(given, &pipeline->focus);
	case OPT_INCLUDE:
		return take_glob(given, options->include);
	case OPT_EXCLUDE:
		return take_glob(given, options->exclude);
	case OPT_VSYNC_MS:
		return take_time(given, 1, 1000, 1e6, "not a period from 1 to 1000 ms",
				 &pipeline->vsync_ns);
	case OPT_FRAMES_LOG:
		options->frames_log = true;
		return 0;
	case OPT_STDOUT:
		options->to_stdout = true;
		return 0;
	default:
		return take_run_option(options, option, given);
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

static const char *default_folder(void)
{
	struct stat info;

	if (stat(ANDROID_TMP, &info) == 0 && S_ISDIR(info.st_mode))
		return ANDROID_TMP "/fps";
	return "./fps";
}

static void set_defaults(struct options *options, enum options_command command)
{
	*options = (struct options){
		.command = command,
		.pipeline = PIPELINE_OPTIONS_DEFAULT,
		.folder = default_folder(),
		.rules = "default",
		.categories = "gfx view",
		.buffer_kb = 1024,
	};
}

/* The rest of the command line: files, where the command takes some. */
static int take_operands(struct options *options, int argc, char **argv)
{
	options->files = argv + optind;
	options->file_count = argc - optind;
	if (options->command == OPTIONS_RUN && options->file_count > 0) {
		report("run: %s: unexpected argument; recorded traces are for 'jankd analyze'",
		       options->files[0]);
		return EXIT_USAGE;
	}
	if (options->command == OPTIONS_ANALYZE && options->file_count == 0) {
		report("analyze: FILE is missing; name recorded traces, or '-' for standard input");
		return EXIT_USAGE;
	}
	return 0;
}

int options_parse(struct options *options, enum options_command command, int argc, char **argv)
{
	const struct option *known = command == OPTIONS_RUN ? run_options : analyze_options;
	int option, index;

	set_defaults(options, command);
	opterr = 0;
	optind = 0; /* 0, not 1: makes glibc forget what it knew of another argv */
	while (index = -1, (option = getopt_long(argc, argv, SHORT_OPTIONS, known, &index)) != -1) {
		char letter[] = { '-', (char)option, '\0' };
		char name[32] = "--";
		struct given given = { options, letter, optarg };
		int code;

		if (option == ':' || option == '?')
			return refuse(options, option, argv);
		if (option == 'h') {
			options->help = true;
			return 0;
		}
		if (index >= 0)
			given.name = strncat(name, known[index].name, sizeof(name) - 3);
		code = take_option(options, option, &given);
		if (code != 0)
			return code;
	}
	options->pipeline.include = options->include[0] ? options->include : NULL;
	options->pipeline.exclude = options->exclude[0] ? options->exclude : NULL;
	return take_operands(options, argc, argv);
}
