/* SPDX-License-Identifier: Apache-2.0 */
/* A small table gives the same summary as a large one: evicted entries are spilled and read back.
 * Those that cannot be spilled are in one row, and that is reported. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "rules/layer_spill.h"
#include "rules/layer.h"
#include "rules/summary.h"
#include "tests/unit/one_phone.h"

#define APPS 640
#define MOST (SPILL_SURFACES + 100)

struct summaries {
	size_t n;
	struct summary_row rows[MOST];
	char apps[MOST][64], surfaces[MOST][1100];
};

static struct summaries small, large;

static int set_up(void **state)
{
	options = PIPELINE_OPTIONS_DEFAULT;
	options.max_surfaces = 16;
	start(PHONE_9);
	return 0;
}

FIXTURE(set_up, stop_phone)

static void restart(unsigned int max_surfaces)
{
	options.max_surfaces = max_surfaces;
	start(PHONE_9);
}

static void store_row(void *context, const struct summary_row *row)
{
	struct summaries *all = context;
	size_t n = all->n++;

	assert_true(n < MOST);
	all->rows[n] = *row;
	snprintf(all->apps[n], sizeof(all->apps[n]), "%s", row->app);
	snprintf(all->surfaces[n], sizeof(all->surfaces[n]), "%s", row->surface);
	all->rows[n].app = all->rows[n].surface = NULL;
}

static void summarize(struct summaries *all)
{
	all->n = 0;
	pipeline_summary(phone.pipeline, all, store_row);
}

static void assert_same(void)
{
	assert_int_equal(small.n, large.n);
	for (size_t i = 0; i < small.n; i++) {
		assert_string_equal(small.apps[i], large.apps[i]);
		assert_string_equal(small.surfaces[i], large.surfaces[i]);
		assert_memory_equal(&small.rows[i], &large.rows[i], sizeof(small.rows[i]));
	}
}

static uint64_t totals(const struct summaries *all)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < all->n; i++)
		sum += all->rows[i].stats.frames + all->rows[i].stats.waits;
	return sum;
}

static uint64_t frames_in_rows(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < phone.log.n_fps; i++)
		sum += phone.log.fps[i].stats.frames + phone.log.fps[i].stats.waits;
	return sum;
}

/* Frames of an app, with different intervals. @start: number in the layer's name. */
static uint64_t use(unsigned int app, unsigned int start, uint64_t now_ns, unsigned int frames)
{
	char layer[64];

	snprintf(layer, sizeof(layer), "com.app%u/com.app.Main#%u", app, start);
	for (unsigned int i = 0; i < frames; i++) {
		unsigned int dice = (i * 7919 + app * 31 + start) % 41;

		now_ns += V60 * (dice < 30 ? 1 : dice - 28);
		phone_frame(&phone, now_ns, layer);
	}
	return now_ns + SECOND;
}

/* 30 frames of each of @n apps; their layers have numbers from @start on. */
static uint64_t use_all(unsigned int n, unsigned int start, uint64_t now_ns)
{
	for (unsigned int app = 0; app < n; app++)
		now_ns = use(app, start + app, now_ns, 30);
	return now_ns;
}

/* All apps in turn, some more often, with a summary in between. @anew: each start of an app has a
 * new layer. */
static void play_apps(struct summaries *all, bool anew)
{
	uint64_t now_ns = BEGIN;

	for (unsigned int turn = 0; turn < 2; turn++) {
		for (unsigned int app = 0; app < APPS; app++) {
			unsigned int start = turn * APPS + app;

			now_ns = use(app, anew ? start : 1, now_ns, 5 + app % 30);
			if (app % 10 == 0)
				now_ns = use(app / 2, anew ? 5000 + start : 1, now_ns, 9);
			if (app % 200 == 0)
				summarize(all);
		}
	}
	phone_end(&phone);
	summarize(all);
}

static void compare_apps(bool anew)
{
	static const unsigned int sizes[] = { 16, 256, 1000, 3 };

	/* A live trace has fewer Surfaces in memory than layers. */
	options.recorded = true;
	restart(1000);
	options.recorded = false;
	play_apps(&large, anew);
	assert_int_equal(large.n, APPS);
	assert_int_equal(counters()->surfaces_evicted, 0);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		restart(sizes[i]);
		play_apps(&small, anew);
		assert_true(counters()->surfaces_evicted > APPS);
		expect("surfaces_others 0 percentiles_refused 0 layers_forgotten 0");
		assert_same();
	}
}

TEST(test_spilled_apps_have_the_same_summary)
{
	compare_apps(true);
}

/* The series of a layer continues: the time between is a wait. */
TEST(test_spilled_layers_continue_their_series)
{
	compare_apps(false);
	assert_int_equal(small.rows[0].stats.waits, large.rows[0].stats.waits);
	assert_true(small.rows[0].stats.waits > 0);
}

/* Two names with the same hash are different in the spill; of names that are cut, the whole name
 * counts. */
static void play_names(struct summaries *all)
{
	static const char *const heads[] = { "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ" };
	uint64_t now_ns = BEGIN;
	char name[1500];

	for (unsigned int i = 0; i < 200; i++) {
		if (i % 4 < 2) {
			snprintf(name, sizeof(name), "%s/com.app.Main#%u", heads[i % 2], i);
		} else {
			memset(name, 'n', sizeof(name));
			snprintf(name + 1200, sizeof(name) - 1200, "%u#%u", i % 4, i);
		}
		now_ns = phone_run(&phone, name, now_ns, V60, 3 + i % 7) + SECOND;
	}
	phone_end(&phone);
	summarize(all);
}

TEST(test_spilled_names_with_equal_hash_are_distinct)
{
	restart(1000);
	play_names(&large);
	assert_int_equal(large.n, 4);
	restart(3);
	play_names(&small);
	assert_same();
}

/* Rows that are open while their Surface is not in the table are counted, and are closed on time.
 */
static void play_together(struct summaries *meanwhile, struct summaries *end)
{
	uint64_t now_ns = BEGIN;
	char layer[64];

	for (unsigned int i = 0; i < 400; i++) {
		now_ns += V60;
		snprintf(layer, sizeof(layer), "com.app%u/com.app.Main#%u", i * i % 37 % 9, i % 2);
		phone_frame(&phone, now_ns, layer);
	}
	summarize(meanwhile);
	phone_end(&phone);
	summarize(end);
}

/* The layers fit in their table, the Surfaces do not. */
TEST(test_open_rows_of_spilled_surfaces_are_counted)
{
	static struct summaries large_meanwhile, small_meanwhile;

	restart(64);
	play_together(&large_meanwhile, &large);
	restart(18);
	for (unsigned int app = 100; app < 118; app++)
		use(app, app, BEGIN - 60 * SECOND + app * SECOND, 30);
	play_together(&small_meanwhile, &small);
	assert_true(counters()->surfaces_evicted > 0);
	assert_int_equal(small.n, large.n + 18);
	memmove(&small.rows[0], &small.rows[18], large.n * sizeof(small.rows[0]));
	memmove(&small.apps[0], &small.apps[18], large.n * sizeof(small.apps[0]));
	memmove(&small.surfaces[0], &small.surfaces[18], large.n * sizeof(small.surfaces[0]));
	small.n = large.n;
	assert_same();
	assert_int_equal(totals(&small_meanwhile), totals(&large_meanwhile) + 18 * 29);
}

/* --- more than the spill can store --- */

static const struct summary_row *others(const struct summaries *all)
{
	size_t last = all->n - 1;

	assert_string_equal(all->surfaces[last], "(others)");
	assert_string_equal(all->apps[last], "");
	for (size_t i = 0; i < last; i++)
		assert_string_not_equal(all->surfaces[i], "(others)");
	return &all->rows[last];
}

TEST(test_surfaces_beyond_the_spill_are_in_others)
{
	unsigned int kept = SPILL_SURFACES + 16;
	uint64_t now_ns = BEGIN, first_ns = 0;

	for (unsigned int app = 0; app < kept + 50; app++) {
		char layer[64];

		if (app == kept)
			first_ns = now_ns + V60;
		snprintf(layer, sizeof(layer), "com.app%u/a#0", app);
		now_ns = phone_run(&phone, layer, now_ns + V60, V60, 4);
	}
	/* Stored Surfaces get their rows back, the others stay in row (others). */
	now_ns = phone_run(&phone, "com.app7/a#1", now_ns + V60, V60, 20);
	now_ns = phone_run(&phone, "com.app4130/a#1", now_ns + V60, V60, 20);
	phone_end(&phone);
	summarize(&small);
	assert_int_equal(small.n, kept + 1);
	assert_string_equal(small.surfaces[7], "com.app7/a");
	assert_int_equal(small.rows[7].stats.frames, 3 + 19);
	assert_int_equal(others(&small)->stats.frames, 50 * 3 + 19);
	assert_int_equal(others(&small)->first_ns, first_ns);
	assert_int_equal(others(&small)->last_ns, now_ns);
	assert_in_range(others(&small)->p50_ns, V60 - MS, V60 + MS);
	assert_int_equal(counters()->surfaces_others, 51);
	assert_int_equal(counters()->frames_others, 50 * 4 + 20);
	assert_int_equal(totals(&small), frames_in_rows());
	assert_true(is_reported("51 surfaces in the row (others)"));
	assert_in_range(events_of(TRACE_EVENT_LOST), 1, 20);
	assert_in_range(phone.log.surfaces.size, 1, (SPILL_SURFACES + 1) * 60 * 1024);
	assert_true(sizeof(struct summary_record) < 60 * 1024);
}

/* The disk is full or removed. */
TEST(test_surfaces_that_cannot_be_spilled_are_in_others)
{
	uint64_t now_ns;

	phone.log.spill_fails = true;
	now_ns = use_all(40, 0, BEGIN);
	/* The very first one, and one that is still in the table. */
	now_ns = use(0, 100, now_ns, 30);
	use(39, 101, now_ns, 30);
	phone_end(&phone);
	summarize(&small);
	assert_int_equal(small.n, 16 + 1);
	assert_string_equal(small.surfaces[0], "com.app24/com.app.Main");
	assert_int_equal(others(&small)->stats.frames, 24 * 29 + 29);
	assert_int_equal(small.rows[15].stats.frames, 2 * 29);
	assert_int_equal(others(&small)->first_ns, phone.log.frames[0].present_ns);
	assert_true(others(&small)->p99_ns > others(&small)->p50_ns);
	expect("surfaces_others 24 frames_others 30");
	assert_int_equal(totals(&small), frames_in_rows());
	assert_true(is_reported("24 surfaces in the row (others)"));
}

/* Times are those of the latest clock on which one of them had a frame. */
TEST(test_others_has_times_of_the_latest_clock)
{
	uint64_t now_ns = BEGIN + 3600 * SECOND;

	phone.log.spill_fails = true;
	now_ns = use_all(40, 0, now_ns);
	now_ns = use(3, 100, BEGIN, 30);
	phone_end(&phone);
	summarize(&small);
	assert_int_equal(counters()->clock_steps, 1);
	assert_int_equal(others(&small)->stats.frames, 24 * 29 + 29);
	assert_in_range(others(&small)->first_ns, BEGIN, now_ns);
	assert_in_range(others(&small)->last_ns, others(&small)->first_ns, now_ns);
}

/* Each Surface is either in the spill or in row (others). */
TEST(test_full_disk_for_a_while_splits_no_surface)
{
	uint64_t now_ns = BEGIN;

	for (unsigned int app = 0; app < 80; app++) {
		phone.log.spill_fails = app / 10 % 2;
		now_ns = use(app, app, now_ns, 30);
	}
	phone.log.spill_fails = false;
	use_all(80, 100, now_ns);
	phone_end(&phone);
	summarize(&small);
	assert_int_equal(counters()->surfaces_others, 34);
	assert_int_equal(small.n, 80 - counters()->surfaces_others + 1);
	/* Each Surface has all of its frames or none. */
	for (size_t i = 0; i + 1 < small.n; i++)
		assert_int_equal(small.rows[i].stats.frames, 2 * 29);
	assert_int_equal(others(&small)->stats.frames, counters()->surfaces_others * 2 * 29);
}

TEST(test_unreadable_surfaces_are_reported)
{
	uint64_t now_ns = use_all(40, 0, BEGIN);

	phone.log.spill_is_bad = true;
	now_ns = use(0, 100, now_ns, 30);
	use(39, 101, now_ns, 30);
	phone_end(&phone);
	summarize(&small);
	assert_int_equal(small.n, 16 + 1);
	assert_int_equal(counters()->surfaces_unreadable, 24);
	assert_int_equal(others(&small)->stats.frames, 29);
	assert_true(is_reported("surfaces that could not be read back"));
}

/* --- layers --- */

static void run_three(const char *suffix, uint64_t now_ns)
{
	static const char *const apps[] = { "com.a/a", "com.b/b", "com.c/c" };
	char layer[64];

	for (size_t i = 0; i < COUNT_OF(apps); i++) {
		snprintf(layer, sizeof(layer), "%s%s", apps[i], suffix);
		phone_run(&phone, layer, now_ns + i * 3 * SECOND, V60, 10);
	}
}

/* A frame with only a counter, as on Android 14 without instants. */
static void frame_by_counter(uint64_t present_ns, const char *counter)
{
	phone.now_ns = present_ns - MS;
	phone_begin(&phone, "commit 1234");
	phone_write(&phone, TRACE_COUNTER, 0, counter, 0);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, present_ns, 1);
}

/* Once a layer did not fit, the last counter of an evicted layer is not used: it may have been that
 * layer. */
TEST(test_counters_of_evicted_layers_are_not_used_after_a_refusal)
{
	static const char x[] = "BufferTX - com.a/a#0";
	static const char y[] = "BufferTX - com.b/b#0";
	static const char z[] = "BufferTX - com.c/c#0";

	options.max_surfaces = 2;
	start(PHONE_14);
	frame_by_counter(BEGIN, x);
	frame_by_counter(BEGIN + SECOND, y);
	frame_by_counter(BEGIN + 4 * SECOND, z);
	phone_write(&phone, TRACE_COUNTER, 500, y, 1);
	phone_write(&phone, TRACE_COUNTER, 500, z, 1);
	phone.now_ns = BEGIN + 8 * SECOND - MS;
	phone_begin(&phone, "commit 1234");
	phone_write(&phone, TRACE_COUNTER, 0, y, 0);
	phone_write(&phone, TRACE_COUNTER, 0, z, 0);
	/* Both are held by their latches. */
	phone_write(&phone, TRACE_COUNTER, 500, x, 1);
	phone_end_slices(&phone, 1);
	phone_compose(&phone, BEGIN + 8 * SECOND, 1);
	frame_by_counter(BEGIN + 12 * SECOND, x);
	phone_end(&phone);
	assert_int_equal(counters()->layers_refused, 1);
	assert_int_equal(frames_of("com.a/a#0"), 2);
	assert_int_equal(unknown_intervals("com.a/a#0"), 1);
}

TEST(test_no_spilled_series_spans_a_clock_step)
{
	restart(2);
	run_three("#0", BEGIN + 3600 * SECOND);
	run_three("#0", BEGIN);
	phone_end(&phone);
	assert_int_equal(counters()->clock_steps, 1);
	assert_int_equal(unknown_intervals("com.a/a#0"), 2);
	assert_int_equal(unknown_intervals("com.c/c#0"), 2);
}

TEST(test_layers_that_cannot_be_spilled_start_a_new_series)
{
	restart(2);
	phone.log.spill_fails = true;
	run_three("#0", BEGIN);
	run_three("#0", BEGIN + 20 * SECOND);
	phone_end(&phone);
	assert_int_equal(unknown_intervals("com.a/a#0"), 2);
	assert_int_equal(counters()->layers_forgotten, 4);
	assert_int_equal(phone.log.layers.size, 0);
}

TEST(test_layers_beyond_the_spill_are_dropped_oldest_first)
{
	char layer[64];

	for (unsigned int i = 0; i < SPILL_LAYERS + 116; i++) {
		snprintf(layer, sizeof(layer), "com.a/a#%u", i);
		phone_frame(&phone, BEGIN + i * 100 * MS, layer);
	}
	phone_frame(&phone, BEGIN + 1000 * SECOND, "com.a/a#7");
	phone_frame(&phone, BEGIN + 1001 * SECOND, "com.a/a#300");
	phone_end(&phone);
	assert_int_equal(counters()->layers_forgotten, 102);
	assert_int_equal(unknown_intervals("com.a/a#7"), 2);
	assert_int_equal(unknown_intervals("com.a/a#300"), 1);
	assert_int_equal(phone.log.layers.size, SPILL_LAYERS * sizeof(struct layer_record));
	summarize(&small);
	assert_int_equal(small.n, 1);
}
