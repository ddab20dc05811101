/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a fake tracefs that a capture restores at its end. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "daemon/capture/tracing_undo.h"
#include "daemon/trace/trace_files.h"
#include "tests/unit/fake_tracefs.h"

static struct scratch scratch;
static char tracefs[128];

static int set_up(void **state)
{
	scratch_make(&scratch, "/tmp");
	fake_tracefs_make(&scratch, "tr");
	snprintf(tracefs, sizeof(tracefs), "%s/tr", scratch.path);
	scratch_put(&scratch, "tr/trace_clock", "local\n");
	scratch_put(&scratch, "tr/tracing_on", "0\n");
	return 0;
}

static int tear_down(void **state)
{
	scratch_remove(&scratch);
	return 0;
}

FIXTURE(set_up, tear_down)

struct begun {
	struct options options;
	struct folder folder;
	struct tracing_undo undo;
};

/* A capture that has set clock and tracing_on. */
static void begin(struct begun *b)
{
	b->options = (struct options){ .tracefs = tracefs, .no_atrace = true };
	assert_int_equal(folder_open(&b->folder, "run", scratch_path(&scratch, "out")), 0);
	assert_int_equal(tracing_undo_begin(&b->undo, &b->options, &b->folder), 0);
	scratch_put(&scratch, "tr/trace_clock", "boot\n");
	scratch_put(&scratch, "tr/tracing_on", "1\n");
	tracing_undo_setup_done(&b->undo);
}

static void end(struct begun *b)
{
	tracing_undo_end(&b->undo);
	folder_close(&b->folder);
}

TEST(settings_changed_by_jankd_are_restored)
{
	struct begun b;

	begin(&b);
	tracing_undo_find_changes(&b.undo);
	end(&b);
	/* A plain file keeps the rest of a longer value. */
	assert_memory_equal(scratch_get(&scratch, "tr/trace_clock"), "local", 5);
	assert_string_equal(scratch_get(&scratch, "tr/tracing_on"), "0\n");
	assert_string_equal(scratch_get(&scratch, "tr/buffer_size_kb"), "7777\n");
}

/* Between this check and the end, jankd completes its files, which may take a while. */
TEST(change_after_the_check_is_kept)
{
	struct begun b;

	begin(&b);
	scratch_put(&scratch, "tr/buffer_size_kb", "5555\n");
	scratch_put(&scratch, "tr/trace_clock", "mono\n");
	tracing_undo_find_changes(&b.undo);
	assert_int_equal(b.undo.kept.n, 2);
	scratch_put(&scratch, "tr/buffer_size_kb", "3333\n");
	scratch_put(&scratch, "tr/trace_clock", "perf\n");
	end(&b);
	assert_string_equal(scratch_get(&scratch, "tr/buffer_size_kb"), "3333\n");
	assert_string_equal(scratch_get(&scratch, "tr/trace_clock"), "perf\n");
	assert_string_equal(scratch_get(&scratch, "tr/tracing_on"), "0\n");
}

TEST(equal_setting_of_another_program_is_kept)
{
	struct begun b;

	begin(&b);
	tracing_undo_keep_settings(&b.undo, 1u << TRACE_SETTING_ON | 1u << TRACE_SETTING_SIZE);
	tracing_undo_find_changes(&b.undo);
	assert_string_equal(b.undo.kept.text, "tracing_on 1");
	end(&b);
	assert_string_equal(scratch_get(&scratch, "tr/tracing_on"), "1\n");
	assert_memory_equal(scratch_get(&scratch, "tr/trace_clock"), "local", 5);
	assert_string_equal(scratch_get(&scratch, "tr/buffer_size_kb"), "7777\n");
}
