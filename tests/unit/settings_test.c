/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of tracefs, here plain files in a folder: how they are read and restored. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/trace/buffer_size.h"
#include "daemon/trace/setting_file.h"
#include "daemon/android/properties.h"
#include "daemon/trace/settings.h"

#define UNUSED "7 (expanded: 1408)\n"

static char folder[64];

static void path_of(char path[static 256], const char *name)
{
	snprintf(path, 256, "%s/%s", folder, name);
}

/* As tracefs does: a value takes the place of what was there. */
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

/* The value that is there, which our writes do not cut: they leave the rest of a longer one. */
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

static void make_cpus(const char *const *values)
{
	char path[256], name[64];

	path_of(path, "per_cpu");
	mkdir(path, 0700);
	for (unsigned int cpu = 0; values[cpu]; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u", cpu);
		path_of(path, name);
		mkdir(path, 0700);
		snprintf(name, sizeof(name), "per_cpu/cpu%u/buffer_size_kb", cpu);
		put(name, values[cpu]);
	}
}

static int set_up(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/jankd-settings-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	put("trace_clock", "[local] global counter boot\n");
	put("buffer_size_kb", UNUSED);
	put("buffer_percent", "50\n");
	put("tracing_on", "1\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* --- size --- */

static void an_unused_buffer_has_what_it_has(void **state)
{
	char value[SETTING_SIZE];

	assert_int_equal(setting_read(folder, "buffer_size_kb", value), 0);
	assert_string_equal(value, "7");
	assert_int_equal(buffer_size_read(folder), 7);
}

static void a_small_buffer_grows(void **state)
{
	static const char *const small[] = { UNUSED, "7\n", "1\n", "1023\n" };

	for (size_t i = 0; i < COUNT_OF(small); i++) {
		put("buffer_size_kb", small[i]);
		assert_int_equal(buffer_size_set(folder, 1024, false), 0);
		/* What is behind the number is the rest of a longer one: plain files keep it. */
		assert_memory_equal(get("buffer_size_kb"), "1024", 4);
	}
}

static void a_large_one_stays_unless_asked_for(void **state)
{
	put("buffer_size_kb", "4096\n");
	assert_int_equal(buffer_size_set(folder, 1024, false), 0);
	assert_string_equal(get("buffer_size_kb"), "4096\n");
	assert_int_equal(buffer_size_set(folder, 2048, true), 0);
	assert_string_equal(get("buffer_size_kb"), "2048\n");
}

static void cpus_that_differ_grow_one_by_one(void **state)
{
	static const char *const sizes[] = { "2048\n", "0007\n", "1024\n", NULL };

	put("buffer_size_kb", "X\n");
	make_cpus(sizes);
	assert_int_equal(buffer_size_read(folder), 7);
	assert_int_equal(buffer_size_set(folder, 1024, false), 0);
	assert_string_equal(get("per_cpu/cpu0/buffer_size_kb"), "2048\n");
	assert_string_equal(get("per_cpu/cpu1/buffer_size_kb"), "1024\n");
	assert_string_equal(get("buffer_size_kb"), "X\n");
	assert_int_equal(buffer_size_read(folder), 1024);
}

static void what_cannot_grow_says_so(void **state)
{
	char path[256];

	path_of(path, "buffer_size_kb");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("trace_clock", path), 0); /* none of tracefs: it is not opened */
	assert_int_equal(buffer_size_set(folder, 1024, false), -ELOOP);
}

/* --- putting back --- */

/* All of it. */
static void restore(const struct settings *settings, const char *directory,
		    const struct settings_ending *ending)
{
	struct settings failed = { 0 };

	settings_restore(settings_text(settings), directory, ending, &failed);
	assert_null(failed.text);
}

static void what_cannot_be_put_back_is_named(void **state)
{
	const struct settings_ending ending = { 0 };
	struct settings before = { 0 }, failed = { 0 };
	char text[SETTINGS_TEXT_SIZE], path[256];

	put("buffer_percent", "33\n");
	path_of(path, "instances");
	mkdir(path, 0755);
	path_of(path, "instances/busy");
	mkdir(path, 0755);
	path_of(path, "instances/busy/file");
	mkdir(path, 0755);
	settings_add_line(&before, SPAN_LITERAL("place"));
	settings_add_line(&before, SPAN_LITERAL("buffer_percent 50"));
	settings_add_line(&before, SPAN_LITERAL("made busy"));
	settings_restore(settings_text(&before), folder, &ending, &failed);
	settings_format(text, &failed);
	assert_string_equal(text, "instance busy");
	assert_true(settings_are_instances(&failed));
	assert_string_equal(get("buffer_percent"), "50\n");
	settings_add_line(&failed, SPAN_LITERAL("tracing_on 1"));
	settings_format(text, &failed);
	assert_string_equal(text, "instance busy, tracing_on 1");
	assert_false(settings_are_instances(&failed));
	settings_free(&before);
	settings_free(&failed);
}

/* A setting that does not exist any more is not restored. */
static void an_unmounted_tracefs_is_an_error(void **state)
{
	const struct settings_ending ending = { 0 };
	struct settings before = { 0 }, failed = { 0 };
	char text[SETTINGS_TEXT_SIZE];

	settings_add_line(&before, SPAN_LITERAL("made own"));
	settings_add_line(&before, SPAN_LITERAL("place mine"));
	settings_add_line(&before, SPAN_LITERAL("tracing_on 1"));
	settings_restore(settings_text(&before), "/nowhere", &ending, &failed);
	settings_format(text, &failed);
	assert_string_equal(text, "instance own, place mine, tracing_on 1");
	assert_int_equal(failed.error, -ENOENT);
	assert_false(settings_are_instances(&failed));
	settings_free(&before);
	settings_free(&failed);
}

static void an_unused_buffer_gets_its_first_number_back(void **state)
{
	const struct settings_ending ending = { 0 };
	struct settings before = { 0 };

	settings_read_place(&before, folder, NULL, false);
	assert_non_null(strstr(before.text, "buffer_size_kb 7\n"));
	put("buffer_size_kb", "1024\n");
	restore(&before, folder, &ending);
	assert_memory_equal(get("buffer_size_kb"), "7", 1);
	settings_free(&before);
}

/* An unchanged setting is not written: it may be in use. */
static void an_unused_buffer_stays_unused(void **state)
{
	const struct settings_ending ending = { 0 };
	struct settings before = { 0 };

	settings_read_place(&before, folder, NULL, false);
	restore(&before, folder, &ending);
	assert_string_equal(get("buffer_size_kb"), UNUSED);
	settings_free(&before);
}

/* --- what others have changed --- */

static void aims(const char *before, const char *set, const char *found, const char *wanted,
		 const char *kept_wanted)
{
	struct settings aim = { 0 };
	struct settings_kept kept = { .n = 0 };

	settings_merge(&aim, span_of(before), span_of(set), span_of(found), &kept);
	assert_string_equal(aim.text ? aim.text : "", wanted);
	assert_string_equal(kept.text, kept_wanted);
	assert_int_equal(kept.n > 0, kept_wanted[0] != '\0');
	settings_free(&aim);
}

static const char before[] = "place\ntrace_clock local\nbuffer_size_kb 7\noption nooverwrite\n"
			     "events\nevent a:on\nevent a:ours\ntracing_on 0\n";
static const char set[] = "place\ntrace_clock boot\nbuffer_size_kb 1024\noption overwrite\n"
			  "events\nevent a:on\nevent b:ours\ntracing_on 1\n";

static void what_is_ours_goes_back(void **state)
{
	aims(before, set, set, before, "");
	aims(before, set, before, before, "");
	/* half of it is back already */
	aims(before, set, "place\ntrace_clock local\nbuffer_size_kb 1024\ntracing_on 1\n", before,
	     "");
	/* it was never noted, or the place is gone */
	aims(before, "", "place\ntrace_clock mono\nbuffer_size_kb 2000\ntracing_on 1\n", before,
	     "");
	aims(before, set, "made x\n", before, "");
	aims("", "", "", "", "");
}

static void what_another_has_set_stays(void **state)
{
	aims(before, set,
	     "place\ntrace_clock mono\nbuffer_size_kb 1024\noption overwrite\nevents\nevent a:on\n"
	     "event b:ours\ntracing_on 1\n",
	     "place\ntrace_clock mono\nbuffer_size_kb 7\noption nooverwrite\nevents\nevent a:on\n"
	     "event a:ours\ntracing_on 0\n",
	     "trace_clock mono");
	/* also what we have not touched */
	aims("place\ntracing_on 1\n", "place\ntracing_on 1\n", "place\ntracing_on 0\n",
	     "place\ntracing_on 0\n", "tracing_on 0");
	aims("place\nevents\nevent a:on\n", "place\nevents\nevent a:on\n",
	     "place\nevents\nevent c:new\n", "place\nevents\nevent c:new\n",
	     "event c:new, no event a:on");
	aims("property p 1\nproperty q 1\nplace\n", "property p 2\nproperty q 2\nplace\n",
	     "property p 2\nproperty q \x1b 4\nplace\n", "property p 1\nproperty q \x1b 4\nplace\n",
	     "property q ? 4");
}

static void places_are_distinct(void **state)
{
	aims("place x\ntracing_on 0\nplace\ntracing_on 0\n",
	     "place x\ntracing_on 1\nplace\ntracing_on 1\n",
	     "place x\ntracing_on 1\nplace\ntracing_on 2\n",
	     "place x\ntracing_on 0\nplace\ntracing_on 2\n", "tracing_on 2");
	aims("made x\nplace\ntracing_on 0\n", "place\ntracing_on 1\n", "place\ntracing_on 1\n",
	     "made x\nplace\ntracing_on 0\n", "");
}

static void sizes_are_one_setting(void **state)
{
	aims("place\nbuffer_size_kb X\ncpu 0 10\ncpu 1 20\n", "place\nbuffer_size_kb 1024\n",
	     "place\nbuffer_size_kb 2048\n", "place\nbuffer_size_kb 2048\n", "buffer_size_kb 2048");
	aims("place\nbuffer_size_kb X\ncpu 0 10\ncpu 1 20\n", "place\nbuffer_size_kb 1024\n",
	     "place\nbuffer_size_kb 1024\n", "place\nbuffer_size_kb X\ncpu 0 10\ncpu 1 20\n", "");
	aims("place\nbuffer_size_kb 7\n", "place\nbuffer_size_kb 1024\n",
	     "place\nbuffer_size_kb X\ncpu 0 64\ncpu 1 1024\n",
	     "place\nbuffer_size_kb X\ncpu 0 64\ncpu 1 1024\n", "buffer_size_kb X");
}

/* Many of them: as many as fit are named. */
static void those_that_stay_are_bounded(void **state)
{
	static char had[20000], made[20000], now[20000];
	struct settings aim = { 0 };
	struct settings_kept kept = { .n = 0 };
	char *h = had, *m = made, *n = now;

	for (int i = 0; i < 300; i++) {
		h += sprintf(h, "property debug.atrace.app_%d 1\n", i);
		m += sprintf(m, "property debug.atrace.app_%d 2\n", i);
		n += sprintf(n, "property debug.atrace.app_%d 3\n", i);
	}
	settings_merge(&aim, span_of(had), span_of(made), span_of(now), &kept);
	assert_string_equal(aim.text, now);
	assert_int_equal(kept.n, 300);
	assert_true(kept.more > 0 && strstr(kept.text, "debug.atrace.app_0 3, "));
	assert_non_null(strstr(kept.text, " ..."));
	settings_free(&aim);
}

/* From what is there to what is there then, through files. */
static void another_size_stays(void **state)
{
	const struct settings_ending ending = { 0 };
	struct settings had = { 0 }, made = { 0 }, aim = { 0 };
	struct property_budget none = { .is_over = true };
	struct settings_kept kept = { .n = 0 };

	settings_read_place(&had, folder, NULL, false);
	put("buffer_size_kb", "1024\n");
	put("buffer_percent", "33\n");
	settings_read_again(&made, settings_text(&had), folder, &none);
	put("buffer_size_kb", "2222\n");
	settings_merge_now(&aim, &had, &made, folder, &none, &kept);
	restore(&aim, folder, &ending);
	assert_string_equal(get("buffer_size_kb"), "2222\n");
	assert_string_equal(get("buffer_percent"), "50\n");
	assert_string_equal(kept.text, "buffer_size_kb 2222");
	settings_free(&had);
	settings_free(&made);
	settings_free(&aim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_ours_goes_back),
		cmocka_unit_test(what_another_has_set_stays),
		cmocka_unit_test(places_are_distinct),
		cmocka_unit_test(sizes_are_one_setting),
		cmocka_unit_test(those_that_stay_are_bounded),
		cmocka_unit_test_setup_teardown(another_size_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unused_buffer_has_what_it_has, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_small_buffer_grows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_large_one_stays_unless_asked_for, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(cpus_that_differ_grow_one_by_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_grow_says_so, set_up, tear_down),
		cmocka_unit_test(an_unmounted_tracefs_is_an_error),
		cmocka_unit_test_setup_teardown(what_cannot_be_put_back_is_named, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_unused_buffer_gets_its_first_number_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_unused_buffer_stays_unused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
