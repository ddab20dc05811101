/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"
#include "tools/phone/simulation.h"

#define PERIOD_60 UINT64_C(16666667)
#define PERIOD_120 UINT64_C(8333333)

/* Time of a loop's begin in text: a phone that was switched on a while ago. */
#define BASE_NS (1000 * SCENE_S)

/* A loop's first frames stand here, so that nothing of them reaches into the loop before. */
#define FIRST_VSYNC 2

#define SURFACES 200
#define SURFACE_APPS 10
#define CROWD 64
/* So many frames in one beat are written fast; so many are drawn one after the other. */
#define CROWDED 12
#define QUEUED 4

enum pause { PAUSE_SILENT, PAUSE_TICKS, PAUSE_COMPOSES };

struct director {
	struct scene scene;
	const struct scenario *scenario;
	uint64_t length_ns;
	struct app *apps[SURFACE_APPS];
	struct layer *layers[SURFACES];
	struct layer *bar;
	int64_t until;	  /* vsync at which something else happens */
	uint64_t work_ns; /* for the frame at @until */
	unsigned int phase;
	enum pause pause;
};

struct scenario {
	const char *name;
	const char *about;
	unsigned int seconds;
	uint64_t (*period)(const struct director *d, uint64_t time_ns);
	void (*cast)(struct director *d);
	/* Says what @beat shows. */
	void (*step)(struct director *d, struct beat *beat);
	bool late; /* in half of the time four of ten ticks are late, while frames are in time */
};

static uint64_t period_60(const struct director *d, uint64_t time_ns)
{
	return PERIOD_60;
}

static uint64_t period_120(const struct director *d, uint64_t time_ns)
{
	return PERIOD_120;
}

static uint64_t period_switch(const struct director *d, uint64_t time_ns)
{
	return time_ns < d->length_ns / 2 ? PERIOD_60 : PERIOD_120;
}

static uint64_t period_to_and_fro(const struct director *d, uint64_t time_ns)
{
	return time_ns < d->length_ns / 3 || time_ns >= d->length_ns / 3 * 2 ? PERIOD_60
									     : PERIOD_120;
}

static int64_t vsyncs_in(uint64_t ns, uint64_t period_ns)
{
	return (int64_t)((ns + period_ns / 2) / period_ns);
}

static void cast_bar(struct director *d)
{
	struct app *app = scene_app(&d->scene, "com.android.systemui", "SystemUI", "RenderThread");

	d->bar = scene_layer(&d->scene, app, LAYER_SYSTEM, "StatusBar");
}

static void cast_app(struct director *d)
{
	d->apps[0] = scene_app(&d->scene, "com.example.scroll", "MainActivity", "RenderThread");
	d->layers[0] = scene_layer(&d->scene, d->apps[0], LAYER_WINDOW, NULL);
	cast_bar(d);
}

static void step_steady(struct director *d, struct beat *beat)
{
	scene_frame(beat, d->layers[0], 0);
}

static void step_drops(struct director *d, struct beat *beat)
{
	struct scene *scene = &d->scene;

	if (beat->vsync % 30 == 0)
		scene_frame(beat, d->bar, 0);
	if (beat->vsync < d->until) {
		beat->tick = d->pause != PAUSE_SILENT;
		beat->compose = d->pause == PAUSE_COMPOSES;
		return;
	}
	scene_frame(beat, d->layers[0], scene_chance(scene, 2) ? 1 : 0);
	if (!scene_chance(scene, 3))
		return;
	d->until = beat->vsync + 1 + (int64_t)scene_random(scene, 1, 5);
	d->pause = (enum pause)scene_random(scene, PAUSE_SILENT, PAUSE_COMPOSES);
}

static void cast_game(struct director *d)
{
	d->apps[0] = scene_app(&d->scene, "com.example.game", "GameActivity", "UnityMain");
	d->layers[0] = scene_layer(&d->scene, d->apps[0], LAYER_SURFACE_VIEW, NULL);
	cast_bar(d);
}

static void step_game(struct director *d, struct beat *beat)
{
	if (beat->vsync % 2 == 0)
		scene_frame(beat, d->layers[0], 0);
	scene_frame(beat, d->bar, 0);
}

/* Bursts of frames, then nothing: no ticks, no presents. */
static void step_idle(struct director *d, struct beat *beat)
{
	struct scene *scene = &d->scene;
	bool burst = d->phase % 2 == 1;

	if (beat->vsync >= d->until) {
		uint64_t ns = scene_random(scene, 500 * SCENE_MS, 2000 * SCENE_MS);

		burst = ++d->phase % 2 == 1;
		if (!burst)
			ns = scene_random(scene, 300 * SCENE_MS, 3000 * SCENE_MS);
		if (d->phase == 6 && d->length_ns >= 20 * SCENE_S)
			ns = 5500 * SCENE_MS;
		if (burst)
			scene->hardware_ticks = 6;
		d->until = beat->vsync + vsyncs_in(ns, beat->period_ns);
	}
	if (burst)
		scene_frame(beat, d->layers[0], 0);
	if (burst && scene_chance(scene, 5))
		scene_frame(beat, d->bar, 0);
}

static void cast_switch(struct director *d)
{
	static const char *const packages[] = { "com.example.mail", "com.example.maps",
						"org.example.reader" };

	d->apps[0] = scene_app(&d->scene, "com.android.launcher3", "Launcher", "RenderThread");
	for (int i = 0; i < 3; i++)
		d->apps[i + 1] = scene_app(&d->scene, packages[i], "MainActivity", "RenderThread");
	d->layers[0] = scene_layer(&d->scene, d->apps[0], LAYER_WINDOW, NULL);
	cast_bar(d);
}

/* What is on the screen in a phase, and for how long:
 * launcher, launcher and splash screen, the app's window, window and launcher. */
static uint64_t begin_phase(struct director *d)
{
	static const uint64_t lengths_ms[] = { 1200, 350, 1500, 300 };
	struct app *app = d->apps[1 + d->phase / 4 % 3];
	char title[256] = "Splash Screen ";

	switch (d->phase % 4) {
	case 0:
		if (d->layers[2])
			d->layers[2]->alive = false;
		break;
	case 1:
		strncat(title, app->package, sizeof(title) - strlen(title) - 1);
		d->layers[1] = scene_layer(&d->scene, app, LAYER_SYSTEM, title);
		break;
	case 2:
		d->layers[1]->alive = false;
		d->layers[2] = scene_layer(&d->scene, app, LAYER_WINDOW, NULL);
		break;
	default:
		break;
	}
	return lengths_ms[d->phase % 4] * SCENE_MS;
}

static void step_switch(struct director *d, struct beat *beat)
{
	if (beat->vsync >= d->until) {
		if (d->until > 0)
			d->phase++;
		d->until = beat->vsync + vsyncs_in(begin_phase(d), beat->period_ns);
	}
	if (d->phase % 4 != 2)
		scene_frame(beat, d->layers[0], 0);
	if (d->phase % 4 == 1)
		scene_frame(beat, d->layers[1], 0);
	if (d->phase % 4 >= 2)
		scene_frame(beat, d->layers[2], 0);
	if (beat->vsync % 45 == 0)
		scene_frame(beat, d->bar, 0);
}

static void cast_surfaces(struct director *d)
{
	static char packages[SURFACE_APPS][32];
	char title[256];

	for (unsigned int i = 0; i < SURFACE_APPS; i++) {
		snprintf(packages[i], sizeof(packages[i]), "com.example.app%u", i);
		d->apps[i] = scene_app(&d->scene, packages[i], "MainActivity", "RenderThread");
	}
	for (unsigned int i = 0; i < SURFACES; i++) {
		const char *package = packages[i % SURFACE_APPS];

		snprintf(title, sizeof(title), "%s/%s.Surface%u", package, package,
			 i / SURFACE_APPS);
		d->layers[i] =
			scene_layer(&d->scene, d->apps[i % SURFACE_APPS], LAYER_WINDOW, title);
	}
}

/* Each surface at its own pace, and once a second many at once. */
static void step_surfaces(struct director *d, struct beat *beat)
{
	unsigned int first = (unsigned int)(beat->vsync / 60 * CROWD) % SURFACES;

	for (unsigned int i = 0; i < SURFACES; i++) {
		bool crowd = beat->vsync % 60 == 59 && (i + SURFACES - first) % SURFACES < CROWD;

		if (crowd || (beat->vsync + 7 * i) % (5 + i % 40) == 0)
			scene_frame(beat, d->layers[i], 0);
	}
}

static void cast_demo(struct director *d)
{
	d->apps[0] = scene_app(&d->scene, "com.example.mail", "MainActivity", "RenderThread");
	d->layers[0] = scene_layer(&d->scene, d->apps[0], LAYER_WINDOW, NULL);
	d->apps[1] = scene_app(&d->scene, "com.example.game", "GameActivity", "UnityMain");
	d->layers[1] = scene_layer(&d->scene, d->apps[1], LAYER_SURFACE_VIEW, NULL);
	cast_bar(d);
}

/* Where in 8 s the mail's list stops scrolling, and for how many vsyncs. Those of 30 and more are
 * waits in which it was at work: one with a buffer that is not latched, one in its doFrame. */
static const struct hiccup {
	int64_t at, vsyncs;
	bool queued;
} hiccups[] = {
	{ 40, 6, false },   { 70, 6, false },	{ 104, 9, false },
	{ 140, 42, true },  { 220, 7, false },	{ 262, 6, false },
	{ 300, 10, false }, { 345, 55, false }, { 430, 6, false },
};

#define HICCUPS_VSYNCS 480

static const struct hiccup *hiccup_at(int64_t vsync)
{
	for (size_t i = 0; i < sizeof(hiccups) / sizeof(hiccups[0]); i++)
		if (hiccups[i].at == vsync % HICCUPS_VSYNCS)
			return &hiccups[i];
	return NULL;
}

/* The list scrolls at 60 fps, but for the hiccups; d->until is when a late frame comes. */
static void step_mail(struct director *d, struct beat *beat)
{
	const struct hiccup *hiccup = hiccup_at(beat->vsync);

	if (hiccup) {
		d->until = beat->vsync + hiccup->vsyncs - 1;
		d->work_ns = hiccup->queued ? 0 : (uint64_t)(hiccup->vsyncs - 1) * beat->period_ns;
		beat->stalled = hiccup->queued ? d->layers[0] : NULL;
	}
	d->apps[0]->busy = beat->vsync < d->until;
	if (d->apps[0]->busy)
		return;
	if (beat->vsync > d->until)
		scene_frame(beat, d->layers[0], 0);
	else if (d->work_ns > 0)
		scene_slow_frame(beat, d->layers[0], d->work_ns);
	else
		scene_waited_frame(beat, d->layers[0]);
}

/* A mail program that janks beside a game at 30 fps and a status bar that draws now and then. */
static void step_demo(struct director *d, struct beat *beat)
{
	step_mail(d, beat);
	if (beat->vsync % 2 == 0)
		scene_frame(beat, d->layers[1], 0);
	if (beat->vsync % 90 >= 60 && beat->vsync % 90 < 64)
		scene_frame(beat, d->bar, 0);
}

static const struct scenario scenarios[] = {
	{ "steady-60", "an app that shows a frame in every vsync of 60 Hz", 10, period_60, cast_app,
	  step_steady, false },
	{ "drops-120", "120 Hz with frames late by 1 to 5 vsyncs, and buffers nobody sees", 10,
	  period_120, cast_app, step_drops, false },
	{ "game-30", "a game at 30 fps beside a status bar at 60", 10, period_60, cast_game,
	  step_game, false },
	{ "switch-60-120", "the display goes from 60 to 120 Hz in the middle", 10, period_switch,
	  cast_app, step_steady, false },
	{ "idle-gaps", "bursts of frames with silence between, once more than 5 s", 30, period_60,
	  cast_app, step_idle, false },
	{ "app-switch", "launcher and apps in turn, with splash screens", 15, period_60,
	  cast_switch, step_switch, false },
	{ "surfaces-200", "200 surfaces, up to 64 and more in one present", 10, period_60,
	  cast_surfaces, step_surfaces, false },
	{ "late-ticks", "60 Hz with ticks that come late while frames are in time", 12, period_60,
	  cast_app, step_drops, true },
	{ "late-switch", "60, 120 and 60 Hz with such ticks around the switches", 12,
	  period_to_and_fro, cast_app, step_steady, true },
	{ "demo", "an app that janks and stalls, a game at 30 fps, a status bar that rests", 20,
	  period_60, cast_demo, step_demo, false },
};

static const struct vocabulary *const vocabularies[] = {
	&phone_android_9,
	&phone_android_11,
	&phone_android_14,
};

void phone_scenario_list(FILE *out)
{
	fputs("scenarios:\n", out);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		fprintf(out, "  %-14s %s (%u s)\n", scenarios[i].name, scenarios[i].about,
			scenarios[i].seconds);
	fputs("vocabularies:\n", out);
	for (size_t i = 0; i < sizeof(vocabularies) / sizeof(vocabularies[0]); i++)
		fprintf(out, "  %s\n", vocabularies[i]->name);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Half a period, or a bell around 2.4 ms, by turns. */
static uint64_t lateness(struct director *d, const struct beat *beat)
{
	uint64_t eighth = beat->lattice_ns * 8 / d->length_ns;

	/* Eighths 2, 3, 5 and 6: one stretch lies around each third of the whole. */
	if (eighth < 2 || eighth == 4 || eighth > 6 || !scene_chance(&d->scene, 40))
		return 0;
	return eighth < 4 ? beat->period_ns / 2 : scene_bell(&d->scene, 2400000, 2000000);
}

/* The vsync behind @before, and what is shown in it. */
static void next_beat(struct director *d, const struct beat *before, struct beat *beat)
{
	struct scene *scene = &d->scene;
	uint64_t half_jitter_ns = scene->vocabulary->tick_jitter_ns / 2;

	beat->vsync = before->vsync + 1;
	beat->lattice_ns = before->lattice_ns + before->period_ns;
	beat->period_ns = d->scenario->period(d, beat->lattice_ns);
	beat->tick_ns = beat->lattice_ns + scene_bell(scene, half_jitter_ns, half_jitter_ns);
	beat->late_ns = d->scenario->late ? lateness(d, beat) : 0;
	beat->present_ns =
		beat->tick_ns + scene_bell(scene, least(2400000, beat->period_ns * 18 / 100),
					   least(1400000, beat->period_ns * 85 / 1000));
	beat->tick = beat->compose = false;
	beat->client = scene_chance(scene, 8);
	beat->mirrored = beat->vsync % 180 >= 150;
	beat->frame_count = 0;
	beat->stalled = NULL;
	if (beat->vsync >= FIRST_VSYNC && beat->lattice_ns < d->length_ns)
		d->scenario->step(d, beat);
}

/* The apps draw in @beat what @next shows: each when it likes, but many one after the other, since
 * marks that alternate between processes are the hardest to play in time. */
static void draw(struct scene *scene, const struct beat *beat, const struct beat *next)
{
	uint64_t start_ns =
		beat->tick_ns + beat->period_ns * scene->vocabulary->app_percent / 100 + 100000;
	uint64_t soonest_ns = start_ns + least(1200000, beat->period_ns / 8);
	uint64_t latest_ns = start_ns + beat->period_ns * 2 / 5;

	if (next->stalled)
		scene->vocabulary->draw(scene, &(struct frame){ .layer = next->stalled }, start_ns,
					soonest_ns);
	scene->crowded = next->frame_count > CROWDED;
	for (unsigned int i = 0; i < next->frame_count; i++) {
		uint64_t queue_ns = 0;

		if (next->frames[i].waited)
			continue;
		queue_ns = scene_random(scene, soonest_ns, latest_ns);
		if (next->frame_count > QUEUED) {
			start_ns = soonest_ns + i * (latest_ns - soonest_ns) / next->frame_count;
			queue_ns = start_ns;
		}
		scene->vocabulary->draw(scene, &next->frames[i], start_ns, queue_ns);
	}
	scene->crowded = false;
}

static void play_beat(struct director *d, const struct beat *before, const struct beat *beat,
		      const struct beat *next)
{
	struct scene *scene = &d->scene;
	bool awake = beat->frame_count > 0 || beat->tick;
	bool drawn = next->frame_count > 0 || next->stalled;

	if (before->period_ns != beat->period_ns && before->period_ns > 0) {
		scene->hardware_ticks = 12;
		scene->vocabulary->mode(scene, beat);
	}
	if (scene->hardware_ticks > 0) {
		scene->hardware_ticks--;
		scene->vocabulary->hardware(scene, beat);
	}
	if (awake || drawn)
		scene->vocabulary->tick(scene, beat, awake, drawn);
	scene->crowded = beat->frame_count > CROWDED;
	if (awake)
		scene->vocabulary->turn(scene, beat);
	draw(scene, beat, next);
	if (awake)
		scene_noise(scene, beat);
}

static void play(struct director *d)
{
	static struct beat beats[3];
	struct beat *before = &beats[0];
	struct beat *beat = &beats[1];
	struct beat *next = &beats[2];

	*before = (struct beat){ .vsync = -1 };
	next_beat(d, before, beat);
	while (beat->lattice_ns < d->length_ns) {
		next_beat(d, beat, next);
		play_beat(d, before, beat, next);
		struct beat *free_beat = before;

		before = beat;
		beat = next;
		next = free_beat;
	}
	d->scene.plan->length_ns = beat->lattice_ns;
	d->scene.plan->vsyncs = beat->vsync;
}

int phone_scenario_make(struct phone_plan *plan, const struct phone_scenario_options *options)
{
	const struct vocabulary *vocabulary = NULL;
	struct director *d = calloc(1, sizeof(*d));

	if (!d)
		phone_fail("the scenario", "out of memory", "end other programs");
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (strcmp(scenarios[i].name, options->name) == 0)
			d->scenario = &scenarios[i];
	for (size_t i = 0; i < sizeof(vocabularies) / sizeof(vocabularies[0]); i++)
		if (strcmp(vocabularies[i]->name, options->vocabulary) == 0)
			vocabulary = vocabularies[i];
	if (!d->scenario || !vocabulary) {
		int result = d->scenario ? 2 : 1;

		free(d);
		return result;
	}
	d->length_ns = SCENE_S * (options->seconds ? options->seconds : d->scenario->seconds);
	scene_open(&d->scene, plan, vocabulary, options->seed);
	d->scenario->cast(d);
	plan->base_ns = BASE_NS;
	play(d);
	phone_plan_sort(plan);
	free(d);
	return 0;
}
