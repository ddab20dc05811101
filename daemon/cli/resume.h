/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the last capture of a folder: for 'jankd start --resume', and for what a killed
 * capture has not read. */
#ifndef JANKD_DAEMON_CLI_RESUME_H
#define JANKD_DAEMON_CLI_RESUME_H

#include "daemon/base/options.h"
#include "daemon/capture/capture.h"

/**
 * resume_options() - add the options of the last capture of the folder
 * @options: the result of options_parse() of @argv; set again, with those options
 * @argc, @argv: as for options_parse(); their options replace those of the last capture
 *
 * Returns 0, or EXIT_FAILED after the reason was reported: there was no capture, or its
 * session.json is damaged or of another program.
 */
int resume_options(struct options *options, int argc, char **argv);

/* Returns the last capture of the folder of @options if it was killed since this machine has
 * started, or NULL. Valid until resume_forget_killed(). */
const struct capture_killed *resume_killed(const struct options *options);
void resume_forget_killed(void);

#endif
