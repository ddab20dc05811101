/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the vsync lattice, and what moves it: which period holds since when, where ticks and
 * presents lie in it. vsync.c feeds it, vsync_learn.c decides which period it is: the three files
 * share struct vsync_lattice, no other file writes it. The idea: vsync.c. */
#ifndef JANKD_RULES_VSYNC_LATTICE_H
#define JANKD_RULES_VSYNC_LATTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/reported_period.h"
#include "rules/vsync_log.h"

#define MS UINT64_C(1000000)

#define LOCK_TICKS 8		/* so many ticks make a lattice */
#define LOOK_EVERY_NS (40 * MS) /* evidence is weighed so often */
#define PENDING_NS (400 * MS)	/* so long a period that is said waits for ticks of it */
#define PENDING_LATE_NS (1000 * MS)
#define LOOK_BACK_NS (1500 * MS) /* a switch is looked for in that time */
#define SUSPECT_NS (600 * MS)	 /* a tick too many is forgotten after that */

#define VSYNC_SEGMENTS 12
#define VSYNC_SWITCH_RANGES 6

/* One vsync in positions: a fraction of one is a 65536th. */
#define VSYNC_ONE INT64_C(65536)

/* What the period is taken from; later ones outweigh those before. */
enum vsync_authority {
	VSYNC_UNKNOWN,
	VSYNC_DUMPSYS,	/* dumpsys, once: what ticks say is newer */
	VSYNC_FIT,	/* ticks and presents */
	VSYNC_OPTION,	/* --vsync-ms */
	VSYNC_REPORTED, /* SurfaceFlinger, or the display's own vsyncs */
};

/* A counter that ticks. */
struct vsync_source {
	uint64_t name; /* hash of it */
	unsigned int rank;
	uint64_t last_ns;
	uint64_t edge_ns;  /* where the last tick would have been in time */
	uint64_t least_ns; /* the least lateness of the last few */
	unsigned int n_least;
	unsigned int settled; /* ticks since the edge was set anew */
	unsigned int even;    /* ticks since one may have been taken for another slot's */
	uint64_t base_ns;     /* the edge after a few of these */
	uint64_t base_slots;  /* from there to the edge */
	uint64_t block_ns;    /* so many ticks ago: how often does it tick? */
	uint64_t block_before_ns;
	unsigned int n_block;
};

struct vsync_lattice {
	uint64_t option_ns;  /* the user's reported, 0: none */
	uint64_t dumpsys_ns; /* that of somebody else, 0: none */
	struct reported_periods reported;
	struct vsync_log log;
	uint32_t epoch; /* positions of two epochs have nothing in common */
	bool locked;
	bool guessed;	/* only halved into what displays have */
	bool undecided; /* what is said fits the ticks nearly: wait */
	enum vsync_authority authority;
	uint64_t error_ns; /* of the period */
	uint64_t first_tick_ns, last_tick_ns;
	unsigned int n_ticks;
	struct vsync_source sources[VSYNC_SOURCES];
	struct vsync_display *followed; /* one of words.displays, or NULL */
	/* What makes the period doubtful. */
	struct {
		uint64_t from_ns, last_ns;
		unsigned int collisions; /* ticks too many */
	} suspect;
	uint64_t slow_ns;	       /* since then there are few ticks, 0: there are not */
	uint32_t late_ticks;	       /* a bit for each of the last: it was late */
	uint64_t next_look_ns;	       /* not before that */
	struct vsync_display *pending; /* said another period, which no tick shows yet; or NULL */
	uint64_t pending_ns;	  /* a period that was said, and that no tick shows yet; 0: none */
	uint64_t pending_at_ns;	  /* since then */
	uint64_t pending_from_ns; /* ticks from here on may show it */
	uint64_t anchor_ns;	  /* a tick at the edge, long ago: for the period's last digits */
	uint64_t anchor_periods;  /* when it was used last, so many periods behind it */
	unsigned int anchor_source;
	unsigned int n_segments;
	struct vsync_segment {
		uint64_t from_ns;
		uint64_t period_ns;
		uint64_t error_ns;
		bool used;	     /* a present was placed in it */
		bool guessed;	     /* as above */
		int64_t position;    /* at from_ns */
		int64_t uncertainty; /* that positions at from_ns have gathered */
		int64_t tick_phase;  /* where in a vsync the ticks are, [0, VSYNC_ONE) */
		unsigned int tick_rank;
		bool has_ticks; /* tick_phase is known */
	} segments[VSYNC_SEGMENTS];
	/* Where a switch of the rate was, is known to that only. */
	struct vsync_switch_range {
		uint64_t from_ns, to_ns;
		int64_t uncertainty;
	} switch_ranges[VSYNC_SWITCH_RANGES];
	unsigned int n_switch_ranges; /* ever */
	int64_t present_phase;	      /* where in a vsync presents begin, and vsyncs beside it */
	unsigned int n_presents;      /* that present_phase is a mean of */
	uint32_t phase_number;	      /* counts fresh starts of present_phase */
	uint64_t last_present_ns;
	uint64_t last_period_ns; /* at the last present */
};

/* Is it not the same period, measured better, but another? */
bool vsync_is_switch(uint64_t before_ns, uint64_t after_ns);

/* The segment that holds at @time_ns; there must be one. */
struct vsync_segment *lattice_segment_at(struct vsync_lattice *v, uint64_t time_ns);

int64_t lattice_position_in(const struct vsync_segment *s, uint64_t time_ns);

/* How much of a position at @time_ns is not known: of its period's error, and of switches. */
int64_t lattice_period_uncertainty(const struct vsync_segment *s, uint64_t time_ns);
int64_t lattice_switch_uncertainty(const struct vsync_lattice *v, uint64_t time_ns);

/* The last period, 0: there is none. */
uint64_t lattice_period_of(const struct vsync_lattice *v);

/* Has no present been placed in the last segment yet? And in none at all? */
bool lattice_is_unused(const struct vsync_lattice *v);
bool lattice_is_new(const struct vsync_lattice *v);

/* A new period from @from_ns on, see there. */
void lattice_set_period(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
			uint64_t from_ns);

/* Finds the edges of all counters anew. @window: the last ticks. */
void lattice_find_edges(struct vsync_lattice *v, const struct vsync_window *window);

/* Makes a period that was said more precise, where ticks allow it. */
void lattice_sharpen(const struct vsync_lattice *v, uint64_t *period_ns, uint64_t *error_ns);

/* The period from the begin on: nothing was placed yet. */
void lattice_lock(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
		  enum vsync_authority authority);

/* The same period, known better. */
void lattice_refine(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns);

/* The counter that is nearest to presents. */
unsigned int lattice_main_source(const struct vsync_lattice *v);

/* Another period since a moment around @sure_ns, which is looked for. */
void lattice_switch_to(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
		       uint64_t sure_ns, uint64_t now_ns, enum vsync_authority authority);

#endif
