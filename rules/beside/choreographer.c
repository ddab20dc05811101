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

/* The nearest rank. */
static int64_t percentile99(const struct choreographer_thread *thread)
{
	uint64_t above = thread->timed / 100;

	if (above >= thread->n_slowest)
		return ROW_UNKNOWN;
	return (int64_t)thread->slowest_us[above] * 1000;
}

static int64_t mean(uint64_t sum, uint64_t n)
{
	return n > 0 ? (int64_t)(sum / n) : ROW_UNKNOWN;
}

static void write_row(struct choreographer *c, int32_t tid,
		      const struct choreographer_thread *thread)
{
	bool is_placed = thread->placed > 0 && thread->unplaced == 0;
	struct doframe_row row = {
		.start_ns = thread->start_ns,
		.end_ns = thread->last_ns,
		.app = thread->app,
		.pid = thread->pid,
		.tid = tid,
		.frames = thread->frames,
		.time_ns = thread->time_ns,
		.fps = thread->time_ns > 0
			       ? (double)thread->intervals * 1e9 / (double)thread->time_ns
			       : -1,
		.avg_ns = mean(thread->duration_ns, thread->timed),
		.p99_ns = percentile99(thread),
		.max_ns = thread->timed > 0 ? (int64_t)thread->max_ns : ROW_UNKNOWN,
		.draw_avg_ns = mean(thread->draw_ns, thread->draws),
		.draw_max_ns = thread->draws > 0 ? (int64_t)thread->draw_max_ns : ROW_UNKNOWN,
		.skipped = is_placed ? (int64_t)thread->skipped : ROW_UNKNOWN,
		.lost = loss_between(thread->lost_before, thread->lost_last),
	};

	for (unsigned int i = 0; i < 5; i++)
		row.matrix[i] = is_placed ? (int64_t)thread->matrix[i] : ROW_UNKNOWN;
	if (c->row)
		c->row(c->context, &row);
}

/* The next row begins where this one ends. */
static void close_row(struct choreographer *c, unsigned int at)
{
	struct choreographer_thread *thread = &c->threads[at];

	if (thread->frames == 0)
		return;
	write_row(c, c->tids[at], thread);
	thread->start_ns = thread->last_ns;
	thread->frames = thread->intervals = thread->time_ns = 0;
	thread->timed = thread->duration_ns = thread->max_ns = 0;
	thread->draws = thread->draw_ns = thread->draw_max_ns = 0;
	thread->placed = thread->unplaced = thread->skipped = 0;
	memset(thread->matrix, 0, sizeof(thread->matrix));
	thread->n_slowest = 0;
	thread->lost_before = thread->lost_last;
}

/* As in fps.csv: at the first callback that is delay_ns or more after the last check. */
static void close_due_rows(struct choreographer *c, uint64_t now_ns)
{
	if (!c->checked)
		c->last_check_ns = now_ns;
	c->checked = true;
	if (now_ns < c->last_check_ns + c->delay_ns)
		return;
	c->last_check_ns = now_ns;
	for (unsigned int i = 0; i < c->n; i++)
		if (c->threads[i].frames > c->min_frames)
			close_row(c, i);
}

static void close_idle(struct choreographer *c, uint64_t now_ns)
{
	if (now_ns < c->last_idle_check_ns + IDLE_CHECK_NS)
		return;
	c->last_idle_check_ns = now_ns;
	for (unsigned int i = 0; i < c->n; i++)
		if (now_ns >= c->threads[i].last_ns + IDLE_NS)
			close_row(c, i);
}

static void close_rows(struct choreographer *c)
{
	for (unsigned int i = 0; i < c->n; i++)
		close_row(c, i);
}

void choreographer_close(struct choreographer *c)
{
	/* No row follows: losses behind the last callbacks may have been callbacks. */
	for (unsigned int i = 0; i < c->n; i++)
		c->threads[i].lost_last = c->lost;
	close_rows(c);
}

/* --- threads --- */

static int find_thread(const struct choreographer *c, int32_t tid)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (c->tids[i] == tid)
			return (int)i;
	return -1;
}

/* The thread whose row has the drawing of process @pid: its main thread, or the first one. */
static int find_process(const struct choreographer *c, int32_t pid)
{
	int main_thread = find_thread(c, pid);

	if (main_thread >= 0 && c->threads[main_thread].pid == pid)
		return main_thread;
	for (unsigned int i = 0; i < c->n; i++)
		if (c->threads[i].pid == pid)
			return (int)i;
	return -1;
}

/* Removes an open slice. */
static void drop_open(struct choreographer *c, unsigned int at)
{
	if (thread_set_remove(&c->open_set, at))
		c->open[at] = c->open[c->open_set.n];
}

static void drop_open_of(struct choreographer *c, int thread)
{
	for (unsigned int i = 0; i < c->open_set.n;)
		if (c->open[i].thread == thread)
			drop_open(c, i);
		else
			i++;
}

/* A free entry, or that of the thread that is idle longest; -1: all are in use. */
static int free_entry(struct choreographer *c, uint64_t now_ns)
{
	unsigned int oldest;

	if (c->n < CHOREOGRAPHER_THREADS)
		return (int)c->n++;
	oldest = TABLE_LEAST(c->threads, c->n, last_ns);
	if (now_ns < c->threads[oldest].last_ns + UNUSED_NS)
		return -1;
	close_row(c, oldest);
	drop_open_of(c, (int)oldest);
	return (int)oldest;
}

/* The kernel keeps the last 15 bytes of an app's name as the name of its main thread. */
static void set_app(struct choreographer_thread *thread, const struct trace_record *record)
{
	struct span comm = record->comm;
	bool is_main = record->tid == record->pid || record->tid == record->tgid;
	size_t len = comm.len < sizeof(thread->app) - 1 ? comm.len : sizeof(thread->app) - 1;

	if (!is_main || len == 0 || comm.ptr[0] == '<')
		return;
	memcpy(thread->app, comm.ptr, len);
	thread->app[len] = '\0';
}

static int add_thread(struct choreographer *c, const struct trace_record *record)
{
	int at = free_entry(c, record->time_ns);

	if (at < 0)
		return -1;
	c->counters.threads++;
	c->tids[at] = record->tid;
	memset(&c->threads[at], 0, sizeof(c->threads[at]));
	c->threads[at].pid = record->pid;
	c->threads[at].start_ns = record->time_ns;
	c->threads[at].lost_before = c->threads[at].lost_last = c->lost;
	return at;
}

/* The thread of a callback. A thread number can return in another process. */
static int thread_of(struct choreographer *c, const struct trace_record *record)
{
	int at = find_thread(c, record->tid);

	if (at < 0)
		at = add_thread(c, record);
	if (at < 0)
		return -1;
	if (c->threads[at].pid != record->pid) {
		close_row(c, (unsigned int)at);
		c->threads[at].pid = record->pid;
		c->threads[at].app[0] = '\0';
		c->threads[at].follows = false;
	}
	if (c->threads[at].app[0] == '\0')
		set_app(&c->threads[at], record);
	return at;
}

/* --- skipped periods --- */

/* Edges so far. They have the numbers from 1 on. */
static uint64_t n_edges(const struct choreographer *c)
{
	return c->expected->n_ticks;
}

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

	if (number < 0 || n_edges(c) - before >= EXPECTED_TICKS)
		return 0;
	to_ns = expected_announced(c->expected, EXPECTED_SURFACEFLINGER, number, now_ns, &from_ns);
	for (uint64_t edge = before + 1; edge <= n_edges(c); edge++) {
		if (time_of(c, edge) <= from_ns || time_of(c, edge) > to_ns)
			continue;
		/* VSYNC-app and VSYNC-appSf may have one at the same time. */
		if (found > 0 && time_of(c, edge) > time_of(c, found) + SOON_NS)
			return 0;
		found = found > 0 ? found : edge;
	}
	return found;
}

/* A callback that follows an edge within this time has waited for it. */
static uint64_t soon_ns(const struct choreographer_thread *thread)
{
	return thread->usual_ns > 0 ? 2 * thread->usual_ns + SOON_NS : UINT64_MAX;
}

/* @edge: that the callback answers by its number; 0: unknown. */
static int64_t skipped_periods(const struct choreographer *c,
			       const struct choreographer_thread *thread, uint64_t now_ns,
			       uint64_t edge, uint64_t period_ns)
{
	uint64_t edges = n_edges(c), last_ns = expected_last_tick_ns(c->expected);
	uint64_t late_ns = now_ns - last_ns;

	if (period_ns == 0 || edges == c->expected->first_tick || now_ns < last_ns)
		return ROW_UNKNOWN;
	if (thread->follows && edges == thread->edge_at_begin)
		return ROW_UNKNOWN;
	if (thread->follows && edges == thread->edge_at_begin + 1)
		return (int64_t)(late_ns / period_ns);
	if (edge > 0)
		return (int64_t)((now_ns - time_of(c, edge)) / period_ns);
	if (late_ns >= period_ns / 4 || late_ns > soon_ns(thread) ||
	    (thread->follows && edges == thread->edge_at_end))
		return ROW_UNKNOWN;
	return 0;
}

/* Lower ends of the levels of Tencent Matrix (Constants.java). */
static unsigned int matrix_level(uint64_t skipped)
{
	static const unsigned int least[] = { 3, 9, 24, 42 };
	unsigned int level = 0;

	while (level < 4 && skipped >= least[level])
		level++;
	return level;
}

static void keep_worst(struct choreographer *c, const struct choreographer_thread *thread,
		       uint64_t skipped, uint64_t begin_ns)
{
	struct doframe_skipped *worst = &c->worst;

	if (skipped <= worst->periods)
		return;
	*worst = (struct doframe_skipped){ .periods = skipped,
					   .begin_ns = begin_ns,
					   .pid = thread->pid,
					   .tid = c->tids[thread - c->threads] };
	memcpy(worst->app, thread->app, sizeof(worst->app));
}

static void count_skipped(struct choreographer *c, struct choreographer_thread *thread,
			  int64_t skipped, uint64_t begin_ns)
{
	if (skipped < 0)
		return;
	thread->placed++;
	thread->skipped += (uint64_t)skipped;
	thread->matrix[matrix_level((uint64_t)skipped)]++;
	if (skipped < CHOREOGRAPHER_SKIPPED_MUCH)
		return;
	c->counters.skipped_much++;
	keep_worst(c, thread, (uint64_t)skipped, begin_ns);
}

/* --- slices --- */

/* @at: the open slice of the thread, whose end was lost; or -1. If there is no space, the slice is
 * not measured: returns NULL. */
static struct choreographer_open *open_slice(struct choreographer *c, int at,
					     const struct trace_record *record, int thread,
					     bool is_draw)
{
	if (at < 0 && c->open_set.n == CHOREOGRAPHER_OPEN) {
		for (unsigned int i = 0; at < 0 && i < c->open_set.n; i++)
			if (record->time_ns >= c->open[i].begin_ns + UNUSED_NS)
				at = (int)i;
		if (at < 0)
			return NULL;
	}
	if (at >= 0)
		drop_open(c, (unsigned int)at);
	at = (int)thread_set_add(&c->open_set, record->tid);
	c->open[at] = (struct choreographer_open){ .thread = thread,
						   .is_draw = is_draw,
						   .begin_ns = record->time_ns,
						   .pid = trace_process(record) };
	return &c->open[at];
}

static void count_interval(struct choreographer_thread *thread, uint64_t now_ns)
{
	uint64_t since_ns = thread->last_end_ns ? thread->last_end_ns : thread->last_ns;

	if (!thread->follows || now_ns < since_ns || now_ns - since_ns >= PAUSE_NS)
		return;
	thread->intervals++;
	thread->time_ns += now_ns - thread->last_ns;
}

static void begin_do_frame(struct choreographer *c, int open, const struct trace_record *record,
			   int64_t number, uint64_t period_ns)
{
	uint64_t now_ns = record->time_ns, last_edge_ns = expected_last_tick_ns(c->expected);
	struct choreographer_thread *thread;
	struct choreographer_open *slice;
	uint64_t first_edge, edges, edge;
	int64_t skipped;
	int at;

	close_idle(c, now_ns);
	if (c->marks.n > 0 && marks_pass(&c->marks, now_ns))
		close_rows(c);
	at = thread_of(c, record);
	c->counters.callbacks++;
	if (at < 0) {
		c->counters.refused++;
		return;
	}
	thread = &c->threads[at];
	if (thread->frames > 0 && now_ns >= thread->last_ns + IDLE_NS)
		close_row(c, (unsigned int)at);
	thread->lost_last = c->lost;
	thread->follows &= thread->losses == c->expected->losses;
	count_interval(thread, now_ns);
	edge = thread->follows ? edge_of(c, number, thread->edge_at_begin, now_ns) : 0;
	skipped = skipped_periods(c, thread, now_ns, edge, period_ns);
	first_edge = thread->follows ? thread->edge_at_begin + 1 : 0;
	count_skipped(c, thread, skipped, now_ns);
	/* Without a new edge it is not late for one: its edge is written after it. Neither is one
	 * that follows its only edge at once, whatever the period is. */
	edges = n_edges(c) - thread->edge_at_begin;
	thread->unplaced += skipped < 0 && thread->follows &&
			    (edges > 1 || (edges == 1 && now_ns > last_edge_ns + SOON_NS));
	if (skipped == 0 && thread->follows && edges == 1)
		thread->usual_ns = (3 * thread->usual_ns + now_ns - last_edge_ns) / 4;
	thread->frames++;
	thread->last_ns = now_ns;
	thread->last_end_ns = 0;
	thread->edge_at_begin = thread->edge_at_end = n_edges(c);
	thread->follows = true;
	thread->losses = c->expected->losses;
	/* free_entry() may have moved the open slices. */
	open = open < 0 ? open : thread_set_find(&c->open_set, record->tid);
	slice = open_slice(c, open, record, at, false);
	if (slice) {
		slice->skipped = skipped;
		slice->first_edge = first_edge;
		slice->is_placed = edge > 0;
	}
	close_due_rows(c, now_ns);
}

/* The callback states that it is late by a period or more, so it answers an edge that was that long
 * before. That is known if there is only one since the thread's previous callback. */
static void resync(struct choreographer *c, struct choreographer_open *open, uint64_t period_ns)
{
	struct choreographer_thread *thread = &c->threads[open->thread];
	uint64_t edge, late_ns = 0;
	unsigned int n = 0;

	/* Its row may be closed. One edge alone is the one that it answers. */
	if (open->skipped > 0 || period_ns == 0 || thread->frames == 0 || open->is_placed ||
	    open->first_edge == n_edges(c))
		return;
	if (open->skipped == 0) {
		thread->placed--;
		thread->matrix[0]--;
		thread->unplaced++;
	}
	open->skipped = ROW_UNKNOWN;
	edge = open->first_edge;
	if (edge == 0 || n_edges(c) < edge || n_edges(c) - edge >= EXPECTED_TICKS)
		return;
	for (; edge <= n_edges(c); edge++) {
		if (time_of(c, edge) + period_ns > open->begin_ns)
			continue;
		late_ns = open->begin_ns - time_of(c, edge);
		n++;
	}
	if (n != 1)
		return;
	thread->unplaced -= thread->unplaced > 0;
	open->skipped = (int64_t)(late_ns / period_ns);
	count_skipped(c, thread, open->skipped, open->begin_ns);
}

/* A slice begins inside the callback @open. */
static void begin_inside(struct choreographer *c, struct choreographer_open *open,
			 const struct trace_record *record, enum rule_role role, uint64_t period_ns)
{
	if (open->depth == 0 && !open->is_draw && role == RULE_RESYNC) {
		open->base = 1;
		resync(c, open, period_ns);
	} else if (open->depth == open->base && !open->is_draw) {
		open->part = role >= RULE_INPUT && role <= RULE_DRAW ? role : RULE_NONE;
		open->part_begin_ns = record->time_ns;
	} else if (open->depth == open->base + 1 && open->part == RULE_TRAVERSAL &&
		   role == RULE_DRAW) {
		open->draw_begin_ns = record->time_ns;
	}
	open->depth++;
}

/* The innermost slice inside the callback @open ends. */
static void end_inside(struct choreographer_open *open, uint64_t now_ns)
{
	struct doframe_parts *parts = &open->parts;
	uint64_t part_ns = since(open->part_begin_ns, now_ns);

	open->depth--;
	if (open->depth == open->base + 1 && open->draw_begin_ns > 0) {
		parts->draw_ns += since(open->draw_begin_ns, now_ns);
		open->draw_begin_ns = 0;
	}
	if (open->depth < open->base)
		open->base = 0;
	if (open->depth > open->base || open->part == RULE_NONE)
		return;
	if (part_ns > parts->longest_ns) {
		parts->longest = open->part;
		parts->longest_ns = part_ns;
	}
	open->part = RULE_NONE;
}

static void begin_draw(struct choreographer *c, int open, const struct trace_record *record,
		       uint64_t period_ns)
{
	int thread = find_process(c, record->pid);

	if (open >= 0 && !c->open[open].is_draw) {
		begin_inside(c, &c->open[open], record, RULE_DRAW_FRAME, period_ns);
		return;
	}
	if (thread >= 0)
		open_slice(c, open, record, thread, true);
	else if (open >= 0)
		drop_open(c, (unsigned int)open);
}

static void add_slowest(struct choreographer_thread *thread, uint64_t duration_ns)
{
	uint64_t us = duration_ns / 1000;
	uint32_t value = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
	unsigned int at = thread->n_slowest;

	if (at == CHOREOGRAPHER_SLOWEST && value <= thread->slowest_us[--at])
		return;
	thread->n_slowest = at + 1;
	for (; at > 0 && thread->slowest_us[at - 1] < value; at--)
		thread->slowest_us[at] = thread->slowest_us[at - 1];
	thread->slowest_us[at] = value;
}

static void keep_long(struct choreographer *c, const struct choreographer_open *slice,
		      uint64_t now_ns)
{
	c->longs[c->n_long++ % CHOREOGRAPHER_LONG] = (struct long_doframe){
		.begin_ns = slice->begin_ns,
		.end_ns = now_ns,
		.pid = slice->pid,
		.parts = slice->parts,
	};
}

static __attribute__((noinline)) void end_slice(struct choreographer *c, unsigned int at,
						uint64_t now_ns, uint64_t period_ns)
{
	struct choreographer_open slice = c->open[at];
	struct choreographer_thread *thread = &c->threads[slice.thread];
	uint64_t duration_ns = now_ns - slice.begin_ns;

	drop_open(c, at);
	if (now_ns < slice.begin_ns)
		return;
	if (slice.is_draw) {
		thread->draws++;
		thread->draw_ns += duration_ns;
		if (duration_ns > thread->draw_max_ns)
			thread->draw_max_ns = duration_ns;
		return;
	}
	if (period_ns > 0 && duration_ns > period_ns)
		keep_long(c, &slice, now_ns);
	thread->last_end_ns = now_ns;
	thread->edge_at_end = n_edges(c);
	thread->timed++;
	thread->duration_ns += duration_ns;
	if (duration_ns > thread->max_ns)
		thread->max_ns = duration_ns;
	add_slowest(thread, duration_ns);
}

void choreographer_init(struct choreographer *c, const struct expected *expected)
{
	c->expected = expected;
	c->open_set.tids = c->open_tids;
}

void choreographer_begin(struct choreographer *c, const struct trace_record *record,
			 const struct slice_meaning *meaning, uint64_t period_ns)
{
	int open = thread_set_find(&c->open_set, record->tid);

	if (meaning->role == RULE_CALLBACK)
		begin_do_frame(c, open, record, meaning->number, period_ns);
	else if (meaning->role == RULE_DRAW_FRAME)
		begin_draw(c, open, record, period_ns);
	else if (open >= 0)
		begin_inside(c, &c->open[open], record, meaning->role, period_ns);
}

void choreographer_end(struct choreographer *c, const struct trace_record *record,
		       uint64_t period_ns)
{
	int open = thread_set_find(&c->open_set, record->tid);

	if (open >= 0 && c->open[open].depth > 0)
		end_inside(&c->open[open], record->time_ns);
	else if (open >= 0)
		end_slice(c, (unsigned int)open, record->time_ns, period_ns);
}

/* --- long callbacks --- */

/* Adds one to @text, after "; ". Returns false if there is no space. */
static bool describe_one(const struct long_doframe *one, char *text, size_t size)
{
	const struct doframe_parts *parts = &one->parts;
	uint64_t us = (one->end_ns - one->begin_ns) / 1000;
	char line[120], draw[30] = "";
	size_t used = strlen(text), length;

	length = (size_t)snprintf(line, sizeof(line), "%sdoFrame %llu.%llu ms", used ? "; " : "",
				  (unsigned long long)us / 1000, (unsigned long long)us / 100 % 10);
	if (parts->longest == RULE_TRAVERSAL && 2 * parts->draw_ns > parts->longest_ns)
		snprintf(draw, sizeof(draw), " draw %.1f", (double)(parts->draw_ns / 100000) / 10);
	if (parts->longest != RULE_NONE)
		length += (size_t)snprintf(line + length, sizeof(line) - length, " (%s %.1f%s)",
					   part_names[parts->longest],
					   (double)(parts->longest_ns / 100000) / 10, draw);
	if (used + length >= size)
		return false;
	memcpy(text + used, line, length + 1);
	return true;
}

void choreographer_describe(const struct choreographer *c, int32_t pid, uint64_t from_ns,
			    uint64_t to_ns, char *text, size_t size)
{
	uint64_t kept = c->n_long < CHOREOGRAPHER_LONG ? c->n_long : CHOREOGRAPHER_LONG;
	uint64_t first = c->n_long;

	text[0] = '\0';
	while (kept-- > 0 && c->longs[(first - 1) % CHOREOGRAPHER_LONG].end_ns > from_ns)
		first--;
	for (; first < c->n_long; first++) {
		const struct long_doframe *one = &c->longs[first % CHOREOGRAPHER_LONG];

		if (one->pid == pid && one->end_ns <= to_ns && !describe_one(one, text, size))
			return;
	}
}

/* --- marks, losses, clocks --- */

void choreographer_lost(struct choreographer *c, struct loss loss)
{
	c->lost.events += loss.events;
	c->lost.unknown_count += loss.unknown_count;
	thread_set_clear(&c->open_set);
}

void choreographer_new_clock(struct choreographer *c)
{
	choreographer_close(c);
	thread_set_clear(&c->open_set);
	c->n = 0;
	c->n_long = 0;
	marks_clear(&c->marks);
	c->checked = false;
	c->last_idle_check_ns = 0;
}
