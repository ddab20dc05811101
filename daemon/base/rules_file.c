/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/rules_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/report.h"
#include "daemon/base/text_file.h"

struct span rules_read_file(const char *option, const char *path, const char *advice)
{
	/* It does not wait for a writer of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat info;
	char *text;
	ssize_t n;

	if (fd < 0) {
		fd = -errno;
	} else if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode)) {
		close(fd);
		fd = S_ISDIR(info.st_mode) ? -EISDIR : -ENXIO;
	}
	n = text_file_read_all(&text, fd, RULES_FILE_MAX);

	if (n >= 0)
		return (struct span){ text, (size_t)n };
	report("%s%s: %s; %s", option, path,
	       n == -ENXIO ? "it is not a regular file" : strerror((int)-n),
	       report_advice((int)n, advice));
	return SPAN_NULL;
}

struct ruleset *rules_parse(const char *file, struct span text)
{
	struct ruleset_error error = { 0 };
	struct ruleset *rules = NULL;
	int result = ruleset_new(&rules, text, &error);

	if (result == 0)
		return rules;
	if (result > 0)
		report("--rules %s:%u:%u: %s; correct it, and test it with 'jankd rules check'",
		       file, error.line, error.column, error.message);
	else
		report("--rules %s: out of memory; %s", file, report_advice(result, ""));
	return NULL;
}

struct ruleset *rules_load(const char *name_or_file)
{
	struct span text = ruleset_builtin(name_or_file);
	bool is_builtin = text.ptr != NULL;
	struct ruleset *rules;

	if (!is_builtin)
		text = rules_read_file("--rules ", name_or_file, RULES_ADVICE);
	rules = text.ptr ? rules_parse(name_or_file, text) : NULL;
	if (!is_builtin)
		free((char *)text.ptr);
	return rules;
}
