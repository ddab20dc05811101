/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cmd.h"

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

/* The length of @name without its last suffix, if that suffix is known. */
static size_t without_suffix(const char *name, size_t len)
{
	static const char *const known[] = {
		".gz",	    ".xz",	 ".zst",    ".bz2",
		".zip",	    ".z",	 ".txt",    ".html",
		".htm",	    ".trace",	 ".ftrace", ".atrace",
		".ctrace",  ".systrace", ".log",    ".perfetto-trace",
		".pftrace", ".pb",	 ".json",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t suffix = strlen(known[i]);

		if (len > suffix && strncasecmp(name + len - suffix, known[i], suffix) == 0)
			return len - suffix;
	}
	return len;
}

/* Copies a name with '_' for each backslash and each "\xNN" that text_escape() has made. */
static void replace_escapes(char *to, const char *escaped)
{
	size_t len = 0;

	while (*escaped && len < LENGTH_MAX) {
		to[len++] = *escaped == '\\' ? '_' : *escaped;
		escaped += strncmp(escaped, "\\x", 2) == 0 && escaped[2] && escaped[3] ? 4 : 1;
	}
	/* Do not cut within a UTF-8 character. */
	if (*escaped)
		while (len > 0 && ((unsigned char)*escaped & 0xc0) == 0x80)
			escaped--, len--;
	to[len] = '\0';
	/* The folder must not be hidden, "." or "..". */
	if (to[0] == '.')
		to[0] = '_';
	if (len == 0)
		strcpy(to, "_");
}

void session_name_make(struct session_name *names, int n, const char *path)
{
	char base[256], escaped[4 * sizeof(base)], name[SESSION_NAME_SIZE];
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	struct session_name *out = &names[n];
	size_t len, shorter;

	if (strcmp(path, "-") == 0)
		file = "stdin";
	len = strlen(file);
	while ((shorter = without_suffix(file, len)) < len)
		len = shorter;
	snprintf(base, sizeof(base), "%.*s", (int)len, file);
	text_escape(escaped, sizeof(escaped), base);
	replace_escapes(name, escaped);
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
