/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the rows for --trigger: those of the time in which the trigger holds, and of the five
 * seconds before. The gate opens when the trigger begins to hold. While it is closed, rows are kept
 * in memory of fixed size, as they would be written: they are needed if the gate opens within five
 * seconds. */
#ifndef JANKD_DAEMON_FILES_TRIGGER_GATE_H
#define JANKD_DAEMON_FILES_TRIGGER_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/csv_files.h"
#include "parser/span.h"

/* The trace time before the trigger begins to hold whose rows are written, too. */
#define TRIGGER_GATE_BEFORE_NS UINT64_C(5000000000)

/* The trace time that a row describes. */
struct trigger_gate_span {
	uint64_t begin_ns, end_ns;
};

/* A row for one file. */
struct trigger_gate_row {
	enum csv_file_kind which; /* not ROW_EVENTS: events do not pass through the gate */
	struct trigger_gate_span span;
	struct span text; /* the whole row, of CSV_ROW_MAX bytes at most; borrowed */
};

/* Five seconds of a dozen surfaces at 120 Hz, with every frame in frames.csv. */
#define TRIGGER_GATE_BYTES (2 * 1024 * 1024)

/* All zeros: closed. */
struct trigger_gate {
	bool ever_open; /* the gate was opened at least once */
	/* From five seconds before it was last opened until it was closed. */
	struct trigger_gate_span open;
	size_t begin, end;   /* of the kept rows */
	uint64_t dropped;    /* rows since then for which the memory had no space */
	uint64_t dropped_ns; /* the end of the last one */
	/* Each kept row is a struct trigger_gate_row with its text behind it. */
	char bytes[TRIGGER_GATE_BYTES];
};

/* True: @span overlaps the time in which the gate is open, or was open last. */
bool trigger_gate_passes(const struct trigger_gate *gate, const struct trigger_gate_span *span);

/* Keeps a copy of a row that does not pass now. */
void trigger_gate_keep(struct trigger_gate *gate, const struct trigger_gate_row *row);

/* Opens the gate at @time_ns of the trace. Calls @pass for each kept row that belongs to the five
 * seconds before or is later, in the order of trigger_gate_keep(). Returns the number of such rows
 * that were dropped because the memory was full. */
uint64_t trigger_gate_open(struct trigger_gate *gate, uint64_t time_ns, void *context,
			   void (*pass)(void *context, const struct trigger_gate_row *row));

void trigger_gate_close(struct trigger_gate *gate, uint64_t time_ns);

#endif
