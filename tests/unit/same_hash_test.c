/* SPDX-License-Identifier: Apache-2.0 */
/* Apps choose names: two names with equal hash and length are still two layers. */
#include "rules/count/trigger.h"
#include "rules/language/surface.h"
#include "tests/unit/one_phone.h"

/* Both lead name_hash() to the same state, so names that begin with them and continue equally have
 * the same hash. */
#define ONE "ctueE4CE6n52EXiQ"
#define OTHER "dxDFxbw6vlanWER9"

static const char one[] = ONE "/a#0";
static const char other[] = OTHER "/a#0";

static int set_up(void **state)
{
	assert_true(name_hash(span_of(one)) == name_hash(span_of(other)));
	return on_phone_9(state);
}

FIXTURE(set_up, stop_phone)

/* Open rows also count for the right Surface. */
TEST(test_layers_and_surfaces_with_equal_hash_are_distinct)
{
	for (unsigned int i = 0; i < 100; i++) {
		phone_frame(&phone, BEGIN + 2 * i * V60, one);
		if (i % 2)
			phone_frame(&phone, BEGIN + (2 * i + 1) * V60, other);
	}
	assert_true(summary_of(ONE "/a").stats.frames > summary_of(OTHER "/a").stats.frames);
	phone_end(&phone);
	assert_string_equal(vsyncs_of(one), "? 2x99");
	assert_string_equal(vsyncs_of(other), "? 4x49");
	assert_int_equal(summary_of(ONE "/a").stats.frames, 99);
	assert_int_equal(summary_of(OTHER "/a").stats.frames, 49);
}

TEST(test_trigger_state_is_not_used_for_the_next_layer)
{
	struct trigger_error error;
	struct trigger trigger;

	assert_int_equal(trigger_parse(&trigger, "interval>100ms on " ONE "*", &error), 0);
	options.max_surfaces = 1;
	options.trigger = &trigger;
	start(PHONE_9);
	phone_run(&phone, one, BEGIN, V60, 10);
	phone_run(&phone, other, BEGIN + 5 * SECOND, 200 * MS, 10);
	phone_end(&phone);
	assert_int_equal(events_of(TRACE_EVENT_TRIGGER), 0);
}

/* Only the stored part of a name is compared; hash and length represent the rest. */
TEST(test_cut_names_differ_by_hash_and_length)
{
	char names[3][2 * NAME_SIZE];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		memset(names[i], 'n', sizeof(names[i]));
		names[i][sizeof(names[i]) - 1 - i / 2] = '\0';
	}
	names[1][sizeof(names[1]) - 2] = 'm';
	for (uint64_t i = 0; i < 60; i++)
		phone_frame(&phone, BEGIN + i * V60, names[i % 3]);
	phone_end(&phone);
	for (size_t i = 0; i < phone.log.n_frames; i++)
		if (phone.log.frames[i].vsyncs >= 0)
			assert_int_equal(phone.log.frames[i].vsyncs, 3);
	assert_int_equal(phone.log.n_frames, 60);
	assert_false(name_is("abc", NAME_SIZE, SPAN_LITERAL("abcd")));
	assert_false(name_is("abcd", NAME_SIZE, SPAN_LITERAL("abc")));
	assert_true(name_is("abc", 4, SPAN_LITERAL("abcd")));
	assert_true(name_is("", 4, SPAN_NULL));
}
