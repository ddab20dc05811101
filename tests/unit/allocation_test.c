/* SPDX-License-Identifier: Apache-2.0 */
/* After pipeline_new() nothing is allocated: not for records, rows or evictions. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/phone.h"

#define BEGIN (100 * SECOND)

/* The functions of the libc that this program replaces. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

static size_t calls;

void *malloc(size_t size)
{
	calls++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	calls++;
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	calls++;
	return __libc_realloc(memory, size);
}

struct counts {
	size_t fps, drops, frames, events, summaries;
	size_t written, read; /* to and from the spill */
};

static void count_fps(void *context, const struct fps_row *row)
{
	((struct counts *)context)->fps++;
}

static void count_drop(void *context, const struct drop_row *row)
{
	((struct counts *)context)->drops++;
}

static void count_frame(void *context, const struct frame_row *row)
{
	((struct counts *)context)->frames++;
}

static void count_event(void *context, const struct trace_event *event)
{
	((struct counts *)context)->events++;
}

static int spill_fd = -1;

/* In the spill, layers come after the Surfaces. */
#define LAYERS_AT (UINT64_C(1) << 30)

static int count_write(void *context, uint64_t offset, const void *bytes, size_t len)
{
	((struct counts *)context)->written++;
	return pwrite(spill_fd, bytes, len, (off_t)offset) == (ssize_t)len ? 0 : -EIO;
}

static int count_read(void *context, uint64_t offset, void *bytes, size_t len)
{
	((struct counts *)context)->read++;
	return pread(spill_fd, bytes, len, (off_t)offset) == (ssize_t)len ? 0 : -EIO;
}

static void count_summary(void *context, const struct summary_row *row)
{
	((struct counts *)context)->summaries++;
}

static int count_layer_write(void *context, uint64_t offset, const void *bytes, size_t len)
{
	return count_write(context, LAYERS_AT + offset, bytes, len);
}

static int count_layer_read(void *context, uint64_t offset, void *bytes, size_t len)
{
	return count_read(context, LAYERS_AT + offset, bytes, len);
}

/* A phone whose rows are only counted: a log of them would allocate. */
static void start(struct phone *phone, struct counts *counts,
		  const struct pipeline_options *options, const char *rules)
{
	static struct spill surfaces, layers;
	struct ruleset_error error;
	const struct row_sink sink = {
		.context = counts,
		.fps = count_fps,
		.drop = count_drop,
		.frame = count_frame,
		.event = count_event,
		.surface_spill = &surfaces,
		.layer_spill = &layers,
	};

	surfaces = (struct spill){ counts, count_write, count_read };
	layers = (struct spill){ counts, count_layer_write, count_layer_read };
	phone_start(phone, PHONE_9, options);
	pipeline_free(phone->pipeline);
	ruleset_free(phone->rules);
	*counts = (struct counts){ .fps = 0 };
	assert_int_equal(ruleset_new(&phone->rules, ruleset_builtin(rules), &error), 0);
	assert_int_equal(pipeline_new(&phone->pipeline, phone->rules, options, &sink), 0);
}

/* Apps start and end, drop frames, wait, have long rows; the rate changes, events are lost, the
 * clock goes back. */
static void play(struct phone *phone, uint64_t begin_ns)
{
	uint64_t now_ns = begin_ns;

	for (unsigned int app = 0; app < 60; app++) {
		char layer[64];

		snprintf(layer, sizeof(layer), "com.app%u/com.app.Main#%u", app, app);
		for (unsigned int i = 0; i < 300; i++) {
			now_ns += (app % 2 ? V60 : V60 / 2) * (i % 40 ? 1 : 3);
			phone_frame(phone, now_ns, layer);
		}
		phone_lost(phone, 1, app % 3 ? 5 : TRACE_LOST_UNKNOWN);
		now_ns += SECOND;
	}
}

static void check(struct pipeline_options options, const char *rules)
{
	struct counts counts;
	struct phone phone;
	size_t before;

	options.max_surfaces = 16;
	spill_fd = memfd_create("spill", MFD_CLOEXEC);
	assert_true(spill_fd >= 0);
	start(&phone, &counts, &options, rules);
	before = calls;
	play(&phone, BEGIN + 3600 * SECOND);
	play(&phone, BEGIN);
	pipeline_summary(phone.pipeline, &counts, count_summary);
	phone_end(&phone);
	assert_int_equal(calls - before, 0);
	assert_true(options.type > 2 || counts.fps > 0);
	assert_true(options.type == 0 || counts.drops > 0);
	if (strcmp(rules, "default") == 0) {
		assert_true(counts.frames > 0 && counts.events > 0);
		assert_true(counts.written > 0 && counts.read > 0 && counts.summaries > 0);
	}
	phone_stop(&phone);
	close(spill_fd);
}

TEST(test_nothing_is_allocated_with_rows_each_second)
{
	check(PIPELINE_OPTIONS_DEFAULT, "default");
}

TEST(test_nothing_is_allocated_for_drops)
{
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;

	options.type = 2;
	check(options, "default");
}

/* Longer than a series whose values are stored one by one. */
TEST(test_nothing_is_allocated_for_long_rows)
{
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;

	options.delay_ns = 3600 * SECOND;
	check(options, "default");
}

TEST(test_nothing_is_allocated_by_gfx2019)
{
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;

	options.type = 2;
	check(options, "gfx2019");
}
