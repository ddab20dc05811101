/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/layer_list.h"

/* True: @text is what follows a name, such as " parentId=2 mirrorId={4,5} !handle z=-6":
 * RequestedLayerState.cpp, operator<<. */
static bool are_fields(struct span text)
{
	static const struct span keys[] = {
		SPAN_INIT(" parentId="),  SPAN_INIT(" relativeParentId="),
		SPAN_INIT(" mirrorId={"), SPAN_INIT(" !handle"),
		SPAN_INIT(" z="),	  SPAN_INIT(" layerStack="),
	};
	const size_t n_keys = sizeof(keys) / sizeof(keys[0]);

	while (text.len > 0) {
		size_t i = 0;
		int64_t value;
		char last;

		while (i < n_keys && !span_starts_with(text, keys[i]))
			i++;
		if (i == n_keys)
			return false;
		text = span_skip(text, keys[i].len);
		last = text.ptr[-1];
		if (last == '=' && !span_take_signed(&text, &value))
			return false;
		for (; last == '{' || last == ','; text = span_skip(text, 1)) {
			text = span_skip_blanks(text);
			if (!span_take_signed(&text, &value) || text.len == 0)
				return false;
			last = text.ptr[0];
			if (last != ',' && last != '}')
				return false;
		}
	}
	return true;
}

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
	/* A name may contain everything that follows it, so the last '#' is that of its ID. */
	id = line.len > 0 ? memrchr(line.ptr, '#', --line.len) : NULL;
	rest = span_skip(line, id ? (size_t)(id + 1 - line.ptr) : line.len);
	if (!span_take_number(&rest, UINT64_MAX, &number) || !are_fields(rest))
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
