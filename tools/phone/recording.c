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
#define LOOP_GAP_NS NS_PER_S

#define BUFFER_SIZE (FTRACE_TEXT_LINE_MAX * 8)

/* A thread that wrote markers in the recording. */
struct recorded_thread {
	int32_t tid;
	int32_t tgid;
	int32_t pid;	/* the pid in most of its markers, by majority vote */
	uint32_t votes; /* of that vote */
	uint32_t markers;
	int32_t process; /* number of its process */
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

static void add_marker(struct recording *r, const struct trace_record *record, struct span payload)
{
	static char text[FTRACE_TEXT_LINE_MAX];
	struct plan *plan = r->plan;
	uint64_t before = plan->marker_total ? plan->markers[plan->marker_total - 1].time_ns : 0;
	struct recorded_thread *thread;

	if (r->last >= r->thread_count || r->threads[r->last].tid != record->tid)
		r->last = 0;
	while (r->last < r->thread_count && r->threads[r->last].tid != record->tid)
		r->last++;
	if (r->last == r->thread_count) {
		r->threads = grow_array(r->threads, &r->thread_capacity, r->thread_count,
					sizeof(*r->threads));
		r->threads[r->thread_count++] = (struct recorded_thread){
			.tid = record->tid,
			.tgid = TRACE_ID_UNKNOWN,
			.pid = TRACE_ID_UNKNOWN,
		};
	}
	thread = &r->threads[r->last];
	thread->markers++;
	if (record->tgid != TRACE_ID_UNKNOWN)
		thread->tgid = record->tgid;
	if (!span_equal(record->comm, SPAN_LITERAL("<...>")))
		snprintf(thread->comm, sizeof(thread->comm), "%.*s", (int)record->comm.len,
			 record->comm.ptr);
	if (record->pid != TRACE_ID_UNKNOWN) {
		size_t digits = 2;

		if (thread->votes == 0)
			thread->pid = record->pid;
		if (thread->pid == record->pid)
			thread->votes++;
		else
			thread->votes--;
		/* The text lacks the pid: "B|12|x" becomes "B|x". */
		while (digits < payload.len && is_digit(payload.ptr[digits]))
			digits++;
		text[0] = payload.ptr[0];
		memcpy(text + 1, payload.ptr + digits, payload.len - digits);
		payload = (struct span){ text, payload.len - digits + 1 };
	}
	if (plan->marker_total == 0)
		plan->base_ns = record->time_ns;
	r->pids = grow_array(r->pids, &r->pid_capacity, plan->marker_total, sizeof(*r->pids));
	r->pids[plan->marker_total] = record->pid;
	plan_add_marker(plan,
			(struct marker){
				.time_ns = record->time_ns < plan->base_ns + before
						   ? before
						   : record->time_ns - plan->base_ns,
				/* recording_load() sets the plan's number. */
				.thread = (uint16_t)r->last,
				.process = NO_PROCESS,
				.cpu = record->cpu < 0 ? 0 : (uint8_t)record->cpu,
			},
			payload);
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

/* Adds the threads to the plan, those with the most markers first, and their processes. Of both the
 * last one is kept for those that the plan has no space for. */
static void add_threads(struct recording *r)
{
	struct plan *plan = r->plan;
	uint32_t *order = calloc(r->thread_count, sizeof(*order));
	uint32_t shared = 0;

	if (!order)
		fail_memory("the recording");
	/* The process of a thread: its tgid if the trace has that column, else the tgid of a thread
	 * with the same pid in its markers, else that pid, else its tid. */
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
		order[i] = i;
	}
	qsort_r(order, r->thread_count, sizeof(*order), more_markers_first, r->threads);
	for (uint32_t i = 0; i < r->thread_count; i++) {
		struct recorded_thread *thread = &r->threads[order[i]];
		const char *comm = thread->comm;
		uint32_t process = 0;

		while (process < plan->process_count && r->processes[process] != thread->process)
			process++;
		if (plan->thread_count >= THREADS_MAX - 1 || process >= PROCESSES_MAX - 1) {
			order[shared++] = order[i];
			continue;
		}
		/* A new process gets the pid in the markers of its thread with the most markers. */
		if (process == plan->process_count) {
			for (uint32_t j = 0; j < r->thread_count; j++)
				if (r->threads[j].tid == thread->process)
					comm = r->threads[j].comm;
			r->processes[process] = thread->process;
			plan_add_process(plan, thread->pid, comm);
		}
		thread->number =
			plan_add_thread(plan, (uint16_t)process, thread->tid, thread->comm);
		plan->threads[thread->number].main = thread->tid == thread->process;
	}
	if (shared > 0) {
		uint16_t process = plan_add_process(plan, 1, "others");
		uint16_t number = plan_add_thread(plan, process, 1, "others");

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

void recording_load(struct plan *plan, const char *path)
{
	static char buffer[BUFFER_SIZE];
	struct recording r = { .plan = plan };
	struct ftrace_text text = FTRACE_TEXT_INIT;
	struct span input = { buffer, 0 };
	struct trace_record record;
	gzFile file = gzopen(path, "rb");
	char payload[PAYLOAD_MAX];
	uint64_t end_ns;
	uint32_t *open;
	int count;

	if (!file)
		fail(path, strerror(errno), "name a trace that can be read, or use --scenario");
	do {
		memmove(buffer, input.ptr, input.len);
		count = gzread(file, buffer + input.len,
			       (unsigned int)(sizeof(buffer) - input.len));
		if (count < 0)
			fail(path, "damaged or not readable", "use ftrace text, plain or gzip");
		input = (struct span){ buffer, input.len + (size_t)count };
		while (ftrace_text_read(&text, &input, count == 0, &record, 1) > 0) {
			struct span marker = SPAN_NULL;

			if (record.kind != TRACE_LOST)
				marker = payload_in_line(record.comm, input.ptr);
			if (marker.len > 0)
				add_marker(&r, &record, marker);
		}
	} while (count > 0);
	gzclose(file);
	if (plan->marker_total == 0)
		fail(path, "no markers", "use ftrace text with markers of the category gfx");
	end_ns = plan->markers[plan->marker_total - 1].time_ns;
	plan->marker_count = plan->marker_total;
	plan->length_ns = end_ns + LOOP_GAP_NS;
	plan->vsyncs = VSYNC_UNKNOWN;

	add_threads(&r);
	open = calloc(plan->thread_count, sizeof(*open));
	if (!open)
		fail_memory("the recording");
	for (uint32_t i = 0; i < plan->marker_count; i++) {
		struct marker *marker = &plan->markers[i];
		char letter = plan->texts[marker->text];

		marker->thread = r.threads[marker->thread].number;
		if (letter == 'B')
			open[marker->thread]++;
		else if (letter == 'E' && open[marker->thread] > 0)
			open[marker->thread]--;
		if (r.pids[i] == TRACE_ID_UNKNOWN)
			continue;
		marker->process = (int16_t)process_of_pid(&r, marker->thread, r.pids[i]);
		if (marker->process != NO_PROCESS)
			continue;
		/* No process of the plan has the pid: it is part of the text again. */
		marker->process = 0;
		marker->length = (uint16_t)plan_payload(plan, marker, r.pids[i], payload);
		marker->text = plan_add_text(plan, (struct span){ payload, marker->length });
		marker->process = NO_PROCESS;
	}
	/* Markers between two loops end all slices that are open at the end of the recording.
	 * Otherwise the slices of the next loop would be inside them. */
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
	free(r.threads);
	free(r.pids);
}
