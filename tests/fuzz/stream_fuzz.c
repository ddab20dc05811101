/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a trace: the records do not depend on how the stream is read, and every row is
 * consistent. */
#include <stdlib.h>
#include <string.h>

#include "parser/ftrace_text.h"
#include "rules/pipeline.h"
#include "rules/count/trigger.h"
#include "tests/fuzz/target.h"

typedef void record_function(void *context, const struct trace_record *record);

static void note_record(void *context, const struct trace_record *record)
{
	NOTE(record->kind, record->cpu, record->tid, record->tgid, record->pid,
	     (int64_t)record->time_ns, record->value, (int64_t)record->comm.len,
	     (int64_t)record->name.len);
	note(record->comm.ptr, record->comm.len);
	note(record->name.ptr, record->name.len);
	note(record->track.ptr, record->track.len);
}

/* Reads @data in pieces of 1 to @most bytes; the data determine the sizes. @most also determines
 * how many records are read at once, between which no count changes. */
static struct ftrace_text tokenize(const uint8_t *data, size_t size, size_t most,
				   record_function *function, void *context)
{
	struct ftrace_text text = FTRACE_TEXT_INIT;
	size_t begin = 0, end = 0, n;
	bool last;

	do {
		struct trace_record records[32];
		struct span input;

		end += size - end > most ? 1 + data[end] % most : size - end;
		last = end == size;
		input = (struct span){ (const char *)data + begin, end - begin };
		while ((n = ftrace_text_read(&text, &input, last, records, 1 + most % 32)) > 0)
			for (size_t i = 0; i < n; i++) {
				NOTE((int64_t)text.malformed, (int64_t)text.glued);
				function(context, &records[i]);
			}
		begin = (size_t)(input.ptr - (const char *)data);
		if (input.len >= FTRACE_TEXT_LINE_MAX || (last && input.len != 0))
			wrong("more is left than may be");
	} while (!last);
	return text;
}

static void check_splits(const uint8_t *data, size_t size)
{
	const size_t most[] = { SIZE_MAX, 256, 40, size < 2000 ? 1 : 7 };
	uint64_t before = fuzz_sum, first = 0;

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		struct ftrace_text text;

		fuzz_sum = before;
		text = tokenize(data, size, most[i], note_record, NULL);
		NOTE((int64_t)text.markers, (int64_t)text.malformed, (int64_t)text.glued,
		     (int64_t)text.too_long, (int64_t)text.last_ns);
		if (i > 0 && fuzz_sum != first)
			wrong("another split, another verdict");
		first = fuzz_sum;
	}
}

/* --- rows --- */

#define LATE_NS UINT64_C(20000000)

static uint64_t counted; /* frames and waits in rows, to compare with the rows of frames.csv */
static uint64_t frame_rows;

/* A stall is a wait, and counts as a jank. If it is unknown which waits were stalls, so is what
 * counts them. */
static void check_stalls(const struct frame_stats *s)
{
	bool unknown = s->stalls == ROW_UNKNOWN;

	if (unknown && (s->waits == 0 || s->frozen != ROW_UNKNOWN || s->slow != ROW_UNKNOWN))
		wrong("numbers in spite of unknown stalls");
	if (!unknown && (s->stalls > (int64_t)s->waits || s->frozen < 0 || s->frozen > s->stalls))
		wrong("stalls that cannot be");
	if (s->stall_ns > s->wait_ns)
		wrong("stalls longer than the waits");
}

static void check_stats(const struct frame_stats *s)
{
	int64_t stalls = s->stalls > 0 ? s->stalls : 0;
	uint64_t most = s->frames + (uint64_t)stalls;

	note(s->sums, sizeof(s->sums));
	note(s->unsure, sizeof(s->unsure));
	NOTE((int64_t)s->max_ns, (int64_t)s->longest_stall_ns, (int64_t)s->gpu_max_ns);
	if (s->a + s->b + s->c > most || s->small_jank + s->jank > most || s->big_jank > s->jank ||
	    s->max_ns > s->time_ns || s->jank_ns > s->time_ns + s->stall_ns || s->tx > s->frames ||
	    s->max_ns >= UINT64_C(500000000) || s->d > (int64_t)most || s->slow > s->d + stalls ||
	    s->score > 100)
		wrong("counts that cannot be");
	check_stalls(s);
	if (s->waits > 0 ? s->wait_ns / s->waits < UINT64_C(497500000) : s->wait_ns != 0)
		wrong("a wait that is none");
}

static void check_fps(const struct fps_row *row)
{
	check_stats(&row->stats);
	if (row->end_ns < row->start_ns || row->p50_ns > row->p90_ns || row->p90_ns > row->p99_ns ||
	    row->p99_ns > (int64_t)row->stats.max_ns)
		wrong("a row of fps that cannot be");
	counted += row->stats.frames + row->stats.waits;
	NOTE((int64_t)row->start_ns, (int64_t)row->end_ns, row->refresh_mhz, row->p90_ns,
	     row->p99_ns, row->cadence, row->off_cadence);
	if (strlen(row->app) + strlen(row->surface) == 0)
		wrong("a row without a surface");
}

static void check_drop(const struct drop_row *row)
{
	/* A stall has a row, too, so the interval may be of any length. */
	NOTE(row->start_ns, row->missed, row->cause, (int64_t)row->tx);
	note(row->info, strlen(row->info));
	if (strlen(row->tick) + strlen(row->info) + strlen(row->layer) == 0)
		wrong("a drop that cannot be");
}

static void check_frame(const struct frame_row *row)
{
	frame_rows++;
	NOTE((int64_t)row->present_ns, row->vsync_ns, row->interval_ns, row->vsyncs, row->queued_ns,
	     row->latched_ns, row->gpu_done_ns, row->lost, row->cause);
	note(row->layer, strlen(row->layer));
	if (row->interval_ns < -1 || row->vsyncs < -1 || row->layer[0] == '\0')
		wrong("a frame that cannot be");
}

/* Opens and closes in turn. */
static bool gate_open;

static void check_gate(void *context, bool open, uint64_t time_ns)
{
	if (open == gate_open)
		wrong("a gate that is so already");
	gate_open = open;
}

static void check_late(void *context, const struct late_frame *frame)
{
	/* A stall may be of any length. */
	if (frame->interval_ns < LATE_NS || frame->surface[0] == '\0')
		wrong("a frame that is not late");
}

static void check_event(const struct trace_event *event)
{
	note(event->text, strlen(event->text));
	if (strchr(event->text, '\0') == event->text)
		wrong("an event without a word");
}

static void check_row(void *context, enum csv_file_kind kind, const void *row)
{
	if (kind == ROW_FPS)
		check_fps(row);
	else if (kind == ROW_DROPS)
		check_drop(row);
	else if (kind == ROW_FRAMES)
		check_frame(row);
	else if (kind == ROW_EVENTS)
		check_event(row);
}

static uint64_t summed; /* frames and waits in summaries, to compare with those in rows */

static void check_summary(void *context, const struct summary_row *row)
{
	summed += row->stats.frames + row->stats.waits;
	check_stats(&row->stats);
	if (row->last_ns < row->first_ns && row->stats.frames > 0 && row->stats.waits == 0)
		return; /* the clock stepped back */
	if (row->p50_ns > row->p999_ns)
		wrong("a summary that cannot be");
}

static void pass_record(void *context, const struct trace_record *record)
{
	pipeline_record(context, record);
}

static void check_pipeline(const uint8_t *data, size_t size, const struct ruleset *rules,
			   unsigned int type)
{
	struct pipeline_options options = PIPELINE_OPTIONS_DEFAULT;
	const struct row_sink sink = { .row = check_row, .late = check_late, .gate = check_gate };
	static const char *const conditions[] = { "fps<50 for 50ms on *o*", "interval>20ms" };
	struct pipeline *pipeline = NULL;
	struct trigger_error error;
	struct trigger trigger;

	if (trigger_parse(&trigger, conditions[size % 2], &error) != 0)
		abort();
	options.trigger = &trigger;
	options.late_ns = LATE_NS;
	gate_open = false;
	options.type = type;
	options.delay_ns = 100000000;
	options.min_frames = 3;
	options.max_surfaces = options.max_series = 1 + size % 7;
	options.max_threads = 1 + size % 3;
	if (pipeline_new(&pipeline, rules, &options, &sink) != 0)
		abort();
	counted = frame_rows = 0;
	tokenize(data, size, SIZE_MAX, pass_record, pipeline);
	pipeline_summary(pipeline, NULL, check_summary);
	pipeline_end(pipeline);
	summed = 0;
	pipeline_summary(pipeline, NULL, check_summary);
	if (gate_open)
		wrong("a gate that stays open");
	if (type < 3 && counted > frame_rows)
		wrong("more frames in rows than there were");
	if (type < 3 && counted != summed)
		wrong("a summary that is not the sum of the rows");
	note(pipeline_counters(pipeline), sizeof(struct pipeline_counters));
	pipeline_free(pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ruleset *rules;
	struct ruleset_error error;

	if (!rules && ruleset_new(&rules, ruleset_builtin("default"), &error) != 0)
		abort();
	check_splits(data, size);
	check_pipeline(data, size, rules, size % 5);
	return 0;
}
