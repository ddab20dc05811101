/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/capture_control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/capture/status_text.h"
#include "daemon/control/table.h"

/* So long a client waits for the disk. With what comes before, 'stop' takes 2 s at most. */
#define PATIENCE_NS UINT64_C(1500000000)

static double uptime_s(const struct capture_control *control)
{
	return (double)(loop_now() - *control->begin_ns) / 1e9;
}

static void answer_status(struct capture_control *control, FILE *out)
{
	char *text = session_json_status(control->session, uptime_s(control));

	fprintf(out, text ? "ok\n%s\n" : "error: out of memory\n", text);
	free(text);
}

static void answer_status_text(struct capture_control *control, unsigned int columns, FILE *out)
{
	fputs("ok\n", out);
	status_text_print(out, control->session, uptime_s(control), columns);
}

static void answer_top(struct capture_control *control, const struct control_request *request,
		       FILE *out)
{
	struct table *table = table_new();
	char title[PATH_MAX + 64];

	if (!table) {
		fputs("error: out of memory\n", out);
		return;
	}
	snprintf(title, sizeof(title), "jankd: counting into %s, %.0f s",
		 control->session->folder.path, uptime_s(control));
	fputs("ok\n", out);
	table_print_page(table, out, control->session->pipeline, title, request->lines,
			 request->columns);
	table_free(table);
}

/* What was sent to the files until now is waited for. */
static enum control_reply wait_for_files(struct capture_control *control, uint64_t *ticket)
{
	*ticket = output_posted(&control->session->output);
	output_notify(&control->session->output);
	return CONTROL_LATER;
}

static enum control_reply answer_rotate(struct capture_control *control, uint64_t *ticket,
					FILE *out)
{
	struct output *output = &control->session->output;

	if (output_rotate(output, "asked for"))
		return wait_for_files(control, ticket);
	fputs("ok\nno rows yet: the files stay\n", out);
	return CONTROL_ANSWERED;
}

static void finish_rotate(const struct output *output, FILE *out)
{
	int error = output->state.rolled;

	if (error < 0)
		fprintf(out, "error: the files stay: %s\n", strerror(-error));
	else if (error > 0)
		fputs("ok\nno rows yet: the files stay\n", out);
	else
		fprintf(out, "ok\nsegment %06lu is closed\n", output->state.segment);
}

static enum control_reply answer_mark(struct capture_control *control, const char *text,
				      uint64_t *ticket, FILE *out)
{
	drain_for_mark(control->drain);
	if (session_mark(control->session, text) == 0)
		return wait_for_files(control, ticket);
	fputs("error: too many marks wait for the frames before them; mark again in a second\n",
	      out);
	return CONTROL_ANSWERED;
}

/* When the capture is over nothing is counted any more. */
static bool is_too_late(const struct capture_control *control, enum control_verb verb, FILE *out)
{
	if (!*control->is_over || (verb != CONTROL_MARK && verb != CONTROL_ROTATE))
		return false;
	fputs("error: the capture is ending; nothing can be done any more\n", out);
	return true;
}

static enum control_reply answer(void *context, const struct control_request *request,
				 uint64_t *ticket, FILE *out)
{
	struct capture_control *control = context;

	if (is_too_late(control, request->verb, out))
		return CONTROL_ANSWERED;
	switch (request->verb) {
	case CONTROL_STATUS:
		answer_status(control, out);
		return CONTROL_ANSWERED;
	case CONTROL_STATUS_TEXT:
		answer_status_text(control, request->columns, out);
		return CONTROL_ANSWERED;
	case CONTROL_TOP:
		answer_top(control, request, out);
		return CONTROL_ANSWERED;
	case CONTROL_MARK:
		return answer_mark(control, request->text, ticket, out);
	case CONTROL_ROTATE:
		return answer_rotate(control, ticket, out);
	default: /* CONTROL_STOP */
		control->stop(control->context);
		return CONTROL_AT_END;
	}
}

/* A mark is in memory, and the disk may take its time; of a segment more cannot be said. */
static bool finish(void *context, enum control_verb verb, uint64_t ticket, uint64_t waited_ns,
		   FILE *out)
{
	struct capture_control *control = context;
	struct output *output = &control->session->output;

	if (output_is_done(output, ticket)) {
		output_update(output);
		if (verb == CONTROL_ROTATE)
			finish_rotate(output, out);
		else
			fputs("ok\n", out);
		return true;
	}
	if (waited_ns < PATIENCE_NS)
		return false;
	fputs(verb == CONTROL_ROTATE
		      ? "error: the segment is not closed yet: the disk does not answer; look at "
			"'jankd status' in a while\n"
		      : "ok\nit is not in the file yet: the disk does not answer\n",
	      out);
	return true;
}

void capture_control_wait(struct capture_control *control)
{
	char text[PATH_MAX + 128];

	snprintf(
		text, sizeof(text),
		"error: files not complete yet: %s: the disk does not answer; tracing is put back, "
		"and jankd ends when they are\n",
		control->session->folder.path);
	control_dismiss(&control->control, PATIENCE_NS, text);
	control_finish(&control->control);
}

int capture_control_begin(struct capture_control *control, struct loop *loop)
{
	struct session *session = control->session;
	int error;

	control->control.answer = answer;
	control->control.finish = finish;
	control->control.context = control;
	error = control_open(&control->control, loop);
	if (error == 0)
		error = folder_tell_name(&session->folder, control->control.name);
	if (error == 0 || session->options->command != OPTIONS_START)
		return 0;
	report("%s: control socket: %s; %s", session_command(session), strerror(-error),
	       report_advice(error, "without it the daemon cannot be ended: use 'jankd run'"));
	return EXIT_FAILED;
}

void capture_control_farewell(struct capture_control *control)
{
	const struct session *session = control->session;
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);

	/* All is in the files: whoever waits for that is answered. */
	control_finish(&control->control);
	if (session->output.failed || session->failed)
		snprintf(control->control.farewell, sizeof(control->control.farewell),
			 "error: %s\n", report_last_reason());
	else
		snprintf(control->control.farewell, sizeof(control->control.farewell),
			 "ok\nended after %.0f s: %" PRIu64 " presents, %" PRIu64
			 " frames; CSV files in %s\n%s%s%s",
			 uptime_s(control), counters->presents, counters->frames,
			 session->folder.path, report_last()[0] ? "warning: " : "",
			 report_last_reason(), report_last()[0] ? "\n" : "");
}
