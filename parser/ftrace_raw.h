/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of trace_pipe_raw to markers: the kernel's ring buffer in its binary form.
 *
 * Nothing is formatted as text, so no line can be forged: each write of a process is one event,
 * whatever its bytes are.
 */
#ifndef JANKD_PARSER_FTRACE_RAW_H
#define JANKD_PARSER_FTRACE_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "parser/swar.h"

/* The layout, from the kernel's files events/ftrace/print/format and events/header_page. Offsets
 * are in bytes from the start of the page; those of pid and text from that of the print event. */
struct ftrace_format {
	uint16_t print_id;
	uint16_t pid_offset;	/* of the writer's thread (the kernel's number) */
	uint16_t text_offset;	/* of the text that was written */
	uint16_t commit_offset; /* of the page's length and flags */
	uint16_t commit_size;	/* size of the kernel's long: 8 or 4 */
	uint16_t data_offset;	/* of the first event */
	uint32_t page_size;	/* in the top-level instance */
};

/* Parse the two files; both are needed. Return false if the text has another format. */
bool ftrace_format_read_print(struct ftrace_format *format, struct span text);
bool ftrace_format_read_page(struct ftrace_format *format, struct span text);

/* A page that is being read. */
struct ftrace_page {
	const struct ftrace_format *format;
	const char *at;
	const char *end;
	uint64_t time_ns; /* of the last event */
	size_t least;	  /* size of a print event without text */
	/* Number of events lost before this page; FTRACE_LOST_UNKNOWN; 0: none. */
	int64_t lost;
	bool damaged; /* an event exceeded the page: the rest of the page was dropped */
};

#define FTRACE_LOST_UNKNOWN INT64_C(-1)

/* A marker, borrowed from the page. */
struct ftrace_print {
	uint64_t time_ns;
	int32_t tid;
	struct span text; /* up to the first line end or NUL */
};

/**
 * ftrace_page_begin() - begin to read a page
 * @bytes: from one read of trace_pipe_raw; must stay valid until the page has been read
 *
 * Returns false if it is not a valid page.
 */
bool ftrace_page_begin(struct ftrace_page *page, const struct ftrace_format *format,
		       struct span bytes);

/* The first word of an event: its type, which is the number of words of data from 1 up to the one
 * before FTRACE_TYPE_PADDING, and above it the time since the previous event. */
#define FTRACE_TYPE_BITS 5
#define FTRACE_TYPE_PADDING 29

/* Passes an event of another type, whose first word is @word. Sets @event to its data. False: it
 * has none, or nothing follows it in the page. */
bool ftrace_page_pass_other(struct ftrace_page *page, uint32_t word, struct span *event);

/* Reads a print event. Returns false if it is another event. */
static inline bool ftrace_print_read(const struct ftrace_page *page, struct span event,
				     struct ftrace_print *print)
{
	const struct ftrace_format *format = page->format;
	const char *end;
	uint16_t id;

	if (event.len < page->least)
		return false;
	memcpy(&id, event.ptr, sizeof(id));
	if (id != format->print_id)
		return false;
	memcpy(&print->tid, event.ptr + format->pid_offset, sizeof(print->tid));
	print->time_ns = page->time_ns;
	/* The end is searched in the rest of the page, as in the event the last bytes would be
	 * searched one by one. */
	print->text = span_skip(event, format->text_offset);
	end = text_end(print->text.ptr, page->end);
	if (end && (size_t)(end - print->text.ptr) < print->text.len)
		print->text.len = (size_t)(end - print->text.ptr);
	return true;
}

/* The next marker of the page; other events are skipped. Returns false at the end. Hot path. */
static inline __attribute__((always_inline)) bool ftrace_page_next(struct ftrace_page *page,
								   struct ftrace_print *print)
{
	while (page->end - page->at >= 4) {
		uint32_t word = word_load_half(page->at);
		uint32_t type = word & ((1U << FTRACE_TYPE_BITS) - 1);
		struct span event = { page->at + 4, (size_t)type * 4 };

		if (type > 0 && type < FTRACE_TYPE_PADDING &&
		    event.len <= (size_t)(page->end - event.ptr)) {
			page->at = event.ptr + event.len;
			page->time_ns += word >> FTRACE_TYPE_BITS;
		} else if (!ftrace_page_pass_other(page, word, &event)) {
			continue;
		}
		if (ftrace_print_read(page, event, print))
			return true;
	}
	page->at = page->end;
	return false;
}

/* --- the merge of all CPUs --- */

/* The buffers of all CPUs as one stream, ordered by time.
 *
 *     CPU 0   |page: . . . . . . .|          held back: later than the limit
 *     CPU 1   |page: . . . .|                             v
 *     out      . . .. . . . ..  .  . .  .    |  . .  .
 *
 * One page of each CPU's buffer is open at a time, and the oldest event of all open pages is next.
 * If two events have the same time, that of the lower CPU is first, as in the kernel's output.
 */
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
