/* SPDX-License-Identifier: Apache-2.0 */
/* Android 11: ticks by timer callbacks, a present slice for each output, buffer queues still in
 * SurfaceFlinger. */
#include "tools/phone/android.h"
#include "tools/phone/bufferqueue.h"

#define DISPLAY_ID "19261116564980353"

static void predict(struct marker_writer *writer, const struct vsync *vsync)
{
	write_all(writer, "VSP-mode=0; VSP-timePoint=%lld; VSP-prediction=%lld;",
		  (long long)(NS_PER_S + vsync->time_ns),
		  (long long)(NS_PER_S + vsync->time_ns + vsync->period_ns));
}

static void tick(struct simulation *sim, const struct vsync *vsync, bool sf, bool app)
{
	struct marker_writer *writer = &sim->timer;

	writer_advance(writer, vsync->tick_ns + vsync->late_ns);
	write_slice(writer, "TimerIteration #%u", ++sim->iteration);
	predict(writer, vsync);
	if (sf) {
		sim->sf_value = !sim->sf_value;
		write_counter(writer, sim->sf_value, "VSYNC-sf");
	}
	if (!app)
		return;
	/* Apps wake up more than a third of a period after SurfaceFlinger. */
	writer_advance(writer, vsync->tick_ns + vsync->late_ns +
				       vsync->period_ns * android_11.app_percent / 100);
	write_slice(writer, "TimerIteration #%u", ++sim->iteration);
	sim->app_value = !sim->app_value;
	write_counter(writer, sim->app_value, "VSYNC-app");
}

static void invalidate(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	write_all(writer,
		  "onMessageReceived{ onMessageInvalidate{ PrevFramePending=%d; "
		  "PrevFrameMissed=%d; PrevHwcFrameMissed=%d; PrevGpuFrameMissed=0;",
		  vsync->missed, vsync->missed, vsync->missed);
	if (vsync->missed) {
		write_end(writer);
		write_end(writer);
		return;
	}
	bufferqueue_apply_transactions(sim, vsync);
	write_begin(writer, "handleMessageInvalidate");
	write_begin(writer, "handlePageFlip");
	for (unsigned int i = 0; i < vsync->frame_count; i++)
		bufferqueue_latch(sim, &vsync->frames[i]);
	write_all(writer, "} chooseRefreshRateForContent{} }");
	if (vsync->frame_count > 0 && sim_chance(sim, 10))
		write_counter(writer, 60, "LFPS %s", vsync->frames[0].layer->name);
	write_end(writer);
	write_end(writer);
}

static void finish_output(struct simulation *sim, const struct vsync *vsync, bool client)
{
	struct marker_writer *writer = &sim->sf;

	write_all(writer, "finishFrame{ composeSurfaces{ hasClientComposition=%d; }", client);
	bufferqueue_framebuffer(sim, vsync);
	write_end(writer);
}

static void present_outputs(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	write_all(writer, "present{ prepareFrame{ chooseCompositionStrategy{ "
			  "HIDL::IComposerClient::executeCommands_2_2::client{} } }");
	finish_output(sim, vsync, vsync->client);
	write_present(writer, vsync, "postFramebuffer");
	bufferqueue_end_post(sim);
	write_end(writer);
	if (!vsync->mirrored)
		return;
	write_begin(writer, "present");
	finish_output(sim, vsync, true);
	write_begin(writer, "postFramebuffer");
	bufferqueue_end_post(sim);
	write_end(writer);
}

static void refresh(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	write_all(writer, "onMessageReceived{ onMessageRefresh{ present{ preComposition{} prepare{ "
			  "rebuildLayerStacks{} }");
	present_outputs(sim, vsync);
	write_end(writer);
	bufferqueue_release(sim, vsync);
	if (sim_chance(sim, 20)) {
		write_counter(writer, (int64_t)vsync->period_ns, "VSP-period");
		write_counter(writer, 9597, "VSP-intercept");
	}
	write_end(writer);
	write_end(writer);
}

static void latch_and_compose(struct simulation *sim, const struct vsync *vsync)
{
	writer_advance(&sim->sf, vsync->tick_ns + sim_random(sim, 80000, 300000));
	invalidate(sim, vsync);
	if (!vsync->missed && (vsync->frame_count > 0 || vsync->compose))
		refresh(sim, vsync);
}

static void hardware_vsync(struct simulation *sim, const struct vsync *vsync)
{
	write_hardware_vsync(sim, vsync, "HIDL::IComposerCallback::onVsync_2_4::server",
			     "HW_VSYNC_" DISPLAY_ID);
}

static void change_mode(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	writer_advance(writer, vsync->time_ns - NS_PER_MS);
	write_all(writer,
		  "performSetActiveConfig{ HW_VSYNC_ON_" DISPLAY_ID
		  "=1; } VSP-mode=1; VSP-period=%lld;",
		  (long long)vsync->period_ns);
}

const struct vocabulary android_11 = {
	.name = "android-11",
	.tick_jitter_ns = 500000,
	.app_percent = 40,
	.timer = "TimerDispatch",
	.name_layer = bufferqueue_name_layer,
	.tick = tick,
	.draw = bufferqueue_draw,
	.latch_and_compose = latch_and_compose,
	.hardware_vsync = hardware_vsync,
	.change_mode = change_mode,
};
