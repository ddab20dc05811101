/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a live text that report lost events. The kernel writes one before the next event of a
 * CPU that lost some. But an app can write the same line into trace_marker, after a line end. So
 * each such line is a claim. It is compared with the kernel's own count for that CPU.
 *
 *     kernel's count, overrun     0 . . . . 700 . . . . . . . . . . . 700
 *     lines in the text                 CPU:0 [LOST 700 EVENTS]    CPU:0 [LOST 99999 EVENTS]
 *     not reported yet            0     700 -> 0                   0: forged
 *
 * The count is read after the line, so it includes what a line of the kernel reports. When the
 * buffers have been read to their end, every loss that was counted before has been reported. If no
 * unreported loss is left, a line is forged. But if another line was confirmed since the buffers
 * were last read to their end, one of the two lines is the kernel's, and it is unknown which. Then
 * both are holes, and the number is counted once. If the count cannot be read, or a buffer was just
 * emptied, all lines are accepted. */
#ifndef JANKD_DAEMON_TRACE_LOST_CLAIMS_H
#define JANKD_DAEMON_TRACE_LOST_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/trace_files.h"
#include "parser/record.h"
#include "rules/base/rate_limit.h"

struct lost_claim_cpu {
	struct cpu_buffer_counts stats;
	uint64_t reported; /* losses of stats.lost that lines have reported */
	uint64_t read_ns;  /* @read_ns of lost_claims_accept() at the last read of the counts */
	bool confirmed;	   /* a line was confirmed since the buffers were read to their end */
	bool emptied;	   /* the buffer was emptied since then */
};

struct lost_claims {
	const struct trace_files *files;
	struct lost_claim_cpu cpus[TRACE_CPUS_MAX];
	bool has_new;		 /* lost_claims_update() found losses; not drained since then */
	uint64_t forged;	 /* lines */
	uint64_t reported;	 /* forged lines that lost_claims_report() has reported */
	struct rate_limit limit; /* of events about them */
	int64_t last;		 /* claimed by the last one: events, or TRACE_LOST_UNKNOWN */
	int32_t last_cpu;
};

/* Lines may still report events that were lost before this call. @files: borrowed. */
void lost_claims_begin(struct lost_claims *claims, const struct trace_files *files);

/**
 * lost_claims_accept() - check whether a line about lost events is the kernel's
 * @record: of TRACE_LOST; its value becomes the number to count, which may be smaller
 * @read_ns: when its bytes were read; the counts are read once for all lines of one read
 *
 * Returns false if the line is forged.
 */
bool lost_claims_accept(struct lost_claims *claims, struct trace_record *record, uint64_t read_ns);

/* Reads the counts of all CPUs. Call it about once a second, between two reads. */
void lost_claims_update(struct lost_claims *claims);

/* The buffers were read to their end. */
void lost_claims_drained(struct lost_claims *claims);

/* The buffers were emptied, so their counts start again. */
void lost_claims_emptied(struct lost_claims *claims);

/* Sets @text to a report about new forged lines, at most once a minute. @is_end: the last call,
 * which always reports them. Returns false if there is nothing to report. */
bool lost_claims_report(struct lost_claims *claims, bool is_end, char text[static 200]);

#endif
