/* SPDX-License-Identifier: Apache-2.0 */
/* Which edge of VSYNC-app does a callback answer? An app asks for one edge at a time, and nothing
 * in the trace shows when. The edge is known if there was only one since the thread's previous
 * callback. If there were several, other apps asked for them, too.
 *
 * From Android 12 on the callback has the number of a vsync, and compositions have some, too.
 * Numbers rise with time:
 *
 *     edges            |e          |e+1        |e+2
 *     SurfaceFlinger       120         130         140      composes
 *     callback                                   125        answers e + 1
 *
 * Else the callback answers the last edge if it follows it as fast as those of the thread whose
 * edge is certain. Otherwise it may be late for any of them, and the number of skipped periods of
 * the row is unknown.
 */
#include "rules/beside/choreographer.h"

#include <stdio.h>
#include <string.h>

#include "rules/base/table.h"
#include "rules/language/surface.h"

/* As in fps.csv, see frame_queue.c. */
#define IDLE_NS UINT64_C(5000000000)
#define IDLE_CHECK_NS UINT64_C(1000000000)

/* Between two callbacks: the thread had nothing to draw. Like a wait of fps.csv. */
#define PAUSE_NS UINT64_C(500000000)

/* An entry of a full table is reused after this time. */
#define UNUSED_NS UINT64_C(1000000000)

#define SOON_NS UINT64_C(1000000)

/* Names of the parts, as Choreographer and ViewRootImpl write them, for texts. */
static const char *const part_names[] = {
	[RULE_INPUT] = "input",
	[RULE_ANIMATION] = "animation",
	[RULE_INSETS] = "insets_animation",
	[RULE_TRAVERSAL] = "traversal",
	[RULE_FINISH] = "commit",
	[RULE_DRAW] = "draw",
};

/* --- rows --- */

static int64_t mean(uint64_t sum, uint64_t n)
{
	return n > 0 ? (int64_t)(sum / n) : ROW_UNKNOWN;
}

/* Writes the row, if it has callbacks. The next row begins where it ends. */
static void close_row(struct choreographer *c, unsigned int at)
{
	struct choreographer_thread *thread = &c->threads[at];
	const struct choreographer_row *sums = &thread->row;
	bool is_placed = sums->placed > 0 && sums->unplaced == 0;
	uint64_t rank =
		sums->timed / 100; /* the nearest of the 99th percentile, from the longest on */
	struct doframe_row row = {
		.start_ns = sums->start_ns,
		.end_ns = thread->doframe.begin_ns,
		.app = thread->app,
		.pid = thread->pid,
		.tid = c->tids[at],
		.frames = sums->frames,
		.time_ns = sums->time_ns,
		.fps = sums->time_ns > 0 ? (double)sums->intervals * 1e9 / (double)sums->time_ns
					 : -1,
		.avg_ns = mean(sums->duration_ns, sums->timed),
		.p99_ns = rank < sums->n_slowest ? (int64_t)sums->slowest_us[rank] * 1000
						 : ROW_UNKNOWN,
		.max_ns = sums->timed > 0 ? (int64_t)sums->max_ns : ROW_UNKNOWN,
		.draw_avg_ns = mean(sums->draw_ns, sums->draws),
		.draw_max_ns = sums->draws > 0 ? (int64_t)sums->draw_max_ns : ROW_UNKNOWN,
		.skipped = is_placed ? (int64_t)sums->skipped : ROW_UNKNOWN,
		.lost = loss_between(sums->lost_before, thread->lost_last),
	};

	if (sums->frames == 0)
		return;
	for (unsigned int i = 0; i < 5; i++)
		row.matrix[i] = is_placed ? (int64_t)sums->matrix[i] : ROW_UNKNOWN;
	if (c->row)
		c->row(c->context, &row);
	thread->row = (struct choreographer_row){ .start_ns = thread->doframe.begin_ns,
						  .lost_before = thread->lost_last };
}

/* Closes the rows with more callbacks than @min, the last one at @until_ns or before. */
static void close_rows(struct choreographer *c, uint64_t min, uint64_t until_ns)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (c->threads[i].row.frames > min && c->threads[i].doframe.begin_ns <= until_ns)
			close_row(c, i);
}

void choreographer_close(struct choreographer *c)
{
	/* No row follows: losses behind the last callbacks may have been callbacks. */
	for (unsigned int i = 0; i < c->n; i++)
		c->threads[i].lost_last = *c->lost;
	close_rows(c, 0, UINT64_MAX);
}

/* --- threads --- */

static int find_thread(struct choreographer *c, int32_t tid)
{
	/* Most events are of the thread of the one before. */
	if (c->found < c->n && c->tids[c->found] == tid)
		return (int)c->found;
	for (unsigned int i = 0; i < c->n; i++)
		if (c->tids[i] == tid)
			return (int)(c->found = i);
	return -1;
}

/* The thread whose row has the drawing of process @pid: its main thread, or the first one. */
static int find_process(struct choreographer *c, int32_t pid)
{
	int main_thread = find_thread(c, pid);

	if (main_thread >= 0 && c->threads[main_thread].pid == pid)
		return main_thread;
	for (unsigned int i = 0; i < c->n; i++)
		if (c->threads[i].pid == pid)
			return (int)i;
	return -1;
}

/* The place of the thread of a callback; -1: there is no space for it. */
static int thread_of(struct choreographer *c, const struct trace_record *record)
{
	int at = find_thread(c, record->tid);
	bool is_new = at < 0;
	struct choreographer_thread *thread;

	if (is_new && c->n < CHOREOGRAPHER_THREADS) {
		at = (int)c->n++;
	} else if (is_new) {
		/* The thread that is idle longest makes space. */
		at = (int)TABLE_LEAST(c->threads, c->n, doframe.begin_ns);
		if (record->time_ns < c->threads[at].doframe.begin_ns + UNUSED_NS)
			return -1;
		close_row(c, (unsigned int)at);
	}
	thread = &c->threads[at];
	if (is_new) {
		c->tids[at] = record->tid;
		*thread = (struct choreographer_thread){
			.pid = record->pid,
			.lost_last = *c->lost,
			.row = { .start_ns = record->time_ns, .lost_before = *c->lost },
		};
	}
	/* A thread number can return in another process. */
	if (thread->pid != record->pid) {
		close_row(c, (unsigned int)at);
		thread->pid = record->pid;
		thread->app[0] = '\0';
		thread->follows = false;
	}
	/* The kernel keeps the last 15 bytes of an app's name as the name of its main thread. */
	if (thread->app[0] == '\0' && record->comm.len > 0 && record->comm.ptr[0] != '<' &&
	    (record->tid == record->pid || record->tid == record->tgid))
		name_copy(thread->app, sizeof(thread->app), record->comm);
	return at;
}

/* --- skipped periods --- */

/* Edges have the numbers from 1 on. */
static uint64_t time_of(const struct choreographer *c, uint64_t edge)
{
	return expected_tick_ns(c->expected, edge - 1);
}

/* The edge, after number @before, that the callback of vsync @number answers: the only one between
 * two compositions for an earlier and for a later vsync, or before @now_ns; 0: unknown. */
static uint64_t edge_of(const struct choreographer *c, int64_t number, uint64_t before,
			uint64_t now_ns)
{
	uint64_t from_ns, to_ns, found = 0;

	if (number < 0 || c->expected->n_ticks - before >= EXPECTED_TICKS)
		return 0;
	to_ns = expected_announced(c->expected, EXPECTED_SURFACEFLINGER, number, now_ns, &from_ns);
	for (uint64_t edge = before + 1; edge <= c->expected->n_ticks; edge++) {
		if (time_of(c, edge) <= from_ns || time_of(c, edge) > to_ns)
			continue;
		/* VSYNC-app and VSYNC-appSf may have one at the same time. */
		if (found > 0 && time_of(c, edge) > time_of(c, found) + SOON_NS)
			return 0;
		found = found > 0 ? found : edge;
	}
	return found;
}

/* @edge: that the callback answers by its number; 0: unknown. */
static int64_t skipped_periods(const struct choreographer *c,
			       const struct choreographer_thread *thread, uint64_t now_ns,
			       uint64_t edge, uint64_t period_ns)
{
	uint64_t edges = c->expected->n_ticks, last_ns = expected_last_tick_ns(c->expected);
	uint64_t late_ns = now_ns - last_ns;
	/* A callback that follows an edge within this time has waited for it. */
	uint64_t soon_ns = thread->usual_ns > 0 ? 2 * thread->usual_ns + SOON_NS : UINT64_MAX;

	if (period_ns == 0 || edges == c->expected->first_tick || now_ns < last_ns)
		return ROW_UNKNOWN;
	if (thread->follows && edges == thread->edge_at_begin)
		return ROW_UNKNOWN;
	if (thread->follows && edges == thread->edge_at_begin + 1)
		return (int64_t)(late_ns / period_ns);
	if (edge > 0)
		return (int64_t)((now_ns - time_of(c, edge)) / period_ns);
	if (late_ns >= period_ns / 4 || late_ns > soon_ns ||
	    (thread->follows && edges == thread->edge_at_end))
		return ROW_UNKNOWN;
	return 0;
}

static void count_skipped(struct choreographer *c, struct choreographer_thread *thread,
			  int64_t skipped, uint64_t begin_ns)
{
	/* Lower ends of the levels of Tencent Matrix (Constants.java). */
	static const int64_t least[] = { 3, 9, 24, 42 };
	struct doframe_skipped *worst = &c->worst;
	unsigned int level = 0;

	if (skipped < 0)
		return;
	while (level < 4 && skipped >= least[level])
		level++;
	thread->row.placed++;
	thread->row.skipped += (uint64_t)skipped;
	thread->row.matrix[level]++;
	if (skipped < CHOREOGRAPHER_SKIPPED_MUCH)
		return;
	c->counters.skipped_much++;
	if ((uint64_t)skipped <= worst->periods)
		return;
	*worst = (struct doframe_skipped){ .periods = (uint64_t)skipped,
					   .begin_ns = begin_ns,
					   .pid = thread->pid,
					   .tid = c->tids[thread - c->threads] };
	memcpy(worst->app, thread->app, sizeof(worst->app));
}

/* --- slices --- */

static void begin_do_frame(struct choreographer *c, const struct trace_record *record,
			   int64_t number, uint64_t period_ns)
{
	uint64_t now_ns = record->time_ns, last_edge_ns = expected_last_tick_ns(c->expected);
	struct choreographer_thread *thread;
	uint64_t edges, edge, since_ns;
	int64_t skipped;
	int at;

	if (now_ns >= c->last_idle_check_ns + IDLE_CHECK_NS) {
		c->last_idle_check_ns = now_ns;
		if (now_ns >= IDLE_NS)
			close_rows(c, 0, now_ns - IDLE_NS);
	}
	if (c->marks.n > 0 && marks_pass(&c->marks, now_ns))
		close_rows(c, 0, UINT64_MAX);
	at = thread_of(c, record);
	c->counters.callbacks++;
	if (at < 0) {
		c->counters.refused++;
		return;
	}
	thread = &c->threads[at];
	if (now_ns >= thread->doframe.begin_ns + IDLE_NS)
		close_row(c, (unsigned int)at);
	thread->lost_last = *c->lost;
	thread->follows &= thread->losses == c->expected->losses;
	since_ns = thread->doframe.end_ns ? thread->doframe.end_ns : thread->doframe.begin_ns;
	if (thread->follows && now_ns >= since_ns && now_ns - since_ns < PAUSE_NS) {
		thread->row.intervals++;
		thread->row.time_ns += now_ns - thread->doframe.begin_ns;
	}
	edge = thread->follows ? edge_of(c, number, thread->edge_at_begin, now_ns) : 0;
	skipped = skipped_periods(c, thread, now_ns, edge, period_ns);
	thread->doframe = (struct doframe){ .begin_ns = now_ns, .pid = trace_process(record) };
	thread->skipped = skipped;
	thread->first_edge = thread->follows ? thread->edge_at_begin + 1 : 0;
	thread->is_placed = edge > 0;
	count_skipped(c, thread, skipped, now_ns);
	/* Without a new edge it is not late for one: its edge is written after it. Neither is one
	 * that follows its only edge at once, whatever the period is. */
	edges = c->expected->n_ticks - thread->edge_at_begin;
	thread->row.unplaced += skipped < 0 && thread->follows &&
				(edges > 1 || (edges == 1 && now_ns > last_edge_ns + SOON_NS));
	if (skipped == 0 && thread->follows && edges == 1)
		thread->usual_ns = (3 * thread->usual_ns + now_ns - last_edge_ns) / 4;
	thread->row.frames++;
	thread->edge_at_begin = thread->edge_at_end = c->expected->n_ticks;
	thread->follows = true;
	thread->losses = c->expected->losses;
	/* As in fps.csv: at the first callback that is delay_ns or more after the last check. */
	if (c->last_check_ns == 0)
		c->last_check_ns = now_ns;
	if (now_ns < c->last_check_ns + c->delay_ns)
		return;
	c->last_check_ns = now_ns;
	close_rows(c, c->min_frames, UINT64_MAX);
}

/* The callback states that it is late by a period or more, so it answers an edge that was that long
 * before. That is known if there is only one since the thread's previous callback. */
static void resync(struct choreographer *c, struct choreographer_thread *thread, uint64_t period_ns)
{
	uint64_t edge, late_ns = 0;
	unsigned int n = 0;

	/* Its row may be closed. One edge alone is the one that it answers. */
	if (thread->skipped > 0 || period_ns == 0 || thread->row.frames == 0 || thread->is_placed ||
	    thread->first_edge == c->expected->n_ticks)
		return;
	if (thread->skipped == 0) {
		thread->row.placed--;
		thread->row.matrix[0]--;
		thread->row.unplaced++;
	}
	thread->skipped = ROW_UNKNOWN;
	edge = thread->first_edge;
	if (edge == 0 || c->expected->n_ticks < edge ||
	    c->expected->n_ticks - edge >= EXPECTED_TICKS)
		return;
	for (; edge <= c->expected->n_ticks; edge++) {
		if (time_of(c, edge) + period_ns > thread->doframe.begin_ns)
			continue;
		late_ns = thread->doframe.begin_ns - time_of(c, edge);
		n++;
	}
	if (n != 1)
		return;
	thread->row.unplaced -= thread->row.unplaced > 0;
	thread->skipped = (int64_t)(late_ns / period_ns);
	count_skipped(c, thread, thread->skipped, thread->doframe.begin_ns);
}

/* True: @slice is directly in a callback, or in "resynced" directly in that. */
static bool is_part(const struct slice_stack *stack, const struct open_slice *slice)
{
	const struct open_slice *around = slice_stack_around(stack, slice);

	if (around && around->role == RULE_RESYNC)
		around = slice_stack_around(stack, around);
	return around && around->role == RULE_CALLBACK;
}

void choreographer_begin(struct choreographer *c, struct slice_stack *stack,
			 const struct trace_record *record, const struct slice_meaning *meaning,
			 uint64_t period_ns)
{
	struct open_slice *slice = slice_stack_last(stack, meaning->role);
	int at;

	if (meaning->role == RULE_CALLBACK) {
		begin_do_frame(c, record, meaning->number, period_ns);
	} else if (meaning->role == RULE_DRAW_FRAME && slice) {
		slice->argument = record->pid;
		if (find_process(c, record->pid) < 0)
			slice->role = RULE_NONE;
		/* A drawing around it does not count: its end was lost. */
		for (struct open_slice *around = stack->slices; around < slice; around++)
			if (around->role == RULE_DRAW_FRAME)
				around->role = RULE_NONE;
	} else if (meaning->role == RULE_RESYNC && slice) {
		at = find_thread(c, record->tid);
		if (at >= 0 && is_part(stack, slice))
			resync(c, &c->threads[at], period_ns);
	}
}

void choreographer_end(struct choreographer *c, const struct slice_stack *stack,
		       const struct open_slice *ended, uint64_t now_ns, uint64_t period_ns)
{
	bool is_draw = ended->role == RULE_DRAW_FRAME;
	int at = is_draw ? find_process(c, (int32_t)ended->argument) : find_thread(c, stack->tid);
	const struct open_slice *around = slice_stack_around(stack, ended);
	uint64_t ns = now_ns - ended->begin_ns;
	uint32_t us = ns / 1000 < UINT32_MAX ? (uint32_t)(ns / 1000) : UINT32_MAX;
	struct choreographer_thread *thread;
	struct choreographer_row *row;
	struct doframe_parts *parts;
	unsigned int place;

	if (at < 0 || now_ns < ended->begin_ns)
		return;
	thread = &c->threads[at];
	row = &thread->row;
	parts = &thread->doframe.parts;
	if (is_draw) {
		row->draws++;
		row->draw_ns += ns;
		row->draw_max_ns = later(row->draw_max_ns, ns);
	} else if (ended->role == RULE_CALLBACK) {
		/* Nothing is kept of one inside which another one began. */
		if (thread->doframe.begin_ns != ended->begin_ns)
			return;
		thread->doframe.end_ns = now_ns;
		if (period_ns > 0 && ns > period_ns)
			*RING_AT(c->longs, c->n_long++) = thread->doframe;
		thread->edge_at_end = c->expected->n_ticks;
		row->timed++;
		row->duration_ns += ns;
		row->max_ns = later(row->max_ns, ns);
		/* The longest ones are kept, in order. */
		place = row->n_slowest;
		if (place == CHOREOGRAPHER_SLOWEST && us <= row->slowest_us[--place])
			return;
		row->n_slowest = place + 1;
		for (; place > 0 && row->slowest_us[place - 1] < us; place--)
			row->slowest_us[place] = row->slowest_us[place - 1];
		row->slowest_us[place] = us;
	} else if (is_part(stack, ended)) {
		if (ended->role == RULE_RESYNC || ns <= parts->longest_ns)
			return;
		parts->longest = ended->role;
		parts->longest_ns = ns;
	} else if (ended->role == RULE_DRAW && around && around->role == RULE_TRAVERSAL &&
		   is_part(stack, around)) {
		parts->draw_ns += ns;
	}
}

/* --- long callbacks --- */

void choreographer_describe(const struct choreographer *c, int32_t pid, uint64_t from_ns,
			    uint64_t to_ns, char *text, size_t size)
{
	uint64_t kept = RING_KEPT(c->longs, c->n_long), first = c->n_long;
	size_t used = 0;

	text[0] = '\0';
	while (kept-- > 0 && RING_AT(c->longs, first - 1)->end_ns > from_ns)
		first--;
	for (; first < c->n_long; first++) {
		const struct doframe *one = RING_AT(c->longs, first);
		const struct doframe_parts *parts = &one->parts;
		uint64_t us = (one->end_ns - one->begin_ns) / 1000;
		char line[120], draw[30] = "";
		size_t length;

		if (one->pid != pid || one->end_ns > to_ns)
			continue;
		length = (size_t)snprintf(line, sizeof(line), "%sdoFrame %llu.%llu ms",
					  used ? "; " : "", (unsigned long long)us / 1000,
					  (unsigned long long)us / 100 % 10);
		if (parts->longest == RULE_TRAVERSAL && 2 * parts->draw_ns > parts->longest_ns)
			snprintf(draw, sizeof(draw), " draw %.1f",
				 (double)(parts->draw_ns / 100000) / 10);
		if (parts->longest != RULE_NONE)
			length += (size_t)snprintf(line + length, sizeof(line) - length,
						   " (%s %.1f%s)", part_names[parts->longest],
						   (double)(parts->longest_ns / 100000) / 10, draw);
		if (used + length >= size)
			return;
		memcpy(text + used, line, length + 1);
		used += length;
	}
}

void choreographer_new_clock(struct choreographer *c)
{
	choreographer_close(c);
	c->n = 0;
	c->n_long = 0;
	c->marks = (struct marks){ .n = 0 };
	c->last_check_ns = c->last_idle_check_ns = 0;
}
