/* SPDX-License-Identifier: Apache-2.0 */
/* The commands. Each gets its parsed command line and returns an exit code. */
#ifndef JANKD_DAEMON_CLI_CMD_H
#define JANKD_DAEMON_CLI_CMD_H

#include "daemon/base/options.h"

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

#endif
