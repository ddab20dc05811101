/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture_control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/report.h"
#include "daemon/session_json.h"
#include "daemon/status_text.h"
#include "daemon/table.h"

/* So long a client waits for the disk. With what comes before, 'stop' takes 2 s at most. */
#define PATIENCE_NS UINT64_C(1500000000)

/* Before a mark, however much is written. */
#define READS_MAX 256

static double uptime_s(const struct capture *capture)
{
	return (double)(loop_now() - capture->begin_ns) / 1e9;
}

static void answer_status(struct capture *capture, FILE *out)
{
	char *text = session_json_status(&capture->session, uptime_s(capture));

	fprintf(out, text ? "ok\n%s\n" : "error: out of memory\n", text);
	free(text);
}

static void answer_status_text(struct capture *capture, unsigned int columns, FILE *out)
{
	fputs("ok\n", out);
	status_text_print(out, &capture->session, uptime_s(capture), columns);
}

static void answer_top(struct capture *capture, const struct control_request *request, FILE *out)
{
	struct table *table = table_new();
	char title[PATH_MAX + 64];

	if (!table) {
		fputs("error: out of memory\n", out);
		return;
	}
	snprintf(title, sizeof(title), "jankd: counting into %s, %.0f s",
		 capture->session.folder.path, uptime_s(capture));
	fputs("ok\n", out);
	table_print_page(table, out, capture->session.pipeline, title, request->lines,
			 request->columns);
	table_free(table);
}

/* What was sent to the files until now is waited for. */
static enum control_reply wait_for_files(struct capture *capture, uint64_t *ticket)
{
	*ticket = output_posted(&capture->session.output);
	output_call(&capture->session.output);
	return CONTROL_LATER;
}

static enum control_reply answer_rotate(struct capture *capture, uint64_t *ticket, FILE *out)
{
	struct output *output = &capture->session.output;

	if (output_rotate(output, "asked for"))
		return wait_for_files(capture, ticket);
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

/* Reads what was written until now: a mark stands behind it. */
static void catch_up(struct capture *capture)
{
	ssize_t n = 1;

	if (!guard_drains(&capture->guard))
		return;
	capture->source->hurry = true;
	for (int i = 0; i < READS_MAX && n > 0; i++) {
		n = session_take(&capture->session, capture->source);
		if (n > 0)
			capture->heard_ns = loop_now();
	}
}

static enum control_reply answer_mark(struct capture *capture, const char *text, uint64_t *ticket,
				      FILE *out)
{
	catch_up(capture);
	if (session_mark(&capture->session, text) == 0)
		return wait_for_files(capture, ticket);
	fputs("error: too many marks wait for the frames before them; mark again in a second\n",
	      out);
	return CONTROL_ANSWERED;
}

/* When the capture is over nothing is counted any more. */
static bool is_too_late(const struct capture *capture, enum control_verb verb, FILE *out)
{
	if (!capture->is_over || (verb != CONTROL_MARK && verb != CONTROL_ROTATE))
		return false;
	fputs("error: the capture is ending; nothing can be done any more\n", out);
	return true;
}

static enum control_reply answer(void *context, const struct control_request *request,
				 uint64_t *ticket, FILE *out)
{
	struct capture *capture = context;

	if (is_too_late(capture, request->verb, out))
		return CONTROL_ANSWERED;
	switch (request->verb) {
	case CONTROL_STATUS:
		answer_status(capture, out);
		return CONTROL_ANSWERED;
	case CONTROL_STATUS_TEXT:
		answer_status_text(capture, request->columns, out);
		return CONTROL_ANSWERED;
	case CONTROL_TOP:
		answer_top(capture, request, out);
		return CONTROL_ANSWERED;
	case CONTROL_MARK:
		return answer_mark(capture, request->text, ticket, out);
	case CONTROL_ROTATE:
		return answer_rotate(capture, ticket, out);
	default: /* CONTROL_STOP */
		capture_stop(capture, EXIT_DONE);
		return CONTROL_AT_END;
	}
}

/* A mark is in memory, and the disk may take its time; of a segment more cannot be said. */
static bool finish(void *context, enum control_verb verb, uint64_t ticket, uint64_t waited_ns,
		   FILE *out)
{
	struct capture *capture = context;
	struct output *output = &capture->session.output;

	if (output_is_done(output, ticket)) {
		output_look(output);
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

void capture_control_wait(struct capture *capture)
{
	char text[PATH_MAX + 128];

	snprintf(
		text, sizeof(text),
		"error: files not complete yet: %s: the disk does not answer; tracing is put back, "
		"and jankd ends when they are\n",
		capture->session.folder.path);
	control_dismiss(&capture->control, PATIENCE_NS, text);
	control_finish(&capture->control);
}

int capture_control_begin(struct capture *capture)
{
	struct session *session = &capture->session;
	int error;

	capture->control.answer = answer;
	capture->control.finish = finish;
	capture->control.context = capture;
	error = control_open(&capture->control, &capture->loop);
	if (error == 0)
		error = folder_tell_name(&session->folder, capture->control.name);
	if (error == 0 || session->options->command != OPTIONS_START)
		return 0;
	report("%s: control socket: %s; %s", session_command(session), strerror(-error),
	       report_advice(error, "without it the daemon cannot be ended: use 'jankd run'"));
	return EXIT_FAILED;
}

void capture_control_farewell(struct capture *capture)
{
	const struct session *session = &capture->session;
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);
	struct control *control = &capture->control;

	/* All is in the files: whoever waits for that is answered. */
	control_finish(control);
	if (session->output.failed || session->failed)
		snprintf(control->farewell, sizeof(control->farewell), "error: %s\n",
			 report_last_reason());
	else
		snprintf(control->farewell, sizeof(control->farewell),
			 "ok\nended after %.0f s: %" PRIu64 " presents, %" PRIu64
			 " frames; CSV files in %s\n%s%s%s",
			 uptime_s(capture), counters->presents, counters->frames,
			 session->folder.path, report_last()[0] ? "warning: " : "",
			 report_last_reason(), report_last()[0] ? "\n" : "");
}
