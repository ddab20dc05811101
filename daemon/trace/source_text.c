/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/source_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon/base/loop.h"

/* Most bytes of a read. */
#define READ_SIZE ((size_t)262144)

/* A lap ends if less space than this remains. */
#define SPACE_MIN ((size_t)65536)
_Static_assert(SPACE_MIN >= 2 * FTRACE_TEXT_LINE_MAX, "a begun line leaves space to read");

/* With the markers of atrace's gfx category a phone writes less than 1 MB of text a second; with
 * all categories it may be 10 MB. */
#define SIZE_PER_S (UINT64_C(2) << 20)
#define SIZE_LEAST ((size_t)16 << 20)
#define SIZE_MOST ((size_t)64 << 20)

/* The text in which a time is looked for line by line. */
#define STEP ((size_t)65536)

int source_text_open(struct source_text *text, uint64_t remember_ns,
		     const struct trace_files *files)
{
	/* All pages of a ring now; otherwise the process would grow for minutes. */
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (remember_ns > 0 ? MAP_POPULATE : 0);
	uint64_t size = remember_ns / 1000 * SIZE_PER_S / (NS_PER_S / 1000);
	char *bytes;

	text->parser = FTRACE_TEXT_INIT;
	text->files = files;
	text->source.depends_on_line_format = text->parser.has_markers_only = files != NULL;
	if (files)
		thread_cache_begin(&text->threads, "/proc");
	if (remember_ns == 0)
		size = READ_SIZE;
	else if (size < SIZE_LEAST)
		size = SIZE_LEAST;
	else if (size > SIZE_MOST)
		size = SIZE_MOST;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (bytes == MAP_FAILED)
		return -ENOMEM;
	text->buffer = (struct text_buffer){ bytes, size, .remembers = remember_ns > 0 };
	return 0;
}

void source_text_close(struct source_text *text)
{
	if (text->buffer.bytes)
		munmap(text->buffer.bytes, text->buffer.size);
	text->buffer.bytes = NULL;
	if (text->files)
		thread_cache_end(&text->threads);
}

/* --- reading --- */

static bool is_lap_over(const struct text_buffer *buffer)
{
	return buffer->remembers && buffer->size - buffer->head < SPACE_MIN;
}

static size_t space_after(const struct text_buffer *buffer, size_t head)
{
	return buffer->size - head < READ_SIZE ? buffer->size - head : READ_SIZE;
}

/* The line after @at; @end: there is none. */
static const char *next_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

/* Records that are read at once: few, so that they stay in the CPU's cache. */
#define RECORDS_MAX 32

/* Passes records of a live trace or of remembered text to the sink. Names of threads are corrected
 * from /proc: the kernel keeps few names, and some of them are wrong. Forged lines about lost
 * events are left out. @end: of the last record's line. */
static void pass_on(struct source_text *text, struct trace_record *records, size_t n,
		    const char *end, const struct record_sink *sink)
{
	const struct cached_thread *thread = NULL;
	const bool is_live = text->files != NULL;
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		struct trace_record *record = &records[i];

		if (is_live)
			thread = thread_cache_first(&text->threads, record->tid, text->read_ns);
		/* To find another thread makes the names of those before it invalid. A loss has no
		 * thread. */
		if (i > done && (!thread || text->buffer.remembers || record->kind == TRACE_LOST)) {
			sink->records(sink->context, records + done, i - done);
			done = i;
		}
		text->at = i + 1 < n ? record->comm.ptr + record->text_len : end;
		if (!is_live)
			continue;
		if (record->kind == TRACE_LOST) {
			done += !lost_claims_accept(&text->claims, record, text->read_ns);
			continue;
		}
		if (!thread)
			thread = thread_cache_find(&text->threads, record->tid, text->read_ns);
		thread_cache_correct(thread, record);
	}
	if (n > done)
		sink->records(sink->context, records + done, n - done);
}

/* Parses whole lines. An incomplete line stays in the buffer. */
static void parse(struct source_text *text, bool is_last, const struct record_sink *sink)
{
	struct text_buffer *buffer = &text->buffer;
	struct span input = { buffer->bytes + buffer->begin, buffer->head - buffer->begin };
	const struct ftrace_text *parser = &text->parser;
	struct source_counts *counts = &text->source.counts;
	struct trace_record records[RECORDS_MAX];
	size_t n;

	do {
		n = ftrace_text_read(&text->parser, &input, is_last, records, RECORDS_MAX);
		counts->markers = parser->markers;
		counts->malformed = parser->malformed;
		counts->glued = parser->glued;
		counts->too_long = parser->too_long;
		counts->damaged = parser->malformed + parser->glued + parser->too_long;
		if (n > 0 && (text->files || buffer->remembers))
			pass_on(text, records, n, input.ptr, sink);
		else if (n > 0)
			sink->records(sink->context, records, n);
	} while (n > 0);
	text->at = NULL;
	if (buffer->remembers) {
		buffer->begin = (size_t)(input.ptr - buffer->bytes);
		return;
	}
	memmove(buffer->bytes, input.ptr, input.len);
	buffer->head = input.len;
}

/* Called before the first read: its lines may report events that were lost before it. */
static void begin_claims(struct source_text *text)
{
	if (!text->claims.files)
		lost_claims_begin(&text->claims, text->files);
}

/* A longer time between two reads is a delay: a buffer may have overflowed. The text reports that
 * only with the next event of that CPU, after events of other CPUs from the time of the loss. */
#define DELAY_NS UINT64_C(300000000)

ssize_t source_text_read(struct source *source, enum source_how how, const struct record_sink *sink)
{
	struct source_text *text = (struct source_text *)source;
	struct text_buffer *buffer = &text->buffer;
	const bool is_live = text->files != NULL;
	uint64_t now_ns;
	size_t size, end;
	ssize_t n;

	if (how == SOURCE_HELD_ONLY)
		return -EAGAIN;
	if (is_live) {
		begin_claims(text);
		/* After a delay the kernel's counts show a loss before the text does. */
		now_ns = loop_now();
		if (text->asked_ns > 0 && now_ns - text->asked_ns >= DELAY_NS)
			lost_claims_update(&text->claims);
		text->asked_ns = now_ns;
		source->loss_ahead = text->claims.has_new;
	}

	/* The next lap begins with the incomplete line. */
	if (is_lap_over(buffer)) {
		buffer->head -= buffer->begin;
		memmove(buffer->bytes, buffer->bytes + buffer->begin, buffer->head);
		buffer->lap_end = buffer->begin;
		buffer->old = buffer->begin = 0;
	}
	size = space_after(buffer, buffer->head);
	end = buffer->head + size;
	if (end >= buffer->lap_end)
		buffer->old = buffer->lap_end;
	else if (buffer->old < end)
		buffer->old =
			(size_t)(next_line(buffer->bytes + end, buffer->bytes + buffer->lap_end) -
				 buffer->bytes);

	n = text->bytes(text, buffer->bytes + buffer->head, size);
	if (n > 0) {
		source->counts.bytes += (uint64_t)n;
		if (is_live)
			text->read_ns = loop_now();
		if (sink) {
			buffer->head += (size_t)n;
			parse(text, false, sink);
		}
	} else if (n == -EAGAIN) {
		if (is_live)
			lost_claims_drained(&text->claims);
		source->loss_ahead = false;
	} else if (sink) {
		/* The last line may have no line end. If data is missing, it may be incomplete, so
		 * it is dropped. */
		if (source->damage)
			buffer->head = buffer->begin;
		else if (buffer->remembers && buffer->head > buffer->begin)
			buffer->bytes[buffer->head++] = '\n';
		parse(text, true, sink);
	}
	return n;
}

void source_text_describe_damage(const struct source *source, char message[static 200])
{
	const struct source_counts *counts = &source->counts;

	snprintf(message, 200,
		 "damaged or forged lines so far: %" PRIu64 " malformed markers, %" PRIu64
		 " glued to another line, %" PRIu64 " lines too long",
		 counts->malformed, counts->glued, counts->too_long);
}

/* --- lost events: of a live text, the one source that depends on the format of its lines --- */

void source_buffers_emptied(struct source *source)
{
	struct source_text *text = (struct source_text *)source;

	if (!source->depends_on_line_format)
		return;
	begin_claims(text);
	lost_claims_emptied(&text->claims);
}

bool source_check_lost(struct source *source, bool is_end, char message[static 200])
{
	struct source_text *text = (struct source_text *)source;

	if (!source->depends_on_line_format)
		return false;
	begin_claims(text);
	lost_claims_update(&text->claims);
	return lost_claims_report(&text->claims, is_end, message);
}

/* --- remembered text --- */

/* The time of the first marker, or of the last one; 0: there is none. */
static uint64_t time_in(struct span text, bool last)
{
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct trace_record record;
	uint64_t time_ns = 0;

	while ((last || time_ns == 0) && ftrace_text_read(&state, &text, true, &record, 1) > 0)
		if (record.comm.ptr)
			time_ns = record.time_ns;
	return time_ns;
}

struct span source_overwrites(const struct source *source)
{
	const struct text_buffer *buffer = &((const struct source_text *)source)->buffer;
	size_t unread = buffer->head - buffer->begin;

	if (is_lap_over(buffer))
		return (struct span){ buffer->bytes, unread + space_after(buffer, unread) };
	return (struct span){ buffer->bytes + buffer->head, space_after(buffer, buffer->head) };
}

bool source_would_lose(const struct source *source, uint64_t since_ns)
{
	const struct text_buffer *buffer = &((const struct source_text *)source)->buffer;
	struct span text = source_overwrites(source);
	size_t end = (size_t)(text.ptr - buffer->bytes) + text.len;
	size_t old = is_lap_over(buffer) ? 0 : buffer->old;
	size_t old_end = is_lap_over(buffer) ? buffer->begin : buffer->lap_end;

	old_end = old_end < end ? old_end : end;
	return old < old_end &&
	       time_in((struct span){ buffer->bytes + old, old_end - old }, true) >= since_ns;
}

/* Looks at a marker of each STEP bytes, from the end on, as a clock may have been set back, and
 * cuts the lines before the first one that is earlier than @begin_ns. Returns false if there is
 * none. */
static bool cut_steps(struct span *text, uint64_t begin_ns)
{
	const char *begin = text->ptr, *end = begin + text->len;

	for (const char *at = end; at > begin;) {
		size_t before = (size_t)(at - begin);
		const char *step = before > STEP ? at - STEP : begin;
		const char *from = before > STEP ? next_line(step, at) : begin;
		uint64_t first_ns = time_in((struct span){ from, (size_t)(at - from) }, false);

		if (first_ns > 0 && first_ns < begin_ns) {
			*text = (struct span){ from, (size_t)(end - from) };
			return true;
		}
		at = from < at ? from : step;
	}
	return false;
}

/* Cuts the lines before the first marker of @begin_ns or later, which is near after cut_steps().
 * Returns false if there is none, and cuts nothing. */
static bool cut_lines(struct span *text, uint64_t begin_ns)
{
	struct ftrace_text state = FTRACE_TEXT_INIT;
	struct span input = *text;
	struct trace_record record;

	while (ftrace_text_read(&state, &input, true, &record, 1) > 0) {
		const char *comm = record.comm.ptr, *newline;

		if (!comm || record.time_ns < begin_ns)
			continue;
		newline = memrchr(text->ptr, '\n', (size_t)(comm - text->ptr));
		if (newline)
			*text = span_skip(*text, (size_t)(newline + 1 - text->ptr));
		return true;
	}
	return false;
}

void source_remembered(const struct source *source, uint64_t begin_ns, struct span parts[2])
{
	const struct source_text *text = (const struct source_text *)source;
	const struct text_buffer *buffer = &text->buffer;
	const char *end = text->at ? text->at : buffer->bytes + buffer->begin;
	struct span old = { buffer->bytes + buffer->old, buffer->lap_end - buffer->old };
	const char *newline = memchr(end, '\n', (size_t)(buffer->bytes + buffer->head - end));

	end = newline ? newline + 1 : end;
	parts[0] = (struct span){ buffer->bytes, (size_t)(end - buffer->bytes) };
	parts[1] = SPAN_NULL;
	if (!cut_steps(&parts[0], begin_ns) && old.len > 0) {
		cut_steps(&old, begin_ns);
		if (cut_lines(&old, begin_ns)) {
			parts[1] = parts[0];
			parts[0] = old;
		}
	}
	if (parts[1].len == 0)
		cut_lines(&parts[0], begin_ns);
}
