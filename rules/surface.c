/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/surface.h"

uint64_t name_hash(struct span text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t)text.ptr[i]) * UINT64_C(1099511628211);
	return hash;
}

void name_copy(char *to, size_t size, struct span text)
{
	size_t n = text.len < size - 1 ? text.len : size - 1;

	if (n > 0)
		memcpy(to, text.ptr, n);
	to[n] = '\0';
}

struct span surface_of_layer(struct span layer)
{
	size_t n = layer.len;

	while (n > 0 && layer.ptr[n - 1] >= '0' && layer.ptr[n - 1] <= '9')
		n--;
	if (n < 2 || n == layer.len || layer.ptr[n - 1] != '#')
		return layer;
	return (struct span){ layer.ptr, n - 1 };
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_word_byte(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '.';
}

/* The package at the front of the dotted @word; SPAN_NULL where it has less than @least parts. */
static struct span package_of(struct span word, unsigned int least)
{
	unsigned int parts = 0;
	size_t n = 0;

	while (n < word.len && is_lower(word.ptr[n])) {
		size_t part = n;

		while (n < word.len && word.ptr[n] != '.')
			n++;
		if (n == part)
			break;
		parts++;
		if (n < word.len && (n + 1 == word.len || !is_lower(word.ptr[n + 1])))
			break;
		n += n < word.len;
	}
	return parts >= least ? (struct span){ word.ptr, n } : SPAN_NULL;
}

/* "com.a" of "... com.a/com.a.Main...": packages hold a '.'. */
static struct span package_before_slash(struct span layer)
{
	const char *slash = memchr(layer.ptr, '/', layer.len);
	const char *begin = slash;

	if (!slash)
		return SPAN_NULL;
	while (begin > layer.ptr && is_word_byte(begin[-1]))
		begin--;
	if (!memchr(begin, '.', (size_t)(slash - begin)))
		return SPAN_NULL;
	return (struct span){ begin, (size_t)(slash - begin) };
}

struct span app_of_layer(struct span layer)
{
	struct span app = layer.len ? package_before_slash(layer) : SPAN_NULL;
	size_t at = 0;

	while (!app.ptr && at < layer.len) {
		size_t begin = at;

		while (at < layer.len && is_word_byte(layer.ptr[at]))
			at++;
		app = package_of((struct span){ layer.ptr + begin, at - begin }, 3);
		at++;
	}
	return app;
}

bool is_activity_layer(struct span layer)
{
	struct span app = app_of_layer(layer);

	return app.ptr == layer.ptr && app.len < layer.len && app.len > 0 &&
	       layer.ptr[app.len] == '/' && !memchr(layer.ptr, ' ', layer.len);
}
