/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "parser/ftrace_text.h"
#include "tools/phone/error.h"

/* Two loops of a recording stand this far apart, so that the seam is a wait and no jank. */
#define SEAM_NS UINT64_C(1000000000)

#define BUFFER_SIZE (FTRACE_TEXT_LINE_MAX * 8)

/* A thread as the recording knows it. */
struct writer {
	int32_t tid;
	int32_t tgid;
	int32_t pid;	/* that its marks name most */
	uint32_t votes; /* how sure that is (majority vote) */
	uint32_t marks;
	int32_t process; /* what tells its process from others: the tgid, else the pid */
	uint16_t thread; /* in the plan */
	char comm[PHONE_COMM_SIZE];
};

struct recording {
	struct phone_plan *plan;
	struct writer *writers;
	uint32_t writer_count, writer_room;
	int32_t *pids; /* for each mark: the pid it names */
	uint32_t pid_room;
	uint32_t last; /* writer of the mark before: most often the next one's, too */
};

static uint32_t find_writer(struct recording *r, int32_t tid)
{
	if (r->last < r->writer_count && r->writers[r->last].tid == tid)
		return r->last;
	for (r->last = 0; r->last < r->writer_count; r->last++)
		if (r->writers[r->last].tid == tid)
			return r->last;
	r->writers = phone_grow(r->writers, &r->writer_room, r->writer_count, sizeof(*r->writers));
	r->writers[r->writer_count] = (struct writer){
		.tid = tid,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
	};
	return r->writer_count++;
}

static void learn_writer(struct writer *w, const struct trace_record *record)
{
	w->marks++;
	if (record->tgid != TRACE_ID_UNKNOWN)
		w->tgid = record->tgid;
	if (!span_equal(record->comm, SPAN_LITERAL("<...>")))
		snprintf(w->comm, sizeof(w->comm), "%.*s", (int)record->comm.len, record->comm.ptr);
	if (record->pid == TRACE_ID_UNKNOWN)
		return;
	if (w->votes == 0)
		w->pid = record->pid;
	if (w->pid == record->pid)
		w->votes++;
	else
		w->votes--;
}

/* The payload as it stands in the line whose writer's name is @comm: behind the two colons of
 * time and function. @end is behind the line. */
static struct span payload_in_line(struct span comm, const char *end)
{
	const char *p = comm.ptr + comm.len;

	for (int colons = 0; colons < 2; colons++) {
		p = memmem(p, (size_t)(end - p), ": ", 2);
		if (!p)
			return SPAN_NULL;
		p += 2;
	}
	size_t length = 0;

	while (p + length < end && p[length] != '\n' && p[length] != '\0')
		length++;
	while (length > 0 && p[length - 1] == '\r')
		length--;
	return (struct span){ p, length };
}

/* Takes the pid out of @payload: "B|12|x" becomes "B|x" in @text, which has room. */
static struct span without_pid(struct span payload, char *text)
{
	size_t digits = 2;

	while (digits < payload.len && payload.ptr[digits] >= '0' && payload.ptr[digits] <= '9')
		digits++;
	text[0] = payload.ptr[0];
	memcpy(text + 1, payload.ptr + digits, payload.len - digits);
	return (struct span){ text, payload.len - digits + 1 };
}

static void add_mark(struct recording *r, const struct trace_record *record, struct span payload)
{
	static char text[FTRACE_TEXT_LINE_MAX];
	struct phone_plan *plan = r->plan;
	uint32_t writer = find_writer(r, record->tid);
	uint64_t before = plan->mark_total ? plan->marks[plan->mark_total - 1].time_ns : 0;

	if (plan->mark_total == 0)
		plan->base_ns = record->time_ns;
	learn_writer(&r->writers[writer], record);
	if (record->pid != TRACE_ID_UNKNOWN)
		payload = without_pid(payload, text);
	struct phone_mark mark = {
		.time_ns = record->time_ns < plan->base_ns + before
				   ? before
				   : record->time_ns - plan->base_ns,
		.thread = (uint16_t)writer,
		.process = PHONE_NO_PROCESS,
		.cpu = record->cpu < 0 ? 0 : (uint8_t)record->cpu,
	};

	r->pids = phone_grow(r->pids, &r->pid_room, plan->mark_total, sizeof(*r->pids));
	r->pids[plan->mark_total] = record->pid;
	phone_plan_mark(plan, mark, payload);
}

static void read_records(struct recording *r, gzFile file, const char *path)
{
	static char buffer[BUFFER_SIZE];
	struct ftrace_text text = FTRACE_TEXT_INIT;
	struct span input = { buffer, 0 };
	struct trace_record record;
	int got;

	do {
		memmove(buffer, input.ptr, input.len);
		got = gzread(file, buffer + input.len, (unsigned int)(sizeof(buffer) - input.len));
		if (got < 0)
			phone_fail(path, "damaged or unreadable", "give ftrace text or its gzip");
		input = (struct span){ buffer, input.len + (size_t)got };
		while (ftrace_text_next(&text, &input, got == 0, &record) == FTRACE_TEXT_RECORD) {
			struct span payload = SPAN_NULL;

			if (record.kind != TRACE_LOST)
				payload = payload_in_line(record.comm, input.ptr);
			if (payload.len > 0)
				add_mark(r, &record, payload);
		}
	} while (got > 0);
}

/* Which process a writer belongs to: its tgid where the trace has that column, else the tgid of
 * another writer that names the same pid, else that pid, else itself. */
static void find_processes(struct recording *r)
{
	for (uint32_t i = 0; i < r->writer_count; i++) {
		struct writer *w = &r->writers[i];

		w->process = w->tgid;
		for (uint32_t j = 0; w->process == TRACE_ID_UNKNOWN && j < r->writer_count; j++)
			if (w->pid != TRACE_ID_UNKNOWN && r->writers[j].pid == w->pid)
				w->process = r->writers[j].tgid;
		if (w->process == TRACE_ID_UNKNOWN)
			w->process = w->pid;
		if (w->process == TRACE_ID_UNKNOWN)
			w->process = w->tid;
		if (w->pid == TRACE_ID_UNKNOWN)
			w->pid = w->process;
		if (w->comm[0] == '\0')
			snprintf(w->comm, sizeof(w->comm), "thread-%d", w->tid);
	}
}

static int more_marks_first(const void *left, const void *right, void *writers)
{
	const struct writer *a = &((const struct writer *)writers)[*(const uint32_t *)left];
	const struct writer *b = &((const struct writer *)writers)[*(const uint32_t *)right];

	if (a->marks != b->marks)
		return a->marks > b->marks ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* The pid that the marks of a process name: its busiest thread's. */
struct identity {
	int32_t process;
	int32_t pid;
};

/* Returns the plan's process of @w, a new one where there is none, or -1 where none fits. */
static int process_of(struct recording *r, const struct writer *w, struct identity *ids)
{
	struct phone_plan *plan = r->plan;
	const char *comm = w->comm;

	for (uint32_t i = 0; i < plan->process_count; i++)
		if (ids[i].process == w->process)
			return (int)i;
	if (plan->process_count >= PHONE_PROCESSES_MAX - 1)
		return -1;
	for (uint32_t i = 0; i < r->writer_count; i++)
		if (r->writers[i].tid == w->process)
			comm = r->writers[i].comm;
	ids[plan->process_count] = (struct identity){ w->process, w->pid };
	return phone_plan_process(plan, w->pid, comm);
}

static void fold(struct recording *r, const uint32_t *left, uint32_t count)
{
	uint16_t process = phone_plan_process(r->plan, 1, "others");
	uint16_t thread = phone_plan_thread(r->plan, process, 1, "others");

	for (uint32_t i = 0; i < count; i++)
		r->writers[left[i]].thread = thread;
	fprintf(stderr, "jank-phone: the trace has too many threads: %u share one\n", count);
}

/* Gives every writer a thread of the plan. */
static void cast(struct recording *r, struct identity ids[PHONE_PROCESSES_MAX])
{
	uint32_t *order = calloc(r->writer_count, sizeof(*order));
	uint32_t folded = 0;

	if (!order)
		phone_fail("the recording", "out of memory", "play a shorter one");
	for (uint32_t i = 0; i < r->writer_count; i++)
		order[i] = i;
	qsort_r(order, r->writer_count, sizeof(*order), more_marks_first, r->writers);
	for (uint32_t i = 0; i < r->writer_count; i++) {
		struct writer *w = &r->writers[order[i]];
		int process = -1;

		if (r->plan->thread_count < PHONE_THREADS_MAX - 1)
			process = process_of(r, w, ids);
		if (process < 0) {
			order[folded++] = order[i];
			continue;
		}
		w->thread = phone_plan_thread(r->plan, (uint16_t)process, w->tid, w->comm);
		r->plan->threads[w->thread].main = w->tid == w->process;
	}
	if (folded > 0)
		fold(r, order, folded);
	free(order);
}

/* The process whose pid a mark of @thread means by @pid, or PHONE_NO_PROCESS. */
static int meant_process(const struct phone_plan *plan, const struct identity *ids, uint16_t thread,
			 int32_t pid)
{
	uint16_t own = plan->threads[thread].process;

	if (plan->processes[own].pid == pid)
		return own;
	for (uint32_t i = 0; i < plan->process_count; i++)
		if (plan->processes[i].pid == pid)
			return (int)i;
	for (uint32_t i = 0; i < plan->process_count; i++)
		if (ids[i].process == pid)
			return (int)i;
	return PHONE_NO_PROCESS;
}

/* Puts @pid, which no process of the plan has, back into the text of @mark. */
static void restore_pid(struct phone_plan *plan, struct phone_mark *mark, int32_t pid)
{
	char payload[PHONE_PAYLOAD_MAX];
	struct phone_mark whole = *mark;

	whole.process = 0;
	mark->length = (uint16_t)phone_plan_payload(plan, &whole, pid, payload);
	mark->text = phone_plan_text(plan, (struct span){ payload, mark->length });
}

static void resolve_marks(struct recording *r, const struct identity *ids)
{
	struct phone_plan *plan = r->plan;

	for (uint32_t i = 0; i < plan->mark_total; i++) {
		struct phone_mark *mark = &plan->marks[i];

		mark->thread = r->writers[mark->thread].thread;
		if (r->pids[i] == TRACE_ID_UNKNOWN)
			continue;
		mark->process = (int16_t)meant_process(plan, ids, mark->thread, r->pids[i]);
		if (mark->process == PHONE_NO_PROCESS)
			restore_pid(plan, mark, r->pids[i]);
	}
}

/* Between two loops: ends every slice that the recording leaves open, so that the next loop's
 * slices do not stand inside them. */
static void close_slices(struct phone_plan *plan)
{
	uint32_t *open = calloc(plan->thread_count, sizeof(*open));
	uint64_t end_ns = plan->marks[plan->mark_total - 1].time_ns;

	if (!open)
		phone_fail("the recording", "out of memory", "play a shorter one");
	for (uint32_t i = 0; i < plan->mark_count; i++) {
		const struct phone_mark *mark = &plan->marks[i];
		char letter = plan->texts[mark->text];

		if (letter == 'B')
			open[mark->thread]++;
		else if (letter == 'E' && open[mark->thread] > 0)
			open[mark->thread]--;
	}
	for (uint32_t thread = 0; thread < plan->thread_count; thread++) {
		struct phone_mark mark = {
			.time_ns = end_ns + SEAM_NS / 2,
			.thread = (uint16_t)thread,
			.process = (int16_t)plan->threads[thread].process,
		};

		while (open[thread]-- > 0)
			phone_plan_mark(plan, mark, SPAN_LITERAL("E"));
	}
	free(open);
}

void phone_record_load(struct phone_plan *plan, const char *path)
{
	struct identity ids[PHONE_PROCESSES_MAX] = { 0 };
	struct recording r = { .plan = plan };
	gzFile file = gzopen(path, "rb");

	if (!file)
		phone_fail(path, strerror(errno), "name a trace, or --scenario");
	read_records(&r, file, path);
	gzclose(file);
	if (plan->mark_total == 0)
		phone_fail(path, "holds no marker", "give ftrace text with gfx markers");
	plan->mark_count = plan->mark_total;
	plan->length_ns = plan->marks[plan->mark_total - 1].time_ns + SEAM_NS;
	plan->vsyncs = PHONE_VSYNC_UNKNOWN;
	find_processes(&r);
	cast(&r, ids);
	resolve_marks(&r, ids);
	close_slices(plan);
	free(r.writers);
	free(r.pids);
}
