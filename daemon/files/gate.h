/* SPDX-License-Identifier: Apache-2.0 */
/* What --trigger lets through: rows of the time that it holds, and of the five seconds before.
 * Those are known only when they are over, so rows wait in a memory of fixed size meanwhile. */
#ifndef JANKD_DAEMON_FILES_GATE_H
#define JANKD_DAEMON_FILES_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Trace time before the trigger holds that is wanted, too. */
#define GATE_BEFORE_NS UINT64_C(5000000000)

/* The stretch of trace time that a row is about. */
struct gate_span {
	uint64_t begin_ns, end_ns;
};

struct gate;

/* Returns NULL where there is no memory. The gate is closed. */
struct gate *gate_new(void);

/* Frees @gate, which may be NULL. Returns NULL. */
struct gate *gate_free(struct gate *gate);

/* Does a row belong to the time that the gate is, or was last, open? */
bool gate_passes(const struct gate *gate, const struct gate_span *span);

/* Keeps a row in case the gate opens within five seconds. @which: the caller's. */
void gate_keep(struct gate *gate, unsigned int which, const struct gate_span *span, const char *row,
	       size_t len);

/* Opens it at @time_ns of the trace: calls @row for each that was kept and belongs to it, in the
 * order in which they came. Returns how many rows of the five seconds found no room. */
uint64_t gate_open(struct gate *gate, uint64_t time_ns, void *context,
		   void (*row)(void *context, unsigned int which, const struct gate_span *span,
			       const char *row, size_t len));

void gate_close(struct gate *gate, uint64_t time_ns);

#endif
