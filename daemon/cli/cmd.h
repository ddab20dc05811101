/* SPDX-License-Identifier: Apache-2.0 */
/* The commands. argv[0] is the command's name; each returns an exit code. */
#ifndef JANKD_DAEMON_CLI_CMD_H
#define JANKD_DAEMON_CLI_CMD_H

int cmd_run(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_rotate(int argc, char **argv);
int cmd_analyze(int argc, char **argv);
int cmd_rules(int argc, char **argv);

#endif
