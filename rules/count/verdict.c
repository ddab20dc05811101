/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/verdict.h"

#include <stdbool.h>
#include <stdio.h>

#define DRAWING_LEAST_NS UINT64_C(5000000000)

/* Films have 24 frames per second, television 25. Games have neither. 1 % is for rates such
 * as 23.976 and for a display that is not exact. */
#define VIDEO_MIN_FPS 23.76
#define FILM_MAX_FPS 24.24
#define VIDEO_MAX_FPS 25.25

const char *const app_class_names[APP_CLASSES] = {
	[APP_CLASS_APP] = "app",
	[APP_CLASS_GAME] = "game",
	[APP_CLASS_MAP] = "map",
	[APP_CLASS_VIDEO] = "video",
};

static unsigned int least_fps(enum app_class class)
{
	return class == APP_CLASS_APP ? 55 : 25;
}

static double fps_of(const struct verdict_facts *facts)
{
	return (double)facts->drawing_frames * 1e9 / (double)facts->drawing_time_ns;
}

/* An app's views are drawn in a window, at the display's rate. Games, videos and players draw to a
 * SurfaceView; a game in a window of its own holds a lower rate than the display's. A map draws as
 * an app does, so it cannot be learnt. */
static enum app_class learn(const struct verdict_facts *facts)
{
	bool is_view = verdict_is_view(facts->surface);
	bool is_slower = facts->cadence >= 2 && (uint64_t)facts->off_cadence * 10 <= facts->frames;

	if (!is_view && !is_slower)
		return APP_CLASS_APP;
	if (is_view && facts->drawing_time_ns > 0 && fps_of(facts) >= VIDEO_MIN_FPS &&
	    fps_of(facts) <= VIDEO_MAX_FPS)
		return APP_CLASS_VIDEO;
	return APP_CLASS_GAME;
}

void verdict_write(char text[VERDICT_SIZE], const struct verdict_facts *facts)
{
	bool learnt = facts->given == APP_CLASS_UNKNOWN;
	enum app_class class = learnt ? learn(facts) : facts->given;
	const char *name = app_class_names[class], *mark = learnt ? "?" : "";
	unsigned long long tenths;
	bool passes;

	if (facts->drawing_time_ns < DRAWING_LEAST_NS) {
		tenths = facts->drawing_time_ns / 100000000;
		snprintf(text, VERDICT_SIZE, "n/a %s%s %llu.%llus<5s", name, mark, tenths / 10,
			 tenths % 10);
		return;
	}
	/* The rule asks a video for 25: a film has 24, and nothing is wrong with it. */
	if (learnt && class == APP_CLASS_VIDEO && fps_of(facts) <= FILM_MAX_FPS) {
		snprintf(text, VERDICT_SIZE, "n/a %s%s", name, mark);
		return;
	}
	/* Intervals are whole vsyncs, so a film of 25 on a display of 60 Hz has 24.99. */
	passes = fps_of(facts) >= least_fps(class) * (facts->cadence > 0 ? 0.995 : 1);
	tenths = (unsigned long long)(fps_of(facts) * 10 + 0.5);
	/* 54.7 is less than 55, and 24.9 within the tolerance of 25: the number agrees with the
	 * sign. */
	if (passes != (tenths >= 10 * least_fps(class)))
		tenths = 10 * least_fps(class) - !passes;
	snprintf(text, VERDICT_SIZE, "%s %s%s %llu.%llu%s%u", passes ? "pass" : "fail", name, mark,
		 tenths / 10, tenths % 10, passes ? ">=" : "<", least_fps(class));
}
