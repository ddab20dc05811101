/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/memory.h"
#include "rules/surface.h"

/* Names begin at multiples of this: the smaller, the less is left over behind them. */
#define UNIT 16

static size_t units_of(size_t size)
{
	return (size + UNIT - 1) / UNIT;
}

int names_init(struct names *names, size_t size)
{
	names->n = units_of(size);
	names->bytes = memory_new(names->n, UNIT);
	names->taken = memory_new(names->n, 1);
	return names->bytes && names->taken ? 0 : -ENOMEM;
}

void names_free(struct names *names)
{
	free(names->bytes);
	free(names->taken);
	*names = (struct names){ .n = 0 };
}

/* The first of @wanted units in a row that are free, or n where there are none. */
static size_t find_room(const struct names *names, size_t wanted)
{
	size_t at = 0;

	while (at + wanted <= names->n) {
		const uint8_t *free = memchr(names->taken + at, 0, names->n - at);
		const uint8_t *end;

		if (!free)
			break;
		at = (size_t)(free - names->taken);
		if (at + wanted > names->n)
			break;
		end = memchr(free, 1, wanted);
		if (!end)
			return at;
		at = (size_t)(end - names->taken);
	}
	return names->n;
}

bool names_have_room(const struct names *names, size_t size)
{
	return find_room(names, units_of(size)) < names->n;
}

void names_drop(struct names *names, const char **name)
{
	size_t len = strlen(*name);

	if (len > 0)
		memset(names->taken + (*name - names->bytes) / UNIT, 0, units_of(len + 1));
	*name = "";
}

bool names_set(struct names *names, const char **name, size_t size, struct span text)
{
	size_t most = text.len < size - 1 ? text.len : size - 1;
	size_t len = most > 0 ? strnlen(text.ptr, most) : 0;
	size_t units = units_of(len + 1);
	size_t first = len > 0 ? find_room(names, units) : 0;
	const char *before = *name;

	if (first == names->n)
		return false;
	if (len > 0) {
		name_copy(names->bytes + first * UNIT, len + 1, text);
		memset(names->taken + first, 1, units);
	}
	*name = len > 0 ? names->bytes + first * UNIT : "";
	names_drop(names, &before);
	return true;
}
