/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/phone/error.h"

#define SF_PID 612
#define SYSTEM_PID 1480
#define APP_PID 2300

uint64_t scene_random(struct scene *scene, uint64_t low, uint64_t high)
{
	uint64_t x = scene->random += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return low + x % (high - low + 1);
}

bool scene_chance(struct scene *scene, unsigned int percent)
{
	return scene_random(scene, 0, 99) < percent;
}

uint64_t scene_bell(struct scene *scene, uint64_t mean, uint64_t spread)
{
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum += scene_random(scene, 0, spread * 2);
	return mean - spread + sum / 4;
}

static struct pen new_pen(struct scene *scene, uint16_t process, const char *comm, int32_t tid)
{
	return (struct pen){
		.scene = scene,
		.thread = phone_plan_thread(scene->plan, process, tid, comm),
		.process = (int16_t)process,
		.cpu = (uint8_t)scene_random(scene, 0, 7),
	};
}

static void cast_surfaceflinger(struct scene *scene)
{
	uint16_t sf = phone_plan_process(scene->plan, SF_PID, "surfaceflinger");
	char comm[32];

	scene->sf = new_pen(scene, sf, "surfaceflinger", SF_PID);
	scene->timer = new_pen(scene, sf, scene->vocabulary->timer, SF_PID + 22);
	scene->events = new_pen(scene, sf, "appEventThread", SF_PID + 24);
	scene->composer = new_pen(scene, sf, "RenderEngine", SF_PID + 25);
	snprintf(comm, sizeof(comm), "HwBinder:%d_1", SF_PID);
	scene->hardware = new_pen(scene, sf, comm, SF_PID + 30);
	for (int i = 0; i < SCENE_BINDERS; i++) {
		snprintf(comm, sizeof(comm), "Binder:%d_%d", SF_PID, i + 1);
		scene->binders[i] = new_pen(scene, sf, comm, SF_PID + 40 + i);
	}
}

void scene_open(struct scene *scene, struct phone_plan *plan, const struct vocabulary *vocabulary,
		uint64_t seed)
{
	memset(scene, 0, sizeof(*scene));
	scene->plan = plan;
	scene->vocabulary = vocabulary;
	scene->random = seed;
	scene->layer_id = 70;
	scene->vsync_id = 1253000;
	cast_surfaceflinger(scene);
	uint16_t system = phone_plan_process(plan, SYSTEM_PID, "system_server");

	scene->dispatcher = new_pen(scene, system, "InputDispatcher", SYSTEM_PID + 31);
}

struct app *scene_app(struct scene *scene, const char *package, const char *activity,
		      const char *render)
{
	struct app *app = &scene->apps[scene->app_count];
	int32_t pid = APP_PID + 100 * (int32_t)scene->app_count;
	size_t length = strlen(package);
	const char *comm =
		length < PHONE_COMM_SIZE ? package : package + length - PHONE_COMM_SIZE + 1;
	char binder[32];

	if (scene->app_count == SCENE_APPS_MAX)
		phone_fail("the scenario", "has too many apps", "raise SCENE_APPS_MAX");
	scene->app_count++;
	uint16_t process = phone_plan_process(scene->plan, pid, comm);

	app->package = package;
	app->activity = activity;
	app->main = new_pen(scene, process, comm, pid);
	app->render = new_pen(scene, process, render, pid + 21);
	app->fence = new_pen(scene, process, "GPU completion", pid + 24);
	app->heap = new_pen(scene, process, "HeapTaskDaemon", pid + 8);
	snprintf(binder, sizeof(binder), "Binder:%d_2", pid);
	app->binder = new_pen(scene, process, binder, pid + 12);
	app->fence_counter = phone_plan_counter(scene->plan, "GPU completion");
	return app;
}

static unsigned int living_namesakes(const struct scene *scene, const struct layer *layer)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < scene->layer_count; i++)
		if (&scene->layers[i] != layer && scene->layers[i].alive &&
		    strcmp(scene->layers[i].title, layer->title) == 0)
			count++;
	return count;
}

struct layer *scene_layer(struct scene *scene, struct app *app, enum layer_kind kind,
			  const char *title)
{
	struct layer *layer = &scene->layers[scene->layer_count];
	char name[512];

	if (scene->layer_count == SCENE_LAYERS_MAX)
		phone_fail("the scenario", "makes too many surfaces", "play less (--seconds)");
	scene->layer_count++;
	*layer = (struct layer){ .app = app, .kind = kind, .alive = true };
	if (title)
		snprintf(layer->title, sizeof(layer->title), "%s", title);
	else
		snprintf(layer->title, sizeof(layer->title), "%s/%s.%s", app->package, app->package,
			 app->activity);
	scene->vocabulary->name_layer(scene, layer, living_namesakes(scene, layer));
	layer->number = phone_plan_layer(scene->plan, span_of(layer->name));
	if (layer->producer[0] == '\0') {
		layer->queue = phone_plan_counter(scene->plan, layer->name);
		snprintf(name, sizeof(name), "TX - %s", layer->name);
		layer->transactions = phone_plan_counter(scene->plan, name);
		return layer;
	}
	snprintf(name, sizeof(name), "BufferTX - %s", layer->name);
	layer->queue = phone_plan_counter(scene->plan, name);
	snprintf(name, sizeof(name), "QueuedBuffer - %s", layer->producer);
	layer->producer_queue = phone_plan_counter(scene->plan, name);
	return layer;
}

void scene_frame(struct beat *beat, struct layer *layer, unsigned int replaced)
{
	if (beat->frame_count < SCENE_FRAMES_MAX)
		beat->frames[beat->frame_count++] =
			(struct frame){ .layer = layer, .replaced = replaced };
}

void scene_slow_frame(struct beat *beat, struct layer *layer, uint64_t work_ns)
{
	if (beat->frame_count < SCENE_FRAMES_MAX)
		beat->frames[beat->frame_count++] =
			(struct frame){ .layer = layer, .work_ns = work_ns };
}

void scene_waited_frame(struct beat *beat, struct layer *layer)
{
	if (beat->frame_count < SCENE_FRAMES_MAX)
		beat->frames[beat->frame_count++] =
			(struct frame){ .layer = layer, .waited = true };
}

void pen_at(struct pen *pen, uint64_t time_ns)
{
	if (pen->now_ns >= time_ns)
		return;
	pen->now_ns = time_ns;
	if (scene_chance(pen->scene, 10))
		pen->cpu = (uint8_t)scene_random(pen->scene, 0, 7);
}

struct pen *scene_binder(struct scene *scene, uint64_t time_ns)
{
	struct pen *best = &scene->binders[0];

	for (int i = 1; i < SCENE_BINDERS && best->now_ns > time_ns; i++)
		if (scene->binders[i].now_ns < best->now_ns)
			best = &scene->binders[i];
	pen_at(best, time_ns);
	return best;
}

static struct phone_mark next_mark(struct pen *pen)
{
	struct scene *scene = pen->scene;

	pen->now_ns +=
		scene->crowded ? scene_random(scene, 800, 1600) : scene_random(scene, 2500, 9000);
	return (struct phone_mark){
		.time_ns = pen->now_ns,
		.thread = pen->thread,
		.process = pen->process,
		.cpu = pen->cpu,
	};
}

static uint32_t write_mark(struct pen *pen, char letter, const char *format, va_list arguments,
			   const char *tail)
{
	char text[1024];
	int used = snprintf(text, sizeof(text), "%c|", letter);

	used += vsnprintf(text + used, sizeof(text) - (size_t)used, format, arguments);
	used += snprintf(text + used, sizeof(text) - (size_t)used, "%s", tail);
	return phone_plan_mark(pen->scene->plan, next_mark(pen), span_of(text));
}

uint32_t pen_begin(struct pen *pen, const char *format, ...)
{
	va_list arguments;
	uint32_t mark;

	va_start(arguments, format);
	mark = write_mark(pen, 'B', format, arguments, "");
	va_end(arguments);
	return mark;
}

uint32_t pen_end(struct pen *pen)
{
	return phone_plan_mark(pen->scene->plan, next_mark(pen), SPAN_LITERAL("E"));
}

uint32_t pen_instant(struct pen *pen, const char *format, ...)
{
	va_list arguments;
	uint32_t mark;

	va_start(arguments, format);
	mark = write_mark(pen, 'I', format, arguments, "");
	va_end(arguments);
	return mark;
}

uint32_t pen_counter(struct pen *pen, int64_t value, const char *format, ...)
{
	va_list arguments;
	char tail[32];
	uint32_t mark;

	snprintf(tail, sizeof(tail), "|%lld", (long long)value);
	va_start(arguments, format);
	mark = write_mark(pen, 'C', format, arguments, tail);
	va_end(arguments);
	return mark;
}

uint32_t pen_step(struct pen *pen, uint32_t counter, int step)
{
	return phone_plan_step(pen->scene->plan, next_mark(pen), counter, step);
}

void pen_slice(struct pen *pen, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_mark(pen, 'B', format, arguments, "");
	va_end(arguments);
	pen_end(pen);
}

uint32_t pen_raw(struct pen *pen, const char *text)
{
	return phone_plan_mark(pen->scene->plan, next_mark(pen), span_of(text));
}

uint32_t pen_bare_end(struct pen *pen)
{
	struct phone_mark mark = next_mark(pen);

	mark.process = PHONE_NO_PROCESS;
	return phone_plan_mark(pen->scene->plan, mark, SPAN_LITERAL("E"));
}

void pen_present(struct pen *pen, const struct beat *beat, const char *name)
{
	pen_at(pen, beat->present_ns);
	uint32_t mark = pen_begin(pen, "%s", name);

	for (unsigned int i = 0; i < beat->frame_count; i++)
		phone_plan_truth(pen->scene->plan,
				 (struct phone_truth){
					 .mark = mark,
					 .layer = beat->frames[i].layer->number,
					 .vsync = beat->vsync,
					 .period_ns = beat->period_ns,
					 .vsync_ns = beat->lattice_ns + beat->period_ns,
				 });
}

static void app_noise(struct scene *scene, struct app *app, uint64_t time_ns)
{
	unsigned int cookie = (unsigned int)scene_random(scene, 100000, 999999);
	char text[128];

	pen_at(&app->heap, time_ns);
	pen_counter(&app->heap, (int64_t)scene_random(scene, 9000, 14000), "Heap size (KB)");
	pen_at(&app->main, time_ns);
	pen_counter(&app->main, 1, "aq:pending:%s/%s.%s", app->package, app->package,
		    app->activity);
	pen_begin(&app->main, "deliverInputEvent src=0x1002 eventTimeNano=%u|id=0x%x", cookie,
		  cookie);
	pen_slice(&app->main, "query: SELECT a|b FROM t");
	pen_end(&app->main);
	pen_counter(&app->main, 0, "aq:pending:%s/%s.%s", app->package, app->package,
		    app->activity);
	snprintf(text, sizeof(text), "S|animator:alpha|%u", cookie);
	pen_raw(&app->main, text);
	text[0] = 'F';
	pen_raw(&app->main, text);
}

void scene_noise(struct scene *scene, const struct beat *beat)
{
	uint64_t time_ns = beat->lattice_ns + scene_random(scene, 0, beat->period_ns / 2);
	struct app *app = &scene->apps[scene_random(scene, 0, scene->app_count - 1)];

	if (scene_chance(scene, 8) && !app->busy)
		app_noise(scene, app, time_ns);
	if (scene_chance(scene, 12)) {
		pen_at(&scene->dispatcher, time_ns);
		pen_counter(&scene->dispatcher, 1, "iq");
		pen_counter(&scene->dispatcher, 0, "iq");
		pen_counter(&scene->dispatcher, (int64_t)scene_random(scene, 0, 2),
			    "wq:%s/%s.%s (server)", app->package, app->package, app->activity);
	}
	if (scene_chance(scene, 3)) {
		pen_at(&scene->events, time_ns);
		pen_begin(&scene->events, "Contending for pthread mutex owned by tid: %d", SF_PID);
		pen_bare_end(&scene->events);
	}
}

void scene_hardware_vsync(struct scene *scene, const struct beat *beat, const char *slice,
			  const char *counter)
{
	struct pen *pen = &scene->hardware;

	pen_at(pen, beat->lattice_ns);
	pen_begin(pen, "%s", slice);
	scene->hardware_value = !scene->hardware_value;
	pen_counter(pen, scene->hardware_value, "%s", counter);
	pen_end(pen);
}
