/* SPDX-License-Identifier: Apache-2.0 */
/* 'jankd doctor' on a fake tracefs and device. Rights and SELinux: tests/badinput/closed.py. */
#include "tests/unit/unit.h"

#include <sys/prctl.h>

#include "tests/unit/fake_device.h"
#include "tests/unit/fake_tracefs.h"
#include "tests/unit/program.h"

static int set_up(void **state)
{
	fake_tracefs_set_up(state);
	fake_tracefs_raw();
	fake_device_begin();
	return 0;
}

FIXTURE(set_up, fake_device_tear_down)

static int doctor(const char *option, const char *value)
{
	return program_run("doctor", "--tracefs", "tr", "-F", "out/fps", option, value, NULL);
}

/* Checks that there is a line with the finding, the subject and a part of the text. */
static void assert_line(const char *finding, const char *subject, const char *part)
{
	const char *at = program_out(), *begin = formatted("%-8s %s: ", finding, subject);

	for (; (at = strstr(at, begin)); at++)
		if (memmem(at, strcspn(at, "\n"), part, strlen(part)))
			return;
	fail_msg("no line '%s...%s' in:\n%s%s", begin, part, program_out(), program_err());
}

TEST(a_device_that_allows_everything_is_ok_and_not_changed)
{
	static const char *const files[] = { "tr/tracing_on", "tr/buffer_size_kb", "tr/trace_clock",
					     "tr/buffer_percent" };
	char before[COUNT_OF(files)][64];

	for (size_t i = 0; i < COUNT_OF(files); i++)
		snprintf(before[i], sizeof(before[i]), "%s", scratch_get(files[i]));
	fake_device_dumpsys("SurfaceFlinger", "16666667\n0 0 0\n");
	fake_device_dumpsys("display", "{id=1, fps=60.000004}, {id=2, fps=90.0}\n");
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_string_equal(program_err(), "");
	assert_line("ok", "kernel", "KB");
	assert_line("ok", "tracefs", "tr");
	assert_line("ok", "trace_pipe", "can be read");
	assert_line("ok", "raw", "can be read");
	assert_line("ok", "tracing_on", "on, and jankd can change it");
	assert_line("ok", "buffer_size_kb", "7777 KB");
	assert_line("ok", "trace_clock", "boot");
	assert_line("ok", "atrace", "gfx view");
	assert_line("ok", "display", "60.00 Hz, modes of 60.00, 90.00 Hz");
	assert_line("ok", "folder", "MB free");
	assert_line("ok", "capture", "no capture is running");
	assert_lacks(program_out(), "problem");
	assert_int_equal(doctor("--instance", "new"), 0);
	assert_line("ok", "instance", "jankd creates it");
	for (size_t i = 0; i < COUNT_OF(files); i++)
		assert_string_equal(scratch_get(files[i]), before[i]);
	assert_false(scratch_has("tr/instances/new") || scratch_has("out"));
	assert_lacks(scratch_get("device/log"), "async");
}

TEST(what_is_missing_is_a_problem)
{
	assert_int_equal(doctor("--tracefs", "nowhere"), 1);
	assert_line("problem", "tracefs", "nowhere: no tracefs there; mount it");
	assert_one_line(program_err());
	assert_lacks(program_out(), "trace_pipe");

	assert_int_equal(doctor("--categories", "gfx nonsense"), 1);
	assert_line("problem", "atrace", "no category nonsense");
	assert_one_line(program_err());

	scratch_put("file", "");
	assert_int_equal(doctor("-F", "file/fps"), 1);
	assert_line("problem", "folder", "file");
	assert_int_equal(doctor("-F", "/proc/fps"), 1);
	assert_line("problem", "folder", geteuid() == 0 ? ": 0 bytes free" : "/proc");

	assert_int_equal(doctor("--min-free", "8000000000G"), 0);
	assert_line("note", "folder", "less than --min-free");
}

TEST(programs_that_hang_or_fail_are_notes)
{
	fake_device_fail("atrace", "no such service\x1b[2J");
	fake_device_fail("dumpsys", "nothing");
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "atrace", "cannot be listed: no such service\\x1B[2J");
	assert_line("note", "display", "does not print");
}

TEST(programs_that_are_missing_are_named)
{
	needs_errors_of_spawn();
	fake_device_remove("atrace");
	fake_device_remove("dumpsys");
	setenv("PATH", scratch_path("device/bin"), 1);
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "atrace", "not found");
	assert_line("ok", "display", "no dumpsys");
}

TEST(other_tracers_are_named)
{
	FILE *self = fopen("/proc/self/comm", "re");
	char name[17], reader[32];
	int fd;

	prctl(PR_SET_NAME, "traced_probes");
	/* An emulator may have its own name. */
	assert_int_equal(fscanf(self, "%16s", name), 1);
	fclose(self);
	snprintf(reader, sizeof(reader), "%s (pid %d)", name, (int)getpid());
	scratch_put("tr/set_event", "sched:sched_switch\nsched:sched_waking\n");
	scratch_put("tr/current_tracer", "function\n");
	fake_device_set("debug.atrace.tags.enableflags", "0x2");
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "other tracers", "2 kernel events");
	assert_line("note", "other tracers", "current_tracer is function");
	assert_line("note", "other tracers", "tags 0x2");
	if (strcmp(name, "traced_probes") == 0)
		assert_line("note", "other tracers", reader);

	fd = fake_tracefs_open("trace_pipe");
	assert_int_equal(doctor(NULL, NULL), 1);
	close(fd);
	assert_line("problem", "trace_pipe", reader);
	fd = fake_tracefs_open("per_cpu/cpu1/trace_pipe_raw");
	assert_int_equal(doctor(NULL, NULL), 1);
	close(fd);
	assert_line("problem", "trace_pipe", reader);
}

/* A capture would read text, or another instance. */
TEST(what_only_costs_more_is_a_note)
{
	unlink(scratch_path("tr/events/header_page"));
	assert_int_equal(doctor(NULL, NULL), 0);
	assert_line("note", "raw", "events/header_page: No such file");
	unlink(scratch_path("tr/tracing_on"));
	scratch_mkdir("tr/tracing_on");
	assert_int_equal(doctor(NULL, NULL), 1);
	assert_line("problem", "tracing_on", "unknown, and jankd cannot change it: Is a directory");
	unlink(scratch_path("tr/buffer_size_kb"));
	scratch_mkdir("tr/buffer_size_kb");
	assert_int_equal(doctor(NULL, NULL), 1);
	assert_line("note", "buffer_size_kb", "jankd cannot change it: Is a directory");
	assert_contains(program_err(), ": 1 problem; see the line above that begins with '");
	assert_int_equal(doctor("--categories", "gfx nonsense"), 1);
	assert_contains(program_err(), ": 2 problems; see the lines above that begin with '");
}
