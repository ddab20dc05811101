/* SPDX-License-Identifier: Apache-2.0 */
/* A page of the kernel's ring buffer (include/linux/ring_buffer.h, kernel/trace/ring_buffer.c):
 *
 *     | u64 time | long commit | event | event | ... | long lost |
 *                  length in its low 20 bits; bit 31: events were lost before this page;
 *                  bit 30: their number follows the data
 *
 * An event begins with a word: type_len in the low 5 bits, above it the time since the previous
 * event. type_len defines where the data is, and its length:
 *
 *     1 to 28   type_len words of data follow the word
 *     0         the next word is the number of bytes, itself included
 *     29        padding: all of the rest if the time is 0, else as with type_len 0
 *     30        no data, but a longer time difference: its upper bits are the next word
 *     31        no data, but an absolute time of 59 bits, in the same form
 *
 * A page comes from the kernel, but all lengths in it are checked: a wrong one must not crash
 * jankd.
 */
#include "parser/ftrace_raw.h"

#include <string.h>

#define COMMIT_LENGTH UINT32_C(0xfffff)
#define COMMIT_LOST (UINT32_C(1) << 31)
#define COMMIT_COUNTED (UINT32_C(1) << 30)

#define DELTA_BITS 27
#define STAMP_BITS 59 /* bits of a time: a word and DELTA_BITS */

enum { TYPE_LONG = 0, TYPE_PADDING = FTRACE_TYPE_PADDING, TYPE_EXTEND = 30, TYPE_STAMP = 31 };

/* --- formats --- */

/* The number that follows the first @label in @text, up to UINT16_MAX. */
static bool find_number(struct span text, const char *label, uint16_t *number)
{
	size_t len = strlen(label);
	const char *at = memmem(text.ptr, text.len, label, len);
	uint64_t value;

	if (!at)
		return false;
	text = span_skip_blanks(span_skip(text, (size_t)(at - text.ptr) + len));
	if (!span_take_number(&text, UINT16_MAX, &value))
		return false;
	*number = (uint16_t)value;
	return true;
}

/* The number that follows @label on the line of the field @name (" commit;" with its type before).
 */
static bool field_number(struct span text, const char *name, const char *label, uint16_t *number)
{
	const char *at = memmem(text.ptr, text.len, name, strlen(name));
	const char *end;

	if (!at)
		return false;
	text = span_skip(text, (size_t)(at - text.ptr));
	end = memchr(text.ptr, '\n', text.len);
	if (end)
		text.len = (size_t)(end - text.ptr);
	return find_number(text, label, number);
}

bool ftrace_format_read_print(struct ftrace_format *format, struct span text)
{
	return find_number(text, "ID:", &format->print_id) &&
	       field_number(text, " common_pid;", "offset:", &format->pid_offset) &&
	       (field_number(text, " buf[", "offset:", &format->text_offset) ||
		field_number(text, " buf;", "offset:", &format->text_offset));
}

bool ftrace_format_read_page(struct ftrace_format *format, struct span text)
{
	uint16_t data_size;

	if (!field_number(text, " data;", "size:", &data_size))
		return false;
	if (!field_number(text, " commit;", "offset:", &format->commit_offset) ||
	    !field_number(text, " commit;", "size:", &format->commit_size) ||
	    !field_number(text, " data;", "offset:", &format->data_offset))
		return false;
	format->page_size = (uint32_t)format->data_offset + data_size;
	return (format->commit_size == 4 || format->commit_size == 8) &&
	       format->commit_offset + format->commit_size <= format->data_offset;
}

/* --- pages --- */

bool ftrace_page_begin(struct ftrace_page *page, const struct ftrace_format *format,
		       struct span bytes)
{
	const char *data = bytes.ptr + format->data_offset;
	size_t with_pid = format->pid_offset + sizeof(int32_t);
	uint64_t lost = 0;
	uint32_t commit;
	size_t length, space;

	if (bytes.len < format->data_offset || format->data_offset < sizeof(uint64_t))
		return false;
	commit = word_load_half(bytes.ptr + format->commit_offset);
	length = commit & COMMIT_LENGTH;
	space = bytes.len - format->data_offset;
	if (length > space)
		return false;
	/* The number of lost events, if the page contains it. */
	if ((commit & COMMIT_COUNTED) && space - length >= format->commit_size)
		lost = word_load_some(data + length, format->commit_size);
	*page = (struct ftrace_page){
		.format = format,
		.at = data,
		.end = data + length,
		.time_ns = word_load(bytes.ptr),
		.least = format->text_offset > with_pid ? format->text_offset : with_pid,
		.lost = FTRACE_LOST_UNKNOWN,
	};
	if (!(commit & COMMIT_LOST))
		page->lost = 0;
	else if (lost > 0 && lost <= INT64_MAX)
		page->lost = (int64_t)lost;
	return true;
}

__attribute__((noinline)) bool ftrace_page_pass_other(struct ftrace_page *page, uint32_t word,
						      struct span *event)
{
	uint32_t type = word & ((1U << FTRACE_TYPE_BITS) - 1);
	const char *after = page->at + 4;
	size_t left = (size_t)(page->end - after), length = 0;
	uint64_t delta = word >> FTRACE_TYPE_BITS, upper = UINT64_MAX << STAMP_BITS;
	bool is_unused = type == TYPE_PADDING && delta == 0;

	if (type == TYPE_EXTEND || type == TYPE_STAMP)
		length = 4;
	else if (type != TYPE_LONG && type != TYPE_PADDING)
		length = (size_t)type * 4;
	else if (left >= 4)
		length = ((size_t)word_load_half(after) + 3) & ~(size_t)3;
	if (is_unused || length > left || length < 4) {
		page->damaged |= !is_unused;
		page->at = page->end;
		return false;
	}
	page->at = after + length;
	if (type >= TYPE_EXTEND)
		delta |= (uint64_t)word_load_half(after) << DELTA_BITS;
	if (type != TYPE_STAMP) {
		page->time_ns += delta;
	} else {
		/* The upper bits are those of the time before; they change every 18 years. */
		delta |= page->time_ns & upper;
		if ((page->time_ns & upper) && delta + (UINT64_C(1) << 58) < page->time_ns)
			delta += UINT64_C(1) << STAMP_BITS;
		page->time_ns = delta;
	}
	*event = (struct span){ after, length };
	if (type == TYPE_LONG)
		*event = span_skip(*event, 4);
	return type < TYPE_PADDING;
}

/* --- the merge --- */

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
