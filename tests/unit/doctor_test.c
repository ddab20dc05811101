/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd doctor' on a fake tracefs and a fake device. Rights and SELinux: tests/badinput/shell.py.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/emulated.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/fake_tracefs.h"
#include "tests/unit/program.h"

static struct scratch scratch;
static struct program jankd;

static int set_up(void **state)
{
	scratch_make(&scratch, "/tmp");
	fake_tracefs_make(&scratch, "tr");
	fake_tracefs_raw(&scratch, "tr");
	fake_device_begin(&scratch, "tr");
	return 0;
}

static int tear_down(void **state)
{
	fake_device_end();
	scratch_remove(&scratch);
	return 0;
}

FIXTURE(set_up, tear_down)

static int doctor(const char *option, const char *value)
{
	return program_run(&jankd, &scratch, "doctor", "--tracefs", "tr", "-F", "out/fps", option,
			   value, NULL);
}

/* Checks that there is a line with the finding, the subject and a part of the text. */
static void assert_line(const char *finding, const char *subject, const char *part)
{
	const char *at = program_out(&jankd);
	char begin[64];

	snprintf(begin, sizeof(begin), "%-8s %s: ", finding, subject);
	for (; (at = strstr(at, begin)); at++)
		if (memmem(at, strcspn(at, "\n"), part, strlen(part)))
			return;
	fail_msg("no line '%s...%s' in:\n%s%s", begin, part, program_out(&jankd),
		 program_err(&jankd));
}

static void assert_one_line_on_stderr(void)
{
	const char *text = program_err(&jankd);

	assert_int_equal(strncmp(text, "jankd: doctor: ", 15), 0);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

TEST(a_device_that_allows_everything_is_ok)
{
	fake_device_dumpsys(&scratch, "SurfaceFlinger", "16666667\n0 0 0\n");
	fake_device_dumpsys(&scratch, "display", "{id=1, fps=60.000004}, {id=2, fps=90.0}\n");
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_string_equal(program_err(&jankd), "");
	assert_line("ok", "kernel", "KB");
	assert_line("ok", "tracefs", "tr");
	assert_line("ok", "trace_pipe", "can be read");
	assert_line("ok", "raw", "can be read");
	assert_line("ok", "tracing_on", "on, and jankd can switch it");
	assert_line("ok", "buffer_size_kb", "7777 KB");
	assert_line("ok", "trace_clock", "boot");
	assert_line("ok", "atrace", "gfx view");
	assert_line("ok", "display", "60.00 Hz, modes of 60.00, 90.00 Hz");
	assert_line("ok", "folder", "MB free");
	assert_line("ok", "capture", "none runs");
	assert_null(strstr(program_out(&jankd), "problem"));
}

TEST(nothing_is_changed)
{
	static const char *const files[] = { "tracing_on", "buffer_size_kb", "trace_clock",
					     "buffer_percent" };
	char before[COUNT_OF(files)][64];

	scratch_put(&scratch, "tr/tracing_on", "0\n");
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char name[64];

		snprintf(name, sizeof(name), "tr/%s", files[i]);
		snprintf(before[i], sizeof(before[i]), "%s", scratch_get(&scratch, name));
	}
	assert_int_equal(doctor("--instance", "new"), 0);
	assert_line("ok", "instance", "jankd creates it");
	assert_int_equal(doctor(NULL, NULL), 0);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char name[64];

		snprintf(name, sizeof(name), "tr/%s", files[i]);
		assert_string_equal(scratch_get(&scratch, name), before[i]);
	}
	assert_false(scratch_has(&scratch, "tr/instances/new"));
	assert_false(scratch_has(&scratch, "out"));
	assert_null(strstr(scratch_get(&scratch, "device/log"), "async"));
}

TEST(what_is_missing_is_a_problem)
{
	assert_int_equal(doctor("--tracefs", "nowhere"), 1);
	assert_line("problem", "tracefs", "nowhere: no tracefs there; mount it");
	assert_one_line_on_stderr();
	assert_null(strstr(program_out(&jankd), "trace_pipe"));

	assert_int_equal(doctor("--categories", "gfx nonsense"), 1);
	assert_line("problem", "atrace", "no category nonsense");
	assert_one_line_on_stderr();

	scratch_put(&scratch, "file", "");
	assert_int_equal(doctor("-F", "file/fps"), 1);
	assert_line("problem", "folder", "file");

	assert_int_equal(doctor("--min-free", "8000000000G"), 0);
	assert_line("note", "folder", "less than --min-free");
}

TEST(programs_that_hang_or_fail_are_notes)
{
	fake_device_fail(&scratch, "atrace", "no such service\x1b[2J");
	fake_device_fail(&scratch, "dumpsys", "nothing");
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "atrace", "cannot be listed: no such service\\x1B[2J");
	assert_line("note", "display", "does not say");
}

TEST(programs_that_are_missing_are_named)
{
	needs_errors_of_spawn();
	fake_device_remove(&scratch, "atrace");
	fake_device_remove(&scratch, "dumpsys");
	setenv("PATH", scratch_path(&scratch, "device/bin"), 1);
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "atrace", "not found");
	assert_line("ok", "display", "no dumpsys");
}

TEST(other_tracers_are_named)
{
	char reader[64];
	int fd;

	scratch_put(&scratch, "tr/set_event", "sched:sched_switch\nsched:sched_waking\n");
	scratch_put(&scratch, "tr/current_tracer", "function\n");
	fake_device_set(&scratch, "debug.atrace.tags.enableflags", "0x2");
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "other tracers", "2 kernel events");
	assert_line("note", "other tracers", "current_tracer is function");
	assert_line("note", "other tracers", "tags 0x2");

	fd = fake_tracefs_open(&scratch, "tr", "trace_pipe");
	assert_int_equal(doctor(NULL, NULL), 1);
	snprintf(reader, sizeof(reader), "(pid %d)", (int)getpid());
	close(fd);
	assert_line("problem", "trace_pipe", reader);
	fd = fake_tracefs_open(&scratch, "tr", "per_cpu/cpu1/trace_pipe_raw");
	assert_int_equal(doctor(NULL, NULL), 1);
	close(fd);
	assert_line("problem", "trace_pipe", reader);
}

/* A capture would read text, or another instance. */
TEST(what_only_costs_more_is_a_note)
{
	unlink(scratch_path(&scratch, "tr/events/header_page"));
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "raw", "events/header_page: No such file");
	unlink(scratch_path(&scratch, "tr/tracing_on"));
	scratch_mkdir(&scratch, "tr/tracing_on");
	assert_int_equal(doctor(NULL, NULL), 1);
	assert_line("problem", "tracing_on", "unknown, and jankd cannot switch it: Is a directory");
	unlink(scratch_path(&scratch, "tr/buffer_size_kb"));
	scratch_mkdir(&scratch, "tr/buffer_size_kb");
	assert_int_equal(doctor(NULL, NULL), 1);
	assert_line("note", "buffer_size_kb", "it stays unknown: Is a directory");
}
