/* SPDX-License-Identifier: Apache-2.0 */
/* Names of apps, Surfaces, layers and marks, each stored once.
 *
 * A folder may come from anywhere, so its names may have any bytes. They are stored as jankd itself
 * writes them: control characters and bytes that are not UTF-8 become \xNN, so a stored name is
 * valid UTF-8 without line ends or NULs. Whatever prints it escapes only what its format needs.
 */
#ifndef JANKD_TOOLS_REPORT_NAMES_H
#define JANKD_TOOLS_REPORT_NAMES_H

#include <stdint.h>

#include "parser/span.h"

/* Bytes of a stored name with its NUL; a longer one is cut. */
#define NAMES_SIZE 16384

#define NAMES_STORED_MAX 200000

/* The number of the name "". */
#define NAME_NONE 0

/* The number of the name for those that have no space. */
#define NAME_OTHERS 1

struct names {
	char **texts; /* by number */
	uint64_t *hashes;
	uint32_t n;
	uint32_t *places; /* a hash table of numbers + 1 */
	uint64_t bytes;	  /* of all texts */
	uint64_t refused; /* names without space, with repetitions */
};

/* Returns 0 or -ENOMEM; names_free() must be called in any case. */
int names_init(struct names *names);
void names_free(struct names *names);

/* The number of a name. NAME_OTHERS if there is no space for it: there is for 200,000 names of 16
 * MB in all. */
uint32_t names_add(struct names *names, struct span name);

/* The text with that number. Valid until names_free(). */
static inline const char *names_text(const struct names *names, uint32_t number)
{
	return names->texts[number];
}

/* Writes @name as it is stored, without its NUL, into @to. Returns its length, below NAMES_SIZE. */
size_t names_escape(char to[NAMES_SIZE], struct span name);

#endif
