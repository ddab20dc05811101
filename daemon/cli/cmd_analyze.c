/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/capture/session.h"
#include "daemon/cli/session_name.h"
#include "daemon/trace/trace.h"
#include "daemon/base/text.h"

static const char by_cpu[] =
	"its lines are sorted by CPU, not by time, so nothing in it can be counted; sort them by "
	"time: sort -s -t] -k2.7n (-k2n if there are no flags after the CPU)";

/* Reads the source to its end. Returns 0 or EXIT_FAILED. */
static int read_all(struct session *session)
{
	ssize_t n;

	do {
		n = session_read(session, SOURCE_NORMAL);
		if (!pipeline_may_be_by_cpu(session->pipeline))
			output_accept(&session->output);
	} while (n > 0 && !pipeline_is_by_cpu(session->pipeline));
	return n < 0 ? EXIT_FAILED : 0;
}

/* Reads @source into the folder that the options name. *begun: the folder has its files, and
 * standard output its header. */
static int analyze(struct session *session, struct source *source, bool *begun)
{
	static const struct session_origin origin = { .kind = "file", .trace_clock = "" };
	int code = session_begin(session, source, &origin);
	int ended;

	if (code != 0)
		return code;
	*begun = true;
	code = read_all(session);
	source_stop(source);
	if (pipeline_is_by_cpu(session->pipeline))
		return session_refuse(session, by_cpu);
	if (!session_has_markers(session))
		return session_refuse(session, NULL);
	session_finish(session);
	ended = session_end(session);
	return code != 0 ? code : ended;
}

/* The file's name, above its table. *printed: a table was printed before; is set. */
static void print_title(const char *path, bool *printed)
{
	char line[4 * PATH_MAX];

	text_escape(line, sizeof(line), path);
	printf("%s%s:\n", *printed ? "\n" : "", line);
	*printed = true;
}

/* @printed: see print_title(); NULL: there is only one file, which needs no title. */
static int analyze_one(struct options *options, bool *printed)
{
	uint64_t remember_ns = options->snapshot_ns > 0 ? options->snapshot_length_ns : 0;
	struct source *source = NULL;
	struct session session;
	int code = session_open(&session, options);
	bool begun = false;

	/* What cannot be opened is refused before a folder is made. It is opened once: to open a
	 * pipe and close it again would end the program that writes into it. */
	if (code == 0 &&
	    source_file_open(&source, "analyze", options->operands[0], remember_ns) < 0)
		code = EXIT_FAILED;
	if (code == 0)
		code = analyze(&session, source, &begun);
	if (!options->to_stdout && session_has_markers(&session) &&
	    !pipeline_is_by_cpu(session.pipeline)) {
		if (printed)
			print_title(options->operands[0], printed);
		session_print(&session, stdout, STDOUT_FILENO);
	}
	options->stdout_begun |= begun;
	session_close(&session);
	source_close(source);
	return code;
}

/* A session for each file, in a folder of its own. After one that fails, which has reported why,
 * the others are still read. */
static int analyze_each(struct options *options, struct session_name *names)
{
	char **files = options->operands;
	const char *folder = options->folder;
	int n = options->operand_count;
	char path[PATH_MAX + SESSION_NAME_SIZE + 1]; /* one that is too long fails to open */
	bool printed = false;
	int code = 0;

	options->operand_count = 1;
	for (int i = 0; i < n; i++) {
		session_name_make(names, i, files[i]);
		snprintf(path, sizeof(path), "%s/%s", folder, names[i].text);
		options->operands = &files[i];
		options->folder = path;
		if (analyze_one(options, &printed) != 0)
			code = EXIT_FAILED;
	}
	return code;
}

int cmd_analyze(struct options *options)
{
	struct session_name *names;
	int code;

	/* Where the reader of --stdout is gone, a write fails; it does not kill us. */
	signal(SIGPIPE, SIG_IGN);
	if (options->operand_count == 1)
		return analyze_one(options, NULL);
	names = calloc((size_t)options->operand_count, sizeof(*names));
	if (!names) {
		report("analyze: %s; name fewer files", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	code = analyze_each(options, names);
	free(names);
	return code;
}
