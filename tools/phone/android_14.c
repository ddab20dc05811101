/* SPDX-License-Identifier: Apache-2.0 */
/* Android 14 and 15: the buffer queues are in the apps (BLAST), buffers arrive in transactions,
 * SurfaceFlinger commits and composites by vsync id, and an instant names each latched layer.
 * Android 15 also states the rates of its displays. */
#include <stdio.h>
#include <string.h>

#include "tools/phone/simulation.h"

#define DISPLAY "Primary display (4619827259835644672)"
#define DISPLAY_ID "4619827259835644672"
#define OUTER "Outer display (4619827259835644673)"
#define OUTER_ID "4619827259835644673"

static void name_layer(struct simulation *sim, struct layer *layer, unsigned int same_title)
{
	const char *word = strrchr(layer->title, '.');
	unsigned int id = sim->layer_id += (unsigned int)sim_random(sim, 2, 9);
	/* An app numbers its queues from 1. Any small number can be used here. */
	unsigned int queue = id % 40;
	bool view = layer->kind == LAYER_SURFACE_VIEW;

	word = word ? word + 1 : layer->title;
	snprintf(layer->name, sizeof(layer->name), view ? "SurfaceView[%s](BLAST)#%u" : "%s#%u",
		 layer->title, id);
	layer->tag_length =
		snprintf(layer->producer, sizeof(layer->producer), "%s[%s]#%u",
			 view ? "SurfaceView" : "VRI", view ? layer->title : word, queue);
	snprintf(layer->producer + layer->tag_length,
		 sizeof(layer->producer) - (size_t)layer->tag_length, "BLAST#%u", queue);
}

static void call_back(struct simulation *sim, const struct vsync *vsync, const char *target,
		      bool *value)
{
	unsigned long long us = vsync->period_ns / 1000;

	*value = !*value;
	write_all(&sim->timer,
		  "TimerIteration #%u{} timerCallback{ nextAnticipatedVSyncTimeFrom{ "
		  "VSP-mode " DISPLAY_ID "=0; <vsync in %llu.%02llums> } "
		  "<%s alarm in %lluus; VSYNC in %lluus> timerCallback: %s{ vsyncCallback{ "
		  "VSYNC-%s=%d; } } }",
		  ++sim->iteration, us / 1000, us / 10 % 100, target,
		  (unsigned long long)(vsync->period_ns / 2000), us, target, target, *value);
}

static void tick(struct simulation *sim, const struct vsync *vsync, bool sf, bool app)
{
	writer_advance(&sim->timer, vsync->tick_ns + vsync->late_ns);
	if (sf)
		sim->sf_id = sim->vsync_id += 7;
	if (app)
		sim->app_id = sim->vsync_id += 7;
	if (sf)
		call_back(sim, vsync, "sf", &sim->sf_value);
	if (!app)
		return;
	writer_advance(&sim->timer, vsync->tick_ns + vsync->late_ns +
					    vsync->period_ns * android_14.app_percent / 100);
	call_back(sim, vsync, "app", &sim->app_value);
	if (sim_chance(sim, 30))
		call_back(sim, vsync, "appSf", &sim->app_sf_value);
}

static void do_frame(struct simulation *sim, const struct frame *frame, uint64_t start_ns)
{
	struct app *app = frame->layer->app;
	struct marker_writer *writer = &app->main;
	unsigned int id = frame->late || frame->asked ? app->asked_id : sim->app_id;

	writer_advance(writer, start_ns - frame->work_ns);
	write_all(writer, "Choreographer#doFrame %u{", id);
	if (frame->late || sim_chance(sim, 5))
		write_all(writer, "Choreographer#doFrame - resynced to %u in 6.1ms{}",
			  sim->app_id + 1);
	write_all(writer, "animation{} traversal{");
	if (frame->endless)
		return;
	writer_advance(writer, start_ns);
	write_all(writer, "draw-VRI[%s]{} } }", app->activity);
	if (app->draws_itself)
		return;
	writer_advance(&app->render, writer->now_ns);
	write_all(&app->render, "DrawFrames %u{ syncFrameState{}", id);
}

/* The app's own queue; BLAST acquires from it at once. */
static void queue_buffer(struct simulation *sim, struct layer *layer, struct marker_writer *render,
			 bool replaces)
{
	write_all(render, "%.*s(BLAST Consumer)=1;", layer->tag_length, layer->producer);
	write_step(render, layer->producer_queue, 1);
	write_all(render, "acquireNextBufferLocked - %.*s(f:0,a:1)frame=%u{", layer->tag_length,
		  layer->producer, ++layer->frame);
	write_all(render, "%.*s(BLAST Consumer)=0;", layer->tag_length, layer->producer);
	struct marker_writer *binder = sim_free_binder(sim, render->now_ns + 40000);

	write_all(binder, "setTransactionState{");
	write_step(binder, layer->queue, 1);
	write_all(binder, "TransactionQueue=1; mTransactionFlags=16; }");
	write_all(render, "}");
}

/* SurfaceFlinger commits what arrived, composites, and returns the buffers of the previous frames
 * to their apps. */
static void latch_and_compose(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;
	uint64_t in_ns = vsync->period_ns * 3 / 2 + vsync->moved_ns;
	unsigned int slot = (unsigned int)vsync->number % 3;

	writer_advance(writer, vsync->tick_ns + sim_random(sim, 80000, 250000));
	write_all(
		writer,
		"beginFrame %u vsyncIn %llu.%02llums{ isFencePending{} PrevFramePending " DISPLAY_ID
		"=0; PrevFrameMissed " DISPLAY_ID "=%d; PrevHwcFrameMissed " DISPLAY_ID
		"=%d; PrevGpuFrameMissed " DISPLAY_ID "=0; } "
		"commit %u{ updateLayerSnapshots{ TransactionHandler:flushTransactions{ "
		"TransactionQueue=0; }",
		sim->sf_id, (unsigned long long)(in_ns / NS_PER_MS),
		(unsigned long long)(in_ns / 10000 % 100), vsync->missed, vsync->missed,
		sim->sf_id);
	/* Transactions carry buffers; a second one for a layer drops the buffer of the first. */
	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		const struct frame *frame = &vsync->frames[i];
		const struct layer *layer = frame->layer;
		unsigned int replaced = frame->replaced + frame->dropped;

		for (unsigned int n = 0; n <= replaced; n++) {
			write_all(writer, "setBuffer %s - hasBuffer=true{ <setBuffer %s - %u>",
				  layer->name, layer->name,
				  layer->frame - frame->ahead - replaced + n);
			if (n > 0)
				write_step(writer, layer->queue, -1);
			write_all(writer, "createSurfaceFrameForToken{} }");
		}
	}
	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		const struct layer *layer = vsync->frames[i].layer;

		write_all(writer, "<latchBuffer %s - %u> addSurfaceFrame{}", layer->name,
			  layer->frame - vsync->frames[i].ahead);
		write_step(writer, layer->queue, -1);
	}
	write_all(writer, "} commitTransactions{} mTransactionFlags=0; }");
	if (vsync->frame_count == 0 && !vsync->compose)
		return;

	write_all(
		writer,
		"composite %u{ PowerMode " DISPLAY_ID
		"=2; present{ preComposition{} prepare{ rebuildLayerStacks{} } present for " DISPLAY
		"{ prepareFrame{ chooseCompositionStrategy for " DISPLAY
		"{} } finishFrame{ composeSurfaces{ hasClientComposition " DISPLAY "=%d; }",
		sim->sf_id, vsync->client);
	if (vsync->client) {
		write_all(writer, "queueBuffer{ FramebufferSurface: %u{} FramebufferSurface=1; }",
			  slot);
		writer_advance(&sim->composer, writer->now_ns);
		write_all(&sim->composer, "REThreaded::drawLayers{}");
		write_all(writer, "acquireBuffer{ FramebufferSurface: %u{} FramebufferSurface=0; }",
			  slot);
	}
	write_all(writer, "}");
	write_present(writer, vsync,
		      vsync->display ? "presentFrameAndReleaseLayers for " OUTER
				     : "presentFrameAndReleaseLayers for " DISPLAY);
	write_all(writer, "presentAndGetReleaseFences{ wait for earliest present time{} "
			  "HwcPresentDisplay{} } wait{} } }");
	if (vsync->mirrored)
		write_all(writer, "present for ScreenRecorder (virtual){ finishFrame{ "
				  "hasClientComposition ScreenRecorder (virtual)=1; } "
				  "presentFrameAndReleaseLayers for ScreenRecorder (virtual){} }");
	write_all(writer, "} onCompositionPresented{ addPresentFence " DISPLAY_ID
			  "{} Total Buffer Size=190061824; } }");

	for (unsigned int i = 0; i < vsync->frame_count; i++) {
		const struct frame *frame = &vsync->frames[i];
		struct marker_writer *binder = &frame->layer->app->binder;

		writer_advance(binder, writer->now_ns + (uint64_t)i * 10000);
		for (unsigned int n = 0; n <= frame->replaced + frame->dropped; n++) {
			write_all(binder, "releaseBufferCallback{");
			write_step(binder, frame->layer->producer_queue, -1);
			write_all(binder, "}");
		}
	}
}

static void change_mode(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;

	writer_advance(writer, vsync->time_ns - NS_PER_MS);
	write_all(writer,
		  "initiateDisplayModeChanges{ HW_VSYNC_ON_" DISPLAY_ID
		  "=1; VSR-setPeriod " DISPLAY_ID "=%lld; VSP-setPeriod " DISPLAY_ID
		  "=%lld; VSP-mode " DISPLAY_ID "=1; }",
		  (long long)vsync->period_ns, (long long)vsync->period_ns);
}

/* --- Android 15 --- */

static const char *id_of(unsigned int display)
{
	return display ? OUTER_ID : DISPLAY_ID;
}

/* The rate of the display's mode in whole Hz, of which all here are multiples of 12. */
static int64_t mode_hz(uint64_t period_ns)
{
	return (int64_t)((NS_PER_S / 12 + period_ns / 2) / period_ns) * 12;
}

static void hardware_vsync_15(struct simulation *sim, const struct vsync *vsync)
{
	char slice[64], counter[64];

	snprintf(slice, sizeof(slice), "onComposerHalVsync %u %lldns", vsync->display,
		 (long long)NS_PER_S / mode_hz(vsync->period_ns));
	snprintf(counter, sizeof(counter), "HW_VSYNC_%s", id_of(vsync->display));
	write_hardware_vsync(sim, vsync, slice, counter);
}

static void change_mode_15(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;
	const char *id = id_of(vsync->display);
	int64_t hz = mode_hz(vsync->period_ns);

	writer_advance(writer, vsync->time_ns - NS_PER_MS);
	write_all(writer,
		  "PendingModeFps %s=%lld; HW_VSYNC_ON_%s=1; VSR-onDisplayModeChanged %s=%lld;", id,
		  (long long)hz, id, id, (long long)NS_PER_S / hz);
}

static void state_rates(struct simulation *sim, const struct vsync *vsync)
{
	struct marker_writer *writer = &sim->sf;
	const char *id = id_of(vsync->display);
	int64_t hz = mode_hz(vsync->period_ns);

	writer_advance(writer, vsync->time_ns > NS_PER_MS ? vsync->time_ns - NS_PER_MS : 0);
	/* The other display is off, and its mode stays. */
	if (sim->folds && vsync->number == 0) {
		write_all(writer,
			  "ActiveModeFps " DISPLAY_ID "=120; RenderRateFps " DISPLAY_ID "=40;");
	}
	write_all(writer, "ActiveModeFps %s=%lld; RenderRateFps %s=%lld;", id, (long long)hz, id,
		  (long long)hz / vsync->step);
}

const struct vocabulary android_14 = {
	.name = "android-14",
	.tick_jitter_ns = 500000,
	.app_percent = 12,
	.timer = "TimerDispatch",
	.vsync_slice = "AIDL::cpp::IComposerCallback::onVsync::cppServer",
	.vsync_counter = "HW_VSYNC_" DISPLAY_ID,
	.name_layer = name_layer,
	.tick = tick,
	.do_frame = do_frame,
	.queue_buffer = queue_buffer,
	.latch_and_compose = latch_and_compose,
	.change_mode = change_mode,
};

const struct vocabulary android_15 = {
	.name = "android-15",
	.tick_jitter_ns = 500000,
	.app_percent = 12,
	.timer = "TimerDispatch",
	.name_layer = name_layer,
	.tick = tick,
	.do_frame = do_frame,
	.queue_buffer = queue_buffer,
	.latch_and_compose = latch_and_compose,
	.hardware_vsync = hardware_vsync_15,
	.change_mode = change_mode_15,
	.state_rates = state_rates,
};
