/* SPDX-License-Identifier: Apache-2.0 */
/* A sink that keeps copies of all rows and their names for a test. */
#ifndef JANKD_TESTS_ROW_LOG_H
#define JANKD_TESTS_ROW_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "rules/base/row.h"

/* The gate opened or closed. */
struct gate_change {
	bool open;
	uint64_t time_ns;
	size_t n_frames; /* number of rows in the log before it */
};

struct row_log {
	size_t n_fps, n_drops, n_frames, n_events, n_late, n_gate, n_latency;
	struct fps_row *fps;
	struct drop_row *drops;
	struct frame_row *frames;
	struct trace_event *events;
	struct late_frame *late;
	struct gate_change *gate;
	struct frame_row *latency;
	char **texts; /* of the rows */
	size_t n_texts;
};

/* Empties @log and returns a sink that fills it. */
struct row_sink row_log_begin(struct row_log *log);

void row_log_free(struct row_log *log);

#endif
