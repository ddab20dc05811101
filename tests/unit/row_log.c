/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "tests/unit/row_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static void log_fps(void *context, const struct fps_row *row)
{
	struct row_log *log = context;
	struct fps_row *copy = APPEND(log, fps, row);

	copy->app = kept(log, row->app);
	copy->surface = kept(log, row->surface);
}

static void log_drop(void *context, const struct drop_row *row)
{
	struct row_log *log = context;
	struct drop_row *copy = APPEND(log, drops, row);

	copy->tick = kept(log, row->tick);
	copy->app = kept(log, row->app);
	copy->surface = kept(log, row->surface);
	copy->info = kept(log, row->info);
	copy->layer = kept(log, row->layer);
}

static void log_frame(void *context, const struct frame_row *row)
{
	struct row_log *log = context;
	struct frame_row *copy = APPEND(log, frames, row);

	copy->app = kept(log, row->app);
	copy->surface = kept(log, row->surface);
	copy->layer = kept(log, row->layer);
}

static void log_event(void *context, const struct trace_event *event)
{
	struct row_log *log = context;
	struct trace_event *copy = APPEND(log, events, event);

	copy->text = kept(log, event->text);
}

static void log_late(void *context, const struct late_frame *frame)
{
	struct row_log *log = context;
	struct late_frame *copy = APPEND(log, late, frame);

	copy->surface = kept(log, frame->surface);
}

static void log_gate(void *context, bool open, uint64_t time_ns)
{
	struct row_log *log = context;

	APPEND(log, gate, (&(struct gate_change){ open, time_ns, log->n_frames }));
}

static void log_latency(void *context, const struct latency_csv_row *row)
{
	struct row_log *log = context;
	struct latency_csv_row *copy = APPEND(log, latency, row);

	copy->app = kept(log, row->app);
	copy->surface = kept(log, row->surface);
	copy->layer = kept(log, row->layer);
}

static int spill_write(void *context, uint64_t offset, const void *bytes, size_t len)
{
	struct row_log_spill *spill = context;

	if (spill->log->spill_fails)
		return -ENOSPC;
	if (spill->fd < 0)
		spill->fd = memfd_create("spill", MFD_CLOEXEC);
	assert_true(spill->fd >= 0);
	assert_int_equal(pwrite(spill->fd, bytes, len, (off_t)offset), len);
	if (offset + len > spill->size)
		spill->size = offset + len;
	return 0;
}

static int spill_read(void *context, uint64_t offset, void *bytes, size_t len)
{
	struct row_log_spill *spill = context;

	if (spill->log->spill_is_bad)
		return -EIO;
	assert_int_equal(pread(spill->fd, bytes, len, (off_t)offset), len);
	return 0;
}

static void begin_spill(struct row_log_spill *spill, const struct row_log *log)
{
	*spill = (struct row_log_spill){ { spill, spill_write, spill_read }, -1, 0, log };
}

static void end_spill(const struct row_log_spill *spill)
{
	if (spill->fd >= 0)
		close(spill->fd);
}

struct row_sink row_log_begin(struct row_log *log)
{
	memset(log, 0, sizeof(*log));
	begin_spill(&log->surfaces, log);
	begin_spill(&log->layers, log);
	return (struct row_sink){
		.context = log,
		.fps = log_fps,
		.drop = log_drop,
		.frame = log_frame,
		.event = log_event,
		.late = log_late,
		.gate = log_gate,
		.latency = log_latency,
		.surface_spill = &log->surfaces.spill,
		.layer_spill = &log->layers.spill,
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
	end_spill(&log->surfaces);
	end_spill(&log->layers);
}

size_t row_log_count_frames(const struct row_log *log, const char *layer)
{
	size_t n = 0;

	for (size_t i = 0; i < log->n_frames; i++)
		n += strcmp(log->frames[i].layer, layer) == 0;
	return n;
}

const struct fps_row *row_log_fps(const struct row_log *log, const char *surface, size_t n)
{
	for (size_t i = 0; i < log->n_fps; i++)
		if (strcmp(log->fps[i].surface, surface) == 0 && n-- == 0)
			return &log->fps[i];
	return NULL;
}

size_t row_log_count_events(const struct row_log *log, enum trace_event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < log->n_events; i++)
		n += log->events[i].kind == kind;
	return n;
}
