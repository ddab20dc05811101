/* SPDX-License-Identifier: Apache-2.0 */
/* Android 9: ticks of the DispSync model, two messages a turn, one present slice a frame. */
#include "tools/phone/bufferqueue.h"

static void tick(struct scene *scene, const struct beat *beat, bool sf, bool app)
{
	struct pen *pen = &scene->timer;

	pen_at(pen, beat->tick_ns + beat->late_ns);
	if (sf) {
		scene->sf_value = !scene->sf_value;
		pen_counter(pen, scene->sf_value, "VSYNC-sf");
	}
	if (app) {
		scene->app_value = !scene->app_value;
		pen_counter(pen, scene->app_value, "VSYNC-app");
	}
}

static void invalidate(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "onMessageReceived");
	pen_counter(pen, 0, "FrameMissed");
	bufferqueue_transaction(scene, beat);
	pen_begin(pen, "handleMessageInvalidate");
	for (unsigned int i = 0; i < beat->frame_count; i++)
		bufferqueue_latch(scene, &beat->frames[i]);
	pen_end(pen);
	pen_end(pen);
}

static void post_framebuffer(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_present(pen, beat, "postFramebuffer");
	pen_slice(pen, "presentAndGetReleaseFences");
	for (int i = 0; i < 3; i++)
		pen_slice(pen, "wait");
	pen_end(pen);
}

/* What this vendor's SurfaceFlinger counts besides: names of layers that are no queues. */
static void vendor_counters(struct scene *scene, const struct beat *beat)
{
	if (beat->frame_count == 0 || !scene_chance(scene, 20))
		return;
	const char *name = beat->frames[0].layer->name;

	pen_counter(&scene->sf, 60, "%s fps", name);
	pen_counter(&scene->sf, (int64_t)(beat->period_ns / 1000), "%s duration", name);
}

static void refresh(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "onMessageReceived");
	pen_begin(pen, "handleMessageRefresh");
	pen_slice(pen, "preComposition");
	pen_slice(pen, "rebuildLayerStacks");
	pen_begin(pen, "setUpHWComposer");
	pen_begin(pen, "prepare");
	pen_slice(pen, "HIDL::IComposerClient::executeCommands_2_2::client");
	pen_end(pen);
	pen_end(pen);
	pen_begin(pen, "doComposition");
	pen_counter(pen, beat->client, "hasClientComposition");
	bufferqueue_framebuffer(scene, beat);
	post_framebuffer(scene, beat);
	pen_end(pen);
	bufferqueue_release(scene, beat);
	vendor_counters(scene, beat);
	pen_end(pen);
	pen_end(pen);
}

static void turn(struct scene *scene, const struct beat *beat)
{
	pen_at(&scene->sf, beat->tick_ns + scene_random(scene, 80000, 300000));
	invalidate(scene, beat);
	if (beat->frame_count > 0 || beat->compose)
		refresh(scene, beat);
}

static void hardware(struct scene *scene, const struct beat *beat)
{
	scene_hardware_vsync(scene, beat, "HIDL::IComposerCallback::onVsync::server", "HW_VSYNC_0");
}

static void mode(struct scene *scene, const struct beat *beat)
{
	pen_at(&scene->events, beat->lattice_ns);
	pen_counter(&scene->events, 1, "HW_VSYNC_ON_0");
}

const struct vocabulary phone_android_9 = {
	.name = "android-9",
	.tick_jitter_ns = 50000,
	.app_percent = 2,
	.timer = "DispSync",
	.name_layer = bufferqueue_name_layer,
	.tick = tick,
	.draw = bufferqueue_draw,
	.turn = turn,
	.hardware = hardware,
	.mode = mode,
};
