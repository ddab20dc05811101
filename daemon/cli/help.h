/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of 'jankd --help' and 'jankd COMMAND --help'. */
#ifndef JANKD_DAEMON_CLI_HELP_H
#define JANKD_DAEMON_CLI_HELP_H

extern const char help_program[];
extern const char help_run[];
extern const char help_start[];
extern const char help_stop[];
extern const char help_status[];
extern const char help_top[];
extern const char help_mark[];
extern const char help_rotate[];
extern const char help_analyze[];
extern const char help_rules[];

#endif
