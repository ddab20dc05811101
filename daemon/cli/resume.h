/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd start --resume': a capture with the options of the last one. */
#ifndef JANKD_DAEMON_CLI_RESUME_H
#define JANKD_DAEMON_CLI_RESUME_H

#include "daemon/base/options.h"

/**
 * resume_options() - add the options of the last capture of the folder
 * @options: the result of options_parse() of @argv; set again, with those options
 * @argc, @argv: as for options_parse(); their options replace those of the last capture
 *
 * Returns 0, or EXIT_FAILED after the reason was reported: there was no capture, or its
 * session.json is damaged or of another program.
 */
int resume_options(struct options *options, int argc, char **argv);

#endif
