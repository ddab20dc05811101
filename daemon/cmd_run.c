/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cmd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/android.h"
#include "daemon/live.h"
#include "daemon/options.h"
#include "daemon/report.h"
#include "daemon/session.h"
#include "daemon/source.h"
#include "daemon/tracefs.h"
#include "daemon/wall_clock.h"

#define NS_PER_MS UINT64_C(1000000)

/* Four drains a second: a trace buffer of 1 MB holds as much of 100 000 events a second, and a
 * reader that is woken for every event costs more than the trace. */
#define DRAIN_PERIOD_NS (250 * NS_PER_MS)
#define FLUSH_PERIOD_NS (1000 * NS_PER_MS)

/* Reads in a row before signals and files get their turn. */
#define READS_MAX 256

/* How long the last events are fetched, where others go on writing. */
#define LAST_DRAIN_NS (1000 * NS_PER_MS)

struct run {
	struct options options;
	struct session session;
	struct tracefs *tracefs;
	struct source *source;
	struct live *live;
	bool atrace; /* started, to be stopped */
	int signal_fd;
	uint64_t begin_ns; /* CLOCK_BOOTTIME: a suspended device's seconds count, too */
	uint64_t next_flush_ns;
};

static uint64_t now_ns(void)
{
	return (uint64_t)clock_read(CLOCK_BOOTTIME);
}

/* --- the loop --- */

/* Reads what there is. Returns -EAGAIN when the pipe is dry, > 0 when there may be more. */
static ssize_t drain(struct run *run)
{
	ssize_t n = 1;

	for (int i = 0; i < READS_MAX && n > 0; i++)
		n = session_take(&run->session, run->source);
	return n;
}

static void draw(struct run *run)
{
	char title[1200];

	snprintf(title, sizeof(title), "jankd: capturing from %s, %.0f s (Ctrl-C ends)",
		 tracefs_path(run->tracefs), (double)(now_ns() - run->begin_ns) / 1e9);
	live_draw(run->live, run->session.pipeline, title);
}

static void flush_if_due(struct run *run)
{
	uint64_t now = now_ns();

	if (now < run->next_flush_ns)
		return;
	/* Half a period short: the drains after this one are never late by a whole one. */
	run->next_flush_ns = now + FLUSH_PERIOD_NS - DRAIN_PERIOD_NS / 2;
	session_flush(&run->session);
	draw(run);
}

/* Sleeps until the next drain, the end or a signal. True: a signal came. */
static bool wait_for_signal(struct run *run, uint64_t until_ns)
{
	struct pollfd wait = { .fd = run->signal_fd, .events = POLLIN };
	uint64_t now = now_ns();
	uint64_t left = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = { (time_t)(left / (1000 * NS_PER_MS)),
				    (long)(left % (1000 * NS_PER_MS)) };

	return ppoll(&wait, 1, &timeout, NULL) > 0;
}

/* Captures until a signal, the duration's end or a failure. Returns an exit code. */
static int capture(struct run *run)
{
	uint64_t duration_ns = run->options.duration_ns;
	uint64_t end_ns = duration_ns > 0 ? run->begin_ns + duration_ns : UINT64_MAX;
	uint64_t next_ns = run->begin_ns;

	for (;;) {
		ssize_t n = drain(run);

		if (n < 0 && n != -EAGAIN)
			return EXIT_FAILED;
		flush_if_due(run);
		next_ns = n > 0 ? 0 : now_ns() + DRAIN_PERIOD_NS;
		if (wait_for_signal(run, next_ns < end_ns ? next_ns : end_ns) ||
		    now_ns() >= end_ns || run->session.output.console.error < 0)
			return EXIT_DONE;
	}
}

/* Fetches what was written before the end. Others may go on writing: then not for long. */
static void last_drain(struct run *run)
{
	uint64_t end_ns = now_ns() + LAST_DRAIN_NS;

	tracefs_stop(run->tracefs);
	while (drain(run) > 0 && now_ns() < end_ns)
		;
}

/* --- set-up and its reverse --- */

/* The signals that end a capture wait in a descriptor, from before the first change on: there is
 * always something to put back. */
static int catch_signals(struct run *run)
{
	sigset_t signals;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	run->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signal_fd >= 0)
		return 0;
	report("run: signalfd: %s; close other programs", strerror(errno));
	return EXIT_FAILED;
}

/* Whoever is there first keeps folder and pipe: both are taken before anything is changed. */
static int take_places(struct run *run)
{
	const struct options *options = &run->options;

	if (folder_open(&run->session.folder, "run", options->folder) < 0 ||
	    tracefs_open(&run->tracefs, options->tracefs, options->instance) < 0 ||
	    source_pipe_open(&run->source, run->tracefs) < 0)
		return EXIT_FAILED;
	return 0;
}

static int switch_on(struct run *run)
{
	const struct options *options = &run->options;

	if (!options->no_atrace && android_has("atrace")) {
		if (android_atrace_start(options->buffer_kb, options->categories) < 0) {
			/* It may have failed after it had switched tracing on. */
			android_atrace_stop(true);
			return EXIT_FAILED;
		}
		run->atrace = true;
	}
	return tracefs_begin(run->tracefs, options->buffer_kb) < 0 ? EXIT_FAILED : 0;
}

static int begin(struct run *run)
{
	struct session_origin origin = { .kind = "trace_pipe", .live = true };
	int code = take_places(run);

	if (code == 0)
		code = switch_on(run);
	if (code != 0)
		return code;
	origin.path = tracefs_path(run->tracefs);
	origin.trace_clock = tracefs_clock(run->tracefs);
	origin.clock = wall_clock_measure(origin.trace_clock);
	android_read_device(&origin.device);
	return session_begin(&run->session, &origin);
}

/* Puts back what switch_on() and take_places() changed. */
static void put_back(struct run *run)
{
	run->source = source_close(run->source);
	if (run->atrace)
		android_atrace_stop(false);
	run->tracefs = tracefs_close(run->tracefs);
}

/* Where people read what is not rows: with --stdout only a terminal at standard error. In a pipe
 * or file that holds nothing but reasons of failure. */
static FILE *words(const struct options *options)
{
	if (!options->to_stdout)
		return stdout;
	return isatty(STDERR_FILENO) ? stderr : NULL;
}

static int run_session(struct run *run)
{
	FILE *out = words(&run->options);
	int code, ended;

	run->begin_ns = now_ns();
	run->next_flush_ns = run->begin_ns;
	if (!run->options.to_stdout)
		run->live = live_begin();
	if (!run->live && out) {
		fprintf(out, "capturing from %s (Ctrl-C ends)\n", tracefs_path(run->tracefs));
		fflush(out);
	}
	code = capture(run);
	last_drain(run);
	run->live = live_end(run->live);
	ended = session_end(&run->session);
	if (run->session.text.markers > 0 && out)
		session_print(&run->session, out);
	return code != 0 ? code : ended;
}

int cmd_run(int argc, char **argv)
{
	struct run run = { .signal_fd = -1 };
	int code = options_parse(&run.options, OPTIONS_RUN, argc, argv);

	if (code != 0)
		return code;
	if (run.options.help) {
		fputs(help_run, stdout);
		return EXIT_DONE;
	}
	code = session_open(&run.session, &run.options);
	if (code == 0)
		code = catch_signals(&run);
	if (code == 0)
		code = begin(&run);
	if (code == 0)
		code = run_session(&run);
	put_back(&run);
	session_close(&run.session);
	if (run.signal_fd >= 0)
		close(run.signal_fd);
	return code;
}
