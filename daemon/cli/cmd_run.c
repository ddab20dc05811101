/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cli.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/cli/terminal.h"
#include "daemon/show/show.h"
#include "daemon/base/report.h"
#include "daemon/base/stream.h"

/* Files of the folder and of the trace, sockets and children: usually 28, more with some options
 * and clients; on a device 32 of sysfs. Per CPU: its buffer, statistics and size. */
#define FILES 76
#define FILES_OF_CPU 3

int open_files_allow(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	rlim_t needed = FILES + FILES_OF_CPU * (rlim_t)(cpus > 0 ? cpus : 1);
	unsigned long advised = 256; /* a power of two is easy to type */
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return 0;
	limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
	if (limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return 0;
	while (advised < needed)
		advised *= 2;
	report("the limit is %lu open files, but up to %lu are needed; raise it: ulimit -n %lu",
	       (unsigned long)limit.rlim_cur, (unsigned long)needed, advised);
	return EXIT_FAILED;
}

/* @context, here and below: a struct live **. The pointer is NULL without a live view. */
static void draw(void *context, const struct capture *capture)
{
	struct live **live = context;
	struct status *status = *live ? capture_status(capture, STATUS_OF_NOW) : NULL;
	unsigned int lines = 24, columns = TABLE_COLUMNS;
	char title[PATH_MAX + 64], *text = NULL;
	size_t size = 0;
	FILE *memory = status ? open_memstream(&text, &size) : NULL;

	if (memory) {
		if (status->discarding)
			snprintf(title, sizeof(title),
				 "jankd: counting begins in %.0f s (Ctrl-C to stop)",
				 -status->counting_s);
		else
			snprintf(title, sizeof(title),
				 "jankd: capturing from %s, %.0f s (Ctrl-C to stop)",
				 status->source_path, status->counting_s);
		terminal_size(STDOUT_FILENO, &lines, &columns);
		table_print_page(memory, status, title, lines, columns,
				 terminal_has_colour(STDOUT_FILENO));
		if (fclose(memory) == 0)
			live_show(*live, text);
	}
	free(text);
	free(status);
}

static void on_signal(void *context, const struct capture *capture, int number)
{
	struct live **live = context;

	if (number == SIGTSTP)
		live_suspend(*live);
	draw(context, capture);
}

/* Leaves the live view: later output stays on the screen. */
static void on_over(void *context)
{
	struct live **live = context;

	*live = live_end(*live);
}

/* Time limit to print the table at the end: a stopped terminal must not keep this process alive. By
 * then tracing is restored and the files are complete. */
#define TABLE_WAIT_MS 1000

int cmd_run(struct options *options)
{
	/* For the table and other text for people; NULL: do not print them. With --stdout, standard
	 * output has only rows, and the text goes to standard error if that is a terminal. */
	FILE *out = !options->to_stdout ? stdout : isatty(STDERR_FILENO) ? stderr : NULL, *memory;
	unsigned int lines, columns = TABLE_COLUMNS;
	struct live *live = NULL;
	struct capture_view view = { draw, on_over, on_signal, &live, false };
	struct capture *capture;
	struct status *status;
	struct stream stream;
	char *text = NULL;
	size_t len = 0, done;
	int code = open_files_allow();

	if (code != 0)
		return code;
	code = capture_begin(&capture, options, resume_killed(options));
	resume_forget_killed();
	if (code != 0) {
		capture_close(capture);
		return code;
	}
	if (!options->to_stdout)
		live = live_begin();
	view.is_table = live != NULL;
	status = capture_status(capture, STATUS_NO_SURFACES);
	if (!live && out && status) {
		fprintf(out, "capturing from %s (Ctrl-C to stop)\n", status->source_path);
		fflush(out);
	}
	free(status);
	code = capture_loop(capture, &view);
	status = out ? capture_status(capture, STATUS_OF_SESSION) : NULL;
	memory = status && status->markers > 0 ? open_memstream(&text, &len) : NULL;
	if (memory) {
		terminal_size(fileno(out), &lines, &columns);
		table_print_result(memory, status, columns, terminal_has_colour(fileno(out)));
		if (fclose(memory) == 0) {
			fflush(out);
			stream = stream_open(fileno(out));
			stream_write_all(&stream, text, len, TABLE_WAIT_MS, &done);
			stream_close(&stream);
		}
	}
	free(text);
	free(status);
	capture_close(capture);
	return code;
}
