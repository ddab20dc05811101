/* SPDX-License-Identifier: Apache-2.0 */
/* Android 11: ticks by timer callbacks, a present slice for each output, the queues still in
 * SurfaceFlinger. */
#include "tools/phone/bufferqueue.h"

#define DISPLAY_ID "19261116564980353"

static void predict(struct pen *pen, const struct beat *beat)
{
	pen_counter(pen, 0, "VSP-mode");
	pen_counter(pen, (int64_t)(SCENE_S + beat->lattice_ns), "VSP-timePoint");
	pen_counter(pen, (int64_t)(SCENE_S + beat->lattice_ns + beat->period_ns), "VSP-prediction");
}

static void tick(struct scene *scene, const struct beat *beat, bool sf, bool app)
{
	struct pen *pen = &scene->timer;

	pen_at(pen, beat->tick_ns + beat->late_ns);
	pen_slice(pen, "TimerIteration #%u", ++scene->iteration);
	predict(pen, beat);
	if (sf) {
		scene->sf_value = !scene->sf_value;
		pen_counter(pen, scene->sf_value, "VSYNC-sf");
	}
	if (!app)
		return;
	/* Apps are woken a good third of a period later than SurfaceFlinger. */
	pen_at(pen, beat->tick_ns + beat->late_ns +
			    beat->period_ns * phone_android_11.app_percent / 100);
	pen_slice(pen, "TimerIteration #%u", ++scene->iteration);
	scene->app_value = !scene->app_value;
	pen_counter(pen, scene->app_value, "VSYNC-app");
}

static void invalidate(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "onMessageReceived");
	pen_begin(pen, "onMessageInvalidate");
	pen_counter(pen, 0, "PrevFramePending");
	pen_counter(pen, 0, "PrevFrameMissed");
	pen_counter(pen, 0, "PrevHwcFrameMissed");
	pen_counter(pen, 0, "PrevGpuFrameMissed");
	bufferqueue_transaction(scene, beat);
	pen_begin(pen, "handleMessageInvalidate");
	pen_begin(pen, "handlePageFlip");
	for (unsigned int i = 0; i < beat->frame_count; i++)
		bufferqueue_latch(scene, &beat->frames[i]);
	pen_end(pen);
	pen_slice(pen, "chooseRefreshRateForContent");
	pen_end(pen);
	if (beat->frame_count > 0 && scene_chance(scene, 10))
		pen_counter(pen, 60, "LFPS %s", beat->frames[0].layer->name);
	pen_end(pen);
	pen_end(pen);
}

static void finish_output(struct scene *scene, const struct beat *beat, bool client)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "finishFrame");
	pen_begin(pen, "composeSurfaces");
	pen_counter(pen, client, "hasClientComposition");
	pen_end(pen);
	bufferqueue_framebuffer(scene, beat);
	pen_end(pen);
}

static void post_framebuffer(struct pen *pen)
{
	pen_slice(pen, "presentAndGetReleaseFences");
	for (int i = 0; i < 3; i++)
		pen_slice(pen, "wait");
	pen_end(pen);
}

static void present_outputs(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "present");
	pen_begin(pen, "prepareFrame");
	pen_begin(pen, "chooseCompositionStrategy");
	pen_slice(pen, "HIDL::IComposerClient::executeCommands_2_2::client");
	pen_end(pen);
	pen_end(pen);
	finish_output(scene, beat, beat->client);
	pen_present(pen, beat, "postFramebuffer");
	post_framebuffer(pen);
	pen_end(pen);
	if (!beat->mirrored)
		return;
	pen_begin(pen, "present");
	finish_output(scene, beat, true);
	pen_begin(pen, "postFramebuffer");
	post_framebuffer(pen);
	pen_end(pen);
}

static void refresh(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_begin(pen, "onMessageReceived");
	pen_begin(pen, "onMessageRefresh");
	pen_begin(pen, "present");
	pen_slice(pen, "preComposition");
	pen_begin(pen, "prepare");
	pen_slice(pen, "rebuildLayerStacks");
	pen_end(pen);
	present_outputs(scene, beat);
	pen_end(pen);
	bufferqueue_release(scene, beat);
	if (scene_chance(scene, 20)) {
		pen_counter(pen, (int64_t)beat->period_ns, "VSP-period");
		pen_counter(pen, 9597, "VSP-intercept");
	}
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
	scene_hardware_vsync(scene, beat, "HIDL::IComposerCallback::onVsync_2_4::server",
			     "HW_VSYNC_" DISPLAY_ID);
}

static void mode(struct scene *scene, const struct beat *beat)
{
	struct pen *pen = &scene->sf;

	pen_at(pen, beat->lattice_ns - SCENE_MS);
	pen_begin(pen, "performSetActiveConfig");
	pen_counter(pen, 1, "HW_VSYNC_ON_" DISPLAY_ID);
	pen_end(pen);
	pen_counter(pen, 1, "VSP-mode");
	pen_counter(pen, (int64_t)beat->period_ns, "VSP-period");
}

const struct vocabulary phone_android_11 = {
	.name = "android-11",
	.tick_jitter_ns = 500000,
	.app_percent = 40,
	.timer = "TimerDispatch",
	.name_layer = bufferqueue_name_layer,
	.tick = tick,
	.draw = bufferqueue_draw,
	.turn = turn,
	.hardware = hardware,
	.mode = mode,
};
