/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/android/android.h"
#include "daemon/base/child.h"
#include "daemon/base/last_session.h"
#include "daemon/base/loop.h"
#include "daemon/base/periods.h"
#include "daemon/base/report.h"
#include "daemon/base/ids.h"
#include "daemon/base/wall_clock.h"
#include "daemon/capture/beside.h"
#include "daemon/capture/interference.h"
#include "daemon/control/control.h"
#include "daemon/show/show.h"
#include "daemon/trace/trace.h"
#include "daemon/version.h"

struct capture {
	struct options *options;
	const struct capture_view *view; /* or NULL */
	struct session session;
	struct live_trace *trace;
	struct trace_files files; /* of its trace */
	struct source *source;
	char why_not_raw[SOURCE_WHY_SIZE]; /* or "" */
	struct tracing_undo undo;	   /* the settings to restore */
	struct interference interference;
	struct drain drain;
	struct android_probe probe;
	struct latency_poll *latency;	/* or NULL */
	struct live_timeline *timeline; /* or NULL */
	struct source no_trace;		/* the source with --source latency */
	struct background background;
	struct device_state device;
	struct logcat logcat;
	struct loop loop;
	struct watcher signals;
	struct watcher timer;	   /* of --wait and --duration; else WATCHER_NONE */
	struct app_watch app;	   /* the capture ends when this app ends */
	struct watcher files_done; /* readable when all data sent to the files is written */
	char path[PATH_MAX];	   /* of the trace; valid after it was closed, too */
	bool has_begun;		   /* capture_begin() was successful */
	bool is_over;		   /* the capture is ending */
	bool reported_wait;	   /* a warning about the slow disk was printed */
	int code;		   /* exit code, once it is over */
	struct control *control;   /* NULL: no socket */
	char end[PATH_MAX + 2048]; /* the answer to 'stop' */
	bool is_stalled;	   /* the capture has waited long for its files */
	bool is_closing;	   /* 'stop' is answered now */
	struct rules_reload reload;
	char last_device[SESSION_ID_SIZE]; /* of the last capture in the folder, or "" */
};

struct status *capture_status(const struct capture *capture, enum status_surfaces which)
{
	return session_status(&capture->session, which);
}

/* Into the log of the device. */
static void log_trouble(void *context, const char *text)
{
	struct capture *capture = context;

	logcat_write(&capture->logcat, LOGCAT_WARNING, text);
}

/* Only the first call sets the exit code. */
static void stop(struct capture *capture, int code)
{
	if (!capture->is_over)
		capture->code = code;
	capture->is_over = true;
}

/* --- requests of clients --- */

/* How long a client waits for the disk. Together with the work before it, 'stop' takes 2 s at most.
 */
#define DISK_WAIT_NS UINT64_C(1500000000)

static const char mark_lost[] =
	"error: the mark is not in events.csv: the disk is nearly full, or is "
	"not responding; free some disk space and try again\n";
static const char no_rows[] = "ok\nno rows yet: no segment was closed\n";

/* Marks the moment, or closes the segments. The client gets its answer when all data sent to the
 * files until now is written. If the disk is slow, a mark is safe in memory, so the answer is ok. A
 * segment has to be in its file, so the answer is an error. Returns as struct control_handler. */
static bool mark_or_rotate(struct capture *capture, struct control_request *request,
			   uint64_t waited_ns, FILE *out)
{
	struct session *session = &capture->session;
	struct output *output = &session->output;
	bool is_mark = request->verb == CONTROL_MARK;
	int error;

	if (request->ticket == 0 && capture->is_over) {
		fputs("error: the capture is ending and no longer accepts marks or rotations\n",
		      out);
		return true;
	}
	if (request->ticket == 0) {
		drain_for_request(&capture->drain);
		if (is_mark ? !session_mark(session, request->text)
			    : !session_rotate(session, "requested by 'jankd rotate'")) {
			fputs(is_mark ? mark_lost : no_rows, out);
			return true;
		}
		request->ticket = file_thread_posted(output->thread);
		file_thread_notify(output->thread);
		return false;
	}

	if (file_thread_done(output->thread) < request->ticket) {
		if (waited_ns < DISK_WAIT_NS)
			return false;
		fputs(is_mark ? "ok\nthe mark is in memory, and not yet in events.csv: the disk is "
				"not responding\n"
			      : "error: the segment is not closed yet: the disk is not "
				"responding; check 'jankd status' later\n",
		      out);
		return true;
	}
	output_update(output);
	error = output->state.rotate_result;
	if (is_mark)
		fputs(output->state.mark_lost ? mark_lost : "ok\n", out);
	else if (error < 0)
		fprintf(out, "error: cannot close the segment: %s; %s\n", folder_why(error),
			folder_advice(error));
	else if (error > 0)
		fputs(no_rows, out);
	else
		fprintf(out, "ok\nsegment %06lu is closed%s\n", output->state.segment,
			output->state.segment_has_rows ? "" : "; it has no rows, events only");
	return true;
}

static bool answer(void *context, struct control_request *request, uint64_t waited_ns, FILE *out)
{
	struct capture *capture = context;
	struct session *session = &capture->session;
	enum status_surfaces which = request->verb == CONTROL_TOP	    ? STATUS_OF_NOW
				     : request->verb == CONTROL_STATUS_TEXT ? STATUS_OF_SESSION
									    : STATUS_NO_SURFACES;
	char title[PATH_MAX + 64], *json = NULL;
	struct status *status;

	if (capture->is_closing) {
		fputs(capture->end, out);
		return true;
	}
	if (request->verb == CONTROL_MARK || request->verb == CONTROL_ROTATE)
		return mark_or_rotate(capture, request, waited_ns, out);
	if (request->verb == CONTROL_STOP) {
		stop(capture, EXIT_DONE);
		if (!capture->is_stalled || waited_ns < DISK_WAIT_NS)
			return false;
		fprintf(out,
			"error: %s: the files are not complete yet: the disk is not responding; "
			"tracing is restored, and jankd exits when all files are complete\n",
			session->folder.path);
		return true;
	}

	if (!capture->is_over)
		drain_for_request(&capture->drain);
	status = session_status(session, which);
	if (status && request->verb == CONTROL_STATUS)
		json = status_json(status, true);
	if (!status || (request->verb == CONTROL_STATUS && !json)) {
		fprintf(out, "error: out of memory; %s\n", report_advice(-ENOMEM, ""));
	} else if (request->verb == CONTROL_TOP) {
		snprintf(title, sizeof(title), "jankd: capturing to %s, %.0f s", status->folder,
			 status->uptime_s);
		fputs("ok\n", out);
		table_print_page(out, status, title, request->lines, request->columns,
				 request->colour);
	} else if (request->verb == CONTROL_STATUS) {
		fprintf(out, "ok\n%s\n", json);
	} else {
		fputs("ok\n", out);
		status_text_print(out, status, request->columns);
	}
	free(json);
	free(status);
	return true;
}

/* Returns 0, or EXIT_FAILED after the reason was reported. A daemon fails, as it cannot be stopped
 * without a socket; 'run' continues. */
static int open_control(struct capture *capture)
{
	struct folder *folder = &capture->session.folder;
	const struct control_handler handler = { answer, capture };
	int error = control_open(&capture->control, &capture->loop, &handler, &folder->state_dir);

	if (error == 0)
		error = folder_write_address(folder, control_name(capture->control));
	if (error == 0)
		return 0;
	if (capture->options->command != OPTIONS_START) {
		report_warning("control socket: %s; end the capture with Ctrl-C: 'jankd stop' and "
			       "'jankd status' cannot reach it",
			       strerror(-error));
		return 0;
	}
	report("control socket: %s; %s", strerror(-error),
	       report_advice(error, "use 'jankd run', which works without it"));
	return EXIT_FAILED;
}

static void close_control(struct capture *capture)
{
	capture->is_closing = true;
	control_close(capture->control);
	capture->control = NULL;
}

/* --- the event loop --- */

/* Another program has changed the trace. Events from before the change are read now, so that they
 * are not confused with later ones. */
static void on_interference(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;

	(void)events;
	drain_within(&capture->drain, 0);
}

/* When counting begins or, after that, the capture ends. */
static uint64_t next_change(const struct capture *capture)
{
	uint64_t duration_ns = capture->options->duration_ns;
	uint64_t count_ns = capture->session.begin_ns + capture->options->wait_ns;

	if (capture->session.discarding)
		return count_ns;
	return duration_ns > 0 ? count_ns + duration_ns : UINT64_MAX;
}

/* A timer, as loop_wait() does not count the time in which the device is suspended. */
static void set_timer(const struct capture *capture)
{
	uint64_t at_ns = next_change(capture);
	struct itimerspec at = { .it_value = { .tv_sec = (time_t)(at_ns / NS_PER_S),
					       .tv_nsec = (long)(at_ns % NS_PER_S) } };

	if (at_ns < UINT64_MAX)
		timerfd_settime(capture->timer.fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void read_until_over(struct capture *capture)
{
	struct session *session = &capture->session;
	struct drain *drain = &capture->drain;
	struct control *control = capture->control;
	char text[DEVICE_STATE_TEXT];
	uint64_t until_ns;
	bool may_sleep;

	while (!capture->is_over) {
		int error = drain_if_due(drain);

		if (error == 0)
			android_probe_follow(&capture->probe);
		else if (error != -EAGAIN)
			stop(capture, EXIT_FAILED);

		if (drain_tick_due(drain)) {
			drain_boost(drain, false);
			drain_watch_highwater(drain,
					      !interference_runs_program(&capture->interference));
			/* The screen is off and nothing is drawn: from now on no timer wakes up the
			 * device. What ticks look at, they look at with the next wakeup of another
			 * cause. --sync is a timer of the user. */
			may_sleep = loop_now() - drain->last_data_ns >
					    periods.asleep_ns + capture->options->sync_ns &&
				    device_state_is_screen_off(&capture->device);
			drain_set_may_sleep(drain, may_sleep);
			interference_tick(&capture->interference, may_sleep);
			android_probe_tick(&capture->probe);
			live_timeline_tick(capture->timeline);
			if (session_flush(session))
				control_reopen(control, session->folder.path);
			if (session->output.console.error < 0)
				stop(capture, EXIT_DONE);
			control_tick(control);
			if (app_watch_tick(&capture->app)) {
				output_event_now(&session->output, "tracing",
						 "%s exited, so the capture ended",
						 capture->options->until_exit);
				stop(capture, EXIT_DONE);
			}
			if (device_state_event(&capture->device, loop_now(), text))
				output_event_now(&session->output, "device", "%s", text);
			if (capture->view && capture->view->tick)
				capture->view->tick(capture->view->context, capture);
		}

		drain_watch_highwater(drain,
				      !interference_program_is_running(&capture->interference));
		control_answer_waiting(control);
		child_check(&capture->reload.child);
		until_ns = snapshot_save(&session->snapshot) ? 0 : drain_next(drain);
		latency_poll_follow(capture->latency);
		until_ns = loop_earlier(until_ns, latency_poll_next(capture->latency));
		/* Clients and child processes may hang, so they are checked. */
		if (control_has_clients(control) || child_runs(&capture->reload.child))
			until_ns = loop_earlier(until_ns, loop_now() + periods.drain_fresh_ns);
		else if (android_probe_runs(&capture->probe) ||
			 interference_has_child(&capture->interference))
			until_ns = loop_earlier(until_ns, loop_now() + periods.drain_most_ns);
		loop_wait(&capture->loop, until_ns);

		if (loop_now() < next_change(capture))
			continue;
		if (!session->discarding) {
			stop(capture, EXIT_DONE);
			continue;
		}
		/* --wait is over. Events from before this moment are not counted. */
		session_read_rest(session, SOURCE_NORMAL);
		session->discarding = false;
		output_event_now(&session->output, "tracing", "counting began: --wait is over");
		set_timer(capture);
	}
}

static void report_kept(struct capture *capture, const struct settings_kept *kept)
{
	if (kept->n > 0)
		output_event_now(
			&capture->session.output, "tracing",
			"another program changed these settings, so they were not restored: %s",
			kept->text);
}

/* Closes the trace, in any state. Then tracing can be restored. */
static void close_trace(struct capture *capture)
{
	android_probe_end(&capture->probe);
	app_watch_end(&capture->app);
	drain_end(&capture->drain);
	tracing_undo_lock(&capture->undo);
	source_stop(capture->source);
	trace_files_close(&capture->files);
	capture->trace = live_trace_close(capture->trace);
}

/* A client that waits for the end gets an error if the files take longer than this. The client may
 * have waited for atrace before. */
#define FILES_WAIT_NS UINT64_C(250000000)
#define WAIT_TICK_NS UINT64_C(1000000000)

/* Clients get answers while the files are written. */
static void wait_for_files(void *context)
{
	struct capture *capture = context;
	const struct output *output = &capture->session.output;
	uint64_t begin_ns = loop_now(), next_tick_ns = begin_ns + WAIT_TICK_NS;
	uint64_t posted = file_thread_posted(output->thread);

	file_thread_notify(output->thread);
	while (file_thread_done(output->thread) < posted) {
		loop_wait(&capture->loop, loop_now() + FILES_WAIT_NS / 2);
		if (loop_now() - begin_ns >= FILES_WAIT_NS) {
			capture->is_stalled = true;
			control_answer_waiting(capture->control);
			capture->is_stalled = false;
		}
		if (loop_now() < next_tick_ns)
			continue;
		next_tick_ns += WAIT_TICK_NS;
		control_tick(capture->control);
		if (!capture->reported_wait && loop_now() - begin_ns > 2 * WAIT_TICK_NS) {
			capture->reported_wait = true;
			report_warning("%s: the disk is not responding; jankd exits when all files "
				       "are complete",
				       capture->session.folder.path);
		}
	}
}

int capture_loop(struct capture *capture, const struct capture_view *view)
{
	const struct options *options = capture->options;
	struct session *session = &capture->session;
	bool is_table = view && view->is_table;
	const struct pipeline_counters *counters;
	int ended;
	char text[PATH_MAX + 192], lost[SESSION_LOST_SIZE];

	capture->view = view;
	snprintf(text, sizeof(text), "started: jankd %s, source %s, files in %s", JANKD_VERSION,
		 capture->source->name, session->folder.path);
	logcat_write(&capture->logcat, LOGCAT_INFO, text);
	/* A table and standard output show rows at once; a trigger and a snapshot wait for a
	 * frame. */
	drain_begin(&capture->drain,
		    is_table || options->to_stdout || options->trigger || options->snapshot_ns > 0
			    ? periods.drain_fresh_ns
			    : periods.drain_most_ns);
	session->begin_ns = loop_now();
	session->discarding = options->wait_ns > 0;
	set_timer(capture);
	app_watch_begin(&capture->app, options->until_exit, &capture->loop);
	read_until_over(capture);
	rules_reload_end(&capture->reload);
	if (view && view->over)
		view->over(view->context);
	live_timeline_stop(capture->timeline);
	latency_poll_finish(capture->latency);
	drain_last(&capture->drain, capture->trace);
	drain_boost(&capture->drain, false);
	interference_end(&capture->interference);
	if (capture->trace)
		tracing_undo_find_changes(&capture->undo, capture->interference.set_by_others);
	report_kept(capture, &capture->undo.kept);
	live_timeline_finish(capture->timeline);
	session->end_values = device_state_read(&capture->device);
	session_finish(session);
	close_trace(capture);
	/* Without waiting for the disk. */
	if (tracing_undo_restore(&capture->undo))
		output_post(&session->output, FILE_JOB_REMOVE_JOURNAL);
	ended = session_end(session);
	if (capture->code == 0)
		capture->code = ended;
	counters = pipeline_counters(session->pipeline);
	session_describe_lost(session, lost);
	snprintf(text, sizeof(text),
		 "%s after %.0f s: %" PRIu64 " presents, %" PRIu64 " frames, %s; files in %s",
		 capture->code == EXIT_DONE ? "stopped" : "failed",
		 (double)(loop_now() - session->begin_ns) / 1e9, counters->presents,
		 counters->frames, lost, session->folder.path);
	logcat_write(&capture->logcat, capture->code == EXIT_DONE ? LOGCAT_INFO : LOGCAT_WARNING,
		     text);
	/* The files are complete: answers the clients that wait for them. Those of 'stop' wait for
	 * capture_close(). */
	control_answer_waiting(capture->control);
	if (capture->code != EXIT_DONE)
		snprintf(capture->end, sizeof(capture->end), "error: %s\n", report_last_reason());
	else
		snprintf(capture->end, sizeof(capture->end),
			 "ok\nended after %.0f s: %" PRIu64 " presents, %" PRIu64
			 " frames; CSV files in %s\n%s%s%s",
			 (double)(loop_now() - session->begin_ns) / 1e9, counters->presents,
			 counters->frames, session->folder.path,
			 report_last()[0] ? "warning: " : "", report_last_reason(),
			 report_last()[0] ? "\n" : "");
	return capture->code;
}

/* --- begin and end --- */

static void on_signal(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;
	struct signalfd_siginfo info;

	(void)events;
	while (read(watcher->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (capture->is_over)
			continue;
		switch (info.ssi_signo) {
		case SIGHUP:
			/* SIGHUP means that the terminal of 'run' was closed: the capture ends. A
			 * daemon has no terminal and reloads its rules. */
			if (capture->options->command == OPTIONS_RUN)
				stop(capture, EXIT_DONE);
			else
				rules_reload_begin(&capture->reload, &capture->session,
						   &capture->drain, &capture->loop);
			break;
		case SIGUSR1:
			drain_for_request(&capture->drain);
			session_rotate(&capture->session, "SIGUSR1");
			break;
		case SIGWINCH:
		case SIGTSTP:
			if (capture->view && capture->view->signal)
				capture->view->signal(capture->view->context, capture,
						      (int)info.ssi_signo);
			break;
		default:
			stop(capture, EXIT_DONE);
		}
	}
}

/* @error: before this. Returns 0, or EXIT_FAILED after the reason was reported. */
static int watch(struct capture *capture, int error, struct watcher *watcher, const char *what,
		 const char *advice)
{
	if (error == 0)
		error = watcher->fd < 0 ? -errno : loop_watch(&capture->loop, watcher, EPOLLIN);
	if (error == 0)
		return 0;
	report("cannot %s: %s; %s", what, strerror(-error), report_advice(error, advice));
	return EXIT_FAILED;
}

static void on_timer(struct watcher *watcher, uint32_t events)
{
	uint64_t count;

	(void)events;
	/* What is due is done after each wakeup: see read_until_over(). */
	if (read(watcher->fd, &count, sizeof(count)) < 0)
		return;
}

/* All signals that would end the process, except those of a crash, are read from a descriptor
 * before tracing is changed, so that it is always restored. */
static int catch_signals(struct capture *capture)
{
	int numbers[] = { SIGUSR1, SIGWINCH, SIGTSTP, SIGHUP,	 SIGINT,  SIGTERM, SIGQUIT,
			  SIGUSR2, SIGALRM,  SIGPROF, SIGVTALRM, SIGXCPU, SIGIO,   SIGPWR };
	const size_t n = sizeof(numbers) / sizeof(numbers[0]), hangup = 3;
	size_t first = hangup + 1; /* of those that end the capture */
	int error = loop_open(&capture->loop);
	struct sigaction action;

	if (capture->options->command == OPTIONS_RUN) {
		/* With SIGHUP ignored (nohup), it continues without its terminal: another
		 * signal stands there twice. */
		if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			numbers[hangup] = SIGTSTP;
		else
			first = hangup;
	}
	child_end_on(numbers + first, n - first);
	capture->signals = (struct watcher){
		.fd = loop_signals(numbers, n),
		.ready = on_signal,
		.context = capture,
	};
	return watch(capture, error, &capture->signals, "handle signals", "try again");
}

static int open_pipe(struct capture *capture)
{
	const struct options *options = capture->options;

	return source_pipe_open(&capture->source, capture->trace, &capture->files,
				options->snapshot_ns > 0 ? options->snapshot_length_ns : 0);
}

static void on_event(void *context, const char *kind, const char *text)
{
	struct session *session = context;

	output_event_now(&session->output, kind, "%s", text);
}

/* Locks and opens the trace before any setting is changed, as that allows only one capture. Then
 * switches tracing on. @killed: as in capture_begin(). Returns 0, or EXIT_FAILED after the reason
 * was reported. */
static int open_trace(struct capture *capture, const struct capture_killed *killed)
{
	const struct options *options = capture->options;
	struct folder *folder = &capture->session.folder;
	struct tracing_undo *undo = &capture->undo;
	const char *why = capture->why_not_raw;
	int error = -EOPNOTSUPP;
	char clock[SETTING_SIZE];

	rescue(folder, options->command, killed);
	if (session_keep_earlier(&capture->session) < 0)
		return EXIT_FAILED;
	if (tracing_undo_begin(undo, options, folder) != 0 ||
	    live_trace_open(&capture->trace, options->tracefs, options->instance) < 0)
		return EXIT_FAILED;
	trace_files_open(&capture->files, capture->trace->path);

	/* Raw if possible. A snapshot is saved as text, so it needs the text source. */
	if (options->source == OPTIONS_SOURCE_TEXT)
		why = "set by --source text";
	else if (options->snapshot_ns > 0)
		why = "--snapshot needs the text source";
	else
		error = source_raw_open(&capture->source, capture->trace, &capture->files,
					capture->why_not_raw);
	capture->session.origin.why = error == 0 ? "the buffers can be read" : why;
	if (error < 0 && error != -EBUSY && options->source == OPTIONS_SOURCE_RAW) {
		report("--source raw: %s: %s; %s", capture->trace->path, why,
		       report_advice(error, "use --source text"));
		return EXIT_FAILED;
	}
	if (error < 0 && open_pipe(capture) < 0)
		return EXIT_FAILED;
	drain_watch(&capture->drain, capture->source);

	trace_files_setting(&capture->files, TRACE_SETTING_CLOCK, clock);
	if (tracing_undo_start_atrace(undo) != 0)
		return EXIT_FAILED;
	if (!capture->trace->is_ours)
		tracing_undo_resize_buffer(undo, capture->trace->path);
	if (live_trace_begin(capture->trace, options->buffer_kb, undo->atrace) < 0)
		return EXIT_FAILED;
	tracing_undo_setup_done(undo);
	/* A pipe prints times in the unit of the clock that was set when the pipe was opened. If
	 * that clock does not count time, the numbers cannot be parsed: after a change from such a
	 * clock the pipe is opened again. */
	if (capture->source->depends_on_line_format && !wall_clock_is_time(clock)) {
		capture->source = source_close(capture->source);
		if (open_pipe(capture) < 0)
			return EXIT_FAILED;
		drain_watch(&capture->drain, capture->source);
	}
	tracing_undo_unlock(undo);
	return 0;
}

/* Opens what is on the device, begins the session, and starts what runs beside it. Returns 0, or
 * EXIT_FAILED after the reason was reported. */
static int begin_session(struct capture *capture)
{
	struct session *session = &capture->session;
	struct session_origin *origin = &session->origin;
	struct options *options = capture->options;
	const struct watcher watcher = { .ready = on_interference, .context = capture };
	const struct latency_calls calls = {
		.frame = session_fence,
		.passed = session_fences_passed,
		.event = on_event,
		.context = session,
	};
	struct property_budget budget;

	snprintf(capture->path, sizeof(capture->path), "%s",
		 capture->trace ? capture->trace->path : "dumpsys SurfaceFlinger --latency");
	origin->kind = capture->source->name;
	origin->live = true;
	origin->path = capture->path;
	origin->trace_clock = capture->trace ? capture->trace->clock : "boot";
	origin->clock = kernel_clock_measure(origin->trace_clock, &capture->files);
	origin->background = &capture->background;
	session_id_make(origin->id);
	budget = property_budget_begin(true);
	android_device_read(&budget, &origin->device);
	/* The id of the device: that of --device-id, its serial number, or a random one, which is
	 * that of the last capture of the folder if there was one. */
	if (options->device_id)
		snprintf(origin->device.id, sizeof(origin->device.id), "%s", options->device_id);
	if (!origin->device.id[0])
		snprintf(origin->device.id, sizeof(origin->device.id), "%s", capture->last_device);
	if (!origin->device.id[0])
		session_id_make(origin->device.id);
	options->pipeline.frame_timeline = capture->trace && !options->no_frametimeline &&
					   live_timeline_is_there(origin->device.sdk);
	/* The thread that writes the files starts later, so it gets the same CPUs. */
	background_enter(&capture->background, options->device_root);
	child_on_start(background_release, &capture->background);
	device_state_open(&capture->device, options->device_root);
	session->begin_values = device_state_read(&capture->device);
	if (session_begin(session, capture->source) != 0)
		return EXIT_FAILED;
	session->output.trouble = log_trouble;
	session->output.trouble_context = capture;

	if (capture->trace)
		interference_begin(&capture->interference, session, &capture->loop, &capture->files,
				   capture->undo.tags, watcher);
	capture->probe = (struct android_probe){
		.pipeline = session->pipeline,
		.event = on_event,
		.context = session,
	};
	android_probe_begin(&capture->probe, options, &capture->loop);
	if (capture->undo.recovered)
		output_event_now(&session->output, "tracing",
				 "tracing was restored after an earlier jankd was killed");
	if (!capture->trace) {
		capture->latency = latency_poll_begin(options, &capture->loop, &calls);
		if (!capture->latency) {
			report("--source latency: %s; %s", strerror(ENOMEM),
			       report_advice(-ENOMEM, ""));
			return EXIT_FAILED;
		}
		session->latency = latency_poll_counts(capture->latency);
		return 0;
	}
	/* Usually without root. */
	if (capture->trace->fixed[0])
		output_event_now(
			&session->output, "tracing",
			"jankd has no permission to change these settings; left as they are: %s",
			capture->trace->fixed);
	if (capture->undo.small_buffer[0])
		output_event_now(&session->output, "tracing", "%s", capture->undo.small_buffer);
	report_kept(capture, &capture->undo.recovered_kept);
	capture->timeline = live_timeline_begin(session, &capture->loop);
	return 0;
}

/* Frames wait 0.4 s for the trace behind them, and an event waits for the frames before it. */
#define SOON_NS (600 * UINT64_C(1000000))

static void on_files_done(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;
	uint64_t count;

	(void)events;
	if (read(watcher->fd, &count, sizeof(count)) < 0)
		return;
	output_update(&capture->session.output);
	control_answer_waiting(capture->control);
	/* The reports of the files are events. */
	if (capture->is_over || !output_has_events(&capture->session.output))
		return;
	output_flush(&capture->session.output);
	if (output_has_events(&capture->session.output))
		drain_within(&capture->drain, SOON_NS);
}

int capture_begin(struct capture **out, struct options *options,
		  const struct capture_killed *killed)
{
	static const struct source_ops no_ops = { NULL };
	/* Large parts are never used: zeros of calloc() need no memory. */
	struct capture *capture = calloc(1, sizeof(*capture));
	struct last_session last;
	struct session *session;
	int code;

	*out = capture;
	if (!capture) {
		report_no_memory(NULL);
		return EXIT_FAILED;
	}
	session = &capture->session;
	capture->options = options;
	capture->loop = LOOP_CLOSED;
	capture->logcat = LOGCAT_CLOSED;
	capture->signals = capture->timer = capture->files_done = WATCHER_NONE;
	trace_files_init(&capture->files);
	options->pipeline.is_fences = options->source == OPTIONS_SOURCE_LATENCY;
	capture->drain = (struct drain){
		.session = session,
		.interference = &capture->interference,
		.loop = &capture->loop,
		.readable = WATCHER_NONE,
		.highwater = WATCHER_NONE,
	};
	logcat_open(&capture->logcat, options->device_root);
	report_also_to(log_trouble, capture);
	code = session_open(session, options);
	if (code != 0)
		return code;
	if (options->pipeline.is_fences && !child_program_exists("dumpsys")) {
		report("--source latency: there is no program dumpsys; run it on an Android "
		       "device, or use another source");
		return EXIT_FAILED;
	}
	if (catch_signals(capture) != 0)
		return EXIT_FAILED;
	if (options->wait_ns > 0 || options->duration_ns > 0) {
		capture->timer = (struct watcher){
			.fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK),
			.ready = on_timer,
		};
		if (watch(capture, 0, &capture->timer, "set a timer",
			  "omit --wait and --duration") != 0)
			return EXIT_FAILED;
	}

	/* folder_open() locks it, before any setting is changed: a folder has one capture. */
	folder_wait_for_lock(options->folder);
	/* Other sources restore the settings of a killed capture as they open the trace. */
	if (options->pipeline.is_fences)
		capture->undo.recovered = capture_recover(options, killed) == CAPTURE_RECOVERED;
	if (folder_open(&session->folder, options->folder) < 0)
		return EXIT_FAILED;
	if (options->device_root && !options->min_free_given)
		options->min_free = disk_floor_of_device(session->folder.fd);
	/* Before its files are renamed. */
	if (last_session_read(&last, options->folder) == 0)
		memcpy(capture->last_device, last.device, sizeof(last.device));
	last_session_free(&last);

	if (options->pipeline.is_fences) {
		/* Its frames are present fences: see daemon/android/android.h. */
		capture->no_trace = (struct source){
			.ops = &no_ops,
			.name = "latency",
			.fd = -1,
			.highwater_fd = -1,
		};
		capture->source = &capture->no_trace;
		session->origin.why = "set by --source latency";
		drain_watch(&capture->drain, capture->source);
	} else if (open_trace(capture, killed) != 0) {
		return EXIT_FAILED;
	}
	if (begin_session(capture) != 0 || open_control(capture) != 0)
		return EXIT_FAILED;

	/* After this the capture does not wait for the disk. */
	session->folder.skip_sync = false;
	if (output_begin_thread(&session->output, wait_for_files, capture,
				tracing_undo_keep_journal, &capture->undo) < 0)
		return EXIT_FAILED;
	capture->files_done = (struct watcher){
		.fd = file_thread_fd(session->output.thread),
		.ready = on_files_done,
		.context = capture,
	};
	if (watch(capture, 0, &capture->files_done, "watch the files",
		  "stop programs that watch many files") != 0)
		return EXIT_FAILED;
	session_write_json(session);
	capture->has_begun = true;
	return 0;
}

void capture_close(struct capture *capture)
{
	if (!capture)
		return;
	interference_end(&capture->interference);
	capture->session.latency = NULL;
	capture->timeline = live_timeline_end(capture->timeline);
	capture->latency = latency_poll_end(capture->latency);
	close_trace(capture);
	/* A start that fails leaves the folder as it was. */
	if (!capture->has_begun) {
		close_control(capture);
		session_undo(&capture->session);
	}
	tracing_undo_end(&capture->undo);
	if (!capture->has_begun)
		folder_undo_open(&capture->session.folder);
	session_close(&capture->session);
	device_state_close(&capture->device);
	child_on_start(NULL, NULL);
	capture->source = source_close(capture->source);
	loop_close_watcher(&capture->loop, &capture->signals);
	loop_close_watcher(&capture->loop, &capture->timer);
	close_control(capture);
	loop_close(&capture->loop);
	report_also_to(NULL, NULL);
	logcat_close(&capture->logcat);
	free(capture);
}
