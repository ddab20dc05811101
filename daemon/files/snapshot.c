/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/files/output.h"
#include "daemon/base/text.h"
#include "daemon/base/wall_clock.h"

#define PERIOD_NS (10 * NS_PER_S)

/* The trace after the frame: a fifth of the whole, but at most this. */
#define AFTER_MAX_NS NS_PER_S

/* The trace before the late frame, which includes the previous frame. */
#define LEAD_NS (NS_PER_S / 4)

/* A trace without records for this long has stopped. */
#define SILENCE_NS (2 * NS_PER_S)

/* Bytes that are written before the trace is read again. */
#define PIECE ((size_t)65536)

/* Viewers recognize the first line. Some of them detect the type of a file by bytes at an offset,
 * so the header is longer than that: no name from the trace can be there. */
static const char head[] =
	"# tracer: nop\n"
	"#\n"
	"# The trace around a late frame, as captured by jankd: the event of the kind snapshot in\n"
	"# events.csv names the frame. Opens in ui.perfetto.dev and in 'jankd analyze'.\n"
	"#\n"
	"#           TASK-PID    CPU#           TIMESTAMP  FUNCTION\n"
	"#              | |         |                |         |\n";
_Static_assert(sizeof(head) > 266, "covers the magic of a tar file");

/* --- writing --- */

static bool is_saving(const struct snapshot *snapshot)
{
	return snapshot->is_begun && !snapshot->is_ended;
}

/* Adds the event when the file was written, or could not be written. */
static void update(struct snapshot *snapshot)
{
	char text[1280] = "";
	int error;

	if (!snapshot->is_ended ||
	    snapshot->output->state.replaced[REPLACED_SNAPSHOT].done < snapshot->ended)
		return;
	error = snapshot->output->state.replaced[REPLACED_SNAPSHOT].error;
	snapshot->is_begun = snapshot->is_ended = false;
	if (error < 0) {
		snapshot->failed++;
		snapshot->number--;
	} else {
		snapshot->written++;
	}
	text_append(text, sizeof(text), "%s: ", snapshot->name.text);
	if (error < 0)
		text_append(text, sizeof(text), "not saved: %s: ",
			    error == -ENOBUFS ? "the disk is too slow" : strerror(-error));
	text_append(text, sizeof(text), "%" PRIu64 ".%06" PRIu64 " ms, %s",
		    snapshot->interval_ns / 1000000, snapshot->interval_ns % 1000000,
		    snapshot->surface);
	output_event(snapshot->output, (int64_t)snapshot->present_ns, ROW_UNKNOWN, "snapshot",
		     text);
}

/* All was sent; or @error is the reason why not. */
static void finish(struct snapshot *snapshot, int error)
{
	snapshot->is_ended = true;
	snapshot->ended++;
	snapshot->parts[0] = snapshot->parts[1] = SPAN_NULL;
	output_replace_end(snapshot->output, REPLACED_SNAPSHOT, error);
}

static struct span *next_part(struct snapshot *snapshot)
{
	return &snapshot->parts[snapshot->parts[0].len > 0 ? 0 : 1];
}

bool snapshot_save(struct snapshot *snapshot)
{
	struct span *part;
	size_t len;

	if (!is_saving(snapshot))
		return false;
	part = next_part(snapshot);
	len = part->len < PIECE ? part->len : PIECE;
	if (!output_replace_bytes(snapshot->output, REPLACED_SNAPSHOT,
				  (struct span){ part->ptr, len }))
		return false;
	*part = span_skip(*part, len);
	if (next_part(snapshot)->len == 0)
		finish(snapshot, 0);
	return is_saving(snapshot);
}

/* For a recorded trace, and at the end: waits if the queue has no space. */
static void save_all(struct snapshot *snapshot)
{
	while (is_saving(snapshot))
		if (!snapshot_save(snapshot) && is_saving(snapshot))
			output_wait(snapshot->output);
}

static bool overlaps(struct span a, struct span b)
{
	return a.len > 0 && b.len > 0 && a.ptr < b.ptr + b.len && b.ptr < a.ptr + a.len;
}

static uint64_t after_ns(const struct snapshot *snapshot)
{
	uint64_t fifth = snapshot->length_ns / 5;

	return fifth < AFTER_MAX_NS ? fifth : AFTER_MAX_NS;
}

/* The least trace before the frame, without which nothing is saved. */
static uint64_t least_ns(const struct snapshot *snapshot)
{
	return snapshot->interval_ns + LEAD_NS;
}

static uint64_t time_before(const struct snapshot *snapshot, uint64_t ns)
{
	return snapshot->present_ns > ns ? snapshot->present_ns - ns : 0;
}

void snapshot_begin(struct snapshot *snapshot)
{
	struct output *output = snapshot->output;
	uint64_t before_ns = snapshot->length_ns - after_ns(snapshot);

	if (before_ns < least_ns(snapshot))
		before_ns = least_ns(snapshot);
	snapshot->due_ns = UINT64_MAX;
	snapshot->name = numbered_name(SNAPSHOT_FILE, ++snapshot->number);
	source_remembered(snapshot->source, time_before(snapshot, before_ns), snapshot->parts);
	snapshot->is_begun = true;
	if (!output_replace_begin(output, REPLACED_SNAPSHOT, snapshot->name.text,
				  snapshot->parts[0].len + snapshot->parts[1].len) ||
	    !output_replace_bytes(output, REPLACED_SNAPSHOT, span_of(head)))
		finish(snapshot, -ENOBUFS);
	else if (!snapshot->live)
		save_all(snapshot);
}

/* --- when --- */

static bool is_waiting(const struct snapshot *snapshot)
{
	return snapshot->due_ns != UINT64_MAX;
}

uint64_t snapshot_pending_ns(const struct snapshot *snapshot)
{
	return is_waiting(snapshot) || snapshot->is_begun ? snapshot->present_ns : UINT64_MAX;
}

void snapshot_make_way(struct snapshot *snapshot)
{
	struct span text;

	if (!is_waiting(snapshot) && !is_saving(snapshot))
		return;
	if (is_waiting(snapshot) &&
	    source_would_lose(snapshot->source, time_before(snapshot, least_ns(snapshot))))
		snapshot_begin(snapshot);
	text = source_overwrites(snapshot->source);
	while (overlaps(text, snapshot->parts[0]) || overlaps(text, snapshot->parts[1]))
		if (!snapshot_save(snapshot) && is_saving(snapshot))
			finish(snapshot, -ENOBUFS);
}

void snapshot_late(struct snapshot *snapshot, const struct late_frame *frame)
{
	bool is_free = !is_waiting(snapshot) && !snapshot->is_begun;

	/* The clock was set back, or the last frame had a forged time. Else none would be accepted
	 * until that time. */
	if (is_free && frame->present_ns + PERIOD_NS <= snapshot->present_ns)
		snapshot->limit = (struct rate_limit){ .allowed = 0 };
	if (!is_free || !rate_limit_allows(&snapshot->limit, 1, PERIOD_NS, frame->present_ns)) {
		snapshot->suppressed++;
		return;
	}
	snapshot->present_ns = frame->present_ns;
	snapshot->interval_ns = frame->interval_ns;
	snprintf(snapshot->surface, sizeof(snapshot->surface), "%s", frame->surface);
	snapshot->due_ns = frame->present_ns + after_ns(snapshot);
	snapshot->due_clock_ns =
		(uint64_t)clock_read(CLOCK_BOOTTIME) + after_ns(snapshot) + SILENCE_NS;
}

void snapshot_tick(struct snapshot *snapshot)
{
	if (snapshot->live && is_waiting(snapshot) &&
	    (uint64_t)clock_read(CLOCK_BOOTTIME) >= snapshot->due_clock_ns)
		snapshot_begin(snapshot);
}

void snapshot_end(struct snapshot *snapshot)
{
	if (is_waiting(snapshot))
		snapshot_begin(snapshot);
	save_all(snapshot);
}

void snapshot_undo(struct snapshot *snapshot, int folder_fd)
{
	for (; snapshot->written > 0; snapshot->written--)
		unlinkat(folder_fd, numbered_name(SNAPSHOT_FILE, snapshot->number--).text, 0);
}

void snapshot_open(struct snapshot *snapshot, struct output *output, const struct source *source,
		   const struct options *options, bool live)
{
	int folder_fd = output->files.folder->fd;

	numbered_remove_oldest(folder_fd, NUMBERED_PARTIAL, 0, UINT64_MAX,
			       &(struct numbered_removed){ 0 });
	if (options->snapshot_ns == 0)
		return;
	snapshot->output = output;
	snapshot->source = source;
	output->late = (struct output_late){
		.frame = snapshot_late,
		.pending_ns = snapshot_pending_ns,
		.update = update,
		.snapshot = snapshot,
	};
	snapshot->length_ns = options->snapshot_length_ns;
	snapshot->live = live;
	numbered_last(folder_fd, NUMBERED_SNAPSHOTS, &snapshot->number);
}
