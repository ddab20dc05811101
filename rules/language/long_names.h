/* SPDX-License-Identifier: Apache-2.0 */
/* Names of layers. Nearly all are short, and each layer has space for a short one. Long ones are in
 * blocks, which all layers share.
 *
 * There are enough blocks for two long names of each layer: its name and its Surface. They are not
 * touched before they are used, so they cost memory only where names are long. A copy in a block
 * can be cut, too: the hash and length of the whole name still identify its layer or Surface. */
#ifndef JANKD_RULES_LANGUAGE_LONG_NAMES_H
#define JANKD_RULES_LANGUAGE_LONG_NAMES_H

#include <stdbool.h>

#include "parser/span.h"
#include "rules/language/surface.h"

#define SHORT_NAME_SIZE 128

struct long_names {
	char (*blocks)[NAME_SIZE];
	unsigned int used;  /* the first ones: they were ever in use */
	char **free_blocks; /* of these; a stack */
	unsigned int n_free;
};

/* @n: number of long names, which must not be exceeded. Returns 0 or -ENOMEM; long_names_free()
 * must be called in any case. */
int long_names_init(struct long_names *names, unsigned int n);
void long_names_free(struct long_names *names);

/* Copies @text into *@kept, which is NULL, @short_name, or a block. It becomes either of the last
 * two. */
void long_names_keep(struct long_names *names, char **kept, char short_name[SHORT_NAME_SIZE],
		     struct span text);

/* Frees the block, if *@kept is one. */
void long_names_release(struct long_names *names, char **kept, const char *short_name);

/* True: @kept is the copy of @text that long_names_keep() made, long or short. */
bool long_names_is(const char *kept, const char *short_name, struct span text);

#endif
