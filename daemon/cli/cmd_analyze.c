/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cli.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/cli/terminal.h"
#include "daemon/show/show.h"
#include "daemon/base/text.h"
#include "daemon/trace/trace.h"

/* --- the names of several sessions --- */

/* Leaves space for a number at the end. */
#define LENGTH_MAX (SESSION_NAME_SIZE - 12)

void session_name_make(struct session_name *names, int n, const char *path)
{
	static const char *const known[] = {
		".gz",	    ".xz",	 ".zst",    ".bz2",
		".zip",	    ".z",	 ".txt",    ".html",
		".htm",	    ".trace",	 ".ftrace", ".atrace",
		".ctrace",  ".systrace", ".log",    ".perfetto-trace",
		".pftrace", ".pb",	 ".json",
	};
	char base[256], escaped[4 * sizeof(base)], name[SESSION_NAME_SIZE];
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *from = escaped;
	struct session_name *out = &names[n];
	size_t len;

	if (strcmp(path, "-") == 0)
		file = "stdin";
	len = strlen(file);
	for (int i = 0; i < (int)(sizeof(known) / sizeof(known[0])); i++) {
		size_t suffix = strlen(known[i]);

		if (len <= suffix || strncasecmp(file + len - suffix, known[i], suffix) != 0)
			continue;
		len -= suffix;
		i = -1; /* from the first one again */
	}
	snprintf(base, sizeof(base), "%.*s", (int)len, file);
	text_escape(escaped, sizeof(escaped), base);

	/* '_' replaces each backslash, and each "\xNN" that was made here. */
	for (len = 0; *from && len < LENGTH_MAX; len++) {
		name[len] = *from == '\\' ? '_' : *from;
		from += strncmp(from, "\\x", 2) == 0 && from[2] && from[3] ? 4 : 1;
	}
	/* Do not cut within a UTF-8 character. */
	if (*from)
		while (len > 0 && ((unsigned char)*from & 0xc0) == 0x80)
			from--, len--;
	name[len] = '\0';
	/* The folder must not be hidden, "." or "..". */
	if (name[0] == '.')
		name[0] = '_';
	if (len == 0)
		strcpy(name, "_");
	strcpy(out->text, name);
	for (int i = 0, number = 2; i < n; i++) {
		if (strcmp(names[i].text, out->text) != 0)
			continue;
		snprintf(out->text, sizeof(out->text), "%.*s-%d", LENGTH_MAX, name, number++);
		i = -1; /* from the first one again */
	}
}

/* --- the sessions --- */

/* *printed: an earlier table was printed; becomes true. NULL: there is only one file, and its name
 * does not stand above its table. */
static int analyze_one(struct options *options, bool *printed)
{
	unsigned int lines, columns = TABLE_COLUMNS;
	char line[4 * PATH_MAX], *text;
	struct status *status;
	int code = capture_recorded(options, &status);

	if (options->json && status) {
		text = verdict_json(status);
		if (text)
			puts(text);
		free(text);
	} else if (!options->to_stdout && status) {
		terminal_size(STDOUT_FILENO, &lines, &columns);
		if (printed) {
			text_escape(line, sizeof(line), options->operands[0]);
			printf("%s%s:\n", *printed ? "\n" : "", line);
			*printed = true;
		}
		table_print_result(stdout, status, columns, terminal_has_colour(STDOUT_FILENO));
	}
	free(status);
	return code;
}

int cmd_analyze(struct options *options)
{
	bool is_stdin = options->dumpsys && strcmp(options->dumpsys, "-") == 0, printed = false;
	char path[PATH_MAX + SESSION_NAME_SIZE + 1]; /* a longer path is cut, and fails to open */
	const char *folder = options->folder;
	char **files = options->operands;
	int n = options->operand_count, code;
	struct session_name *names;

	/* If the reader of --stdout is gone, a write fails; no signal ends this process. */
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; is_stdin && i < n; i++) {
		if (strcmp(files[i], "-") != 0)
			continue;
		report("--dumpsys: '-' is also the trace; save one of the two to a file");
		return EXIT_USAGE;
	}
	code = options->dumpsys ? capture_read_dumpsys(options) : 0;
	if (code != 0)
		return code;
	if (n == 1)
		return analyze_one(options, NULL);
	names = calloc((size_t)n, sizeof(*names));
	if (!names) {
		report("out of memory; name fewer files");
		return EXIT_FAILED;
	}
	/* A session for each file, into a folder of its own. One that fails reports the reason;
	 * then the next file is read. A signal ends the whole command. */
	options->operand_count = 1;
	for (int i = 0; i < n; i++) {
		session_name_make(names, i, files[i]);
		snprintf(path, sizeof(path), "%s/%s", folder, names[i].text);
		options->operands = &files[i];
		options->folder = path;
		if (analyze_one(options, &printed) != 0 || input_is_stopped())
			code = EXIT_FAILED;
		if (input_is_stopped())
			break;
	}
	free(names);
	return code;
}
