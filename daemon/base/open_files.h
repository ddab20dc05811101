/* SPDX-License-Identifier: Apache-2.0 */
/* A capture has many files open, and where it may not, whatever comes last fails: it is seen before
 * anything is touched. */
#ifndef JANKD_DAEMON_BASE_OPEN_FILES_H
#define JANKD_DAEMON_BASE_OPEN_FILES_H

/* Takes what this process may take, if it needs that. Returns 0, or EXIT_FAILED after the reason
 * was said on stderr. @command: its name. */
int open_files_allow(const char *command);

#endif
