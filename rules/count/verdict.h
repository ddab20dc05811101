/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of the Software Green Alliance's app standard 3.0, performance: an app's interface
 * draws at least 55 frames per second, a game, a map or a video at least 25. */
#ifndef JANKD_RULES_COUNT_VERDICT_H
#define JANKD_RULES_COUNT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The stretches in which a Surface draws continuously, by whose frame rate it is judged: a second
 * or more without a gap of more than 4 cadences. All zeros: none. */
struct drawing {
	uint64_t frames, time_ns;	    /* frame times of those that are over, and their sum */
	uint64_t open_frames, open_time_ns; /* since the last gap */
};

/* The next frame came @interval_ns after the last one. */
static inline void drawing_add(struct drawing *drawing, uint64_t interval_ns)
{
	drawing->open_frames++;
	drawing->open_time_ns += interval_ns;
}

/* Sums, with the open stretch if it is long enough. */
static inline struct drawing drawing_sum(const struct drawing *drawing)
{
	bool counts = drawing->open_time_ns >= UINT64_C(1000000000);

	return (struct drawing){
		.frames = drawing->frames + (counts ? drawing->open_frames : 0),
		.time_ns = drawing->time_ns + (counts ? drawing->open_time_ns : 0),
	};
}

/* There is a gap between two frames. */
static inline void drawing_gap(struct drawing *drawing)
{
	*drawing = drawing_sum(drawing);
}

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
	uint64_t drawing_frames;  /* in continuous drawing */
	uint64_t drawing_time_ns; /* their sum */
};

/* True: the Surface is a SurfaceView. Games, videos and players draw to one. */
static inline bool verdict_is_view(const char *surface)
{
	return strstr(surface, "SurfaceView") != NULL;
}

/* Writes the verdict: "pass app 59.8>=55", "fail game? 21.3<25" (the class was learnt), "n/a
 * app? 3.2s<5s" (too little continuous drawing to judge), "n/a video?" (a film of 24 frames per
 * second). The bounds have the tolerance of interval.h where the vsyncs are known. */
void verdict_write(char text[VERDICT_SIZE], const struct verdict_facts *facts);

#endif
