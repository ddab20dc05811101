/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the names of a table, taken once: each takes what it needs of it.
 *
 * A name may have 1023 bytes, and most have less than 80. A table with room for the longest in each
 * place would be five times as large. Where names are so long that the room ends before the places
 * do, whoever has been idle longest goes, as in a table that is full.
 */
#ifndef JANKD_RULES_NAMES_H
#define JANKD_RULES_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

struct names {
	char *bytes;
	uint8_t *taken; /* of each unit of bytes: 0 or 1 */
	size_t n;	/* units */
};

/* @size: bytes for all of them together. Returns 0 or -ENOMEM; names_free() is due in any case. */
int names_init(struct names *names, size_t size);
void names_free(struct names *names);

/* Is there room for names that take @size bytes together, their NULs counted? */
bool names_have_room(const struct names *names, size_t size);

/**
 * names_set() - keep a copy of a name
 * @name: "", or what was kept there before, which goes; is set to the copy
 * @size: of the longest copy, its NUL counted: what is longer is cut
 *
 * Returns false, and leaves *@name, where there is no room for it beside what was kept before.
 */
bool names_set(struct names *names, const char **name, size_t size, struct span text);

/* Gives the room of *@name back, which is "" then. */
void names_drop(struct names *names, const char **name);

#endif
