/* SPDX-License-Identifier: Apache-2.0 */
/* The display's vsyncs as period and phase, learnt from the trace. The idea: vsync.c. */
#ifndef JANKD_RULES_VSYNC_H
#define JANKD_RULES_VSYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/vsync_word.h"

#define VSYNC_SOURCES 8
#define VSYNC_DELTAS 128
#define VSYNC_STRETCHES 8

/* One vsync in positions: a fraction of one is a 65536th. */
#define VSYNC_ONE INT64_C(65536)

struct vsync_delta {
	uint64_t begin_ns; /* of the earlier tick */
	uint32_t length_ns;
};

/* A row of ticks whose distances are all multiples of several periods. */
struct vsync_run {
	uint32_t n;
	uint32_t multiple; /* greatest common divisor of the distances, in periods */
	uint64_t begin_ns;
};

struct vsync_lattice {
	uint64_t given_ns;	/* the user's word for a trace that says nothing, 0: none */
	struct vsync_word word; /* what is said of the period beside the ticks */
	struct vsync_told {
		uint64_t since_ns; /* the last tick before the old period was said last */
		uint64_t from_ns;  /* the last tick before this one was said */
		uint64_t begin_ns; /* of the ticks in a row that fit it */
		uint32_t n;	   /* their distances */
	} told;
	uint64_t last_tick_ns;
	uint64_t last_said_ns; /* the last tick before anything was said */
	uint32_t epoch;	       /* positions of two epochs have nothing in common */
	bool locked;
	bool guessed; /* the period is given_ns: ticks have not been heard yet */
	struct vsync_source {
		uint64_t name; /* hash of the counter's name */
		uint64_t last_ns;
	} sources[VSYNC_SOURCES];
	unsigned int n_deltas; /* ever; the ring holds the last VSYNC_DELTAS */
	struct vsync_delta deltas[VSYNC_DELTAS];
	unsigned int strangers; /* deltas in a row that the period does not explain */
	uint64_t last_known_ns; /* end of the last delta that it does */
	struct vsync_run run;	/* of all ticks */
	unsigned int n_stretches;
	struct vsync_stretch {
		uint64_t from_ns;
		uint64_t period_ns;
		bool used;	    /* a present was placed in it */
		int64_t position;   /* at from_ns */
		int64_t tick_phase; /* where in a vsync the ticks are, [0, VSYNC_ONE) */
		unsigned int tick_rank;
		unsigned int n_ticks; /* that tick_phase is a mean of */
	} stretches[VSYNC_STRETCHES];
	int64_t present_phase;	 /* where in a vsync presents begin, [0, VSYNC_ONE) */
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
	int64_t index; /* number of its vsync */
	uint32_t epoch;
	uint32_t phase_number;
	bool locked; /* else only time_ns has a meaning */
};

/* @given_ns: period where the trace has none, 0: not known. */
void vsync_init(struct vsync_lattice *v, uint64_t given_ns);

/* Forgets what was learnt: the clock stepped, or another SurfaceFlinger ticks. */
void vsync_reset(struct vsync_lattice *v);

/**
 * vsync_tick() - a tick counter was written
 * @name: hash of the counter's name: each counts its own distances
 * @rank: lower = nearer to SurfaceFlinger's composition; gives the phase
 * @hardware: the display's own vsync, none of which is left out while it is on
 */
void vsync_tick(struct vsync_lattice *v, uint64_t name, unsigned int rank, bool hardware,
		uint64_t time_ns);

/* Ranks have another meaning from now on. */
void vsync_forget_ranks(struct vsync_lattice *v);

/* SurfaceFlinger says its period; believed as far as ticks agree. */
void vsync_hint(struct vsync_lattice *v, uint64_t period_ns);

/* Somebody says the period, who may be wrong: it counts until ticks say more. */
void vsync_give(struct vsync_lattice *v, uint64_t period_ns);

/* No ticks will follow: makes do with what is there. */
void vsync_finish(struct vsync_lattice *v);

/* Places a present. Presents come in the order of time. */
void vsync_place(struct vsync_lattice *v, uint64_t present_ns, struct vsync_stamp *stamp);

/* Is it not the same period, measured better, but another? */
bool vsync_is_switch(uint64_t before_ns, uint64_t after_ns);

/* Whole vsyncs between two presents; -1 where the lattice does not reach from one to the other. */
int64_t vsync_between(const struct vsync_stamp *earlier, const struct vsync_stamp *later);

/* The period at the end of what is known, 0 where the lattice is not locked. */
uint64_t vsync_period_ns(const struct vsync_lattice *v);

#endif
