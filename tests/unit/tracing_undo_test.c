/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that a capture restores at its end, in a folder of plain files instead of tracefs. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/capture/tracing_undo.h"
#include "daemon/trace/trace_files.h"

static char place[64];

static void path_of(char path[static 256], const char *name)
{
	snprintf(path, 256, "%s/%s", place, name);
}

static void put(const char *name, const char *value)
{
	char path[256];
	FILE *file;

	path_of(path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(value, file);
	assert_int_equal(fclose(file), 0);
}

static const char *get(const char *name)
{
	static char value[256];
	char path[256];
	FILE *file;
	size_t n;

	path_of(path, name);
	file = fopen(path, "r");
	assert_non_null(file);
	n = fread(value, 1, sizeof(value) - 1, file);
	fclose(file);
	value[n] = '\0';
	return value;
}

static int set_up(void **state)
{
	snprintf(place, sizeof(place), "/tmp/jankd-changes-XXXXXX");
	if (!mkdtemp(place))
		return -1;
	put("trace_pipe", "");
	put("trace_clock", "local\n");
	put("buffer_size_kb", "7777\n");
	put("tracing_on", "0\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", place);
	return system(command);
}

struct begun {
	struct options options;
	struct folder folder;
	struct tracing_undo undo;
	char path[256];
};

/* A capture that has set clock and tracing_on. */
static void begin(struct begun *b)
{
	b->options = (struct options){ .tracefs = place, .no_atrace = true };
	path_of(b->path, "out");
	assert_int_equal(folder_open(&b->folder, "run", b->path), 0);
	assert_int_equal(tracing_undo_begin(&b->undo, &b->options, &b->folder), 0);
	put("trace_clock", "boot\n");
	put("tracing_on", "1\n");
	tracing_undo_setup_done(&b->undo);
}

static void end(struct begun *b)
{
	tracing_undo_end(&b->undo);
	folder_close(&b->folder);
}

static void what_is_ours_goes_back(void **state)
{
	struct begun b;

	begin(&b);
	tracing_undo_find_changes(&b.undo);
	end(&b);
	/* Plain files keep what is behind a shorter value. */
	assert_memory_equal(get("trace_clock"), "local", 5);
	assert_string_equal(get("tracing_on"), "0\n");
	assert_string_equal(get("buffer_size_kb"), "7777\n");
}

/* Files are completed between the last check and the end, which may take a while. */
static void what_changes_after_the_look_is_not_set_to_what_it_was_then(void **state)
{
	struct begun b;

	begin(&b);
	put("buffer_size_kb", "5555\n");
	put("trace_clock", "mono\n");
	tracing_undo_find_changes(&b.undo);
	assert_int_equal(b.undo.kept.n, 2);
	put("buffer_size_kb", "3333\n");
	put("trace_clock", "perf\n");
	end(&b);
	assert_string_equal(get("buffer_size_kb"), "3333\n");
	assert_string_equal(get("trace_clock"), "perf\n");
	assert_string_equal(get("tracing_on"), "0\n");
}

static void what_another_program_has_set_to_the_same_stays(void **state)
{
	struct begun b;

	begin(&b);
	tracing_undo_keep_settings(&b.undo, 1u << TRACE_SETTING_ON | 1u << TRACE_SETTING_SIZE);
	tracing_undo_find_changes(&b.undo);
	assert_string_equal(b.undo.kept.text, "tracing_on 1");
	end(&b);
	assert_string_equal(get("tracing_on"), "1\n");
	assert_memory_equal(get("trace_clock"), "local", 5);
	assert_string_equal(get("buffer_size_kb"), "7777\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_ours_goes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_changes_after_the_look_is_not_set_to_what_it_was_then, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(what_another_program_has_set_to_the_same_stays,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
