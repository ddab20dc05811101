/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/span.h"
#include "tools/phone/error.h"

#define DEPTH_MAX 128
#define LATCHED_MAX 256

/* Slices of SurfaceFlinger's main thread that are used here. */
enum slice { SLICE_OTHER, SLICE_LATCH, SLICE_ACQUIRE, SLICE_COMPOSITE };

/* The marker of a latch, from old to new; the newest one in the trace is used. */
enum latch_marker {
	LATCH_ACQUIRE,	 /* up to Android 11: a counter inside acquireBuffer */
	LATCH_BUFFER_TX, /* 12 and 13: a counter "BufferTX - layer" inside latchBuffer */
	LATCH_INSTANT,	 /* from 14: an instant "latchBuffer layer - number" */
};

struct latch_search {
	struct plan *plan;
	uint16_t thread; /* SurfaceFlinger's main thread */
	enum latch_marker latch_marker;
	enum slice stack[DEPTH_MAX];
	unsigned int depth;
	bool presented; /* the open composite already had a present */
	uint32_t latched[LATCHED_MAX];
	unsigned int latched_count;
};

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void add_truth(struct plan *plan, uint32_t marker, uint32_t layer)
{
	plan_add_truth(plan, (struct truth_frame){
				     .marker = marker, .layer = layer, .vsync = VSYNC_UNKNOWN });
}

static bool is_present(const char *text)
{
	return strcmp(text, "B|postFramebuffer") == 0 || starts(text, "B|postFramebuffer for ") ||
	       starts(text, "B|presentFrameAndReleaseLayers");
}

/* The thread with the most presents. Up to Android 4.1 it is not always the main thread. */
static uint16_t presenting_thread(const struct plan *plan)
{
	uint32_t *presents = calloc(plan->thread_count, sizeof(*presents));
	uint16_t best = 0;

	if (!presents)
		fail_memory("the recording");
	for (uint32_t i = 0; i < plan->marker_count; i++)
		if (is_present(plan->texts + plan->markers[i].text))
			presents[plan->markers[i].thread]++;
	for (uint32_t i = 1; i < plan->thread_count; i++)
		if (presents[i] > presents[best])
			best = (uint16_t)i;
	free(presents);
	return best;
}

static enum latch_marker newest_latch_marker(const struct plan *plan, uint16_t thread)
{
	enum latch_marker best = LATCH_ACQUIRE;

	for (uint32_t i = 0; i < plan->marker_count; i++) {
		const char *text = plan->texts + plan->markers[i].text;

		if (plan->markers[i].thread == thread && starts(text, "I|latchBuffer "))
			return LATCH_INSTANT;
		if (starts(text, "C|BufferTX - "))
			best = LATCH_BUFFER_TX;
	}
	return best;
}

static bool inside(const struct latch_search *search, enum slice slice)
{
	for (unsigned int i = 0; i < search->depth; i++)
		if (search->stack[i] == slice)
			return true;
	return false;
}

static void add_latched(struct latch_search *search, struct span name)
{
	uint32_t layer = plan_layer(search->plan, name);

	for (unsigned int i = 0; i < search->latched_count; i++)
		if (search->latched[i] == layer)
			return;
	if (search->latched_count < LATCHED_MAX)
		search->latched[search->latched_count++] = layer;
}

/* Begins a slice. A present shows the layers that were latched before it; further presents of one
 * composite show the same ones. */
static void slice_begin(struct latch_search *search, uint32_t marker, const char *text)
{
	enum slice slice = SLICE_OTHER;

	if (strcmp(text, "B|latchBuffer") == 0)
		slice = SLICE_LATCH;
	else if (strcmp(text, "B|acquireBuffer") == 0)
		slice = SLICE_ACQUIRE;
	else if (starts(text, "B|composite ") || strcmp(text, "B|onMessageRefresh") == 0 ||
		 strcmp(text, "B|handleMessageRefresh") == 0)
		slice = SLICE_COMPOSITE;
	if (is_present(text)) {
		if (!search->presented || !inside(search, SLICE_COMPOSITE)) {
			for (unsigned int i = 0; i < search->latched_count; i++)
				add_truth(search->plan, marker, search->latched[i]);
			search->latched_count = 0;
		}
		search->presented = true;
	}
	if (slice == SLICE_COMPOSITE)
		search->presented = false;
	if (search->depth < DEPTH_MAX)
		search->stack[search->depth++] = slice;
}

/* @text without its first @skip bytes, and without the last @separator and the text after it. */
static struct span inner_part(const char *text, size_t skip, const char *separator)
{
	const char *end = NULL;

	for (const char *p = strstr(text, separator); p; p = strstr(p + 1, separator))
		end = p;
	if (!end || end < text + skip)
		return SPAN_NULL;
	return (struct span){ text + skip, (size_t)(end - text) - skip };
}

static void counter_changed(struct latch_search *search, const char *text)
{
	size_t skip = strlen("C|");
	bool latched = search->depth > 0 && search->stack[search->depth - 1] == SLICE_ACQUIRE;

	if (search->latch_marker == LATCH_BUFFER_TX) {
		skip = strlen("C|BufferTX - ");
		latched = starts(text, "C|BufferTX - ") && inside(search, SLICE_LATCH);
	}
	struct span name = inner_part(text, skip, "|");

	if (latched && name.len > 0 && !span_starts_with(name, SPAN_LITERAL("FramebufferSurface")))
		add_latched(search, name);
}

/* Adds the truth from the markers of @plan: the layers that were latched since the previous
 * present.
 */
static void find_truth(struct plan *plan)
{
	struct latch_search search = { .plan = plan, .thread = presenting_thread(plan) };
	char text[PAYLOAD_MAX];

	search.latch_marker = newest_latch_marker(plan, search.thread);
	for (uint32_t i = 0; i < plan->marker_count; i++) {
		if (plan->markers[i].thread != search.thread)
			continue;
		/* A copy, because a new layer's name may move the texts. */
		snprintf(text, sizeof(text), "%s", plan->texts + plan->markers[i].text);
		if (text[0] == 'B')
			slice_begin(&search, i, text);
		else if (text[0] == 'E' && search.depth > 0)
			search.depth--;
		else if (text[0] == 'C' && search.latch_marker != LATCH_INSTANT)
			counter_changed(&search, text);
		else if (search.latch_marker == LATCH_INSTANT && starts(text, "I|latchBuffer "))
			add_latched(&search, inner_part(text, strlen("I|latchBuffer "), " - "));
	}
}

/* The marker of the present slice that begins in microsecond @us of the trace, or UINT32_MAX. */
static uint32_t present_at(const struct plan *plan, uint64_t us)
{
	uint32_t low = 0;
	uint32_t high = plan->marker_count;

	while (low < high) {
		uint32_t half = (low + high) / 2;

		if ((plan->base_ns + plan->markers[half].time_ns) / 1000 < us)
			low = half + 1;
		else
			high = half;
	}
	for (; low < plan->marker_count; low++) {
		if ((plan->base_ns + plan->markers[low].time_ns) / 1000 != us)
			break;
		if (is_present(plan->texts + plan->markers[low].text))
			return low;
	}
	return UINT32_MAX;
}

/* Removes the quotes of the CSV field that begins at @field, in place. */
static struct span unquote(char *field)
{
	size_t used = 0;

	if (field[0] != '"')
		return (struct span){ field, strcspn(field, "\r\n") };
	for (const char *p = field + 1; *p; p++) {
		if (*p == '"' && *++p != '"')
			break;
		field[used++] = *p;
	}
	return (struct span){ field, used };
}

static void read_row(struct plan *plan, const char *path, char *row)
{
	char *layer = NULL;
	uint64_t us = strtoull(row, &layer, 10);

	if (!is_digit(row[0]) || *layer != ',')
		fail(path, "a row is not 'present_us,layer'", "correct the file or move it away");
	uint32_t marker = present_at(plan, us);

	if (marker == UINT32_MAX)
		fail(path, "a row has a time without a present in the trace", "move the file away");
	add_truth(plan, marker, plan_layer(plan, unquote(layer + 1)));
}

/* Adds the truth from frames.csv in the folder of @trace. Returns false if there is no such file,
 * or if it is of another kind. */
static bool read_truth(struct plan *plan, const char *trace)
{
	const char *slash = strrchr(trace, '/');
	int folder = slash ? (int)(slash - trace) + 1 : 0;
	char path[4096];
	char row[4096];

	snprintf(path, sizeof(path), "%.*sframes.csv", folder, trace);
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	if (!fgets(row, sizeof(row), file) || !starts(row, "present_us,layer")) {
		fclose(file);
		return false;
	}
	while (fgets(row, sizeof(row), file))
		read_row(plan, path, row);
	fclose(file);
	return true;
}

void recorded_truth_add(struct plan *plan, const char *trace)
{
	if (!read_truth(plan, trace))
		find_truth(plan);
}
