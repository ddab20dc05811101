/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/app_work.h"

#include <string.h>

#include "rules/base/interval.h"
#include "rules/base/table.h"
#include "rules/language/ruleset_match.h"
#include "rules/language/surface.h"

/* A doFrame begins some milliseconds after its vsync. It is late from this on. */
#define LATE_LEAST_NS UINT64_C(25000000)

/* A process still draws this long after its last doFrame. */
#define DRAWS_NS UINT64_C(5000000000)

/* Stretches with less time between them are kept as one. */
#define SPAN_GAP_NS UINT64_C(1000000)

/* From Android 12 on the buffer comes in a transaction, up to this long after the app queued it. */
#define TRANSACTION_NS UINT64_C(2000000)

/* Votes until a process is known by them, and their upper limit. */
#define VOTES_ENOUGH 4
#define VOTES_MAX 16

uint64_t work_sum(const struct work_process *process, uint64_t now_ns)
{
	if (!process)
		return 0;
	return process->sum_ns + (process->open > 0 ? since(process->open_ns, now_ns) : 0);
}

uint64_t work_open_since(const struct app_work *work, const struct work_process *process,
			 uint64_t now_ns)
{
	uint64_t open_ns = now_ns;

	for (const struct slice_stack *stack = NULL;
	     (stack = slice_stacks_next(work->stacks, stack));) {
		const struct open_work *open = &stack->work;

		if (open->process > 0 && &work->processes[open->process - 1] == process &&
		    open->since_ns < open_ns)
			open_ns = open->since_ns;
	}
	return open_ns;
}

uint64_t work_doframe_since(const struct app_work *work, const struct work_process *process,
			    uint64_t by_ns)
{
	uint64_t since_ns = 0;

	for (const struct slice_stack *stack = NULL;
	     (stack = slice_stacks_next(work->stacks, stack));) {
		if (stack->tid == *work->sf_tid && stack->slices[0].begin_ns <= by_ns)
			return 0;
		if (stack->work.process > 0
			    ? &work->processes[stack->work.process - 1] != process
			    : !(stack->open & SLICE_WAIT) || stack->work.pid != process->pid)
			continue;
		if (since_ns > 0 || stack->slices[0].role != RULE_CALLBACK ||
		    stack->slices[0].begin_ns > by_ns)
			return 0;
		for (unsigned int i = 1; i < stack->n; i++)
			if (stack->slices[i].mask & (SLICE_WORK | SLICE_WAIT))
				return 0;
		since_ns = stack->slices[0].begin_ns;
	}
	return since_ns;
}

uint64_t work_long_sum(const struct app_work *work, const struct work_process *process,
		       uint64_t now_ns)
{
	uint64_t open_ns;

	if (!process)
		return 0;
	if (process->open == 0 || since(process->open_ns, now_ns) < WORK_LONG_NS)
		return process->long_ns;
	open_ns = work_open_since(work, process, now_ns);
	if (since(open_ns, now_ns) < WORK_LONG_NS)
		return process->long_ns;
	return process->long_ns + since(later(open_ns, process->long_until_ns), now_ns);
}

/* The sum at @at_ns, which may be in the past. If that is not kept any more: the least that is
 * possible. */
static uint64_t sum_at(const struct work_process *process, uint64_t at_ns, uint64_t now_ns)
{
	if (process->open > 0 && at_ns >= process->open_ns)
		return process->sum_ns + (at_ns - process->open_ns);
	for (unsigned int i = 1; i <= RING_KEPT(process->spans, process->n_spans); i++) {
		const struct work_span *span = RING_AT(process->spans, process->n_spans - i);

		if (at_ns >= span->to_ns)
			return span->sum_ns;
		if (at_ns >= span->from_ns)
			return span->sum_ns - since(at_ns, span->to_ns);
	}
	if (process->n_spans <= WORK_SPANS)
		return 0;
	return since(since(at_ns, now_ns), work_sum(process, now_ns));
}

/* --- processes --- */

static struct work_process *find_process(struct app_work *work, int32_t pid)
{
	uint8_t *place = &work->places[(uint32_t)pid % WORK_PROCESSES];

	if (work->processes[*place].id && work->processes[*place].pid == pid)
		return &work->processes[*place];
	/* Entries are used from the first one on, and stay so. */
	for (unsigned int i = 0; i < WORK_PROCESSES && work->processes[i].id; i++) {
		if (work->processes[i].pid == pid) {
			*place = (uint8_t)i;
			return &work->processes[i];
		}
	}
	return NULL;
}

uint64_t app_work_answered(struct app_work *work, int32_t pid)
{
	const struct work_process *process = find_process(work, pid);

	return process ? process->answered_ns : 0;
}

/* A free entry, or that of the process that has been idle longest. */
static struct work_process *add_process(struct app_work *work, int32_t pid, uint64_t time_ns)
{
	struct work_process *oldest = NULL;

	for (unsigned int i = 0; i < WORK_PROCESSES && (!oldest || oldest->id); i++) {
		struct work_process *process = &work->processes[i];

		if (!process->id ||
		    (!process->open && (!oldest || process->last_ns < oldest->last_ns)))
			oldest = process;
	}
	if (!oldest) {
		work->refused++;
		return NULL;
	}
	work->evicted += oldest->answered_ns > 0 && time_ns < oldest->answered_ns + DRAWS_NS;
	if (++work->last_id >= UINT32_MAX / WORK_PROCESSES)
		work->last_id = 1;
	/* An id shows the place of its entry. */
	*oldest = (struct work_process){
		.id = work->last_id * WORK_PROCESSES + (uint32_t)(oldest - work->processes),
		.pid = pid,
		.first_ns = time_ns,
		.last_ns = time_ns,
	};
	work->version++;
	return oldest;
}

/* From now on a layer may be known to be this process's. */
static void become_known(struct app_work *work, struct work_process *process, uint64_t time_ns)
{
	process->named_ns = time_ns;
	process->named_sum_ns = work_sum(process, time_ns);
	process->named_long_ns = work_long_sum(work, process, time_ns);
	work->version++;
}

/* "SurfaceView[com.a/com.a.Main]" in the name of a layer or of its producer; SPAN_NULL: none is. */
static struct span view_in(struct span name)
{
	static const struct span begin = SPAN_INIT("SurfaceView[");

	while (name.len > begin.len && !span_starts_with(name, begin))
		name = span_skip(name, 1);
	while (name.len > begin.len && name.ptr[name.len - 1] != ']')
		name.len--;
	return name.len > begin.len ? name : SPAN_NULL;
}

static bool has_view(const struct work_process *process, uint64_t hash)
{
	for (unsigned int i = 0; i < WORK_VIEWS && i < process->n_views; i++)
		if (process->views[i] == hash)
			return true;
	return false;
}

void app_work_producer(struct app_work *work, const struct trace_record *record,
		       struct span surface)
{
	struct work_process *process;
	struct span view;
	uint64_t hash;

	/* Windows ("VRI[Main]") have no package in this name. */
	if (surface.ptr[0] == 'V')
		return;
	process = find_process(work, trace_process(record));
	if (!process || process->comm_length > 0)
		return;
	view = view_in(surface);
	hash = name_hash(view);
	if (view.len == 0 || has_view(process, hash))
		return;
	process->views[process->n_views % WORK_VIEWS] = hash;
	process->n_views++;
	become_known(work, process, record->time_ns);
}

/* --- slices --- */

void app_work_end(struct app_work *work, const struct open_work *ended, uint64_t time_ns)
{
	struct work_process *process = &work->processes[ended->process - 1];
	struct work_span *span;

	process->last_ns = time_ns;
	if (since(ended->since_ns, time_ns) >= WORK_LONG_NS) {
		process->long_ns += since(later(ended->since_ns, process->long_until_ns), time_ns);
		process->long_until_ns = time_ns;
	}
	if (--process->open > 0)
		return;
	process->sum_ns += since(process->open_ns, time_ns);
	span = RING_AT(process->spans, process->n_spans - 1);
	if (process->n_spans == 0 || process->open_ns > span->to_ns + SPAN_GAP_NS) {
		span = RING_AT(process->spans, process->n_spans++);
		span->from_ns = process->open_ns;
	}
	span->to_ns = later(process->open_ns, time_ns);
	span->sum_ns = process->sum_ns;
}

void app_work_begin(struct app_work *work, struct slice_stack *stack,
		    const struct trace_record *record, uint64_t vsync_ns)
{
	struct work_process *process = find_process(work, trace_process(record));
	struct span comm = record->comm;

	if (!process)
		process = add_process(work, trace_process(record), record->time_ns);
	if (!process)
		return;
	process->last_ns = record->time_ns;
	/* The name of the main thread, which Android sets to the end of the package's name. */
	if (record->tid == process->pid && comm.len > 0 && comm.len <= WORK_COMM_MAX &&
	    comm.ptr[0] != '<' &&
	    (comm.len != process->comm_length || memcmp(comm.ptr, process->comm, comm.len) != 0)) {
		memcpy(process->comm, comm.ptr, comm.len);
		process->comm_length = (unsigned int)comm.len;
		become_known(work, process, record->time_ns);
	}
	if (vsync_ns > 0) {
		if (since(vsync_ns, record->time_ns) >= LATE_LEAST_NS) {
			process->late_from_ns = vsync_ns;
			process->late_to_ns = record->time_ns;
			process->late_from_sum_ns = sum_at(process, vsync_ns, record->time_ns);
			process->late_to_sum_ns = work_sum(process, record->time_ns);
		}
		process->answered_ns = record->time_ns;
		work->has_callbacks = true;
	}
	if (stack->work.process > 0 || !(stack->open & SLICE_WORK))
		return;
	stack->work.process = (uint32_t)(process - work->processes) + 1;
	stack->work.pid = record->pid;
	stack->work.since_ns = record->time_ns;
	if (process->open++ == 0)
		process->open_ns = record->time_ns;
}

/* --- losses --- */

void app_work_forget_delays(struct app_work *work, uint64_t from_ns)
{
	for (unsigned int i = 0; i < WORK_PROCESSES; i++)
		if (work->processes[i].late_to_ns > from_ns)
			work->processes[i].late_from_ns = work->processes[i].late_to_ns = 0;
}

void app_work_new_clock(struct app_work *work)
{
	*work = (struct app_work){ .stacks = work->stacks,
				   .sf_tid = work->sf_tid,
				   .last_id = work->last_id,
				   .losses = work->losses + 1,
				   .version = work->version,
				   .refused = work->refused,
				   .evicted = work->evicted };
	work->version++;
}

/* --- the process of a layer --- */

/* The process in a name such as "com.a/com.a.Main$_29673#163228"; -1: there is none. */
static int32_t stated_pid(struct span layer)
{
	bool may = layer.len > 0 && memchr(layer.ptr, '$', layer.len);

	for (size_t at = layer.len; may && at-- > 2;) {
		struct span text = span_skip(layer, at);
		uint64_t pid;

		if (layer.ptr[at - 2] != '$' || layer.ptr[at - 1] != '_')
			continue;
		return span_take_number(&text, INT32_MAX, &pid) && pid > 0 &&
				       (text.len == 0 || text.ptr[0] == '#')
			       ? (int32_t)pid
			       : -1;
	}
	return -1;
}

/* The process with the package's name, or with the view if @view is not 0. One that began after the
 * last event of another replaced it. If both live, it is unknown. */
static struct work_process *named_process(struct app_work *work, struct span app, uint64_t view)
{
	size_t cut = app.len > WORK_COMM_MAX ? app.len - WORK_COMM_MAX : 0;
	struct span comm = cut > 0 ? span_skip(app, cut) : app; /* NULL stays as it is */
	struct work_process *found = NULL;
	bool both = false;

	for (unsigned int i = 0; i < WORK_PROCESSES && work->processes[i].id; i++) {
		struct work_process *process = &work->processes[i];

		if (view ? !has_view(process, view)
			 : comm.len == 0 || process->comm_length != comm.len ||
				    memcmp(process->comm, comm.ptr, comm.len) != 0)
			continue;
		if (!found || process->first_ns >= found->last_ns)
			found = process;
		else if (found->first_ns < process->last_ns)
			both = true;
	}
	return both ? NULL : found;
}

struct work_process *app_work_process_of(struct app_work *work, struct work_owner *owner,
					 struct span layer, struct span app)
{
	struct work_process *process = NULL, *voted = NULL;
	int32_t pid;

	if (owner->version == work->version)
		return app_work_by_id(work, owner->process);
	pid = stated_pid(layer);
	if (pid > 0)
		process = find_process(work, pid);
	if (!process && view_in(layer).len > 0)
		process = named_process(work, SPAN_NULL, name_hash(view_in(layer)));
	if (!process) {
		if (owner->votes >= VOTES_ENOUGH)
			voted = find_process(work, owner->voted);
		if (app.len > 0)
			process = named_process(work, app, 0);
	}
	/* Buffers of the layer were queued while @voted was at work, which has no name, and not
	 * while @process was. Two apps may have names with the same last 15 bytes. */
	owner->by_name = process && !(voted && voted != process && voted->comm_length == 0);
	if (!owner->by_name && voted)
		process = voted;
	owner->version = work->version;
	owner->process = process ? process->id : 0;
	return process;
}

void app_work_vote(struct app_work *work, struct work_owner *owner, int32_t except,
		   uint64_t time_ns)
{
	const struct work_process *known = app_work_by_id(work, owner->process), *only = NULL;
	unsigned int n = 0;
	bool voted = false;

	if (known && known->pid == owner->voted)
		return;
	if (known && (known->open > 0 || time_ns <= known->last_ns + TRANSACTION_NS)) {
		owner->votes = owner->votes > 2 ? owner->votes - 2 : 0;
		return;
	}
	for (unsigned int i = 0; i < WORK_PROCESSES && work->processes[i].id; i++) {
		const struct work_process *process = &work->processes[i];

		if (process->pid == except ||
		    (process->open == 0 && time_ns > process->last_ns + TRANSACTION_NS))
			continue;
		only = process;
		n++;
		voted |= process->pid == owner->voted;
	}
	if (n > 0 && voted) {
		owner->votes += n == 1 && owner->votes < VOTES_MAX;
	} else if (owner->votes > 0) {
		owner->votes -= 2;
	} else if (n == 1) {
		owner->voted = only->pid;
		owner->votes = 1;
	}
	/* Searched again at the next frame: fewer votes do not count. */
	if (owner->votes == VOTES_ENOUGH)
		owner->version = 0;
}
