/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary folder for a test, and the files in it. A failure here aborts the test program. */
#ifndef JANKD_TESTS_SCRATCH_H
#define JANKD_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/unit/formatted.h"

/* The path of the folder; "": there is none. */
extern char scratch_root[96];

/* Makes it, new and empty, in @base; removes it with its files. */
void scratch_make(const char *base);
void scratch_remove(void);

/* The same as fixtures of cmocka, in /tmp. The second fails if another number of descriptors is
 * open than at the first. */
int scratch_set_up(void **state);
int scratch_tear_down_closed(void **state);

/* How many more descriptors a child process would inherit than at scratch_set_up(). */
int scratch_inherited(void);

/* The path of @name in the folder. The text is valid until the fourth call after this one. */
const char *scratch_path(const char *name);

/* Makes a folder, and its missing parent folders. */
void scratch_mkdir(const char *name);

/* Replaces the content of a file, or makes the file and its folder. */
void scratch_put(const char *name, const char *text);
void scratch_put_bytes(const char *name, const void *bytes, size_t len);

/* The content of a file, NUL-terminated; valid until the fourth call after this one. "" if there is
 * no such file. */
const char *scratch_get(const char *name);

/* Returns true if there is a file, folder or link of this name. */
bool scratch_has(const char *name);

#endif
