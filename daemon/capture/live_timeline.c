/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/beside.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/trace/trace.h"

/* What SurfaceFlinger wrote is here after that time: a flush, a write of perfetto and a tick. */
#define ARRIVED_NS (5 * NS_PER_S)

/* How long perfetto may take to its end. */
#define FINISH_NS (2 * NS_PER_S)

/* android.os.Build.VERSION_CODES.S: Android 12 */
#define SDK_FRAME_TIMELINE 31

/* Without write_into_file perfetto passes on nothing before its end (perfetto_cmd.cc). A flush
 * makes SurfaceFlinger give up what it has not passed on yet. Ftrace would clear the buffer of the
 * capture. */
static const char config[] = "buffers { size_kb: 1024 fill_policy: RING_BUFFER }\n"
			     "data_sources { config {\n"
			     "  name: \"android.surfaceflinger.frametimeline\"\n"
			     "} }\n"
			     "write_into_file: true\n"
			     "file_write_period_ms: 500\n"
			     "flush_period_ms: 1000\n";

struct live_timeline {
	struct session *session;
	struct child perfetto;
	bool is_stopped; /* perfetto was asked to end */
	struct timeline_stream stream;
	uint64_t lost_reported;
	int64_t offset_ns; /* trace clock minus boot clock; of the last event */
	bool is_over; /* what comes is not read: the stream is damaged, or the program has ended */
};

/* Two clocks cannot be read at once: the last offset stays if the new one differs by less. */
#define OFFSET_STEP_NS 1000000

/* Brings the times of a record to the trace clock. */
static void on_record(void *context, const struct trace_record *record)
{
	struct live_timeline *timeline = context;
	struct session *session = timeline->session;
	const struct wall_clock *clock = &session->output.clock;
	const char *name = session->origin.trace_clock;
	struct trace_record copy = *record;
	clockid_t id = CLOCK_REALTIME;
	bool is_same = name && wall_clock_same(name, &id);
	int64_t offset_ns, ns;

	if (session->discarding)
		return;
	if (!is_same && !clock->known) {
		timeline->stream.counts.untimely++;
		return;
	}
	/* The trace clock minus the boot clock. */
	offset_ns = clock_read(id) - clock_read(CLOCK_BOOTTIME);
	if (is_same && id == CLOCK_BOOTTIME)
		offset_ns = 0;
	else if (!is_same)
		offset_ns -= clock->offset_ns;
	if (offset_ns == 0 || llabs(offset_ns - timeline->offset_ns) > OFFSET_STEP_NS)
		timeline->offset_ns = offset_ns;
	/* Its times are near those of this machine. */
	ns = (int64_t)record->time_ns + timeline->offset_ns;
	copy.time_ns = (uint64_t)ns;
	if (ns >= 0)
		pipeline_timeline(session->pipeline, &copy);
	else
		timeline->stream.counts.untimely++;
}

static void fail(struct live_timeline *timeline, const char *why)
{
	if (timeline->is_over)
		return;
	timeline->is_over = true;
	timeline_stream_pass(&timeline->stream, UINT64_MAX);
	output_event_now(&timeline->session->output, "tracing",
			 "perfetto is not running, so frametimeline.csv gets no more frames: %s",
			 why);
}

static void on_end(struct child *child, int status)
{
	struct live_timeline *timeline = child->context;
	const char *error = child_last_error(child);
	char why[400];

	if (timeline->is_stopped)
		return;
	if (status > 128)
		snprintf(why, sizeof(why), "it was killed by signal %d", status - 128);
	else if (status >= 0)
		snprintf(why, sizeof(why), "it ended with exit code %d%s%.300s", status,
			 error[0] ? ": " : "", error);
	else
		snprintf(why, sizeof(why), "%s", strerror(-status));
	fail(timeline, why);
}

static void on_bytes(struct child *child, struct span bytes)
{
	struct live_timeline *timeline = child->context;
	char why[120];

	if (timeline->is_over)
		return;
	timeline_stream_add(&timeline->stream, bytes, loop_now());
	if (!timeline->stream.damage)
		return;
	snprintf(why, sizeof(why), "its output cannot be read: %s", timeline->stream.damage);
	fail(timeline, why);
	live_timeline_stop(timeline);
}

bool live_timeline_is_there(const char *sdk)
{
	return strtol(sdk, NULL, 10) >= SDK_FRAME_TIMELINE && child_program_exists("perfetto");
}

struct live_timeline *live_timeline_begin(struct session *session, struct loop *loop)
{
	char *argv[] = { "perfetto", "-c", "-", "--txt", "-o", "-", NULL };
	int64_t boot_ns = clock_read(CLOCK_BOOTTIME);
	struct live_timeline *timeline;
	int error;

	if (!session->options->pipeline.frame_timeline)
		return NULL;
	timeline = calloc(1, sizeof(*timeline));
	if (!timeline)
		return NULL;
	timeline->session = session;
	timeline->perfetto = (struct child){
		.bytes = on_bytes,
		.ended = on_end,
		.input = config,
		.context = timeline,
	};
	timeline->stream.record = on_record;
	timeline->stream.context = timeline;
	timeline_stream_init(&timeline->stream, boot_ns - clock_read(CLOCK_MONOTONIC));
	error = child_start(&timeline->perfetto, loop, argv, -1);
	if (error < 0)
		fail(timeline, strerror(-error));
	return timeline;
}

static void report_lost(struct live_timeline *timeline)
{
	uint64_t lost = timeline->stream.counts.lost - timeline->lost_reported;

	if (lost == 0)
		return;
	timeline->lost_reported += lost;
	output_event_now(&timeline->session->output, "tracing",
			 "perfetto lost packets of FrameTimeline, %" PRIu64
			 " times: frames may be missing in frametimeline.csv",
			 lost);
}

void live_timeline_tick(struct live_timeline *timeline)
{
	if (!timeline)
		return;
	child_check(&timeline->perfetto);
	timeline_stream_pass(&timeline->stream, loop_now() - ARRIVED_NS);
	report_lost(timeline);
}

void live_timeline_stop(struct live_timeline *timeline)
{
	if (!timeline)
		return;
	timeline->is_stopped = true;
	child_signal(&timeline->perfetto, SIGINT);
}

void live_timeline_finish(struct live_timeline *timeline)
{
	const struct timeline_stream_counts *counts;

	if (!timeline)
		return;
	child_wait(&timeline->perfetto, loop_now() + FINISH_NS);
	if (child_runs(&timeline->perfetto) && !timeline->is_over)
		output_event_now(&timeline->session->output, "tracing",
				 "perfetto did not end, so it was killed: frametimeline.csv may "
				 "lack its last frames");
	child_kill(&timeline->perfetto);
	timeline_stream_pass(&timeline->stream, UINT64_MAX);
	/* What frametimeline.csv cannot have is said. */
	report_lost(timeline);
	counts = &timeline->stream.counts;
	if (counts->untimely + counts->too_large > 0)
		output_event_now(&timeline->session->output, "tracing",
				 "events of FrameTimeline were left out: %" PRIu64
				 " not in the time of this capture, %" PRIu64 " too large",
				 counts->untimely, counts->too_large);
	if (counts->events == 0 && !timeline->is_over)
		output_event_now(&timeline->session->output, "tracing",
				 "perfetto sent no frame of FrameTimeline");
	timeline->is_over = true;
}

struct live_timeline *live_timeline_end(struct live_timeline *timeline)
{
	if (timeline)
		child_kill(&timeline->perfetto);
	free(timeline);
	return NULL;
}
