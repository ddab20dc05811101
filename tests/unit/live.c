/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "daemon/base/wall_clock.h"
#include "tests/unit/live.h"

#define WORDS_MAX 40
#define STEP_US 16667
#define SURFACEFLINGER 406

pid_t live_pid;
int live_pipe = -1;

int live_set_up(void **state)
{
	fake_tracefs_set_up(state);
	live_pipe = fake_tracefs_open("trace_pipe");
	return 0;
}

int live_tear_down(void **state)
{
	if (live_pid > 0) {
		kill(live_pid, SIGKILL);
		waitpid(live_pid, NULL, 0);
	} else if (scratch_has("out/.lock") && live_daemon() > 0) {
		kill(live_daemon(), SIGKILL);
	}
	live_pid = 0;
	close(live_pipe);
	return scratch_tear_down_closed(state);
}

static pid_t start(const char *command, const char *first, va_list rest)
{
	const char *words[WORDS_MAX] = { command, "--tracefs", "tr", "-F", "out", first };

	for (size_t i = 6; i < WORDS_MAX - 1 && words[i - 1]; i++)
		words[i] = va_arg(rest, const char *);
	return program_start(words);
}

static bool has_ended(void)
{
	int status;

	if (waitpid(live_pid, &status, WNOHANG) != live_pid)
		return false;
	live_pid = 0;
	return true;
}

void live_wait_until_it_captures(void)
{
	/* From then on it answers requests. */
	wait_until(has_ended() || (strstr(scratch_get("out/.lock"), "jankd-") &&
				   live_ask("status", "--json") == 0));
	if (live_pid == 0)
		fail_msg("it has ended: %s", scratch_get("run.err"));
}

void live_run(const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	live_pid = start("run", first, rest);
	va_end(rest);
	live_wait_until_it_captures();
}

void live_fails(const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	assert_int_equal(program_end(start("run", first, rest)), 1);
	va_end(rest);
}

void live_start(const char *first, ...)
{
	va_list rest;
	int code;

	va_start(rest, first);
	code = program_end(start("start", first, rest));
	va_end(rest);
	if (code != 0)
		fail_msg("exit code %d: %s", code, scratch_get("start.err"));
}

pid_t live_daemon(void)
{
	return (pid_t)atol(scratch_get("out/.lock"));
}

int live_signal(int number)
{
	pid_t pid = live_pid > 0 ? live_pid : live_daemon();

	assert_int_equal(kill(pid, number), 0);
	if (pid == live_pid) {
		live_pid = 0;
		return program_end(pid);
	}
	wait_until(kill(pid, 0) < 0);
	return 0;
}

void live_stop(void)
{
	int code = live_signal(SIGTERM);

	if (code != 0)
		fail_msg("exit code %d: %s", code, scratch_get("run.err"));
}

void live_kill(void)
{
	int wanted = live_pid > 0 ? 128 + SIGKILL : 0;

	assert_int_equal(live_signal(SIGKILL), wanted);
}

void live_end(void)
{
	pid_t pid = live_pid;

	live_pid = 0;
	assert_int_equal(program_end(pid), 0);
}

void live_write(const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		struct pollfd out = { .fd = live_pipe, .events = POLLOUT };
		ssize_t n = write(live_pipe, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (poll(&out, 1, PROGRAM_S * 1000) <= 0) {
			fail_msg("nothing reads the trace_pipe");
		}
	}
}

uint64_t live_now_us(void)
{
	return (uint64_t)clock_read(CLOCK_BOOTTIME) / 1000;
}

/* Prints one line: a marker that thread @tid writes. */
__attribute__((format(printf, 4, 5))) static void print_marker(FILE *out, int tid, uint64_t time_us,
							       const char *format, ...)
{
	va_list arguments;

	fprintf(out, "%16s-%-5d (%5d) [001] .... %" PRIu64 ".%06" PRIu64 ": tracing_mark_write: ",
		tid == SURFACEFLINGER ? "surfaceflinger" : "Binder:406_1", tid, SURFACEFLINGER,
		time_us / 1000000, time_us % 1000000);
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	fputc('\n', out);
}

/* The lines of SurfaceFlinger of Android 14. */
void live_frames_at(const char *layer, uint64_t from_us, unsigned int n)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t us = from_us + i * STEP_US;

		print_marker(out, 500, us - 4000, "C|406|BufferTX - %s|1", layer);
		print_marker(out, 407, us - 2000, "C|406|VSYNC-sf|%u", i % 2);
		print_marker(out, SURFACEFLINGER, us - 1900, "B|406|commit %u", i);
		print_marker(out, SURFACEFLINGER, us - 1800, "I|406|latchBuffer %s - %u", layer, i);
		print_marker(out, SURFACEFLINGER, us - 1790, "C|406|BufferTX - %s|0", layer);
		print_marker(out, SURFACEFLINGER, us - 1700, "E|406");
		print_marker(out, SURFACEFLINGER, us - 200, "B|406|composite %u", i);
		print_marker(out, SURFACEFLINGER, us,
			     "B|406|presentFrameAndReleaseLayers for Built-in (0)");
		print_marker(out, SURFACEFLINGER, us + 300, "E|406");
		print_marker(out, SURFACEFLINGER, us + 310, "E|406");
	}
	fclose(out);
	live_write(text);
	free(text);
}

/* Not before the end of the frames of the last call, unless the clock is another one. */
void live_frames(unsigned int n)
{
	static uint64_t end_us;
	uint64_t now_us = live_now_us(), begin_us = now_us - n * STEP_US;

	if (begin_us < end_us && end_us <= now_us)
		usleep((useconds_t)(end_us - begin_us));
	end_us = live_now_us();
	live_frames_at(LIVE_LAYER, end_us - n * STEP_US, n);
}

int live_ask(const char *command, const char *word)
{
	return program_run(command, "-F", "out", word, NULL);
}

unsigned int live_rows(const char *name)
{
	unsigned int lines = 0;

	for (const char *text = scratch_get(formatted("out/%s", name)); *text; text++)
		lines += *text == '\n';
	return lines > 0 ? lines - 1 : 0;
}

void live_wait_rows(const char *name, unsigned int n)
{
	wait_until(live_rows(name) >= n);
}

void live_wait_setting(const char *name, const char *value)
{
	const char *path = formatted("tr/%s", name);

	wait_until(strncmp(scratch_get(path), value, strlen(value)) == 0);
}

void live_set(const char *name, const char *value)
{
	int fd = open(scratch_path(formatted("tr/%s", name)), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	/* It is never empty, as in a tracefs. */
	assert_int_equal(write(fd, value, strlen(value)), strlen(value));
	assert_int_equal(ftruncate(fd, (off_t)strlen(value)), 0);
	close(fd);
}
