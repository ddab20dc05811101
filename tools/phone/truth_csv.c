/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/truth_csv.h"

#include <stdlib.h>
#include <string.h>

#include "parser/span.h"
#include "tools/phone/error.h"

void truth_csv_open(struct truth_csv *csv, const struct plan *plan, FILE *out, uint64_t period_ns,
		    double speed)
{
	*csv = (struct truth_csv){
		.plan = plan,
		.out = out,
		.period_ns = period_ns,
		.speed = speed,
		.layers = calloc(plan->layer_count + 1, sizeof(*csv->layers)),
	};
	if (!csv->layers)
		fail_memory("the truth");
	if (out)
		fputs("present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer,cause\n", out);
}

/* Length of the UTF-8 character at @text; 0 if it is not valid. */
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

/* Prints a name, which comes from a trace and can have any bytes. It is escaped, so that it cannot
 * end the line, and so that a spreadsheet does not read it as a formula. */
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

	while (digits < layer.len && is_digit(layer.ptr[layer.len - digits - 1]))
		digits++;
	if (digits > 0 && layer.len > digits + 1 && layer.ptr[layer.len - digits - 1] == '#')
		layer.len -= digits + 1;
	return layer;
}

/* The package in the name of a surface: the part before '/', or a last word with dots. */
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

/* The number of periods in @ns, or VSYNC_UNKNOWN if that is not near a whole number. */
static int64_t vsyncs_in(const struct truth_csv *csv, uint64_t ns)
{
	double exact = (double)ns / (double)csv->period_ns;
	int64_t whole = (int64_t)(exact + 0.5);
	double error = exact - (double)whole;

	return error < 0.3 && error > -0.3 ? whole : VSYNC_UNKNOWN;
}

static void put_interval(const struct truth_csv *csv, uint64_t ns, int64_t vsyncs)
{
	uint64_t played_ns = (uint64_t)((double)ns / csv->speed);

	fprintf(csv->out, "%llu.%06llu,", (unsigned long long)(played_ns / 1000000),
		(unsigned long long)(played_ns % 1000000));
	if (vsyncs != VSYNC_UNKNOWN)
		fprintf(csv->out, "%lld", (long long)vsyncs);
}

/* The time of the vsync of @frame, whose present @marker was played at @played_ns. */
static uint64_t vsync_played(const struct truth_csv *csv, const struct truth_frame *frame,
			     const struct marker *marker, uint64_t played_ns)
{
	double behind_ns = (double)frame->vsync_ns - (double)marker->time_ns;

	return played_ns + (uint64_t)(int64_t)(behind_ns / csv->speed);
}

static void put_names(FILE *out, struct span layer, const char *cause)
{
	put_name(out, app_of(surface_of(layer)));
	fputc(',', out);
	put_name(out, surface_of(layer));
	fputc(',', out);
	put_name(out, layer);
	fprintf(out, ",%s\n", cause ? cause : "");
}

static bool is_late(const struct truth_csv *csv, const struct truth_frame *frame,
		    const struct played *played)
{
	uint64_t period_ns = frame->vsync == VSYNC_UNKNOWN ? csv->period_ns : frame->period_ns;

	return (double)played->late_ns * csv->speed > (double)period_ns / 4;
}

static void put_row(struct truth_csv *csv, const struct truth_frame *frame, uint64_t loop,
		    const struct played *played)
{
	const struct plan *plan = csv->plan;
	const struct marker *marker = &plan->markers[frame->marker];
	struct truth_layer *layer = &csv->layers[frame->layer];
	bool exact = frame->vsync != VSYNC_UNKNOWN;
	uint64_t plan_ns = loop * plan->length_ns + (exact ? frame->vsync_ns : marker->time_ns);
	int64_t vsync = exact ? (int64_t)loop * plan->vsyncs + frame->vsync : 0;
	uint64_t interval_ns = plan_ns - layer->plan_ns;
	bool late = is_late(csv, frame, played);
	bool counted = layer->has_frame && !late && !layer->late;
	FILE *out = csv->out;

	if (out) {
		put_seconds(out, played->time_ns);
		fputc(',', out);
		if (exact && !late)
			put_seconds(out, vsync_played(csv, frame, marker, played->time_ns));
		fputc(',', out);
		if (counted)
			put_interval(csv, interval_ns,
				     exact ? vsync - layer->vsync : vsyncs_in(csv, interval_ns));
		fputs(counted ? "," : ",,", out);
		put_names(out, span_of(plan->texts + plan->layers[frame->layer]), frame->cause);
	}
	*layer = (struct truth_layer){ true, late, vsync, plan_ns, layer->frames + 1 };
	csv->frames++;
	csv->late += late;
}

void truth_csv_write(struct truth_csv *csv, uint64_t loop, const struct played *played,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		put_row(csv, &csv->plan->truth[i], loop, &played[i]);
	if (csv->out && fflush(csv->out) != 0)
		fail("the truth", "cannot write", "check the disk, or the reader of the pipe");
}

void truth_csv_print_summary(const struct truth_csv *csv)
{
	const struct plan *plan = csv->plan;

	for (uint32_t i = 0; i < plan->layer_count; i++) {
		if (!csv->layers[i].has_frame)
			continue;
		fprintf(stderr, "%8llu  ", (unsigned long long)csv->layers[i].frames);
		put_name(stderr, span_of(plan->texts + plan->layers[i]));
		fputc('\n', stderr);
	}
	if (csv->late > 0)
		fprintf(stderr,
			"jank-phone: %llu frames were late: the intervals before and after them "
			"are "
			"left empty\n",
			(unsigned long long)csv->late);
}

void truth_csv_close(struct truth_csv *csv)
{
	free(csv->layers);
	csv->layers = NULL;
}
