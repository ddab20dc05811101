/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of the Software Green Alliance's app standard 3.0, performance: an app's interface
 * draws at least 55 frames per second, a game, a map or a video at least 25. */
#ifndef JANKD_RULES_COUNT_VERDICT_H
#define JANKD_RULES_COUNT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* Longest text of a verdict with its NUL. */
#define VERDICT_SIZE 48

enum app_class {
	APP_CLASS_UNKNOWN, /* not given: it is learnt */
	APP_CLASS_APP,
	APP_CLASS_GAME,
	APP_CLASS_MAP,
	APP_CLASS_VIDEO,
	APP_CLASSES, /* their number */
};

/* "app", "game", "map", "video"; NULL for APP_CLASS_UNKNOWN. */
extern const char *const app_class_names[APP_CLASSES];

struct verdict_facts {
	enum app_class given;	  /* by the user, or APP_CLASS_UNKNOWN */
	const char *surface;	  /* its name */
	int64_t cadence;	  /* vsyncs, or ROW_UNKNOWN */
	int64_t off_cadence;	  /* intervals with another number */
	uint64_t frames;	  /* all its intervals */
	uint64_t drawing_frames;  /* in continuous drawing, see drawing.h */
	uint64_t drawing_time_ns; /* their sum */
};

/* True: the Surface is a SurfaceView. Games, videos and players draw to one. */
bool verdict_is_view(const char *surface);

/* Writes the verdict: "pass app 59.8>=55", "fail game? 21.3<25" (the class was learnt), "n/a
 * app? 3.2s<5s" (too little continuous drawing to judge), "n/a video?" (a film of 24 frames per
 * second). The bounds have the tolerance of interval.h where the vsyncs are known. */
void verdict_write(char text[VERDICT_SIZE], const struct verdict_facts *facts);

#endif
