/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/trace_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define SURFACEFLINGER 406

static void print_marker(FILE *out, int tid, uint64_t time_us, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Prints one line: a marker that thread @tid writes. */
static void print_marker(FILE *out, int tid, uint64_t time_us, const char *format, ...)
{
	va_list arguments;

	fprintf(out, "%16s-%-5d (%5d) [001] .... %" PRIu64 ".%06" PRIu64 ": tracing_mark_write: ",
		tid == SURFACEFLINGER ? "surfaceflinger" : "Binder:406_1", tid, SURFACEFLINGER,
		time_us / 1000000, time_us % 1000000);
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	fputc('\n', out);
}

uint64_t trace_text_frames(FILE *out, const char *layer, uint64_t from_us, uint64_t step_us,
			   unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t us = from_us + i * step_us;

		print_marker(out, 500, us - 4000, "C|406|BufferTX - %s|1", layer);
		print_marker(out, 407, us - 2000, "C|406|VSYNC-sf|%u", i % 2);
		print_marker(out, SURFACEFLINGER, us - 1900, "B|406|commit %u", i);
		print_marker(out, SURFACEFLINGER, us - 1800, "I|406|latchBuffer %s - %u", layer, i);
		print_marker(out, SURFACEFLINGER, us - 1790, "C|406|BufferTX - %s|0", layer);
		print_marker(out, SURFACEFLINGER, us - 1700, "E|406");
		print_marker(out, SURFACEFLINGER, us - 200, "B|406|composite %u", i);
		print_marker(out, SURFACEFLINGER, us,
			     "B|406|presentFrameAndReleaseLayers for Built-in (0)");
		print_marker(out, SURFACEFLINGER, us + 300, "E|406");
		print_marker(out, SURFACEFLINGER, us + 310, "E|406");
	}
	return from_us + n * step_us;
}

char *trace_text_of(const char *layer, uint64_t from_us, uint64_t step_us, unsigned int n)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	trace_text_frames(out, layer, from_us, step_us, n);
	fclose(out);
	return text;
}
