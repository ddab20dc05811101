/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/truth_csv.h"

#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"

void phone_truth_open(struct phone_truth_writer *writer, const struct phone_plan *plan, FILE *out,
		      uint64_t period_ns, double speed)
{
	*writer = (struct phone_truth_writer){
		.plan = plan,
		.out = out,
		.period_ns = period_ns,
		.speed = speed,
		.layers = calloc(plan->layer_count + 1, sizeof(*writer->layers)),
	};
	if (!writer->layers)
		phone_fail("the truth", "out of memory", "play fewer surfaces");
	if (out)
		fputs("present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer\n", out);
}

/* Length of the UTF-8 character at @text, 0 where there is none. */
static size_t utf8_length(struct span text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)text.ptr[0];
	size_t length = first < 0x80   ? 1
			: first < 0xc2 ? 0
			: first < 0xe0 ? 2
			: first < 0xf0 ? 3
			: first < 0xf5 ? 4
				       : 0;
	uint32_t code = length == 1 ? first : first & (0x7fu >> length);

	if (length == 0 || length > text.len)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text.ptr[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)text.ptr[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

static void put_escaped(FILE *out, struct span text)
{
	while (text.len > 0) {
		unsigned char c = (unsigned char)text.ptr[0];
		size_t length = c < 0x20 || c == 0x7f ? 0 : utf8_length(text);

		if (length == 0)
			fprintf(out, "\\x%02x", c);
		else if (c == '"')
			fputs("\"\"", out);
		else
			fwrite(text.ptr, 1, length, out);
		text = span_skip(text, length ? length : 1);
	}
}

/* A name came from a trace and is data: nothing in it may end a line or be run as a formula. */
static void put_name(FILE *out, struct span text)
{
	bool quoted = memchr(text.ptr, ',', text.len) || memchr(text.ptr, '"', text.len);

	if (quoted)
		fputc('"', out);
	if (text.len > 0 && strchr("=+-@\t", text.ptr[0]))
		fputc('\'', out);
	put_escaped(out, text);
	if (quoted)
		fputc('"', out);
}

/* The layer's name without its instance number; an unnamed layer keeps it. */
static struct span surface_of(struct span layer)
{
	size_t digits = 0;

	while (digits < layer.len && layer.ptr[layer.len - digits - 1] >= '0' &&
	       layer.ptr[layer.len - digits - 1] <= '9')
		digits++;
	if (digits > 0 && layer.len > digits + 1 && layer.ptr[layer.len - digits - 1] == '#')
		layer.len -= digits + 1;
	return layer;
}

/* The package in a surface's name: what stands before the '/', or a last word with dots. */
static struct span app_of(struct span surface)
{
	const char *slash = memchr(surface.ptr, '/', surface.len);
	struct span app = { surface.ptr, slash ? (size_t)(slash - surface.ptr) : surface.len };

	for (size_t i = app.len; i-- > 0;) {
		if (strchr(" [({", app.ptr[i])) {
			app = span_skip(app, i + 1);
			break;
		}
	}
	return slash || memchr(app.ptr, '.', app.len) ? app : SPAN_LITERAL("");
}

static void put_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%llu.%06llu", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns / 1000 % 1000000));
}

/* Vsyncs in @ns by the clock alone, or PHONE_VSYNC_UNKNOWN where it is no whole number of them. */
static int64_t vsyncs_in(const struct phone_truth_writer *writer, uint64_t ns)
{
	double exact = (double)ns / (double)writer->period_ns;
	int64_t whole = (int64_t)(exact + 0.5);
	double error = exact - (double)whole;

	return error < 0.3 && error > -0.3 ? whole : PHONE_VSYNC_UNKNOWN;
}

static void put_interval(const struct phone_truth_writer *writer, uint64_t ns, int64_t vsyncs)
{
	uint64_t played_ns = (uint64_t)((double)ns / writer->speed);

	fprintf(writer->out, "%llu.%06llu,", (unsigned long long)(played_ns / 1000000),
		(unsigned long long)(played_ns % 1000000));
	if (vsyncs != PHONE_VSYNC_UNKNOWN)
		fprintf(writer->out, "%lld", (long long)vsyncs);
}

/* When the vsync of @truth was, if its present's @mark was played at @played_ns. */
static uint64_t vsync_played(const struct phone_truth_writer *writer,
			     const struct phone_truth *truth, const struct phone_mark *mark,
			     uint64_t played_ns)
{
	double behind_ns = (double)truth->vsync_ns - (double)mark->time_ns;

	return played_ns + (uint64_t)(int64_t)(behind_ns / writer->speed);
}

static void put_names(FILE *out, struct span layer)
{
	put_name(out, app_of(surface_of(layer)));
	fputc(',', out);
	put_name(out, surface_of(layer));
	fputc(',', out);
	put_name(out, layer);
	fputc('\n', out);
}

static bool is_late(const struct phone_truth_writer *writer, const struct phone_truth *truth,
		    const struct phone_played *played)
{
	uint64_t period_ns =
		truth->vsync == PHONE_VSYNC_UNKNOWN ? writer->period_ns : truth->period_ns;

	return (double)played->late_ns * writer->speed > (double)period_ns / 4;
}

static void put_row(struct phone_truth_writer *writer, const struct phone_truth *truth,
		    uint64_t loop, const struct phone_played *played)
{
	const struct phone_plan *plan = writer->plan;
	const struct phone_mark *mark = &plan->marks[truth->mark];
	struct phone_truth_layer *layer = &writer->layers[truth->layer];
	bool exact = truth->vsync != PHONE_VSYNC_UNKNOWN;
	uint64_t plan_ns = loop * plan->length_ns + (exact ? truth->vsync_ns : mark->time_ns);
	int64_t vsync = exact ? (int64_t)loop * plan->vsyncs + truth->vsync : 0;
	uint64_t interval_ns = plan_ns - layer->plan_ns;
	bool late = is_late(writer, truth, played);
	bool counted = layer->seen && !late && !layer->late;
	FILE *out = writer->out;

	if (out) {
		put_seconds(out, played->time_ns);
		fputc(',', out);
		if (exact && !late)
			put_seconds(out, vsync_played(writer, truth, mark, played->time_ns));
		fputc(',', out);
		if (counted)
			put_interval(writer, interval_ns,
				     exact ? vsync - layer->vsync : vsyncs_in(writer, interval_ns));
		fputs(counted ? "," : ",,", out);
		put_names(out, span_of(plan->texts + plan->layers[truth->layer]));
	}
	*layer = (struct phone_truth_layer){ true, late, vsync, plan_ns, layer->frames + 1 };
	writer->frames++;
	writer->late += late;
}

void phone_truth_rows(struct phone_truth_writer *writer, uint64_t loop,
		      const struct phone_played *played, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		put_row(writer, &writer->plan->truths[i], loop, &played[i]);
	if (writer->out && fflush(writer->out) != 0)
		phone_fail("the truth", "could not be written", "look at the disk or the pipe");
}

void phone_truth_summary(const struct phone_truth_writer *writer)
{
	const struct phone_plan *plan = writer->plan;

	for (uint32_t i = 0; i < plan->layer_count; i++) {
		if (!writer->layers[i].seen)
			continue;
		fprintf(stderr, "%8llu  ", (unsigned long long)writer->layers[i].frames);
		put_name(stderr, span_of(plan->texts + plan->layers[i]));
		fputc('\n', stderr);
	}
	if (writer->late > 0)
		fprintf(stderr, "jank-phone: %llu frames late: vsyncs around them are empty\n",
			(unsigned long long)writer->late);
}

void phone_truth_close(struct phone_truth_writer *writer)
{
	free(writer->layers);
	writer->layers = NULL;
}
