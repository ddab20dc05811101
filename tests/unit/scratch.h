/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of a test's own, and the files in it. What fails here ends the test program. */
#ifndef JANKD_TESTS_SCRATCH_H
#define JANKD_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

struct scratch {
	char path[96];
};

/* Makes a new empty folder below @base ("/tmp"); scratch_remove() removes it with its files. */
void scratch_make(struct scratch *scratch, const char *base);
void scratch_remove(struct scratch *scratch);

/* The path of @name in the folder. The text lives until the fourth call after this one. */
const char *scratch_path(const struct scratch *scratch, const char *name);

/* Makes a folder, and those above it that are missing. */
void scratch_mkdir(const struct scratch *scratch, const char *name);

/* Replaces what a file holds, or makes it. */
void scratch_put(const struct scratch *scratch, const char *name, const char *text);
void scratch_put_bytes(const struct scratch *scratch, const char *name, const void *bytes,
		       size_t len);

/* What a file holds, NUL-terminated; lives until the fourth call after this one. "" and false of
 * scratch_has() where there is no such file. */
const char *scratch_get(const struct scratch *scratch, const char *name);
bool scratch_has(const struct scratch *scratch, const char *name);

#endif
