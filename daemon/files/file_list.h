/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a folder for a program that copies them, 'jankd files'. The names in the folder are
 * hostile input: other programs may create files there. */
#ifndef JANKD_DAEMON_FILES_FILE_LIST_H
#define JANKD_DAEMON_FILES_FILE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Prints the files of the folder at @path. The first line is "session ID running VERSION" or
 * "session ID ended VERSION": ID is that of session.json, or "-"; VERSION is that of this program.
 * Then there is a line for each file, in any order:
 *
 *     closed 4038471504 1234 fps-000001.csv
 *     open - 567 fps.csv
 *
 * with the checksum of POSIX cksum, the size in bytes, and the name. With @times no file is read:
 *
 *     changed 1700000000.123456789 567 fps.csv
 *
 * with the time of its last change. A file with the same line has the same bytes. Rows may be
 * appended to an open file. A running capture replaces summary.csv and session.json as a whole, so
 * they are closed. Only regular files are listed, whose names have only letters, digits and "._-",
 * and do not begin with '.' or '-'. All files of jankd except lock and journal have such names.
 *
 * Returns 0, or EXIT_FAILED after the reason was reported: the folder or some file cannot be read.
 */
int file_list_print(FILE *out, const char *path, bool times);

/* Writes the bytes of a listed file from @offset to its end to @out. Returns likewise. */
int file_list_read(int out, const char *path, const char *name, uint64_t offset);

#endif
