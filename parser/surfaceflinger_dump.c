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

/* --- the list of layers --- */

struct span layer_list_name(struct span line)
{
	static const struct span state = SPAN_INIT("RequestedLayerState{");
	struct span rest;
	const char *id;
	uint64_t number;

	while (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0)
		return SPAN_NULL;
	if (!span_starts_with(line, state))
		return line;
	line = span_skip(line, state.len);
	while (line.len > 0 && line.ptr[line.len - 1] != '}')
		line.len--;
	/* " parentId=2 mirrorId={4,5} !handle z=-6" may follow: RequestedLayerState.cpp,
	 * operator<<. A name may contain all of that, so the last '#' is that of its ID. */
	id = line.len > 0 ? memrchr(line.ptr, '#', --line.len) : NULL;
	rest = span_skip(line, id ? (size_t)(id + 1 - line.ptr) : line.len);
	if (!span_take_number(&rest, UINT64_MAX, &number) || (rest.len > 0 && rest.ptr[0] != ' '))
		return SPAN_NULL;
	return (struct span){ line.ptr, line.len - rest.len };
}

bool layer_list_is_container(struct span name)
{
	static const struct span begins[] = {
		SPAN_INIT("ActivityRecord{"),
		SPAN_INIT("WindowToken{"),
		SPAN_INIT("Task="),
		SPAN_INIT("TaskFragment{"),
		SPAN_INIT("Leaf:"),
		SPAN_INIT("Display "),
		SPAN_INIT("DefaultTaskDisplayArea"),
		SPAN_INIT("Surface(name="),
		SPAN_INIT("Dim layer"),
		SPAN_INIT("Input Consumer "),
		SPAN_INIT("[Gesture Monitor] "),
		SPAN_INIT("Bounds for - "),
		SPAN_INIT("Background for "),
	};
	static const struct span parts[] = {
		SPAN_INIT("ActivityRecordInputSink "),
		SPAN_INIT("ImeContainer"),
		SPAN_INIT("ImEContainer"),
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (span_starts_with(name, begins[i]))
			return true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (name.ptr && memmem(name.ptr, name.len, parts[i].ptr, parts[i].len))
			return true;
	return false;
}

/* --- the frames of a layer --- */

enum latency_line latency_dump_line(struct span line, struct latency_row *row)
{
	int64_t *const times_ns[] = { &row->desired_ns, &row->actual_ns, &row->ready_ns };
	unsigned int n = 0;

	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0)
		return LATENCY_LINE_END;
	for (;;) {
		struct span rest;

		if (!span_take_signed(&line, times_ns[n]))
			return LATENCY_LINE_OTHER;
		/* Negative numbers are no times: SurfaceFlinger prints -1 for an invalid fence. */
		if (*times_ns[n] < 0)
			*times_ns[n] = 0;
		if (++n == 3 || line.len == 0)
			break;
		rest = span_skip_blanks(line);
		if (rest.len == line.len)
			return LATENCY_LINE_OTHER;
		line = rest;
	}
	if (n == 3 && line.len == 0)
		return LATENCY_LINE_ROW;
	return n == 1 && row->desired_ns > 0 ? LATENCY_LINE_PERIOD : LATENCY_LINE_OTHER;
}
