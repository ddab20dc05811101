/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/surfaceflinger_dump.h"

#include <stddef.h>

#define NUMBER_MAX INT64_C(999999999999999999)

/* What a line states, by its begin. A key is found at its first place in the line. */
static const struct {
	struct span begin, key;
	size_t field;
} stated[] = {
#define FIELD(name) offsetof(struct surfaceflinger_dump, name)
	{ SPAN_INIT("DispSync configuration:"), SPAN_INIT(" app phase "), FIELD(app_phase_ns) },
	{ SPAN_INIT("DispSync configuration:"), SPAN_INIT(" sf phase "), FIELD(sf_phase_ns) },
	{ SPAN_INIT("DispSync configuration:"), SPAN_INIT("(refresh "), FIELD(period_ns) },
	{ SPAN_INIT("app phase:"), SPAN_INIT("app phase:"), FIELD(app_phase_ns) },
	{ SPAN_INIT("app phase:"), SPAN_INIT("SF phase:"), FIELD(sf_phase_ns) },
	{ SPAN_INIT("app duration:"), SPAN_INIT("app duration:"), FIELD(app_duration_ns) },
	{ SPAN_INIT("app duration:"), SPAN_INIT("SF duration:"), FIELD(sf_duration_ns) },
	{ SPAN_INIT("present offset:"), SPAN_INIT("VSYNC period:"), FIELD(period_ns) },
#undef FIELD
};

void surfaceflinger_dump_line(struct surfaceflinger_dump *dump, struct span line)
{
	line = span_skip_blanks(line);
	for (size_t i = 0; i < sizeof(stated) / sizeof(stated[0]); i++) {
		int64_t *to = (int64_t *)((char *)dump + stated[i].field), ns;
		struct span key = stated[i].key, text = line;
		const char *at;

		/* An earlier line may have had the value. */
		if (*to != SURFACEFLINGER_DUMP_UNKNOWN || !span_starts_with(line, stated[i].begin))
			continue;
		at = memmem(line.ptr, line.len, key.ptr, key.len);
		text = span_skip(text, at ? (size_t)(at - line.ptr) + key.len : line.len);
		text = span_skip_blanks(text); /* "  -4000000 ns" */
		if (span_take_signed(&text, &ns) && ns >= -NUMBER_MAX && ns <= NUMBER_MAX &&
		    span_starts_with(text, SPAN_LITERAL(" ns")))
			*to = ns;
	}
}

bool surfaceflinger_dump_is_complete(const struct surfaceflinger_dump *dump)
{
	return dump->period_ns != SURFACEFLINGER_DUMP_UNKNOWN &&
	       dump->app_duration_ns != SURFACEFLINGER_DUMP_UNKNOWN &&
	       dump->sf_duration_ns != SURFACEFLINGER_DUMP_UNKNOWN;
}
