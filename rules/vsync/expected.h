/* SPDX-License-Identifier: Apache-2.0 */
/* When a frame is expected on the display: SurfaceFlinger's plan, found again from marks.
 *
 *     VSYNC-app   |tick                                        the app wakes up
 *     app         doFrame 4711 ... DrawFrames 4711, queue
 *     deadline                      |                          SurfaceFlinger begins
 *     present                                     |            expected
 *                 <---- app work ---><-- sf work ->            durations
 *
 * Each vsync that SurfaceFlinger announces has a number, from Android 12 on. Numbers rise, so a
 * number was given before any greater one was seen: the vsync of a doFrame that comes late is found
 * by that. Any app can write any number, so only those of SurfaceFlinger and of the app itself
 * count. The durations are, in this order: given (dumpsys), in the trace (VsyncWorkDuration-app,
 * -sf), learnt. Learnt is the least time from a tick to the planned present of its frame.
 */
#ifndef JANKD_RULES_VSYNC_EXPECTED_H
#define JANKD_RULES_VSYNC_EXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/language/ruleset_match.h"
#include "rules/vsync/work_durations.h"

#define EXPECTED_TICKS 128
#define EXPECTED_SEEN 256
#define EXPECTED_FRAMES 64

/* For a process: no app has this number. */
#define EXPECTED_SURFACEFLINGER INT32_MIN

/* The vsync that an app's frame answers. All zeros: unknown. */
struct frame_vsync {
	int64_t number;
	uint64_t tick_ns;		 /* 0: unknown */
	struct work_durations durations; /* in the trace, at that time */
	bool expired; /* SurfaceFlinger had forgotten it when the buffer was queued */
};

struct expected {
	struct work_durations given;  /* all 0: unknown */
	struct work_durations traced; /* in the trace; of any period */
	/* From tick to planned present. The least of so many frames, for displays of that period.
	 */
	uint64_t learnt_ns, learnt_period_ns; /* 0: nothing is learnt yet */
	uint64_t agree_ns;		      /* the longest of the last frames that agree */
	unsigned int n_agree;		      /* how many these are */
	uint64_t used_learnt;		      /* frames whose expected time comes from that */
	int64_t greatest;		      /* number seen so far */
	int64_t greatest_composed;	      /* of SurfaceFlinger */
	bool is_14;			      /* Android 14 or later, by SurfaceFlinger's marks */
	bool has_ticks;			      /* there was a tick, for apps or not */
	uint64_t tick_ns;		      /* of any kind, the last one; 0: unknown */
	uint64_t n_ticks, first_tick;	      /* for apps; those from first_tick on are valid */
	uint32_t losses;	       /* so far: ticks before and after one do not compare */
	unsigned int n_seen, n_frames; /* so far; the last ones are kept */
	unsigned int first_seen;       /* those up to there are not valid any more */
	unsigned int newest[EXPECTED_SEEN / 4]; /* n_seen up to the last one, by the process */
	struct expected_tick {
		uint64_t time_ns;
		bool plans; /* VSYNC-app: SurfaceFlinger plans the frames that answer it */
	} ticks[EXPECTED_TICKS];
	struct expected_number {
		int64_t number;
		uint64_t time_ns;
		int32_t process; /* EXPECTED_SURFACEFLINGER, or an app: of use for itself only */
		unsigned int before; /* the same up to the one before it */
	} seen[EXPECTED_SEEN];
	struct expected_frame {
		struct frame_vsync vsync;
		uint64_t until_ns; /* its tick was announced until then */
		int32_t process, thread;
	} frames[EXPECTED_FRAMES]; /* the last ones */
};

/* Two times in ns; 0: unknown. */
struct expectation {
	uint64_t present_ns;
	uint64_t deadline_ns; /* the buffer must be ready; 0: only if it is learnt */
};

/* A tick of that role. */
void expected_tick(struct expected *e, enum rule_role role, uint64_t time_ns);

/* The time of the tick for apps of that number, which is one of the last EXPECTED_TICKS, and of the
 * last one; 0: there was none. */
static inline uint64_t expected_tick_ns(const struct expected *e, uint64_t number)
{
	return e->ticks[number % EXPECTED_TICKS].time_ns;
}

static inline uint64_t expected_last_tick_ns(const struct expected *e)
{
	return e->n_ticks > 0 ? expected_tick_ns(e, e->n_ticks - 1) : 0;
}

/* SurfaceFlinger tells how long apps (RULE_APP_TIME) or itself (RULE_SF_TIME) have. */
static inline void expected_duration(struct expected *e, enum rule_role role, int64_t ns)
{
	if (work_duration_possible(ns))
		*(role == RULE_APP_TIME ? &e->traced.app_ns : &e->traced.sf_ns) = (uint64_t)ns;
}

/* SurfaceFlinger composes for the vsync of that number. */
void expected_composition(struct expected *e, int64_t number, uint64_t time_ns);

/* The vsync of that number was announced after *@from_ns, as a composition with a lower one shows,
 * and until the returned time, which is not after @now_ns: then SurfaceFlinger or @process had that
 * number or a greater one. *@from_ns is 0 if nothing shows it. */
uint64_t expected_announced(const struct expected *e, int32_t process, int64_t number,
			    uint64_t now_ns, uint64_t *from_ns);

/* The vsync that a doFrame with that number answers was at that time at the latest: at the last
 * tick, or an earlier one, if apps had a tick that the process has not answered, whose last doFrame
 * was at @answered_ns. (The tick of a doFrame that is in time may be written after its begin.) */
uint64_t expected_latest(const struct expected *e, int64_t number, uint64_t answered_ns,
			 uint64_t now_ns);

/* A thread of an app draws a frame for the vsync of that number. */
struct frame_vsync expected_frame(struct expected *e, int32_t process, int32_t thread,
				  int64_t number, uint64_t time_ns);

/* True: SurfaceFlinger has forgotten the vsync of that number; it keeps the plans of 500. */
bool expected_is_expired(const struct expected *e, int64_t number);

/* A frame that answers @vsync was composed for @planned_ns: learns from it. */
void expected_learn(struct expected *e, const struct frame_vsync *vsync, uint64_t planned_ns,
		    uint64_t period_ns);

/* When a frame that answers @vsync is expected. */
struct expectation expected_at(struct expected *e, const struct frame_vsync *vsync,
			       uint64_t period_ns);

/* Ticks may be missing. */
void expected_forget(struct expected *e);

/* Another SurfaceFlinger ticks, and numbers its vsyncs anew. */
static inline void expected_new_surfaceflinger(struct expected *e)
{
	expected_forget(e);
	e->n_ticks = e->first_tick = 0;
}

/* The same, and later times cannot be compared with earlier ones. */
void expected_new_clock(struct expected *e);

#endif
