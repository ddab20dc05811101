/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "parser/span.h"
#include "parser/ftrace_text.h"
#include "tools/phone/error.h"

/* Time between two loops of a recording: long enough to count as a wait, not as a jank. */
#define LOOP_GAP_NS UINT64_C(1000000000)

#define BUFFER_SIZE (FTRACE_TEXT_LINE_MAX * 8)

/* A thread that wrote markers in the recording. */
struct recorded_thread {
	int32_t tid;
	int32_t tgid;
	int32_t pid;	/* the pid in most of its markers, by majority vote */
	uint32_t votes; /* of that vote */
	uint32_t markers;
	int32_t process; /* number of its process, see find_processes() */
	uint16_t number; /* in the plan */
	char comm[COMM_SIZE];
};

struct recording {
	struct plan *plan;
	struct recorded_thread *threads;
	uint32_t thread_count, thread_capacity;
	int32_t *pids; /* for each marker: the pid in it */
	uint32_t pid_capacity;
	int32_t processes[PROCESSES_MAX]; /* for each of the plan's: recorded_thread.process */
	uint32_t last; /* thread of the previous marker: often also that of the next one */
};

static uint32_t find_thread(struct recording *r, int32_t tid)
{
	if (r->last < r->thread_count && r->threads[r->last].tid == tid)
		return r->last;
	for (r->last = 0; r->last < r->thread_count; r->last++)
		if (r->threads[r->last].tid == tid)
			return r->last;
	r->threads =
		grow_array(r->threads, &r->thread_capacity, r->thread_count, sizeof(*r->threads));
	r->threads[r->thread_count] = (struct recorded_thread){
		.tid = tid,
		.tgid = TRACE_ID_UNKNOWN,
		.pid = TRACE_ID_UNKNOWN,
	};
	return r->thread_count++;
}

static void update_thread(struct recorded_thread *thread, const struct trace_record *record)
{
	thread->markers++;
	if (record->tgid != TRACE_ID_UNKNOWN)
		thread->tgid = record->tgid;
	if (!span_equal(record->comm, SPAN_LITERAL("<...>")))
		snprintf(thread->comm, sizeof(thread->comm), "%.*s", (int)record->comm.len,
			 record->comm.ptr);
	if (record->pid == TRACE_ID_UNKNOWN)
		return;
	if (thread->votes == 0)
		thread->pid = record->pid;
	if (thread->pid == record->pid)
		thread->votes++;
	else
		thread->votes--;
}

/* The payload in the line with the thread name @comm: the text after the colons of time and
 * function. @end is the end of the line. */
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

/* Copies @payload without its pid to @text, which is large enough: "B|12|x" becomes "B|x". */
static struct span without_pid(struct span payload, char *text)
{
	size_t digits = 2;

	while (digits < payload.len && is_digit(payload.ptr[digits]))
		digits++;
	text[0] = payload.ptr[0];
	memcpy(text + 1, payload.ptr + digits, payload.len - digits);
	return (struct span){ text, payload.len - digits + 1 };
}

static void add_marker(struct recording *r, const struct trace_record *record, struct span payload)
{
	static char text[FTRACE_TEXT_LINE_MAX];
	struct plan *plan = r->plan;
	uint32_t thread = find_thread(r, record->tid);
	uint64_t before = plan->marker_total ? plan->markers[plan->marker_total - 1].time_ns : 0;

	if (plan->marker_total == 0)
		plan->base_ns = record->time_ns;
	update_thread(&r->threads[thread], record);
	if (record->pid != TRACE_ID_UNKNOWN)
		payload = without_pid(payload, text);
	struct marker marker = {
		.time_ns = record->time_ns < plan->base_ns + before
				   ? before
				   : record->time_ns - plan->base_ns,
		.thread = (uint16_t)thread, /* resolve_markers() sets the plan's number */
		.process = NO_PROCESS,
		.cpu = record->cpu < 0 ? 0 : (uint8_t)record->cpu,
	};

	r->pids = grow_array(r->pids, &r->pid_capacity, plan->marker_total, sizeof(*r->pids));
	r->pids[plan->marker_total] = record->pid;
	plan_add_marker(plan, marker, payload);
}

static void read_records(struct recording *r, gzFile file, const char *path)
{
	static char buffer[BUFFER_SIZE];
	struct ftrace_text text = FTRACE_TEXT_INIT;
	struct span input = { buffer, 0 };
	struct trace_record record;
	int count;

	do {
		memmove(buffer, input.ptr, input.len);
		count = gzread(file, buffer + input.len,
			       (unsigned int)(sizeof(buffer) - input.len));
		if (count < 0)
			fail(path, "damaged or not readable", "use ftrace text, plain or gzip");
		input = (struct span){ buffer, input.len + (size_t)count };
		while (ftrace_text_read(&text, &input, count == 0, &record, 1) > 0) {
			struct span payload = SPAN_NULL;

			if (record.kind != TRACE_LOST)
				payload = payload_in_line(record.comm, input.ptr);
			if (payload.len > 0)
				add_marker(r, &record, payload);
		}
	} while (count > 0);
}

/* Finds the process of each thread: its tgid if the trace has that column, else the tgid of a
 * thread with the same pid in its markers, else that pid, else its tid. */
static void find_processes(struct recording *r)
{
	for (uint32_t i = 0; i < r->thread_count; i++) {
		struct recorded_thread *thread = &r->threads[i];

		thread->process = thread->tgid;
		for (uint32_t j = 0; thread->process == TRACE_ID_UNKNOWN && j < r->thread_count;
		     j++)
			if (thread->pid != TRACE_ID_UNKNOWN && r->threads[j].pid == thread->pid)
				thread->process = r->threads[j].tgid;
		if (thread->process == TRACE_ID_UNKNOWN)
			thread->process = thread->pid;
		if (thread->process == TRACE_ID_UNKNOWN)
			thread->process = thread->tid;
		if (thread->pid == TRACE_ID_UNKNOWN)
			thread->pid = thread->process;
		if (thread->comm[0] == '\0')
			snprintf(thread->comm, sizeof(thread->comm), "thread-%d", thread->tid);
	}
}

static int more_markers_first(const void *left, const void *right, void *threads)
{
	const struct recorded_thread *a =
		&((const struct recorded_thread *)threads)[*(const uint32_t *)left];
	const struct recorded_thread *b =
		&((const struct recorded_thread *)threads)[*(const uint32_t *)right];

	if (a->markers != b->markers)
		return a->markers > b->markers ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Returns the number of the plan's process for @thread; adds it if there is none. Returns -1 if
 * only one more process is possible, which add_threads() needs. A new one gets the pid in the
 * markers of @thread, the thread with the most markers. */
static int process_of(struct recording *r, const struct recorded_thread *thread)
{
	struct plan *plan = r->plan;
	const char *comm = thread->comm;

	for (uint32_t i = 0; i < plan->process_count; i++)
		if (r->processes[i] == thread->process)
			return (int)i;
	if (plan->process_count >= PROCESSES_MAX - 1)
		return -1;
	for (uint32_t i = 0; i < r->thread_count; i++)
		if (r->threads[i].tid == thread->process)
			comm = r->threads[i].comm;
	r->processes[plan->process_count] = thread->process;
	return plan_add_process(plan, thread->pid, comm);
}

/* Adds the threads to the plan, those with the most markers first. */
static void add_threads(struct recording *r)
{
	uint32_t *order = calloc(r->thread_count, sizeof(*order));
	uint32_t shared = 0;

	if (!order)
		fail_memory("the recording");
	for (uint32_t i = 0; i < r->thread_count; i++)
		order[i] = i;
	qsort_r(order, r->thread_count, sizeof(*order), more_markers_first, r->threads);
	for (uint32_t i = 0; i < r->thread_count; i++) {
		struct recorded_thread *thread = &r->threads[order[i]];
		int process = -1;

		if (r->plan->thread_count < THREADS_MAX - 1)
			process = process_of(r, thread);
		if (process < 0) {
			order[shared++] = order[i];
			continue;
		}
		thread->number =
			plan_add_thread(r->plan, (uint16_t)process, thread->tid, thread->comm);
		r->plan->threads[thread->number].main = thread->tid == thread->process;
	}
	if (shared > 0) {
		uint16_t process = plan_add_process(r->plan, 1, "others");
		uint16_t number = plan_add_thread(r->plan, process, 1, "others");

		for (uint32_t i = 0; i < shared; i++)
			r->threads[order[i]].number = number;
		fprintf(stderr,
			"jank-phone: too many threads in the trace: merged %u of them into one\n",
			shared);
	}
	free(order);
}

/* The process of the plan whose pid is @pid in a marker of @thread, or NO_PROCESS. */
static int process_of_pid(const struct recording *r, uint16_t thread, int32_t pid)
{
	const struct plan *plan = r->plan;
	uint16_t own = plan->threads[thread].process;

	if (plan->processes[own].pid == pid)
		return own;
	for (uint32_t i = 0; i < plan->process_count; i++)
		if (plan->processes[i].pid == pid)
			return (int)i;
	for (uint32_t i = 0; i < plan->process_count; i++)
		if (r->processes[i] == pid)
			return (int)i;
	return NO_PROCESS;
}

static void resolve_markers(struct recording *r)
{
	struct plan *plan = r->plan;
	char payload[PAYLOAD_MAX];

	for (uint32_t i = 0; i < plan->marker_total; i++) {
		struct marker *marker = &plan->markers[i];

		marker->thread = r->threads[marker->thread].number;
		if (r->pids[i] == TRACE_ID_UNKNOWN)
			continue;
		marker->process = (int16_t)process_of_pid(r, marker->thread, r->pids[i]);
		if (marker->process != NO_PROCESS)
			continue;
		/* No process of the plan has the pid: it is part of the text again. */
		marker->process = 0;
		marker->length = (uint16_t)plan_payload(plan, marker, r->pids[i], payload);
		marker->text = plan_add_text(plan, (struct span){ payload, marker->length });
		marker->process = NO_PROCESS;
	}
}

/* Adds markers between two loops that end all slices that are open at the end of the recording.
 * Otherwise the slices of the next loop would be inside them. */
static void close_slices(struct plan *plan)
{
	uint32_t *open = calloc(plan->thread_count, sizeof(*open));
	uint64_t end_ns = plan->markers[plan->marker_total - 1].time_ns;

	if (!open)
		fail_memory("the recording");
	for (uint32_t i = 0; i < plan->marker_count; i++) {
		const struct marker *marker = &plan->markers[i];
		char letter = plan->texts[marker->text];

		if (letter == 'B')
			open[marker->thread]++;
		else if (letter == 'E' && open[marker->thread] > 0)
			open[marker->thread]--;
	}
	for (uint32_t thread = 0; thread < plan->thread_count; thread++) {
		struct marker marker = {
			.time_ns = end_ns + LOOP_GAP_NS / 2,
			.thread = (uint16_t)thread,
			.process = (int16_t)plan->threads[thread].process,
		};

		while (open[thread]-- > 0)
			plan_add_marker(plan, marker, SPAN_LITERAL("E"));
	}
	free(open);
}

void recording_load(struct plan *plan, const char *path)
{
	struct recording r = { .plan = plan };
	gzFile file = gzopen(path, "rb");

	if (!file)
		fail(path, strerror(errno), "name a trace that can be read, or use --scenario");
	read_records(&r, file, path);
	gzclose(file);
	if (plan->marker_total == 0)
		fail(path, "no markers", "use ftrace text with markers of the category gfx");
	plan->marker_count = plan->marker_total;
	plan->length_ns = plan->markers[plan->marker_total - 1].time_ns + LOOP_GAP_NS;
	plan->vsyncs = VSYNC_UNKNOWN;
	find_processes(&r);
	add_threads(&r);
	resolve_markers(&r);
	close_slices(plan);
	free(r.threads);
	free(r.pids);
}
