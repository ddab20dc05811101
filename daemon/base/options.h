/* SPDX-License-Identifier: Apache-2.0 */
/* The parsed command line of a command. */
#ifndef JANKD_DAEMON_BASE_OPTIONS_H
#define JANKD_DAEMON_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/count/options.h"
#include "rules/count/trigger.h"

/* More globs than this are refused. */
#define OPTIONS_GLOBS_MAX 64

/* In the order of 'jankd --help'. */
enum options_command {
	OPTIONS_RUN,
	OPTIONS_START,
	OPTIONS_STOP,
	OPTIONS_STATUS,
	OPTIONS_TOP,
	OPTIONS_MARK,
	OPTIONS_ROTATE,
	OPTIONS_FILES,
	OPTIONS_DOCTOR,
	OPTIONS_ANALYZE,
	OPTIONS_RULES,
	OPTIONS_COMMANDS /* their number */
};

/* More options than all of them, with each glob: later ones are not in ->words. */
#define OPTIONS_WORDS_MAX (2 * OPTIONS_GLOBS_MAX + 64)

/* An option of the command line: --NAME or --NAME=VALUE. */
struct option_word {
	const char *name;
	const char *value; /* NULL: it has none */
};

enum options_source {
	OPTIONS_SOURCE_AUTO,
	OPTIONS_SOURCE_TEXT,
	OPTIONS_SOURCE_RAW,
	OPTIONS_SOURCE_LATENCY
};

/* All text is borrowed from argv, or constant. Each option is declared in cli/options_table.c. */
struct options {
	enum options_command command;
	const char *folder;
	char **operands; /* analyze: the traces; mark: the text; rules: its own command */
	int operand_count;
	bool help;	       /* --help was given; nothing else is set then */
	bool json;	       /* status, analyze: as JSON */
	bool list_times;       /* files: list modification times, no checksums */
	const char *read_name; /* files: print this file, or NULL: list all */
	uint64_t read_from;    /* from this byte on */
	bool read_from_given;
	/* run, start and analyze */
	struct pipeline_options pipeline; /* its lists point into include and exclude below */
	const char *rules;		  /* a built-in name or a file */
	const char *include[OPTIONS_GLOBS_MAX + 1];
	const char *exclude[OPTIONS_GLOBS_MAX + 1];
	bool frames_log;
	bool to_stdout;
	/* the same commands, output files; 0: not given */
	uint64_t rotate_size;	     /* bytes of a file at most */
	uint64_t rotate_time_ns;     /* trace time of a segment */
	uint64_t keep;		     /* closed segments that are kept */
	uint64_t min_free;	     /* bytes of the disk that stay free */
	bool min_free_given;	     /* if false, a capture on Android sets it */
	uint64_t sync_ns;	     /* between two fdatasync() */
	const char *trigger;	     /* rows are written while it holds; or NULL */
	struct trigger condition;    /* the same, parsed */
	uint64_t snapshot_ns;	     /* the trace around a frame is saved if it is this late */
	uint64_t snapshot_length_ns; /* trace time of such a snapshot */
	bool snapshot_length_given;
	/* run and start */
	const char *device_root; /* prefix of the paths of Android: ""; NULL: not Android */
	bool resume;		 /* start: with the options of the last capture of the folder */
	struct option_word words[OPTIONS_WORDS_MAX]; /* what was given, for such a start */
	size_t word_count;
	const char *tracefs;  /* where tracefs is mounted, or NULL: search for it */
	const char *instance; /* NULL: the top level */
	enum options_source source;
	const char *device_id;	/* NULL: ro.serialno */
	const char *categories; /* of atrace, separated by blanks or commas */
	bool categories_given;
	uint64_t buffer_kb;	/* per CPU */
	bool buffer_given;	/* if false, a larger buffer keeps its size */
	uint64_t duration_ns;	/* of wall time; 0: until a signal */
	uint64_t wait_ns;	/* of wall time before anything is counted */
	const char *until_exit; /* the capture ends with this app; or NULL */
	bool no_atrace;
	bool no_frametimeline;
	bool yield; /* do not restore settings that another program changes */
	/* analyze */
	const char *dumpsys; /* a file with the output of dumpsys SurfaceFlinger, or NULL */
	bool stdout_begun;   /* the header was already printed for an earlier file */
};

/* All options of @command at their defaults. */
struct options options_default(enum options_command command);

/* The name of a command, as typed. */
const char *options_command_name(enum options_command command);

#endif
