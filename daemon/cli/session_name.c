/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cli/session_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/text.h"

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
