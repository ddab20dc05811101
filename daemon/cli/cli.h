/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of jankd, and what it shows on a terminal.
 *
 *     argv ──► cli.c ──► options_parse.c ──► struct options ──► cmd_NAME.c
 *                              ▲
 *                       options_table.c ──► help.c
 *
 * options_table.c declares each option once: names, values, field of struct options, help. After
 * parsing, the command uses only struct options (base/options.h):
 *
 *     run                              cmd_run.c      a capture in this process; terminal.c draws
 *     start                            cmd_start.c    the same, in a daemon
 *     analyze                          cmd_analyze.c  a session for each recorded trace
 *     stop status mark rotate top      cmd_client.c   requests to a running capture
 *     files                            cmd_client.c   the files of a folder, to copy them
 *     doctor                           cmd_doctor.c   what this machine allows
 *     rules                            cmd_rules.c    check and print rule sets
 *
 * Read cli.c first, then cmd_run.c. The capture itself begins in daemon/capture/. */
#ifndef JANKD_DAEMON_CLI_CLI_H
#define JANKD_DAEMON_CLI_CLI_H

#include "daemon/capture/capture.h"

/* Runs the command that @argv names; argv[0] is the program. Returns the exit code of the process:
 * enum exit_code of base/report.h. Output may still be in the buffer of stdout. */
int cli_run(int argc, char **argv);

/* Each command gets its parsed command line and returns an exit code. */
int cmd_run(struct options *options);
int cmd_start(struct options *options);
int cmd_stop(struct options *options);
int cmd_status(struct options *options);
int cmd_top(struct options *options);
int cmd_mark(struct options *options);
int cmd_rotate(struct options *options);
int cmd_files(struct options *options);
int cmd_doctor(struct options *options);
int cmd_analyze(struct options *options);
int cmd_rules(struct options *options);

/* Raises the limit of open files if needed. A capture opens many; the limit is checked before
 * anything is changed. Returns 0, or EXIT_FAILED after the reason was reported. */
int open_files_allow(void);

/* The name of the output folder of one of several recorded traces, with its NUL. */
#define SESSION_NAME_SIZE 240

struct session_name {
	char text[SESSION_NAME_SIZE];
};

/* Sets names[@n] to the name of the file @path ("-": standard input) without directories and known
 * suffixes. Bytes that are not printable text are replaced by '_'. A number is appended if an
 * earlier one of @names is the same. */
void session_name_make(struct session_name *names, int n, const char *path);

/* --- the last capture of a folder: resume.c --- */

/* Adds the options of the last capture of the folder to @options, the result of options_parse() of
 * @argv, whose options replace them. Returns 0, or EXIT_FAILED after the reason was reported: there
 * was no capture, or its session.json is damaged or of another program. */
int resume_options(struct options *options, int argc, char **argv);

/* Returns the last capture of the folder of @options if it was killed since this machine has
 * started, or NULL. Valid until resume_forget_killed(). */
const struct capture_killed *resume_killed(const struct options *options);
void resume_forget_killed(void);

#endif
