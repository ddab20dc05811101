/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "tests/unit/row_log.h"

/* Returns @rows with space for one element after @n; the capacity doubles when it is used up. */
static void *grown(void *rows, size_t n, size_t size)
{
	if (n & (n - 1))
		return rows;
	rows = realloc(rows, (n ? 2 * n : 1) * size);
	if (!rows)
		abort();
	return rows;
}

/* Appends a copy of @row to the array of that name in @log, and returns it. */
#define APPEND(log, name, row)                                                                     \
	((log)->name = grown((log)->name, (log)->n_##name, sizeof(*(row))),                        \
	 (log)->name[(log)->n_##name] = *(row), &(log)->name[(log)->n_##name++])

/* Returns a copy of @text that lasts as long as the log. */
static const char *kept(struct row_log *log, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	log->texts = grown(log->texts, log->n_texts, sizeof(*log->texts));
	log->texts[log->n_texts++] = copy;
	return copy;
}

/* The text of the copy lasts as long as the log. */
#define KEEP(field) (copy->field = kept(log, copy->field))

static void log_fps(void *context, const struct fps_row *row)
{
	struct row_log *log = context;
	struct fps_row *copy = APPEND(log, fps, row);

	KEEP(app), KEEP(surface);
}

static void log_drop(void *context, const struct drop_row *row)
{
	struct row_log *log = context;
	struct drop_row *copy = APPEND(log, drops, row);

	KEEP(tick), KEEP(app), KEEP(surface), KEEP(info), KEEP(layer);
}

static void log_frame(void *context, const struct frame_row *row)
{
	struct row_log *log = context;
	struct frame_row *copy = APPEND(log, frames, row);

	KEEP(app), KEEP(surface), KEEP(layer);
}

static void log_event(void *context, const struct trace_event *event)
{
	struct row_log *log = context;
	struct trace_event *copy = APPEND(log, events, event);

	KEEP(text);
}

static void log_late(void *context, const struct late_frame *frame)
{
	struct row_log *log = context;
	struct late_frame *copy = APPEND(log, late, frame);

	KEEP(surface);
}

static void log_gate(void *context, bool open, uint64_t time_ns)
{
	struct row_log *log = context;

	APPEND(log, gate, (&(struct gate_change){ open, time_ns, log->n_frames }));
}

static void log_latency(void *context, const struct frame_row *row)
{
	struct row_log *log = context;
	struct frame_row *copy = APPEND(log, latency, row);

	KEEP(app), KEEP(surface), KEEP(layer);
}

struct row_sink row_log_begin(struct row_log *log)
{
	memset(log, 0, sizeof(*log));
	return (struct row_sink){
		.context = log,
		.fps = log_fps,
		.drop = log_drop,
		.frame = log_frame,
		.event = log_event,
		.late = log_late,
		.gate = log_gate,
		.latency = log_latency,
	};
}

void row_log_free(struct row_log *log)
{
	while (log->n_texts > 0)
		free(log->texts[--log->n_texts]);
	free(log->texts);
	free(log->late);
	free(log->gate);
	free(log->latency);
	free(log->fps);
	free(log->drops);
	free(log->frames);
	free(log->events);
}
