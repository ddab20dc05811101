/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as pages of CPU buffers: nothing outside of them is read, parsing ends, and events are
 * sorted by time as long as those of each page are.
 *
 * The first byte determines the number of buffers and the kernel's format, the next two the size of
 * a page; then come the pages, of each buffer in turn. */
#include <stdlib.h>
#include <string.h>

#include "parser/ftrace_raw.h"
#include "parser/marker.h"
#include "tests/fuzz/target.h"

#define BUFFERS_MAX 4
#define PAGE_MAX 4096

struct input {
	const uint8_t *data;
	size_t size, page_size;
	char *pages[BUFFERS_MAX]; /* each exactly as long as its content, so that a sanitizer
			       detects a read of one byte more */
};

static bool read_page(void *context, unsigned int buffer, struct span *bytes)
{
	struct input *input = context;
	size_t size = input->size < input->page_size ? input->size : input->page_size;

	if (size == 0)
		return false;
	free(input->pages[buffer]);
	input->pages[buffer] = malloc(size);
	if (!input->pages[buffer])
		abort();
	memcpy(input->pages[buffer], input->data, size);
	*bytes = (struct span){ input->pages[buffer], size };
	input->data += size;
	input->size -= size;
	return true;
}

static void check_text(const struct ftrace_cpu_buffer *buffer)
{
	struct span text = buffer->next.text;
	bool is_marker, is_readable = buffer->page.end - text.ptr >= MARKER_READS;
	struct trace_record record, same;

	NOTE((int64_t)buffer->next.time_ns, buffer->next.tid, buffer->has_lost,
	     (int64_t)buffer->bytes, buffer->page.lost);
	note(text.ptr, text.len);
	if (text.len > PAGE_MAX || memchr(text.ptr, '\n', text.len) ||
	    memchr(text.ptr, '\0', text.len))
		wrong("a text that does not end where it ends");
	is_marker = marker_parse(text, false, &record);
	if (is_marker && record.name.len > text.len)
		wrong("a name that is longer than its marker");
	if (marker_parse(text, is_readable, &same) != is_marker ||
	    (is_marker && (same.pid != record.pid || same.name.len != record.name.len)))
		wrong("a marker that depends on what follows it");
}

static void drain(struct ftrace_merge *merge, uint64_t limit_ns)
{
	struct ftrace_cpu_buffer *buffer = ftrace_merge_turn(merge, limit_ns);

	for (; buffer; buffer = ftrace_merge_pop(merge)) {
		if (buffer->next.time_ns > limit_ns)
			wrong("an event that was to be held back");
		for (unsigned int i = 0; i < merge->n_buffers; i++)
			if (merge->buffers[i].has_next &&
			    merge->buffers[i].next.time_ns < buffer->next.time_ns)
				wrong("an event before an older one");
		check_text(buffer);
	}
}

static void check_pages(struct input *input, const struct ftrace_format *format,
			unsigned int n_buffers)
{
	struct ftrace_cpu_buffer buffers[BUFFERS_MAX] = { 0 };
	struct ftrace_merge merge = {
		.format = format,
		.buffers = buffers,
		.n_buffers = n_buffers,
		.read = read_page,
		.context = input,
	};

	for (uint64_t limit_ns = UINT64_C(1) << 40; input->size > 0; limit_ns = UINT64_MAX)
		drain(&merge, limit_ns);
	drain(&merge, UINT64_MAX);
	for (unsigned int i = 0; i < n_buffers; i++)
		if (buffers[i].has_next)
			wrong("an event that is left");
	for (unsigned int i = 0; i < BUFFERS_MAX; i++)
		free(input->pages[i]);
	NOTE((int64_t)merge.bytes, (int64_t)merge.damaged, merge.losses);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ftrace_format formats[] = {
		{ 5, 4, 16, 8, 8, 16, 4096 }, /* 64 bits */
		{ 5, 4, 12, 8, 4, 12, 4096 }, /* 32 bits */
	};
	struct input input = { .data = data + 3, .size = size - 3 };
	struct ftrace_format any = { 0 };

	/* The data are also read as the kernel's descriptions of its formats. */
	ftrace_format_read_print(&any, (struct span){ (const char *)data, size });
	ftrace_format_read_page(&any, (struct span){ (const char *)data, size });
	NOTE(any.print_id, any.pid_offset, any.text_offset, any.commit_offset, any.commit_size,
	     any.data_offset, any.page_size);
	if (size < 4)
		return 0;
	input.page_size = 1 + (data[1] | (size_t)data[2] << 8) % PAGE_MAX;
	check_pages(&input, &formats[data[0] >> 7], 1 + data[0] % BUFFERS_MAX);
	return 0;
}
