/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that --trigger selects: those of the time in which the trigger holds, and of the five
 * seconds before. That is known only when the trigger begins to hold. Until then rows are kept as
 * values, with copies of their names, in memory of fixed size. */
#ifndef JANKD_DAEMON_FILES_GATE_H
#define JANKD_DAEMON_FILES_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/files/file_job.h"
#include "rules/row.h"

/* Trace time before the trigger holds. Its rows are written, too. */
#define GATE_BEFORE_NS UINT64_C(5000000000)

/* The trace time that a row describes. */
struct gate_span {
	uint64_t begin_ns, end_ns;
};

/* A row for one file, as a value: borrowed. */
struct gate_row {
	enum row_file which; /* not ROW_EVENTS: events do not pass through the gate */
	struct gate_span span;
	union {
		const void *value;
		const struct fps_row *fps;
		const struct drop_row *drop;
		const struct frame_row *frame;
	};
};

struct gate;

/* Returns NULL if out of memory. The gate is closed. */
struct gate *gate_new(void);

/* Frees @gate, which may be NULL. Returns NULL. */
struct gate *gate_free(struct gate *gate);

/* True: the row belongs to the time in which the gate is open, or was open last. */
bool gate_passes(const struct gate *gate, const struct gate_span *span);

/* Keeps a copy of a row that does not pass now, as the gate may open within five seconds. */
void gate_keep(struct gate *gate, const struct gate_row *row);

/* Opens the gate at @time_ns of the trace. Calls @pass for each kept row that belongs to it, in the
 * order of gate_keep(). Returns the number of rows of the five seconds that were dropped, as the
 * memory was full. */
uint64_t gate_open(struct gate *gate, uint64_t time_ns, void *context,
		   void (*pass)(void *context, const struct gate_row *row));

void gate_close(struct gate *gate, uint64_t time_ns);

#endif
