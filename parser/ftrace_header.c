/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/ftrace_header.h"

#include "parser/anchor.h"

/* Width of the column: comm is printed with %16s and has at most 15 bytes. */
#define COMM_WIDTH 16

/* Hot path: everything is inlined, so that values stay in registers. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* --- a header of any shape, read from right to left --- */

/* The kernel pads with blanks; tools that print events again may use tabs. */
ALWAYS_INLINE bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

ALWAYS_INLINE void pop_blanks(struct span *head)
{
	while (head->len > 0 && is_blank(head->ptr[head->len - 1]))
		head->len--;
}

/* Removes @c from the end. Returns false if it is not there. */
ALWAYS_INLINE bool pop_char(struct span *head, char c)
{
	bool is_there = head->len > 0 && head->ptr[head->len - 1] == c;

	head->len -= is_there;
	return is_there;
}

/* Removes up to 11 digits from the end. Returns how many: 11 means more than 10. */
ALWAYS_INLINE unsigned int pop_digits(struct span *head, uint64_t *number)
{
	const char *at = head->ptr + head->len;
	unsigned int n = 0;
	uint64_t value = 0;

	for (uint64_t unit = 1; at > head->ptr && is_digit(at[-1]) && n <= 10; unit *= 10, n++)
		value += unit * (uint64_t)(*--at - '0');
	head->len = (size_t)(at - head->ptr);
	*number = value;
	return n;
}

/* Removes a decimal number from the end. Returns false if there is none or it is too large. */
ALWAYS_INLINE bool pop_number(struct span *head, int32_t *number)
{
	uint64_t value;
	unsigned int n = pop_digits(head, &value);

	if (n == 0 || n > 10 || value > INT32_MAX)
		return false;
	*number = (int32_t)value;
	return true;
}

/* Removes "seconds.fraction" from the end: microseconds in all clocks that atrace uses. */
ALWAYS_INLINE bool pop_time(struct span *head, uint64_t *time_ns)
{
	static const uint32_t units[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
					  10000,      1000,	 100,	   10,	    1 };
	uint64_t seconds;
	uint64_t fraction;
	unsigned int n = pop_digits(head, &fraction);

	if (n == 0 || n > 9 || !pop_char(head, '.'))
		return false;
	*time_ns = fraction * units[n];
	/* As nanoseconds they must fit into 64 bits. */
	n = pop_digits(head, &seconds);
	if (n == 0 || n > 11 || seconds >= UINT64_MAX / 1000000000)
		return false;
	*time_ns += seconds * UINT64_C(1000000000);
	return head->len == 0 || is_blank(head->ptr[head->len - 1]);
}

bool ftrace_header_read(struct span *head, struct trace_record *record)
{
	struct span rest = *head; /* local variables stay in registers: hot path */
	int32_t cpu, tgid = TRACE_ID_UNKNOWN, tid;
	struct span comm;
	uint64_t time_ns;
	size_t flags = 0;

	if (!pop_time(&rest, &time_ns))
		return false;
	pop_blanks(&rest);
	/* Flags, if there are any: irqs-off, need-resched, hardirq/softirq, preempt-depth and,
	 * since Linux 5.15, migrate-disable. */
	for (; rest.len > 0 && rest.ptr[rest.len - 1] != ' ' && rest.ptr[rest.len - 1] != ']';
	     flags++)
		rest.len--;
	pop_blanks(&rest);
	if (flags > 8 || !pop_char(&rest, ']') || !pop_number(&rest, &cpu) || !pop_char(&rest, '['))
		return false;
	pop_blanks(&rest);
	/* The process, "(  683)" or "(-----)". */
	if (pop_char(&rest, ')')) {
		if (!pop_number(&rest, &tgid))
			while (pop_char(&rest, '-'))
				;
		pop_blanks(&rest);
		if (!pop_char(&rest, '('))
			return false;
		pop_blanks(&rest);
	}
	if (!pop_number(&rest, &tid) || !pop_char(&rest, '-'))
		return false;
	comm = rest;
	if (comm.len > COMM_WIDTH)
		comm = span_skip(comm, comm.len - COMM_WIDTH);
	*head = (struct span){ rest.ptr, rest.len - comm.len };
	record->comm = span_skip_blanks(comm); /* it is padded on its left */
	record->time_ns = time_ns;
	record->cpu = cpu;
	record->tgid = tgid;
	record->tid = tid;
	record->writer = TRACE_WRITER_UNKNOWN;
	return true;
}

const char *ftrace_header_read_new(struct ftrace_header_cached *cached, struct span head,
				   const char *point, struct trace_record *record)
{
	const char *line, *end = head.ptr + head.len;
	const char *newline = memrchr(head.ptr, '\n', head.len);
	size_t len;

	/* A comm that is not padded would reach into the line before. */
	if (newline)
		head = (struct span){ newline + 1, (size_t)(end - newline) - 1 };
	if (!ftrace_header_read(&head, record))
		return NULL;
	line = head.ptr + head.len;
	len = (size_t)(point - line);
	/* A line with a longer one may be too long. An anchor in it is found before its end. */
	if (len > FTRACE_HEADER_CACHED_MAX || line[-1] != '\n' || memchr(line, '\n', len) ||
	    anchor_may_be_in(line, end))
		return NULL;
	if (len < FTRACE_HEADER_CACHED_MIN)
		return line;
	*cached = (struct ftrace_header_cached){
		.len = (uint32_t)len,
		.comm_at = (uint16_t)(record->comm.ptr - line),
		.comm_len = (uint16_t)record->comm.len,
		.cpu = record->cpu,
		.tgid = record->tgid,
		.tid = record->tid,
		.seconds_ns = record->time_ns / 1000000000 * 1000000000,
	};
	memcpy(cached->text, line, len);
	return line;
}
