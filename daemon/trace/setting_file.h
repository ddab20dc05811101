/* SPDX-License-Identifier: Apache-2.0 */
/* One setting of tracefs: a small file that is read and written as a word. */
#ifndef JANKD_DAEMON_TRACE_SETTING_FILE_H
#define JANKD_DAEMON_TRACE_SETTING_FILE_H

#include <limits.h>

#include "parser/span.h"

#define SETTING_SIZE 128

/* The directory of an instance, or with an empty one of the top level. False: no instance has
 * such a name, or the path is too long; then it is "". */
bool setting_place(char directory[static PATH_MAX], const char *tracefs, struct span instance);

/* Reads a value as it can be written: of the clocks the chosen one, of a buffer that was never
 * used the size that it has. Returns 0 or -errno. */
int setting_read(const char *directory, const char *name, char value[static SETTING_SIZE]);

/* Opens a setting that is read more than once. Returns the descriptor, which the caller closes, or
 * -errno. */
int setting_open(const char *directory, const char *name);

/* Reads it as it is now, as setting_read() does. A negative @fd is the error that is returned. */
int setting_read_open(int fd, char value[static SETTING_SIZE]);

/* Reads a file of many lines, 256 KB at most. The caller frees it; NULL: it cannot be read, errno
 * says why. */
char *setting_read_all(const char *directory, const char *name);

/* Writes a value; what a file holds of others stays. Returns 0 or -errno. */
int setting_write(const char *directory, const char *name, const char *value);

#endif
