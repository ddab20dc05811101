/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/bufferqueue.h"

#include <stdio.h>

#define SLOTS 3

void bufferqueue_name_layer(struct simulation *sim, struct layer *layer, unsigned int same_title)
{
	const char *prefix = layer->kind == LAYER_SURFACE_VIEW ? "SurfaceView - " : "";

	snprintf(layer->name, sizeof(layer->name), "%s%s#%u", prefix, layer->title, same_title);
}

static void app_draws(struct simulation *sim, const struct frame *frame, uint64_t start_ns)
{
	struct app *app = frame->layer->app;
	struct marker_writer *writer = &app->main;

	writer_advance(writer, start_ns - frame->work_ns);
	write_all(writer, "Choreographer#doFrame{ input{} animation{} traversal{");
	if (frame->endless)
		return;
	writer_advance(writer, start_ns);
	write_all(writer, "draw{ Record View#draw(){} } } }");
	if (app->draws_itself)
		return;
	writer_advance(&app->render, writer->now_ns);
	write_begin(&app->render, "DrawFrame");
	write_slice(&app->render, "syncFrameState");
}

/* The producer's call, on a binder thread of SurfaceFlinger; the producer waits for it. The counter
 * does not change if the buffer replaces another one that was not latched yet. */
static void queue_buffer(struct simulation *sim, const struct frame *frame,
			 struct marker_writer *render, bool replaces)
{
	struct layer *layer = frame->layer;
	struct marker_writer *writer = sim_free_binder(sim, render->now_ns);

	write_begin(writer, "queueBuffer");
	write_slice(writer, "%s: %u", layer->name, ++layer->frame % SLOTS);
	write_step(writer, layer->queue, replaces ? 0 : 1);
	if (replaces)
		write_slice(writer, "onFrameReplaced");
	write_end(writer);
	if (render->now_ns < writer->now_ns)
		render->now_ns = writer->now_ns;
}

static void queue_transaction(struct simulation *sim, struct layer *layer, uint64_t time_ns)
{
	struct marker_writer *writer = sim_free_binder(sim, time_ns);

	if (layer->transaction)
		return;
	layer->transaction = true;
	write_begin(writer, "setTransactionState");
	write_step(writer, layer->transactions, 1);
	write_end(writer);
}

void bufferqueue_draw(struct simulation *sim, const struct frame *frame, uint64_t start_ns,
		      uint64_t queue_ns)
{
	struct app *app = frame->layer->app;
	struct marker_writer *render = app->draws_itself ? &app->main : &app->render;
	bool framed = frame->layer->kind != LAYER_SURFACE_VIEW;

	if (framed)
		app_draws(sim, frame, start_ns);
	if (frame->endless)
		return;
	if (frame->blocked_ns > 0) {
		writer_advance(render, queue_ns - frame->blocked_ns);
		write_begin(render, "dequeueBuffer");
		writer_advance(render, queue_ns);
		write_end(render);
	}
	writer_advance(render, queue_ns);
	write_begin(render, "eglSwapBuffersWithDamageKHR");
	for (unsigned int i = 0; i <= frame->replaced; i++) {
		write_begin(render, "queueBuffer");
		queue_buffer(sim, frame, render, i > 0 || frame->dropped > 0);
		app_queues_fence(app);
		write_end(render);
	}
	write_slice(render, "dequeueBuffer");
	write_end(render);
	if (framed && !app->draws_itself)
		write_end(render);
	app_waits_for_fences(app, frame->replaced + 1, frame->gpu_until_ns);
	if (frame->layer->kind == LAYER_WINDOW && sim_chance(sim, 3))
		queue_transaction(sim, frame->layer, render->now_ns);
}

void bufferqueue_latch(struct simulation *sim, const struct frame *frame)
{
	struct marker_writer *writer = &sim->sf;
	struct layer *layer = frame->layer;

	write_all(writer, "latchBuffer{ query{} updateTexImage{ acquireBuffer{ %s: %u{}",
		  layer->name, layer->frame % SLOTS);
	write_step(writer, layer->queue, -1);
	write_all(writer, "} wait{} } }");
}

void bufferqueue_framebuffer(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	if (vsync->client) {
		write_all(writer, "queueBuffer{ FramebufferSurface=1; }");
	}
	write_begin(writer, "acquireBuffer");
	if (vsync->client) {
		write_slice(writer, "FramebufferSurface: %u", (unsigned int)vsync->number % SLOTS);
		write_counter(writer, 0, "FramebufferSurface");
	}
	write_end(writer);
}

void bufferqueue_end_post(struct simulation *sim)
{
	struct marker_writer *writer = &sim->sf;

	write_slice(writer, "presentAndGetReleaseFences");
	for (int i = 0; i < 3; i++)
		write_slice(writer, "wait");
	write_end(writer);
}

void bufferqueue_apply_transactions(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	write_begin(writer, "handleMessageTransaction");
	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		struct layer *layer = vsync->frames[i].layer;

		if (layer->transaction)
			write_step(writer, layer->transactions, -1);
		layer->transaction = false;
	}
	write_end(writer);
}

void bufferqueue_release(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	write_begin(writer, "postComposition");
	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		const struct layer *layer = vsync->frames[i].layer;

		write_all(writer, "releaseBuffer{ %s: %u{} }", layer->name,
			  (layer->frame + 2) % SLOTS);
	}
	write_counter(writer, 190061824, "Total Buffer Size");
	write_end(writer);
}
