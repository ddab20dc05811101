/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/capture.h"

#include "daemon/base/report.h"
#include "daemon/capture/session.h"
#include "daemon/trace/trace.h"
#include "parser/surfaceflinger_dump.h"
#include "rules/vsync/work_durations.h"

static const char by_cpu[] = "its lines are sorted by CPU, not by time, so its frames cannot be "
			     "counted; sort the lines by "
			     "time: sort -s -t] -k2.7n (-k2n if there are no flags after the CPU)";

/* Reads @source into the folder of the options. *begun: the folder has its files, and standard
 * output has its header. */
static int analyze(struct session *session, struct source *source, bool *begun)
{
	ssize_t n;
	int code, ended;

	session->origin = (struct session_origin){ .kind = "file", .trace_clock = "" };
	code = session_begin(session, source);
	if (code != 0) {
		folder_undo_open(&session->folder);
		return code;
	}
	*begun = true;
	do {
		n = session_read(session, SOURCE_NORMAL);
		if (!pipeline_may_be_by_cpu(session->pipeline))
			output_post(&session->output, FILE_JOB_ACCEPT);
	} while (n > 0 && !pipeline_is_by_cpu(session->pipeline, false));
	code = n < 0 ? EXIT_FAILED : 0;
	source_stop(source);
	if (code != 0 && input_is_stopped())
		return session_refuse(session,
				      "interrupted by a signal before the whole trace was read; "
				      "analyze it again");
	if (pipeline_is_by_cpu(session->pipeline, true))
		return session_refuse(session, by_cpu);
	if (source->counts.markers == 0)
		return session_refuse(session, NULL);
	session_finish(session, NULL);
	ended = session_end(session);
	return code != 0 ? code : ended;
}

static const char save_dump[] = "save the output of 'adb shell dumpsys SurfaceFlinger'";

static bool on_dump_line(void *context, struct span line)
{
	struct surfaceflinger_dump *dump = context;

	surfaceflinger_dump_line(dump, line);
	return !surfaceflinger_dump_is_complete(dump);
}

int capture_read_dumpsys(struct options *options)
{
	struct work_durations *durations = &options->pipeline.durations;
	struct surfaceflinger_dump dump = SURFACEFLINGER_DUMP_NONE;
	int code = EXIT_FAILED;

	report_name("analyze: --dumpsys");
	if (source_file_lines(options->dumpsys, save_dump, on_dump_line, &dump) == 0) {
		*durations = work_durations_of(&dump);
		if (work_durations_known(durations) || durations->period_ns > 0)
			code = 0;
		if (code != 0)
			report("%s: it has neither durations nor phases of SurfaceFlinger; %s",
			       options->dumpsys, save_dump);
		else if (!work_durations_known(durations))
			report_warning("%s: the durations of frames are missing or invalid; only "
				       "the display's period is used",
				       options->dumpsys);
	}
	report_name("analyze");
	return code;
}

int capture_recorded(struct options *options, struct status **status)
{
	uint64_t remember_ns = options->snapshot_ns > 0 ? options->snapshot_length_ns : 0;
	struct source *source = NULL;
	struct session session;
	int code = session_open(&session, options);
	bool begun = false;

	*status = NULL;
	/* The trace is opened before a folder is created, so that a failure leaves no folder. It is
	 * opened only once: closing a pipe would end the program that writes into it. */
	if (code == 0 && source_file_open(&source, options->operands[0], remember_ns) < 0)
		code = EXIT_FAILED;
	if (code == 0) {
		input_begin();
		code = analyze(&session, source, &begun);
		input_end();
	}
	if (!(code != 0 && input_is_stopped()) && source && source->counts.markers > 0 &&
	    !pipeline_is_by_cpu(session.pipeline, true))
		*status = session_status(&session, STATUS_OF_SESSION);
	session_close(&session);
	source_close(source);
	options->stdout_begun |= begun;
	return code;
}
