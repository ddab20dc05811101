/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary folder for a test, and the files in it. A failure here aborts the test program. */
#ifndef JANKD_TESTS_SCRATCH_H
#define JANKD_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

struct scratch {
	char path[96];
};

/* Makes a new empty folder in @base ("/tmp"); scratch_remove() removes it with its files. */
void scratch_make(struct scratch *scratch, const char *base);
void scratch_remove(struct scratch *scratch);

/* The path of @name in the folder. The text is valid until the fourth call after this one. */
const char *scratch_path(const struct scratch *scratch, const char *name);

/* Makes a folder, and its missing parent folders. */
void scratch_mkdir(const struct scratch *scratch, const char *name);

/* Replaces the content of a file, or makes the file. */
void scratch_put(const struct scratch *scratch, const char *name, const char *text);
void scratch_put_bytes(const struct scratch *scratch, const char *name, const void *bytes,
		       size_t len);

/* The content of a file, NUL-terminated; valid until the fourth call after this one. "" if there is
 * no such file. */
const char *scratch_get(const struct scratch *scratch, const char *name);

/* Returns true if there is a file, folder or link of this name. */
bool scratch_has(const struct scratch *scratch, const char *name);

#endif
