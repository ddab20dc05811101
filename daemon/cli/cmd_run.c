/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/capture/capture.h"
#include "daemon/cli/live.h"
#include "daemon/base/open_files.h"
#include "daemon/base/report.h"
#include "daemon/base/stream.h"

/* Where the table and other text for people goes; NULL: nowhere. With --stdout, standard output has
 * rows only, and standard error, unless it is a terminal, only errors. */
static FILE *text_output(const struct options *options)
{
	if (!options->to_stdout)
		return stdout;
	return isatty(STDERR_FILENO) ? stderr : NULL;
}

static void draw(struct capture *capture)
{
	char title[1200];
	double seconds = (double)(int64_t)(loop_now() - capture->count_ns) / 1e9;

	if (capture->session.discarding)
		snprintf(title, sizeof(title), "jankd: counting begins in %.0f s (Ctrl-C ends)",
			 -seconds);
	else
		snprintf(title, sizeof(title), "jankd: capturing from %s, %.0f s (Ctrl-C ends)",
			 tracefs_path(capture->tracefs), seconds);
	live_draw(capture->context, capture->session.pipeline, title);
}

static void on_terminal(struct capture *capture, int number)
{
	if (number == SIGTSTP)
		live_suspend(capture->context);
	if (capture->context)
		draw(capture);
}

/* Leaves the live view: what is printed from now on stays on the screen. */
static void on_over(struct capture *capture)
{
	capture->context = live_end(capture->context);
}

/* The table at the end is given up if its reader does not take it within this time: a terminal may
 * be stopped, and tracing is restored and the files are complete by then. */
#define TABLE_WAIT_MS 1000

static void print_table(const struct capture *capture, FILE *out)
{
	struct stream stream;
	char *text = NULL;
	size_t len = 0, done;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return;
	session_print(&capture->session, memory, fileno(out));
	if (fclose(memory) == 0) {
		fflush(out);
		stream = stream_open(fileno(out));
		stream_write_all(&stream, text, len, TABLE_WAIT_MS, &done);
		stream_close(&stream);
	}
	free(text);
}

static int run(struct capture *capture)
{
	FILE *out = text_output(capture->options);
	struct live *live = capture->options->to_stdout ? NULL : live_begin();
	int code;

	if (!live && out) {
		fprintf(out, "capturing from %s (Ctrl-C ends)\n", tracefs_path(capture->tracefs));
		fflush(out);
	}
	capture->context = live;
	capture->on_tick = live ? draw : NULL;
	capture->on_terminal = on_terminal;
	capture->on_over = on_over;
	code = capture_loop(capture);
	if (session_has_markers(&capture->session) && out)
		print_table(capture, out);
	return code;
}

int cmd_run(struct options *options)
{
	static struct capture capture; /* large: a stack may be small */
	int code = open_files_allow("run");

	if (code != 0)
		return code;
	code = capture_begin(&capture, options);
	if (code == 0)
		code = run(&capture);
	capture_close(&capture);
	return code;
}
