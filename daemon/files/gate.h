/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows --trigger selects: those of the time in which it holds, and of the five seconds
 * before. Which rows those are is known only when the trigger begins to hold. Until then rows are
 * kept as values, with copies of their names, in a memory of fixed size. */
#ifndef JANKD_DAEMON_FILES_GATE_H
#define JANKD_DAEMON_FILES_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/files/file_job.h"
#include "rules/row.h"

/* Trace time before the trigger holds of which rows are written, too. */
#define GATE_BEFORE_NS UINT64_C(5000000000)

/* The trace time that a row is about. */
struct gate_span {
	uint64_t begin_ns, end_ns;
};

/* A row for one file, still a value: borrowed. */
struct gate_row {
	enum row_file which; /* not ROW_EVENTS: events pass any gate */
	struct gate_span span;
	union {
		const void *value;
		const struct fps_row *fps;
		const struct drop_row *drop;
		const struct frame_row *frame;
	};
};

struct gate;

/* Returns NULL where there is no memory. The gate is closed. */
struct gate *gate_new(void);

/* Frees @gate, which may be NULL. Returns NULL. */
struct gate *gate_free(struct gate *gate);

/* Does a row belong to the time in which the gate is open, or was open last? */
bool gate_passes(const struct gate *gate, const struct gate_span *span);

/* Keeps a copy of a row that does not pass now: the gate may open within five seconds. */
void gate_keep(struct gate *gate, const struct gate_row *row);

/* Opens it at @time_ns of the trace: calls @pass for each kept row that belongs to it, in the order
 * in which they came. Returns how many rows of the five seconds were dropped, because the memory
 * was full. */
uint64_t gate_open(struct gate *gate, uint64_t time_ns, void *context,
		   void (*pass)(void *context, const struct gate_row *row));

void gate_close(struct gate *gate, uint64_t time_ns);

#endif
