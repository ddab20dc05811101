/* SPDX-License-Identifier: Apache-2.0 */
/* One setting of tracefs: a small file that is read and written as a word. */
#ifndef JANKD_DAEMON_TRACE_SETTING_FILE_H
#define JANKD_DAEMON_TRACE_SETTING_FILE_H

#include <limits.h>

#include "parser/span.h"

#define SETTING_SIZE 128

/* Sets @directory to that of an instance, or with an empty name to the top level. Returns false,
 * and sets "", where no instance can have such a name, or the path is too long. */
bool setting_place(char directory[static PATH_MAX], const char *tracefs, struct span instance);

/* Reads a value as it can be written: of clocks the current one, of a buffer that was never used
 * its present size. Returns 0 or -errno. */
int setting_read(const char *directory, const char *name, char value[static SETTING_SIZE]);

/* Opens a setting that is read more than once. Returns the descriptor, which the caller closes, or
 * -errno. */
int setting_open(const char *directory, const char *name);

/* Reads it as setting_read() does. A negative @fd is the error that is returned. */
int setting_read_open(int fd, char value[static SETTING_SIZE]);

/* Reads a file of many lines, 256 KB at most. Returns text that the caller frees, or NULL with
 * errno. */
char *setting_read_all(const char *directory, const char *name);

/* Writes a value; other values that the file holds stay. Returns 0 or -errno. */
int setting_write(const char *directory, const char *name, const char *value);

#endif
