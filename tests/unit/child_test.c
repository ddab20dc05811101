/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: their output and exit status; a child that hangs does not block its parent. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "daemon/base/child.h"
#include "tests/unit/fake_device.h"

#define HANGS_MS 20000

static struct output {
	char text[256]; /* lines, each followed by '|'; or the last error */
	size_t lines, longest, bytes;
	bool ended;
	int status;
} output;

static struct loop loop;

static int set_up(void **state)
{
	scratch_set_up(state);
	output = (struct output){ .text = "" };
	return loop_open(&loop);
}

static int tear_down(void **state)
{
	loop_close(&loop);
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up, tear_down)

static void on_line(struct child *child, struct span line)
{
	size_t used = strlen(output.text);

	output.lines++;
	if (line.len > output.longest)
		output.longest = line.len;
	snprintf(output.text + used, sizeof(output.text) - used, "%.*s|", (int)line.len, line.ptr);
}

static void on_bytes(struct child *child, struct span bytes)
{
	output.bytes += bytes.len;
}

static void on_end(struct child *child, int status)
{
	assert_ptr_equal(child->context, &output);
	assert_false(output.ended);
	output.ended = true;
	output.status = status;
	if (child->bytes)
		snprintf(output.text, sizeof(output.text), "%s", child_last_error(child));
}

static void start(struct child *child, const char *script, int timeout_ms)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };

	child->ended = on_end;
	child->context = &output;
	output = (struct output){ .text = "" };
	assert_int_equal(child_start(child, &loop, argv, timeout_ms), 0);
}

/* Runs @script and the loop until the script ends. Returns its status. */
static int run_with(struct child *child, const char *script, int timeout_ms)
{
	uint64_t patience_ns = loop_now() + HANGS_MS * MS;

	start(child, script, timeout_ms);
	assert_true(child_runs(child));
	while (!output.ended && loop_now() < patience_ns) {
		loop_wait(&loop, loop_now() + 20 * MS);
		child_check(child);
	}
	assert_true(output.ended);
	assert_false(child_runs(child));
	return output.status;
}

static int run_script(const char *script, int timeout_ms)
{
	struct child child = { .line = on_line };

	return run_with(&child, script, timeout_ms);
}

TEST(lines_and_exit_status_are_returned)
{
	assert_int_equal(run_script("echo a; echo; printf b; exit 3", HANGS_MS), 3);
	assert_string_equal(output.text, "a||b|");
	assert_int_equal(run_script("kill -TERM $$", HANGS_MS), 128 + SIGTERM);
	assert_int_equal(run_script("exec >&- 2>&-; sleep 0.2; exit 4", HANGS_MS), 4);
}

/* If SIGCHLD is ignored there is no exit status: this does not count as status 0. */
TEST(exit_status_is_unknown_if_sigchld_is_ignored)
{
	char *argv[] = { "sh", "-c", "echo a; exit 3", NULL };
	char text[16];

	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(run_script("exit 3", HANGS_MS), -ECHILD);
	assert_int_equal(child_run(argv, HANGS_MS, 0, false, text, sizeof(text)), -ECHILD);
	assert_string_equal(text, "a\n");
	signal(SIGCHLD, SIG_DFL);
}

TEST(lines_of_a_brief_child_are_read_in_one_wait)
{
	struct child child = { .brief = true, .line = on_line };

	start(&child, "echo a; sleep 0.3; printf b", HANGS_MS);
	assert_true(loop_wait(&loop, loop_now() + HANGS_MS * MS));
	assert_string_equal(output.text, "a|b|");
	assert_false(output.ended);
	while (!output.ended)
		child_check(&child);
	assert_string_equal(output.text, "a|b|");
	assert_int_equal(output.status, 0);
}

TEST(long_lines_of_a_child_are_cut)
{
	assert_int_equal(run_script("head -c 3000000 /dev/zero; echo; head -c 100000 /dev/zero | "
				    "tr '\\0' '\\n'",
				    HANGS_MS),
			 0);
	assert_fields(&output, longest == CHILD_LINE_MAX, lines == 100001);
}

/* Also its children, one that ignores signals, one that prints, one that has closed its output. */
TEST(hanging_children_are_killed)
{
	static const char *const scripts[] = {
		"sleep 1000",
		"sleep 1000 & trap '' TERM INT HUP; sleep 1000",
		"yes",
		"exec >&- 2>&-; sleep 1000",
	};

	for (size_t i = 0; i < COUNT_OF(scripts); i++)
		assert_int_equal(run_script(scripts[i], 100), -ETIMEDOUT);
}

/* Standard error is apart from the bytes; a child never waits for a reader. */
TEST(bytes_of_a_child_are_not_lines)
{
	static const struct {
		const char *script, *error;
		size_t bytes;
		int status;
	} rows[] = {
		{ "cat; printf '\\n\\n'; echo first >&2; echo last >&2; exit 3", "last", 8, 3 },
		{ "sleep 1000 & kill -KILL $$", "", 0, 128 + SIGKILL },
		{ "printf x", "", 1, 0 },
		{ "yes | head -c 100000 >&2; exit 5", "y", 0, 5 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct child child = { .bytes = on_bytes, .input = "config" };

		assert_int_equal(run_with(&child, rows[i].script, -1), rows[i].status);
		assert_string_equal(output.text, rows[i].error);
		assert_int_equal(output.bytes, rows[i].bytes);
	}
}

/* The same descriptors as one that libc has started. */
TEST(children_inherit_no_descriptors)
{
	char *argv[] = { "ls", "/proc/self/fd", NULL };
	char expected[256] = "", text[256];
	struct child child = { .bytes = on_bytes, .input = "" };
	FILE *usual = popen("exec ls /proc/self/fd", "re");

	assert_true(fread(expected, 1, sizeof(expected) - 1, usual) > 0);
	pclose(usual);
	assert_int_equal(child_run(argv, HANGS_MS, 0, false, text, sizeof(text)), 0);
	assert_string_equal(text, expected);
	assert_int_equal(run_with(&child, "exec ls /proc/self/fd", -1), 0);
	assert_int_equal(output.bytes, strlen(expected));
}

TEST(killed_child_calls_no_callback)
{
	char *argv[] = { "sleep", "1000", NULL };
	struct child child = { .line = on_line };
	struct loop closed = { .fd = -1 };
	uint64_t begin_ns = loop_now();

	/* Without any, the loop waits for its time. */
	assert_false(loop_wait(&loop, begin_ns + 20 * MS));
	assert_in_range(loop_now() - begin_ns, 20 * MS, HANGS_MS * MS);
	start(&child, "echo x; sleep 1000", HANGS_MS);
	child_kill(&child);
	child_kill(&child);
	child_check(&child);
	child_signal(&child, SIGTERM);
	assert_false(loop_wait(&loop, 0));
	assert_int_equal(output.lines + output.ended, 0);
	/* One that gets a signal does. Until it prints, an emulated one may have no group. */
	start(&child, "echo x; sleep 1000", HANGS_MS);
	while (!output.ended && loop_wait(&loop, loop_now() + HANGS_MS * MS)) {
		if (output.lines)
			child_signal(&child, SIGTERM);
		child_check(&child);
	}
	assert_int_equal(output.status, 128 + SIGTERM);
	assert_int_equal(child_start(&child, &closed, argv, HANGS_MS), -EBADF);
	assert_false(child_runs(&child));
}

/* The traced process ends for its parent only when the tracer lets it: it stands for one in a
 * frozen cgroup, or one that waits for a disk that is gone. Returns the tracer, which ends after 5
 * s; 0: there is no ptrace(). */
static pid_t trace(pid_t pid)
{
	int fds[2];
	char seized = 0;
	pid_t tracer;

	assert_int_equal(pipe(fds), 0);
	tracer = fork();
	if (tracer == 0) {
		seized = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
		if (write(fds[1], &seized, 1) == 1)
			sleep(5);
		_exit(0);
	}
	assert_int_equal(read(fds[0], &seized, 1), 1);
	close(fds[0]);
	close(fds[1]);
	return seized ? tracer : 0;
}

TEST(nothing_waits_for_a_child_that_cannot_end)
{
	char *argv[] = { "true", NULL };
	struct child child = { .line = on_line };
	uint64_t begin_ns = loop_now();
	pid_t pid, tracer;
	char text[8];

	start(&child, "exec sleep 20", 100);
	pid = child.pid;
	tracer = trace(pid);
	if (tracer == 0) {
		child_kill(&child);
		print_message("skipped: no child can be traced (qemu-user)\n");
		skip();
	}
	while (!output.ended && loop_now() < begin_ns + 3000 * MS) {
		loop_wait(&loop, loop_now() + 20 * MS);
		child_check(&child);
	}
	assert_int_equal(output.status, -ETIMEDOUT);
	assert_in_range(loop_now() - begin_ns, 100 * MS, 3000 * MS);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	/* When it has ended it is collected. */
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	while (kill(pid, 0) == 0 && loop_now() < begin_ns + HANGS_MS * MS)
		assert_int_equal(child_run(argv, HANGS_MS, 0, false, text, 8), 0);
	assert_int_equal(kill(pid, 0), -1);
}

static int run(char *script, int timeout_ms, char *text, size_t size)
{
	char *argv[] = { "sh", "-c", script, NULL };

	return child_run(argv, timeout_ms, 0, true, text, size);
}

TEST(child_run_waits_until_the_deadline)
{
	char text[8];

	assert_int_equal(run("echo 12345678901234567890; exit 7", HANGS_MS, text, 8), 7);
	assert_string_equal(text, "1234567");
	assert_int_equal(run("sleep 1000", 100, text, 8), -ETIMEDOUT);
	assert_int_equal(run("exec >&- 2>&-; sleep 1000", 100, text, 8), -ETIMEDOUT);
}

TEST(child_run_returns_the_error_of_a_missing_program)
{
	char text[8];
	char *missing[] = { "/no/such/program", NULL };

	needs_errors_of_spawn();
	assert_int_equal(child_run(missing, HANGS_MS, 0, true, text, 8), -ENOENT);
}

TEST(child_run_ends_on_a_signal)
{
	char *hangs[] = { "sleep", "1000", NULL };
	char *slow[] = { "sh", "-c", "for i in 1 2 3 4 5; do echo; sleep 0.2; done", NULL };
	const int ending[] = { SIGINT, SIGTERM, SIGQUIT };
	char text[8];
	sigset_t blocked;

	child_end_on(ending, 3);
	sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGWINCH);
	raise(SIGHUP);
	assert_int_equal(run("exit 5", HANGS_MS, text, 8), 5);
	raise(SIGTERM);
	assert_int_equal(run("sleep 1000", HANGS_MS, text, 8), -EINTR);
	assert_int_equal(run("exec >&- 2>&-; sleep 1000", HANGS_MS, text, 8), -EINTR);
	assert_int_equal(child_run(hangs, 100, 0, false, text, 8), -ETIMEDOUT);
	assert_int_equal(child_run(hangs, 99 * HANGS_MS, 100, false, text, 8), -ETIMEDOUT);
	assert_int_equal(child_run(slow, HANGS_MS, 400, false, text, 8), 0);
	child_discard_signals();
	assert_int_equal(run("exit 5", HANGS_MS, text, 8), 5);
}
