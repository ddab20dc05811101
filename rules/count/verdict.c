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

void verdict_write(char text[VERDICT_SIZE], const struct verdict_facts *facts)
{
	bool learnt = facts->given == APP_CLASS_UNKNOWN;
	enum app_class class = facts->given;
	const char *name, *mark = learnt ? "?" : "";
	double fps = (double)facts->drawing_frames * 1e9 / (double)facts->drawing_time_ns;
	unsigned int least_fps;
	unsigned long long tenths;
	bool passes;

	/* An app's views are drawn in a window, at the display's rate. Games, videos and players
	 * draw to a SurfaceView; a game in a window of its own holds a lower rate than the
	 * display's. A map draws as an app does, so it cannot be learnt. */
	if (learnt) {
		bool is_view = verdict_is_view(facts->surface);
		bool is_slower =
			facts->cadence >= 2 && (uint64_t)facts->off_cadence * 10 <= facts->frames;

		class = is_view || is_slower ? APP_CLASS_GAME : APP_CLASS_APP;
		if (is_view && facts->drawing_time_ns > 0 && fps >= VIDEO_MIN_FPS &&
		    fps <= VIDEO_MAX_FPS)
			class = APP_CLASS_VIDEO;
	}
	name = app_class_names[class];
	if (facts->drawing_time_ns < DRAWING_LEAST_NS) {
		tenths = facts->drawing_time_ns / 100000000;
		snprintf(text, VERDICT_SIZE, "n/a %s%s %llu.%llus<5s", name, mark, tenths / 10,
			 tenths % 10);
		return;
	}
	/* The rule asks a video for 25: a film has 24, and nothing is wrong with it. */
	if (learnt && class == APP_CLASS_VIDEO && fps <= FILM_MAX_FPS) {
		snprintf(text, VERDICT_SIZE, "n/a %s%s", name, mark);
		return;
	}
	least_fps = class == APP_CLASS_APP ? 55 : 25;
	/* Intervals are whole vsyncs, so a film of 25 on a display of 60 Hz has 24.99. */
	passes = fps >= least_fps * (facts->cadence > 0 ? 0.995 : 1);
	tenths = (unsigned long long)(fps * 10 + 0.5);
	/* 54.7 is less than 55, and 24.9 within the tolerance of 25: the number agrees with the
	 * sign. */
	if (passes != (tenths >= 10 * least_fps))
		tenths = 10 * least_fps - !passes;
	snprintf(text, VERDICT_SIZE, "%s %s%s %llu.%llu%s%u", passes ? "pass" : "fail", name, mark,
		 tenths / 10, tenths % 10, passes ? ">=" : "<", least_fps);
}
