/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal shows during a capture, and that it is restored afterwards. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/text.h"
#include "tests/unit/live_capture.h"

/* The alternate screen, and back. */
#define ENTER "\x1b[?1049h"
#define LEAVE "\x1b[?1049l"
#define HOME "\x1b[H"

static struct live_capture capture;

/* A pseudo-terminal and the program on it. */
static struct {
	int master, slave;
	pid_t pid;
	char text[1 << 20]; /* all that was written to it */
	size_t len;
} terminal;

static int set_up(void **state)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	live_capture_make(&capture);
	memset(&terminal, 0, sizeof(terminal));
	terminal.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (terminal.master < 0 || grantpt(terminal.master) < 0 || unlockpt(terminal.master) < 0)
		return -1;
	terminal.slave = open(ptsname(terminal.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	return terminal.slave < 0 ? -1 : ioctl(terminal.slave, TIOCSWINSZ, &size);
}

static int tear_down(void **state)
{
	if (terminal.pid > 0) {
		kill(terminal.pid, SIGKILL);
		waitpid(terminal.pid, NULL, 0);
	}
	close(terminal.master);
	close(terminal.slave);
	live_capture_remove(&capture);
	return 0;
}

FIXTURE(set_up, tear_down)

/* The program leads its own session: keys of the terminal send it signals. */
static void start(const char *const *words)
{
	const char *argv[24] = { program_jankd() };

	for (size_t i = 0; words[i]; i++)
		argv[i + 1] = words[i];
	fflush(NULL);
	terminal.pid = fork();
	if (terminal.pid != 0)
		return;
	setsid();
	if (ioctl(terminal.slave, TIOCSCTTY, 0) < 0 || chdir(capture.scratch.path) < 0 ||
	    dup2(terminal.slave, 0) < 0 || dup2(terminal.slave, 1) < 0 ||
	    dup2(terminal.slave, 2) < 0)
		_exit(127);
	execv(argv[0], (char **)argv);
	_exit(127);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void read_some(void)
{
	struct pollfd in = { .fd = terminal.master, .events = POLLIN };
	ssize_t n;

	poll(&in, 1, 20);
	n = read(terminal.master, terminal.text + terminal.len,
		 sizeof(terminal.text) - 1 - terminal.len);
	if (n > 0)
		terminal.len += (size_t)n;
	terminal.text[terminal.len] = '\0';
}

/* Waits until @text is written, then discards all text up to its end. */
static bool shows(const char *text)
{
	double until = seconds() + PROGRAM_S;

	while (seconds() < until) {
		char *at;

		read_some();
		at = strstr(terminal.text, text);
		if (!at)
			continue;
		at += strlen(text);
		terminal.len -= (size_t)(at - terminal.text);
		memmove(terminal.text, at, terminal.len + 1);
		return true;
	}
	return false;
}

static void press(const char *keys)
{
	assert_int_equal(write(terminal.master, keys, strlen(keys)), strlen(keys));
}

/* Waits for its end, or with WUNTRACED for its stop. Returns the status of waitpid(). */
static int wait_for_end(int options)
{
	double until = seconds() + PROGRAM_S;
	int status = -1;

	while (seconds() < until) {
		read_some();
		if (waitpid(terminal.pid, &status, WNOHANG | options) == terminal.pid) {
			if (!WIFSTOPPED(status))
				terminal.pid = 0;
			return status;
		}
	}
	return -1;
}

static bool is_echoing(void)
{
	struct termios now;

	assert_int_equal(tcgetattr(terminal.slave, &now), 0);
	return (now.c_lflag & ECHO) && (now.c_lflag & ICANON);
}

static const char *const run_words[] = { "run", "--tracefs",   "tr",	       "-F",
					 "out", "--no-atrace", "--frames-log", NULL };

TEST(table_is_updated_in_place)
{
	int status;

	start(run_words);
	assert_true(shows(ENTER));
	assert_true(shows("jankd: "));
	live_capture_frames(&capture, 120);
	assert_true(shows("com.example.app/.Main"));
	press("\x03");
	assert_true(shows(LEAVE));
	/* The table is printed again on the usual screen. */
	assert_true(shows("com.example.app/.Main"));
	status = wait_for_end(0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 120);
}

TEST(ctrl_z_restores_the_screen)
{
	start(run_words);
	assert_true(shows(ENTER));
	live_capture_frames(&capture, 60);
	assert_true(shows("com.example.app/.Main"));
	press("\x1a");
	assert_true(shows(LEAVE));
	assert_true(WIFSTOPPED(wait_for_end(WUNTRACED)));
	kill(terminal.pid, SIGCONT);
	assert_true(shows(ENTER));
	assert_true(shows("com.example.app/.Main"));
	kill(terminal.pid, SIGTERM);
	assert_true(shows(LEAVE));
	assert_true(WIFEXITED(wait_for_end(0)));
}

/* A hangup ends it; all frames are in the files. */
TEST(hangup_of_the_terminal_ends_the_capture)
{
	int status;

	start(run_words);
	assert_true(shows(ENTER));
	live_capture_frames(&capture, 60);
	assert_true(shows("com.example.app/.Main"));
	kill(terminal.pid, SIGHUP);
	status = wait_for_end(0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(live_capture_rows(&capture, "frames.csv"), 60);
}

/* Returns the next page. */
static char *next_page(void)
{
	double until = seconds() + PROGRAM_S;
	char *end = NULL;

	assert_true(shows(HOME));
	while (!end && seconds() < until) {
		read_some();
		end = strstr(terminal.text, HOME);
	}
	assert_non_null(end);
	*end = '\0';
	return terminal.text;
}

TEST(table_fits_a_narrow_terminal)
{
	struct winsize size = { .ws_row = 10, .ws_col = 60 };
	unsigned int lines = 0;
	char *page;

	start(run_words);
	assert_true(shows(ENTER));
	live_capture_frames(&capture, 60);
	assert_true(shows("com.example.app/.Main"));
	assert_int_equal(ioctl(terminal.slave, TIOCSWINSZ, &size), 0);
	kill(terminal.pid, SIGWINCH);
	/* The first page may have been written before. */
	for (int i = 0; i < 3; i++)
		assert_true(shows(HOME));
	page = next_page();
	assert_non_null(strstr(page, ".Main"));
	for (char *line = strtok(page, "\r\n"); line; line = strtok(NULL, "\r\n")) {
		const char *text = strncmp(line, "\x1b[", 2) == 0 ? line + 3 : line;

		assert_in_range(text_columns(text), 0, 60);
		lines++;
	}
	assert_in_range(lines, 2, 10);
	terminal.text[0] = '\0';
	terminal.len = 0;
	kill(terminal.pid, SIGTERM);
	assert_true(WIFEXITED(wait_for_end(0)));
}

TEST(key_q_ends_top)
{
	static const char *const words[] = { "top", "-F", "out", NULL };
	int status;

	assert_true(live_capture_start(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 60);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 20));
	assert_true(is_echoing());
	start(words);
	assert_true(shows(ENTER));
	assert_true(shows("com.example.app/.Main"));
	assert_false(is_echoing());
	press("x");
	press("q");
	assert_true(shows(LEAVE));
	status = wait_for_end(0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(is_echoing());
	/* The daemon still runs. */
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
}

TEST(top_restores_the_terminal_while_stopped)
{
	static const char *const words[] = { "top", "-F", "out", NULL };

	assert_true(live_capture_start(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 60);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 20));
	start(words);
	assert_true(shows("com.example.app/.Main"));
	kill(terminal.pid, SIGTSTP);
	assert_true(WIFSTOPPED(wait_for_end(WUNTRACED)));
	assert_true(is_echoing());
	kill(terminal.pid, SIGCONT);
	assert_true(shows(ENTER));
	assert_true(shows("com.example.app/.Main"));
	/* It ends with the daemon, and prints nothing. */
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
	assert_true(shows(LEAVE));
	assert_true(WIFEXITED(wait_for_end(0)));
	assert_true(is_echoing());
}

TEST(status_fits_the_terminal)
{
	static const char *const words[] = { "status", "-F", "out", NULL };
	int status;

	assert_true(live_capture_start(&capture, "--no-atrace", "--frames-log", NULL));
	live_capture_frames(&capture, 60);
	assert_true(live_capture_has_rows(&capture, "frames.csv", 20));
	start(words);
	status = wait_for_end(0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	for (char *line = strtok(terminal.text, "\r\n"); line; line = strtok(NULL, "\r\n"))
		if (strlen(line) > 200)
			fail_msg("a line of %zu bytes: %s", strlen(line), line);
	assert_int_equal(live_capture_ask(&capture, "stop", NULL), 0);
}
