/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a fake tracefs that a capture restores at its end. */
#include "tests/unit/unit.h"

#include "daemon/capture/tracing_undo.h"
#include "daemon/trace/trace_files.h"
#include "tests/unit/fake_tracefs.h"

static struct options options;
static struct folder folder;
static struct tracing_undo undo;

/* A capture that has set clock and tracing_on. */
static int set_up(void **state)
{
	fake_tracefs_set_up(state);
	scratch_put("tr/trace_clock", "local\n");
	scratch_put("tr/tracing_on", "0\n");
	options = (struct options){ .tracefs = fake_tracefs, .no_atrace = true };
	assert_int_equal(folder_open(&folder, "run", scratch_path("out")), 0);
	assert_int_equal(tracing_undo_begin(&undo, &options, &folder), 0);
	scratch_put("tr/trace_clock", "boot\n");
	scratch_put("tr/tracing_on", "1\n");
	tracing_undo_setup_done(&undo);
	return 0;
}

static int tear_down(void **state)
{
	folder_close(&folder);
	return scratch_tear_down(state);
}

FIXTURE(set_up, tear_down)

TEST(settings_changed_by_jankd_are_restored)
{
	tracing_undo_find_changes(&undo);
	tracing_undo_end(&undo);
	/* A plain file keeps the rest of a longer value. */
	assert_memory_equal(scratch_get("tr/trace_clock"), "local", 5);
	assert_string_equal(scratch_get("tr/tracing_on"), "0\n");
	assert_string_equal(scratch_get("tr/buffer_size_kb"), "7777\n");
}

/* Between this check and the end, jankd completes its files, which may take a while. */
TEST(change_after_the_check_is_kept)
{
	scratch_put("tr/buffer_size_kb", "5555\n");
	scratch_put("tr/trace_clock", "mono\n");
	tracing_undo_find_changes(&undo);
	assert_int_equal(undo.kept.n, 2);
	scratch_put("tr/buffer_size_kb", "3333\n");
	scratch_put("tr/trace_clock", "perf\n");
	tracing_undo_end(&undo);
	assert_string_equal(scratch_get("tr/buffer_size_kb"), "3333\n");
	assert_string_equal(scratch_get("tr/trace_clock"), "perf\n");
	assert_string_equal(scratch_get("tr/tracing_on"), "0\n");
}

TEST(equal_setting_of_another_program_is_kept)
{
	tracing_undo_keep_settings(&undo, 1u << TRACE_SETTING_ON | 1u << TRACE_SETTING_SIZE);
	tracing_undo_find_changes(&undo);
	assert_string_equal(undo.kept.text, "tracing_on 1");
	tracing_undo_end(&undo);
	assert_string_equal(scratch_get("tr/tracing_on"), "1\n");
	assert_memory_equal(scratch_get("tr/trace_clock"), "local", 5);
	assert_string_equal(scratch_get("tr/buffer_size_kb"), "7777\n");
}
