/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/live_capture.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/wall_clock.h"
#include "tests/unit/trace_text.h"

#define WORDS_MAX 40
#define STEP_US 16667
#define TRIES (PROGRAM_S * 200)

void live_capture_make(struct live_capture *capture)
{
	*capture = (struct live_capture){ .pipe = -1 };
	scratch_make(&capture->scratch, "/tmp");
	fake_tracefs_make(&capture->scratch, "tr");
	capture->pipe = fake_tracefs_open(&capture->scratch, "tr", "trace_pipe");
}

void live_capture_remove(struct live_capture *capture)
{
	if (capture->program.pid > 0) {
		kill(capture->program.pid, SIGKILL);
		waitpid(capture->program.pid, NULL, 0);
	} else if (scratch_has(&capture->scratch, "out/.lock") && live_capture_pid(capture) > 0) {
		kill(live_capture_pid(capture), SIGKILL);
	}
	close(capture->pipe);
	scratch_remove(&capture->scratch);
}

int live_capture_set_up(void **state)
{
	live_capture_make(*state);
	return 0;
}

int live_capture_tear_down(void **state)
{
	live_capture_remove(*state);
	return 0;
}

static void pause_a_little(void)
{
	const struct timespec pause = { 0, 5000000 };

	nanosleep(&pause, NULL);
}

static void start(struct live_capture *capture, const char *command, const char *first,
		  va_list rest)
{
	const char *words[WORDS_MAX] = { command, "--tracefs", "tr", "-F", "out", first };

	for (size_t i = 6; i < WORDS_MAX - 1 && words[i - 1]; i++)
		words[i] = va_arg(rest, const char *);
	program_start(&capture->program, &capture->scratch, command, words);
}

static bool has_ended(struct live_capture *capture)
{
	int status;

	if (capture->program.pid == 0)
		return true;
	if (waitpid(capture->program.pid, &status, WNOHANG) != capture->program.pid)
		return false;
	capture->program.pid = 0;
	capture->program.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return true;
}

bool live_capture_run(struct live_capture *capture, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	start(capture, "run", first, rest);
	va_end(rest);
	/* From then on it answers requests. */
	for (int i = 0; i < TRIES && !has_ended(capture); i++) {
		if (strstr(scratch_get(&capture->scratch, "out/.lock"), "jankd-") &&
		    live_capture_ask(capture, "status", "--json") == 0)
			return true;
		pause_a_little();
	}
	return false;
}

bool live_capture_start(struct live_capture *capture, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	start(capture, "start", first, rest);
	va_end(rest);
	return program_end(&capture->program) == 0;
}

pid_t live_capture_pid(const struct live_capture *capture)
{
	return (pid_t)atol(scratch_get(&capture->scratch, "out/.lock"));
}

int live_capture_signal(struct live_capture *capture, int number)
{
	pid_t pid = capture->program.pid;

	if (pid > 0) {
		kill(pid, number);
		return program_end(&capture->program);
	}
	pid = live_capture_pid(capture);
	kill(pid, number);
	for (int i = 0; i < TRIES && kill(pid, 0) == 0; i++)
		pause_a_little();
	return kill(pid, 0) == 0 ? -1 : 0;
}

void live_capture_write(struct live_capture *capture, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		struct pollfd out = { .fd = capture->pipe, .events = POLLOUT };
		ssize_t n = write(capture->pipe, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (poll(&out, 1, PROGRAM_S * 1000) <= 0) {
			abort();
		}
	}
}

uint64_t live_capture_now_us(void)
{
	return (uint64_t)clock_read(CLOCK_BOOTTIME) / 1000;
}

void live_capture_frames_at(struct live_capture *capture, const char *layer, uint64_t from_us,
			    unsigned int n)
{
	char *text = trace_text_of(layer, from_us, STEP_US, n);

	live_capture_write(capture, text);
	free(text);
}

void live_capture_frames(struct live_capture *capture, unsigned int n)
{
	live_capture_frames_at(capture, LIVE_LAYER, live_capture_now_us() - n * STEP_US, n);
}

int live_capture_ask(struct live_capture *capture, const char *command, const char *word)
{
	struct program program;

	return program_run(&program, &capture->scratch, command, "-F", "out", word, NULL);
}

unsigned int live_capture_rows(const struct live_capture *capture, const char *name)
{
	char path[128];
	const char *text;
	unsigned int lines = 0;

	snprintf(path, sizeof(path), "out/%s", name);
	for (text = scratch_get(&capture->scratch, path); *text; text++)
		lines += *text == '\n';
	return lines > 0 ? lines - 1 : 0;
}

bool live_capture_has_rows(const struct live_capture *capture, const char *name, unsigned int n)
{
	for (int i = 0; i < TRIES; i++) {
		if (live_capture_rows(capture, name) >= n)
			return true;
		pause_a_little();
	}
	return false;
}

bool live_capture_is_set(const struct live_capture *capture, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "tr/%s", name);
	for (int i = 0; i < TRIES; i++) {
		if (strncmp(scratch_get(&capture->scratch, path), value, strlen(value)) == 0)
			return true;
		pause_a_little();
	}
	return false;
}

void live_capture_set(const struct live_capture *capture, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "tr/%s", name);
	scratch_put(&capture->scratch, path, value);
}
