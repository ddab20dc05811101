/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a perfetto trace to standard output: MB CPUS. Its shape is that of a recorded one: bundles
 * of events of each CPU, read every 200 ms, one CPU after the other; most events are switches of
 * threads; frames of SurfaceFlinger at 60 Hz; FrameTimeline; snapshots of the clocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/packets.h"

#define MS UINT64_C(1000000)
#define READ_NS (200 * MS)
#define BUNDLE_EVENTS 200
#define SWITCH_NS UINT64_C(40000)
#define VSYNC_NS UINT64_C(16666667)
#define SF_PID 500
#define LAYER "TX - com.example/com.example.Main#7"

/* sched_switch: field 4 of an event. */
static void add_switch(struct packets *bundle, uint64_t time_ns, unsigned int n)
{
	struct packets event = { 0 }, body = { 0 };

	packets_number(&event, 1, time_ns);
	packets_number(&event, 2, 1000 + n % 50);
	packets_text(&body, 1, n % 3 ? "RenderThread" : "swapper/0");
	packets_number(&body, 2, 1000 + n % 50);
	packets_number(&body, 3, 120);
	packets_number(&body, 4, 1);
	packets_text(&body, 5, n % 2 ? "surfaceflinger" : "kworker/u16:3");
	packets_number(&body, 6, 1000 + n % 70);
	packets_number(&body, 7, 120);
	packets_add(&event, 4, &body);
	packets_add(bundle, 2, &event);
}

/* SurfaceFlinger's marks of a frame. */
static void add_frame(struct packets *bundle, uint64_t time_ns)
{
	static const char *const marks[] = {
		"C|500|VSYNC-sf|%u\n",
		"C|500|com.example/com.example.Main#7|1\n",
		"B|500|commit\n",
		"B|500|latchBuffer\n",
		"B|500|acquireBuffer\n",
		"C|500|com.example/com.example.Main#7|0\n",
		"E|500\n",
		"E|500\n",
		"E|500\n",
		"B|500|composite\n",
		"B|500|postFramebuffer\n",
		"E|500\n",
		"E|500\n",
	};
	char text[80];

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		snprintf(text, sizeof(text), marks[i], (unsigned int)(time_ns / VSYNC_NS % 2));
		packets_print(bundle, time_ns + i * 2000, SF_PID, text);
	}
}

static void add_cpu(struct packets *trace, unsigned int cpu, unsigned int cpus, uint64_t begin_ns)
{
	struct packets bundle = { 0 };
	uint64_t frame_ns = (begin_ns / VSYNC_NS + 1) * VSYNC_NS;
	unsigned int n = 0;

	for (uint64_t at = begin_ns + cpu; at < begin_ns + READ_NS; at += SWITCH_NS, n++) {
		if (at >= frame_ns) {
			if (frame_ns / VSYNC_NS % cpus == cpu)
				add_frame(&bundle, frame_ns);
			frame_ns += VSYNC_NS;
		}
		add_switch(&bundle, at + 30000, n);
		if (n % BUNDLE_EVENTS == BUNDLE_EVENTS - 1)
			packets_bundle(trace, 2 + cpu, (int)cpu, &bundle);
	}
	packets_bundle(trace, 2 + cpu, (int)cpu, &bundle);
}

static void add_timeline(struct packets *trace, uint64_t begin_ns)
{
	for (uint64_t at = begin_ns / VSYNC_NS + 1; at * VSYNC_NS < begin_ns + READ_NS; at++) {
		struct packets_frame frame = {
			.cookie = 4 * at,
			.expected_ns = at * VSYNC_NS - 10 * MS,
			.expected_end_ns = at * VSYNC_NS,
			.start_ns = at * VSYNC_NS - 9 * MS,
			.end_ns = at * VSYNC_NS + MS,
			.token = at,
			.display_token = at,
			.layer = LAYER,
			.jank_type = 1,
		};

		packets_frame(trace, &frame);
		frame.cookie += 2;
		frame.layer = NULL;
		packets_frame(trace, &frame);
	}
}

static void add_clocks(struct packets *trace, uint64_t boot_ns)
{
	struct packets snapshot = { 0 }, clock = { 0 }, packet = { 0 };

	for (unsigned int id = 3; id <= 6; id += 3) {
		packets_number(&clock, 1, id);
		packets_number(&clock, 2, boot_ns);
		packets_add(&snapshot, 1, &clock);
	}
	packets_add(&packet, 6, &snapshot);
	packets_add(trace, 1, &packet);
}

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? (size_t)strtoul(argv[1], NULL, 10) * 1000000 : 0;
	unsigned int cpus = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	struct packets trace = { 0 };
	size_t written = 0;

	if (size == 0 || cpus == 0) {
		fprintf(stderr, "usage: perfetto-trace MB CPUS\n");
		return 2;
	}
	for (uint64_t at = 1000 * MS; written < size; at += READ_NS) {
		if (at / READ_NS % 50 == 0)
			add_clocks(&trace, at);
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			add_cpu(&trace, cpu, cpus, at);
		add_timeline(&trace, at);
		if (fwrite(trace.bytes, 1, trace.len, stdout) != trace.len)
			return 1;
		written += trace.len;
		trace.len = 0;
	}
	packets_free(&trace);
	return fflush(stdout) == 0 ? 0 : 1;
}
