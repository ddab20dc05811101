/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/beside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/trace/trace.h"

/* Another jankd may start meanwhile. */
#define LOCK_MS 2000

struct rescue {
	const struct capture_killed *killed;
	struct options options; /* of the killed capture, as far as they matter here */
	struct live_trace *trace;
	struct trace_files files;
	struct source *source; /* NULL: there is nothing to read */
	struct session session;
	uint64_t from_ns, until_ns; /* the trace time that it would have counted */
	char why[SOURCE_WHY_SIZE];  /* why there is nothing to read */
};

/* Returns 0, with a source or the reason why there is none; or -errno: the files must not be
 * touched. The trace must not be created again. */
static int open_trace(struct rescue *rescue)
{
	const struct options *options = &rescue->killed->options;
	const char *then = rescue->killed->clock;
	bool all_before = options->command == OPTIONS_RUN && options->wait_ns == 0;
	uint64_t begin_ns = (uint64_t)rescue->killed->begin_ns + options->wait_ns;
	char directory[LIVE_TRACE_DIRECTORY_SIZE], now[SETTING_SIZE];
	int error = live_trace_find(directory, options->tracefs), fd;

	if (error == -ENOENT) {
		snprintf(rescue->why, sizeof(rescue->why), "no tracefs is mounted");
		return 0;
	}
	if (error == 0 && options->instance &&
	    live_trace_check_instance(directory, options->instance) != 0) {
		snprintf(rescue->why, sizeof(rescue->why),
			 "the trace instance %.80s no longer exists", options->instance);
		return 0;
	}
	if (error == 0)
		error = live_trace_open(&rescue->trace, options->tracefs, options->instance);
	if (error < 0)
		return error;
	trace_files_open(&rescue->files, rescue->trace->path);
	if (rescue->why[0])
		return 0;

	fd = live_trace_open_pipe(rescue->trace);
	if (fd >= 0)
		close(fd);
	/* What its options leave out is left out here, too: what was written before 'jankd start',
	 * during --wait, and after --duration. */
	if (!all_before)
		rescue->from_ns = begin_ns;
	rescue->until_ns = options->duration_ns > 0 ? begin_ns + options->duration_ns : UINT64_MAX;
	/* A program that reads the trace may be the capture itself, if it has lost its lock. Times
	 * of another clock do not belong to the rows that are there. */
	if (fd == -EBUSY)
		snprintf(rescue->why, sizeof(rescue->why), "another program reads trace_pipe");
	else if (trace_files_setting(&rescue->files, TRACE_SETTING_CLOCK, now) != 0 ||
		 strcmp(now, then) != 0)
		snprintf(rescue->why, sizeof(rescue->why), "the trace clock is no longer %.32s",
			 then);
	else if (rescue->killed->begin_ns < 0 && (!all_before || options->duration_ns > 0))
		snprintf(rescue->why, sizeof(rescue->why),
			 "the time at which the killed capture began is unknown on this trace "
			 "clock");
	if (rescue->why[0])
		return 0;

	error = -EOPNOTSUPP;
	if (options->source != OPTIONS_SOURCE_TEXT)
		error = source_raw_open(&rescue->source, rescue->trace, &rescue->files,
					rescue->why);
	if (error < 0 && source_pipe_open(&rescue->source, rescue->trace, &rescue->files, 0) < 0)
		snprintf(rescue->why, sizeof(rescue->why), "trace_pipe cannot be read");
	if (rescue->source)
		source_set_clock(rescue->source, then);
	return 0;
}

int rescue(struct folder *folder, enum options_command command, const struct capture_killed *killed)
{
	static struct rescue rescue; /* too large for the stack */
	struct options *options = &rescue.options;
	struct session *session = &rescue.session;
	const struct pipeline_counters *counters;
	char lost[SESSION_LOST_SIZE];
	int code;

	/* Without a journal the settings were restored, and the buffers were emptied. */
	if (!killed || !folder_has_journal(folder))
		return 0;
	rescue = (struct rescue){ .killed = killed, .options = killed->options };
	/* The rows go to the files as they are: neither a new segment, nor another file. The app in
	 * front is no longer the one of the start. */
	options->command = command;
	options->to_stdout = false;
	options->rotate_size = options->rotate_time_ns = options->keep = options->sync_ns = 0;
	options->snapshot_ns = options->pipeline.late_ns = 0;
	if (options->device_root && !options->min_free_given)
		options->min_free = disk_floor_of_device(folder->fd);
	options->pipeline.focus = NULL;
	options->pipeline.front_app_is_queried = false;
	trace_files_init(&rescue.files);
	code = session_open(session, options);
	/* Rules that cannot be loaded give other rows. Then only the event is written, with any
	 * rules. */
	if (code != 0) {
		session_close(session);
		snprintf(rescue.why, sizeof(rescue.why),
			 "the rules of the killed capture cannot be loaded");
		options->rules = "default";
		code = session_open(session, options);
	}
	if (code == 0)
		code = open_trace(&rescue);

	if (code == 0) {
		session->origin = (struct session_origin){
			.kind = rescue.source ? rescue.source->name : "file",
			.path = folder->path,
			.trace_clock = killed->clock,
			.live = true,
		};
		if (rescue.source)
			session->origin.clock = kernel_clock_measure(killed->clock, &rescue.files);
		session->folder = *folder;
		code = session_begin_again(session, rescue.source, rescue.from_ns, rescue.until_ns);
		if (code == 0 && rescue.source) {
			session_read_rest(session, SOURCE_NORMAL);
			session_read(session, SOURCE_LAST);
			pipeline_end(session->pipeline);
			counters = pipeline_counters(session->pipeline);
			session_describe_lost(session, lost);
			output_event_now(
				&session->output, "tracing",
				"taken from the trace buffers after a kill: %" PRIu64
				" frames, %.1f s, %s; they are not in summary.csv and session.json",
				counters->frames,
				(double)(counters->last_ns - counters->first_ns) / 1e9, lost);
		} else if (code == 0) {
			output_event_now(
				&session->output, "tracing",
				"nothing was taken from the trace buffers after a kill: %s",
				rescue.why);
		}
		output_close(&session->output);
		if (session->output.failed || session->failed)
			code = EXIT_FAILED;
		/* It stays open: it is the caller's. */
		*folder = session->folder;
		session->folder =
			(struct folder){ .fd = -1, .lock_fd = -1, .state_dir = { .fd = -1 } };
	}
	source_stop(rescue.source);
	trace_files_close(&rescue.files);
	live_trace_close(rescue.trace);
	session_close(session);
	source_close(rescue.source);
	return code;
}

enum capture_recovered capture_recover(const struct options *options,
				       const struct capture_killed *killed)
{
	struct settings_kept kept = { .n = 0 };
	struct settings settings = { 0 };
	enum journal_found found;
	struct folder folder;
	char directory[LIVE_TRACE_DIRECTORY_SIZE];
	int code, lock_fd = -1, fd = state_dir_find(options->folder, STATE_DIR_JOURNAL);

	if (fd < 0)
		return CAPTURE_NOT_KILLED;
	close(fd);
	if (folder_open(&folder, options->folder) < 0)
		return CAPTURE_UNRECOVERED;
	code = rescue(&folder, options->command, killed);
	if (live_trace_find(directory, killed ? killed->options.tracefs : NULL) == 0)
		lock_fd = live_trace_lock(directory, LOCK_MS);
	found = journal_recover(&folder, killed ? killed->options.tracefs : NULL, &kept, &settings);
	settings_free(&settings);
	if (lock_fd >= 0)
		close(lock_fd);
	folder_close(&folder);
	return found == JOURNAL_DONE && code == 0 ? CAPTURE_RECOVERED
	       : found == JOURNAL_NONE		  ? CAPTURE_NOT_KILLED
						  : CAPTURE_UNRECOVERED;
}
