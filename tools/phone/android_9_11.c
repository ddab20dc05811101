/* SPDX-License-Identifier: Apache-2.0 */
/* Android 9 and 11: the BufferQueues of the layers are in SurfaceFlinger, which gets two messages
 * per vsync. Android 9 has ticks of the DispSync model and one present slice per frame; Android 11
 * has ticks by timer callbacks and a present slice for each output. */
#include <stdio.h>

#include "tools/phone/simulation.h"

#define SLOTS 3
#define DISPLAY_ID "19261116564980353"

/* The end of a slice postFramebuffer, in which SurfaceFlinger presents and waits for fences. */
#define END_POST "presentAndGetReleaseFences{} wait{} wait{} wait{} }"

/* Layers of the same title are numbered: "title#0", "title#1". */
static void name_layer(struct simulation *sim, struct layer *layer, unsigned int same_title)
{
	const char *prefix = layer->kind == LAYER_SURFACE_VIEW ? "SurfaceView - " : "";

	snprintf(layer->name, sizeof(layer->name), "%s%s#%u", prefix, layer->title, same_title);
}

static void tick_9(struct simulation *sim, const struct vsync *vsync, bool sf, bool app)
{
	writer_advance(&sim->timer, vsync->tick_ns + vsync->late_ns);
	if (sf)
		write_toggle(&sim->timer, &sim->sf_value, "VSYNC-sf");
	if (app)
		write_toggle(&sim->timer, &sim->app_value, "VSYNC-app");
}

static void tick_11(struct simulation *sim, const struct vsync *vsync, bool sf, bool app)
{
	struct marker_writer *writer = &sim->timer;
	uint64_t time_ns = NS_PER_S + vsync->time_ns;

	writer_advance(writer, vsync->tick_ns + vsync->late_ns);
	write_all(writer,
		  "TimerIteration #%u{} VSP-mode=0; VSP-timePoint=%lld; VSP-prediction=%lld;",
		  ++sim->iteration, (long long)time_ns, (long long)(time_ns + vsync->period_ns));
	if (sf)
		write_toggle(writer, &sim->sf_value, "VSYNC-sf");
	if (!app)
		return;
	/* Apps wake up more than a third of a period after SurfaceFlinger. */
	writer_advance(writer, vsync->tick_ns + vsync->late_ns +
				       vsync->period_ns * android_11.app_percent / 100);
	write_all(writer, "TimerIteration #%u{}", ++sim->iteration);
	write_toggle(writer, &sim->app_value, "VSYNC-app");
}

static void do_frame(struct simulation *sim, const struct frame *frame, uint64_t start_ns)
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
	write_all(&app->render, "DrawFrame{ syncFrameState{}");
}

/* The producer's call, on a binder thread of SurfaceFlinger; the producer waits for it. The counter
 * does not change if the buffer replaces another one that was not latched yet. */
static void queue_buffer(struct simulation *sim, struct layer *layer, struct marker_writer *render,
			 bool replaces)
{
	struct marker_writer *writer = sim_free_binder(sim, render->now_ns);

	write_all(writer, "queueBuffer{ %s: %u{}", layer->name, ++layer->frame % SLOTS);
	write_step(writer, layer->queue, replaces ? 0 : 1);
	write_all(writer, replaces ? "onFrameReplaced{} }" : "}");
	if (render->now_ns < writer->now_ns)
		render->now_ns = writer->now_ns;
}

static void queue_transaction(struct simulation *sim, struct layer *layer, uint64_t time_ns)
{
	struct marker_writer *writer = sim_free_binder(sim, time_ns);

	if (layer->transaction)
		return;
	layer->transaction = true;
	write_all(writer, "setTransactionState{");
	write_step(writer, layer->transactions, 1);
	write_all(writer, "}");
}

/* --- SurfaceFlinger's main thread --- */

static void apply_transactions(struct simulation *sim, const struct vsync *vsync)
{
	write_all(&sim->sf, "handleMessageTransaction{");
	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		struct layer *layer = vsync->frames[i].layer;

		if (layer->transaction)
			write_step(&sim->sf, layer->transactions, -1);
		layer->transaction = false;
	}
	write_all(&sim->sf, "}");
}

static void latch(struct simulation *sim, const struct vsync *vsync)
{
	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		const struct layer *layer = vsync->frames[i].layer;

		write_all(&sim->sf, "latchBuffer{ query{} updateTexImage{ acquireBuffer{ %s: %u{}",
			  layer->name, layer->frame % SLOTS);
		write_step(&sim->sf, layer->queue, -1);
		write_all(&sim->sf, "} wait{} } }");
	}
}

/* The buffer that the GPU composed goes through SurfaceFlinger's own queue. */
static void acquire_framebuffer(struct simulation *sim, const struct vsync *vsync)
{
	if (vsync->client)
		write_all(&sim->sf,
			  "queueBuffer{ FramebufferSurface=1; } "
			  "acquireBuffer{ FramebufferSurface: %u{} FramebufferSurface=0; }",
			  (unsigned int)vsync->number % SLOTS);
	else
		write_all(&sim->sf, "acquireBuffer{}");
}

/* Releases the buffers of the previous frames. */
static void release(struct simulation *sim, const struct vsync *vsync)
{
	write_all(&sim->sf, "postComposition{");
	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		const struct layer *layer = vsync->frames[i].layer;

		write_all(&sim->sf, "releaseBuffer{ %s: %u{} }", layer->name,
			  (layer->frame + 2) % SLOTS);
	}
	write_all(&sim->sf, "Total Buffer Size=190061824; }");
}

/* The two messages of a vsync: it latches, and it composes. */
static void latch_and_compose_9(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	writer_advance(writer, vsync->tick_ns + sim_random(sim, 80000, 300000));
	write_all(writer, "onMessageReceived{ FrameMissed=%d;", vsync->missed);
	if (!vsync->missed) {
		apply_transactions(sim, vsync);
		write_all(writer, "handleMessageInvalidate{");
		latch(sim, vsync);
		write_all(writer, "}");
	}
	write_all(writer, "}");
	if (vsync->missed || (vsync->frame_count == 0 && !vsync->compose))
		return;
	write_all(writer,
		  "onMessageReceived{ handleMessageRefresh{ preComposition{} rebuildLayerStacks{} "
		  "setUpHWComposer{ prepare{ HIDL::IComposerClient::executeCommands_2_2::client{} "
		  "} } doComposition{ hasClientComposition=%d;",
		  vsync->client);
	acquire_framebuffer(sim, vsync);
	write_present(writer, vsync, "postFramebuffer");
	write_all(writer, END_POST " }");
	release(sim, vsync);
	/* Counters that a vendor added: they carry a layer's name, but count no buffers. */
	if (vsync->frame_count > 0 && sim_chance(sim, 20)) {
		const char *name = vsync->frames[0].layer->name;

		write_all(writer, "%s fps=60; %s duration=%u;", name, name,
			  (unsigned int)(vsync->period_ns / 1000));
	}
	write_all(writer, "} }");
}

static void latch_and_compose_11(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	writer_advance(writer, vsync->tick_ns + sim_random(sim, 80000, 300000));
	write_all(writer,
		  "onMessageReceived{ onMessageInvalidate{ PrevFramePending=%d; "
		  "PrevFrameMissed=%d; PrevHwcFrameMissed=%d; PrevGpuFrameMissed=0;",
		  vsync->missed, vsync->missed, vsync->missed);
	if (!vsync->missed) {
		apply_transactions(sim, vsync);
		write_all(writer, "handleMessageInvalidate{ handlePageFlip{");
		latch(sim, vsync);
		write_all(writer, "} chooseRefreshRateForContent{} }");
		if (vsync->frame_count > 0 && sim_chance(sim, 10))
			write_all(writer, "LFPS %s=60;", vsync->frames[0].layer->name);
	}
	write_all(writer, "} }");
	if (vsync->missed || (vsync->frame_count == 0 && !vsync->compose))
		return;
	write_all(writer,
		  "onMessageReceived{ onMessageRefresh{ present{ preComposition{} prepare{ "
		  "rebuildLayerStacks{} } present{ prepareFrame{ chooseCompositionStrategy{ "
		  "HIDL::IComposerClient::executeCommands_2_2::client{} } } "
		  "finishFrame{ composeSurfaces{ hasClientComposition=%d; }",
		  vsync->client);
	acquire_framebuffer(sim, vsync);
	write_all(writer, "}");
	write_present(writer, vsync, "postFramebuffer");
	write_all(writer, END_POST " }");
	if (vsync->mirrored) {
		write_all(writer, "present{ finishFrame{ composeSurfaces{ "
				  "hasClientComposition=1; }");
		acquire_framebuffer(sim, vsync);
		write_all(writer, "} postFramebuffer{ " END_POST " }");
	}
	write_all(writer, "}");
	release(sim, vsync);
	if (sim_chance(sim, 20))
		write_all(writer, "VSP-period=%lld; VSP-intercept=9597;",
			  (long long)vsync->period_ns);
	write_all(writer, "} }");
}

static void change_mode_9(struct simulation *sim, const struct vsync *vsync)
{
	writer_advance(&sim->events, vsync->time_ns);
	write_all(&sim->events, "HW_VSYNC_ON_0=1;");
}

static void change_mode_11(struct simulation *sim, const struct vsync *vsync)
{
	writer_advance(&sim->sf, vsync->time_ns - NS_PER_MS);
	write_all(&sim->sf,
		  "performSetActiveConfig{ HW_VSYNC_ON_" DISPLAY_ID
		  "=1; } VSP-mode=1; VSP-period=%lld;",
		  (long long)vsync->period_ns);
}

const struct vocabulary android_9 = {
	.name = "android-9",
	.tick_jitter_ns = 50000,
	.app_percent = 2,
	.timer = "DispSync",
	.vsync_slice = "HIDL::IComposerCallback::onVsync::server",
	.vsync_counter = "HW_VSYNC_0",
	.name_layer = name_layer,
	.tick = tick_9,
	.do_frame = do_frame,
	.queue_buffer = queue_buffer,
	.queue_transaction = queue_transaction,
	.latch_and_compose = latch_and_compose_9,
	.change_mode = change_mode_9,
};

const struct vocabulary android_11 = {
	.name = "android-11",
	.tick_jitter_ns = 500000,
	.app_percent = 40,
	.timer = "TimerDispatch",
	.vsync_slice = "HIDL::IComposerCallback::onVsync_2_4::server",
	.vsync_counter = "HW_VSYNC_" DISPLAY_ID,
	.name_layer = name_layer,
	.tick = tick_11,
	.do_frame = do_frame,
	.queue_buffer = queue_buffer,
	.queue_transaction = queue_transaction,
	.latch_and_compose = latch_and_compose_11,
	.change_mode = change_mode_11,
};
