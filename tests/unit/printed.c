/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "tests/unit/printed.h"

static int usual = -1, which, memory = -1;

void printed_begin(int fd)
{
	fflush(NULL);
	which = fd;
	usual = dup(fd);
	memory = memfd_create("printed", MFD_CLOEXEC);
	if (usual < 0 || memory < 0 || dup2(memory, fd) < 0)
		abort();
}

const char *printed_end(void)
{
	static char text[1 << 16];
	ssize_t n;

	fflush(NULL);
	dup2(usual, which);
	close(usual);
	n = pread(memory, text, sizeof(text) - 1, 0);
	close(memory);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

void printed_check_parts(const char *text, int wanted, const char *file, int line, ...)
{
	const char *part;
	va_list parts;

	va_start(parts, line);
	while ((part = va_arg(parts, const char *))) {
		if ((text && strstr(text, part)) == wanted)
			continue;
		print_error("'%s' is %s:\n%s\n", part, wanted ? "missing" : "not expected",
			    text ? text : "(no text)");
		_fail(file, line);
	}
	va_end(parts);
}

void printed_check_begin(const char *text, const char *begin, const char *file, int line)
{
	if (strncmp(text, begin, strlen(begin)) == 0)
		return;
	print_error("'%s' is not at the begin of:\n%s\n", begin, text);
	_fail(file, line);
}

void printed_check_line(const char *text, const char *file, int line)
{
	const char *end = strchr(text, '\n');

	printed_check_begin(text, "jankd: ", file, line);
	if (end && end[1] == '\0')
		return;
	print_error("not one line:\n%s\n", text);
	_fail(file, line);
}
