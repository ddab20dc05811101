/* SPDX-License-Identifier: Apache-2.0 */
/* After pipeline_new() nothing is allocated: not for records, rows or evictions. It fails if one of
 * its allocations does. */
#include "tests/unit/one_phone.h"

/* The functions of the libc that this program replaces. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

static size_t calls, failing; /* the call that fails; 0: none */

void *malloc(size_t size)
{
	return ++calls == failing ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return ++calls == failing ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	return ++calls == failing ? NULL : __libc_realloc(memory, size);
}

/* The rows of the log are only counted: copies of them would allocate. */
static void count_row(void *context, enum csv_file_kind kind, const void *row)
{
	struct row_log *log = context;

	log->n_fps += kind == ROW_FPS;
	log->n_drops += kind == ROW_DROPS;
	log->n_frames += kind == ROW_FRAMES;
	log->n_events += kind == ROW_EVENTS;
}

static void count_summary(void *context, const struct summary_row *row)
{
	(*(size_t *)context)++;
}

FIXTURE(default_options, stop_phone)

/* Apps start and end, drop frames, wait, have long rows; the rate changes, events are lost, the
 * clock goes back. */
static void play_apps(uint64_t begin_ns)
{
	uint64_t now_ns = begin_ns;

	for (unsigned int app = 0; app < 60; app++) {
		const char *layer = formatted("com.app%u/com.app.Main#%u", app, app);

		for (unsigned int i = 0; i < 300; i++) {
			now_ns += (app % 2 ? V60 : V60 / 2) * (i % 40 ? 1 : 3);
			phone_frame(&phone, now_ns, layer);
		}
		phone_lost(&phone, 1, app % 3 ? 5 : TRACE_LOST_UNKNOWN);
		now_ns += SECOND;
	}
}

static void check(const char *rules)
{
	const struct row_sink sink = {
		.context = &phone.log,
		.row = count_row,
	};
	struct ruleset_error error;
	size_t before, summaries = 0;

	options.max_surfaces = options.max_series = 16;
	start(PHONE_9);
	pipeline_free(phone.pipeline);
	ruleset_free(phone.rules);
	assert_int_equal(ruleset_new(&phone.rules, ruleset_builtin(rules), &error), 0);
	assert_int_equal(pipeline_new(&phone.pipeline, phone.rules, &options, &sink), 0);
	before = calls;
	play_apps(BEGIN + 3600 * SECOND);
	play_apps(BEGIN);
	pipeline_summary(phone.pipeline, &summaries, count_summary);
	phone_end(&phone);
	assert_int_equal(calls - before, 0);
	assert_true(options.type > 2 || phone.log.n_fps > 0);
	assert_true(options.type == 0 || phone.log.n_drops > 0);
	if (strcmp(rules, "default") == 0)
		assert_true(phone.log.n_frames > 0 && phone.log.n_events > 0 && summaries > 16);
}

TEST(test_nothing_is_allocated_after_the_start)
{
	check("default");
	options.type = 2;
	check("default");
	check("gfx2019");
	/* Longer than a series whose values are stored one by one. */
	options.type = 0;
	options.delay_ns = 3600 * SECOND;
	check("default");
}

TEST(test_each_allocation_that_fails_is_reported)
{
	const struct row_sink sink = { .row = count_row };
	struct pipeline *pipeline;
	size_t n;

	options.recorded = true;
	start(PHONE_9);
	n = calls;
	assert_int_equal(pipeline_new(&pipeline, phone.rules, &options, &sink), 0);
	n = calls - n;
	pipeline_free(pipeline);
	for (size_t i = 1; i <= n; i++) {
		failing = calls + i;
		assert_int_equal(pipeline_new(&pipeline, phone.rules, &options, &sink), -ENOMEM);
	}
	assert_true(n > 10);
}
