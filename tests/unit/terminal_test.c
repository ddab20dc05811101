/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal shows during a capture, and that it is restored afterwards. Pages that fit:
 * table_test.c and tests/badinput/terminal.py. */
#include "tests/unit/unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#include "tests/unit/live.h"

/* The alternate screen, and back. */
#define ENTER "\x1b[?1049h"
#define LEAVE "\x1b[?1049l"

/* A pseudo-terminal and the program on it. */
static struct {
	int master, slave;
	pid_t pid;
	char text[1 << 20]; /* all that was written to it */
	size_t len;
} terminal;

static int set_up(void **state)
{
	struct winsize size = { .ws_row = 24, .ws_col = 200 };

	live_set_up(state);
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
	return live_tear_down(state);
}

FIXTURE(set_up, tear_down)

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
static void shows(const char *text)
{
	double until = program_seconds() + PROGRAM_S;
	char *at;

	while (!(at = strstr(terminal.text, text)) && program_seconds() < until)
		read_some();
	if (!at)
		fail_msg("'%s' is not shown", text);
	at += strlen(text);
	terminal.len -= (size_t)(at - terminal.text);
	memmove(terminal.text, at, terminal.len + 1);
}

static void press(const char *keys)
{
	assert_int_equal(write(terminal.master, keys, strlen(keys)), strlen(keys));
}

/* Waits until it has ended, or with WUNTRACED stopped. Returns the status of waitpid(). */
static int wait_for_it(int options)
{
	double until = program_seconds() + PROGRAM_S;
	int status = -1;

	while (program_seconds() < until) {
		read_some();
		if (waitpid(terminal.pid, &status, WNOHANG | options) == terminal.pid) {
			if (!WIFSTOPPED(status))
				terminal.pid = 0;
			return status;
		}
	}
	return -1;
}

static void ends(void)
{
	int status = wait_for_it(0);

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool is_echoing(void)
{
	struct termios now;

	assert_int_equal(tcgetattr(terminal.slave, &now), 0);
	return (now.c_lflag & ECHO) && (now.c_lflag & ICANON);
}

static void start_top(void)
{
	static const char *const words[] = { "top", "-F", "out", NULL };

	assert_true(is_echoing());
	terminal.pid = program_start_on(terminal.slave, words);
	shows(ENTER);
	shows("com.example.app/.Main");
}

TEST(ctrl_z_and_sigterm_restore_the_screen)
{
	static const char *const words[] = { "run", "--tracefs",   "tr",	   "-F",
					     "out", "--no-atrace", "--frames-log", NULL };

	terminal.pid = program_start_on(terminal.slave, words);
	shows(ENTER);
	live_frames(120);
	shows("p50 ms"); /* at that width */
	shows("com.example.app/.Main");
	press("\x1a");
	shows(LEAVE);
	assert_true(WIFSTOPPED(wait_for_it(WUNTRACED)));
	kill(terminal.pid, SIGCONT);
	shows(ENTER);
	shows("com.example.app/.Main");
	kill(terminal.pid, SIGTERM);
	shows(LEAVE);
	/* The table is printed again on the usual screen. */
	shows("com.example.app/.Main");
	ends();
	assert_int_equal(live_rows("frames.csv"), 120);
}

TEST(top_restores_the_terminal)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	live_start("--no-atrace", "--frames-log", NULL);
	live_frames(60);
	live_wait_rows("frames.csv", 20);
	start_top();
	assert_false(is_echoing());
	kill(terminal.pid, SIGTSTP);
	assert_true(WIFSTOPPED(wait_for_it(WUNTRACED)));
	assert_true(is_echoing());
	kill(terminal.pid, SIGCONT);
	shows(ENTER);
	shows("com.example.app/.Main");
	press("x");
	press("q");
	shows(LEAVE);
	ends();
	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		start_top();
		kill(terminal.pid, signals[i]);
		shows(LEAVE);
		ends();
	}
	/* It ends with the daemon, too, and prints nothing. */
	start_top();
	assert_int_equal(live_ask("stop", NULL), 0);
	shows(LEAVE);
	ends();
	assert_true(is_echoing());
}
