/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a live text that say how many events were lost. The kernel writes them, before the next
 * event of a CPU that lost some; but an app can write the same line into trace_marker, behind a
 * line end. So what a line claims is held against the kernel's own account of that CPU.
 *
 *     kernel's account, overrun   0 . . . . 700 . . . . . . . . . . . 700
 *     lines in the text                 CPU:0 [LOST 700 EVENTS]    CPU:0 [LOST 99999 EVENTS]
 *     not told yet                0     700 -> 0                   0: forged
 *
 * The account is ahead of the text: it is read after the line was, so it holds what a line of the
 * kernel's tells. When all was read that was in the buffers, every loss that was in the account
 * before has been told. A line for which nothing is left is forged, unless another one was
 * confirmed since then: one of the two was the kernel's, and which one shows nowhere. Then both are
 * holes, and the number is counted once. Where the account cannot be read, or a buffer was emptied
 * just now, lines are taken as they are. */
#ifndef JANKD_DAEMON_CAPTURE_LOST_CLAIMS_H
#define JANKD_DAEMON_CAPTURE_LOST_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/trace/cpu_buffer_stats.h"
#include "parser/record.h"

struct lost_claim_cpu {
	struct cpu_buffer_counts stats;
	uint64_t told;	    /* of stats.lost */
	uint64_t looked_ns; /* the read that it was looked at for */
	bool confirmed;	    /* some line was, since all was read */
	bool emptied;	    /* since all was read */
};

struct lost_claims {
	const struct trace_files *files;
	struct lost_claim_cpu cpus[CPU_BUFFER_CPUS_MAX];
	uint64_t forged; /* lines that were */
	uint64_t told;	 /* of these */
	uint64_t told_ns;
	int64_t last; /* what the last of them claims: events, or TRACE_LOST_UNKNOWN */
	int32_t last_cpu;
};

/* What was lost before may still be told. @files: borrowed. */
void lost_claims_begin(struct lost_claims *claims, const struct trace_files *files);

/**
 * lost_claims_take() - is a line about lost events the kernel's?
 * @record: of TRACE_LOST; its value becomes what is to be counted, at most what it was
 * @read_ns: when its bytes were read: one look is enough for all of them
 */
bool lost_claims_take(struct lost_claims *claims, struct trace_record *record, uint64_t read_ns);

/* Looks at all CPUs. To be called about once a second, between two drains. */
void lost_claims_look(struct lost_claims *claims);

/* All was read that was in the buffers. */
void lost_claims_drained(struct lost_claims *claims);

/* Buffers were emptied, so their accounts begin again. */
void lost_claims_emptied(struct lost_claims *claims);

/* What there is to tell of forged lines: at once, then once a minute, or at the end. False:
 * nothing. */
bool lost_claims_tell(struct lost_claims *claims, bool end, char text[static 200]);

#endif
