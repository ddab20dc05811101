/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a live text that report lost events. The kernel writes one before the next event of a
 * CPU that lost some; but an app can write the same line into trace_marker, after a line end. So
 * each such line is a claim, which is compared with the kernel's own count for that CPU.
 *
 *     kernel's count, overrun     0 . . . . 700 . . . . . . . . . . . 700
 *     lines in the text                 CPU:0 [LOST 700 EVENTS]    CPU:0 [LOST 99999 EVENTS]
 *     not reported yet            0     700 -> 0                   0: forged
 *
 * The count is ahead of the text: it is read after the line, so it includes what a line of the
 * kernel reports. When the buffers have been read to their end, every loss that was counted before
 * has been reported. A line for which nothing is left is forged, unless another one was confirmed
 * since then: one of the two is the kernel's, but it cannot be seen which. Then both are holes, and
 * the number is counted once. Where the count cannot be read, or a buffer was just emptied, lines
 * are accepted as they are. */
#ifndef JANKD_DAEMON_TRACE_LOST_CLAIMS_H
#define JANKD_DAEMON_TRACE_LOST_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/cpu_buffer_stats.h"
#include "parser/record.h"
#include "rules/rate_limit.h"

struct lost_claim_cpu {
	struct cpu_buffer_counts stats;
	uint64_t reported;  /* of stats.lost */
	uint64_t looked_ns; /* the read that the counts were read for */
	bool confirmed;	    /* a line was, since the buffers were read to their end */
	bool emptied;	    /* likewise */
};

struct lost_claims {
	const struct trace_files *files;
	struct lost_claim_cpu cpus[CPU_BUFFER_CPUS_MAX];
	uint64_t forged;	 /* lines */
	uint64_t reported;	 /* of these */
	struct rate_limit limit; /* of events about them */
	int64_t last;		 /* what the last of them claims: events, or TRACE_LOST_UNKNOWN */
	int32_t last_cpu;
};

/* What was lost before may still be reported. @files: borrowed. */
void lost_claims_begin(struct lost_claims *claims, const struct trace_files *files);

/**
 * lost_claims_accept() - is a line about lost events the kernel's?
 * @record: of TRACE_LOST; its value becomes what is to be counted, at most what it was
 * @read_ns: when its bytes were read: the counts are read once for all of them
 */
bool lost_claims_accept(struct lost_claims *claims, struct trace_record *record, uint64_t read_ns);

/* Reads the counts of all CPUs. To be called about once a second, between two reads. */
void lost_claims_look(struct lost_claims *claims);

/* The buffers were read to their end. */
void lost_claims_drained(struct lost_claims *claims);

/* The buffers were emptied, so their counts start again. */
void lost_claims_emptied(struct lost_claims *claims);

/* Sets @text to a report about forged lines: at once, then once a minute, and where there is no
 * later call, @is_end. Returns false where there is none. */
bool lost_claims_report(struct lost_claims *claims, bool is_end, char text[static 200]);

#endif
