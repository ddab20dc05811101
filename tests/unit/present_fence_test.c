/* SPDX-License-Identifier: Apache-2.0 */
/* Frames from present fences: rows with the definitions of those from a trace. */
#include "tests/unit/unit.h"

#include <string.h>

#include "rules/pipeline.h"
#include "tests/unit/phone.h"

#define PERIOD_NS UINT64_C(16666667)
#define BEGIN_NS (100 * SECOND)

static struct seen {
	unsigned int rows, vsyncs[4], unknown;
	uint64_t frames, time_ns, waits;
	int64_t lost;
	enum cause cause;
} seen;

static void on_latency(void *context, const struct latency_csv_row *row)
{
	seen.rows++;
	if (row->vsyncs >= 0 && row->vsyncs < 4)
		seen.vsyncs[row->vsyncs]++;
	seen.unknown += row->interval_ns < 0;
	assert_string_equal(row->layer, "com.a/com.a.Main#7");
	assert_string_equal(row->surface, "com.a/com.a.Main");
}

static void on_frame(void *context, const struct frame_row *row)
{
	if (row->cause != CAUSE_NONE)
		seen.cause = row->cause;
	assert_int_equal(row->latched_ns, ROW_UNKNOWN);
	assert_int_equal(row->vsync_id, ROW_UNKNOWN);
}

static void on_fps(void *context, const struct fps_row *row)
{
	seen.frames += row->stats.frames;
	seen.time_ns += row->stats.time_ns;
	seen.waits += row->stats.waits;
	seen.lost = row->stats.lost;
	assert_int_equal(row->refresh_mhz, 60000);
}

static struct pipeline *pipeline;
static struct ruleset *rules;

static int set_up(void **state)
{
	const struct row_sink sink = { .latency = on_latency, .frame = on_frame, .fps = on_fps };
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;
	struct ruleset_error error;

	seen = (struct seen){ .lost = 0 };
	options.is_fences = true;
	if (ruleset_new(&rules, ruleset_builtin("default"), &error) != 0)
		return -1;
	return pipeline_new(&pipeline, rules, &options, &sink);
}

static int tear_down(void **state)
{
	pipeline_free(pipeline);
	ruleset_free(rules);
	return 0;
}

FIXTURE(set_up, tear_down)

/* A frame that is presented @vsync periods after the begin, ready in time by default. */
static struct present_fence frame_at(uint64_t vsync)
{
	/* Fences signal up to 0.2 ms beside the vsync. */
	uint64_t actual_ns = BEGIN_NS + vsync * PERIOD_NS + vsync % 5 * 40000;

	return (struct present_fence){
		.layer = SPAN_LITERAL("com.a/com.a.Main#7"),
		.desired_ns = actual_ns,
		.actual_ns = actual_ns,
		.ready_ns = actual_ns - 5 * MS,
		.period_ns = PERIOD_NS,
	};
}

TEST(test_rows)
{
	for (uint64_t vsync = 0; vsync < 300; vsync += 1 + (vsync % 50 == 0)) {
		struct present_fence frame = frame_at(vsync);

		pipeline_fence(pipeline, &frame);
	}
	pipeline_end(pipeline);
	assert_int_equal(seen.rows, pipeline_counters(pipeline)->frames);
	assert_int_equal(seen.vsyncs[1] + seen.vsyncs[2], seen.rows - 1);
	assert_int_equal(seen.frames, seen.rows - 1);
	assert_int_equal(seen.waits, 0);
	assert_int_equal(seen.unknown, 1);
	assert_in_range(seen.time_ns, 298 * PERIOD_NS, 300 * PERIOD_NS);
}

/* No interval spans a gap, and a loss makes the number of lost events unknown. */
TEST(test_gap)
{
	for (uint64_t vsync = 0; vsync < 30; vsync++) {
		struct present_fence frame = frame_at(vsync + (vsync >= 15 ? 20 : 0));

		frame.gaps = vsync >= 15;
		frame.is_loss = vsync == 15;
		pipeline_fence(pipeline, &frame);
	}
	pipeline_end(pipeline);
	assert_int_equal(seen.rows, 30);
	assert_int_equal(seen.unknown, 2);
	assert_int_equal(seen.frames, 28);
	assert_int_equal(seen.lost, ROW_UNKNOWN);
}

static enum cause cause_when(uint64_t ready_after_ns, uint64_t actual_after_ns)
{
	return present_fence_cause(BEGIN_NS, BEGIN_NS + actual_after_ns, BEGIN_NS + ready_after_ns,
				   PERIOD_NS);
}

TEST(test_causes)
{
	assert_int_equal(cause_when(10 * MS, PERIOD_NS), CAUSE_APP);
	assert_int_equal(cause_when(0, PERIOD_NS), CAUSE_SF_CPU);
	assert_int_equal(cause_when(0, 2 * PERIOD_NS - MS), CAUSE_SF_CPU);
	assert_int_equal(cause_when(0, 8 * MS), CAUSE_DISPLAY);
	assert_int_equal(cause_when(0, MS), CAUSE_APP);
	assert_int_equal(present_fence_cause(0, 1, 1, PERIOD_NS), CAUSE_UNKNOWN);
}

/* A frame that keeps the cadence has no cause, whatever its fences say. */
TEST(test_cause_of_late)
{
	for (uint64_t vsync = 0; vsync < 60; vsync += 1 + 2 * (vsync == 40)) {
		struct present_fence frame = frame_at(vsync);

		if (vsync == 43)
			frame.desired_ns -= 2 * PERIOD_NS;
		if (vsync < 40)
			frame.desired_ns -= 8 * MS;
		frame.ready_ns = frame.desired_ns - MS;
		pipeline_fence(pipeline, &frame);
	}
	pipeline_end(pipeline);
	assert_int_equal(seen.cause, CAUSE_SF_CPU);
}

/* --- beside a trace --- */

#define BESIDE "com.example/com.example.Main#1"

/* A trace of two layers, and the fences of one of them unless @without. */
static void play_beside(struct phone *phone, bool with)
{
	static const char *const layers[] = { BESIDE, "StatusBar#0", NULL };
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;

	options.has_fences = with;
	phone_start(phone, PHONE_14, &options);
	pipeline_fences_passed(phone->pipeline, BEGIN_NS);
	for (uint64_t vsync = 0; vsync < 900; vsync += 1 + (vsync % 50 == 0)) {
		uint64_t present_ns = BEGIN_NS + vsync * PERIOD_NS;
		struct present_fence fence = {
			.layer = SPAN_LITERAL(BESIDE),
			.actual_ns = present_ns + 25 * MS,
			.period_ns = PERIOD_NS,
		};

		phone_frames(phone, present_ns, layers);
		if (with && (vsync < 300 || vsync >= 360 || vsync % 3 > 0))
			pipeline_fence(phone->pipeline, &fence);
		if (with && vsync % 300 == 0) {
			pipeline_fences_known(phone->pipeline, fence.layer, present_ns);
			pipeline_fences_passed(phone->pipeline, present_ns);
		}
	}
	pipeline_fences_known(phone->pipeline, SPAN_LITERAL(BESIDE), UINT64_MAX);
	pipeline_fences_passed(phone->pipeline, UINT64_MAX);
	phone_end(phone);
}

/* The rows of the trace are the same with and without fences, and the seconds in which fences are
 * missing have an event. */
TEST(test_beside)
{
	struct phone with, without;
	unsigned int n = 0;

	play_beside(&without, false);
	play_beside(&with, true);
	assert_int_equal(with.log.n_frames, without.log.n_frames);
	assert_int_equal(with.log.n_fps, without.log.n_fps);
	assert_true(with.log.n_frames > 1000 && with.log.n_fps > 10);
	for (size_t i = 0; i < with.log.n_frames; i++) {
		const struct frame_row *a = &with.log.frames[i], *b = &without.log.frames[i];

		assert_string_equal(a->layer, b->layer);
		assert_string_equal(a->app, b->app);
		assert_int_equal(a->present_ns, b->present_ns);
		assert_int_equal(a->interval_ns, b->interval_ns);
		assert_int_equal(a->vsyncs, b->vsyncs);
		assert_int_equal(a->cause, b->cause);
	}
	for (size_t i = 0; i < with.log.n_fps; i++) {
		assert_int_equal(with.log.fps[i].start_ns, without.log.fps[i].start_ns);
		assert_int_equal(with.log.fps[i].stats.frames, without.log.fps[i].stats.frames);
	}
	for (size_t i = 0; i < with.log.n_events; i++)
		n += strstr(with.log.events[i].text, "trace disagree") != NULL;
	assert_int_equal(with.log.n_events, without.log.n_events + n);
	assert_int_equal(n, 1);
	assert_in_range(pipeline_counters(with.pipeline)->fence_check.disagreed, 1, 2);
	assert_in_range(pipeline_counters(with.pipeline)->fence_check.compared, 10, 15);
	phone_stop(&with);
	phone_stop(&without);
}
