/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/language/long_names.h"

#include <errno.h>
#include <stdlib.h>

int long_names_init(struct long_names *names, unsigned int n)
{
	*names = (struct long_names){ .blocks = calloc(n, sizeof(*names->blocks)),
				      .free_blocks = calloc(n, sizeof(*names->free_blocks)) };
	return names->blocks && names->free_blocks ? 0 : -ENOMEM;
}

void long_names_free(struct long_names *names)
{
	free(names->blocks);
	free(names->free_blocks);
}

void long_names_release(struct long_names *names, char **kept, const char *short_name)
{
	if (*kept && *kept != short_name)
		names->free_blocks[names->n_free++] = *kept;
	*kept = NULL;
}

void long_names_keep(struct long_names *names, char **kept, char short_name[SHORT_NAME_SIZE],
		     struct span text)
{
	long_names_release(names, kept, short_name);
	if (text.len < SHORT_NAME_SIZE) {
		*kept = short_name;
		name_copy(*kept, SHORT_NAME_SIZE, text);
	} else {
		*kept = names->n_free > 0 ? names->free_blocks[--names->n_free]
					  : names->blocks[names->used++];
		name_copy(*kept, NAME_SIZE, text);
	}
}

bool long_names_is(const char *kept, const char *short_name, struct span text)
{
	return name_is(kept, kept == short_name ? SHORT_NAME_SIZE : NAME_SIZE, text);
}
