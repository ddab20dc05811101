/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"

#define SF_PID 612
#define SYSTEM_PID 1480
#define APP_PID 2300

uint64_t sim_random(struct simulation *sim, uint64_t low, uint64_t high)
{
	uint64_t x = sim->random += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return low + x % (high - low + 1);
}

bool sim_chance(struct simulation *sim, unsigned int percent)
{
	return sim_random(sim, 0, 99) < percent;
}

uint64_t sim_random_around(struct simulation *sim, uint64_t mean, uint64_t spread)
{
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum += sim_random(sim, 0, spread * 2);
	return mean - spread + sum / 4;
}

static struct marker_writer new_writer(struct simulation *sim, uint16_t process, const char *comm,
				       int32_t tid)
{
	return (struct marker_writer){
		.sim = sim,
		.thread = plan_add_thread(sim->plan, process, tid, comm),
		.process = (int16_t)process,
		.cpu = (uint8_t)sim_random(sim, 0, 7),
	};
}

void sim_init(struct simulation *sim, struct plan *plan, const struct vocabulary *vocabulary,
	      uint64_t seed)
{
	uint16_t sf, system;
	char comm[32];

	memset(sim, 0, sizeof(*sim));
	sim->plan = plan;
	sim->vocabulary = vocabulary;
	sim->random = seed;
	sim->layer_id = 70;
	sim->vsync_id = sim->sf_id = sim->app_id = 1253000;
	sf = plan_add_process(plan, SF_PID, "surfaceflinger");
	sim->sf = new_writer(sim, sf, "surfaceflinger", SF_PID);
	sim->timer = new_writer(sim, sf, vocabulary->timer, SF_PID + 22);
	sim->events = new_writer(sim, sf, "appEventThread", SF_PID + 24);
	sim->composer = new_writer(sim, sf, "RenderEngine", SF_PID + 25);
	snprintf(comm, sizeof(comm), "HwBinder:%d_1", SF_PID);
	sim->hardware = new_writer(sim, sf, comm, SF_PID + 30);
	for (int i = 0; i < SIM_BINDERS; i++) {
		snprintf(comm, sizeof(comm), "Binder:%d_%d", SF_PID, i + 1);
		sim->binders[i] = new_writer(sim, sf, comm, SF_PID + 40 + i);
	}
	system = plan_add_process(plan, SYSTEM_PID, "system_server");
	sim->dispatcher = new_writer(sim, system, "InputDispatcher", SYSTEM_PID + 31);
}

struct app *sim_add_app(struct simulation *sim, const char *package, const char *activity,
			const char *render)
{
	struct app *app = &sim->apps[sim->app_count];
	int32_t pid = APP_PID + 100 * (int32_t)sim->app_count;
	size_t length = strlen(package);
	const char *comm = length < COMM_SIZE ? package : package + length - COMM_SIZE + 1;
	char binder[32];

	if (sim->app_count == SIM_APPS_MAX)
		fail("the scenario", "too many apps", "raise SIM_APPS_MAX");
	sim->app_count++;
	uint16_t process = plan_add_process(sim->plan, pid, comm);

	app->package = package;
	app->activity = activity;
	app->main = new_writer(sim, process, comm, pid);
	app->render = new_writer(sim, process, render, pid + 21);
	app->fence = new_writer(sim, process, "GPU completion", pid + 24);
	app->heap = new_writer(sim, process, "HeapTaskDaemon", pid + 8);
	snprintf(binder, sizeof(binder), "Binder:%d_2", pid);
	app->binder = new_writer(sim, process, binder, pid + 12);
	app->fence_counter = plan_add_counter(sim->plan, "GPU completion");
	return app;
}

struct layer *sim_add_layer(struct simulation *sim, struct app *app, enum layer_kind kind,
			    const char *title)
{
	struct layer *layer = &sim->layers[sim->layer_count];
	unsigned int same_title = 0;
	char name[512];

	if (sim->layer_count == SIM_LAYERS_MAX)
		fail("the scenario", "too many surfaces", "play fewer seconds (--seconds)");
	*layer = (struct layer){ .app = app, .kind = kind, .exists = true };
	if (title)
		snprintf(layer->title, sizeof(layer->title), "%s", title);
	else
		snprintf(layer->title, sizeof(layer->title), "%s/%s.%s", app->package, app->package,
			 app->activity);
	for (unsigned int i = 0; i < sim->layer_count; i++)
		if (sim->layers[i].exists && strcmp(sim->layers[i].title, layer->title) == 0)
			same_title++;
	sim->layer_count++;
	sim->vocabulary->name_layer(sim, layer, same_title);
	layer->number = plan_layer(sim->plan, span_of(layer->name));
	if (layer->producer[0] == '\0') {
		layer->queue = plan_add_counter(sim->plan, layer->name);
		snprintf(name, sizeof(name), "TX - %s", layer->name);
		layer->transactions = plan_add_counter(sim->plan, name);
		return layer;
	}
	snprintf(name, sizeof(name), "BufferTX - %s", layer->name);
	layer->queue = plan_add_counter(sim->plan, name);
	snprintf(name, sizeof(name), "QueuedBuffer - %s", layer->producer);
	layer->producer_queue = plan_add_counter(sim->plan, name);
	return layer;
}

void writer_advance(struct marker_writer *writer, uint64_t time_ns)
{
	if (writer->now_ns >= time_ns)
		return;
	writer->now_ns = time_ns;
	if (sim_chance(writer->sim, 10))
		writer->cpu = (uint8_t)sim_random(writer->sim, 0, 7);
}

struct marker_writer *sim_free_binder(struct simulation *sim, uint64_t time_ns)
{
	struct marker_writer *best = &sim->binders[0];

	for (int i = 1; i < SIM_BINDERS && best->now_ns > time_ns; i++)
		if (sim->binders[i].now_ns < best->now_ns)
			best = &sim->binders[i];
	writer_advance(best, time_ns);
	return best;
}

static struct marker next_marker(struct marker_writer *writer)
{
	struct simulation *sim = writer->sim;

	writer->now_ns += sim->dense ? sim_random(sim, 800, 1600) : sim_random(sim, 2500, 9000);
	return (struct marker){
		.time_ns = writer->now_ns,
		.thread = writer->thread,
		.process = writer->process,
		.cpu = writer->cpu,
	};
}

/* Returns the number of the marker. */
static uint32_t write_marker(struct marker_writer *writer, char letter, const char *rest)
{
	char text[2064];

	snprintf(text, sizeof(text), "%c|%s", letter, rest);
	return plan_add_marker(writer->sim->plan, next_marker(writer), span_of(text));
}

void write_all(struct marker_writer *writer, const char *format, ...)
{
	char text[2048], *at = text;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	while (*at) {
		char *end = *at == '<' ? strchr(at, '>') : at + strcspn(at, "{};");
		char letter = *end;

		*end = '\0';
		if (letter == '{') {
			write_marker(writer, 'B', at);
		} else if (letter == '>') {
			write_marker(writer, 'I', at + 1);
		} else if (letter == '}') {
			plan_add_marker(writer->sim->plan, next_marker(writer), SPAN_LITERAL("E"));
		} else {
			*strrchr(at, '=') = '|';
			write_marker(writer, 'C', at);
		}
		at = end + 1 + strspn(end + 1, " ");
	}
}

void write_step(struct marker_writer *writer, uint32_t counter, int step)
{
	struct plan *plan = writer->sim->plan;
	uint32_t number = plan_add_marker(plan, next_marker(writer), SPAN_LITERAL("C"));

	plan->markers[number].step = (int32_t)counter * 4 + step + 1;
}

void write_toggle(struct marker_writer *writer, bool *value, const char *name)
{
	*value = !*value;
	write_all(writer, "%s=%d;", name, *value);
}

void write_present(struct marker_writer *writer, const struct vsync *vsync, const char *name)
{
	writer_advance(writer, vsync->present_ns);
	uint32_t marker = write_marker(writer, 'B', name);

	for (unsigned int i = 0; i < vsync->frame_count; i++)
		plan_add_truth(writer->sim->plan,
			       (struct truth_frame){
				       .marker = marker,
				       .layer = vsync->frames[i].layer->number,
				       .vsync = vsync->number + vsync->late,
				       .period_ns = vsync->period_ns,
				       .vsync_ns = vsync->time_ns +
						   vsync->period_ns * (uint64_t)(vsync->late + 1),
				       .cause = vsync->frames[i].cause,
			       });
}

void write_other_markers(struct simulation *sim, const struct vsync *vsync)
{
	uint64_t time_ns = vsync->time_ns + sim_random(sim, 0, vsync->period_ns / 2);
	struct app *app = &sim->apps[sim_random(sim, 0, sim->app_count - 1)];

	if (sim_chance(sim, 8) && !app->busy) {
		unsigned int cookie = (unsigned int)sim_random(sim, 100000, 999999);
		char text[64];

		writer_advance(&app->heap, time_ns);
		write_all(&app->heap, "Heap size (KB)=%d;", (int)sim_random(sim, 9000, 14000));
		writer_advance(&app->main, time_ns);
		write_all(&app->main,
			  "aq:pending:%s/%s.%s=1; deliverInputEvent src=0x1002 "
			  "eventTimeNano=%u|id=0x%x{ query: SELECT a|b FROM t{} } "
			  "aq:pending:%s/%s.%s=0;",
			  app->package, app->package, app->activity, cookie, cookie, app->package,
			  app->package, app->activity);
		for (const char *letter = "SF"; *letter; letter++) {
			snprintf(text, sizeof(text), "%c|animator:alpha|%u", *letter, cookie);
			plan_add_marker(sim->plan, next_marker(&app->main), span_of(text));
		}
	}
	if (sim_chance(sim, 12)) {
		writer_advance(&sim->dispatcher, time_ns);
		write_all(&sim->dispatcher, "iq=1; iq=0;");
		write_all(&sim->dispatcher, "wq:%s/%s.%s (server)=%d;", app->package, app->package,
			  app->activity, (int)sim_random(sim, 0, 2));
	}
	if (sim_chance(sim, 3)) {
		writer_advance(&sim->events, time_ns);
		write_all(&sim->events, "Contending for pthread mutex owned by tid: %d{", SF_PID);
		/* An end without a pid, as bionic's own tracer writes it. */
		struct marker end = next_marker(&sim->events);

		end.process = NO_PROCESS;
		plan_add_marker(sim->plan, end, SPAN_LITERAL("E"));
	}
}

void write_hardware_vsync(struct simulation *sim, const struct vsync *vsync, const char *slice,
			  const char *counter)
{
	struct marker_writer *writer = &sim->hardware;

	writer_advance(writer, vsync->time_ns);
	write_all(writer, "%s{", slice);
	write_toggle(writer, &sim->hardware_value, counter);
	write_all(writer, "}");
}

void sim_draw(struct simulation *sim, const struct frame *frame, uint64_t start_ns,
	      uint64_t queue_ns)
{
	const struct vocabulary *vocabulary = sim->vocabulary;
	struct layer *layer = frame->layer;
	struct app *app = layer->app;
	struct marker_writer *render = app->draws_itself ? &app->main : &app->render;
	bool framed = layer->kind != LAYER_SURFACE_VIEW;

	if (framed)
		vocabulary->do_frame(sim, frame, start_ns);
	if (frame->endless)
		return;
	writer_advance(render, queue_ns - frame->blocked_ns);
	if (frame->blocked_ns > 0) {
		write_all(render, "dequeueBuffer%s%.*s{", layer->tag_length ? " - " : "",
			  layer->tag_length, layer->producer);
		writer_advance(render, queue_ns);
		write_all(render, "}");
	}
	write_all(render, "eglSwapBuffersWithDamageKHR{");
	for (unsigned int i = 0; i <= frame->replaced; i++) {
		write_all(render, "queueBuffer{");
		vocabulary->queue_buffer(sim, layer, render, i > 0 || frame->dropped > 0);
		/* The fence of the buffer, which the GPU has not finished. */
		if (!app->draws_itself) {
			write_all(render, "Trace GPU completion fence %u{}", ++app->fences);
			write_step(render, app->fence_counter, 1);
		}
		write_all(render, "}");
	}
	write_all(render,
		  framed && !app->draws_itself ? "dequeueBuffer{} } }" : "dequeueBuffer{} }");

	/* The GPU finishes these fences, each 0.4 to 1.3 ms after the one before. */
	if (!app->draws_itself)
		writer_advance(&app->fence, render->now_ns);
	for (unsigned int n = frame->replaced + 1; n-- > 0 && !app->draws_itself;) {
		unsigned int fence = app->fences - n;

		write_all(&app->fence, "waiting for GPU completion %u{", fence);
		app->fence.now_ns += 400000 + fence * 37 % 10 * 100000;
		if (n == 0)
			writer_advance(&app->fence, frame->gpu_until_ns);
		write_all(&app->fence, "}");
		write_step(&app->fence, app->fence_counter, -1);
	}
	if (vocabulary->queue_transaction && layer->kind == LAYER_WINDOW && sim_chance(sim, 3))
		vocabulary->queue_transaction(sim, layer, render->now_ns);
}
