/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers of all CPUs as one stream, ordered by time.
 *
 *     CPU 0   |page: . . . . . . .|          held back: later than the limit
 *     CPU 1   |page: . . . .|                             v
 *     out      . . .. . . . ..  .  . .  .    |  . .  .
 *
 * One page of each CPU's buffer is open at a time, and the oldest event of all open pages is next.
 * If two events have the same time, that of the lower CPU is first, as in the kernel's output.
 */
#ifndef JANKD_PARSER_FTRACE_MERGE_H
#define JANKD_PARSER_FTRACE_MERGE_H

#include "parser/ftrace_raw.h"

struct ftrace_cpu_buffer {
	int32_t cpu; /* for the caller */
	struct ftrace_page page;
	struct ftrace_print next; /* valid if has_next is set */
	bool has_next;
	bool has_lost;	/* events were lost before next; cleared by the caller that reports it */
	uint64_t bytes; /* of its pages so far, with their headers */
};

struct ftrace_merge {
	const struct ftrace_format *format;
	struct ftrace_cpu_buffer *buffers;
	unsigned int n_buffers;
	/* Returns the next page of a CPU's buffer, which stays valid until that buffer's next page
	 * is read. False: there is no page at present. */
	bool (*read)(void *context, unsigned int buffer, struct span *bytes);
	void *context;

	uint64_t bytes;	  /* of the pages so far, with their headers */
	uint64_t damaged; /* pages that were invalid, or read only in part */
	/* Number of buffers with has_lost. The caller that clears one decrements it. As an event is
	 * only first when the next page of each other buffer is open, no event from the time of a
	 * loss is first before this number includes that loss. */
	unsigned int losses;
	struct ftrace_cpu_buffer *first; /* with the oldest event, also if that is held back */
	uint64_t limit_ns;		 /* later events are held back */
	uint64_t until_ns;		 /* first is the oldest event up to this time */
};

/* Reads again from the buffers that had no more pages. The caller sets the first five members; at
 * the start the buffers are all zeros. Returns the buffer with the oldest event; NULL if there is
 * none, or none up to @limit_ns. */
struct ftrace_cpu_buffer *ftrace_merge_turn(struct ftrace_merge *merge, uint64_t limit_ns);

/* See ftrace_merge_pop(). The first buffer's page has no more events (@has_next is not set), or its
 * next event is too late. */
struct ftrace_cpu_buffer *ftrace_merge_change(struct ftrace_merge *merge, bool has_next);

/* Removes the event that the last call returned, and returns the buffer with the next one, as
 * ftrace_merge_turn(). Its text is valid until a page of its buffer is read. Hot path: most events
 * are in the same page as the one before. */
static inline __attribute__((always_inline)) struct ftrace_cpu_buffer *ftrace_merge_pop(
	struct ftrace_merge *merge)
{
	struct ftrace_cpu_buffer *first = merge->first;
	bool has_next = ftrace_page_next(&first->page, &first->next);

	if (has_next && first->next.time_ns <= merge->until_ns)
		return first;
	return ftrace_merge_change(merge, has_next);
}

#endif
