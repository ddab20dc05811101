/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/source_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "daemon/base/loop.h"

int source_text_open(struct source_text *text, uint64_t remember_ns,
		     const struct trace_files *files)
{
	text->parser = FTRACE_TEXT_INIT;
	text->files = files;
	text->source.depends_on_line_format = text->parser.has_markers_only = files != NULL;
	if (files)
		thread_cache_begin(&text->threads, "/proc");
	return trace_buffer_open(&text->buffer, remember_ns);
}

void source_text_close(struct source_text *text)
{
	trace_buffer_close(&text->buffer);
	if (text->files)
		thread_cache_end(&text->threads);
}

/* --- reading --- */

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
static void parse(struct source_text *text, struct span input, bool is_last,
		  const struct record_sink *sink)
{
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
		if (n > 0 && (text->files || text->buffer.remembers))
			pass_on(text, records, n, input.ptr, sink);
		else if (n > 0)
			sink->records(sink->context, records, n);
	} while (n > 0);
	text->at = NULL;
	trace_buffer_done(&text->buffer, input);
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
	const bool is_live = text->files != NULL;
	uint64_t now_ns;
	size_t size;
	char *space;
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
	space = trace_buffer_space(&text->buffer, &size);
	n = text->bytes(text, space, size);
	if (n > 0) {
		source->counts.bytes += (uint64_t)n;
		if (is_live)
			text->read_ns = loop_now();
		if (sink)
			parse(text, trace_buffer_filled(&text->buffer, (size_t)n), false, sink);
	} else if (n == -EAGAIN) {
		if (is_live)
			lost_claims_drained(&text->claims);
		source->loss_ahead = false;
	} else if (sink) {
		/* The last line may have no line end. If data is missing, it may be incomplete, so
		 * it is dropped. */
		trace_buffer_end_line(&text->buffer, source->damage != NULL);
		parse(text, trace_buffer_filled(&text->buffer, 0), true, sink);
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

void source_remembered(const struct source *source, uint64_t begin_ns, struct span parts[2])
{
	const struct source_text *text = (const struct source_text *)source;

	trace_buffer_find(&text->buffer, begin_ns, text->at, parts);
}

struct span source_overwrites(const struct source *source)
{
	return trace_buffer_overwrites(&((const struct source_text *)source)->buffer);
}

bool source_would_lose(const struct source *source, uint64_t since_ns)
{
	return trace_buffer_would_lose(&((const struct source_text *)source)->buffer, since_ns);
}
