/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/recorded_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "daemon/trace/source_text.h"
#include "tests/unit/printed.h"
#include "tests/unit/trace_text.h"

#define LAYER "com.example.mail/com.example.mail.Main#1"
#define TEXT_MAX (4 << 20)

int recorded_trace_set_up(void **state)
{
	struct recorded_trace *recorded = *state;

	*recorded = (struct recorded_trace){ .trace = NULL };
	scratch_make(&recorded->scratch, "/tmp");
	recorded->trace = trace_text_of(LAYER, 100000000, 16667, 300);
	return 0;
}

int recorded_trace_tear_down(void **state)
{
	struct recorded_trace *recorded = *state;

	free(recorded->trace);
	scratch_remove(&recorded->scratch);
	return 0;
}

void recorded_trace_read(struct recorded_trace *recorded, const char *path, size_t piece)
{
	static char text[TEXT_MAX];
	struct source *source = NULL;
	struct source_text *bytes;
	ssize_t n;

	recorded->text = text;
	recorded->len = 0;
	printed_begin(2);
	n = source_file_open(&source, "analyze", path, 0);
	bytes = (struct source_text *)source;
	while (n >= 0 && recorded->len + piece < TEXT_MAX) {
		n = bytes->bytes(bytes, text + recorded->len, piece);
		if (n <= 0)
			break;
		recorded->len += (size_t)n;
	}
	text[recorded->len] = '\0';
	recorded->result = n;
	snprintf(recorded->damage, sizeof(recorded->damage), "%s",
		 source && source->damage ? source->damage : "");
	source_close(source);
	recorded->printed = printed_end();
}
