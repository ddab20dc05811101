/* SPDX-License-Identifier: Apache-2.0 */
/* If the writer of each marker is known, markers of other processes change no row. */
#include "tests/unit/unit.h"

#include "tests/unit/phone.h"

#define BEGIN (100 * SECOND)
#define FRAMES 100

static const char layer[] = "com.a/com.a.Main#0";

/* Markers with SurfaceFlinger's name and pid, written by a thread of another process. */
static void forge(struct phone *phone, enum trace_kind kind, const char *name, uint64_t time_ns)
{
	const struct trace_record record = {
		.kind = kind,
		.writer = TRACE_WRITER_OTHER,
		.tid = phone->sf_tid,
		.tgid = 900,
		.pid = phone->sf_pid,
		.time_ns = time_ns,
		.value = (int64_t)(time_ns / V60) % 2,
		.comm = SPAN_LITERAL("surfaceflinger"),
		.name = span_of(name),
	};

	phone_record(phone, &record);
}

static const char *const presents[] = {
	[PHONE_9] = "postFramebuffer",
	[PHONE_13] = "postFramebuffer",
	[PHONE_14] = "presentFrameAndReleaseLayers for x",
};

/* Between two frames: ticks, a whole composition, latches, ends of slices that SurfaceFlinger
 * began. */
static void forge_frame(struct phone *phone, uint64_t time_ns)
{
	forge(phone, TRACE_COUNTER, "VSYNC-sf", time_ns);
	forge(phone, TRACE_COUNTER, "VSP-period", time_ns);
	forge(phone, TRACE_SLICE_BEGIN, "commit 7", time_ns);
	forge(phone, TRACE_INSTANT, "latchBuffer com.a/com.a.Main#0 - 7", time_ns);
	forge(phone, TRACE_COUNTER, "BufferTX - com.a/com.a.Main#0", time_ns);
	forge(phone, TRACE_SLICE_BEGIN, "acquireBuffer", time_ns);
	forge(phone, TRACE_COUNTER, layer, time_ns);
	forge(phone, TRACE_SLICE_BEGIN, presents[phone->age], time_ns);
	for (int i = 0; i < 9; i++)
		forge(phone, TRACE_SLICE_END, "", time_ns);
}

static void play(struct phone *phone, enum phone_age age, bool forged)
{
	phone_start(phone, age, NULL);
	phone->sf_writer = TRACE_WRITER_SURFACEFLINGER;
	for (unsigned int i = 0; i < FRAMES; i++) {
		uint64_t present_ns = BEGIN + i * V60;

		phone_frame(phone, present_ns, layer);
		if (forged)
			forge_frame(phone, present_ns + V60 / 2);
	}
	phone_end(phone);
}

static void assert_same_rows(const struct row_log *a, const struct row_log *b)
{
	assert_int_equal(a->n_frames, b->n_frames);
	for (size_t i = 0; i < a->n_frames; i++) {
		assert_int_equal(a->frames[i].present_ns, b->frames[i].present_ns);
		assert_int_equal(a->frames[i].vsync_ns, b->frames[i].vsync_ns);
		assert_int_equal(a->frames[i].interval_ns, b->frames[i].interval_ns);
		assert_int_equal(a->frames[i].vsyncs, b->frames[i].vsyncs);
		assert_string_equal(a->frames[i].layer, b->frames[i].layer);
	}
	assert_int_equal(a->n_fps, b->n_fps);
	assert_int_equal(a->n_events + 1, b->n_events);
}

TEST(forged_markers_change_no_row)
{
	for (enum phone_age age = PHONE_9; age <= PHONE_14; age++) {
		struct phone honest, forged;
		const struct pipeline_counters *counters;

		play(&honest, age, false);
		play(&forged, age, true);
		assert_int_equal(honest.log.n_frames, FRAMES);
		assert_same_rows(&honest.log, &forged.log);
		counters = pipeline_counters(forged.pipeline);
		assert_int_equal(counters->foreign_presents, FRAMES);
		assert_int_equal(counters->foreign_ticks, 2 * FRAMES);
		assert_int_equal(counters->foreign_latches, 2 * FRAMES);
		assert_int_equal(counters->surfaceflinger_restarts, 0);
		phone_stop(&honest);
		phone_stop(&forged);
	}
}

TEST(buffer_markers_of_apps_are_not_forged)
{
	struct phone phone;

	phone_start(&phone, PHONE_9, NULL);
	phone.sf_writer = TRACE_WRITER_SURFACEFLINGER;
	phone_frame(&phone, BEGIN, layer);
	forge(&phone, TRACE_SLICE_BEGIN, "acquireBuffer", BEGIN + MS);
	forge(&phone, TRACE_COUNTER, "SurfaceTexture-0-1-2", BEGIN + MS);
	forge(&phone, TRACE_SLICE_END, "", BEGIN + MS);
	forge(&phone, TRACE_COUNTER, "HW_VSYNC_ON_0", BEGIN + MS);
	forge(&phone, TRACE_SLICE_BEGIN, "Choreographer#doFrame", BEGIN + MS);
	phone_end(&phone);
	assert_int_equal(pipeline_counters(phone.pipeline)->foreign_latches, 0);
	assert_int_equal(pipeline_counters(phone.pipeline)->foreign_ticks, 0);
	phone_stop(&phone);
}
