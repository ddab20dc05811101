/* SPDX-License-Identifier: Apache-2.0 */
/* The rings of all CPUs as one stream, ordered by time.
 *
 *     ring 0  |page: . . . . . . .|          held back: younger than the limit
 *     ring 1  |page: . . . .|                             v
 *     out      . . .. . . . ..  .  . .  .    |  . .  .
 *
 * A page of each ring is open at a time, and the oldest event of all goes first; of two of one time
 * that of the lower ring, as the kernel does it.
 */
#ifndef JANKD_PARSER_FTRACE_MERGE_H
#define JANKD_PARSER_FTRACE_MERGE_H

#include "parser/ftrace_raw.h"

struct ftrace_cpu_buffer {
	struct ftrace_page page;
	struct ftrace_print next; /* where has_next is set */
	bool has_next;
	bool has_lost; /* events were lost before next; whoever tells that clears it */
};

struct ftrace_merge {
	const struct ftrace_format *format;
	struct ftrace_cpu_buffer *buffers;
	unsigned int n_buffers;
	/* Gives the next page of a ring, which stays where it is until the ring's next one is
	 * asked for. False: there is none now. */
	bool (*read)(void *context, unsigned int buffer, struct span *bytes);
	void *context;

	uint64_t bytes;	  /* of the pages so far, their headers included */
	uint64_t damaged; /* pages that were none, or not to their end */
	struct ftrace_cpu_buffer *first;
	uint64_t until_ns; /* so long first stays the oldest */
};

/* The rings that have run dry are asked again. To be called before each row of
 * ftrace_merge_peek() and ftrace_merge_pop(). The first four members are the caller's to set; rings
 * are all zeros at the begin. */
void ftrace_merge_turn(struct ftrace_merge *merge);

/* The ring with the oldest event, NULL where there is none, or none up to @limit_ns. */
struct ftrace_cpu_buffer *ftrace_merge_peek(struct ftrace_merge *merge, uint64_t limit_ns);

/* Takes the event away that ftrace_merge_peek() found. What was borrowed from it is gone. */
void ftrace_merge_pop(struct ftrace_merge *merge);

#endif
