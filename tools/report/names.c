/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/text.h"
#include "rules/language/surface.h"

#define BYTES_MAX (UINT64_C(16) << 20)
#define PLACES 524288 /* a power of 2, twice the names */

size_t names_escape(char to[NAMES_SIZE], struct span name)
{
	size_t len = 0;

	for (size_t at = 0; at < name.len;) {
		/* A character has up to four bytes, and text_next() ends at a NUL. */
		char some[5] = { 0 };
		size_t left = name.len - at;
		struct text_unit unit;

		memcpy(some, name.ptr + at, left < 4 ? left : 4);
		unit = some[0] ? text_next(some)
			       : (struct text_unit){ .bytes = "\\x00", .len = 4, .used = 1 };
		if (len + unit.len >= NAMES_SIZE)
			break;
		memcpy(to + len, unit.bytes, unit.len);
		len += unit.len;
		at += unit.used;
	}
	return len;
}

int names_init(struct names *names)
{
	*names = (struct names){
		.texts = calloc(NAMES_STORED_MAX, sizeof(*names->texts)),
		.hashes = calloc(NAMES_STORED_MAX, sizeof(*names->hashes)),
		.places = calloc(PLACES, sizeof(*names->places)),
	};
	if (!names->texts || !names->hashes || !names->places)
		return -ENOMEM;
	names_add(names, SPAN_LITERAL(""));
	names_add(names, SPAN_LITERAL("(others)"));
	return names->n == 2 ? 0 : -ENOMEM;
}

void names_free(struct names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->texts[i]);
	free(names->texts);
	free(names->hashes);
	free(names->places);
	*names = (struct names){ 0 };
}

uint32_t names_add(struct names *names, struct span name)
{
	char escaped[NAMES_SIZE];
	uint64_t hash;
	uint32_t at;
	char *text;
	size_t plain = 0;

	while (plain < name.len && name.ptr[plain] >= 0x20 && name.ptr[plain] < 0x7f)
		plain++;
	if (plain < name.len || name.len >= NAMES_SIZE)
		name = (struct span){ escaped, names_escape(escaped, name) };
	/* One that is made to collide costs time, as long chains are searched, and nothing else. */
	hash = name_hash(name);
	at = (uint32_t)hash & (PLACES - 1);

	for (; names->places[at] > 0; at = (at + 1) & (PLACES - 1)) {
		uint32_t number = names->places[at] - 1;

		if (names->hashes[number] == hash &&
		    span_equal(span_of(names->texts[number]), name))
			return number;
	}
	text = names->n < NAMES_STORED_MAX && names->bytes + name.len < BYTES_MAX
		       ? malloc(name.len + 1)
		       : NULL;
	if (!text) {
		names->refused++;
		return NAME_OTHERS;
	}
	if (name.len > 0)
		memcpy(text, name.ptr, name.len);
	text[name.len] = '\0';
	names->bytes += name.len + 1;
	names->texts[names->n] = text;
	names->hashes[names->n] = hash;
	names->places[at] = ++names->n;
	return names->n - 1;
}
