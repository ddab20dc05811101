/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/session.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>

#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/base/rules_file.h"
#include "daemon/base/status.h"
#include "daemon/show/show.h"
#include "daemon/version.h"

#define SUMMARY_PERIOD_NS (60 * NS_PER_S)

/* Damage is reported at once, then once in this trace time, as an app could fill the disk. */
#define DAMAGE_PERIOD_NS (60 * NS_PER_S)

/* Events about reads of a live trace that fail, in a minute: a fault may come and go. */
#define FAILURES_MAX 8

int session_open(struct session *session, const struct options *options)
{
	*session = (struct session){
		.options = options,
		.folder = { .fd = -1, .lock_fd = -1 },
		.snapshot = SNAPSHOT_NONE,
		.count_until_ns = UINT64_MAX,
		.begin_wall_ns = ROW_UNKNOWN,
		.end_wall_ns = ROW_UNKNOWN,
		.begin_values = DEVICE_VALUES_NONE,
		.end_values = DEVICE_VALUES_NONE,
	};
	session->rules = rules_load(options->rules);
	if (!session->rules)
		return EXIT_FAILED;
	/* The rule set gfx2019 counts all frames, as the program of 2019 did. */
	if (pipeline_accepts(session->rules, &options->pipeline))
		return 0;
	report("--rules %s: these rules always count all frames; omit --include, --exclude, "
	       "--trigger and --snapshot",
	       options->rules);
	return EXIT_USAGE;
}

/* --- events.csv --- */

/* The time of the last record, or ROW_UNKNOWN before the first. */
static int64_t last_time(const struct session *session)
{
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);

	return counters->records > 0 ? (int64_t)counters->last_ns : ROW_UNKNOWN;
}

/* The current time of the trace clock. If its offset is unknown, the time of the last record. */
static int64_t live_time(const struct session *session, int64_t wall_ns)
{
	const struct wall_clock *clock = &session->output.clock;

	return clock->known ? wall_ns - clock->offset_ns : last_time(session);
}

/* @time_ns: of the first record of a recorded trace, or ROW_UNKNOWN. */
static void write_start(struct session *session, int64_t time_ns)
{
	char text[64];

	if (session->started)
		return;
	session->started = true;
	snprintf(text, sizeof(text), "jankd %s %s", JANKD_VERSION,
		 options_command_name(session->options->command));
	if (session->origin.live)
		output_event_now(&session->output, "start", "%s", text);
	else
		output_event(&session->output, time_ns, ROW_UNKNOWN, "start", text);
}

static void write_damage(struct session *session, int64_t time_ns)
{
	char text[200];

	source_describe_damage(session->source, text);
	output_event(&session->output, time_ns, ROW_UNKNOWN, "tracing", text);
	session->damage_reported = session->source->counts.damaged;
}

/* --- the path of a record --- */

/* After this time all events from before the start have been read. */
#define BEFORE_NS UINT64_C(3000000000)

/* The longest time for the last events. A buffer of 64 MB takes a fifth of a second. */
#define REST_S 10

/* Nearly all records need only this. Returns how many were counted: several at once, unless it is
 * looked up at each record whether a segment or a snapshot is due, or whether it is counted. */
static inline __attribute__((always_inline)) size_t count_records(
	struct session *session, const struct trace_record *records, size_t n)
{
	struct output *output = &session->output;
	bool is_each = session->options->rotate_time_ns > 0 || session->snapshot.output ||
		       session->is_again;

	n = pipeline_records(session->pipeline, records, is_each ? 1 : n,
			     output_first_event(output));
	if (session->options->rotate_time_ns > 0)
		output_rotate_if_due(output);
	if (output_has_events(output))
		output_settle(output);
	if (is_each && pipeline_now(session->pipeline) >= session->snapshot.due_ns)
		snapshot_begin(&session->snapshot);
	return n;
}

/* Not inlined, as that would make handle_records() slower. */
static __attribute__((noinline)) void handle_special_record(struct session *session,
							    const struct trace_record *record)
{
	const struct source *source = session->source;
	bool is_first = session->count_from_ns > 0;
	struct trace_record counted = *record;

	/* Old systrace adds a line with the time 0 to its page. It counts as a marker, but is no
	 * event. */
	if (record->kind == TRACE_CLOCK_SYNC && record->time_ns == 0)
		return;
	/* The source sets ->loss_ahead before the first record from the time of a loss. */
	pipeline_set_loss_pending(session->pipeline, session->is_loss_pending);
	pipeline_set_loss_ahead(session->pipeline, source->loss_ahead);
	/* The buffers still contain events from before 'jankd start'. Neither they nor losses among
	 * them belong to this session, but after a kill a loss may reach into the counted time.
	 * 'jankd run' counts them. */
	if (((record->kind != TRACE_LOST || session->is_again) &&
	     record->time_ns >= session->count_from_ns) ||
	    loop_now() > session->count_from_limit_ns)
		session->count_from_ns = 0;
	if (session->count_from_ns == 0 && record->time_ns < session->count_until_ns) {
		write_start(session, (int64_t)record->time_ns);
		/* With each record, so that the size of a read does not change the rows. */
		if (source->counts.damaged != session->damage_reported &&
		    rate_limit_allows(&session->damage_limit, 1, DAMAGE_PERIOD_NS, record->time_ns))
			write_damage(session, (int64_t)record->time_ns);
		/* The offset of a live clock was measured. A recorded trace may contain its own. */
		if (record->kind == TRACE_CLOCK_SYNC && !session->origin.live)
			wall_clock_read_marker(&session->output.clock, record->name,
					       record->time_ns);
		/* After a kill the raw source counts losses since it was opened, and what was lost
		 * after the kill was lost before: their number is unknown. Text has the kernel's
		 * number, but the first loss of the counted time may include earlier events. */
		if (session->is_again && record->kind == TRACE_LOST &&
		    (is_first || !source->depends_on_line_format))
			counted.value = TRACE_LOST_UNKNOWN;
		count_records(session, &counted, 1);
	}
	session->plain_until_ns =
		session->started && session->count_from_ns == 0 && !source->loss_ahead
			? session->count_until_ns
			: 0;
}

static void handle_records(void *context, const struct trace_record *records, size_t n)
{
	struct session *session = context;
	const struct source *source = session->source;

	for (size_t done; n > 0; records += done, n -= done) {
		done = 1;
		if (records->time_ns < session->plain_until_ns && !source->loss_ahead &&
		    source->counts.damaged == session->damage_reported &&
		    records->kind < TRACE_CLOCK_SYNC)
			done = count_records(session, records, n);
		else
			handle_special_record(session, records);
	}
}

ssize_t session_read(struct session *session, enum source_how how)
{
	const struct record_sink sink = { handle_records, session };
	struct source *source = session->source;
	int64_t now_ns = 0;
	ssize_t n;

	if (how != SOURCE_HELD_ONLY)
		snapshot_make_way(&session->snapshot);
	if (session->origin.live && session->output.clock.known) {
		now_ns = live_time(session, wall_clock_now());
		pipeline_reached(session->pipeline, now_ns > 0 ? (uint64_t)now_ns : 0);
	}
	n = source_read(source, how, session->discarding ? NULL : &sink);
	if (n == -EAGAIN && how != SOURCE_HELD_ONLY && now_ns > 0)
		pipeline_read_until(session->pipeline, (uint64_t)now_ns);
	if (n > 0 && !session->origin.live)
		output_watch(&session->output);
	session->failed |= (n < 0 && n != -EAGAIN) || source->is_incomplete;
	if (source->failures != session->failures_reported &&
	    rate_limit_allows(&session->failure_limit, FAILURES_MAX, 60 * NS_PER_S, loop_now())) {
		session->failures_reported = source->failures;
		output_event_now(&session->output, "tracing", "%s", source->failure);
	}
	/* The rest of the trace is missing. */
	if (source->damage && !session->broke_off) {
		session->broke_off = true;
		output_event(&session->output, last_time(session), ROW_UNKNOWN, "tracing",
			     source->damage);
	}
	return n;
}

void session_read_rest(struct session *session, enum source_how how)
{
	uint64_t end_ns = loop_now() + REST_S * UINT64_C(1000000000);
	ssize_t n;

	do
		n = session_read(session, how);
	while (n > 0 && loop_now() < end_ns);
	if (n <= 0 || session->discarding)
		return;
	output_event_now(&session->output, "lost",
			 "the last events of the trace were not read: that took more than %d s",
			 REST_S);
	report_warning("the last events of the trace were not read: that took more than %d s; stop "
		       "other programs that write to it",
		       REST_S);
}

void session_fence(void *context, const struct present_fence *fence)
{
	struct session *session = context;

	if (session->discarding)
		return;
	pipeline_fence(session->pipeline, fence);
	if (session->options->rotate_time_ns > 0)
		output_rotate_if_due(&session->output);
}

void session_fences_passed(void *context, uint64_t until_ns)
{
	struct session *session = context;
	uint64_t now_ns = pipeline_now(session->pipeline);

	if (now_ns > 0 && until_ns > now_ns && until_ns < UINT64_MAX)
		pipeline_silent(session->pipeline, until_ns - now_ns);
	if (output_has_events(&session->output))
		output_settle(&session->output);
}

void session_set_loss_pending(struct session *session, bool pending)
{
	if (pending != session->is_loss_pending)
		session->plain_until_ns = 0;
	session->is_loss_pending = pending;
}

bool session_is_idle(const struct session *session)
{
	return pipeline_is_settled(session->pipeline) && output_is_flushed(&session->output) &&
	       snapshot_pending_ns(&session->snapshot) == UINT64_MAX;
}

uint64_t session_silent_ns(const struct session *session)
{
	int64_t now_ns = live_time(session, wall_clock_now());
	int64_t last_ns = (int64_t)pipeline_now(session->pipeline);

	return session->output.clock.known && last_ns > 0 && now_ns > last_ns
		       ? (uint64_t)(now_ns - last_ns)
		       : 0;
}

void session_new_clock(struct session *session, uint64_t since_ns, struct wall_clock clock)
{
	struct wall_clock *begin = &session->origin.clock;

	pipeline_new_clock(session->pipeline, since_ns);
	session->count_from_ns = 0;
	session->summary_next_ns = 0;
	/* When the session began, on the new clock. */
	begin->known &= clock.known && session->output.clock.known;
	begin->offset_ns += clock.offset_ns - session->output.clock.offset_ns;
	session->output.clock = clock;
	/* For what a kill leaves. */
	session_write_json(session);
}

/* --- session.json --- */

void session_write_json(struct session *session)
{
	struct output *output = &session->output;
	struct status *status = session_status(session, STATUS_NO_SURFACES);
	char *text = status ? status_json(status, false) : NULL;
	bool is_whole = output_replace_begin(output, REPLACED_SESSION, "session.json", 0) && text &&
			output_replace_bytes(output, REPLACED_SESSION, span_of(text)) &&
			output_replace_bytes(output, REPLACED_SESSION, span_of("\n"));

	output_replace_end(output, REPLACED_SESSION, is_whole ? 0 : -ENOMEM);
	free(text);
	free(status);
}

/* --- begin and end --- */

/* Returns 0 or EXIT_FAILED. */
static int open_files(struct session *session)
{
	const struct options *options = session->options;
	struct row_sink sink;

	if (output_open(&session->output, options, &session->folder, session->is_again) < 0)
		return EXIT_FAILED;
	session->output.clock = session->origin.clock;
	sink = output_sink(&session->output);
	if (pipeline_new(&session->pipeline, session->rules, &options->pipeline, &sink) < 0) {
		report_no_memory(NULL);
		return EXIT_FAILED;
	}
	session->output.pipeline = session->pipeline;
	if (ruleset_is_last_counter(session->rules) && options->frames_log)
		report_warning("--frames-log: frames.csv stays empty: --rules %s has no rows for "
			       "it; omit one of the two",
			       options->rules);
	return 0;
}

void session_undo(struct session *session)
{
	if (session->output.is_open) {
		output_close(&session->output);
		snapshot_undo(&session->snapshot, session->folder.fd);
	}
	if (session->has_kept_earlier)
		segments_restore_earlier(&session->folder);
	session->has_kept_earlier = false;
}

int session_keep_earlier(struct session *session)
{
	int error = 0;

	if (!session->has_kept_earlier)
		error = segments_keep_earlier(&session->folder, true);
	session->has_kept_earlier = error == 0;
	return error;
}

int session_begin(struct session *session, struct source *source)
{
	const struct session_origin *origin = &session->origin;
	const struct options *options = session->options;
	int64_t begin_ns = wall_clock_now() - origin->clock.offset_ns;
	struct statfs info;

	session->source = source;
	if (origin->live)
		session->begin_wall_ns = wall_clock_now();
	/* Files that were copied from a tracefs have times of another clock. */
	if (options->command == OPTIONS_START && origin->clock.known && begin_ns > 0 &&
	    origin->path && statfs(origin->path, &info) == 0 && info.f_type == TRACEFS_MAGIC) {
		session->count_from_ns = (uint64_t)begin_ns;
		session->count_from_limit_ns = loop_now() + BEFORE_NS;
	}
	if (session->folder.fd < 0) {
		folder_wait_for_lock(options->folder);
		if (folder_open(&session->folder, options->folder) < 0)
			return EXIT_FAILED;
	}
	/* A recorded trace can be read again. A live one is not read yet, and its buffers fill: see
	 * session_write_json(). */
	session->folder.skip_sync = true;
	if (session_keep_earlier(session) < 0)
		return EXIT_FAILED;
	if (open_files(session) != 0) {
		session_undo(session);
		return EXIT_FAILED;
	}
	snapshot_open(&session->snapshot, &session->output, source, options, origin->live);
	if (origin->live) {
		write_start(session, ROW_UNKNOWN);
		session_flush(session);
		session_write_json(session);
	}
	return 0;
}

int session_begin_again(struct session *session, struct source *source, uint64_t from_ns,
			uint64_t until_ns)
{
	session->source = source;
	session->is_again = session->started = true;
	session->count_from_ns = from_ns;
	session->count_from_limit_ns = UINT64_MAX;
	session->count_until_ns = until_ns;
	return open_files(session);
}

void session_describe_lost(const struct session *session, char text[static SESSION_LOST_SIZE])
{
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);

	if (counters->lost_unknown > 0)
		snprintf(text, SESSION_LOST_SIZE, "an unknown number of events lost");
	else
		snprintf(text, SESSION_LOST_SIZE, "%" PRIu64 " events lost", counters->lost_events);
}

bool session_flush(struct session *session)
{
	struct output *output = &session->output;
	uint64_t last_ns = pipeline_now(session->pipeline);
	uint64_t next_ns = session->summary_next_ns;
	bool is_new;

	snapshot_tick(&session->snapshot);
	output_flush_if_due(output, 0);
	/* If the folder was removed, the files that are replaced as a whole were removed, too. */
	is_new = session->recreations != output->state.recreations;
	if (is_new) {
		session->recreations = output->state.recreations;
		output_summary(output, session->pipeline);
		session_write_json(session);
	}
	/* The first one is written a period after the first event. A clock may go back. */
	if (session->origin.live && last_ns > 0 &&
	    (last_ns >= next_ns || last_ns + SUMMARY_PERIOD_NS < next_ns)) {
		if (next_ns > 0)
			output_summary(output, session->pipeline);
		session->summary_next_ns = last_ns + SUMMARY_PERIOD_NS;
	}
	return is_new;
}

bool session_rotate(struct session *session, const char *why)
{
	if (!output_rotate(&session->output, why))
		return false;
	output_summary(&session->output, session->pipeline);
	return true;
}

bool session_mark(struct session *session, const char *text)
{
	int64_t wall_ns = wall_clock_now();
	int64_t time_ns = live_time(session, wall_ns);

	/* Before the first record, and while records are discarded, no row is open. */
	if (time_ns >= 0 && !session->discarding)
		pipeline_mark(session->pipeline, (uint64_t)time_ns);
	output_event(&session->output, time_ns, wall_ns, "mark", text);
	output_release_events(&session->output);
	output_flush(&session->output);
	return !session->output.mark_lost;
}

void session_set_rules(struct session *session, struct ruleset *rules)
{
	const char *name = session->options->rules;
	int error = rules ? pipeline_set_rules(session->pipeline, rules) : 0;

	if (!rules) {
		output_event_now(&session->output, "tracing",
				 "rules not reloaded, the old rules stay in use: %s",
				 report_last_reason());
	} else if (error < 0) {
		output_event_now(&session->output, "tracing",
				 "rules not reloaded, the old rules stay in use: %s needs another "
				 "engine, which cannot be changed during a capture",
				 name);
		ruleset_free(rules);
	} else {
		output_event_now(&session->output, "tracing", "rules reloaded: %s", name);
		ruleset_free(session->rules);
		session->rules = rules;
	}
	output_flush(&session->output);
}

/* The name of the trace, for messages. */
static const char *input_of(const struct session *session)
{
	const struct options *options = session->options;

	if (session->origin.live)
		return session->origin.path;
	return strcmp(options->operands[0], "-") == 0 ? "standard input" : options->operands[0];
}

/* Reports if there was nothing to count. Returns 0 or EXIT_FAILED. */
static int check_input(const struct session *session)
{
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);
	const struct source *source = session->source;
	const struct status_latency *latency = session->latency;
	bool is_fences = session->options->pipeline.is_fences;
	const char *advice = session->origin.live
				     ? "enable atrace's gfx category"
				     : "use a trace recorded with atrace's gfx category";
	const char *damage = source->damage; /* why data of the trace is missing, or NULL */
	char text[200];

	if (!damage && (source->counts.markers > 0 || !source->what) && source->counts.unread > 0) {
		source_describe_damage(source, text);
		damage = text;
	}
	if (session->discarding) {
		report("nothing was counted: the capture ended before --wait was over; use a "
		       "shorter --wait, or capture longer");
	} else if (is_fences && counters->presents > 0) {
		return 0;
	} else if (is_fences && latency && !latency->has_answer && latency->said[0]) {
		report("no frame was counted: dumpsys SurfaceFlinger --latency prints '%s'; run "
		       "jankd as root or in adb shell",
		       latency->said);
	} else if (is_fences) {
		report("no frame was counted: dumpsys SurfaceFlinger --latency printed no frame of "
		       "this capture; use an app during the capture, or compare --include with the "
		       "output of dumpsys SurfaceFlinger --list");
	} else if (source->counts.markers == 0 && damage) {
		report("%s: no markers found: %s; get an undamaged copy, if it is a trace",
		       source->name, damage);
	} else if (source->counts.markers == 0 && source->what) {
		report("%s: no trace with markers: it is %s; %s", source->name, source->what,
		       source->advice);
	} else if (source->counts.markers == 0) {
		report("no markers found: nothing in %s came from trace_marker; %s%s",
		       input_of(session), advice,
		       session->origin.live ? ", or check --instance" : "");
	} else if (counters->presents == 0 && counters->timeline.rows + counters->doframes == 0) {
		report("none of the %" PRIu64
		       " markers in %s is a present of SurfaceFlinger%s%s; %s%s",
		       source->counts.markers, input_of(session), damage ? ": " : "",
		       damage ? damage : "", damage ? "get an undamaged copy" : advice,
		       damage ? "" : ", or name the vendor's slices in a rule file");
	} else {
		if (counters->presents == 0)
			report_warning("%s: no present of SurfaceFlinger, so no frame is in "
				       "fps.csv, frames.csv or summary.csv; it has %" PRIu64
				       " frames of FrameTimeline and %" PRIu64
				       " callbacks of Choreographers",
				       source->name, counters->timeline.rows, counters->doframes);
		if (damage)
			report_warning("%s: %s; only what could be read is counted", source->name,
				       damage);
		return 0;
	}
	return EXIT_FAILED;
}

void session_finish(struct session *session)
{
	const struct options *options = session->options;
	const struct pipeline_counters *counters;

	if (session->origin.live)
		session->end_wall_ns = wall_clock_now();
	pipeline_end(session->pipeline);
	counters = pipeline_counters(session->pipeline);
	/* Options that matched no name. */
	if (counters->presents > 0 && !pipeline_trigger_matched(session->pipeline))
		report_warning("--trigger %s: no surface or app matched, so no rows were written; "
			       "compare its GLOB with the names in summary.csv",
			       options->trigger);
	if (counters->presents > 0 && counters->frames == 0 &&
	    (options->include[0] || options->exclude[0]))
		report_warning("--include, --exclude: no surface was selected, so no frame was "
			       "counted; a GLOB must match the whole name of a Surface or app");
	if (session->source->counts.damaged != session->damage_reported)
		write_damage(session, last_time(session));
	output_flush(&session->output);
}

int session_end(struct session *session)
{
	struct output *output = &session->output;
	const struct pipeline_counters *counters;
	int64_t wall_ns = session->end_wall_ns;
	char text[96];

	snapshot_end(&session->snapshot);
	output_complete(output, true);
	counters = pipeline_counters(session->pipeline);
	write_start(session, ROW_UNKNOWN);
	output_release_events(output);
	snprintf(text, sizeof(text), "%" PRIu64 " presents, %" PRIu64 " frames", counters->presents,
		 counters->frames);
	output_event(output, wall_ns >= 0 ? live_time(session, wall_ns) : last_time(session),
		     wall_ns, "stop", text);
	output_release_events(output);
	output_summary(output, session->pipeline);
	output_complete(output, false);
	/* Last, because it contains the number of rows of all files. */
	session_write_json(session);
	output_post(output, FILE_JOB_PRUNE);
	output_complete(output, false);
	output_close(output);
	if (session->origin.live && output_all_rows_lost(output) > 0)
		report("%s: %" PRIu64
		       " rows are not in the files: the disk was full or not responding; free some "
		       "disk space or name another folder with -F",
		       session->folder.path, output_all_rows_lost(output));
	session->has_kept_earlier = false;
	return output->failed || session->failed ? EXIT_FAILED : check_input(session);
}

int session_refuse(struct session *session, const char *why)
{
	if (why)
		report("%s: %s", input_of(session), why);
	else if (!session->failed)
		check_input(session);
	session_undo(session);
	folder_undo_open(&session->folder);
	return EXIT_FAILED;
}

void session_close(struct session *session)
{
	output_close(&session->output);
	session->pipeline = pipeline_free(session->pipeline);
	session->rules = ruleset_free(session->rules);
	folder_close(&session->folder);
}
