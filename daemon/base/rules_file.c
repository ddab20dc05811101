/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/rules_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/report.h"

/* Reads all of @file. Returns 0 or -errno; -EFBIG if it is longer than RULES_FILE_MAX. */
static int read_all(FILE *file, char *text, size_t *len)
{
	*len = fread(text, 1, RULES_FILE_MAX + 1, file);
	if (ferror(file))
		return -errno;
	return *len > RULES_FILE_MAX ? -EFBIG : 0;
}

struct span rules_read_file(const char *what, const char *path, const char *advice)
{
	char *text = malloc(RULES_FILE_MAX + 1);
	FILE *file = fopen(path, "re");
	size_t len = 0;
	int error = !text ? -ENOMEM : !file ? -errno : read_all(file, text, &len);

	if (file)
		fclose(file);
	if (error == 0)
		return (struct span){ text, len };
	free(text);
	report("%s %s: %s; %s", what, path, strerror(-error), report_advice(error, advice));
	return SPAN_NULL;
}

struct ruleset *rules_load(const char *command, const char *name_or_file)
{
	char what[32];
	struct span text = ruleset_builtin(name_or_file);
	struct ruleset_error error = { 0 };
	struct ruleset *rules = NULL;
	char *owned = NULL;
	int result;

	snprintf(what, sizeof(what), "%s: --rules", command);
	if (!text.ptr) {
		text = rules_read_file(what, name_or_file,
				       "name a rule file, or a built-in set that 'jankd rules "
				       "show' lists");
		if (!text.ptr)
			return NULL;
		owned = (char *)text.ptr;
	}
	result = ruleset_new(&rules, text, &error);
	free(owned);
	if (result == 0)
		return rules;
	if (result > 0)
		report("%s %s:%u:%u: %s; correct it, and test it with 'jankd rules check'", what,
		       name_or_file, error.line, error.column, error.message);
	else
		report("%s %s: out of memory; %s", what, name_or_file, report_advice(result, ""));
	return NULL;
}
