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

/* Runs the command that @argv names; argv[0] is the program. Returns the exit code of the process:
 * enum exit_code of base/report.h. Output may still be in the buffer of stdout. */
int cli_run(int argc, char **argv);

#endif
