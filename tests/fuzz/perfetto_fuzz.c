/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a perfetto trace: the records come in the order of time, and each row of
 * FrameTimeline is of a frame that began and ended. The same bytes as the stream of a live capture,
 * in pieces. */
#include <stdlib.h>

#include "daemon/trace/perfetto_reader.h"
#include "daemon/trace/timeline_stream.h"
#include "rules/beside/frame_timeline.h"
#include "tests/fuzz/target.h"

static struct frame_timeline *timeline;
static uint64_t last_ns;

static void on_record(void *context, const struct trace_record *record)
{
	/* Times of markers are whole microseconds. */
	NOTE(record->kind, record->cpu, record->tid, record->pid, (int64_t)record->time_ns,
	     record->value);
	note(record->name.ptr, record->name.len);
	if (record->time_ns > INT64_MAX)
		wrong("a record has an impossible time");
	if (record->time_ns + 1000 < last_ns)
		wrong("a record is earlier than the one before");
	if (record->time_ns > last_ns)
		last_ns = record->time_ns;
	if (record->kind == TRACE_TIMELINE)
		frame_timeline_record(timeline, record);
}

static void on_row(void *context, enum csv_file_kind kind, const void *value)
{
	const struct timeline_row *row = value;

	NOTE(row->start_ns, row->end_ns, row->expected_end_ns, row->event.token,
	     row->event.display_token, row->event.pid, row->event.present_type, row->event.severity,
	     row->event.jank_type, row->event.is_buffer);
	note(row->layer, strlen(row->layer));
	if (row->start_ns < 0 || row->end_ns < 0)
		wrong("a row of a frame that did not begin or end");
}

static void on_live_record(void *context, const struct trace_record *record)
{
	frame_timeline_record(timeline, record);
}

/* Near the times of the seeds. */
#define NOW_NS UINT64_C(1000000000)

static void read_stream(struct span bytes)
{
	struct timeline_stream *stream = calloc(1, sizeof(*stream));
	size_t piece = 1;

	if (!stream)
		abort();
	stream->record = on_live_record;
	timeline_stream_init(stream, 1000);
	for (; bytes.len > 0; piece = piece * 3 % 1000 + 1) {
		struct span first = { bytes.ptr, piece < bytes.len ? piece : bytes.len };

		timeline_stream_add(stream, first, NOW_NS);
		bytes = span_skip(bytes, first.len);
	}
	timeline_stream_pass(stream, UINT64_MAX);
	if (stream->begin != stream->end)
		wrong("events are held after the end");
	free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ruleset no_rules;
	struct perfetto_reader *reader;
	char text[200];

	timeline = calloc(1, sizeof(*timeline));
	if (!timeline ||
	    perfetto_reader_open(&reader, -1, 0, (struct span){ (const char *)data, size }) < 0)
		abort();
	timeline->row = on_row;
	timeline->rules = &no_rules;
	last_ns = 0;
	while (perfetto_reader_read(reader, on_record, NULL) > 0)
		;
	frame_timeline_end(timeline);
	read_stream((struct span){ (const char *)data, size });
	frame_timeline_end(timeline);
	perfetto_reader_describe_damage(reader, text);
	note(text, strlen(text));
	perfetto_reader_close(reader);
	free(timeline);
	return 0;
}
