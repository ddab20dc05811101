/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/android.h"
#include "daemon/capture_control.h"
#include "daemon/kernel_clock.h"
#include "daemon/report.h"
#include "daemon/wall_clock.h"

#define NS_PER_MS UINT64_C(1000000)

/* Four drains a second: a trace buffer of 1 MB holds as much of 100 000 events a second, and a
 * reader that is woken for every event costs more than the trace. */
#define DRAIN_PERIOD_NS (250 * NS_PER_MS)
#define TICK_PERIOD_NS (1000 * NS_PER_MS)

/* Frames wait longer than this to be counted: a shorter hole is known of before they are. */
#define HELD_UP_NS (400 * NS_PER_MS)

/* Reads in a row before signals and files get their turn. */
#define READS_MAX 256

/* A trace without a word for so long is silent: a frame waits half of it. */
#define SILENT_NS (1200 * NS_PER_MS)

/* So much is worth an urgent drain: half of the smallest ring. After so many that were not, there
 * are no more. */
#define URGENT_BYTES 2048
#define FALSE_ALARMS_MAX 16

/* From an urgent drain to the next tick: more than those that are in nobody's way, and less than
 * what Android gives to threads that draw (-8, -10). */
#define HURRY_NICE (-4)

/* How long the last events are fetched, where others go on writing. */
#define LAST_DRAIN_NS (1000 * NS_PER_MS)

void capture_stop(struct capture *capture, int code)
{
	if (!capture->is_over)
		capture->code = code;
	capture->is_over = true;
}

/* --- reading --- */

/* After a while without a read, since @read_ns, the buffer of some CPU may have run over. The trace
 * tells of that only where the CPU goes on, behind all that the others have written meanwhile. */
static void doubt_if_held_up(struct capture *capture, uint64_t read_ns)
{
	uint64_t lost;

	if (loop_now() < read_ns + HELD_UP_NS)
		return;
	lost = ring_stats_lost(&capture->rings);
	ring_stats_look(&capture->rings, &capture->files);
	if (ring_stats_lost(&capture->rings) > lost)
		pipeline_doubt(capture->session.pipeline, true);
}

/* Reads what there is. Returns -EAGAIN when the source is dry, > 0 when there may be more. *any is
 * set where there was something. Any of the reads may be the one that was held up. */
static ssize_t drain(struct capture *capture, bool *any)
{
	uint64_t read_ns = capture->dry_ns;
	ssize_t n = 1;

	for (int i = 0; i < READS_MAX && n > 0; i++) {
		doubt_if_held_up(capture, read_ns);
		read_ns = loop_now();
		n = session_take(&capture->session, capture->source);
		*any |= n > 0;
	}
	if (n == -EAGAIN)
		capture->dry_ns = read_ns;
	return n;
}

/* An idle source rings when there is something again: until then nobody wakes up for it. One that
 * waits a little after the first event reads many at once. */
static void on_bell(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;

	(void)events;
	capture->bell_rang = true;
	capture->next_drain_ns = loop_now() + DRAIN_PERIOD_NS;
}

/* Sets the bell of a source that is dry. False: there is none, or it rang for nothing. */
static bool set_bell(struct capture *capture)
{
	bool rang = capture->bell_rang;

	capture->bell_rang = false;
	return !rang && capture->bell.fd >= 0 &&
	       loop_watch(&capture->loop, &capture->bell, EPOLLIN | EPOLLONESHOT) == 0;
}

/* Frames wait for what is written behind them. Where nothing is, they have waited enough. */
static void settle_if_silent(struct capture *capture)
{
	uint64_t silent_ns = loop_now() - capture->heard_ns;

	if (silent_ns >= SILENT_NS && !capture->session.waits)
		pipeline_silent(capture->session.pipeline, silent_ns);
}

/* Who fills a ring faster than it is drained keeps all CPUs busy: what cannot wait for its turn
 * among those is not lost. For the rest of the time nobody is to wait for us, and programs that we
 * start do not inherit it. Where it is not allowed it goes as it did. */
static void hurry(struct capture *capture, bool hurries)
{
	if (capture->hurries == hurries || capture->nice <= HURRY_NICE)
		return;
	capture->hurries = hurries;
	setpriority(PRIO_PROCESS, 0, hurries ? HURRY_NICE : capture->nice);
}

/* A ring is half full: the next drain may come too late. */
static void on_urgent(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;

	(void)events;
	capture->next_drain_ns = 0;
	capture->was_urgent = true;
}

/* Kernels before 6.1 call every event urgent: after some calls for next to nothing they are not
 * listened to any more. */
static void judge_urgency(struct capture *capture, uint64_t bytes)
{
	if (!capture->was_urgent)
		return;
	capture->was_urgent = false;
	capture->false_alarms = bytes > URGENT_BYTES ? 0 : capture->false_alarms + 1;
	if (bytes > URGENT_BYTES)
		hurry(capture, true);
	if (capture->false_alarms < FALSE_ALARMS_MAX)
		return;
	loop_forget(&capture->loop, &capture->urgent);
	capture->urgent = WATCHER_NONE;
}

/* False: what is there is not to be read. What was read before the trouble is good. */
static bool may_drain(struct capture *capture)
{
	struct source *source = capture->source;

	if (guard_drains(&capture->guard))
		return true;
	if (source->ops->take) {
		source->held_only = true;
		session_take(&capture->session, source);
		source->held_only = false;
	}
	return false;
}

/* When the next tick wakes us anyway. */
static uint64_t with_tick(const struct capture *capture)
{
	uint64_t now = loop_now();

	return now < capture->next_tick_ns ? capture->next_tick_ns + DRAIN_PERIOD_NS / 2
					   : now + TICK_PERIOD_NS;
}

/* There is more: signals and files had their turn. */
static void go_on(struct capture *capture)
{
	capture->next_drain_ns = 0;
	capture->was_urgent = capture->source->hurry;
}

static void drain_if_due(struct capture *capture)
{
	uint64_t bytes = capture->session.bytes;
	bool any = false;
	ssize_t n;

	if (loop_now() < capture->next_drain_ns)
		return;
	capture->next_drain_ns = loop_now() + DRAIN_PERIOD_NS;
	if (!may_drain(capture))
		return;
	capture->source->hurry = capture->was_urgent;
	n = drain(capture, &any);
	if (n == -EAGAIN)
		guard_dry(&capture->guard);
	if (n == -EAGAIN && !any)
		settle_if_silent(capture);
	judge_urgency(capture, capture->session.bytes - bytes);
	questions_follow(&capture->questions);
	if (any) {
		capture->bell_rang = false;
		capture->heard_ns = loop_now();
		/* What a kill takes away is less than a second of rows. */
		output_flush(&capture->session.output);
	}
	if (n < 0 && n != -EAGAIN)
		capture_stop(capture, EXIT_FAILED);
	else if (n > 0)
		go_on(capture);
	else if (!any && set_bell(capture))
		capture->next_drain_ns = with_tick(capture);
}

/* Somebody else has changed something: what was read before is to be told from what comes. */
static void on_alarm(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;

	(void)events;
	capture->next_drain_ns = 0;
}

/* A program that is started inherits the descriptors of the rings and closes them: the kernel then
 * calls whoever waits for a ring, once for each CPU. */
static void deafen_urgent(struct capture *capture)
{
	capture->urgent_is_deaf = capture->urgent.fd >= 0 && guard_asks(&capture->guard);
	if (capture->urgent_is_deaf)
		loop_forget(&capture->loop, &capture->urgent);
}

static void listen_for_urgent(struct capture *capture)
{
	if (!capture->urgent_is_deaf || guard_is_asking(&capture->guard))
		return;
	capture->urgent_is_deaf = false;
	if (capture->urgent.fd >= 0)
		loop_watch(&capture->loop, &capture->urgent, EPOLLIN);
}

static void tick_if_due(struct capture *capture)
{
	uint64_t now = loop_now();

	if (now < capture->next_tick_ns)
		return;
	/* Half a drain short: the drains after this one are never late by a whole one. */
	capture->next_tick_ns = now + TICK_PERIOD_NS - DRAIN_PERIOD_NS / 2;
	hurry(capture, false);
	deafen_urgent(capture);
	guard_tick(&capture->guard);
	questions_tick(&capture->questions);
	session_flush(&capture->session);
	changes_watch(&capture->changes);
	if (capture->session.output.console.error < 0)
		capture_stop(capture, EXIT_DONE);
	control_tick(&capture->control);
	app_watch_tick(&capture->app);
	if (capture->on_tick)
		capture->on_tick(capture);
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* --wait is over: what was written before is not counted. */
static void begin_to_count(struct capture *capture)
{
	uint64_t end_ns = loop_now() + LAST_DRAIN_NS;
	bool any = false;

	while (drain(capture, &any) > 0 && loop_now() < end_ns)
		;
	capture->session.waits = false;
	session_event(&capture->session, "tracing", "counting begins: --wait is over");
}

/* When something is due besides reading: the begin of counting, or the end. */
static uint64_t next_turn(const struct capture *capture)
{
	uint64_t duration_ns = capture->options->duration_ns;

	if (capture->session.waits)
		return capture->count_ns;
	return duration_ns > 0 ? capture->count_ns + duration_ns : UINT64_MAX;
}

static void take_turn(struct capture *capture)
{
	if (loop_now() < next_turn(capture))
		return;
	if (capture->session.waits)
		begin_to_count(capture);
	else
		capture_stop(capture, EXIT_DONE);
}

static void read_until_over(struct capture *capture)
{
	while (!capture->is_over) {
		uint64_t until_ns;

		drain_if_due(capture);
		tick_if_due(capture);
		listen_for_urgent(capture);
		/* A tick waits for the next drain: one wakeup for both. */
		until_ns = earlier(capture->next_drain_ns, capture->next_tick_ns + DRAIN_PERIOD_NS);
		if (session_save(&capture->session))
			until_ns = 0;
		loop_wait(&capture->loop, earlier(until_ns, next_turn(capture)));
		take_turn(capture);
	}
}

/* Fetches what was written before the end. Others may go on writing: then not for long. */
static void last_drain(struct capture *capture)
{
	uint64_t end_ns = loop_now() + LAST_DRAIN_NS;
	bool any = false;

	if (!may_drain(capture))
		return;
	tracefs_stop(capture->tracefs);
	capture->source->last = true;
	while (drain(capture, &any) > 0 && loop_now() < end_ns)
		;
}

static void on_app_gone(void *context)
{
	struct capture *capture = context;
	char text[512];

	snprintf(text, sizeof(text), "%s has ended, and the capture with it",
		 capture->options->until_exit);
	session_event(&capture->session, "tracing", text);
	capture_stop(capture, EXIT_DONE);
}

static void tell_left(struct capture *capture, const struct settings_left *left)
{
	char text[300];

	if (left->n == 0)
		return;
	snprintf(text, sizeof(text), "left as another program has set it: %s", left->text);
	session_event(&capture->session, "tracing", text);
}

int capture_loop(struct capture *capture)
{
	const struct options *options = capture->options;
	int ended;

	capture->nice = getpriority(PRIO_PROCESS, 0);
	capture->begin_ns = capture->next_tick_ns = loop_now();
	capture->dry_ns = capture->heard_ns = capture->begin_ns;
	ring_stats_forget(&capture->rings, &capture->files);
	capture->count_ns = capture->begin_ns + options->wait_ns;
	capture->session.waits = options->wait_ns > 0;
	app_watch_begin(&capture->app, options->until_exit, &capture->loop, on_app_gone, capture);
	read_until_over(capture);
	if (capture->on_over)
		capture->on_over(capture);
	last_drain(capture);
	hurry(capture, false);
	guard_end(&capture->guard);
	changes_look(&capture->changes);
	tell_left(capture, &capture->changes.left);
	ended = session_end(&capture->session);
	if (capture->code == 0)
		capture->code = ended;
	capture_control_farewell(capture);
	return capture->code;
}

/* --- set-up and its reverse --- */

/* A terminal that is gone ends 'run'. A daemon has none: it reads its rules again. */
static void take_hangup(struct capture *capture)
{
	if (capture->options->command == OPTIONS_RUN)
		capture_stop(capture, EXIT_DONE);
	else
		session_reload_rules(&capture->session);
}

static void take_signal(struct capture *capture, int number)
{
	switch (number) {
	case SIGHUP:
		take_hangup(capture);
		break;
	case SIGUSR1:
		output_rotate(&capture->session.output, "SIGUSR1");
		break;
	case SIGWINCH:
	case SIGTSTP:
		if (capture->on_terminal)
			capture->on_terminal(capture, number);
		break;
	default:
		capture_stop(capture, EXIT_DONE);
	}
}

static void on_signal(struct watcher *watcher, uint32_t events)
{
	struct signalfd_siginfo info;

	(void)events;
	while (read(watcher->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		take_signal(watcher->context, (int)info.ssi_signo);
}

/* The signals of a capture wait in a descriptor, from before the first change on: there is always
 * something to put back. */
static int open_signals(void)
{
	static const int numbers[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGWINCH, SIGTSTP
	};

	return loop_signals(numbers, sizeof(numbers) / sizeof(numbers[0]));
}

static int catch_signals(struct capture *capture)
{
	int error = loop_open(&capture->loop);

	capture->signals = (struct watcher){
		.fd = open_signals(),
		.ready = on_signal,
		.context = capture,
	};
	if (error == 0)
		error = capture->signals.fd < 0
				? -errno
				: loop_watch(&capture->loop, &capture->signals, EPOLLIN);
	if (error == 0)
		return 0;
	report("%s: signals: %s; close other programs", session_command(&capture->session),
	       strerror(-error));
	return EXIT_FAILED;
}

/* Raw where it can be had. A snapshot is text, and so is what it is taken from. */
static int open_source(struct capture *capture)
{
	enum options_source wanted = capture->options->source;
	int error = -EOPNOTSUPP;

	if (wanted == OPTIONS_SOURCE_TEXT)
		capture->why_source = "asked for";
	else if (capture->options->snapshot_ns > 0)
		capture->why_source = "a snapshot is text";
	else
		error = source_raw_open(&capture->source, capture->tracefs, &capture->files);
	if (error == 0) {
		capture->why_source = "the rings can be read";
		return 0;
	}
	if (!capture->why_source)
		capture->why_source = strerror(-error);
	if (wanted != OPTIONS_SOURCE_RAW || error == -EBUSY)
		return source_pipe_open(&capture->source, capture->tracefs);
	report("%s: --source raw: %s: %s; use --source text", session_command(&capture->session),
	       tracefs_path(capture->tracefs), capture->why_source);
	return error;
}

static void watch_source(struct capture *capture)
{
	capture->bell = (struct watcher){
		.fd = capture->source->fd,
		.ready = on_bell,
		.context = capture,
	};
	capture->urgent = (struct watcher){
		.fd = capture->source->full_fd,
		.ready = on_urgent,
		.context = capture,
	};
	if (capture->urgent.fd >= 0)
		loop_watch(&capture->loop, &capture->urgent, EPOLLIN);
}

/* Whoever is there first keeps folder and pipe: both are taken before anything is changed. */
static int take_places(struct capture *capture)
{
	const struct options *options = capture->options;
	const char *command = session_command(&capture->session);

	if (folder_open(&capture->session.folder, command, options->folder) < 0 ||
	    changes_begin(&capture->changes, options, &capture->session.folder) != 0 ||
	    tracefs_open(&capture->tracefs, options->tracefs, options->instance) < 0)
		return EXIT_FAILED;
	trace_files_open(&capture->files, tracefs_path(capture->tracefs));
	if (open_source(capture) < 0)
		return EXIT_FAILED;
	watch_source(capture);
	return 0;
}

static int switch_on(struct capture *capture)
{
	const struct options *options = capture->options;

	if (changes_start_atrace(&capture->changes) != 0)
		return EXIT_FAILED;
	if (!tracefs_is_ours(capture->tracefs))
		changes_make_buffer(&capture->changes, tracefs_path(capture->tracefs));
	if (tracefs_begin(capture->tracefs, options->buffer_kb, capture->changes.atrace) < 0)
		return EXIT_FAILED;
	changes_note(&capture->changes);
	return 0;
}

static int begin_session(struct capture *capture)
{
	struct session_origin origin = {
		.kind = capture->source->name,
		.why = capture->why_source,
		.live = true,
		.raw = capture->source->ops->take != NULL,
	};
	const struct watcher alarm = { .ready = on_alarm, .context = capture };
	struct android_asking asking;

	origin.path = tracefs_path(capture->tracefs);
	origin.trace_clock = tracefs_clock(capture->tracefs);
	origin.clock = kernel_clock_measure(origin.trace_clock, &capture->files);
	asking = android_ask(true);
	android_read_device(&asking, &origin.device);
	if (session_begin(&capture->session, &origin) != 0)
		return EXIT_FAILED;
	guard_begin(&capture->guard, &capture->session, &capture->loop, &capture->files,
		    capture->changes.tags, alarm);
	capture->source->clock = capture->guard.clock;
	questions_begin(&capture->questions, &capture->session, &capture->loop);
	if (capture->changes.small[0])
		session_event(&capture->session, "tracing", capture->changes.small);
	if (capture->changes.recovered)
		session_event(&capture->session, "tracing",
			      "tracing was put back as it was before a jankd that was killed");
	tell_left(capture, &capture->changes.recovered_left);
	return 0;
}

int capture_begin(struct capture *capture, const struct options *options)
{
	int code;

	*capture = (struct capture){
		.options = options,
		.loop = LOOP_CLOSED,
		.signals = WATCHER_NONE,
		.bell = WATCHER_NONE,
		.urgent = WATCHER_NONE,
	};
	trace_files_init(&capture->files);
	control_init(&capture->control);
	report_name(options_command_name(options->command));
	code = session_open(&capture->session, options);
	if (code == 0)
		code = catch_signals(capture);
	if (code == 0)
		code = take_places(capture);
	if (code == 0)
		code = switch_on(capture);
	if (code == 0)
		code = begin_session(capture);
	return code == 0 ? capture_control_begin(capture) : code;
}

void capture_close(struct capture *capture)
{
	guard_end(&capture->guard);
	questions_end(&capture->questions);
	loop_forget(&capture->loop, &capture->bell);
	loop_forget(&capture->loop, &capture->urgent);
	capture->source = source_close(capture->source);
	trace_files_close(&capture->files);
	capture->tracefs = tracefs_close(capture->tracefs);
	changes_end(&capture->changes);
	session_close(&capture->session);
	app_watch_end(&capture->app);
	if (capture->signals.fd >= 0)
		close(capture->signals.fd);
	control_close(&capture->control);
	loop_close(&capture->loop);
}
