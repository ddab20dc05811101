/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cli.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/folder.h"
#include "daemon/base/last_session.h"
#include "daemon/base/report.h"
#include "daemon/cli/options_table.h"
#include "rules/language/ruleset.h"

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

/* Makes a command line of argv[0], the options of the last capture that @given (or NULL) does not
 * have, and the rest of @argv: *n borrowed texts. The caller frees it. Returns NULL, with the
 * reason in *why, if one of those options cannot be used. */
static char **join_words(const struct last_session *last, const struct options *given, int argc,
			 char **argv, int *n, const char **why)
{
	size_t count = (size_t)last->n_options;
	char **words;

	*why = "it has no options to resume with";
	if (last->n_options < 0 || count > OPTIONS_WORDS_MAX)
		return NULL;
	*why = strerror(ENOMEM);
	words = malloc(((size_t)argc + count + 1) * sizeof(*words));
	if (!words)
		return NULL;
	words[0] = argv[0];
	*n = 1;
	for (size_t i = 0; i < count; i++) {
		const char *word = last_session_option(last, i);
		const struct option_row *row = word ? find_row(word) : NULL;
		const char *value = word ? strchr(word, '=') : NULL;
		size_t at = 0;

		while (row && given && at < given->word_count &&
		       strcmp(given->words[at].name, row->name) != 0)
			at++;
		if (row && given && at < given->word_count)
			continue;
		*why = NULL;
		/* A folder that looks like a tracefs could have links to any file, which jankd
		 * would write to. A rule file could be a FIFO, for which jankd would wait. */
		if (!row)
			*why = "it has an option that this version does not have";
		else if (row->is_path && !(value && ruleset_builtin(value + 1).ptr) &&
			 !last->is_trusted)
			*why = "it names a file, and another user may have written it";
		if (*why) {
			free(words);
			return NULL;
		}
		words[(*n)++] = (char *)word;
	}
	/* With the NULL at the end. */
	memcpy(words + *n, argv + 1, (size_t)argc * sizeof(*words));
	*n += argc - 1;
	return words;
}

int resume_options(struct options *options, int argc, char **argv)
{
	/* The options are borrowed from it. */
	static struct last_session last;
	const char *why = "it was not written by a capture";
	int error = last_session_read(&last, options->folder), code, n;
	char **words = NULL;

	if (error == 0)
		words = join_words(&last, options, argc, argv, &n, &why);
	else if (error != -EPROTO)
		why = folder_why(error);
	if (!words) {
		report("--resume: %s/session.json: %s; start without --resume", options->folder,
		       why);
		return EXIT_FAILED;
	}
	code = options_parse(options, options->command, n, words);
	free(words);
	if (code == 0)
		code = options_check_together(options);
	return code == 0 ? 0 : EXIT_FAILED;
}

/* Its strings are those of the options. */
static struct last_session killed_session;

const struct capture_killed *resume_killed(const struct options *options)
{
	static struct capture_killed killed;
	struct last_session *last = &killed_session;
	char *argv[] = { "jankd", NULL }, **words = NULL;
	bool is_known = false;
	const char *why;
	int n;

	if (last_session_read(last, options->folder) == 0 && last->end == LAST_SESSION_KILLED)
		words = join_words(last, NULL, 1, argv, &n, &why);
	if (words) {
		/* Nothing depends on it but which frames are added to that capture's files. */
		report_quiet(true);
		is_known = options_parse(&killed.options, OPTIONS_START, n, words) == 0;
		report_quiet(false);
		killed.options.folder = options->folder;
		if (!last->is_daemon)
			killed.options.command = OPTIONS_RUN;
		killed.begin_ns = last->begin_ns;
		snprintf(killed.clock, sizeof(killed.clock), "%s", last->clock);
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
