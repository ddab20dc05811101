/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"
#include "tools/phone/simulation.h"

#define PERIOD_60 UINT64_C(16666667)
#define PERIOD_120 UINT64_C(8333333)
/* Panels that are a little faster than their nominal rate. */
#define PERIOD_240 UINT64_C(4150000)
#define PERIOD_LTPO UINT64_C(8291667)

/* Time of the loop's start in ftrace text: time since the phone was switched on. */
#define BASE_NS (1000 * NS_PER_S)

/* The first vsync of a loop with a frame. The app draws that frame in the same loop. */
#define FIRST_VSYNC 2

#define SURFACES 200
#define SURFACE_APPS 10
#define BURST 64 /* surfaces that all have a frame in one vsync, once a second */

/* In a vsync with more frames than this, markers are closer together. */
#define DENSE_FRAMES 12

/* In a vsync with more frames than this, apps draw one after the other. */
#define PARALLEL_FRAMES 4

/* What SurfaceFlinger does in vsyncs without a frame. */
enum pause { PAUSE_SILENT, PAUSE_TICKS, PAUSE_COMPOSES };

/* A scenario while it is generated. */
struct scenario_run {
	struct simulation sim;
	const struct scenario *scenario;
	uint64_t length_ns;
	struct app *apps[SURFACE_APPS];
	struct layer *layers[SURFACES];
	struct layer *bar;
	int64_t until;	  /* vsync at which the phase or the pause ends */
	uint64_t work_ns; /* for the frame at @until */
	int64_t delay;	  /* vsyncs, see step_culprits() */
	unsigned int phase;
	enum pause pause;
};

/* Where an app is that waits, see step_wait(). */
enum wait_kind {
	WAIT_IN_DO_FRAME,
	WAIT_BEFORE_DO_FRAME,
	WAIT_FOR_GPU,
	WAIT_FOR_BUFFER,
	WAIT_WITHOUT_A_SIGN,
};

/* What the display does in one of equal parts of the length. The last one has no period. */
struct part {
	uint64_t period_ns;
	unsigned int step;    /* vsyncs in a render period */
	unsigned int display; /* see struct vsync */
};

struct scenario {
	const char *name;
	const char *about;
	unsigned int seconds;
	const struct part *parts;
	void (*set_up)(struct scenario_run *run);
	/* Adds the frames that @vsync shows. */
	void (*step)(struct scenario_run *run, struct vsync *vsync);
	enum wait_kind wait;
	bool late_ticks; /* for half of the time, 40 % of the ticks are late; frames are on time */
};

static int64_t vsyncs_in(uint64_t ns, uint64_t period_ns)
{
	return (int64_t)((ns + period_ns / 2) / period_ns);
}

/* Adds an app with one layer, each with number @n. */
static void add_app(struct scenario_run *run, unsigned int n, enum layer_kind kind,
		    const char *package, const char *activity, const char *render)
{
	run->apps[n] = sim_add_app(&run->sim, package, activity, render);
	run->layers[n] = sim_add_layer(&run->sim, run->apps[n], kind, NULL);
}

static void add_bar(struct scenario_run *run)
{
	struct app *app =
		sim_add_app(&run->sim, "com.android.systemui", "SystemUI", "RenderThread");

	run->bar = sim_add_layer(&run->sim, app, LAYER_SYSTEM, "StatusBar");
}

static void set_up_app(struct scenario_run *run)
{
	add_app(run, 0, LAYER_WINDOW, "com.example.scroll", "MainActivity", "RenderThread");
	add_bar(run);
}

static void add_frame(struct vsync *vsync, struct frame frame)
{
	if (vsync->frame_count < SIM_FRAMES_MAX)
		vsync->frames[vsync->frame_count++] = frame;
}

/* Adds a frame without any peculiarity. */
static void show(struct vsync *vsync, struct layer *layer)
{
	add_frame(vsync, (struct frame){ .layer = layer });
}

static void step_steady(struct scenario_run *run, struct vsync *vsync)
{
	show(vsync, run->layers[0]);
}

/* A frame in each render period, at times a later one. */
static void step_rendered(struct scenario_run *run, struct vsync *vsync)
{
	if (vsync->number < run->until)
		return;
	show(vsync, run->layers[0]);
	run->until = vsync->number + vsync->step;
	if (sim_chance(&run->sim, 3))
		run->until += (int64_t)sim_random(&run->sim, 1, vsync->step);
}

static void step_drops(struct scenario_run *run, struct vsync *vsync)
{
	struct simulation *sim = &run->sim;

	if (vsync->number % 30 == 0)
		show(vsync, run->bar);
	if (vsync->number < run->until) {
		vsync->tick = run->pause != PAUSE_SILENT;
		vsync->compose = run->pause == PAUSE_COMPOSES;
		return;
	}
	add_frame(vsync, (struct frame){ .layer = run->layers[0], .replaced = sim_chance(sim, 2) });
	if (!sim_chance(sim, 3))
		return;
	run->until = vsync->number + 1 + (int64_t)sim_random(sim, 1, 5);
	run->pause = (enum pause)sim_random(sim, PAUSE_SILENT, PAUSE_COMPOSES);
}

static void set_up_game(struct scenario_run *run)
{
	add_app(run, 0, LAYER_SURFACE_VIEW, "com.example.game", "GameActivity", "UnityMain");
	add_bar(run);
}

static void step_game(struct scenario_run *run, struct vsync *vsync)
{
	if (vsync->number % 2 == 0)
		show(vsync, run->layers[0]);
	show(vsync, run->bar);
}

/* Bursts of frames; between them no ticks and no presents. */
static void step_idle(struct scenario_run *run, struct vsync *vsync)
{
	struct simulation *sim = &run->sim;
	bool burst = run->phase % 2 == 1;

	if (vsync->number >= run->until) {
		uint64_t ns = sim_random(sim, 500 * NS_PER_MS, 2000 * NS_PER_MS);

		burst = ++run->phase % 2 == 1;
		if (!burst)
			ns = sim_random(sim, 300 * NS_PER_MS, 3000 * NS_PER_MS);
		if (run->phase == 6 && run->length_ns >= 20 * NS_PER_S)
			ns = 5500 * NS_PER_MS;
		if (burst)
			sim->hardware_vsyncs = 6;
		run->until = vsync->number + vsyncs_in(ns, vsync->period_ns);
	}
	if (burst)
		show(vsync, run->layers[0]);
	if (burst && sim_chance(sim, 5))
		show(vsync, run->bar);
}

static void set_up_switch(struct scenario_run *run)
{
	static const char *const packages[] = { "com.example.mail", "com.example.maps",
						"org.example.reader" };

	run->apps[0] = sim_add_app(&run->sim, "com.android.launcher3", "Launcher", "RenderThread");
	for (int i = 0; i < 3; i++)
		run->apps[i + 1] =
			sim_add_app(&run->sim, packages[i], "MainActivity", "RenderThread");
	run->layers[0] = sim_add_layer(&run->sim, run->apps[0], LAYER_WINDOW, NULL);
	add_bar(run);
}

/* Four phases follow each other: the launcher; launcher and splash screen; the app's window; window
 * and launcher. */
static void step_switch(struct scenario_run *run, struct vsync *vsync)
{
	static const uint64_t lengths_ms[] = { 1200, 350, 1500, 300 };
	unsigned int phase;
	char title[256];

	if (vsync->number >= run->until) {
		if (run->until > 0)
			run->phase++;
		phase = run->phase % 4;
		struct app *app = run->apps[1 + run->phase / 4 % 3];

		if (phase == 0 && run->layers[2])
			run->layers[2]->exists = false;
		if (phase == 1) {
			snprintf(title, sizeof(title), "Splash Screen %s", app->package);
			run->layers[1] = sim_add_layer(&run->sim, app, LAYER_SYSTEM, title);
		}
		if (phase == 2) {
			run->layers[1]->exists = false;
			run->layers[2] = sim_add_layer(&run->sim, app, LAYER_WINDOW, NULL);
		}
		run->until =
			vsync->number + vsyncs_in(lengths_ms[phase] * NS_PER_MS, vsync->period_ns);
	}
	phase = run->phase % 4;
	if (phase != 2)
		show(vsync, run->layers[0]);
	if (phase == 1)
		show(vsync, run->layers[1]);
	if (phase >= 2)
		show(vsync, run->layers[2]);
	if (vsync->number % 45 == 0)
		show(vsync, run->bar);
}

static void set_up_surfaces(struct scenario_run *run)
{
	static char packages[SURFACE_APPS][32];
	char title[256];

	for (unsigned int i = 0; i < SURFACE_APPS; i++) {
		snprintf(packages[i], sizeof(packages[i]), "com.example.app%u", i);
		run->apps[i] = sim_add_app(&run->sim, packages[i], "MainActivity", "RenderThread");
	}
	for (unsigned int i = 0; i < SURFACES; i++) {
		const char *package = packages[i % SURFACE_APPS];

		snprintf(title, sizeof(title), "%s/%s.Surface%u", package, package,
			 i / SURFACE_APPS);
		run->layers[i] =
			sim_add_layer(&run->sim, run->apps[i % SURFACE_APPS], LAYER_WINDOW, title);
	}
}

/* Each surface has its own rate. Once a second, many surfaces have a frame in one vsync. */
static void step_surfaces(struct scenario_run *run, struct vsync *vsync)
{
	unsigned int first = (unsigned int)(vsync->number / 60 * BURST) % SURFACES;

	for (unsigned int i = 0; i < SURFACES; i++) {
		bool burst = vsync->number % 60 == 59 && (i + SURFACES - first) % SURFACES < BURST;

		if (burst || (vsync->number + 7 * i) % (5 + i % 40) == 0)
			show(vsync, run->layers[i]);
	}
}

static void set_up_demo(struct scenario_run *run)
{
	add_app(run, 0, LAYER_WINDOW, "com.example.mail", "MainActivity", "RenderThread");
	add_app(run, 1, LAYER_SURFACE_VIEW, "com.example.game", "GameActivity", "UnityMain");
	add_bar(run);
}

/* The vsyncs of each 8 s at which the list of the mail app stops scrolling, and for how many
 * vsyncs. Delays of 30 vsyncs or more are stalls: in one, a queued buffer is not latched; in the
 * other, doFrame is long. */
static const struct delay {
	int64_t at, vsyncs;
	bool queued;
} delays[] = {
	{ 40, 6, false },   { 70, 6, false },	{ 104, 9, false },
	{ 140, 42, true },  { 220, 7, false },	{ 262, 6, false },
	{ 300, 10, false }, { 345, 55, false }, { 430, 6, false },
};

#define DELAYS_VSYNCS 480

/* A mail app with jank, a game at 30 fps, and a status bar that seldom draws. The list of the mail
 * app scrolls at 60 fps, except during delays. run->until is the vsync of a late frame. */
static void step_demo(struct scenario_run *run, struct vsync *vsync)
{
	struct frame mail = { .layer = run->layers[0] };

	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		const struct delay *delay = &delays[i];

		if (delay->at != vsync->number % DELAYS_VSYNCS)
			continue;
		run->until = vsync->number + delay->vsyncs - 1;
		run->work_ns = delay->queued ? 0 : (uint64_t)(delay->vsyncs - 1) * vsync->period_ns;
		vsync->stalled = delay->queued ? run->layers[0] : NULL;
	}
	run->apps[0]->busy = vsync->number < run->until;
	if (vsync->number == run->until) {
		mail.work_ns = run->work_ns;
		mail.queued_before = run->work_ns == 0;
	}
	if (vsync->number >= run->until)
		add_frame(vsync, mail);
	if (vsync->number % 2 == 0)
		show(vsync, run->layers[1]);
	if (vsync->number % 90 >= 60 && vsync->number % 90 < 64)
		show(vsync, run->bar);
}

/* --- waits: an app that hangs, and others that do not --- */

/* Every 3 s, at this vsync, an app stops drawing, for 36, 53, 70 or 87 vsyncs: 30 are a wait. */
#define WAIT_EVERY 180
#define WAIT_AT 90

/* The app draws in every vsync, except in its waits. run->until is the vsync of the next frame. */
static void step_wait(struct scenario_run *run, struct vsync *vsync)
{
	enum wait_kind kind = run->scenario->wait;
	struct layer *layer = run->layers[0];
	struct frame frame = { .layer = layer };

	if (vsync->number % WAIT_EVERY == WAIT_AT) {
		int64_t vsyncs = 36 + vsync->number / WAIT_EVERY % 4 * 17;

		run->until = vsync->number + vsyncs - 1;
		run->work_ns = (uint64_t)(vsyncs - 1) * vsync->period_ns;
		vsync->stalled = kind == WAIT_FOR_GPU ? layer : NULL;
		vsync->gpu_until_ns = vsync->time_ns + run->work_ns - vsync->period_ns / 3;
		if (vsync->gpu_until_ns > run->length_ns)
			vsync->gpu_until_ns = 0;
		vsync->asking = kind == WAIT_BEFORE_DO_FRAME ? layer : NULL;
	}
	layer->app->busy = vsync->number < run->until && kind != WAIT_WITHOUT_A_SIGN;
	if (vsync->number < run->until)
		return;
	if (vsync->number == run->until) {
		frame.work_ns = kind == WAIT_IN_DO_FRAME ? run->work_ns : 0;
		frame.late = kind == WAIT_BEFORE_DO_FRAME;
		frame.queued_before = kind == WAIT_FOR_GPU;
		frame.blocked_ns = kind == WAIT_FOR_BUFFER ? run->work_ns : 0;
	}
	add_frame(vsync, frame);
}

/* An app that is idle at times, and a game that is not. */
static void step_idle_beside_game(struct scenario_run *run, struct vsync *vsync)
{
	step_wait(run, vsync);
	show(vsync, run->layers[1]);
	if (vsync->number % 90 >= 60 && vsync->number % 90 < 64)
		show(vsync, run->bar);
}

static void set_up_front(struct scenario_run *run)
{
	set_up_app(run);
	add_app(run, 1, LAYER_WINDOW, "com.android.launcher3", "Launcher", "RenderThread");
}

/* The app and the launcher are in front in turn. */
static void step_background(struct scenario_run *run, struct vsync *vsync)
{
	show(vsync, run->layers[vsync->number / WAIT_AT % 2]);
}

/* The app hangs; after 1.5 s it is killed, and the launcher is in front. */
static void step_killed(struct scenario_run *run, struct vsync *vsync)
{
	if (vsync->number < WAIT_AT)
		show(vsync, run->layers[0]);
	else if (vsync->number == WAIT_AT)
		vsync->killed = run->layers[0];
	else if (vsync->number >= 2 * WAIT_AT)
		show(vsync, run->layers[1]);
	run->apps[0]->busy = vsync->number >= WAIT_AT;
}

/* --- culprits: late frames, each with a known cause --- */

enum culprit {
	CULPRIT_APP,
	CULPRIT_GPU,
	CULPRIT_SCHEDULING,
	CULPRIT_SF_CPU,
	CULPRIT_SF_GPU,
	CULPRITS_OF_GAMES, /* the others need an app that follows each vsync */
	CULPRIT_STUFFING = CULPRITS_OF_GAMES,
	CULPRIT_DROPPED,
	CULPRIT_DISPLAY,
	CULPRITS, /* with the vocabulary of old versions */
	CULPRIT_PREDICTION = CULPRITS,
	CULPRITS_PLANNED, /* from Android 12 on, where marks show SurfaceFlinger's plan */
};

#define CULPRIT_FIRST 40 /* the first vsync with one */

static bool is_planned(const struct scenario_run *run)
{
	return run->layers[0]->producer[0] != '\0';
}

static enum culprit culprit_of(const struct scenario_run *run)
{
	enum culprit all = is_planned(run) ? CULPRITS_PLANNED : CULPRITS;

	if (run->layers[0]->kind == LAYER_SURFACE_VIEW)
		all = CULPRITS_OF_GAMES;
	if (run->apps[0]->draws_itself && run->phase % all == CULPRIT_GPU)
		return CULPRIT_APP;
	return (enum culprit)(run->phase % all);
}

/* The buffer for @vsync is queued in time, and latched later. */
static void hold_buffer(struct scenario_run *run, struct vsync *vsync, int64_t gpu_vsyncs)
{
	vsync->stalled = run->layers[0];
	if (gpu_vsyncs > 0)
		vsync->gpu_until_ns = vsync->time_ns + (uint64_t)gpu_vsyncs * vsync->period_ns -
				      vsync->period_ns / 3;
}

/* The vsync that is @since vsyncs after the first one of a culprit. Returns when it is over. */
static bool step_culprit(struct scenario_run *run, struct vsync *vsync, int64_t since)
{
	enum culprit culprit = culprit_of(run);
	bool itself = run->apps[0]->draws_itself, planned = is_planned(run);
	struct frame late = { .layer = run->layers[0] };
	int64_t last = run->delay;
	bool shows = since == last;

	switch (culprit) {
	case CULPRIT_APP:
		vsync->asking = since == 0 ? late.layer : NULL;
		run->apps[0]->busy = since < last;
		late.work_ns = (uint64_t)last * vsync->period_ns;
		late.asked = true;
		late.cause = "app";
		break;
	case CULPRIT_GPU:
		if (since == 0)
			hold_buffer(run, vsync, last);
		vsync->tick = vsync->compose = since < last;
		late.queued_before = true;
		late.cause = "gpu";
		break;
	case CULPRIT_SCHEDULING:
	case CULPRIT_DROPPED:
		last = 1;
		shows = since == 1;
		if (since == 0)
			hold_buffer(run, vsync, 0);
		vsync->tick = vsync->compose = since == 0 && culprit == CULPRIT_DROPPED;
		late.queued_before = culprit == CULPRIT_SCHEDULING;
		late.dropped = culprit == CULPRIT_DROPPED;
		late.cause = culprit == CULPRIT_DROPPED ? "dropped" : "scheduling";
		break;
	case CULPRIT_SF_CPU:
	case CULPRIT_SF_GPU:
		/* It plans to present 1.5 vsyncs after its tick, where there is a plan. */
		last = planned ? 2 : 1;
		late.cause =
			culprit == CULPRIT_SF_GPU ? "surfaceflinger-gpu" : "surfaceflinger-cpu";
		shows = since == 0;
		if (shows) {
			vsync->client = culprit == CULPRIT_SF_GPU;
			vsync->late = last;
			vsync->present_ns += (uint64_t)last * vsync->period_ns;
		}
		break;
	case CULPRIT_STUFFING:
		/* A buffer comes late from the GPU; those behind it wait for one vsync each. They
		 * keep the cadence: only a plan tells that they are late. */
		if (since < last)
			hold_buffer(run, vsync, since == 0 && !itself ? 1 : 0);
		vsync->tick = vsync->compose = since == 0 && !itself;
		late.queued_before = true;
		late.ahead = since < last;
		late.cause = itself ? "scheduling" : "gpu";
		if (since > 1)
			late.cause = planned ? "stuffing" : NULL;
		shows = since > 0;
		break;
	case CULPRIT_DISPLAY:
		/* Frames without a cause, and those of which the plan shows it. */
		last = 2;
		late.cause = since == (planned ? 0 : 2) ? "display" : NULL;
		late.queued_before = !planned && since == 2;
		vsync->missed = since == (planned ? 2 : 1);
		shows = planned || since != 1;
		if (!shows) {
			hold_buffer(run, vsync, 0);
			vsync->tick = true;
		}
		break;
	default:
		last = since;
		vsync->moved_ns = vsync->period_ns * 2 / 5;
		late.cause = "prediction";
		shows = true;
	}
	if (shows)
		add_frame(vsync, late);
	return since == last;
}

static void step_culprits(struct scenario_run *run, struct vsync *vsync)
{
	bool is_game = run->layers[0]->kind == LAYER_SURFACE_VIEW;
	int64_t since;

	if (run->until == 0)
		run->until = CULPRIT_FIRST;
	since = vsync->number - run->until;
	if (since == 0)
		run->delay = (int64_t)sim_random(&run->sim, 1, 3) +
			     (culprit_of(run) == CULPRIT_STUFFING ? 3 : 0);
	if (since >= 0) {
		if (!step_culprit(run, vsync, since))
			return;
		run->phase++;
		run->until = vsync->number + (is_game ? 40 : 20);
		run->until += (int64_t)sim_random(&run->sim, 0, 5) * 2;
		return;
	}
	/* A game draws every second vsync, those before a culprit's. */
	if (!is_game || since % 2 == 0)
		show(vsync, run->layers[0]);
}

static void set_up_itself(struct scenario_run *run)
{
	set_up_app(run);
	run->apps[0]->draws_itself = true;
}

static const struct part hz_60[] = { { PERIOD_60, 1, 0 }, { 0 } };
static const struct part hz_120[] = { { PERIOD_120, 1, 0 }, { 0 } };
static const struct part hz_240[] = { { PERIOD_240, 2, 0 }, { 0 } };
static const struct part hz_60_120[] = { { PERIOD_60, 1, 0 }, { PERIOD_120, 1, 0 }, { 0 } };
static const struct part hz_60_120_60[] = {
	{ PERIOD_60, 1, 0 }, { PERIOD_120, 1, 0 }, { PERIOD_60, 1, 0 }, { 0 }
};
/* The outer display, the inner one, the outer one. */
static const struct part fold[] = {
	{ PERIOD_60, 1, 1 }, { PERIOD_120, 1, 0 }, { PERIOD_60, 1, 1 }, { 0 }
};
/* An app at 120 Hz, a film at 24 Hz, the film at 120 Hz rendered at 24, the app again. */
static const struct part ltpo[] = { { PERIOD_LTPO, 1, 0 },
				    { 5 * PERIOD_LTPO, 1, 0 },
				    { PERIOD_LTPO, 5, 0 },
				    { PERIOD_LTPO, 1, 0 },
				    { 0 } };

static const struct scenario scenarios[] = {
	{ "steady-60", "an app that shows a frame in every vsync of 60 Hz", 10, hz_60, set_up_app,
	  .step = step_steady },
	{ "drops-120", "120 Hz with frames late by 1 to 5 vsyncs, and buffers that are never shown",
	  10, hz_120, set_up_app, .step = step_drops },
	{ "game-30", "a game at 30 fps and a status bar at 60", 10, hz_60, set_up_game,
	  .step = step_game },
	{ "switch-60-120", "the display changes from 60 to 120 Hz halfway", 10, hz_60_120,
	  set_up_app, .step = step_steady },
	{ "idle-gaps", "bursts of frames with idle time in between, once more than 5 s", 30, hz_60,
	  set_up_app, .step = step_idle },
	{ "app-switch", "launcher and apps in turn, with splash screens", 15, hz_60, set_up_switch,
	  .step = step_switch },
	{ "surfaces-200", "200 surfaces, at times 64 or more in one present", 10, hz_60,
	  set_up_surfaces, .step = step_surfaces },
	{ "late-ticks", "60 Hz with late ticks while frames are on time", 12, hz_60, set_up_app,
	  .step = step_drops, .late_ticks = true },
	{ "late-switch", "60, 120 and 60 Hz with late ticks around the switches", 12, hz_60_120_60,
	  set_up_app, .step = step_steady, .late_ticks = true },
	{ "hang-doframe", "an app that hangs in doFrame every 3 s", 12, hz_60, set_up_app,
	  .step = step_wait, .wait = WAIT_IN_DO_FRAME },
	{ "hang-before", "an app that hangs every 3 s before doFrame, which comes late", 12, hz_60,
	  set_up_app, .step = step_wait, .wait = WAIT_BEFORE_DO_FRAME },
	{ "hang-gpu", "an app whose buffer is queued, but not latched, every 3 s", 12, hz_60,
	  set_up_app, .step = step_wait, .wait = WAIT_FOR_GPU },
	{ "hang-dequeue", "a game that is blocked in dequeueBuffer every 3 s", 12, hz_60,
	  set_up_game, .step = step_wait, .wait = WAIT_FOR_BUFFER },
	{ "hang-native", "a game that hangs in its own code every 3 s: the trace does not show why",
	  12, hz_60, set_up_game, .step = step_wait, .wait = WAIT_WITHOUT_A_SIGN },
	{ "hang-killed", "an app that hangs in doFrame and is killed", 12, hz_60, set_up_front,
	  .step = step_killed },
	{ "idle-beside", "an app that is idle every 3 s, beside a game that is not", 12, hz_60,
	  set_up_demo, .step = step_idle_beside_game, .wait = WAIT_WITHOUT_A_SIGN },
	{ "background", "an app that is in the background every 3 s", 12, hz_60, set_up_front,
	  .step = step_background },
	{ "culprits", "an app with late frames, each of a known cause", 30, hz_60, set_up_app,
	  .step = step_culprits },
	{ "culprits-120", "the same at 120 Hz", 30, hz_120, set_up_app, .step = step_culprits },
	{ "culprits-game", "the same of a game at 30 fps", 30, hz_60, set_up_game,
	  .step = step_culprits },
	{ "culprits-cpu", "the same of an app that draws without the GPU", 30, hz_60, set_up_itself,
	  .step = step_culprits },
	{ "ltpo-film", "120 Hz, a film at 24 Hz, the film at 120 Hz rendered at 24, 120 Hz", 12,
	  ltpo, set_up_app, .step = step_rendered },
	{ "arr-240", "vsyncs at 240 Hz, rendered at 120", 10, hz_240, set_up_app,
	  .step = step_rendered },
	{ "fold", "a foldable: its outer display at 60 Hz, the inner one at 120, the outer one", 12,
	  fold, set_up_app, .step = step_steady },
	{ "demo", "an app with late frames and freezes, a game at 30 fps, a mostly idle status bar",
	  20, hz_60, set_up_demo, .step = step_demo },
};

static const struct vocabulary *const vocabularies[] = {
	&android_9,
	&android_11,
	&android_14,
	&android_15,
};

void scenario_print_list(FILE *out)
{
	fputs("scenarios:\n", out);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		fprintf(out, "  %-14s %s (%u s)\n", scenarios[i].name, scenarios[i].about,
			scenarios[i].seconds);
	fputs("vocabularies:\n", out);
	for (size_t i = 0; i < sizeof(vocabularies) / sizeof(vocabularies[0]); i++)
		fprintf(out, "  %s\n", vocabularies[i]->name);
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Sets @vsync to the vsync after @before, with the frames that it shows. */
static void next_vsync(struct scenario_run *run, const struct vsync *before, struct vsync *vsync)
{
	struct simulation *sim = &run->sim;
	const struct part *parts = run->scenario->parts;
	uint64_t half_jitter_ns = sim->vocabulary->tick_jitter_ns / 2;
	uint64_t time_ns = before->time_ns + before->period_ns;
	uint64_t eighth = time_ns * 8 / run->length_ns;
	unsigned int count = 1;

	while (parts[count].period_ns > 0)
		count++;
	const struct part *part = &parts[min(time_ns / (run->length_ns / count), count - 1)];

	*vsync = (struct vsync){
		.number = before->number + 1,
		.time_ns = time_ns,
		.period_ns = part->period_ns,
		.step = part->step,
		.display = part->display,
	};
	vsync->tick_ns = time_ns + sim_random_around(sim, half_jitter_ns, half_jitter_ns);
	/* Late in eighths 2, 3, 5 and 6: around one third and two thirds of the length. */
	if (run->scenario->late_ticks && eighth >= 2 && eighth != 4 && eighth <= 6 &&
	    sim_chance(sim, 40))
		vsync->late_ns = eighth < 4 ? vsync->period_ns / 2
					    : sim_random_around(sim, 2400000, 2000000);
	vsync->present_ns =
		vsync->tick_ns + sim_random_around(sim, min(2400000, vsync->period_ns * 18 / 100),
						   min(1400000, vsync->period_ns * 85 / 1000));
	vsync->client = sim_chance(sim, 8);
	vsync->mirrored = vsync->number % 180 >= 150;
	if (vsync->number >= FIRST_VSYNC && time_ns < run->length_ns)
		run->scenario->step(run, vsync);
}

/* SurfaceFlinger shows the frames of @vsync, and the apps draw those that @next shows. */
static void generate_vsync(struct simulation *sim, const struct vsync *before,
			   const struct vsync *vsync, const struct vsync *next)
{
	const struct vocabulary *vocabulary = sim->vocabulary;
	bool awake = vsync->frame_count > 0 || vsync->tick;
	bool drawn = next->stalled || next->asking || next->killed;
	uint64_t start_ns =
		vsync->tick_ns + vsync->period_ns * vocabulary->app_percent / 100 + 100000;
	uint64_t soonest_ns = start_ns + min(1200000, vsync->period_ns / 8);
	uint64_t latest_ns = start_ns + vsync->period_ns * 2 / 5;

	if (before->period_ns != vsync->period_ns && before->period_ns > 0) {
		sim->hardware_vsyncs = 12;
		vocabulary->change_mode(sim, vsync);
	}
	if ((before->period_ns != vsync->period_ns || before->step != vsync->step) &&
	    vocabulary->state_rates)
		vocabulary->state_rates(sim, vsync);
	if (sim->hardware_vsyncs > 0) {
		sim->hardware_vsyncs--;
		if (vocabulary->hardware_vsync)
			vocabulary->hardware_vsync(sim, vsync);
		else
			write_hardware_vsync(sim, vsync, vocabulary->vsync_slice,
					     vocabulary->vsync_counter);
	}
	/* A late frame answers an earlier tick. */
	for (unsigned int i = 0; i < next->frame_count; i++)
		drawn |= !next->frames[i].late;
	if (awake || drawn)
		vocabulary->tick(sim, vsync, awake, drawn);
	sim->dense = vsync->frame_count > DENSE_FRAMES;
	if (awake)
		vocabulary->latch_and_compose(sim, vsync);

	if (next->stalled)
		sim_draw(sim,
			 &(struct frame){ .layer = next->stalled,
					  .gpu_until_ns = next->gpu_until_ns },
			 start_ns, soonest_ns);
	if (next->killed)
		sim_draw(sim, &(struct frame){ .layer = next->killed, .endless = true }, start_ns,
			 soonest_ns);
	if (next->asking)
		next->asking->app->asked_id = sim->app_id;
	sim->dense = next->frame_count > DENSE_FRAMES;
	for (unsigned int i = 0; i < next->frame_count; i++) {
		uint64_t queue_ns = 0;

		if (next->frames[i].queued_before)
			continue;
		queue_ns = sim_random(sim, soonest_ns, latest_ns);
		/* Many frames are drawn one after the other: markers that alternate between
		 * processes are the hardest to play in time. */
		if (next->frame_count > PARALLEL_FRAMES) {
			start_ns = soonest_ns + i * (latest_ns - soonest_ns) / next->frame_count;
			queue_ns = start_ns;
		}
		sim_draw(sim, &next->frames[i], start_ns, queue_ns);
	}
	sim->dense = false;
	if (awake)
		write_other_markers(sim, vsync);
}

int scenario_generate(struct plan *plan, const struct scenario_options *options)
{
	static struct vsync vsyncs[3];
	struct vsync *before = &vsyncs[0], *vsync = &vsyncs[1], *next = &vsyncs[2];
	const struct vocabulary *vocabulary = NULL;
	const struct scenario *scenario = NULL;
	struct scenario_run *run;

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (strcmp(scenarios[i].name, options->name) == 0)
			scenario = &scenarios[i];
	for (size_t i = 0; i < sizeof(vocabularies) / sizeof(vocabularies[0]); i++)
		if (strcmp(vocabularies[i]->name, options->vocabulary) == 0)
			vocabulary = vocabularies[i];
	if (!scenario || !vocabulary)
		return scenario ? 2 : 1;
	run = calloc(1, sizeof(*run));
	if (!run)
		fail_memory("the scenario");
	run->scenario = scenario;
	run->length_ns = NS_PER_S * (options->seconds ? options->seconds : scenario->seconds);
	sim_init(&run->sim, plan, vocabulary, options->seed);
	run->sim.folds = scenario->parts[0].display == 1;
	scenario->set_up(run);

	*before = (struct vsync){ .number = -1 };
	next_vsync(run, before, vsync);
	while (vsync->time_ns < run->length_ns) {
		struct vsync *reused = before;

		next_vsync(run, vsync, next);
		generate_vsync(&run->sim, before, vsync, next);
		before = vsync;
		vsync = next;
		next = reused;
	}
	plan->base_ns = BASE_NS;
	plan->length_ns = vsync->time_ns;
	plan->vsyncs = vsync->number;
	plan_sort(plan);
	free(run);
	return 0;
}
