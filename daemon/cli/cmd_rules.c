/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/report.h"
#include "daemon/base/rules_file.h"
#include "daemon/base/text.h"

static int check(const char *path)
{
	struct ruleset *rules = NULL;
	struct ruleset_error error = { 0 };
	unsigned int count = 0;
	char name[4096];
	struct span text = rules_read_file("", path, "name a rule file"), rest = text;
	int result;

	if (!text.ptr)
		return EXIT_FAILED;
	text_escape(name, sizeof(name), path);
	/* A rule is a line that is neither empty nor a comment. */
	while (rest.len > 0) {
		const char *newline = memchr(rest.ptr, '\n', rest.len);
		size_t len = newline ? (size_t)(newline - rest.ptr) : rest.len;
		size_t blank = 0;

		while (blank < len && strchr(" \t\r", rest.ptr[blank]) && rest.ptr[blank])
			blank++;
		count += blank < len && rest.ptr[blank] != '#';
		rest = span_skip(rest, newline ? len + 1 : len);
	}
	result = ruleset_new(&rules, text, &error);
	if (result == 0)
		printf("%s: ok, %u rules\n", name, count);
	else if (result > 0)
		report("%s:%u:%u: %s; correct the file", path, error.line, error.column,
		       error.message);
	else
		report("%s: %s; %s", path, strerror(-result), report_advice(result, "try again"));
	ruleset_free(rules);
	free((char *)text.ptr);
	return result == 0 ? EXIT_DONE : EXIT_FAILED;
}

int cmd_rules(struct options *options)
{
	char **operands = options->operands;
	int count = options->operand_count;
	struct span text;

	if (count == 0) {
		report("no subcommand given; use 'check FILE' or 'show [NAME]'");
		return EXIT_USAGE;
	}
	if (strcmp(operands[0], "check") == 0 && count == 2) {
		report_name("rules check");
		return check(operands[1]);
	}
	if (strcmp(operands[0], "show") != 0 || count > 2) {
		report("%s: wrong usage; use 'check FILE' or 'show [NAME]'", operands[0]);
		return EXIT_USAGE;
	}
	report_name("rules show");
	if (count == 1) {
		for (size_t i = 0; ruleset_builtin_names[i]; i++)
			puts(ruleset_builtin_names[i]);
		return EXIT_DONE;
	}
	text = ruleset_builtin(operands[1]);
	if (!text.ptr) {
		report("%s: no such built-in rule set; 'jankd rules show' lists them", operands[1]);
		return EXIT_USAGE;
	}
	fwrite(text.ptr, 1, text.len, stdout);
	return EXIT_DONE;
}
