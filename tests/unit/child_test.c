/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: their output and exit status; a child that hangs does not block its parent. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/child.h"
#include "tests/unit/emulated.h"

#define HANGS_MS 20000

struct output {
	char text[256]; /* lines, each followed by '|' */
	int lines;
	size_t longest;
	bool ended;
	int status;
};

static void on_line(struct child *child, struct span line)
{
	struct output *output = child->context;
	size_t used = strlen(output->text);

	output->lines++;
	if (line.len > output->longest)
		output->longest = line.len;
	snprintf(output->text + used, sizeof(output->text) - used, "%.*s|", (int)line.len,
		 line.ptr);
}

static void on_end(struct child *child, int status)
{
	struct output *output = child->context;

	assert_false(output->ended);
	output->ended = true;
	output->status = status;
}

/* Runs @script and a loop until the script ends. */
static struct output run_script(char *script, int timeout_ms)
{
	struct output output = { .text = "" };
	struct child child = { .line = on_line, .ended = on_end, .context = &output };
	char *argv[] = { "sh", "-c", script, NULL };
	uint64_t patience_ns = loop_now() + HANGS_MS * MS;
	struct loop loop;

	assert_int_equal(loop_open(&loop), 0);
	assert_int_equal(child_start(&child, &loop, argv, timeout_ms), 0);
	assert_true(child_runs(&child));
	while (!output.ended && loop_now() < patience_ns) {
		loop_wait(&loop, loop_now() + 20 * MS);
		child_check(&child);
	}
	assert_true(output.ended);
	assert_false(child_runs(&child));
	loop_close(&loop);
	return output;
}

TEST(lines_and_exit_status_are_returned)
{
	struct output output = run_script("echo a; echo; printf b; exit 3", HANGS_MS);

	assert_string_equal(output.text, "a||b|");
	assert_int_equal(output.status, 3);
	output = run_script("kill -TERM $$", HANGS_MS);
	assert_int_equal(output.status, 128 + SIGTERM);
	output = run_script("exec >&- 2>&-; sleep 0.2; exit 4", HANGS_MS);
	assert_int_equal(output.status, 4);
}

/* If SIGCHLD is ignored there is no exit status: this does not count as status 0. */
TEST(exit_status_is_unknown_if_sigchld_is_ignored)
{
	char *argv[] = { "sh", "-c", "echo a; exit 3", NULL };
	char output[16];

	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(run_script("exit 3", HANGS_MS).status, -ECHILD);
	assert_int_equal(child_run(argv, HANGS_MS, 0, false, output, sizeof(output)), -ECHILD);
	assert_string_equal(output, "a\n");
	signal(SIGCHLD, SIG_DFL);
}

TEST(lines_of_a_brief_child_are_read_in_one_wait)
{
	struct output output = { .text = "" };
	struct child child = {
		.brief = true,
		.line = on_line,
		.ended = on_end,
		.context = &output,
	};
	char *argv[] = { "sh", "-c", "echo a; printf b", NULL };
	struct loop loop;

	assert_int_equal(loop_open(&loop), 0);
	assert_int_equal(child_start(&child, &loop, argv, HANGS_MS), 0);
	assert_true(loop_wait(&loop, loop_now() + HANGS_MS * MS));
	assert_string_equal(output.text, "a|b|");
	assert_false(output.ended);
	while (!output.ended)
		child_check(&child);
	assert_string_equal(output.text, "a|b|");
	assert_int_equal(output.status, 0);
	loop_close(&loop);
}

TEST(long_lines_of_a_child_are_cut)
{
	struct output output =
		run_script("head -c 3000000 /dev/zero; echo; head -c 100000 /dev/zero | "
			   "tr '\\0' '\\n'",
			   HANGS_MS);

	assert_int_equal(output.longest, CHILD_LINE_MAX);
	assert_int_equal(output.lines, 100001);
	assert_int_equal(output.status, 0);
}

TEST(hanging_children_are_killed)
{
	assert_int_equal(run_script("sleep 1000", 100).status, -ETIMEDOUT);
	/* also its children, and a child that ignores signals */
	assert_int_equal(run_script("sleep 1000 & trap '' TERM INT HUP; sleep 1000", 100).status,
			 -ETIMEDOUT);
	assert_int_equal(run_script("yes", 100).status, -ETIMEDOUT);
	assert_int_equal(run_script("exec >&- 2>&-; sleep 1000", 100).status, -ETIMEDOUT);
}

static void on_bytes(struct child *child, struct span bytes)
{
	struct output *output = child->context;
	size_t used = strlen(output->text);

	output->lines += bytes.len;
	snprintf(output->text + used, sizeof(output->text) - used, "%.*s", (int)bytes.len,
		 bytes.ptr);
}

static void keep_error(struct child *child, int status)
{
	struct output *output = child->context;

	snprintf(output->text, sizeof(output->text), "%s", child_last_error(child));
	output->ended = true;
	output->status = status;
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
		{ "exit 0", "", 0, 0 },
		{ "yes | head -c 100000 >&2; exit 5", "y", 0, 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct output output = { .text = "" };
		struct child child = {
			.bytes = on_bytes,
			.ended = keep_error,
			.input = "config",
			.context = &output,
		};
		char *argv[] = { "sh", "-c", (char *)rows[i].script, NULL };
		uint64_t patience_ns = loop_now() + HANGS_MS * MS;
		struct loop loop;

		assert_int_equal(loop_open(&loop), 0);
		assert_int_equal(child_start(&child, &loop, argv, -1), 0);
		while (!output.ended && loop_now() < patience_ns) {
			loop_wait(&loop, loop_now() + 20 * MS);
			child_check(&child);
		}
		assert_true(output.ended);
		assert_string_equal(output.text, rows[i].error);
		assert_int_equal(output.lines, rows[i].bytes);
		assert_int_equal(output.status, rows[i].status);
		loop_close(&loop);
	}
}

TEST(killed_child_calls_no_callback)
{
	struct output output = { .text = "" };
	struct child child = { .line = on_line, .ended = on_end, .context = &output };
	char *argv[] = { "sh", "-c", "echo x; sleep 1000", NULL };
	struct loop loop;

	assert_int_equal(loop_open(&loop), 0);
	assert_int_equal(child_start(&child, &loop, argv, HANGS_MS), 0);
	child_kill(&child);
	child_kill(&child);
	child_check(&child);
	assert_false(loop_wait(&loop, 0));
	assert_int_equal(output.lines + output.ended, 0);
	loop_close(&loop);
}

static int run(char *script, int timeout_ms, char *output, size_t size)
{
	char *argv[] = { "sh", "-c", script, NULL };

	return child_run(argv, timeout_ms, 0, true, output, size);
}

TEST(child_run_waits_until_the_deadline)
{
	char output[8];

	assert_int_equal(run("echo 12345678901234567890; exit 7", HANGS_MS, output, 8), 7);
	assert_string_equal(output, "1234567");
	assert_int_equal(run("sleep 1000", 100, output, 8), -ETIMEDOUT);
	assert_int_equal(run("exec >&- 2>&-; sleep 1000", 100, output, 8), -ETIMEDOUT);
}

TEST(child_run_returns_the_error_of_a_missing_program)
{
	char output[8];
	char *missing[] = { "/no/such/program", NULL };

	needs_errors_of_spawn();
	assert_int_equal(child_run(missing, HANGS_MS, 0, true, output, 8), -ENOENT);
}

TEST(child_run_ends_on_a_signal)
{
	char *hangs[] = { "sleep", "1000", NULL };
	char *slow[] = { "sh", "-c", "for i in 1 2 3 4 5; do echo; sleep 0.2; done", NULL };
	const int ending[] = { SIGINT, SIGTERM, SIGQUIT };
	char output[8];
	sigset_t blocked;

	child_end_on(ending, 3);
	sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGWINCH);
	raise(SIGHUP);
	assert_int_equal(run("exit 5", HANGS_MS, output, 8), 5);
	raise(SIGTERM);
	assert_int_equal(run("sleep 1000", HANGS_MS, output, 8), -EINTR);
	assert_int_equal(run("exec >&- 2>&-; sleep 1000", HANGS_MS, output, 8), -EINTR);
	assert_int_equal(child_run(hangs, 100, 0, false, output, 8), -ETIMEDOUT);
	assert_int_equal(child_run(hangs, HANGS_MS, 100, false, output, 8), -ETIMEDOUT);
	assert_int_equal(child_run(slow, HANGS_MS, 400, false, output, 8), 0);
	child_discard_signals();
	assert_int_equal(run("exit 5", HANGS_MS, output, 8), 5);
}
