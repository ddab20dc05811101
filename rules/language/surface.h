/* SPDX-License-Identifier: Apache-2.0 */
/* Names: the Surface and the app in a layer's name; copies of limited size. */
#ifndef JANKD_RULES_LANGUAGE_SURFACE_H
#define JANKD_RULES_LANGUAGE_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/base/memory.h"

/* The kernel cut markers at 1024 bytes until 6.7; the longest name in recorded traces has 499. */
#define NAME_SIZE 1024
#define APP_SIZE 256

/* A hash of the whole @text, eight bytes at a time. With the length it identifies a name that is
 * longer than its copy. Apps choose names, and can choose two with the same hash. */
uint64_t name_hash(struct span text);

/* True: @kept, an array of @size bytes, is the copy that name_copy() makes of @text. */
static inline bool name_is(const char *kept, size_t size, struct span text)
{
	size_t n = text.len < size - 1 ? text.len : size - 1;

	return (n == 0 || memcmp(kept, text.ptr, n) == 0) && kept[n] == '\0';
}

/* Copies @text into @to, cut to @size - 1 bytes and NUL-terminated. */
void name_copy(char *to, size_t size, struct span text);

/* The longest marker that any kernel writes. */
#define SURFACE_MAX 4096

/**
 * surface_of_layer() - the layer's name without the parts that differ between two starts of its app
 * @copy: memory for the result
 *
 * It removes the instance number ("#7", unless that is the whole name), a process (Samsung's
 * "com.a/com.a.Main$_29673") and an object's hash or index ("5a1b2c com.a/com.a.Main",
 * "SurfaceView[com.a/com.a.Main]@0(BLAST)", "SurfaceView - com.a/com.a.Main@5a1b2c@0",
 * "PopupWindow:5a1b2c").
 *
 * Borrows from @layer or from @copy.
 */
struct span surface_of_layer(struct span layer, char copy[SURFACE_MAX]);

/**
 * layer_without_bar() - the layer's name without the bar that HarmonyOS adds in counters
 * @copy: memory for the result
 *
 * HarmonyOS writes "|com.a/com.a.Main#7" and "5a1b2c |SurfaceView[...]#8" into counters, and
 * nowhere else. Returns SPAN_NULL if @name has no such bar. Borrows from @name or from @copy.
 */
struct span layer_without_bar(struct span name, char copy[SURFACE_MAX]);

/**
 * app_of_layer() - the package in a layer's name
 *
 * "com.a/com.a.Main#0", "SurfaceView[com.a/com.a.Main](BLAST)#7", "Splash Screen com.a.b#3", "1f2e
 * com.a.b.Wallpaper#9": the word before a '/', else the first word with three parts or more, up to
 * the first part that begins with a capital (a class).
 *
 * Returns SPAN_NULL if there is none. Borrows from @layer.
 */
struct span app_of_layer(struct span layer);

/* True: the layer is the window of an activity ("com.a/com.a.Main#0", from Android 14 on also
 * "5a1b2c com.a/com.a.Main#7"), whose app is in front. */
bool is_activity_layer(struct span layer);

/* --- copies that a table keeps --- */

#define SHORT_NAME_SIZE 128

/* Names of layers. Nearly all are short, and each layer has space for a short one. Long ones are in
 * blocks, which all layers share.
 *
 * There are enough blocks for two long names of each layer: its name and its Surface. They are not
 * touched before they are used, so they cost memory only where names are long. A copy in a block
 * can be cut, too: the hash and length of the whole name still identify its layer or Surface. */
struct long_names {
	char (*blocks)[NAME_SIZE];
	unsigned int used;  /* the first ones: they were ever in use */
	char **free_blocks; /* of these; a stack */
	unsigned int n_free;
};

/* @n: number of long names, which must not be exceeded. */
void long_names_init(struct long_names *names, unsigned int n, struct memory *memory);

/* Copies @text into *@kept, which is NULL, @short_name, or a block. It becomes either of the last
 * two. */
void long_names_keep(struct long_names *names, char **kept, char short_name[SHORT_NAME_SIZE],
		     struct span text);

/* Frees the block, if *@kept is one. */
void long_names_release(struct long_names *names, char **kept, const char *short_name);

/* True: @kept is the copy of @text that long_names_keep() made, long or short. */
static inline bool long_names_is(const char *kept, const char *short_name, struct span text)
{
	return name_is(kept, kept == short_name ? SHORT_NAME_SIZE : NAME_SIZE, text);
}

#endif
