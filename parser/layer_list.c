/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/layer_list.h"

#include "parser/chars.h"

static size_t skip_digits(struct span text, size_t at)
{
	while (at < text.len && is_digit(text.ptr[at]))
		at++;
	return at;
}

/* The end of "N,N,...}" at @at; 0: it is no such list. */
static size_t skip_list(struct span text, size_t at)
{
	while (at < text.len) {
		size_t end = skip_digits(text, at);

		if (end == at || end == text.len)
			return 0;
		if (text.ptr[end] == '}')
			return end + 1;
		if (text.ptr[end] != ',')
			return 0;
		at = end + 1;
		while (at < text.len && text.ptr[at] == ' ')
			at++;
	}
	return 0;
}

/* The fields behind a name: RequestedLayerState.cpp, operator<<. */
static const struct {
	struct span key;
	enum { VALUE_NONE, VALUE_NUMBER, VALUE_LIST } value;
} fields[] = {
	{ SPAN_INIT(" parentId="), VALUE_NUMBER },
	{ SPAN_INIT(" relativeParentId="), VALUE_NUMBER },
	{ SPAN_INIT(" mirrorId={"), VALUE_LIST },
	{ SPAN_INIT(" !handle"), VALUE_NONE },
	{ SPAN_INIT(" z="), VALUE_NUMBER },
	{ SPAN_INIT(" layerStack="), VALUE_NUMBER },
};

/* The end of the field at the begin of @text; 0: there is none. */
static size_t skip_field(struct span text)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t at = fields[i].key.len, end;

		if (!span_starts_with(text, fields[i].key))
			continue;
		if (fields[i].value == VALUE_NONE)
			return at;
		if (fields[i].value == VALUE_LIST) {
			end = skip_list(text, at);
		} else {
			at += at < text.len && text.ptr[at] == '-';
			end = skip_digits(text, at);
			end = end == at ? 0 : end;
		}
		if (end > 0)
			return end;
	}
	return 0;
}

static bool are_fields(struct span text)
{
	while (text.len > 0) {
		size_t end = skip_field(text);

		if (end == 0)
			return false;
		text = span_skip(text, end);
	}
	return true;
}

/* True: the first @len bytes end with "#" and digits. */
static bool ends_with_id(struct span text, size_t len)
{
	size_t at = len;

	while (at > 0 && is_digit(text.ptr[at - 1]))
		at--;
	return at < len && at > 0 && text.ptr[at - 1] == '#';
}

/* A name may contain everything that follows it, so the longest one counts. */
static struct span name_in_state(struct span text)
{
	for (size_t len = text.len; len > 0; len--)
		if ((len == text.len || text.ptr[len] == ' ') && ends_with_id(text, len) &&
		    are_fields(span_skip(text, len)))
			return (struct span){ text.ptr, len };
	return SPAN_NULL;
}

struct span layer_list_name(struct span line)
{
	static const struct span state = SPAN_INIT("RequestedLayerState{");
	size_t end;

	while (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0)
		return SPAN_NULL;
	if (!span_starts_with(line, state))
		return line;
	end = line.len;
	while (end > state.len && line.ptr[end - 1] != '}')
		end--;
	if (end == state.len)
		return SPAN_NULL;
	return name_in_state((struct span){ line.ptr + state.len, end - 1 - state.len });
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
