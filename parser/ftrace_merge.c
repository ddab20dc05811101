/* SPDX-License-Identifier: Apache-2.0 */
#include "parser/ftrace_merge.h"

/* Opens the CPU's next page. An invalid page ends its turn, as there may be any number of them. */
static __attribute__((noinline)) bool open_page(struct ftrace_merge *merge,
						struct ftrace_cpu_buffer *buffer)
{
	struct span bytes;

	if (!merge->read(merge->context, (unsigned int)(buffer - merge->buffers), &bytes))
		return false;
	if (!ftrace_page_begin(&buffer->page, merge->format, bytes)) {
		buffer->page.format = NULL;
		merge->damaged++;
		return false;
	}
	buffer->bytes += (uint64_t)(buffer->page.end - bytes.ptr);
	merge->bytes += (uint64_t)(buffer->page.end - bytes.ptr);
	if (buffer->page.lost != 0 && !buffer->has_lost) {
		buffer->has_lost = true;
		merge->losses++;
	}
	return true;
}

/* Finds the next event, in this page or in a following one. */
static void advance(struct ftrace_merge *merge, struct ftrace_cpu_buffer *buffer)
{
	do {
		buffer->has_next =
			buffer->page.format && ftrace_page_next(&buffer->page, &buffer->next);
		if (buffer->has_next || !buffer->page.format)
			continue;
		merge->damaged += buffer->page.damaged;
		buffer->page.format = NULL;
	} while (!buffer->has_next && open_page(merge, buffer));
}

/* The latest time of an event of @buffer that is still before the next one of @other. */
static uint64_t until(const struct ftrace_cpu_buffer *buffer, const struct ftrace_cpu_buffer *other)
{
	return other > buffer ? other->next.time_ns : other->next.time_ns - 1;
}

static struct ftrace_cpu_buffer *find_first(struct ftrace_merge *merge)
{
	struct ftrace_cpu_buffer *first = NULL;

	for (unsigned int i = 0; i < merge->n_buffers; i++) {
		struct ftrace_cpu_buffer *buffer = &merge->buffers[i];

		if (buffer->has_next && (!first || buffer->next.time_ns < first->next.time_ns))
			first = buffer;
	}
	merge->first = first;
	merge->until_ns = merge->limit_ns;
	for (unsigned int i = 0; first && i < merge->n_buffers; i++) {
		const struct ftrace_cpu_buffer *buffer = &merge->buffers[i];

		if (buffer != first && buffer->has_next && until(first, buffer) < merge->until_ns)
			merge->until_ns = until(first, buffer);
	}
	return first && first->next.time_ns <= merge->limit_ns ? first : NULL;
}

struct ftrace_cpu_buffer *ftrace_merge_turn(struct ftrace_merge *merge, uint64_t limit_ns)
{
	merge->limit_ns = limit_ns;
	for (unsigned int i = 0; i < merge->n_buffers; i++)
		if (!merge->buffers[i].has_next)
			advance(merge, &merge->buffers[i]);
	return find_first(merge);
}

struct ftrace_cpu_buffer *ftrace_merge_change(struct ftrace_merge *merge, bool has_next)
{
	merge->first->has_next = has_next;
	if (!has_next)
		advance(merge, merge->first);
	return find_first(merge);
}
