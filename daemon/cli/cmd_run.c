/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/capture/capture.h"
#include "daemon/cli/live.h"
#include "daemon/base/open_files.h"
#include "daemon/cli/help.h"
#include "daemon/cli/options_parse.h"
#include "daemon/base/report.h"
#include "daemon/base/stream.h"

/* Where people read what is not rows: with --stdout only a terminal at standard error. In a pipe
 * or file that holds nothing but reasons of failure. */
static FILE *words(const struct options *options)
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

/* What is said from now on is to stay on the screen. */
static void on_over(struct capture *capture)
{
	capture->context = live_end(capture->context);
}

/* So long whoever reads the table has to take it. */
#define TABLE_WAIT_MS 1000

/* The trace is put back, the files are complete: nobody waits for a terminal that was stopped. */
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
	FILE *out = words(capture->options);
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
	if (capture->session.text.markers > 0 && out)
		print_table(capture, out);
	return code;
}

int cmd_run(int argc, char **argv)
{
	static struct capture capture; /* large: a stack may be small */
	struct options options;
	int code = options_parse(&options, OPTIONS_RUN, argc, argv);

	if (code != 0)
		return code;
	if (options.help) {
		fputs(help_run, stdout);
		return EXIT_DONE;
	}
	code = open_files_allow(argv[0]);
	if (code != 0)
		return code;
	code = capture_begin(&capture, &options);
	if (code == 0)
		code = run(&capture);
	capture_close(&capture);
	return code;
}
