/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/cli/help.h"
#include "daemon/cli/options_parse.h"
#include "daemon/base/report.h"
#include "daemon/capture/session.h"
#include "daemon/cli/session_name.h"
#include "daemon/trace/source.h"
#include "daemon/base/text.h"

static const char by_cpu[] =
	"its lines are sorted by CPU, not by time, so nothing in it can be counted; sort them by "
	"time: sort -s -t] -k2.7n (-k2n where no flags stand behind the CPU)";

/* Reads @source to its end and closes it. Returns 0 or EXIT_FAILED. */
static int take_all(struct session *session, struct source *source)
{
	ssize_t n;

	do {
		n = session_take(session, source);
		if (!pipeline_may_be_by_cpu(session->pipeline))
			session->output.files.may_undo = false;
	} while (n > 0 && !pipeline_is_by_cpu(session->pipeline));
	source_close(source);
	return n < 0 ? EXIT_FAILED : 0;
}

/* Reads the one file that the options name, into the folder that they name. *begun: the folder has
 * its files, and standard output its header. */
static int analyze(struct session *session, bool *begun)
{
	static const struct session_origin origin = { .kind = "file", .trace_clock = "" };
	const char *path = session->options->files[0];
	struct source *source = NULL;
	int code, ended;

	/* What cannot be read at all is refused before a folder is made. It is opened once: to open
	 * a pipe and close it again ends whoever writes there. */
	if (source_file_open(&source, "analyze", path) < 0)
		return EXIT_FAILED;
	code = session_begin(session, &origin);
	if (code != 0) {
		source_close(source);
		return code;
	}
	*begun = true;
	code = take_all(session, source);
	if (pipeline_is_by_cpu(session->pipeline))
		return session_refuse(session, by_cpu);
	if (session->text.markers == 0)
		return session_refuse(session, NULL);
	session_finish(session);
	ended = session_end(session);
	return code != 0 ? code : ended;
}

/* Above a table of several. */
static void print_title(const char *path, bool *printed)
{
	char line[4 * PATH_MAX];

	text_escape(line, sizeof(line), path);
	printf("%s%s:\n", *printed ? "\n" : "", line);
	*printed = true;
}

/* *printed: there was a table before; NULL: there is one file alone. */
static int analyze_one(struct options *options, bool *printed)
{
	struct session session;
	int code = session_open(&session, options);
	bool begun = false;

	if (code == 0)
		code = analyze(&session, &begun);
	if (!options->to_stdout && session.text.markers > 0 &&
	    !pipeline_is_by_cpu(session.pipeline)) {
		if (printed)
			print_title(options->files[0], printed);
		session_print(&session, stdout, STDOUT_FILENO);
	}
	options->stdout_begun |= begun;
	session_close(&session);
	return code;
}

/* A session for each, in a folder of its own. One that fails has said so: the others go on. */
static int analyze_each(struct options *options, struct session_name *names)
{
	char **files = options->files;
	const char *folder = options->folder;
	int n = options->file_count;
	char path[PATH_MAX + SESSION_NAME_SIZE + 1]; /* too long: refused when it is opened */
	bool printed = false;
	int code = 0;

	options->file_count = 1;
	for (int i = 0; i < n; i++) {
		session_name_make(names, i, files[i]);
		snprintf(path, sizeof(path), "%s/%s", folder, names[i].text);
		options->files = &files[i];
		options->folder = path;
		if (analyze_one(options, &printed) != 0)
			code = EXIT_FAILED;
	}
	return code;
}

static int analyze_all(struct options *options)
{
	struct session_name *names;
	int code;

	if (options->file_count == 1)
		return analyze_one(options, NULL);
	names = calloc((size_t)options->file_count, sizeof(*names));
	if (!names) {
		report("analyze: out of memory; name fewer files");
		return EXIT_FAILED;
	}
	code = analyze_each(options, names);
	free(names);
	return code;
}

int cmd_analyze(int argc, char **argv)
{
	struct options options;
	int code = options_parse(&options, OPTIONS_ANALYZE, argc, argv);

	if (code != 0)
		return code;
	if (options.help) {
		fputs(help_analyze, stdout);
		return EXIT_DONE;
	}
	/* A reader of --stdout that goes away is an error of a write, not our end. */
	signal(SIGPIPE, SIG_IGN);
	return analyze_all(&options);
}
