/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/surfaceflinger_dump.h"

#include <stddef.h>

#define NUMBER_MAX UINT64_C(999999999999999999)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct span skip_blanks(struct span text)
{
	while (text.len > 0 && is_blank(text.ptr[0]))
		text = span_skip(text, 1);
	return text;
}

/* Parses "  -4000000 ns". */
static bool read_ns(struct span text, int64_t *ns)
{
	static const struct span unit = SPAN_INIT(" ns");
	bool is_negative;
	uint64_t number;

	text = skip_blanks(text);
	is_negative = text.len > 0 && text.ptr[0] == '-';
	text = span_skip(text, is_negative);
	if (!span_take_number(&text, NUMBER_MAX, &number) || !span_starts_with(text, unit))
		return false;
	*ns = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

/* Sets the value behind @key, unless an earlier line had it. */
static void set(int64_t *to, struct span text, struct span key)
{
	const char *at = text.len ? memmem(text.ptr, text.len, key.ptr, key.len) : NULL;
	int64_t ns;

	if (*to == SURFACEFLINGER_DUMP_UNKNOWN && at &&
	    read_ns(span_skip(text, (size_t)(at - text.ptr) + key.len), &ns))
		*to = ns;
}

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
	line = skip_blanks(line);
	for (size_t i = 0; i < sizeof(stated) / sizeof(stated[0]); i++)
		if (span_starts_with(line, stated[i].begin))
			set((int64_t *)((char *)dump + stated[i].field), line, stated[i].key);
}

bool surfaceflinger_dump_is_complete(const struct surfaceflinger_dump *dump)
{
	return dump->period_ns != SURFACEFLINGER_DUMP_UNKNOWN &&
	       dump->app_duration_ns != SURFACEFLINGER_DUMP_UNKNOWN &&
	       dump->sf_duration_ns != SURFACEFLINGER_DUMP_UNKNOWN;
}
