/* SPDX-License-Identifier: Apache-2.0 */
/* Frames from present fences: rows with the definitions of those from a trace. */
#include "tests/unit/one_phone.h"

#define PERIOD_NS V60
#define LAYER "com.a/com.a.Main#7"

static int set_up(void **state)
{
	default_options(state);
	options.is_fences = true;
	start(PHONE_14);
	return 0;
}

FIXTURE(set_up, stop_phone)

/* A frame that is presented @vsync periods after the begin, ready in time by default. */
static struct present_fence frame_at(uint64_t vsync)
{
	/* Fences signal up to 0.2 ms beside the vsync. */
	uint64_t actual_ns = BEGIN + vsync * PERIOD_NS + vsync % 5 * 40000;

	return (struct present_fence){
		.layer = SPAN_LITERAL(LAYER),
		.desired_ns = actual_ns,
		.actual_ns = actual_ns,
		.ready_ns = actual_ns - 5 * MS,
		.period_ns = PERIOD_NS,
	};
}

TEST(test_rows)
{
	size_t n;

	for (uint64_t vsync = 0; vsync < 300; vsync += 1 + (vsync % 50 == 0)) {
		struct present_fence frame = frame_at(vsync);

		pipeline_fence(phone.pipeline, &frame);
	}
	phone_end(&phone);
	n = phone.log.n_latency;
	assert_int_equal(n, counters()->frames);
	assert_string_equal(vsyncs_of(LAYER), "? 2 1x48 2 1x48 2 1x48 2 1x48 2 1x48 2 1x47");
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(phone.log.latency[i].vsyncs, phone.log.frames[i].vsyncs);
		assert_string_equal(phone.log.latency[i].layer, LAYER);
		assert_string_equal(phone.log.latency[i].surface, SURFACE_A);
		assert_fields(&phone.log.frames[i], latched_ns == ROW_UNKNOWN,
			      vsync_id == ROW_UNKNOWN);
	}
	assert_int_equal(sum_of(SURFACE_A).frames, n - 1);
	assert_int_equal(sum_of(SURFACE_A).waits, 0);
	assert_in_range(sum_of(SURFACE_A).time_ns, 298 * PERIOD_NS, 300 * PERIOD_NS);
	for (size_t i = 0; i < phone.log.n_fps; i++)
		assert_int_equal(phone.log.fps[i].refresh_mhz, 60000);
}

/* No interval spans a gap, and a loss makes the number of lost events unknown. */
TEST(test_gap)
{
	for (uint64_t vsync = 0; vsync < 30; vsync++) {
		struct present_fence frame = frame_at(vsync + (vsync >= 15 ? 20 : 0));

		frame.gaps = vsync >= 15;
		frame.is_loss = vsync == 15;
		pipeline_fence(phone.pipeline, &frame);
	}
	phone_end(&phone);
	assert_string_equal(vsyncs_of(LAYER), "? 1x14 ? 1x14");
	assert_int_equal(phone.log.n_latency, 30);
	expect_stats(sum_of(SURFACE_A), "frames 28 lost ?");
	expect("lost_unknown 1");
}

/* From 60 to 120 Hz: 25 ms are 2 vsyncs or 3, as the switch was early or late in them; 8 ms are
 * one. */
TEST(test_vsyncs_across_a_switch_are_right_or_unknown)
{
	static const struct {
		uint64_t gap;
		const char *vsyncs;
	} cases[] = { { 3, "? 1x9 ? 1x9" }, { 1, "? 1x19" } };

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (uint64_t n = 0; n < 20; n++) {
			struct present_fence frame = frame_at(n);

			if (n >= 10) {
				frame.period_ns = PERIOD_NS / 2;
				frame.actual_ns = BEGIN + 9 * PERIOD_NS +
						  (n - 10 + cases[i].gap) * PERIOD_NS / 2;
			}
			pipeline_fence(phone.pipeline, &frame);
		}
		phone_end(&phone);
		assert_string_equal(vsyncs_of(LAYER), cases[i].vsyncs);
		stop_phone(NULL);
		start(PHONE_14);
	}
}

TEST(test_rows_without_a_sink_are_dropped)
{
	const struct row_sink none = { .context = NULL };

	pipeline_free(phone.pipeline);
	assert_int_equal(pipeline_new(&phone.pipeline, phone.rules, &options, &none), 0);
	for (uint64_t vsync = 0; vsync < 300; vsync++) {
		struct present_fence frame = frame_at(vsync);

		pipeline_fence(phone.pipeline, &frame);
	}
	phone_end(&phone);
	assert_int_equal(counters()->frames, 300);
}

static enum cause cause_when(uint64_t ready_after_ns, uint64_t actual_after_ns)
{
	return present_fence_cause(BEGIN, BEGIN + actual_after_ns, BEGIN + ready_after_ns,
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
		pipeline_fence(phone.pipeline, &frame);
	}
	phone_end(&phone);
	for (size_t i = 0; i < phone.log.n_frames; i++)
		assert_int_equal(phone.log.frames[i].cause, i == 41 ? CAUSE_SF_CPU : CAUSE_NONE);
}
