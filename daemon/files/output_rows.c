/* SPDX-License-Identifier: Apache-2.0 */
/* What a pipeline gives, as text: rows that are wanted, and events in their order. */
#include "daemon/files/output.h"

#include <errno.h>
#include <inttypes.h>

#include "daemon/files/csv.h"
#include "daemon/base/csv_columns.h"
#include "daemon/base/loop.h"

/* What else a row may be for: standard output, and the file that is replaced as a whole. */
#define CONSOLE ROW_FILES
#define SUMMARY (ROW_FILES + 1)

/* A live event waits no longer, whatever frames wait for. */
#define EVENTS_HELD_NS UINT64_C(3000000000)

/* --- rows --- */

static bool passes_gate(struct output *output, unsigned int which, const struct csv_file *maker)
{
	if (!output->gate || which == ROW_EVENTS || gate_passes(output->gate, &output->span))
		return true;
	gate_keep(output->gate, which, &output->span, maker->buffer + maker->row_begin,
		  maker->len - maker->row_begin);
	return false;
}

/* The maker keeps none. */
static bool take_row(void *context, struct csv_file *maker)
{
	struct output *output = context;
	const char *row = maker->buffer + maker->row_begin;
	size_t len = maker->len - maker->row_begin;

	if (output->making == SUMMARY)
		output->summary_failed |= !output_whole_bytes(output, WHOLE_SUMMARY, row, len);
	else if (passes_gate(output, output->making, maker))
		output_post_row(output, output->making, row, len);
	return false;
}

static bool take_console_row(void *context, struct csv_file *console)
{
	return passes_gate(context, CONSOLE, console);
}

static struct csv_file *maker_for(struct output *output, unsigned int which)
{
	output->making = which;
	return &output->maker;
}

static void set_span(struct output *output, int64_t begin_ns, int64_t end_ns)
{
	output->span.end_ns = end_ns < 0 ? output->now_ns : (uint64_t)end_ns;
	output->span.begin_ns = begin_ns < 0 ? output->span.end_ns : (uint64_t)begin_ns;
}

static void take_fps(void *context, const struct fps_row *row)
{
	struct output *output = context;

	set_span(output, (int64_t)row->start_ns, (int64_t)row->end_ns);
	if (output_name(output, ROW_FPS))
		csv_fps_row(maker_for(output, ROW_FPS), row);
	csv_fps_row(&output->console, row);
}

static void take_drop(void *context, const struct drop_row *row)
{
	struct output *output = context;

	set_span(output, row->start_ns, row->end_ns);
	csv_drop_row(maker_for(output, ROW_DROPS), row);
}

static void take_frame(void *context, const struct frame_row *row)
{
	struct output *output = context;

	set_span(output, (int64_t)row->present_ns, (int64_t)row->present_ns);
	csv_frame_row(maker_for(output, ROW_FRAMES), row);
}

static void take_clock(void *context)
{
	struct output *output = context;

	event_queue_restart(output->events);
}

static void take_event(void *context, const struct trace_event *event)
{
	static const char *const kinds[] = {
		[TRACE_EVENT_REFRESH] = "refresh",
		[TRACE_EVENT_LOST] = "lost",
		[TRACE_EVENT_SURFACEFLINGER] = "surfaceflinger",
		[TRACE_EVENT_TRACING] = "tracing",
		[TRACE_EVENT_FOCUS] = "focus",
		[TRACE_EVENT_MARK] = "mark",
		[TRACE_EVENT_TRIGGER] = "trigger",
	};

	output_event(context, (int64_t)event->time_ns, ROW_UNKNOWN, kinds[event->kind],
		     event->text);
}

/* A row that waited for the gate. */
static void take_waiting(void *context, unsigned int which, const struct gate_span *span,
			 const char *row, size_t len)
{
	struct output *output = context;

	output->span = *span;
	if (which == CONSOLE)
		csv_row(&output->console, row, len);
	else
		output_post_row(output, which, row, len);
}

static void take_gate(void *context, bool open, uint64_t time_ns)
{
	struct output *output = context;
	uint64_t missed;

	if (!open) {
		gate_close(output->gate, time_ns);
		return;
	}
	missed = gate_open(output->gate, time_ns, output, take_waiting);
	if (missed > 0)
		output_tell(output, "lost",
			    "the memory for rows before a trigger was too small for %" PRIu64
			    " of them",
			    missed);
}

static void take_late(void *context, const struct late_frame *frame)
{
	struct output *output = context;

	if (output->late.frame)
		output->late.frame(output->late.context, frame);
}

struct row_sink output_sink(struct output *output)
{
	return (struct row_sink){
		.context = output,
		.fps = output_name(output, ROW_FPS) || output->console.name ? take_fps : NULL,
		.drop = output_name(output, ROW_DROPS) ? take_drop : NULL,
		.frame = output_name(output, ROW_FRAMES) ? take_frame : NULL,
		.event = take_event,
		.clock = take_clock,
		.gate = output->gate ? take_gate : NULL,
		.late = take_late,
		.surface_spill = &output->spills[SPILL_OF_SURFACES].spill,
		.layer_spill = &output->spills[SPILL_OF_LAYERS].spill,
	};
}

/* --- summary.csv --- */

static void take_summary(void *context, const struct summary_row *row)
{
	csv_summary_row(context, row);
}

void output_summary(struct output *output, struct pipeline *pipeline)
{
	struct csv_file *maker = maker_for(output, SUMMARY);

	output->summary_failed = !output_whole_begin(output, WHOLE_SUMMARY, "summary.csv", 0);
	csv_raw(maker, csv_summary_header);
	csv_row_end(maker);
	pipeline_summary(pipeline, maker, take_summary);
	output_whole_end(output, WHOLE_SUMMARY, output->summary_failed ? -ENOBUFS : 0);
}

/* --- events --- */

void output_event(struct output *output, int64_t time_ns, int64_t wall_ns, const char *kind,
		  const char *text)
{
	struct queued_event event = {
		.time_ns = time_ns,
		.wall_ns = wall_ns,
		.since_ns = output->is_live ? loop_now() : 0,
		.kind = kind,
		.text = text,
	};

	if (wall_ns < 0 && time_ns >= 0 && output->clock.known)
		event.wall_ns = time_ns + output->clock.offset_ns;
	event_queue_add(output->events, &event);
}

static void write_event(void *context, const struct queued_event *event)
{
	struct output *output = context;
	char wall[WALL_CLOCK_TEXT] = "";

	if (event->wall_ns >= 0)
		wall_clock_format(wall, event->wall_ns);
	csv_event_row(maker_for(output, ROW_EVENTS), event->time_ns, wall, event->kind,
		      event->text);
}

/* No event behind that one may go out. */
static uint64_t saved_ns(const struct output *output)
{
	return output->late.tells_ns ? output->late.tells_ns(output->late.context) : UINT64_MAX;
}

void output_settle(struct output *output)
{
	uint64_t settled_ns = pipeline_settled(output->pipeline);
	uint64_t until_ns = saved_ns(output);

	if (output->events->n > 0)
		event_queue_release(output->events, settled_ns < until_ns ? settled_ns : until_ns);
}

/* Where nothing is read from a trace, what happens to it is told all the same. */
void output_settle_live(struct output *output)
{
	uint64_t now_ns = loop_now();

	if (!output->is_live || output->events->n == 0 || !output->pipeline)
		return;
	if (pipeline_is_settled(output->pipeline))
		event_queue_release(output->events, saved_ns(output));
	if (now_ns > EVENTS_HELD_NS)
		event_queue_release_old(output->events, now_ns - EVENTS_HELD_NS);
}

void output_release_events(struct output *output)
{
	event_queue_release(output->events, UINT64_MAX);
}

void output_rows_begin(struct output *output)
{
	output->maker.admit = take_row;
	output->maker.context = output;
	output->events->write = write_event;
	output->events->context = output;
	if (!output->console.name || !output->gate)
		return;
	output->console.admit = take_console_row;
	output->console.context = output;
}
