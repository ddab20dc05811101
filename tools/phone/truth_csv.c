/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/truth_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
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

/* Prints a name, a part of one of the plan's texts. It can have any bytes, as it is a trace's: it
 * is escaped, so that it cannot end the line, and a spreadsheet does not read it as a formula. */
static void put_name(FILE *out, struct span name)
{
	bool quoted = memchr(name.ptr, ',', name.len) || memchr(name.ptr, '"', name.len);

	if (quoted)
		fputc('"', out);
	if (name.len > 0 && strchr("=+-@\t", name.ptr[0]))
		fputc('\'', out);
	for (const char *at = name.ptr; at < name.ptr + name.len;) {
		struct text_unit unit = text_next(at);

		fputs(unit.bytes[0] == '"' ? "\"\"" : unit.bytes, out);
		at += unit.used;
	}
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

/* The number in millionths, and a comma. */
static void put_decimal(FILE *out, uint64_t millionths)
{
	fprintf(out, "%llu.%06llu,", (unsigned long long)(millionths / 1000000),
		(unsigned long long)(millionths % 1000000));
}

void truth_csv_write(struct truth_csv *csv, uint64_t loop, const struct played *played,
		     uint32_t count)
{
	const struct plan *plan = csv->plan;
	FILE *out = csv->out;

	for (uint32_t i = 0; i < count; i++) {
		const struct truth_frame *frame = &plan->truth[i];
		struct truth_layer *layer = &csv->layers[frame->layer];
		struct span name = span_of(plan->texts + plan->layers[frame->layer]);
		bool exact = frame->vsync != VSYNC_UNKNOWN;
		uint64_t marker_ns = plan->markers[frame->marker].time_ns;
		uint64_t plan_ns = loop * plan->length_ns + (exact ? frame->vsync_ns : marker_ns);
		uint64_t interval_ns = plan_ns - layer->plan_ns;
		uint64_t period_ns = exact ? frame->period_ns : csv->period_ns;
		int64_t vsync = exact ? (int64_t)loop * plan->vsyncs + frame->vsync : 0;
		int64_t vsyncs = exact ? vsync - layer->vsync : VSYNC_UNKNOWN;
		bool late = (double)played[i].late_ns * csv->speed > (double)period_ns / 4;
		bool has_interval = layer->has_frame && !late && !layer->late;

		*layer = (struct truth_layer){ true, late, vsync, plan_ns, layer->frames + 1 };
		csv->frames++;
		csv->late += late;
		if (!out)
			continue;
		put_decimal(out, played[i].time_ns / 1000);
		if (exact && !late) {
			double behind_ns = (double)frame->vsync_ns - (double)marker_ns;

			put_decimal(out, (played[i].time_ns +
					  (uint64_t)(int64_t)(behind_ns / csv->speed)) /
						 1000);
		} else {
			fputc(',', out);
		}
		/* Unknown vsyncs are the number of periods in the planned interval, if that is near
		 * a whole number. */
		if (has_interval) {
			double periods = (double)interval_ns / (double)csv->period_ns;

			put_decimal(out, (uint64_t)((double)interval_ns / csv->speed));
			if (vsyncs == VSYNC_UNKNOWN && fabs(periods - round(periods)) < 0.3)
				vsyncs = (int64_t)round(periods);
		} else {
			fputc(',', out);
		}
		if (has_interval && vsyncs != VSYNC_UNKNOWN)
			fprintf(out, "%lld", (long long)vsyncs);
		fputc(',', out);
		put_name(out, app_of(surface_of(name)));
		fputc(',', out);
		put_name(out, surface_of(name));
		fputc(',', out);
		put_name(out, name);
		fprintf(out, ",%s\n", frame->cause ? frame->cause : "");
	}
	if (out && fflush(out) != 0)
		fail("the truth", "cannot write", "check the disk, or the reader of the pipe");
}

void truth_csv_close(struct truth_csv *csv, bool interrupted)
{
	const struct plan *plan = csv->plan;

	fprintf(stderr, "jank-phone: %s%llu frames\n", interrupted ? "interrupted; " : "",
		(unsigned long long)csv->frames);
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
			"are left empty\n",
			(unsigned long long)csv->late);
	free(csv->layers);
}
