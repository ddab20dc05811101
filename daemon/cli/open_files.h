/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of open files. A capture opens many; the limit is checked before anything is changed.
 */
#ifndef JANKD_DAEMON_CLI_OPEN_FILES_H
#define JANKD_DAEMON_CLI_OPEN_FILES_H

/* Raises the limit of open files if needed. Returns 0, or EXIT_FAILED after the reason was
 * reported.
 * @command: its name, for messages. */
int open_files_allow(const char *command);

#endif
