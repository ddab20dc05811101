/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/recorded_truth.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"

#define DEPTH_MAX 128
#define LATCHED_MAX 256

enum slice { SLICE_OTHER, SLICE_LATCH, SLICE_ACQUIRE, SLICE_COMPOSITE };

/* What says that a layer was latched; the newest way that the trace has. */
enum evidence {
	EVIDENCE_ACQUIRE,   /* up to Android 11: a counter inside acquireBuffer */
	EVIDENCE_BUFFER_TX, /* 12 and 13: a counter "BufferTX - layer" inside latchBuffer */
	EVIDENCE_INSTANT,   /* from 14: an instant "latchBuffer layer - number" */
};

struct detective {
	struct phone_plan *plan;
	uint16_t thread; /* SurfaceFlinger's main thread */
	enum evidence evidence;
	enum slice stack[DEPTH_MAX];
	unsigned int depth;
	bool composed; /* the composite that is open had its present already */
	uint32_t latched[LATCHED_MAX];
	unsigned int latched_count;
};

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_present(const char *text)
{
	return strcmp(text, "B|postFramebuffer") == 0 || starts(text, "B|postFramebuffer for ") ||
	       starts(text, "B|presentFrameAndReleaseLayers");
}

/* The thread that presents most: up to Android 4.1 it need not be its process's main thread. */
static uint16_t presenting_thread(const struct phone_plan *plan)
{
	uint32_t *presents = calloc(plan->thread_count, sizeof(*presents));
	uint16_t best = 0;

	if (!presents)
		phone_fail("the recording", "out of memory", "play a shorter one");
	for (uint32_t i = 0; i < plan->mark_count; i++)
		if (is_present(plan->texts + plan->marks[i].text))
			presents[plan->marks[i].thread]++;
	for (uint32_t i = 1; i < plan->thread_count; i++)
		if (presents[i] > presents[best])
			best = (uint16_t)i;
	free(presents);
	return best;
}

static enum evidence best_evidence(const struct phone_plan *plan, uint16_t thread)
{
	enum evidence best = EVIDENCE_ACQUIRE;

	for (uint32_t i = 0; i < plan->mark_count; i++) {
		const char *text = plan->texts + plan->marks[i].text;

		if (plan->marks[i].thread == thread && starts(text, "I|latchBuffer "))
			return EVIDENCE_INSTANT;
		if (starts(text, "C|BufferTX - "))
			best = EVIDENCE_BUFFER_TX;
	}
	return best;
}

static enum slice slice_of(const char *text)
{
	if (strcmp(text, "B|latchBuffer") == 0)
		return SLICE_LATCH;
	if (strcmp(text, "B|acquireBuffer") == 0)
		return SLICE_ACQUIRE;
	if (starts(text, "B|composite ") || strcmp(text, "B|onMessageRefresh") == 0 ||
	    strcmp(text, "B|handleMessageRefresh") == 0)
		return SLICE_COMPOSITE;
	return SLICE_OTHER;
}

static bool inside(const struct detective *d, enum slice slice)
{
	for (unsigned int i = 0; i < d->depth; i++)
		if (d->stack[i] == slice)
			return true;
	return false;
}

static void latch(struct detective *d, struct span name)
{
	uint32_t layer = phone_plan_layer(d->plan, name);

	for (unsigned int i = 0; i < d->latched_count; i++)
		if (d->latched[i] == layer)
			return;
	if (d->latched_count < LATCHED_MAX)
		d->latched[d->latched_count++] = layer;
}

static void present(struct detective *d, uint32_t mark)
{
	bool again = d->composed && inside(d, SLICE_COMPOSITE);

	d->composed = true;
	if (again)
		return;
	for (unsigned int i = 0; i < d->latched_count; i++)
		phone_plan_truth(d->plan, (struct phone_truth){
						  .mark = mark,
						  .layer = d->latched[i],
						  .vsync = PHONE_VSYNC_UNKNOWN,
					  });
	d->latched_count = 0;
}

static void begin(struct detective *d, uint32_t mark, const char *text)
{
	enum slice slice = slice_of(text);

	if (is_present(text))
		present(d, mark);
	if (slice == SLICE_COMPOSITE)
		d->composed = false;
	if (d->depth < DEPTH_MAX)
		d->stack[d->depth++] = slice;
}

/* @text without its last field, which @separator begins, and without its first @skip bytes. */
static struct span middle(const char *text, size_t skip, const char *separator)
{
	const char *end = NULL;

	for (const char *p = strstr(text, separator); p; p = strstr(p + 1, separator))
		end = p;
	if (!end || end < text + skip)
		return SPAN_NULL;
	return (struct span){ text + skip, (size_t)(end - text) - skip };
}

static void counter(struct detective *d, const char *text)
{
	size_t skip = strlen("C|");
	bool here = d->depth > 0 && d->stack[d->depth - 1] == SLICE_ACQUIRE;

	if (d->evidence == EVIDENCE_BUFFER_TX) {
		skip = strlen("C|BufferTX - ");
		here = starts(text, "C|BufferTX - ") && inside(d, SLICE_LATCH);
	}
	struct span name = middle(text, skip, "|");

	if (here && name.len > 0 && !span_starts_with(name, SPAN_LITERAL("FramebufferSurface")))
		latch(d, name);
}

static void judge(struct detective *d, uint32_t mark, const char *text)
{
	if (text[0] == 'B')
		begin(d, mark, text);
	else if (text[0] == 'E' && d->depth > 0)
		d->depth--;
	else if (text[0] == 'C' && d->evidence != EVIDENCE_INSTANT)
		counter(d, text);
	else if (d->evidence == EVIDENCE_INSTANT && starts(text, "I|latchBuffer "))
		latch(d, middle(text, strlen("I|latchBuffer "), " - "));
}

void phone_evidence_find(struct phone_plan *plan)
{
	struct detective d = { .plan = plan, .thread = presenting_thread(plan) };
	char text[PHONE_PAYLOAD_MAX];

	d.evidence = best_evidence(plan, d.thread);
	for (uint32_t i = 0; i < plan->mark_count; i++) {
		if (plan->marks[i].thread != d.thread)
			continue;
		/* A copy, because a new layer's name may move the texts. */
		snprintf(text, sizeof(text), "%s", plan->texts + plan->marks[i].text);
		judge(&d, i, text);
	}
}

/* The present slice that begins in the microsecond @us of the trace. Marks are sorted by time. */
static uint32_t present_at(const struct phone_plan *plan, uint64_t us)
{
	uint32_t low = 0;
	uint32_t high = plan->mark_count;

	while (low < high) {
		uint32_t half = (low + high) / 2;

		if ((plan->base_ns + plan->marks[half].time_ns) / 1000 < us)
			low = half + 1;
		else
			high = half;
	}
	for (; low < plan->mark_count; low++) {
		if ((plan->base_ns + plan->marks[low].time_ns) / 1000 != us)
			break;
		if (is_present(plan->texts + plan->marks[low].text))
			return low;
	}
	return UINT32_MAX;
}

/* The field that begins at @field, without its quotes, in place. */
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

static void read_row(struct phone_plan *plan, const char *path, char *row)
{
	char *layer = NULL;
	uint64_t us = strtoull(row, &layer, 10);

	if (!isdigit((unsigned char)row[0]) || *layer != ',')
		phone_fail(path, "a row is no 'present_us,layer'", "mend it or move it away");
	uint32_t mark = present_at(plan, us);

	if (mark == UINT32_MAX)
		phone_fail(path, "a row has no present in the trace", "move the file away");
	phone_plan_truth(plan, (struct phone_truth){
				       .mark = mark,
				       .layer = phone_plan_layer(plan, unquote(layer + 1)),
				       .vsync = PHONE_VSYNC_UNKNOWN,
			       });
}

int phone_evidence_read(struct phone_plan *plan, const char *trace)
{
	const char *slash = strrchr(trace, '/');
	int folder = slash ? (int)(slash - trace) + 1 : 0;
	char path[4096];
	char row[4096];

	snprintf(path, sizeof(path), "%.*sframes.csv", folder, trace);
	FILE *file = fopen(path, "r");

	if (!file)
		return 1;
	if (!fgets(row, sizeof(row), file) || !starts(row, "present_us,layer")) {
		fclose(file);
		return 1;
	}
	while (fgets(row, sizeof(row), file))
		read_row(plan, path, row);
	fclose(file);
	return 0;
}
