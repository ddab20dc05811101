/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/trace/source_text.h"
#include "tests/unit/printed.h"
#include "tests/unit/recorded_trace.h"
#include "tests/unit/trace_text.h"

#define LAYER "com.example.mail/com.example.mail.Main#1"
#define TEXT_MAX (4 << 20)

struct recorded_trace recorded;

int recorded_trace_set_up(void **state)
{
	recorded = (struct recorded_trace){ .trace = trace_text_of(LAYER, 100000000, 16667, 300) };
	return scratch_set_up(state);
}

int recorded_trace_tear_down(void **state)
{
	free(recorded.trace);
	return scratch_tear_down(state);
}

char *recorded_trace_html(void)
{
	char *html = NULL;

	if (asprintf(&html,
		     "<!DOCTYPE html>\n<html>\n<body>\n"
		     "<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n%s"
		     "</script>\n</body>\n</html>\n",
		     recorded.trace) < 0)
		abort();
	return html;
}

void recorded_trace_read(const char *path, size_t piece)
{
	static char text[TEXT_MAX];
	struct source *source = NULL;
	struct source_text *bytes;
	ssize_t n;

	recorded.text = text;
	recorded.len = 0;
	printed_begin(2);
	n = source_file_open(&source, "analyze", path, 0);
	bytes = (struct source_text *)source;
	while (n >= 0 && recorded.len + piece < TEXT_MAX) {
		n = bytes->bytes(bytes, text + recorded.len, piece);
		if (n <= 0)
			break;
		recorded.len += (size_t)n;
	}
	text[recorded.len] = '\0';
	recorded.result = n;
	snprintf(recorded.damage, sizeof(recorded.damage), "%s",
		 source && source->damage ? source->damage : "");
	source_close(source);
	recorded.printed = printed_end();
}

void recorded_trace_is_whole(const char *name)
{
	static const size_t pieces[] = { 1, 100, 65536 };

	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		recorded_trace_read(scratch_path(name), pieces[i]);
		if (recorded.result != 0 || recorded.damage[0] ||
		    strcmp(recorded.text, recorded.trace) != 0)
			fail_msg("%s in pieces of %zu: %zd, %zu bytes of %zu: %s", name, pieces[i],
				 recorded.result, recorded.len, strlen(recorded.trace),
				 recorded.printed);
	}
}

void recorded_trace_is_refused(const char *name, const char *word)
{
	recorded_trace_read(scratch_path(name), 4096);
	assert_int_equal(recorded.result, -ENOTSUP);
	assert_int_equal(recorded.len, 0);
	assert_contains(recorded.printed, name);
	assert_contains(recorded.printed, word);
}

void recorded_trace_is_cut(const char *name, int percent)
{
	const char *path = scratch_path(name);
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(truncate(path, info.st_size * percent / 100), 0);
	recorded_trace_read(path, 4096);
	assert_true(recorded.damage[0] || recorded.result < 0);
	assert_true(recorded.len < strlen(recorded.trace));
	assert_memory_equal(recorded.text, recorded.trace, recorded.len);
}
