/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the vsync lattice, and the functions that change it: the periods, each with the time
 * from which it is valid, and the places of ticks and presents. vsync.c adds ticks and presents,
 * vsync_learn.c decides which period is right, from reports, ticks and presents. Only these modules
 * write struct vsync_lattice. vsync.c describes the method. */
#ifndef JANKD_RULES_VSYNC_VSYNC_LATTICE_H
#define JANKD_RULES_VSYNC_VSYNC_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/vsync/reported_period.h"
#include "rules/vsync/vsync_log.h"

#define MS UINT64_C(1000000)

#define UNDECIDED_TICKS 24	 /* this many ticks show reliably which display they belong to */
#define LOCK_TICKS 8		 /* ticks that are needed to lock the lattice */
#define CHECK_EVERY_NS (40 * MS) /* interval between two checks of the evidence */
#define PENDING_NS (400 * MS)	 /* a reported period waits this long for ticks that confirm it */
#define PENDING_LATE_NS (1000 * MS) /* the same while there are too many ticks for it */

#define SEARCH_BACK_NS (1500 * MS) /* a switch is searched for in this time */
#define SUSPECT_NS (600 * MS)	   /* a surplus tick counts for this time */

#define VSYNC_SEGMENTS 12
#define VSYNC_SWITCH_RANGES 6

/* One vsync as a position. Positions are fixed-point numbers in units of 1/65536 vsync. */
#define VSYNC_ONE INT64_C(65536)

/* Source of the period; a later value has priority over those before it. */
enum vsync_authority {
	VSYNC_UNKNOWN,
	VSYNC_DUMPSYS,	/* dumpsys, read once, so ticks are newer */
	VSYNC_FIT,	/* ticks and presents */
	VSYNC_OPTION,	/* --vsync-ms */
	VSYNC_REPORTED, /* SurfaceFlinger, or the display's hardware vsyncs */
};

/* A period that no tick confirms yet. If it is not stated of the display that is followed, it is
 * used only if ticks and presents show it. */
struct vsync_pending {
	struct vsync_display *display; /* or NULL: none is pending */
	enum vsync_pending_as {
		PENDING_STATED,
		PENDING_ASKED, /* the display is asked for it */
		PENDING_OTHER, /* of another display, such as the other one of a foldable */
	} as;
	uint64_t period_ns;
	uint64_t at_ns;	  /* when it was reported */
	uint64_t from_ns; /* ticks from here on may confirm it */
};

/* A counter that ticks. */
struct vsync_source {
	uint64_t name; /* hash of its name */
	unsigned int rank;
	uint64_t last_ns;
	uint64_t edge_ns;  /* time of the last tick without its lateness */
	uint64_t least_ns; /* the smallest lateness of the last n_least ticks */
	unsigned int n_least;
	unsigned int settled;	  /* ticks since the edge was found anew */
	uint64_t block_ns;	  /* start of a block of n_block ticks, to measure their rate */
	uint64_t block_before_ns; /* start of the block before */
	unsigned int n_block;
};

struct vsync_lattice {
	uint64_t option_ns;  /* --vsync-ms; 0: not given */
	uint64_t dumpsys_ns; /* from dumpsys; 0: none */
	bool option_refuted; /* presents do not fit --vsync-ms */
	struct reported_periods reported;
	char presented[VSYNC_DISPLAY_ID]; /* the display of the last presents; empty: unknown */
	unsigned int n_presented;	  /* presents on it, one after the other */
	uint64_t presented_ns;		  /* the first of these */
	uint64_t sources_evicted;	  /* that still ticked, as the table was full */
	struct vsync_log log;
	uint32_t epoch; /* positions of different epochs cannot be compared */
	bool guessed;	/* the period is a measured one, divided until it is usual for displays */
	unsigned int guess_parts; /* by that number */
	bool unknown;		  /* which of two displays is on, and so the period */
	bool undecided;		  /* it takes more ticks to decide if a reported period fits them */
	enum vsync_authority authority;
	uint64_t error_ns; /* of the period */
	uint64_t first_tick_ns, last_tick_ns;
	unsigned int n_ticks;
	struct vsync_source sources[VSYNC_SOURCES];
	struct vsync_display *followed; /* whose ticks these are: in reported.displays; or NULL */
	/* Evidence that the period is wrong. */
	struct {
		uint64_t from_ns, last_ns;
		unsigned int collisions; /* surplus ticks */
	} suspect;
	struct vsync_walk {
		uint64_t last_ns; /* the last present, 0: none */
		int64_t off_ns;	  /* sum of the presents' distances, less whole periods */
		unsigned int odd; /* distances that are no whole number of periods */
		unsigned int n;
		uint64_t periods; /* in these distances */
	} walk;
	uint64_t next_doubt_ns; /* no other one before that */
	uint64_t slow_ns;	/* ticks have been too few since then; 0: enough ticks */
	uint64_t stated_ns;	/* the period was stated; 0: never */
	uint64_t unsure_ns;	/* the first tick after a long silence; 0: the period was stated or
				   needed since then */
	uint32_t late_ticks;	/* bit i: the tick that is i ticks ago was late */
	uint64_t next_check_ns; /* no check of the evidence before that */
	struct vsync_pending pending, other; /* other: the last one of another display */
	unsigned int n_segments;
	struct vsync_segment {
		/* That was followed at its begin, or NULL. */
		const struct vsync_display *display;
		uint64_t from_ns;
		uint64_t period_ns;
		uint64_t error_ns;
		bool used;	     /* a present was placed in it */
		bool guessed;	     /* as in struct vsync_lattice */
		bool unknown;	     /* the same */
		uint32_t switches;   /* of the refresh rate up to its begin */
		int64_t position;    /* at from_ns */
		int64_t uncertainty; /* of position, accumulated */
		int64_t tick_phase;  /* phase of the ticks, [0, VSYNC_ONE) */
		unsigned int tick_rank;
		bool has_ticks; /* tick_phase is valid */
	} segments[VSYNC_SEGMENTS];
	/* Times in which the refresh rate switched; the exact moment is unknown. */
	struct vsync_switch_range {
		uint64_t from_ns, to_ns;
		int64_t uncertainty;
	} switch_ranges[VSYNC_SWITCH_RANGES];
	unsigned int n_switch_ranges; /* so far; the array holds the last ones */
	int64_t present_phase; /* the part of a vsync in which presents begin, plus whole vsyncs */
	unsigned int n_presents; /* number of presents in the mean present_phase, 8 at most */
	uint32_t phase_number;	 /* how often present_phase started again */
	uint64_t last_present_ns;
	uint64_t last_period_ns; /* period at the last present */
	int64_t last_position;	 /* of the last present */
	uint16_t odd_presents;	 /* bit i: the present i presents ago was no whole number of vsyncs
				    after the one before */
};

/* True: the two periods differ by more than the error of a measurement. */
static inline bool vsync_is_switch(uint64_t before_ns, uint64_t after_ns)
{
	return vsync_distance(before_ns, after_ns) * 100 > before_ns;
}

int64_t lattice_position_in(const struct vsync_segment *s, uint64_t time_ns);

/* Uncertainty of a position at @time_ns, from the error of the segment's period. */
int64_t lattice_period_uncertainty(const struct vsync_segment *s, uint64_t time_ns);

static inline bool lattice_is_locked(const struct vsync_lattice *v)
{
	return v->n_segments > 0;
}

/* The last segment; the lattice must be locked. */
static inline const struct vsync_segment *lattice_last(const struct vsync_lattice *v)
{
	return &v->segments[v->n_segments - 1];
}

/* The current period in ns; 0 if the lattice is not locked. */
static inline uint64_t vsync_period_ns(const struct vsync_lattice *v)
{
	return lattice_is_locked(v) ? lattice_last(v)->period_ns : 0;
}

/* True: no present has been placed in any segment. */
bool lattice_is_new(const struct vsync_lattice *v);

/* True: there are presents, and no ticks with them. */
static inline bool lattice_has_presents_only(const struct vsync_lattice *v)
{
	return v->log.n >= UNDECIDED_TICKS && vsync_log_end(&v->log) > v->last_tick_ns + PENDING_NS;
}

/* Begins a new period at @from_ns. A segment without presents is replaced; an only segment is valid
 * from the start on. Presents that were placed are not moved. */
void lattice_set_period(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
			uint64_t from_ns);

/* Finds the edges of all counters again, for a new period. @window: the last ticks. */
void lattice_find_edges(struct vsync_lattice *v, const struct vsync_window *window);

/* Makes a period more precise if the ticks allow it. A reported one may be exact only to 1 %. */
void lattice_sharpen(const struct vsync_lattice *v, uint64_t *period_ns, uint64_t *error_ns);

/* No period explains the trace: nothing is known about vsyncs from now on, until one does. */
void lattice_unlock(struct vsync_lattice *v);

/* Sets the period from the start on. To be called before a present is placed. */
void lattice_lock(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
		  enum vsync_authority authority);

/* Replaces the period by a more precise value of it, from the last placed present on. */
static inline void lattice_refine(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns)
{
	lattice_set_period(v, period_ns, error_ns, lattice_last(v)->from_ns);
}

/* The counter whose ticks are nearest to presents. */
unsigned int lattice_main_source(const struct vsync_lattice *v);

/* The vsyncs of @display, which may be NULL, in a period of rendering, if it has that period; 1:
 * not stated. */
uint8_t lattice_step(const struct vsync_lattice *v, const struct vsync_display *display,
		     uint64_t period_ns, uint64_t time_ns);

/* The display switched to another period: finds when, and begins it. @stated_ns: the switch was
 * stated then, 0: unknown. @sure_ns: it was before that time, or near it. */
void lattice_switch_to(struct vsync_lattice *v, enum vsync_authority authority, uint64_t period_ns,
		       uint64_t error_ns, uint64_t stated_ns, uint64_t sure_ns, uint64_t now_ns);

/* --- vsync_learn.c --- */

/* Chooses the period from all sources, while no present is placed on the lattice. */
void vsync_learn_decide(struct vsync_lattice *v, uint64_t now_ns);

/* A reported period is pending: checks if the display has switched to it, which may be before or
 * after the report. */
void vsync_learn_follow_pending(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks or presents since @from_ns do not fit the period: searches for another one. */
void vsync_learn_find_other(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

/* Presents do not fit the period: searches for another one. If there is none, the period is not
 * believed, whatever stated it. */
void vsync_learn_doubt(struct vsync_lattice *v, uint64_t now_ns);

/* Checks the ticks against the period of the display that is followed. */
void vsync_learn_verify(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks have been few since @from_ns: checks if the period is now a multiple of the old one. */
void vsync_learn_find_slower(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

/* True: another display was on before, of a multiple of the period. If a foldable is turned back
 * to it, and nothing says so, its ticks look like those of an app that draws less often. After a
 * long silence the same display may have such a period, and its statement may not be recorded.
 */
bool vsync_learn_may_be_turned(const struct vsync_lattice *v);

/* Ticks up to @now_ns need the period: the display that is followed is on. */
void vsync_learn_is_on(struct vsync_lattice *v, uint64_t now_ns);

#endif
