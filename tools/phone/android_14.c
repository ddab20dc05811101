/* SPDX-License-Identifier: Apache-2.0 */
/* Android 14: queues live in the apps (BLAST), buffers come with transactions, SurfaceFlinger
 * commits and composites by vsync id and says by name what it latched. */
#include "tools/phone/simulation.h"

#include <stdio.h>
#include <string.h>

#define DISPLAY "Primary display (4619827259835644672)"
#define DISPLAY_ID "4619827259835644672"

/* Queues of an app count from 1; any small number does. */
static unsigned int producer_id(const struct scene *scene)
{
	return scene->layer_id % 40;
}

static void name_layer(struct scene *scene, struct layer *layer, unsigned int instance)
{
	const char *word = strrchr(layer->title, '.');
	unsigned int id = scene->layer_id += (unsigned int)scene_random(scene, 2, 9);
	char tag[sizeof(layer->title) + 32];

	word = word ? word + 1 : layer->title;
	if (layer->kind == LAYER_SURFACE_VIEW) {
		snprintf(layer->name, sizeof(layer->name), "SurfaceView[%s](BLAST)#%u",
			 layer->title, id);
		snprintf(tag, sizeof(tag), "SurfaceView[%s]", layer->title);
	} else {
		snprintf(layer->name, sizeof(layer->name), "%s#%u", layer->title, id);
		snprintf(tag, sizeof(tag), "VRI[%s]", word);
	}
	snprintf(layer->producer, sizeof(layer->producer), "%s#%uBLAST#%u", tag, producer_id(scene),
		 producer_id(scene));
}

static void predict(struct pen *pen, const char *who, const struct beat *beat)
{
	pen_begin(pen, "nextAnticipatedVSyncTimeFrom");
	pen_counter(pen, 0, "VSP-mode " DISPLAY_ID);
	pen_instant(pen, "vsync in %llu.%02llums", (unsigned long long)(beat->period_ns / SCENE_MS),
		    (unsigned long long)(beat->period_ns / 10000 % 100));
	pen_end(pen);
	pen_instant(pen, "%s alarm in %lluus; VSYNC in %lluus", who,
		    (unsigned long long)(beat->period_ns / 2000),
		    (unsigned long long)(beat->period_ns / 1000));
}

static void call_back(struct scene *scene, const struct beat *beat, const char *who, bool *value)
{
	struct pen *pen = &scene->timer;

	pen_slice(pen, "TimerIteration #%u", ++scene->iteration);
	pen_begin(pen, "timerCallback");
	predict(pen, who, beat);
	pen_begin(pen, "timerCallback: %s", who);
	pen_begin(pen, "vsyncCallback");
	*value = !*value;
	pen_counter(pen, *value, "VSYNC-%s", who);
	pen_end(pen);
	pen_end(pen);
	pen_end(pen);
}

static void tick(struct scene *scene, const struct beat *beat, bool sf, bool app)
{
	pen_at(&scene->timer, beat->tick_ns + beat->late_ns);
	if (sf)
		call_back(scene, beat, "sf", &scene->sf_value);
	if (!app)
		return;
	pen_at(&scene->timer, beat->tick_ns + beat->late_ns +
				      beat->period_ns * phone_android_14.app_percent / 100);
	call_back(scene, beat, "app", &scene->app_value);
	if (scene_chance(scene, 30))
		call_back(scene, beat, "appSf", &scene->app_sf_value);
}

static void app_draws(struct scene *scene, struct app *app, uint64_t start_ns, uint64_t work_ns)
{
	struct pen *pen = &app->main;

	pen_at(pen, start_ns - work_ns);
	pen_begin(pen, "Choreographer#doFrame %u", scene->vsync_id);
	if (scene_chance(scene, 5))
		pen_slice(pen, "Choreographer#doFrame - resynced to %u in 6.1ms",
			  scene->vsync_id + 1);
	pen_slice(pen, "animation");
	pen_begin(pen, "traversal");
	pen_at(pen, start_ns);
	pen_slice(pen, "draw-VRI[%s]", app->activity);
	pen_end(pen);
	pen_end(pen);
	pen_at(&app->render, pen->now_ns);
	pen_begin(&app->render, "DrawFrames %u", scene->vsync_id);
	pen_slice(&app->render, "syncFrameState");
}

/* The app's own queue, from which BLAST acquires at once. */
static void queue_buffer(struct scene *scene, const struct frame *frame)
{
	struct layer *layer = frame->layer;
	struct pen *pen = &layer->app->render;
	int tag = (int)(strstr(layer->producer, "BLAST#") - layer->producer);
	unsigned int number = ++layer->frame;

	pen_begin(pen, "queueBuffer");
	pen_counter(pen, 1, "%.*s(BLAST Consumer)", tag, layer->producer);
	pen_step(pen, layer->producer_queue, 1);
	pen_begin(pen, "acquireNextBufferLocked - %.*s(f:1,a:1)frame=%u", tag, layer->producer,
		  number);
	pen_counter(pen, 0, "%.*s(BLAST Consumer)", tag, layer->producer);
	struct pen *binder = scene_binder(scene, pen->now_ns + 40000);

	pen_begin(binder, "setTransactionState");
	pen_step(binder, layer->queue, 1);
	pen_counter(binder, 1, "TransactionQueue");
	pen_counter(binder, 16, "mTransactionFlags");
	pen_end(binder);
	pen_end(pen);
	pen_end(pen);
}

static void draw(struct scene *scene, const struct frame *frame, uint64_t start_ns,
		 uint64_t queue_ns)
{
	struct app *app = frame->layer->app;
	struct pen *render = &app->render;
	bool framed = frame->layer->kind != LAYER_SURFACE_VIEW;

	if (framed)
		app_draws(scene, app, start_ns, frame->work_ns);
	pen_at(render, queue_ns);
	pen_begin(render, "eglSwapBuffersWithDamageKHR");
	for (unsigned int i = 0; i <= frame->replaced; i++)
		queue_buffer(scene, frame);
	pen_slice(render, "Trace GPU completion fence %u", ++app->fences);
	pen_step(render, app->fence_counter, 1);
	pen_slice(render, "dequeueBuffer");
	pen_end(render);
	if (framed)
		pen_end(render);
	pen_at(&app->fence, render->now_ns);
	pen_slice(&app->fence, "waiting for GPU completion %u", app->fences);
	pen_step(&app->fence, app->fence_counter, -1);
}

static void begin_frame(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "beginFrame %u vsyncIn %llu.%02llums", scene->vsync_id,
		  (unsigned long long)(beat->period_ns * 3 / 2 / SCENE_MS),
		  (unsigned long long)(beat->period_ns / 10000 % 100));
	pen_slice(pen, "isFencePending");
	pen_counter(pen, 0, "PrevFramePending " DISPLAY_ID);
	pen_counter(pen, 0, "PrevFrameMissed " DISPLAY_ID);
	pen_counter(pen, 0, "PrevHwcFrameMissed " DISPLAY_ID);
	pen_counter(pen, 0, "PrevGpuFrameMissed " DISPLAY_ID);
	pen_end(pen);
}

/* Transactions bring buffers; one that comes on top of another drops it. */
static void set_buffers(struct scene *scene, const struct frame *frame)
{
	struct pen *pen = &scene->sf;
	const struct layer *layer = frame->layer;

	for (unsigned int i = 0; i <= frame->replaced; i++) {
		pen_begin(pen, "setBuffer %s - hasBuffer=true", layer->name);
		pen_instant(pen, "setBuffer %s - %u", layer->name,
			    layer->frame - frame->replaced + i);
		if (i > 0)
			pen_step(pen, layer->queue, -1);
		pen_slice(pen, "createSurfaceFrameForToken");
		pen_end(pen);
	}
}

static void commit(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "commit %u", scene->vsync_id);
	pen_begin(pen, "updateLayerSnapshots");
	pen_begin(pen, "TransactionHandler:flushTransactions");
	pen_counter(pen, 0, "TransactionQueue");
	pen_end(pen);
	for (unsigned int i = 0; i < beat->frame_count; i++)
		set_buffers(scene, &beat->frames[i]);
	for (unsigned int i = 0; i < beat->frame_count; i++) {
		const struct layer *layer = beat->frames[i].layer;

		pen_instant(pen, "latchBuffer %s - %u", layer->name, layer->frame);
		pen_slice(pen, "addSurfaceFrame");
		pen_step(pen, layer->queue, -1);
	}
	pen_end(pen);
	pen_slice(pen, "commitTransactions");
	pen_counter(pen, 0, "mTransactionFlags");
	pen_end(pen);
}

static void client_composition(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;
	unsigned int slot = (unsigned int)beat->vsync % 3;

	pen_begin(pen, "queueBuffer");
	pen_slice(pen, "FramebufferSurface: %u", slot);
	pen_counter(pen, 1, "FramebufferSurface");
	pen_end(pen);
	pen_at(&scene->composer, pen->now_ns);
	pen_slice(&scene->composer, "REThreaded::drawLayers");
	pen_begin(pen, "acquireBuffer");
	pen_slice(pen, "FramebufferSurface: %u", slot);
	pen_counter(pen, 0, "FramebufferSurface");
	pen_end(pen);
}

static void present_output(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "present for " DISPLAY);
	pen_begin(pen, "prepareFrame");
	pen_slice(pen, "chooseCompositionStrategy for " DISPLAY);
	pen_end(pen);
	pen_begin(pen, "finishFrame");
	pen_begin(pen, "composeSurfaces");
	pen_counter(pen, beat->client, "hasClientComposition " DISPLAY);
	pen_end(pen);
	if (beat->client)
		client_composition(scene, beat);
	pen_end(pen);
	pen_present(pen, beat, "presentFrameAndReleaseLayers for " DISPLAY);
	pen_begin(pen, "presentAndGetReleaseFences");
	pen_slice(pen, "wait for earliest present time");
	pen_slice(pen, "HwcPresentDisplay");
	pen_end(pen);
	pen_slice(pen, "wait");
	pen_end(pen);
	pen_end(pen);
}

static void present_mirror(struct pen *pen)
{
	pen_begin(pen, "present for ScreenRecorder (virtual)");
	pen_begin(pen, "finishFrame");
	pen_counter(pen, 1, "hasClientComposition ScreenRecorder (virtual)");
	pen_end(pen);
	pen_slice(pen, "presentFrameAndReleaseLayers for ScreenRecorder (virtual)");
	pen_end(pen);
}

static void composite(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "composite %u", scene->vsync_id);
	pen_counter(pen, 2, "PowerMode " DISPLAY_ID);
	pen_begin(pen, "present");
	pen_slice(pen, "preComposition");
	pen_begin(pen, "prepare");
	pen_slice(pen, "rebuildLayerStacks");
	pen_end(pen);
	present_output(scene, beat);
	if (beat->mirrored)
		present_mirror(pen);
	pen_end(pen);
	pen_begin(pen, "onCompositionPresented");
	pen_slice(pen, "addPresentFence " DISPLAY_ID);
	pen_counter(pen, 190061824, "Total Buffer Size");
	pen_end(pen);
	pen_end(pen);
}

/* The buffers that were shown before go back to their apps. */
static void release(struct scene *scene, const struct beat *beat)
{
	for (unsigned int i = 0; i < beat->frame_count; i++) {
		const struct frame *frame = &beat->frames[i];
		struct pen *pen = &frame->layer->app->binder;

		pen_at(pen, scene->sf.now_ns + (uint64_t)i * 10000);
		for (unsigned int n = 0; n <= frame->replaced; n++) {
			pen_begin(pen, "releaseBufferCallback");
			pen_step(pen, frame->layer->producer_queue, -1);
			pen_end(pen);
		}
	}
}

static void turn(struct scene *scene, const struct beat *beat)
{
	scene->vsync_id += 7;
	pen_at(&scene->sf, beat->tick_ns + scene_random(scene, 80000, 250000));
	begin_frame(scene, beat);
	commit(scene, beat);
	if (beat->frame_count == 0 && !beat->compose)
		return;
	composite(scene, beat);
	release(scene, beat);
}

static void hardware(struct scene *scene, const struct beat *beat)
{
	scene_hardware_vsync(scene, beat, "AIDL::cpp::IComposerCallback::onVsync::cppServer",
			     "HW_VSYNC_" DISPLAY_ID);
}

static void mode(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_at(pen, beat->lattice_ns - SCENE_MS);
	pen_begin(pen, "initiateDisplayModeChanges");
	pen_counter(pen, 1, "HW_VSYNC_ON_" DISPLAY_ID);
	pen_counter(pen, (int64_t)beat->period_ns, "VSR-setPeriod " DISPLAY_ID);
	pen_counter(pen, (int64_t)beat->period_ns, "VSP-setPeriod " DISPLAY_ID);
	pen_counter(pen, 1, "VSP-mode " DISPLAY_ID);
	pen_end(pen);
}

const struct vocabulary phone_android_14 = {
	.name = "android-14",
	.tick_jitter_ns = 500000,
	.app_percent = 12,
	.timer = "TimerDispatch",
	.name_layer = name_layer,
	.tick = tick,
	.draw = draw,
	.turn = turn,
	.hardware = hardware,
	.mode = mode,
};
