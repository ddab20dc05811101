/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/bufferqueue.h"

#include <stdio.h>

#define SLOTS 3

void bufferqueue_name_layer(struct scene *scene, struct layer *layer, unsigned int instance)
{
	const char *prefix = layer->kind == LAYER_SURFACE_VIEW ? "SurfaceView - " : "";

	snprintf(layer->name, sizeof(layer->name), "%s%s#%u", prefix, layer->title, instance);
}

static void app_draws(struct scene *scene, struct app *app, uint64_t start_ns, uint64_t work_ns)
{
	struct pen *pen = &app->main;

	pen_at(pen, start_ns - work_ns);
	pen_begin(pen, "Choreographer#doFrame");
	pen_slice(pen, "input");
	pen_slice(pen, "animation");
	pen_begin(pen, "traversal");
	pen_at(pen, start_ns);
	pen_begin(pen, "draw");
	pen_slice(pen, "Record View#draw()");
	pen_end(pen);
	pen_end(pen);
	pen_end(pen);
	pen_at(&app->render, pen->now_ns);
	pen_begin(&app->render, "DrawFrame");
	pen_slice(&app->render, "syncFrameState");
}

/* The producer's call, served by a binder thread of SurfaceFlinger's. A buffer that is replaced
 * before it was taken leaves the counter where it was. */
static void queue_buffer(struct scene *scene, const struct frame *frame, uint64_t time_ns,
			 bool replaces)
{
	struct layer *layer = frame->layer;
	struct pen *pen = scene_binder(scene, time_ns);

	pen_begin(pen, "queueBuffer");
	pen_slice(pen, "%s: %u", layer->name, ++layer->frame % SLOTS);
	pen_step(pen, layer->queue, replaces ? 0 : 1);
	if (replaces)
		pen_slice(pen, "onFrameReplaced");
	pen_end(pen);
}

static void queue_transaction(struct scene *scene, struct layer *layer, uint64_t time_ns)
{
	struct pen *pen = scene_binder(scene, time_ns);

	if (layer->transaction)
		return;
	layer->transaction = true;
	pen_begin(pen, "setTransactionState");
	pen_step(pen, layer->transactions, 1);
	pen_end(pen);
}

void bufferqueue_draw(struct scene *scene, const struct frame *frame, uint64_t start_ns,
		      uint64_t queue_ns)
{
	struct app *app = frame->layer->app;
	struct pen *render = &app->render;
	bool framed = frame->layer->kind != LAYER_SURFACE_VIEW;

	if (framed)
		app_draws(scene, app, start_ns, frame->work_ns);
	pen_at(render, queue_ns);
	pen_begin(render, "eglSwapBuffersWithDamageKHR");
	pen_begin(render, "queueBuffer");
	for (unsigned int i = 0; i <= frame->replaced; i++)
		queue_buffer(scene, frame, render->now_ns, i > 0);
	pen_end(render);
	pen_slice(render, "Trace GPU completion fence %u", ++app->fences);
	pen_step(render, app->fence_counter, 1);
	pen_slice(render, "dequeueBuffer");
	pen_end(render);
	if (framed)
		pen_end(render);
	pen_at(&app->fence, render->now_ns);
	pen_slice(&app->fence, "waiting for GPU completion %u", app->fences);
	pen_step(&app->fence, app->fence_counter, -1);
	if (frame->layer->kind == LAYER_WINDOW && scene_chance(scene, 3))
		queue_transaction(scene, frame->layer, render->now_ns);
}

void bufferqueue_latch(struct scene *scene, const struct frame *frame)
{
	struct pen *pen = &scene->sf;
	struct layer *layer = frame->layer;

	pen_begin(pen, "latchBuffer");
	pen_slice(pen, "query");
	pen_begin(pen, "updateTexImage");
	pen_begin(pen, "acquireBuffer");
	pen_slice(pen, "%s: %u", layer->name, layer->frame % SLOTS);
	pen_step(pen, layer->queue, -1);
	pen_end(pen);
	pen_slice(pen, "wait");
	pen_end(pen);
	pen_end(pen);
}

void bufferqueue_framebuffer(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	if (beat->client) {
		pen_begin(pen, "queueBuffer");
		pen_counter(pen, 1, "FramebufferSurface");
		pen_end(pen);
	}
	pen_begin(pen, "acquireBuffer");
	if (beat->client) {
		pen_slice(pen, "FramebufferSurface: %u", (unsigned int)beat->vsync % SLOTS);
		pen_counter(pen, 0, "FramebufferSurface");
	}
	pen_end(pen);
}

void bufferqueue_transaction(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "handleMessageTransaction");
	for (unsigned int i = 0; i < beat->frame_count; i++) {
		struct layer *layer = beat->frames[i].layer;

		if (layer->transaction)
			pen_step(pen, layer->transactions, -1);
		layer->transaction = false;
	}
	pen_end(pen);
}

void bufferqueue_release(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "postComposition");
	for (unsigned int i = 0; i < beat->frame_count; i++) {
		const struct layer *layer = beat->frames[i].layer;

		pen_begin(pen, "releaseBuffer");
		pen_slice(pen, "%s: %u", layer->name, (layer->frame + 2) % SLOTS);
		pen_end(pen);
	}
	pen_counter(pen, 190061824, "Total Buffer Size");
	pen_end(pen);
}
