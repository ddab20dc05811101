/* SPDX-License-Identifier: Apache-2.0 */
/* Names: what of a layer's name is its Surface, its app, and safe copies of both. */
#ifndef JANKD_RULES_SURFACE_H
#define JANKD_RULES_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"

/* The kernel cut markers at 1024 bytes until 6.7; the longest name seen in real traces has 499. */
#define NAME_SIZE 1024
#define APP_SIZE 256

/* FNV-1a of all of @text; with the length it tells two names apart that are longer than what is
 * kept. Apps choose names, and can choose two of one hash. */
uint64_t name_hash(struct span text);

/* Is @kept, which has room for @size bytes, what name_copy() makes of @text? */
bool name_is(const char *kept, size_t size, struct span text);

/* A name that may have been cut, and what is known of the whole. */
struct name_key {
	const char *kept; /* NAME_SIZE bytes at most, NUL-terminated; borrowed */
	uint64_t hash;
	size_t length;
};

bool name_key_equal(const struct name_key *a, const struct name_key *b);

/* Copies @text into @to, cut to @size - 1 bytes and NUL-terminated. */
void name_copy(char *to, size_t size, struct span text);

/* Markers are no longer on any kernel. */
#define SURFACE_MAX 4096

/**
 * surface_of_layer() - the layer's name without what changes from one start of its app to the next
 * @copy: where the name is put together if something in its middle goes
 *
 * What goes is the instance number ("#7", but an unnamed layer is called so), a process (Samsung's
 * "com.a/com.a.Main$_29673") and an object's hash or index ("5a1b2c com.a/com.a.Main",
 * "SurfaceView[com.a/com.a.Main]@0(BLAST)", "SurfaceView - com.a/com.a.Main@5a1b2c@0",
 * "PopupWindow:5a1b2c").
 *
 * Borrows from @layer or from @copy.
 */
struct span surface_of_layer(struct span layer, char copy[SURFACE_MAX]);

/**
 * layer_without_bar() - the layer's name as it is, of a counter of HarmonyOS
 * @copy: where the name is put together
 *
 * HarmonyOS writes "|com.a/com.a.Main#7" and "5a1b2c |SurfaceView[...]#8" into counters, and
 * nowhere else. Returns SPAN_NULL where @name has no such bar. Borrows from @name or @copy.
 */
struct span layer_without_bar(struct span name, char copy[SURFACE_MAX]);

/**
 * app_of_layer() - the package in a layer's name
 *
 * "com.a/com.a.Main#0", "SurfaceView[com.a/com.a.Main](BLAST)#7", "Splash Screen com.a.b#3",
 * "1f2e com.a.b.Wallpaper#9": before a '/', or else the first word of three parts or more, as
 * far as its parts do not begin with a capital (a class, and what is in it).
 *
 * Returns SPAN_NULL where there is none. Borrows from @layer.
 */
struct span app_of_layer(struct span layer);

/* Is this the window of an activity ("com.a/com.a.Main#0", from Android 14 on also
 * "5a1b2c com.a/com.a.Main#7"), whose app is in front? */
bool is_activity_layer(struct span layer);

#endif
