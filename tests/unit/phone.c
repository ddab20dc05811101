/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/phone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1000)

#define INSTANT_CUT 255 /* bytes of an instant's name that libgui writes */

/* --- the rows --- */

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

static void log_row(void *context, enum csv_file_kind kind, const void *row)
{
	struct row_log *log = context;

	if (kind == ROW_FPS) {
		struct fps_row *copy = APPEND(log, fps, (const struct fps_row *)row);

		KEEP(app), KEEP(surface);
	} else if (kind == ROW_DROPS) {
		struct drop_row *copy = APPEND(log, drops, (const struct drop_row *)row);

		KEEP(tick), KEEP(app), KEEP(surface), KEEP(info), KEEP(layer);
	} else if (kind == ROW_FRAMES || kind == ROW_LATENCY) {
		struct frame_row *copy =
			kind == ROW_FRAMES ? APPEND(log, frames, (const struct frame_row *)row)
					   : APPEND(log, latency, (const struct frame_row *)row);

		KEEP(app), KEEP(surface), KEEP(layer);
	} else if (kind == ROW_EVENTS) {
		struct trace_event *copy = APPEND(log, events, (const struct trace_event *)row);

		KEEP(text);
	}
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

/* --- the phone --- */

void phone_start(struct phone *phone, enum phone_age age, const struct pipeline_options *options)
{
	struct pipeline_options defaults = PIPELINE_OPTIONS_DEFAULT;
	struct ruleset_error error;
	const struct row_sink sink = {
		.context = &phone->log,
		.row = log_row,
		.late = log_late,
		.gate = log_gate,
	};

	memset(phone, 0, sizeof(*phone));
	phone->age = age;
	phone->cpu = 1;
	phone->sf_tid = phone->sf_tgid = phone->sf_pid = 406;
	phone->sf_comm = "surfaceflinger";
	if (ruleset_new(&phone->rules, ruleset_builtin("default"), &error) != 0 ||
	    pipeline_new(&phone->pipeline, phone->rules, options ? options : &defaults, &sink) != 0)
		abort();
}

void phone_end(struct phone *phone)
{
	pipeline_end(phone->pipeline);
}

void phone_stop(struct phone *phone)
{
	struct row_log *log = &phone->log;

	pipeline_free(phone->pipeline);
	ruleset_free(phone->rules);
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

void phone_record(struct phone *phone, const struct trace_record *record)
{
	pipeline_record(phone->pipeline, record);
}

void phone_write(struct phone *phone, enum trace_kind kind, int32_t tid, const char *name,
		 int64_t value)
{
	struct trace_record record = { .kind = kind, .cpu = phone->cpu, .value = value };
	char copy[5000];

	/* A record's name is borrowed: here it is a copy that is invalid after this call. */
	snprintf(copy, sizeof(copy), "%s", name);
	record.tid = tid ? tid : phone->sf_tid;
	record.tgid = phone->sf_tgid;
	record.pid = phone->sf_pid;
	record.writer = phone->sf_writer;
	record.time_ns = phone->now_ns;
	record.comm = tid ? SPAN_LITERAL("Binder:406_1") : span_of(phone->sf_comm);
	record.name = span_of(copy);
	pipeline_record(phone->pipeline, &record);
	memset(copy, 'X', strlen(copy));
}

void phone_begin(struct phone *phone, const char *slice)
{
	phone_write(phone, TRACE_SLICE_BEGIN, 0, slice, 0);
}

void phone_end_slices(struct phone *phone, unsigned int n)
{
	while (n-- > 0)
		phone_write(phone, TRACE_SLICE_END, 0, "", 0);
}

void phone_lost(struct phone *phone, int cpu, int64_t events)
{
	struct trace_record record = { .kind = TRACE_LOST, .cpu = cpu, .value = events };

	record.tid = record.tgid = record.pid = TRACE_ID_UNKNOWN;
	record.time_ns = phone->now_ns;
	phone->n_commits++; /* of a frame that was lost */
	pipeline_record(phone->pipeline, &record);
}

void phone_tick(struct phone *phone, uint64_t time_ns)
{
	phone->now_ns = time_ns;
	phone_write(phone, TRACE_COUNTER, 407, "VSYNC-sf", phone->n_commits++ % 2);
}

void phone_queue(struct phone *phone, uint64_t time_ns, const char *layer, int64_t waiting)
{
	char name[5000];

	phone->now_ns = time_ns;
	if (phone->age == PHONE_9) {
		phone_write(phone, TRACE_SLICE_BEGIN, 500, "queueBuffer", 0);
		phone_write(phone, TRACE_COUNTER, 500, layer, waiting);
		phone_write(phone, TRACE_SLICE_END, 500, "", 0);
		return;
	}
	snprintf(name, sizeof(name), "BufferTX - %s", layer);
	phone_write(phone, TRACE_COUNTER, 500, name, waiting);
}

static void latch_by_counter(struct phone *phone, const char *slice, const char *counter)
{
	phone_begin(phone, "latchBuffer");
	phone_begin(phone, slice);
	phone_write(phone, TRACE_COUNTER, 0, counter, 0);
	phone_end_slices(phone, 2);
}

void phone_latch(struct phone *phone, const char *layer)
{
	char name[5000];

	switch (phone->age) {
	case PHONE_9:
		latch_by_counter(phone, "acquireBuffer", layer);
		break;
	case PHONE_13:
		snprintf(name, sizeof(name), "BufferTX - %s", layer);
		latch_by_counter(phone, "updateTexImage", name);
		break;
	case PHONE_14:
		snprintf(name, sizeof(name), "BufferTX - %s", layer);
		phone_write(phone, TRACE_COUNTER, 0, name, 0);
		snprintf(name, INSTANT_CUT + 1, "latchBuffer %s - %u", layer, phone->n_commits);
		phone_write(phone, TRACE_INSTANT, 0, name, 0);
		break;
	}
}

void phone_compose(struct phone *phone, uint64_t present_ns, unsigned int outputs)
{
	phone->now_ns = present_ns - 200 * US;
	phone_begin(phone, phone->age == PHONE_9 ? "handleMessageRefresh" : "composite 1234");
	for (unsigned int i = 0; i < outputs; i++) {
		phone->now_ns = present_ns + i * 100 * US;
		phone_begin(phone, phone->age != PHONE_14 ? "postFramebuffer"
				   : phone->present
					   ? phone->present
					   : "presentFrameAndReleaseLayers for Built-in (0)");
		phone->now_ns += 50 * US;
		phone_end_slices(phone, 1);
	}
	phone_end_slices(phone, 1);
}

static void commit(struct phone *phone, uint64_t time_ns, const char *const *layers)
{
	phone->now_ns = time_ns;
	phone_begin(phone, phone->age == PHONE_9 ? "handleMessageInvalidate" : "commit 1234");
	for (size_t i = 0; layers[i]; i++)
		phone_latch(phone, layers[i]);
	phone_end_slices(phone, 1);
}

void phone_commit(struct phone *phone, uint64_t time_ns, const char *layer)
{
	const char *const layers[] = { layer, NULL };

	commit(phone, time_ns, layers);
}

void phone_show(struct phone *phone, uint64_t present_ns, const char *layer)
{
	phone_commit(phone, present_ns - 1000 * US, layer);
	phone_compose(phone, present_ns, 1);
}

void phone_frames(struct phone *phone, uint64_t present_ns, const char *const *layers)
{
	for (size_t i = 0; layers[i]; i++)
		phone_queue(phone, present_ns - 3000 * US, layers[i], 1);
	phone_tick(phone, present_ns - 2000 * US);
	commit(phone, present_ns - 1000 * US, layers);
	phone_compose(phone, present_ns, 1);
}

void phone_frame(struct phone *phone, uint64_t present_ns, const char *layer)
{
	const char *const layers[] = { layer, NULL };

	phone_frames(phone, present_ns, layers);
}

uint64_t phone_run(struct phone *phone, const char *layer, uint64_t from_ns, uint64_t step_ns,
		   unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		phone_frame(phone, from_ns + i * step_ns, layer);
	return from_ns + (n - 1) * step_ns;
}
