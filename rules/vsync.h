/* SPDX-License-Identifier: Apache-2.0 */
/* The display's vsyncs as period and phase, learnt from the trace. The idea: vsync.c. */
#ifndef JANKD_RULES_VSYNC_H
#define JANKD_RULES_VSYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/span.h"
#include "rules/vsync_log.h"
#include "rules/reported_period.h"

#define VSYNC_STRETCHES 12
#define VSYNC_UNSURE 6

/* One vsync in positions: a fraction of one is a 65536th. */
#define VSYNC_ONE INT64_C(65536)

/* What the period is taken from; later ones outweigh those before. */
enum vsync_authority {
	VSYNC_UNKNOWN,
	VSYNC_OUTSIDE, /* dumpsys, once: what ticks say is newer */
	VSYNC_FIT,     /* ticks and presents */
	VSYNC_GIVEN,   /* --vsync-ms */
	VSYNC_SAID,    /* SurfaceFlinger, or the display's own vsyncs */
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
	uint64_t given_ns;   /* the user's word, 0: none */
	uint64_t outside_ns; /* that of somebody else, 0: none */
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
	unsigned int n_stretches;
	struct vsync_stretch {
		uint64_t from_ns;
		uint64_t period_ns;
		uint64_t error_ns;
		bool used;	    /* a present was placed in it */
		bool guessed;	    /* as above */
		int64_t position;   /* at from_ns */
		int64_t doubt;	    /* that positions at from_ns have gathered */
		int64_t tick_phase; /* where in a vsync the ticks are, [0, VSYNC_ONE) */
		unsigned int tick_rank;
		bool has_ticks; /* tick_phase is known */
	} stretches[VSYNC_STRETCHES];
	/* Where a switch of the rate was, is known to that only. */
	struct vsync_unsure {
		uint64_t from_ns, to_ns;
		int64_t doubt;
	} unsure[VSYNC_UNSURE];
	unsigned int n_unsure;	 /* ever */
	int64_t present_phase;	 /* where in a vsync presents begin, and vsyncs beside it */
	unsigned int n_presents; /* that present_phase is a mean of */
	uint32_t phase_number;	 /* counts fresh starts of present_phase */
	uint64_t last_present_ns;
	uint64_t last_period_ns; /* at the last present */
};

/* Where on the lattice a present stands. */
struct vsync_stamp {
	uint64_t time_ns;
	uint64_t vsync_ns; /* the first tick behind the present's place */
	uint64_t from_ns;  /* since when the period is this */
	uint64_t period_ns;
	int64_t position;
	int64_t doubt; /* gathered: the position's distance from another's is right to the
			  difference */
	int64_t index; /* number of its vsync */
	bool in_phase; /* and that is sure */
	uint32_t epoch;
	uint32_t phase_number;
	bool locked;  /* else only time_ns has a meaning */
	bool guessed; /* the period is the slowest that displays have and that fits */
};

/* @given_ns: the user's word, 0: none. */
void vsync_init(struct vsync_lattice *v, uint64_t given_ns);

/* Forgets what was learnt: the clock stepped, or another SurfaceFlinger ticks. */
void vsync_reset(struct vsync_lattice *v);

/**
 * vsync_tick() - a tick counter was written
 * @name: hash of the counter's name: each has its own phase
 * @rank: lower = nearer to SurfaceFlinger's composition; gives the phase
 */
void vsync_tick(struct vsync_lattice *v, uint64_t name, unsigned int rank, uint64_t time_ns);

/* A vsync of the display of that id, none of which is left out while it is on. */
void vsync_hardware(struct vsync_lattice *v, struct span display, uint64_t time_ns);

/* SurfaceFlinger says the period of the display of that id, right to @error_ns. */
void vsync_hint(struct vsync_lattice *v, struct span display, uint64_t period_ns, uint64_t error_ns,
		uint64_t now_ns);

/* SurfaceFlinger foretells a vsync at @time_ns. */
void vsync_target(struct vsync_lattice *v, uint64_t time_ns);

/* SurfaceFlinger presents. It is placed later, when more is known. */
void vsync_present(struct vsync_lattice *v, uint64_t time_ns);

/* Ranks have another meaning from now on. */
void vsync_forget_ranks(struct vsync_lattice *v);

/* Somebody else says the period, who may be wrong: it counts until ticks say more. */
void vsync_give(struct vsync_lattice *v, uint64_t period_ns);

/* No ticks will follow: makes do with what is there. */
void vsync_finish(struct vsync_lattice *v);

/* Up to when can presents be placed for good? What is behind may turn out otherwise soon. */
uint64_t vsync_sure_until(const struct vsync_lattice *v);

/* Places a present. Presents come in the order of time. */
void vsync_place(struct vsync_lattice *v, uint64_t present_ns, struct vsync_stamp *stamp);

/* Is it not the same period, measured better, but another? */
bool vsync_is_switch(uint64_t before_ns, uint64_t after_ns);

/* Whole vsyncs between two presents; -1 where that is not known. */
int64_t vsync_between(const struct vsync_stamp *earlier, const struct vsync_stamp *later);

/* The period at the end of what is known, 0 where the lattice is not locked. */
uint64_t vsync_period_ns(const struct vsync_lattice *v);

/* Does the trace say another period than the user? */
bool vsync_overrules(const struct vsync_lattice *v);

#endif
