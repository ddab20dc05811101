/* SPDX-License-Identifier: Apache-2.0 */
/* What the folders of several recorded traces are called. */
#ifndef JANKD_DAEMON_CLI_SESSION_NAME_H
#define JANKD_DAEMON_CLI_SESSION_NAME_H

/* With its NUL. */
#define SESSION_NAME_SIZE 240

struct session_name {
	char text[SESSION_NAME_SIZE];
};

/**
 * session_name_make() - a name for the session of a file
 * @names: those of the files before, @n of them; the new one is set behind them
 * @path: the file's; "-" is standard input
 *
 * It is the file's own without folder and known suffixes. What a folder or a terminal could take
 * amiss is replaced by '_'; where one of the files before has the name, a number is put behind.
 */
void session_name_make(struct session_name *names, int n, const char *path);

#endif
