/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/beside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/show/show.h"

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
static bool mark_or_rotate(struct capture_control *control, struct control_request *request,
			   uint64_t waited_ns, FILE *out)
{
	struct session *session = control->session;
	struct output *output = &session->output;
	bool is_mark = request->verb == CONTROL_MARK;
	int error;

	if (request->ticket == 0 && *control->is_over) {
		fputs("error: the capture is ending and no longer accepts marks or rotations\n",
		      out);
		return true;
	}
	if (request->ticket == 0) {
		drain_for_request(control->drain);
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
	struct capture_control *control = context;
	enum status_surfaces which = request->verb == CONTROL_TOP	    ? STATUS_OF_NOW
				     : request->verb == CONTROL_STATUS_TEXT ? STATUS_OF_SESSION
									    : STATUS_NO_SURFACES;
	char title[PATH_MAX + 64], *json = NULL;
	struct status *status;

	if (control->is_closing) {
		fputs(control->end, out);
		return true;
	}
	if (request->verb == CONTROL_MARK || request->verb == CONTROL_ROTATE)
		return mark_or_rotate(control, request, waited_ns, out);
	if (request->verb == CONTROL_STOP) {
		*control->is_over = true;
		if (!control->is_stalled || waited_ns < DISK_WAIT_NS)
			return false;
		fprintf(out,
			"error: %s: the files are not complete yet: the disk is not responding; "
			"tracing is restored, and jankd exits when all files are complete\n",
			control->session->folder.path);
		return true;
	}

	if (!*control->is_over)
		drain_for_request(control->drain);
	status = session_status(control->session, which);
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

void capture_control_wait(struct capture_control *control)
{
	control->is_stalled = true;
	control_answer_waiting(control->control);
	control->is_stalled = false;
}

int capture_control_begin(struct capture_control *control, struct loop *loop)
{
	struct session *session = control->session;
	const struct control_handler handler = { answer, control };
	int error = control_open(&control->control, loop, &handler, &session->folder.state_dir);

	if (error == 0)
		error = folder_write_address(&session->folder, control_name(control->control));
	if (error == 0)
		return 0;
	if (session->options->command != OPTIONS_START) {
		report_warning("control socket: %s; end the capture with Ctrl-C: 'jankd stop' and "
			       "'jankd status' cannot reach it",
			       strerror(-error));
		return 0;
	}
	report("control socket: %s; %s", strerror(-error),
	       report_advice(error, "use 'jankd run', which works without it"));
	return EXIT_FAILED;
}

void capture_control_ended(struct capture_control *control, bool failed)
{
	const struct session *session = control->session;
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);

	/* The files are complete: answers the clients that wait for them. */
	control_answer_waiting(control->control);
	if (failed)
		snprintf(control->end, sizeof(control->end), "error: %s\n", report_last_reason());
	else
		snprintf(control->end, sizeof(control->end),
			 "ok\nended after %.0f s: %" PRIu64 " presents, %" PRIu64
			 " frames; CSV files in %s\n%s%s%s",
			 (double)(loop_now() - session->begin_ns) / 1e9, counters->presents,
			 counters->frames, session->folder.path,
			 report_last()[0] ? "warning: " : "", report_last_reason(),
			 report_last()[0] ? "\n" : "");
}

void capture_control_close(struct capture_control *control)
{
	control->is_closing = true;
	control_close(control->control);
	control->control = NULL;
}
