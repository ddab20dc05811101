/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/resume.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/folder.h"
#include "daemon/base/last_session.h"
#include "daemon/base/report.h"
#include "daemon/cli/options_parse.h"
#include "daemon/cli/options_table.h"
#include "rules/language/ruleset.h"

static int refuse_session(const struct options *options, const char *why)
{
	report("start: --resume: %s/session.json: %s; start without --resume", options->folder,
	       why);
	return EXIT_FAILED;
}

/* Finds the row of an option as session.json has it: --NAME or --NAME=VALUE. Returns NULL if jankd
 * does not write such a word. */
static const struct option_row *find_row(const char *word)
{
	size_t len;

	if (strncmp(word, "--", 2) != 0)
		return NULL;
	word += 2;
	len = strcspn(word, "=");
	for (size_t i = 0; i < options_table_rows; i++) {
		const struct option_row *row = &options_table[i];

		if ((row->commands & (1U << OPTIONS_START)) && !row->is_once &&
		    strlen(row->name) == len && strncmp(row->name, word, len) == 0)
			return row;
	}
	return NULL;
}

static bool is_given(const struct options *options, const char *name)
{
	for (size_t i = 0; i < options->word_count; i++)
		if (strcmp(options->words[i].name, name) == 0)
			return true;
	return false;
}

/* A folder that looks like a tracefs could have links to any file, which jankd would write to. A
 * rule file could be a FIFO, for which jankd would wait. */
static bool names_a_file(const struct option_row *row, const char *word)
{
	const char *value = strchr(word, '=');

	return row->is_path && !(value && ruleset_builtin(value + 1).ptr);
}

/* Why the option @word of session.json cannot be used; NULL: it can. */
static const char *check_word(const struct last_session *last, const char *word)
{
	const struct option_row *row = word ? find_row(word) : NULL;

	if (!row)
		return "it has an option that this version does not have";
	if (names_a_file(row, word) && !last->is_trusted)
		return "it names a file, and another user may have written it";
	return NULL;
}

/* Adds the option to @argv, unless the command line has another value. Returns 0 or EXIT_FAILED. */
static int add_word(const struct options *options, const struct last_session *last,
		    const char *word, int *argc, char **argv)
{
	const struct option_row *row = word ? find_row(word) : NULL;
	const char *why = check_word(last, word);

	if (row && is_given(options, row->name))
		return 0;
	if (why)
		return refuse_session(options, why);
	argv[(*argc)++] = (char *)word;
	return 0;
}

/* The words are borrowed from session.json, which stays in memory. */
static int parse_again(struct options *options, const struct last_session *last, int argc,
		       char **argv)
{
	static char **words;
	size_t count;
	int n = 1, code = 0;

	if (!last_session_options(last, &count) || count > OPTIONS_WORDS_MAX)
		return refuse_session(options, "it has no options to resume with");
	words = malloc(((size_t)argc + count + 1) * sizeof(*words));
	if (!words)
		return refuse_session(options, strerror(ENOMEM));
	words[0] = argv[0];
	for (size_t i = 0; code == 0 && i < count; i++)
		code = add_word(options, last, last_session_option(last, i), &n, words);
	if (code != 0)
		return code;
	/* With the NULL at the end. */
	memcpy(words + n, argv + 1, (size_t)argc * sizeof(*words));
	code = options_parse(options, options->command, n + argc - 1, words);
	if (code == 0)
		code = options_check_together(options);
	return code == 0 ? 0 : EXIT_FAILED;
}

int resume_options(struct options *options, int argc, char **argv)
{
	static struct last_session last;
	int error = last_session_read(&last, options->folder);

	if (error == -EPROTO)
		return refuse_session(options, "it was not written by a capture");
	if (error < 0)
		return refuse_session(options, folder_why(error));
	return parse_again(options, &last, argc, argv);
}

/* The words of its command line, which the caller frees, or NULL. */
static char **words_of(const struct last_session *last, int *n)
{
	char **words;
	size_t count;

	if (!last_session_options(last, &count) || count > OPTIONS_WORDS_MAX)
		return NULL;
	words = calloc(count + 2, sizeof(*words));
	for (size_t i = 0; words && i < count; i++) {
		const char *word = last_session_option(last, i);

		if (check_word(last, word)) {
			free(words);
			return NULL;
		}
		words[i + 1] = (char *)word;
	}
	if (words)
		words[0] = "jankd";
	*n = (int)count + 1;
	return words;
}

/* Its strings are those of the options. */
static struct last_session killed_session;

const struct capture_killed *resume_killed(const struct options *options)
{
	static struct capture_killed killed;
	struct last_session *last = &killed_session;
	char **words = NULL;
	bool is_known = false;
	int n;

	if (last_session_read(last, options->folder) == 0 && last->end == LAST_SESSION_KILLED)
		words = words_of(last, &n);
	if (words) {
		/* Nothing depends on it but which frames are added to that capture's files. */
		report_quiet(true);
		is_known = options_parse(&killed.options, OPTIONS_START, n, words) == 0;
		report_quiet(false);
		killed.options.folder = options->folder;
		if (!last_session_is_daemon(last))
			killed.options.command = OPTIONS_RUN;
		killed.begin_ns = last_session_begin_ns(last);
		snprintf(killed.clock, sizeof(killed.clock), "%s", last_session_clock(last));
	}
	free(words);
	if (!is_known)
		last_session_free(last);
	return is_known ? &killed : NULL;
}

void resume_forget_killed(void)
{
	last_session_free(&killed_session);
}
