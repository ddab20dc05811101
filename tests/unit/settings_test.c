/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a fake tracefs: how they are read and restored. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/resource.h>

#include "daemon/android/android.h"
#include "daemon/trace/trace.h"
#include "tests/unit/printed.h"
#include "tests/unit/fake_tracefs.h"

#define UNUSED "7 (expanded: 1408)\n"

static int set_up(void **state)
{
	fake_tracefs_set_up(state);
	scratch_put("tr/buffer_size_kb", UNUSED);
	return 0;
}

FIXTURE(set_up, scratch_tear_down_closed)

/* A limit of the size of files fails writes, also of root. */
TEST(tracing_is_switched_on)
{
	struct rlimit none = { 0 }, before;
	struct live_trace *trace;
	int error;

	assert_int_equal(live_trace_open(&trace, fake_tracefs, NULL), 0);
	scratch_put("tr/tracing_on", "0\n");
	assert_int_equal(live_trace_begin(trace, 0, false), 0);
	assert_begins(scratch_get("tr/tracing_on"), "1");
	scratch_put("tr/tracing_on", "0\n");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	error = live_trace_begin(trace, 0, false);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(error, -EFBIG);
	live_trace_close(trace);
}

/* --- size --- */

/* A small buffer is enlarged; a large one is reduced only on request. */
TEST(size_of_a_buffer_is_set)
{
	static const struct {
		const char *before;
		uint64_t kb;
		bool requested;
		const char *after;
	} rows[] = {
		{ UNUSED, 1024, false, "1024" },     { "7\n", 1024, false, "1024" },
		{ "1\n", 1024, false, "1024" },	     { "1023\n", 1024, false, "1024" },
		{ "4096\n", 1024, false, "4096\n" }, { "4096\n", 2048, true, "2048\n" },
	};

	assert_int_equal(buffer_size_read(fake_tracefs), 7);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		scratch_put("tr/buffer_size_kb", rows[i].before);
		assert_int_equal(buffer_size_set(fake_tracefs, rows[i].kb, rows[i].requested), 0);
		/* A plain file keeps the rest of a longer value. */
		assert_begins(scratch_get("tr/buffer_size_kb"), rows[i].after);
	}
	/* tracefs has no links: one is not opened. */
	assert_int_equal(unlink(scratch_path("tr/buffer_size_kb")), 0);
	assert_int_equal(symlink("trace_clock", scratch_path("tr/buffer_size_kb")), 0);
	assert_int_equal(buffer_size_set(fake_tracefs, 1024, false), -ELOOP);
}

TEST(different_cpu_buffers_are_enlarged_one_by_one)
{
	scratch_put("tr/buffer_size_kb", "X\n");
	scratch_mkdir("tr/per_cpu/cpu2");
	scratch_put("tr/per_cpu/cpu0/buffer_size_kb", "2048\n");
	scratch_put("tr/per_cpu/cpu1/buffer_size_kb", "0007\n");
	scratch_put("tr/per_cpu/cpu2/buffer_size_kb", "1024\n");
	assert_int_equal(buffer_size_read(fake_tracefs), 7);
	assert_int_equal(buffer_size_set(fake_tracefs, 1024, false), 0);
	assert_string_equal(scratch_get("tr/per_cpu/cpu0/buffer_size_kb"), "2048\n");
	assert_string_equal(scratch_get("tr/per_cpu/cpu1/buffer_size_kb"), "1024\n");
	assert_string_equal(scratch_get("tr/buffer_size_kb"), "X\n");
	assert_int_equal(buffer_size_read(fake_tracefs), 1024);
}

/* One byte more than a value can have is an error, in brackets, too. */
TEST(values_have_a_longest_length)
{
	static const char *const forms[] = { "%0*d\n", "local [%0*d] boot\n" };
	char value[SETTING_SIZE + 1] = "";

	for (size_t i = 0; i < 4; i++) {
		const int len = SETTING_SIZE - 1 + (int)i / 2, error = i / 2 ? -EMSGSIZE : 0;

		scratch_put("tr/trace_clock", formatted(forms[i % 2], len, 0));
		assert_int_equal(setting_read(fake_tracefs, "trace_clock", value), error);
		assert_int_equal(strlen(value), error ? 0 : len);
	}
}

/* --- restoring --- */

static struct settings_kept kept; /* by what was restored last */

/* The settings that are restored; events that are off are left out. */
static const char *aim_of(const struct settings *settings)
{
	static char text[20000];
	size_t len = 0;

	for (size_t i = 0; i < settings->n; i++)
		if (settings->list[i].lines[SETTINGS_BEFORE] &&
		    !strchr(settings->list[i].lines[SETTINGS_BEFORE], '!'))
			len += (size_t)sprintf(text + len, "%s\n",
					       settings->list[i].lines[SETTINGS_BEFORE]);
	text[len] = '\0';
	return text;
}

/* Restores all settings, and those of @text, in a tracefs: those that fail are named. */
static void restores_but(struct settings *settings, const char *text, const char *directory,
			 const char *named)
{
	const struct settings_ending ending = { 0 };

	settings_parse(settings, SETTINGS_BEFORE, span_of(text), "");
	settings_aim(settings, &kept);
	settings_restore(settings, directory, &ending);
	assert_string_equal(settings->failed, named);
}

TEST(settings_that_cannot_be_restored_are_named)
{
	struct settings settings = { 0 };

	scratch_put("tr/buffer_percent", "33\n");
	scratch_mkdir("tr/instances/busy/file");
	/* A setting that does not exist any more is not restored. */
	unlink(scratch_path("tr/tracing_on"));
	restores_but(&settings,
		     "place\nbuffer_percent 50\ntracing_on 1\noption sym-offset\nmade busy\n",
		     fake_tracefs, "instance busy");
	assert_true(settings.only_instances_failed);
	assert_string_equal(scratch_get("tr/buffer_percent"), "50\n");
	/* It was nosym-offset. */
	assert_begins(scratch_get("tr/trace_options"), "sym-offset");
	settings_free(&settings);
	restores_but(&settings, "made own\nplace mine\ntracing_on 1\n", "/nowhere",
		     "instance own, place mine, tracing_on 1");
	assert_int_equal(settings.error, -ENOENT);
	assert_false(settings.only_instances_failed);
	settings_free(&settings);
}

/* What only atrace changes belongs to settings that were read for it. */
TEST(settings_that_were_read_are_read_again)
{
	static const char *const before[] = { "place\n", "atrace\nplace\n" };

	for (size_t i = 0; i < COUNT_OF(before); i++) {
		struct property_budget budget = { .is_over = true };
		struct settings now = { 0 };

		settings_parse(&now, SETTINGS_BEFORE, span_of(before[i]), "");
		settings_read_again(&now, SETTINGS_NOW, fake_tracefs, &budget);
		assert_int_equal(now.n > 6, i);
		settings_free(&now);
	}
}

/* An unchanged setting is not written: it may be in use. */
TEST(size_of_an_unused_buffer_is_restored)
{
	struct settings before = { 0 };

	settings_read_place(&before, SETTINGS_BEFORE, fake_tracefs, SPAN_NULL, false);
	restores_but(&before, "", fake_tracefs, "");
	assert_string_equal(scratch_get("tr/buffer_size_kb"), UNUSED);
	scratch_put("tr/buffer_size_kb", "1024\n");
	restores_but(&before, "", fake_tracefs, "");
	assert_begins(scratch_get("tr/buffer_size_kb"), "7");
	settings_free(&before);
	/* Different sizes are those of each CPU. */
	scratch_put("tr/buffer_size_kb", "X\n");
	scratch_put("tr/per_cpu/cpu1/buffer_size_kb", "64\n");
	settings_read_place(&before, SETTINGS_BEFORE, fake_tracefs, SPAN_NULL, false);
	scratch_put("tr/per_cpu/cpu1/buffer_size_kb", "99\n");
	restores_but(&before, "", fake_tracefs, "");
	assert_string_equal(scratch_get("tr/per_cpu/cpu1/buffer_size_kb"), "64\n");
	settings_free(&before);
}

/* --- what other programs have changed --- */

/* An atrace of 1024 KB @has_failed after it had set something. */
static void aims_after(bool has_failed, const char *before, const char *set, const char *found,
		       const char *wanted)
{
	struct settings settings = { 0 };

	settings_parse(&settings, SETTINGS_BEFORE, span_of(before), "");
	settings_parse(&settings, SETTINGS_OURS, span_of(set), "");
	settings_parse(&settings, SETTINGS_NOW, span_of(found), "");
	if (has_failed)
		settings_disown_all_but_atraces(&settings, 1024);
	kept = (struct settings_kept){ .n = 0 };
	settings_aim(&settings, &kept);
	assert_string_equal(aim_of(&settings), wanted);
	settings_free(&settings);
}

static void aims(const char *before, const char *set, const char *found, const char *wanted,
		 const char *kept_wanted)
{
	aims_after(false, before, set, found, wanted);
	assert_string_equal(kept.text, kept_wanted);
	assert_int_equal(kept.n > 0, kept_wanted[0] != '\0');
}

static const char before[] = "place\ntrace_clock local\nbuffer_size_kb 7\noption nooverwrite\n"
			     "events\nevent a:on\nevent a:ours\ntracing_on 0\n";
static const char set[] = "place\ntrace_clock boot\nbuffer_size_kb 1024\noption overwrite\n"
			  "events\nevent a:on\nevent b:ours\ntracing_on 1\n";

TEST(settings_changed_by_jankd_are_restored_and_others_kept)
{
	aims(before, set, set, before, "");
	aims(before, set, before, before, "");
	/* a part was restored already */
	aims(before, set, "place\ntrace_clock local\nbuffer_size_kb 1024\ntracing_on 1\n", before,
	     "");
	/* jankd's settings are unknown, or the place was removed */
	aims(before, "", "place\ntrace_clock mono\nbuffer_size_kb 2000\ntracing_on 1\n", before,
	     "");
	aims(before, set, "made x\n", before, "");
	aims("", "", "", "", "");
	/* Changes of others are kept, */
	aims(before, set,
	     "place\ntrace_clock mono\nbuffer_size_kb 1024\noption overwrite\nevents\nevent a:on\n"
	     "event b:ours\ntracing_on 1\n",
	     "place\ntrace_clock mono\nbuffer_size_kb 7\noption nooverwrite\nevents\nevent a:on\n"
	     "event a:ours\ntracing_on 0\n",
	     "trace_clock mono");
	/* also those of a setting that jankd did not change. */
	aims("place\ntracing_on 1\n", "place\ntracing_on 1\n", "place\ntracing_on 0\n",
	     "place\ntracing_on 0\n", "tracing_on 0");
	aims("place\nevents\nevent a:on\n", "place\nevents\nevent a:on\n",
	     "place\nevents\nevent c:new\n", "place\nevents\nevent c:new\n",
	     "event !a:on, event c:new");
	aims("property p 1\nproperty q 1\nplace\n", "property p 2\nproperty q 2\nplace\n",
	     "property p 2\nproperty q \x1b 4\nplace\n", "property p 1\nproperty q \x1b 4\nplace\n",
	     "property q ? 4");
	/* Two places are independent. */
	aims("place x\ntracing_on 0\nplace\ntracing_on 0\n",
	     "place x\ntracing_on 1\nplace\ntracing_on 1\n",
	     "place x\ntracing_on 1\nplace\ntracing_on 2\n",
	     "place x\ntracing_on 0\nplace\ntracing_on 2\n", "tracing_on 2");
	aims("made x\nplace\ntracing_on 0\n", "place\ntracing_on 1\n", "place\ntracing_on 1\n",
	     "made x\nplace\ntracing_on 0\n", "");
	/* Sizes of all CPU buffers are one setting. */
	aims("place\nbuffer_size_kb 10,20\n", "place\nbuffer_size_kb 1024\n",
	     "place\nbuffer_size_kb 1024,64\n", "place\nbuffer_size_kb 1024,64\n",
	     "buffer_size_kb 1024,64");
}

TEST(what_an_atrace_that_failed_has_not_set_is_not_restored)
{
	static const char had[] = "property p 1\nplace\ncurrent_tracer nop\ntrace_clock local\n"
				  "buffer_size_kb 7\nbuffer_percent 50\noption nooverwrite\n"
				  "option nostacktrace\ntracing_on 0\n";
	static const char now[] = "property p 2\nplace\ncurrent_tracer function\ntrace_clock boot\n"
				  "buffer_size_kb 4096\nbuffer_percent 0\noption overwrite\n"
				  "option stacktrace\ntracing_on 1\n";

	aims_after(true, had, now, now,
		   "property p 1\nplace\ncurrent_tracer function\ntrace_clock local\n"
		   "buffer_size_kb 4096\nbuffer_percent 0\noption nooverwrite\noption stacktrace\n"
		   "tracing_on 0\n");
	assert_string_equal(kept.text, "current_tracer function, buffer_size_kb 4096, "
				       "buffer_percent 0, option stacktrace");
	/* The kernel rounds the size that atrace sets. */
	aims_after(true, "place\nbuffer_size_kb 7\n", "place\nbuffer_size_kb 1028\n",
		   "place\nbuffer_size_kb 1028\n", "place\nbuffer_size_kb 7\n");
}

TEST(message_of_kept_settings_is_bounded)
{
	static char had[20000], made[20000], now[20000];
	char *h = had, *m = made, *n = now;

	for (int i = 0; i < 300; i++) {
		h += sprintf(h, "property debug.atrace.app_%d 1\n", i);
		m += sprintf(m, "property debug.atrace.app_%d 2\n", i);
		n += sprintf(n, "property debug.atrace.app_%d 3\n", i);
	}
	aims_after(false, had, made, now, now);
	assert_int_equal(kept.n, 300);
	assert_true(kept.more > 0 && strstr(kept.text, "debug.atrace.app_0 3, "));
	assert_contains(kept.text, " ...");
}
