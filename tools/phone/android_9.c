/* SPDX-License-Identifier: Apache-2.0 */
/* Android 9: ticks of the DispSync model, two messages per vsync, one present slice per frame. */
#include "tools/phone/android.h"
#include "tools/phone/bufferqueue.h"

static void tick(struct simulation *sim, const struct vsync *vsync, bool sf, bool app)
{
	struct marker_writer *writer = &sim->timer;

	writer_advance(writer, vsync->tick_ns + vsync->late_ns);
	if (sf) {
		sim->sf_value = !sim->sf_value;
		write_counter(writer, sim->sf_value, "VSYNC-sf");
	}
	if (app) {
		sim->app_value = !sim->app_value;
		write_counter(writer, sim->app_value, "VSYNC-app");
	}
}

static void invalidate(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	write_begin(writer, "onMessageReceived");
	write_counter(writer, vsync->missed, "FrameMissed");
	if (vsync->missed) {
		write_end(writer);
		return;
	}
	bufferqueue_apply_transactions(sim, vsync);
	write_begin(writer, "handleMessageInvalidate");
	for (unsigned int i = 0; i < vsync->frame_count; i++)
		bufferqueue_latch(sim, &vsync->frames[i]);
	write_end(writer);
	write_end(writer);
}

/* Counters that a vendor added: they carry a layer's name, but count no buffers. */
static void vendor_counters(struct simulation *sim, const struct vsync *vsync)
{
	if (vsync->frame_count == 0 || !sim_chance(sim, 20))
		return;
	const char *name = vsync->frames[0].layer->name;

	write_counter(&sim->sf, 60, "%s fps", name);
	write_counter(&sim->sf, (int64_t)(vsync->period_ns / 1000), "%s duration", name);
}

static void refresh(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	write_all(writer,
		  "onMessageReceived{ handleMessageRefresh{ preComposition{} rebuildLayerStacks{} "
		  "setUpHWComposer{ prepare{ HIDL::IComposerClient::executeCommands_2_2::client{} "
		  "} } doComposition{ hasClientComposition=%d;",
		  vsync->client);
	bufferqueue_framebuffer(sim, vsync);
	write_present(writer, vsync, "postFramebuffer");
	bufferqueue_end_post(sim);
	write_end(writer);
	bufferqueue_release(sim, vsync);
	vendor_counters(sim, vsync);
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
	write_hardware_vsync(sim, vsync, "HIDL::IComposerCallback::onVsync::server", "HW_VSYNC_0");
}

static void change_mode(struct simulation *sim, const struct vsync *vsync)
{
	writer_advance(&sim->events, vsync->time_ns);
	write_counter(&sim->events, 1, "HW_VSYNC_ON_0");
}

const struct vocabulary android_9 = {
	.name = "android-9",
	.tick_jitter_ns = 50000,
	.app_percent = 2,
	.timer = "DispSync",
	.name_layer = bufferqueue_name_layer,
	.tick = tick,
	.draw = bufferqueue_draw,
	.latch_and_compose = latch_and_compose,
	.hardware_vsync = hardware_vsync,
	.change_mode = change_mode,
};
