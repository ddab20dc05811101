/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture_control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/report.h"
#include "daemon/session_json.h"
#include "daemon/status_text.h"
#include "daemon/table.h"

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

static void answer_rotate(struct capture *capture, FILE *out)
{
	struct output *output = &capture->session.output;
	int error = output_rotate(output, "asked for");

	output_flush(output);
	if (error < 0)
		fprintf(out, "error: the files stay: %s\n", strerror(-error));
	else if (error > 0)
		fputs("ok\nno rows yet: the files stay\n", out);
	else
		fprintf(out, "ok\nsegment %06lu is closed\n", output->segment);
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

static bool answer(void *context, const struct control_request *request, FILE *out)
{
	struct capture *capture = context;

	switch (request->verb) {
	case CONTROL_STATUS:
		answer_status(capture, out);
		return true;
	case CONTROL_STATUS_TEXT:
		answer_status_text(capture, request->columns, out);
		return true;
	case CONTROL_TOP:
		answer_top(capture, request, out);
		return true;
	case CONTROL_MARK:
		catch_up(capture);
		if (session_mark(&capture->session, request->text) == 0)
			fputs("ok\n", out);
		else
			fputs("error: too many marks wait for the frames before them; mark again "
			      "in a second\n",
			      out);
		return true;
	case CONTROL_ROTATE:
		answer_rotate(capture, out);
		return true;
	default: /* CONTROL_STOP */
		capture_stop(capture, EXIT_DONE);
		return false;
	}
}

int capture_control_begin(struct capture *capture)
{
	struct session *session = &capture->session;
	int error;

	capture->control.answer = answer;
	capture->control.context = capture;
	error = control_open(&capture->control, &capture->loop);
	if (error == 0)
		error = folder_tell_name(&session->folder, capture->control.name);
	if (error == 0 || session->options->command != OPTIONS_START)
		return 0;
	report("%s: control socket: %s; nobody could end it, use 'jankd run'",
	       session_command(session), strerror(-error));
	return EXIT_FAILED;
}

void capture_control_farewell(struct capture *capture)
{
	const struct session *session = &capture->session;
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);
	struct control *control = &capture->control;

	if (session->output.failed || session->failed)
		snprintf(control->farewell, sizeof(control->farewell), "error: %s\n",
			 report_last());
	else
		snprintf(control->farewell, sizeof(control->farewell),
			 "ok\nended after %.0f s: %" PRIu64 " presents, %" PRIu64
			 " frames; CSV files in %s\n%s%s",
			 uptime_s(capture), counters->presents, counters->frames,
			 session->folder.path, report_last(), report_last()[0] ? "\n" : "");
}
