/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the output folders of several recorded traces. */
#ifndef JANKD_DAEMON_CLI_SESSION_NAME_H
#define JANKD_DAEMON_CLI_SESSION_NAME_H

/* With the NUL. */
#define SESSION_NAME_SIZE 240

struct session_name {
	char text[SESSION_NAME_SIZE];
};

/**
 * session_name_make() - name the output folder of a file
 * @names: those of earlier files; names[@n] is set
 * @path: of the file; "-" is standard input
 *
 * The name is the file's own without directories and known suffixes. Bytes that are not printable
 * text are replaced by '_'. A number is appended if an earlier file has the same name.
 */
void session_name_make(struct session_name *names, int n, const char *path);

#endif
