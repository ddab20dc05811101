/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/android/android.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "daemon/base/wall_clock.h"
#include "rules/base/memory.h"
#include "rules/base/rate_limit.h"
#include "rules/language/pattern.h"
#include "rules/language/surface.h"

#define LATENCY_LAYERS_MAX 32  /* that live at a time */
#define LATENCY_NAMES_MAX 512  /* of a list */
#define LATENCY_HELD_MAX 8192  /* frames that wait for a scan */
#define LATENCY_NAME_SIZE 1024 /* with its NUL; layers with longer names are not polled */

#define DUMPSYS_MS 5000
#define SCAN_NS (5 * NS_PER_S) /* between the begins of two scans, at least */
#define LIVES_NS                                                                                   \
	((int64_t)(10 * NS_PER_S)) /* a layer without frames for this time is only scanned */
#define POLL_LEAST_NS (200 * NS_PER_MS)
#define PERIOD_ASSUMED_NS UINT64_C(8333333) /* until the first answer: 120 Hz */
#define FINISH_NS (2 * NS_PER_S)
#define SUSPEND_NS ((int64_t)(5 * NS_PER_MS)) /* the offset of the clocks changes by more */
#define LOOK_NS (100 * NS_PER_MS)	      /* between two looks at it */
#define NEAREST_NAMES 3			      /* in a message */
#define CHECK_NS (20 * NS_PER_MS)	      /* of a run's end */
#define RINGS_MAX 4			      /* of layers with one name */
#define SWITCHES_MAX 8			      /* of the period, while frames wait for a scan */
#define STARVED_NS (60 * NS_PER_S)	      /* between two events about polls that are too late */

/* Of several layers with one name, each has an entry of its own. */
struct polled_layer {
	char name[LATENCY_NAME_SIZE]; /* "": free */
	unsigned int twin;	      /* 0: the first one with that name */
	uint64_t joined_ns;	      /* begin of the run with the last rows that are its own */
	struct latency_ring ring;
	uint32_t gaps, dropped; /* those in its rings; frames that were out of order */
	unsigned int n_held;	/* frames that are not passed on yet */
	uint64_t period_ns;	/* of its last poll */
	int64_t fresh_ns;	/* of the last poll with frames, CLOCK_MONOTONIC */
	uint64_t next_ns;	/* of the next poll */
};

struct held_frame {
	uint64_t desired_ns, actual_ns, ready_ns; /* of the trace clock */
	uint32_t gaps;
	uint16_t layer;
	bool is_loss;
};

/* The display's period became another one between two runs. Times of the trace clock. */
struct period_switch {
	uint64_t after_ns;	       /* it was the old one up to then */
	uint64_t before_ns;	       /* and the new one from then on */
	uint64_t old_ns, new_ns;       /* the periods */
	bool old_is_seen, new_is_seen; /* a frame can only have that one */
};

enum run { RUN_NONE, RUN_LIST, RUN_LAYER };

struct latency_poll {
	const struct options *options;
	struct loop *loop;
	struct latency_calls calls;
	struct status_latency counts;
	struct child child;
	enum run run;
	uint64_t run_ns;	      /* its begin */
	uint64_t run_trace_ns;	      /* the same on the trace clock */
	uint64_t run_cpu_ns;	      /* of all children, then */
	char name[LATENCY_NAME_SIZE]; /* of the layer of this run */
	/* Output of the run: the rings of all layers with that name. */
	uint64_t period_ns;
	struct printed_ring {
		struct latency_row rows[LATENCY_ROWS];
		unsigned int n; /* 0: it was joined */
	} rings[RINGS_MAX + 1]; /* the last one is not whole yet, or one too many */
	unsigned int n_rings;

	uint64_t known_period_ns; /* of the last run, which began at ->period_at_ns */
	uint64_t period_at_ns;
	unsigned int n_switches; /* so far; the last ones are kept */
	struct period_switch switches[SWITCHES_MAX];

	uint64_t looked_ns; /* time of that look on the clock of loop_now() */
	int64_t offset_ns;  /* trace clock minus monotonic clock, then */
	int64_t seen_ns;    /* monotonic time of that look */
	int64_t slept_ns;   /* monotonic time of the last suspend, about; 0: none */
	int64_t offset_before_ns;
	int64_t floor_ns; /* monotonic: earlier frames of layers that are new here do not count */

	bool is_scanning;
	bool was_due; /* the last run was none of the scan */
	struct rate_limit starved;
	uint64_t scan_ns;	/* begin of the last scan */
	uint64_t scan_trace_ns; /* the same on the trace clock */
	uint64_t passed_ns;
	size_t names_len, next_name; /* bytes of ->names: all, and those before the next one */
	unsigned int n_names;
	unsigned int n_held;
	struct held_frame held[LATENCY_HELD_MAX];
	struct polled_layer layers[LATENCY_LAYERS_MAX];
	char names[LATENCY_NAMES_MAX * 64]; /* of the list, each with its NUL */
};

/* --- the display's period --- */

/* True: @ns is about a whole number of periods. */
static bool is_whole(uint64_t ns, uint64_t period_ns)
{
	uint64_t rest = ns % period_ns;

	return 8 * rest <= period_ns || 8 * (period_ns - rest) <= period_ns;
}

/* A frame of any layer, @interval_ns after the one before. */
static void narrow_switch(struct latency_poll *poll, uint64_t actual_ns, uint64_t interval_ns)
{
	struct period_switch *change = &poll->switches[(poll->n_switches - 1) % SWITCHES_MAX];

	if (poll->n_switches == 0 || actual_ns <= change->after_ns ||
	    actual_ns >= change->before_ns || interval_ns >= NS_PER_S / 2)
		return;
	if (!is_whole(interval_ns, change->old_ns)) {
		change->before_ns = actual_ns;
		change->new_is_seen = true;
	} else if (!is_whole(interval_ns, change->new_ns)) {
		change->after_ns = actual_ns;
		change->old_is_seen = true;
	}
}

/* 0: unknown, as no frame shows when the display switched. */
static uint64_t period_at(const struct latency_poll *poll, uint64_t actual_ns)
{
	uint64_t period_ns = poll->period_ns;

	for (unsigned int i = 0; i < SWITCHES_MAX && i < poll->n_switches; i++) {
		const struct period_switch *change =
			&poll->switches[(poll->n_switches - 1 - i) % SWITCHES_MAX];

		if (!change->old_is_seen && !change->new_is_seen && actual_ns > change->after_ns &&
		    actual_ns < change->before_ns)
			return 0;
		/* If no frame shows the new period, it is assumed from the last one on that shows
		 * the old one. */
		if (actual_ns >= (change->new_is_seen || !change->old_is_seen
					  ? change->before_ns
					  : change->after_ns + 1))
			return change->new_ns;
		period_ns = change->old_ns;
	}
	return period_ns;
}

/* --- frames in order --- */

static int compare_held(const void *a, const void *b)
{
	const struct held_frame *one = a, *other = b;

	if (one->actual_ns != other->actual_ns)
		return one->actual_ns < other->actual_ns ? -1 : 1;
	return (one->layer > other->layer) - (one->layer < other->layer);
}

/* Passes on the frames up to @until_ns. */
static void pass(struct latency_poll *poll, uint64_t until_ns)
{
	char copy[LATENCY_NAME_SIZE + 16];
	unsigned int n = 0;

	qsort(poll->held, poll->n_held, sizeof(poll->held[0]), compare_held);
	for (; n < poll->n_held && poll->held[n].actual_ns <= until_ns; n++) {
		const struct held_frame *held = &poll->held[n];
		struct polled_layer *layer = &poll->layers[held->layer];
		struct present_fence frame = {
			.desired_ns = held->desired_ns,
			.actual_ns = held->actual_ns,
			.ready_ns = held->ready_ns,
			.period_ns = period_at(poll, held->actual_ns),
			.gaps = held->gaps + layer->dropped,
			.is_loss = held->is_loss,
		};

		/* Others tell layers by their names, and several can have one name. */
		snprintf(copy, sizeof(copy), "%s#%u", layer->name, layer->twin + 1);
		frame.layer = span_of(layer->twin == 0 ? layer->name : copy);
		layer->n_held--;
		if (held->actual_ns < poll->passed_ns) {
			poll->counts.out_of_order++;
			layer->dropped++;
		} else {
			poll->calls.frame(poll->calls.context, &frame);
		}
	}
	memmove(poll->held, poll->held + n, (poll->n_held - n) * sizeof(poll->held[0]));
	poll->n_held -= n;
	if (until_ns > poll->passed_ns && until_ns < UINT64_MAX)
		poll->passed_ns = until_ns;
	poll->calls.passed(poll->calls.context, until_ns);
}

/* --- clocks --- */

/* A frame from before a suspend keeps the offset of that time. */
static uint64_t trace_time(const struct latency_poll *poll, int64_t monotonic_ns)
{
	int64_t offset_ns = poll->slept_ns && monotonic_ns <= poll->slept_ns
				    ? poll->offset_before_ns
				    : poll->offset_ns;
	int64_t ns;

	if (monotonic_ns <= 0 || monotonic_ns == LATENCY_PENDING ||
	    __builtin_add_overflow(monotonic_ns, offset_ns, &ns) || ns <= 0)
		return 0;
	return (uint64_t)ns;
}

/* A suspend changes the offset. It is looked at often, so the moment is known well.
 */
static void look_at_clocks(struct latency_poll *poll)
{
	int64_t before_ns = poll->offset_ns, now_ns, error_ns;
	int64_t offset_ns = clock_offset(CLOCK_MONOTONIC, CLOCK_BOOTTIME, &now_ns, &error_ns);
	bool is_first = poll->seen_ns == 0;

	poll->looked_ns = loop_now();
	/* Layers are polled one after the other. Frames of one present must get one time, so a
	 * reading that does not contradict the offset does not change it. */
	if (!is_first && llabs(offset_ns - before_ns) <= error_ns)
		offset_ns = before_ns;
	if (!is_first && llabs(offset_ns - before_ns) > SUSPEND_NS) {
		poll->offset_before_ns = before_ns;
		poll->slept_ns = poll->seen_ns;
		for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++)
			poll->layers[i].gaps++;
	}
	poll->offset_ns = offset_ns;
	poll->seen_ns = now_ns;
}

static uint64_t children_ns(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_CHILDREN, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* --- layers --- */

static bool is_wanted(const char *const *include, const char *const *exclude, const char *name)
{
	char copy[SURFACE_MAX];
	struct span layer = span_of(name);

	return !pattern_excludes(include, exclude, surface_of_layer(layer, copy),
				 app_of_layer(layer));
}

static bool is_of_run(const struct latency_poll *poll, const struct polled_layer *layer)
{
	return layer->name[0] && strcmp(layer->name, poll->name) == 0;
}

static bool lives(const struct polled_layer *layer)
{
	/* Without suspends: a layer that drew before one may draw after it at once. */
	return layer->name[0] && clock_read(CLOCK_MONOTONIC) - layer->fresh_ns <= LIVES_NS;
}

/* A free entry, or that of the layer that has been without frames longest. NULL: all live. Later,
 * frames that were passed on must not count as new ones. */
static struct polled_layer *free_layer(struct latency_poll *poll)
{
	struct polled_layer *oldest = NULL;

	for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++) {
		struct polled_layer *layer = &poll->layers[i];

		if (!layer->name[0])
			return layer;
		if (!lives(layer) && layer->n_held == 0 &&
		    (!oldest || layer->fresh_ns < oldest->fresh_ns))
			oldest = layer;
	}
	if (oldest && oldest->ring.last_ns > poll->floor_ns)
		poll->floor_ns = oldest->ring.last_ns;
	return oldest;
}

/* Half of the time in which the ring is overwritten. */
static uint64_t poll_period_ns(uint64_t period_ns)
{
	uint64_t ns = LATENCY_ROWS / 2 * (period_ns ? period_ns : PERIOD_ASSUMED_NS);

	return ns > POLL_LEAST_NS ? ns : POLL_LEAST_NS;
}

/* @layer NULL: a new one. A layer without a fresh row gets no entry. */
static void join(struct latency_poll *poll, struct polled_layer *layer,
		 const struct printed_ring *printed)
{
	struct latency_ring ring =
		layer ? layer->ring : (struct latency_ring){ .last_ns = poll->floor_ns };
	int64_t before_ns = ring.has_last ? ring.last_ns : 0;
	uint64_t restarts = ring.restarts;
	struct latency_row frames[LATENCY_ROWS];
	char text[LATENCY_NAME_SIZE + 96];
	enum latency_gap gap;
	unsigned int n = latency_ring_join(&ring, printed->rows, printed->n, frames, &gap);
	bool is_overrun = n > 0 && gap == LATENCY_GAP_OVERRUN;

	if (!layer && n > 0) {
		unsigned int twin = 0;

		/* The lowest number that no layer with the name of this run has. */
		for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++)
			if (is_of_run(poll, &poll->layers[i]) && poll->layers[i].twin == twin) {
				twin++;
				i = UINT_MAX; /* from the first one again */
			}
		layer = free_layer(poll);
		poll->counts.refused += layer == NULL;
		if (layer) {
			*layer = (struct polled_layer){ .twin = twin };
			snprintf(layer->name, sizeof(layer->name), "%s", poll->name);
		}
	}
	if (!layer)
		return;
	layer->ring = ring;
	layer->joined_ns = poll->run_ns;
	layer->gaps += n > 0 && gap != LATENCY_GAP_NONE;
	poll->counts.restarts += ring.restarts - restarts;
	poll->counts.frames += n;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t actual_ns = trace_time(poll, frames[i].actual_ns);

		if (i > 0 || (before_ns > 0 && gap == LATENCY_GAP_NONE))
			narrow_switch(poll, actual_ns, (uint64_t)(frames[i].actual_ns - before_ns));
		before_ns = frames[i].actual_ns;
		/* The older half does not wait for the scan. */
		if (poll->n_held == LATENCY_HELD_MAX) {
			qsort(poll->held, poll->n_held, sizeof(poll->held[0]), compare_held);
			pass(poll, poll->held[LATENCY_HELD_MAX / 2].actual_ns);
		}
		layer->n_held++;
		poll->held[poll->n_held++] = (struct held_frame){
			.desired_ns = trace_time(poll, frames[i].desired_ns),
			.actual_ns = actual_ns,
			.ready_ns = trace_time(poll, frames[i].ready_ns),
			.gaps = layer->gaps,
			.layer = (uint16_t)(layer - poll->layers),
			.is_loss = i == 0 && is_overrun,
		};
	}
	if (n > 0)
		layer->fresh_ns = clock_read(CLOCK_MONOTONIC);
	if (is_overrun) {
		poll->counts.overruns++;
		snprintf(text, sizeof(text),
			 "frames of a layer were overwritten before they were read: %s",
			 layer->name);
		poll->calls.event(poll->calls.context, "lost", text);
	}
	layer->period_ns = poll->period_ns;
	layer->next_ns = poll->run_ns + poll_period_ns(poll->period_ns);
}

static void join_rings(struct latency_poll *poll)
{
	struct printed_ring *end = poll->rings + poll->n_rings;

	/* Each layer takes the ring that has its last frame. */
	for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++) {
		struct polled_layer *layer = &poll->layers[i];
		struct printed_ring *ring = is_of_run(poll, layer) ? poll->rings : end;

		while (ring < end && !latency_ring_is_same(&layer->ring, ring->rows, ring->n))
			ring++;
		if (ring == end)
			continue;
		join(poll, layer, ring);
		ring->n = 0;
	}
	/* A layer whose ring was overwritten or cleared takes the one with most new frames of the
	 * others. The rest is of new layers. */
	for (;;) {
		const struct latency_ring none = { .last_ns = poll->floor_ns };
		struct printed_ring *newest = NULL;
		struct polled_layer *lost = NULL;
		unsigned int most = 0;

		for (struct printed_ring *ring = poll->rings; ring < end; ring++) {
			unsigned int news = latency_ring_news(&none, ring->rows, ring->n);

			if (ring->n == 0 || (newest && news <= most))
				continue;
			newest = ring;
			most = news;
		}
		if (!newest)
			return;
		for (unsigned int i = 0; i < LATENCY_LAYERS_MAX && !lost; i++)
			if (is_of_run(poll, &poll->layers[i]) &&
			    poll->layers[i].joined_ns != poll->run_ns)
				lost = &poll->layers[i];
		join(poll, lost, newest);
		newest->n = 0;
	}
}

/* --- output of a run --- */

static void end_block(struct latency_poll *poll)
{
	if (poll->rings[poll->n_rings].n == 0)
		return;
	if (poll->n_rings < RINGS_MAX)
		poll->n_rings++;
	else
		poll->counts.refused++;
	poll->rings[poll->n_rings].n = 0;
}

static void on_line(struct child *child, struct span line)
{
	struct latency_poll *poll = child->context;
	struct status_latency *counts = &poll->counts;
	bool said = counts->said[0] != '\0';
	struct printed_ring *printed;
	struct latency_row row;
	struct span name;

	if (poll->run == RUN_LIST) {
		name = layer_list_name(line);
		if (line.len >= CHILD_LINE_MAX) { /* cut, so the name is unknown */
			counts->refused++;
			return;
		}
		if (!name.ptr || layer_list_is_container(name) || memchr(name.ptr, '\0', name.len))
			return;
		if (poll->n_names == LATENCY_NAMES_MAX || name.len >= LATENCY_NAME_SIZE ||
		    poll->names_len + name.len + 1 > sizeof(poll->names)) {
			counts->refused++;
			return;
		}
		memcpy(poll->names + poll->names_len, name.ptr, name.len);
		poll->names_len += name.len;
		poll->names[poll->names_len++] = '\0';
		poll->n_names++;
		return;
	}
	switch (latency_dump_line(line, &row)) {
	case LATENCY_LINE_PERIOD:
		counts->has_answer = true;
		if (row.desired_ns >= 1000000 && row.desired_ns <= 1000000000)
			poll->period_ns = (uint64_t)row.desired_ns;
		break;
	case LATENCY_LINE_ROW:
		printed = &poll->rings[poll->n_rings];
		if (printed->n < LATENCY_ROWS)
			printed->rows[printed->n++] = row;
		break;
	case LATENCY_LINE_END:
		end_block(poll);
		break;
	case LATENCY_LINE_OTHER: /* "Permission Denial: can't dump SurfaceFlinger from pid=1" */
		for (size_t i = 0; !said && i < line.len && i < sizeof(counts->said) - 1; i++)
			counts->said[i] =
				line.ptr[i] >= ' ' && line.ptr[i] <= '~' ? line.ptr[i] : '?';
		break;
	}
}

static void on_end(struct child *child, int status)
{
	struct latency_poll *poll = child->context;
	uint64_t wall_ns = loop_now() - poll->run_ns;

	poll->counts.polls++;
	poll->counts.failed += status != 0;
	poll->counts.wall_ns += wall_ns;
	poll->counts.cpu_ns += children_ns() - poll->run_cpu_ns;
	if (wall_ns > poll->counts.wall_most_ns)
		poll->counts.wall_most_ns = wall_ns;
	/* The rows of a run that failed may be cut. */
	if (poll->run == RUN_LAYER && (status == 0 || status == -ECHILD)) {
		if (poll->known_period_ns &&
		    vsync_is_switch(poll->known_period_ns, poll->period_ns))
			poll->switches[poll->n_switches++ % SWITCHES_MAX] = (struct period_switch){
				.after_ns = poll->period_at_ns,
				.before_ns = trace_time(poll, clock_read(CLOCK_MONOTONIC)),
				.old_ns = poll->known_period_ns,
				.new_ns = poll->period_ns,
			};
		poll->known_period_ns = poll->period_ns;
		poll->period_at_ns = poll->run_trace_ns;
		end_block(poll);
		join_rings(poll);
	}
	poll->run = RUN_NONE;
}

/* --- runs --- */

static void start(struct latency_poll *poll, enum run run, char *option)
{
	char *argv[] = { "dumpsys", "SurfaceFlinger", option, run == RUN_LAYER ? poll->name : NULL,
			 NULL };

	look_at_clocks(poll);
	poll->run_trace_ns = trace_time(poll, poll->seen_ns);
	poll->run = run;
	poll->run_ns = loop_now();
	poll->run_cpu_ns = children_ns();
	poll->n_rings = poll->rings[0].n = 0;
	if (child_start(&poll->child, poll->loop, argv, DUMPSYS_MS) == 0)
		return;
	poll->counts.failed++;
	poll->run = RUN_NONE;
}

static void start_layer(struct latency_poll *poll, const char *name)
{
	memmove(poll->name, name, strlen(name) + 1);
	for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++)
		if (is_of_run(poll, &poll->layers[i]))
			poll->layers[i].next_ns =
				loop_now() + poll_period_ns(poll->layers[i].period_ns);
	start(poll, RUN_LAYER, "--latency");
}

/* In the first scan a layer may have no frame since the begin yet, and so no polls of its own: the
 * next one comes before its ring is overwritten. */
static uint64_t next_scan_ns(const struct latency_poll *poll)
{
	uint64_t first_ns = poll_period_ns(poll->period_ns);

	return poll->scan_ns + (poll->counts.scans == 1 && first_ns < SCAN_NS ? first_ns : SCAN_NS);
}

unsigned int nearest_name_distance(const char *a, const char *b)
{
	unsigned int row[NEAREST_NAME_BYTES + 1]; /* distances of a's begin to each begin of b */
	size_t n = strnlen(a, NEAREST_NAME_BYTES), m = strnlen(b, NEAREST_NAME_BYTES);

	for (unsigned int j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned int replaced = diagonal + (a[i - 1] != b[j - 1]);
			unsigned int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = replaced < other ? replaced : other;
		}
	}
	return row[m];
}

/* If a GLOB of --include fits no name of the list, the nearest ones are what the user may have
 * meant. */
static void check_include(struct latency_poll *poll)
{
	for (const char *const *glob = poll->options->include; *glob; glob++) {
		const char *const include[] = { *glob, NULL };
		struct {
			const char *name;
			unsigned int distance;
		} nearest[NEAREST_NAMES], candidate, further;
		char text[NEAREST_NAMES * 80 + 200];
		size_t n = 0;

		while (n < poll->names_len && !is_wanted(include, NULL, poll->names + n))
			n += strlen(poll->names + n) + 1;
		if (n < poll->names_len || n == 0)
			continue;
		for (unsigned int at = 0; at < NEAREST_NAMES; at++) {
			nearest[at].name = "";
			nearest[at].distance = UINT_MAX;
		}
		for (size_t i = 0; i < poll->names_len; i += strlen(poll->names + i) + 1) {
			candidate.name = poll->names + i;
			candidate.distance = nearest_name_distance(*glob, candidate.name);
			for (unsigned int at = 0; at < NEAREST_NAMES; at++) {
				if (candidate.distance >= nearest[at].distance)
					continue;
				further = nearest[at];
				nearest[at] = candidate;
				candidate = further;
			}
		}
		snprintf(text, sizeof(text),
			 "--include %.80s: no such layer; the nearest names are: "
			 "%.80s%s%.80s%s%.80s",
			 *glob, nearest[0].name, nearest[1].name[0] ? ", " : "", nearest[1].name,
			 nearest[2].name[0] ? ", " : "", nearest[2].name);
		poll->calls.event(poll->calls.context, "device", text);
	}
}

void latency_poll_follow(struct latency_poll *poll)
{
	const struct polled_layer *due = NULL;
	const char *name = NULL, *next;
	uint64_t now_ns = loop_now();
	char text[LATENCY_NAME_SIZE + 200];
	unsigned int living = 0;

	if (!poll)
		return;
	if (now_ns >= poll->looked_ns + LOOK_NS)
		look_at_clocks(poll);
	child_check(&poll->child);
	if (poll->run != RUN_NONE)
		return;
	/* Living layers come first: the one whose poll is due longest. But however many there are,
	 * a scan goes on. */
	for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++) {
		const struct polled_layer *layer = &poll->layers[i];

		if (!(poll->is_scanning && poll->was_due) && lives(layer) &&
		    layer->next_ns <= now_ns && (!due || layer->next_ns < due->next_ns))
			due = layer;
	}
	poll->was_due = due != NULL;
	/* Else the next name of the scan that is included. */
	while (poll->is_scanning && !due && !name && poll->next_name < poll->names_len) {
		next = poll->names + poll->next_name;
		poll->next_name += strlen(next) + 1;
		if (is_wanted(poll->options->include, poll->options->exclude, next))
			name = next;
	}

	if (due) {
		/* More than a ring's time has passed since its last poll. */
		if (due->period_ns > 0 &&
		    loop_now() >= due->next_ns + poll_period_ns(due->period_ns) &&
		    rate_limit_allows(&poll->starved, 1, STARVED_NS, loop_now())) {
			for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++)
				living += lives(&poll->layers[i]);
			snprintf(text, sizeof(text),
				 "dumpsys is too slow (%" PRIu64
				 " ms for each call) to read the frames of %u layers in "
				 "time, such as %s: frames may be missing; select fewer layers "
				 "with --include or --exclude",
				 poll->counts.wall_ns / poll->counts.polls / NS_PER_MS, living,
				 due->name);
			poll->calls.event(poll->calls.context, "device", text);
		}
		start_layer(poll, due->name);
	} else if (name) {
		start_layer(poll, name);
	} else if (poll->is_scanning) {
		/* All layers were read since its begin: there are no other frames up to then,
		 * except for those of the last vsyncs, which dumpsys may not have shown yet. */
		uint64_t recent_ns = 2 * (poll->period_ns ? poll->period_ns : PERIOD_ASSUMED_NS);

		poll->is_scanning = false;
		if (poll->counts.scans++ == 0)
			check_include(poll);
		pass(poll, poll->scan_trace_ns > recent_ns ? poll->scan_trace_ns - recent_ns : 0);
	} else if (now_ns >= next_scan_ns(poll)) {
		poll->is_scanning = true;
		poll->scan_ns = now_ns;
		poll->n_names = 0;
		poll->names_len = poll->next_name = 0;
		start(poll, RUN_LIST, "--list");
		poll->scan_trace_ns = poll->run_trace_ns;
	}
}

uint64_t latency_poll_next(const struct latency_poll *poll)
{
	uint64_t next_ns, now_ns = loop_now();

	if (!poll)
		return UINT64_MAX;
	if (poll->run != RUN_NONE)
		return now_ns + CHECK_NS;
	if (poll->is_scanning)
		return now_ns;
	next_ns = next_scan_ns(poll);
	for (unsigned int i = 0; i < LATENCY_LAYERS_MAX; i++)
		if (lives(&poll->layers[i]))
			next_ns = loop_earlier(next_ns, poll->layers[i].next_ns);
	return next_ns;
}

/* --- begin and end --- */

struct latency_poll *latency_poll_begin(const struct options *options, struct loop *loop,
					const struct latency_calls *calls)
{
	struct latency_poll *poll = memory_new(1, sizeof(*poll));

	if (!poll)
		return NULL;
	poll->options = options;
	poll->loop = loop;
	poll->calls = *calls;
	poll->child = (struct child){ .line = on_line, .ended = on_end, .context = poll };
	poll->counts.is_on = true;
	poll->floor_ns = clock_read(CLOCK_MONOTONIC);
	look_at_clocks(poll);
	return poll;
}

void latency_poll_finish(struct latency_poll *poll)
{
	uint64_t until_ns = loop_now() + FINISH_NS;

	if (!poll)
		return;
	child_wait(&poll->child, until_ns);
	for (unsigned int i = 0; i < LATENCY_LAYERS_MAX && poll->run == RUN_NONE; i++) {
		if (!lives(&poll->layers[i]))
			continue;
		start_layer(poll, poll->layers[i].name);
		child_wait(&poll->child, until_ns);
	}
	child_kill(&poll->child);
	poll->run = RUN_NONE;
	pass(poll, UINT64_MAX);
}

struct latency_poll *latency_poll_end(struct latency_poll *poll)
{
	if (poll)
		child_kill(&poll->child);
	free(poll);
	return NULL;
}

const struct status_latency *latency_poll_counts(const struct latency_poll *poll)
{
	return &poll->counts;
}
