/* SPDX-License-Identifier: Apache-2.0 */
/* Full tables: the entry that has been idle longest is evicted, and its counts are not lost. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/phone.h"

#define V60 UINT64_C(16666667)
#define BEGIN (100 * SECOND)
#define SURFACES 16

static struct phone phone;
static struct pipeline_options options;

/* Sums over all rows of a kind. */
struct sums {
	size_t rows;
	uint64_t frames, waits, time_ns;
	size_t without_percentiles;
};

static int set_up(void **state)
{
	options = PIPELINE_OPTIONS_DEFAULT;
	options.max_surfaces = SURFACES;
	phone_start(&phone, PHONE_9, &options);
	return 0;
}

static int tear_down(void **state)
{
	phone_stop(&phone);
	return 0;
}

FIXTURE(set_up, tear_down)

static const struct pipeline_counters *counters(void)
{
	return pipeline_counters(phone.pipeline);
}

static uint64_t run(unsigned int app, uint64_t from_ns, unsigned int frames)
{
	char layer[64];

	snprintf(layer, sizeof(layer), "com.app%u/com.app.Main#%u", app, app);
	return phone_run(&phone, layer, from_ns, V60, frames) + V60;
}

static void add(struct sums *sums, const struct frame_stats *stats, int64_t p50_ns)
{
	sums->rows++;
	sums->frames += stats->frames;
	sums->waits += stats->waits;
	sums->time_ns += stats->time_ns;
	sums->without_percentiles += stats->frames > 0 && p50_ns < 0;
}

static void add_summary_row(void *context, const struct summary_row *row)
{
	add(context, &row->stats, row->p50_ns);
}

static struct sums summary_sums(void)
{
	struct sums sums = { .rows = 0 };

	pipeline_summary(phone.pipeline, &sums, add_summary_row);
	return sums;
}

static struct sums fps_sums(void)
{
	struct sums sums = { .rows = 0 };

	for (size_t i = 0; i < phone.log.n_fps; i++)
		add(&sums, &phone.log.fps[i].stats, phone.log.fps[i].p50_ns);
	return sums;
}

/* The sums over the summaries equal those over the rows. */
static void assert_nothing_lost(void)
{
	struct sums summary = summary_sums();
	struct sums rows = fps_sums();

	assert_int_equal(summary.frames, rows.frames);
	assert_int_equal(summary.waits, rows.waits);
	assert_int_equal(summary.time_ns, rows.time_ns);
	assert_int_equal(counters()->surfaces_others, 0);
}

/* The row of @wanted, which must exist. */
struct found {
	const char *wanted;
	unsigned int n;
	uint64_t frames;
	int64_t p99_ns;
};

static void look_for(void *context, const struct summary_row *row)
{
	struct found *found = context;

	if (strcmp(row->surface, found->wanted) != 0)
		return;
	found->n++;
	found->frames = row->stats.frames;
	found->p99_ns = row->p99_ns;
	assert_memory_equal(row->app, "com.app", 7);
}

static struct found find(const char *surface)
{
	struct found found = { .wanted = surface };

	pipeline_summary(phone.pipeline, &found, look_for);
	assert_int_equal(found.n, 1);
	return found;
}

TEST(test_evicted_surface_keeps_its_row)
{
	uint64_t now_ns = BEGIN;

	for (unsigned int app = 0; app < 3 * SURFACES; app++)
		now_ns = run(app, now_ns, 30);
	phone_end(&phone);
	assert_int_equal(counters()->surfaces_evicted, 2 * SURFACES);
	assert_int_equal(find("com.app0/com.app.Main").frames, 29);
	assert_in_range(find("com.app0/com.app.Main").p99_ns, V60 - MS, V60 + MS);
	assert_int_equal(summary_sums().rows, 3 * SURFACES);
	assert_int_equal(summary_sums().frames, 3 * SURFACES * 29);
	assert_nothing_lost();
}

/* All draw at the same time, so that evicted Surfaces have open rows and open layers. */
TEST(test_eviction_with_open_rows_loses_nothing)
{
	uint64_t now_ns = BEGIN;

	for (unsigned int i = 0; i < 60; i++)
		for (unsigned int app = 0; app < SURFACES + 4; app++)
			now_ns = run(app, now_ns, 3);
	phone_end(&phone);
	assert_true(counters()->surfaces_evicted > SURFACES);
	assert_nothing_lost();
}

TEST(test_returning_surface_continues_its_row)
{
	uint64_t now_ns = run(1, BEGIN, 50);

	for (unsigned int app = 100; app < 102 + SURFACES; app++)
		now_ns = run(app, now_ns, 30);
	/* Two more than fit: their last frames are not counted yet. */
	assert_true(counters()->surfaces_evicted > 0);
	assert_int_equal(find("com.app1/com.app.Main").frames, 49);
	now_ns = run(1, now_ns, 40);
	for (unsigned int app = 200; app < 200 + SURFACES; app++)
		now_ns = run(app, now_ns, 30);
	phone_end(&phone);
	assert_int_equal(find("com.app1/com.app.Main").frames, 49 + 39);
	assert_nothing_lost();
}

/* After the clock went back, a Surface with a later time than the current one does not count as
 * busy. */
TEST(test_surfaces_from_before_a_clock_step_are_evicted)
{
	uint64_t now_ns = BEGIN + 3600 * SECOND;

	for (unsigned int app = 0; app < SURFACES; app++)
		now_ns = run(app, now_ns, 30);
	now_ns = BEGIN;
	for (unsigned int i = 0; i < 100; i++)
		for (unsigned int app = 100; app < 104; app++)
			now_ns = run(app, now_ns, 3);
	phone_end(&phone);
	assert_int_equal(counters()->surfaces_evicted, 4);
	assert_nothing_lost();
}

/* Without ticks all intervals are different: the store of frame times is full before the table of
 * Surfaces is, and Surfaces are evicted to free it. No row and no summary lacks its percentiles. */
TEST(test_full_store_of_frame_times_evicts_surfaces)
{
	uint64_t now_ns = BEGIN;
	uint64_t random = 1;

	for (unsigned int i = 0; i < 40000; i++) {
		char layer[64];

		random = random * UINT64_C(6364136223846793005) + 1;
		now_ns += MS + (random >> 33) % (480 * MS);
		snprintf(layer, sizeof(layer), "com.app%u/com.app.Main#0", i / 4000);
		phone.now_ns = now_ns - MS;
		phone_begin(&phone, "handleMessageInvalidate");
		phone_latch(&phone, layer);
		phone_end_slices(&phone, 1);
		phone_compose(&phone, now_ns, 1);
	}
	phone_end(&phone);
	assert_in_range(counters()->surfaces_evicted, 1, 4 * SURFACES);
	assert_int_equal(counters()->percentiles_refused, 0);
	assert_int_equal(summary_sums().without_percentiles, 0);
	assert_int_equal(fps_sums().without_percentiles, 0);
	assert_int_equal(summary_sums().rows, 10);
	assert_nothing_lost();
}

static void check_order(void *context, const struct summary_row *row)
{
	uint64_t *before_ns = context;

	assert_true(row->first_ns > *before_ns);
	*before_ns = row->first_ns;
}

/* Summaries are in the order of their first frames. */
TEST(test_summaries_are_in_order_of_first_frames)
{
	uint64_t now_ns = BEGIN;
	uint64_t before_ns = 0;

	for (unsigned int i = 0; i < 200; i++)
		now_ns = run(i * i % 37, now_ns, 10);
	phone_end(&phone);
	pipeline_summary(phone.pipeline, &before_ns, check_order);
	assert_true(before_ns > 0);
	assert_nothing_lost();
}

/* An intermediate summary includes open rows; a row closed by an eviction is not counted twice. */
TEST(test_intermediate_summaries_count_nothing_twice)
{
	uint64_t now_ns = BEGIN;

	for (unsigned int app = 0; app < 3 * SURFACES; app++) {
		now_ns = run(app, now_ns, 15);
		summary_sums();
	}
	phone_end(&phone);
	assert_nothing_lost();
}

/* The table holds its full number of layers, also with the longest names. */
TEST(test_long_names_do_not_shrink_the_table)
{
	static char names[SURFACES][700];
	const char *layers[SURFACES + 1] = { NULL };

	for (int i = 0; i < SURFACES; i++) {
		int n = snprintf(names[i], sizeof(names[i]), "com.app%d/", i);

		memset(names[i] + n, 'x', sizeof(names[i]) - 10 - (size_t)n);
		snprintf(names[i] + sizeof(names[i]) - 10, 10, "#%d", i);
		layers[i] = names[i];
	}
	for (uint64_t i = 0; i < 30; i++)
		phone_frames(&phone, BEGIN + i * V60, layers);
	for (uint64_t i = 30; i < 300; i++)
		phone_frame(&phone, BEGIN + i * V60, layers[i * 7 % SURFACES]);
	phone_end(&phone);
	assert_int_equal(counters()->frames, 30 * SURFACES + 270);
	assert_int_equal(counters()->layers_refused, 0);
	assert_int_equal(counters()->layers_evicted, 0);
	assert_int_equal(counters()->surfaces_evicted, 0);
}

/* A thread with an open slice is evicted for a newer one. */
TEST(test_max_threads_bounds_the_table_of_threads)
{
	phone_stop(&phone);
	options.max_threads = 16;
	phone_start(&phone, PHONE_9, &options);
	phone_frame(&phone, BEGIN, "com.a/com.a.Main#0");
	for (int32_t tid = 1000; tid < 1100; tid++)
		phone_write(&phone, TRACE_SLICE_BEGIN, tid, "queueBuffer", 0);
	assert_in_range(counters()->threads_evicted, 100 - 16, 100);
	phone_run(&phone, "com.a/com.a.Main#0", BEGIN + V60, V60, 9);
	phone_end(&phone);
	assert_int_equal(row_log_count_frames(&phone.log, "com.a/com.a.Main#0"), 10);
}
