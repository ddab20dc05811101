/* SPDX-License-Identifier: Apache-2.0 */
/* One setting of tracefs: a small file whose value is a word. */
#ifndef JANKD_DAEMON_TRACE_SETTING_FILE_H
#define JANKD_DAEMON_TRACE_SETTING_FILE_H

#include <limits.h>

#include "parser/span.h"

#define SETTING_SIZE 128

/* Sets @directory to that of an instance, or of the top level if the name is empty. Returns false,
 * and sets "", if no instance can have such a name, or the path is too long. */
bool setting_place(char directory[static PATH_MAX], const char *tracefs, struct span instance);

/* Reads a value in the form in which it can be written: the current clock, the present size of a
 * buffer that was never used. Returns 0 or -errno. */
int setting_read(const char *directory, const char *name, char value[static SETTING_SIZE]);

/* Opens a setting that is read more than once. Returns the descriptor, which the caller closes, or
 * -errno. */
int setting_open(const char *directory, const char *name);

/* Reads it as setting_read() does. Returns @fd if that is negative. */
int setting_read_open(int fd, char value[static SETTING_SIZE]);

/* Reads a file of many lines, at most 256 KB. Returns its text, which the caller frees, or NULL
 * with errno. */
char *setting_read_all(const char *directory, const char *name);

/* Checks whether the file can be opened for writing. Returns 0 or -errno. */
int setting_check_write(const char *directory, const char *name);

/* Writes a value. Other values in the file are not changed. Returns 0 or -errno. */
int setting_write(const char *directory, const char *name, const char *value);

#endif
