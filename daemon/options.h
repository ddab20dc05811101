/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of 'run' and 'analyze'. */
#ifndef JANKD_DAEMON_OPTIONS_H
#define JANKD_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/pipeline.h"

/* More globs than this are refused. */
#define OPTIONS_GLOBS_MAX 64

enum options_command { OPTIONS_RUN, OPTIONS_ANALYZE };

/* All text is borrowed from argv, or constant. */
struct options {
	enum options_command command;
	struct pipeline_options pipeline; /* its lists point into include and exclude below */
	const char *folder;
	const char *rules; /* a built-in name or a file */
	const char *include[OPTIONS_GLOBS_MAX + 1];
	const char *exclude[OPTIONS_GLOBS_MAX + 1];
	bool frames_log;
	bool to_stdout;
	bool help; /* asked for; nothing else is valid then */
	/* run alone */
	const char *tracefs;	/* where tracefs is mounted, or NULL: look for it */
	const char *instance;	/* NULL: the top level */
	const char *categories; /* atrace's, separated by blanks */
	uint64_t buffer_kb;	/* per CPU */
	uint64_t duration_ns;	/* of wall time; 0: until a signal */
	bool no_atrace;
	/* analyze alone */
	char **files;
	int file_count;
};

/**
 * options_parse() - argv to options
 * @options: set, the struct must not move afterwards
 * @argc, @argv: from the command's name on; argv is reordered
 *
 * Returns 0, or EXIT_USAGE after the reason was said on stderr.
 */
int options_parse(struct options *options, enum options_command command, int argc, char **argv);

/* The name of a command, as typed. */
const char *options_command_name(enum options_command command);

/* Text of 'jankd --help' and 'jankd COMMAND --help' (help.c). */
extern const char help_program[];
extern const char help_run[];
extern const char help_analyze[];
extern const char help_rules[];

#endif
