/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "daemon/options.h"
#include "daemon/report.h"
#include "daemon/session.h"
#include "daemon/source.h"

/* Reads @source to its end and closes it. Returns 0 or EXIT_FAILED. */
static int take_all(struct session *session, struct source *source)
{
	ssize_t n;

	do
		n = session_take(session, source);
	while (n > 0);
	source_close(source);
	return n < 0 ? EXIT_FAILED : 0;
}

/* One of several files may hold nothing: the rows do not show it. */
static int take_file(struct session *session, const char *path)
{
	uint64_t markers = session->text.markers;
	struct source *source = NULL;

	if (source_file_open(&source, "analyze", path) < 0 || take_all(session, source) != 0)
		return EXIT_FAILED;
	if (session->options->file_count > 1 && session->text.markers == markers)
		report("warning: analyze: %s: no markers seen; the other files count alone", path);
	return 0;
}

/* Returns 0 or EXIT_FAILED: then it goes on with the next file. */
static int take_files(struct session *session)
{
	const struct options *options = session->options;
	int code = 0;

	for (int i = 0; i < options->file_count; i++)
		if (take_file(session, options->files[i]) != 0)
			code = EXIT_FAILED;
	return code;
}

/* What cannot be read at all is refused before a folder is made. */
static int check_files(const struct options *options)
{
	for (int i = 0; i < options->file_count; i++)
		if (source_file_check("analyze", options->files[i]) < 0)
			return EXIT_FAILED;
	return 0;
}

static int analyze(struct session *session)
{
	static const struct session_origin origin = { .kind = "file", .trace_clock = "" };
	int code = check_files(session->options);
	int ended;

	if (code == 0)
		code = session_begin(session, &origin);
	if (code != 0)
		return code;
	code = take_files(session);
	ended = session_end(session);
	if (!session->options->to_stdout && session->text.markers > 0)
		session_print(session, stdout);
	return code != 0 ? code : ended;
}

int cmd_analyze(int argc, char **argv)
{
	struct options options;
	struct session session;
	int code = options_parse(&options, OPTIONS_ANALYZE, argc, argv);

	if (code != 0)
		return code;
	if (options.help) {
		fputs(help_analyze, stdout);
		return EXIT_DONE;
	}
	/* A reader of --stdout that goes away is an error of a write, not our end. */
	signal(SIGPIPE, SIG_IGN);
	code = session_open(&session, &options);
	if (code == 0)
		code = analyze(&session);
	session_close(&session);
	return code;
}
