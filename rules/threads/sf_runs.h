/* SPDX-License-Identifier: Apache-2.0 */
/* On which CPUs SurfaceFlinger's thread wrote its events, and what of it a loss can have hidden.
 *
 *     CPU 0   SF SF SF .                  . SF SF SF         runs of the thread
 *     CPU 1           . SF SF             .
 *     CPU 2   x x x x [lost . . . . . . . .] x x             a hole of CPU 2
 *                            <----------->                   a gap: the thread may have run there
 *
 * A loss hides only what ran on its CPU after the last event of that CPU. While the thread wrote
 * events on other CPUs it was not there. What is left are the gaps between its runs:
 *
 *     at rest: no slice was open before the gap, and a composition begins after it. Only whole
 *              compositions can be hidden, so presents of consecutive vsyncs prove that none is.
 *              Another proof are the ticks VSYNC-sf, which wake up the thread: none is hidden if
 *              all latches were presented before the gap, the one composition after it has the one
 *              tick, and the values of the ticks, 0 and 1 in turn, fit.
 *     else     a part of a composition can be hidden, if the thread ran on that CPU before or after
 *              the gap, or if the gap is long enough to move there and back, and the hole covers
 *              a part of it in which the thread can have written something.
 */
#ifndef JANKD_RULES_THREADS_SF_RUNS_H
#define JANKD_RULES_THREADS_SF_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#define SF_RUNS_MAX 512
#define SF_HOLES_MAX 16
#define SF_TICKS_MAX 64

struct sf_run {
	uint64_t from_ns, to_ns; /* its first and its last event */
	int32_t cpu;
	bool at_rest;	  /* the gap before it: see above */
	bool has_latches; /* at its begin: the present of a composition before it is still to come
			   */
	bool reported;	  /* by hidden(), unless ticks prove that nothing is missing */
	bool hidden;	  /* by hidden(); there: the thread ran on the CPU of that hole */
	bool there;
};

/* Events of the thread may be missing after @from_ns, for @length_ns. */
struct sf_hidden {
	uint64_t from_ns, length_ns;
	uint64_t after_ns; /* begin of the run after that; UINT64_MAX: of none that is known */
	bool at_rest;	   /* see struct sf_run; of that run */
	bool there;	   /* the thread ran on the CPU of the hole before or after that */
	bool foretold;	   /* sf_runs_lost() has returned true for it */
};

/* A CPU's events are missing between two others. */
struct sf_hole {
	int32_t cpu;
	uint64_t from_ns, to_ns; /* to_ns: UINT64_MAX: not known yet */
};

/* A tick of the name VSYNC-sf. */
struct sf_tick {
	uint64_t time_ns;
	bool fits; /* its value is not that of the one before: 0 and 1 come in turn */
};

struct sf_runs {
	int32_t tid;
	uint32_t n;	     /* so far; the last SF_RUNS_MAX are kept */
	struct sf_run *last; /* that the next event may continue; NULL: it begins another run, as
				there is a hole on its CPU, or no run */
	bool foretold;	     /* each of holes[] certainly hides events */
	unsigned int n_holes;
	struct sf_hole holes[SF_HOLES_MAX]; /* the gap before the next event is not judged */
	uint64_t lost_from_ns;		    /* begin of the last loss */
	uint32_t lost_first;		    /* the first run that it may hide events behind */
	uint64_t holes_refused;		    /* without space: the gap counted in any case */
	uint32_t n_ticks;		    /* so far; the last SF_TICKS_MAX are kept */
	int64_t tick;			    /* value of the last one */
	struct sf_tick ticks[SF_TICKS_MAX];
	struct sf_run runs[SF_RUNS_MAX];
	void *context;
	void (*hidden)(void *context, const struct sf_hidden *hidden);
};

/* A shorter time between two events on one CPU is no gap. */
#define SF_RUNS_GAP_NS UINT64_C(300000)

/* True: the event does not continue the last run, so sf_runs_begin() must be called. Else it was
 * added to that run. Called for each event of SurfaceFlinger's thread. */
static inline bool sf_runs_add(struct sf_runs *runs, int32_t tid, int32_t cpu, uint64_t time_ns)
{
	struct sf_run *last = runs->last;

	if (!last || tid != runs->tid || cpu != last->cpu ||
	    time_ns - last->to_ns >= SF_RUNS_GAP_NS)
		return true;
	last->to_ns = time_ns;
	return false;
}

/* The event begins @run, see there. */
void sf_runs_begin(struct sf_runs *runs, int32_t tid, const struct sf_run *run);

/* Events of @cpu are missing, from @from_ns on to its next event, which is the next record: calls
 * hidden() for each gap in which that may have hidden events of the thread @tid. True: that will be
 * called for the gap before the thread's next event, too. */
bool sf_runs_lost(struct sf_runs *runs, int32_t tid, int32_t cpu, uint64_t from_ns,
		  uint64_t now_ns);

/* The next record after sf_runs_lost(), of any thread: the hole has ended. */
void sf_runs_hole_ends(struct sf_runs *runs, uint64_t time_ns);

/* A tick of the name VSYNC-sf. @value: of its counter. */
void sf_runs_tick(struct sf_runs *runs, uint64_t time_ns, int64_t value);

/* The composition that is presented had no begin: the last gap at rest hid it. */
void sf_runs_not_at_rest(struct sf_runs *runs);

/* Another thread, another clock, or a hole of all CPUs. */
void sf_runs_clear(struct sf_runs *runs);

#endif
