/* SPDX-License-Identifier: Apache-2.0 */
/* The grade: one answer to 'is this app smooth?', by one function, for a Surface, a section and an
 * app. Everything that shows a grade gets it from here.
 *
 *     drawing = frame times + freezes         a freeze is a stall: the app hung
 *     lost    = late time + freezes           per second of drawing, in ms/s: the hitch ratio
 *
 *     TOO SHORT   less than 5 s of drawing, or less than 100 frames
 *     BAD         more than 30 ms/s lost, or more than one freeze a minute of drawing
 *     POOR        more than 10 ms/s, or a freeze of 1 s or longer, or more than one freeze in 10
 *                 minutes of drawing
 *     FAIR        more than 5 ms/s, or a freeze, or the frame rate that its class needs is not met
 *     INCOMPLETE  more than 5 % of the time is missing: it has no events, because they were lost,
 *                 or its frames cannot be counted for that reason
 *     UNCLEAR     more than 5 % of drawing and gaps are gaps that nothing explains; or late frames
 *                 cannot be known, as the vsyncs of most frames are unknown
 *     GOOD        else
 *
 * The first that holds counts: what is known to be bad stays bad, whatever is missing. FPS,
 * percentiles and the longest frame time leave freezes out, so they are not used.
 */
#ifndef JANKD_RULES_COUNT_GRADE_H
#define JANKD_RULES_COUNT_GRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/base/interval.h"
#include "rules/base/row.h"

/* With less it is TOO SHORT. */
#define GRADE_DRAWING_NS UINT64_C(5000000000)
#define GRADE_FRAMES 100

/* From worst to best, without the first. */
enum grade {
	GRADE_NONE, /* it drew nothing */
	GRADE_TOO_SHORT,
	GRADE_BAD,
	GRADE_POOR,
	GRADE_FAIR,
	GRADE_INCOMPLETE,
	GRADE_UNCLEAR,
	GRADE_GOOD,
	GRADES, /* their number */
};

/* "TOO SHORT", "BAD" ...; "" for GRADE_NONE. */
extern const char *const grade_names[GRADES];

/* What a grade is made of. All zeros: nothing was drawn. Facts of Surfaces are added up to those of
 * an app with grade_add(). */
struct grade_facts {
	union {
		struct {
			uint64_t frames, time_ns; /* frame times below 500 ms, and their sum */
			uint64_t unknown;	  /* frames whose vsyncs are unknown: not in late */
			uint64_t late, late_ns;
			/* Stalls, with those that no frame ended, which are in endless, too. */
			uint64_t freezes, freeze_ns, endless, endless_ns;
			uint64_t endless_long; /* of more than 700 ms: frozen, as stats.c counts */
			uint64_t wait_ns; /* waits: stalls that a frame ended, gaps and idle time */
			/* Gaps that nothing explains: the app may have hung. */
			uint64_t gaps, gap_ns;
			/* Time between frames that is in no number, as events that were lost may be
			 * frames of it; and waits that may be stalls for the same reason. */
			uint64_t uncounted_ns;
			/* What of it no other Surface of the app has, see struct uncounted; 0 where
			 * its place is unknown: then the Surface that has most counts. */
			uint64_t app_uncounted_ns;
			/* Of late frames and freezes: number, time. */
			uint64_t causes[CAUSES], cause_ns[CAUSES];
		};
		uint64_t sums[15 + 2 * CAUSES]; /* all of these */
	};
	uint64_t longest_freeze_ns, shortest_gap_ns, longest_gap_ns;
	uint64_t span_ns, missing_ns; /* of the capture: its length, and time without events */
	bool more_freezes; /* there may be more than are known: see grade_add_uncounted() */
	bool fails_rule;   /* the frame rate that its class needs is not met, see verdict.h */
	/* It was graded like that when all was known, of which a part is lost; GRADE_NONE: nothing
	 * is lost. A sum is no better than its worst part. */
	enum grade at_most;
};

/* A new field needs a longer array. */
_Static_assert(offsetof(struct grade_facts, longest_freeze_ns) ==
		       sizeof(((struct grade_facts *)0)->sums),
	       "");

/* Adds a late frame or, with @is_freeze, a stall that a frame ended. */
void grade_add_lost(struct grade_facts *facts, enum cause cause, uint64_t lost_ns, bool is_freeze);

/* Adds a stall that no frame ended. */
void grade_add_endless(struct grade_facts *facts, enum cause cause, uint64_t stall_ns);

/* Adds a gap that nothing explains. */
void grade_add_gap(struct grade_facts *facts, uint64_t gap_ns);

/* Adds @facts of another Surface in the same time to @sum. */
void grade_add(struct grade_facts *sum, const struct grade_facts *facts);

/* The same of another session or section: these do not have the same time. */
void grade_add_after(struct grade_facts *sum, const struct grade_facts *facts);

/* Stretches of time without numbers, apart from each other: those of the layers of a Surface, or of
 * the Surfaces of an app. In one hole all have one, and it is missing once. All zeros: none. */
#define STRETCHES_MAX 8 /* of older ones nothing is known */
struct stretches {
	struct stretch {
		uint64_t from_ns, until_ns;
	} kept[STRETCHES_MAX];
	unsigned int n;
};

/* Time without numbers: of a Surface, and what of it no Surface of its app had before. */
struct uncounted {
	uint64_t ns, app_ns;
};

/* What is new of the last @ns before @until_ns. @app: NULL without an app. */
struct uncounted uncounted_before(struct stretches *surface, struct stretches *app,
				  uint64_t until_ns, uint64_t ns);

/* What counts of the time between two frames which is in no number: more of it may be idle, and
 * what is missing of that is in missing_ns. */
static inline uint64_t uncounted_between(uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = since(from_ns, to_ns);

	return ns < STATS_WAIT_NS ? ns : STATS_WAIT_NS;
}

/* Adds that time. @may_freeze: events that would show a freeze in it were lost. */
static inline void grade_add_uncounted(struct grade_facts *facts, struct uncounted uncounted,
				       bool may_freeze)
{
	facts->uncounted_ns += uncounted.ns;
	facts->app_uncounted_ns += uncounted.app_ns;
	facts->more_freezes |= may_freeze;
}

/* The time of the capture that is missing, for whatever reason. */
static inline uint64_t grade_missing_ns(const struct grade_facts *facts)
{
	uint64_t missing_ns = later(facts->missing_ns, facts->uncounted_ns);

	return missing_ns < facts->span_ns ? missing_ns : facts->span_ns;
}

/* Frame times and freezes. */
static inline uint64_t grade_drawing_ns(const struct grade_facts *facts)
{
	return facts->time_ns + facts->freeze_ns;
}

/* Late time and freezes. */
static inline uint64_t grade_lost_ns(const struct grade_facts *facts)
{
	return facts->late_ns + facts->freeze_ns;
}

/* Waits in which nothing is known to be wrong: neither freezes nor gaps. */
static inline uint64_t grade_idle_ns(const struct grade_facts *facts)
{
	uint64_t other_ns = facts->freeze_ns - facts->endless_ns + facts->gap_ns;

	return facts->wait_ns > other_ns ? facts->wait_ns - other_ns : 0;
}

/* Milliseconds lost in each second of drawing; 0 without drawing. */
static inline double grade_lost_rate(const struct grade_facts *facts)
{
	uint64_t drawing_ns = grade_drawing_ns(facts);

	return drawing_ns > 0 ? 1e3 * (double)grade_lost_ns(facts) / (double)drawing_ns : 0;
}

/* What is said to be lost. */
enum lost_number { LOST_LATE, LOST_FREEZES, LOST_TIME, LOST_RATE };

/* True: the number is '>=' what is known. Late frames and freezes may be in time that is missing,
 * late frames also where the vsyncs of many are unknown, and freezes may be waits and gaps that
 * nothing explains. All of these are in the lost time. They are in its rate, too, but not where
 * time is missing and the rate is not 0: while that time lasted, the rate may have been lower. */
bool grade_is_at_least(const struct grade_facts *facts, enum lost_number number);

/* True: so much time is missing, or is gaps that nothing explains, that more freezes than those
 * that are known are possible. */
bool grade_is_missing_much(const struct grade_facts *facts);
bool grade_may_hang(const struct grade_facts *facts);

/* True: the vsyncs of most frames are unknown, so late ones are. */
static inline bool grade_is_mostly_unknown(const struct grade_facts *facts)
{
	return 2 * facts->unknown > facts->frames;
}

enum grade grade_of(const struct grade_facts *facts);

/* The same without at_most. */
enum grade grade_of_known(const struct grade_facts *facts);

#endif
