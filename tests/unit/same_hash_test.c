/* SPDX-License-Identifier: Apache-2.0 */
/* Apps choose names: two names with equal hash and length are still two layers. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "rules/surface.h"
#include "rules/trigger.h"
#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)

/* Both lead name_hash() to the same state, so names that begin with them and continue equally have
 * the same hash. */
#define ONE "U8JZpDE0iGXlD6gN"
#define OTHER "Tdb6CXGqw9QmGhmK"

static const char one[] = ONE "/a#0";
static const char other[] = OTHER "/a#0";

static struct phone phone;
static struct pipeline_options options;

static int set_up(void **state)
{
	assert_true(name_hash(span_of(one)) == name_hash(span_of(other)));
	options = PIPELINE_OPTIONS_DEFAULT;
	phone_start(&phone, PHONE_9, &options);
	return 0;
}

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

static void restart(const struct pipeline_options *changed)
{
	phone_stop(&phone);
	phone_start(&phone, PHONE_9, changed);
}

struct summaries {
	size_t n;
	char names[4][NAME_SIZE];
	uint64_t frames[4];
};

static void store_summary(void *context, const struct summary_row *row)
{
	struct summaries *all = context;

	assert_true(all->n < COUNT_OF(all->names));
	name_copy(all->names[all->n], NAME_SIZE, span_of(row->surface));
	all->frames[all->n++] = row->stats.frames;
}

TEST(test_layers_with_equal_hash_are_distinct)
{
	for (unsigned int i = 0; i < 100; i++) {
		phone_frame(&phone, BEGIN + 2 * i * V60, one);
		if (i % 2)
			phone_frame(&phone, BEGIN + (2 * i + 1) * V60, other);
	}
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, one), 100);
	assert_int_equal(row_log_count_frames(&phone.log, other), 50);
	for (size_t i = 0; i < phone.log.n_frames; i++)
		if (phone.log.frames[i].vsyncs >= 0)
			assert_int_equal(phone.log.frames[i].vsyncs,
					 strcmp(phone.log.frames[i].layer, one) ? 4 : 2);
}

/* Open rows also count for the right Surface. */
TEST(test_surfaces_with_equal_hash_are_distinct)
{
	struct summaries meanwhile = { .n = 0 }, end = { .n = 0 };

	for (unsigned int i = 0; i < 100; i++) {
		phone_frame(&phone, BEGIN + 2 * i * V60, one);
		if (i % 2)
			phone_frame(&phone, BEGIN + (2 * i + 1) * V60, other);
	}
	pipeline_summary(phone.pipeline, &meanwhile, store_summary);
	phone_end(&phone);
	pipeline_summary(phone.pipeline, &end, store_summary);
	assert_int_equal(meanwhile.n, 2);
	assert_true(meanwhile.frames[0] > meanwhile.frames[1]);
	assert_int_equal(end.n, 2);
	assert_string_equal(end.names[0], ONE "/a");
	assert_string_equal(end.names[1], OTHER "/a");
	assert_int_equal(end.frames[0], 99);
	assert_int_equal(end.frames[1], 49);
}

/* If one is evicted for the other, only its own rows are closed. */
TEST(test_eviction_closes_only_rows_of_its_surface)
{
	struct summaries end = { .n = 0 };
	size_t rows = 0;

	options.max_surfaces = 4;
	restart(&options);
	phone_run(&phone, one, BEGIN, V60, 10);
	phone_run(&phone, "com.a/com.a.Main#0", BEGIN + SECOND, V60, 10);
	phone_run(&phone, "com.b/com.b.Main#0", BEGIN + 2 * SECOND, V60, 10);
	phone_run(&phone, other, BEGIN + 3 * SECOND, V60, 10);
	phone_end(&phone);
	pipeline_summary(phone.pipeline, &end, store_summary);
	assert_int_equal(end.n, 4);
	for (size_t i = 0; i < end.n; i++) {
		assert_int_equal(end.frames[i], 9);
		rows += row_log_fps(&phone.log, end.names[i], 0) != NULL;
	}
	assert_int_equal(rows, 4);
}

/* The state of a layer is not used for the next one in its place. */
TEST(test_trigger_state_is_not_used_for_the_next_layer)
{
	struct trigger_error error;
	struct trigger trigger;

	assert_int_equal(trigger_parse(&trigger, "interval>100ms on " ONE "*", &error), 0);
	options.max_surfaces = 1;
	options.trigger = &trigger;
	restart(&options);
	phone_run(&phone, one, BEGIN, V60, 10);
	phone_run(&phone, other, BEGIN + 5 * SECOND, 200 * MS, 10);
	phone_end(&phone);
	assert_int_equal(row_log_count_events(&phone.log, TRACE_EVENT_TRIGGER), 0);
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
