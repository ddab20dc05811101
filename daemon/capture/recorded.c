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
	ssize_t n;

	*status = NULL;
	/* The trace is opened before a folder is created, so that a failure leaves no folder. It is
	 * opened only once: closing a pipe would end the program that writes into it. */
	if (code == 0 && source_file_open(&source, options->operands[0], remember_ns) < 0)
		code = EXIT_FAILED;
	if (code != 0) {
		session_close(&session);
		return code;
	}

	input_begin();
	session.origin = (struct session_origin){ .kind = "file", .trace_clock = "" };
	code = session_begin(&session, source);
	if (code == 0) {
		options->stdout_begun = true;
		do {
			n = session_read(&session, SOURCE_NORMAL);
			if (!pipeline_may_be_by_cpu(session.pipeline))
				output_post(&session.output, FILE_JOB_ACCEPT);
		} while (n > 0 && !pipeline_is_by_cpu(session.pipeline, false));
		source_stop(source);
		if (n < 0 && input_is_stopped()) {
			code = session_refuse(&session,
					      "interrupted by a signal before the whole trace was "
					      "read; analyze it again");
		} else if (pipeline_is_by_cpu(session.pipeline, true)) {
			code = session_refuse(&session, by_cpu);
		} else if (source->counts.markers == 0) {
			code = session_refuse(&session, NULL);
		} else {
			session_finish(&session);
			code = session_end(&session);
			if (n < 0)
				code = EXIT_FAILED;
		}
	} else {
		folder_undo_open(&session.folder);
	}
	input_end();
	if (!(code != 0 && input_is_stopped()) && source->counts.markers > 0 &&
	    !pipeline_is_by_cpu(session.pipeline, true))
		*status = session_status(&session, STATUS_OF_SESSION);
	session_close(&session);
	source_close(source);
	return code;
}
