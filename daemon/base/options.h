/* SPDX-License-Identifier: Apache-2.0 */
/* What 'run', 'start' and 'analyze' are to do. */
#ifndef JANKD_DAEMON_BASE_OPTIONS_H
#define JANKD_DAEMON_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/pipeline.h"
#include "rules/trigger.h"

/* More globs than this are refused. */
#define OPTIONS_GLOBS_MAX 64

enum options_command { OPTIONS_RUN, OPTIONS_START, OPTIONS_ANALYZE };

enum options_source { OPTIONS_SOURCE_AUTO, OPTIONS_SOURCE_TEXT, OPTIONS_SOURCE_RAW };

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
	/* files, of which 0 is: not asked for */
	uint64_t rotate_size;	     /* bytes that no file is larger than */
	uint64_t rotate_time_ns;     /* trace time of a segment */
	uint64_t keep;		     /* closed segments that stay */
	uint64_t min_free;	     /* bytes of the disk that are not ours */
	uint64_t sync_ns;	     /* between two fdatasync() */
	const char *trigger;	     /* what has to hold for rows to be written, or NULL */
	struct trigger condition;    /* the same, parsed */
	uint64_t snapshot_ns;	     /* a frame at least that late saves the trace around it */
	uint64_t snapshot_length_ns; /* trace time of such a snapshot */
	bool snapshot_length_given;
	/* run and start alone */
	const char *tracefs;  /* where tracefs is mounted, or NULL: look for it */
	const char *instance; /* NULL: the top level */
	enum options_source source;
	const char *categories; /* atrace's, separated by blanks */
	bool categories_given;
	uint64_t buffer_kb;	/* per CPU */
	bool buffer_given;	/* else a larger buffer is as good */
	uint64_t duration_ns;	/* of wall time; 0: until a signal */
	uint64_t wait_ns;	/* of wall time before anything is counted */
	const char *until_exit; /* app whose end is that of the capture, or NULL */
	bool no_atrace;
	bool yield; /* give way to other tools that trace */
	/* analyze alone */
	char **files;
	int file_count;
	bool stdout_begun; /* its header was printed for a file before */
};

/* The name of a command, as typed. */
const char *options_command_name(enum options_command command);

/* Where files go without -F. */
const char *options_default_folder(void);

#endif
