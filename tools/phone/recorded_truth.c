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

static bool inside(const enum slice *stack, unsigned int depth, enum slice slice)
{
	for (unsigned int i = 0; i < depth; i++)
		if (stack[i] == slice)
			return true;
	return false;
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

/* Adds the truth from the markers of @plan: a present shows the layers that were latched since the
 * previous one; further presents of one composite show the same ones. */
static void find_truth(struct plan *plan)
{
	uint32_t *presents = calloc(plan->thread_count, sizeof(*presents));
	uint32_t latched[LATCHED_MAX];
	enum slice stack[DEPTH_MAX];
	enum latch_marker latch_marker = LATCH_ACQUIRE;
	unsigned int depth = 0, latched_count = 0;
	bool presented = false; /* the open composite already had a present */
	uint16_t thread = 0;
	char text[PAYLOAD_MAX];

	/* SurfaceFlinger's main thread is the one with the most presents: up to Android 4.1 they
	 * are not always in the first thread of the process. */
	if (!presents)
		fail_memory("the recording");
	for (uint32_t i = 0; i < plan->marker_count; i++)
		if (is_present(plan->texts + plan->markers[i].text))
			presents[plan->markers[i].thread]++;
	for (uint32_t i = 1; i < plan->thread_count; i++)
		if (presents[i] > presents[thread])
			thread = (uint16_t)i;
	free(presents);
	for (uint32_t i = 0; i < plan->marker_count; i++) {
		const char *marker = plan->texts + plan->markers[i].text;

		if (plan->markers[i].thread == thread && starts(marker, "I|latchBuffer "))
			latch_marker = LATCH_INSTANT;
		else if (latch_marker == LATCH_ACQUIRE && starts(marker, "C|BufferTX - "))
			latch_marker = LATCH_BUFFER_TX;
	}

	for (uint32_t i = 0; i < plan->marker_count; i++) {
		struct span name = SPAN_NULL;
		enum slice slice = SLICE_OTHER;
		bool is_latch = false;

		if (plan->markers[i].thread != thread)
			continue;
		/* A copy, because a new layer's name may move the texts. */
		snprintf(text, sizeof(text), "%s", plan->texts + plan->markers[i].text);
		if (is_present(text)) {
			bool shows = !presented || !inside(stack, depth, SLICE_COMPOSITE);

			for (unsigned int j = 0; shows && j < latched_count; j++)
				add_truth(plan, i, latched[j]);
			latched_count = shows ? 0 : latched_count;
			presented = true;
		}
		if (text[0] == 'B') {
			if (strcmp(text, "B|latchBuffer") == 0)
				slice = SLICE_LATCH;
			else if (strcmp(text, "B|acquireBuffer") == 0)
				slice = SLICE_ACQUIRE;
			else if (starts(text, "B|composite ") ||
				 strcmp(text, "B|onMessageRefresh") == 0 ||
				 strcmp(text, "B|handleMessageRefresh") == 0)
				slice = SLICE_COMPOSITE;
			if (slice == SLICE_COMPOSITE)
				presented = false;
			if (depth < DEPTH_MAX)
				stack[depth++] = slice;
		} else if (text[0] == 'E' && depth > 0) {
			depth--;
		} else if (latch_marker == LATCH_INSTANT) {
			is_latch = starts(text, "I|latchBuffer ");
			if (is_latch)
				name = inner_part(text, strlen("I|latchBuffer "), " - ");
		} else if (text[0] == 'C') {
			bool is_tx = latch_marker == LATCH_BUFFER_TX;

			name = inner_part(text, strlen(is_tx ? "C|BufferTX - " : "C|"), "|");
			is_latch = is_tx ? starts(text, "C|BufferTX - ") &&
						   inside(stack, depth, SLICE_LATCH)
					 : depth > 0 && stack[depth - 1] == SLICE_ACQUIRE;
			is_latch &= !span_starts_with(name, SPAN_LITERAL("FramebufferSurface"));
		}
		if (is_latch && name.len > 0) {
			uint32_t layer = plan_layer(plan, name);
			unsigned int at = 0;

			while (at < latched_count && latched[at] != layer)
				at++;
			if (at == latched_count && latched_count < LATCHED_MAX)
				latched[latched_count++] = layer;
		}
	}
}

void recorded_truth_add(struct plan *plan, const char *trace)
{
	const char *slash = strrchr(trace, '/');
	int folder = slash ? (int)(slash - trace) + 1 : 0;
	char path[4096], row[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%.*sframes.csv", folder, trace);
	file = fopen(path, "r");
	/* A file of that name may be of another kind. */
	if (!file || !fgets(row, sizeof(row), file) || !starts(row, "present_us,layer")) {
		find_truth(plan);
		if (file)
			fclose(file);
		return;
	}
	while (fgets(row, sizeof(row), file)) {
		char *layer = NULL;
		uint64_t us = strtoull(row, &layer, 10);
		uint32_t low = 0, high = plan->marker_count;
		size_t used = 0;

		if (!is_digit(row[0]) || *layer++ != ',')
			fail(path, "a row is not 'present_us,layer'",
			     "correct the file or move it away");
		/* The present slice that begins in that microsecond of the trace. */
		while (low < high) {
			uint32_t half = (low + high) / 2;

			if ((plan->base_ns + plan->markers[half].time_ns) / 1000 < us)
				low = half + 1;
			else
				high = half;
		}
		while (low < plan->marker_count &&
		       !is_present(plan->texts + plan->markers[low].text))
			low++;
		if (low == plan->marker_count ||
		    (plan->base_ns + plan->markers[low].time_ns) / 1000 != us)
			fail(path, "a row has a time without a present in the trace",
			     "move the file away");
		if (layer[0] == '"') {
			for (const char *at = layer + 1; *at; at++) {
				if (*at == '"' && *++at != '"')
					break;
				layer[used++] = *at;
			}
		} else {
			used = strcspn(layer, "\r\n");
		}
		add_truth(plan, low, plan_layer(plan, (struct span){ layer, used }));
	}
	fclose(file);
}
