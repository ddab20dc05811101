/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the lattice: vsync.c follows the trace and places presents, vsync_stretch.c
 * keeps which period holds since when, vsync_learn.c decides which it is. */
#ifndef JANKD_RULES_VSYNC_LATTICE_H
#define JANKD_RULES_VSYNC_LATTICE_H

#include "rules/vsync.h"

#define MS UINT64_C(1000000)

#define LOCK_TICKS 8		/* so many ticks make a lattice */
#define LOOK_EVERY_NS (40 * MS) /* evidence is weighed so often */
#define PENDING_NS (400 * MS)	/* so long a period that is said waits for ticks of it */
#define PENDING_LATE_NS (1000 * MS)
#define LOOK_BACK_NS (1500 * MS) /* a switch is looked for in that time */
#define SUSPECT_NS (600 * MS)	 /* a tick too many is forgotten after that */

/* --- vsync_stretch.c --- */

/* The stretch that holds at @time_ns; there must be one. */
struct vsync_stretch *lattice_stretch_at(struct vsync_lattice *v, uint64_t time_ns);

int64_t lattice_position_in(const struct vsync_stretch *s, uint64_t time_ns);

/* How much of a position at @time_ns is not known: of its period's error, and of switches. */
int64_t lattice_doubt_in(const struct vsync_stretch *s, uint64_t time_ns);
int64_t lattice_unsure_at(const struct vsync_lattice *v, uint64_t time_ns);

/* The last period, 0: there is none. */
uint64_t lattice_period_of(const struct vsync_lattice *v);

/* Has no present been placed in the last stretch yet? And in none at all? */
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
void lattice_know_better(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns);

/* The counter that is nearest to presents. */
unsigned int lattice_main_source(const struct vsync_lattice *v);

/* Another period since a moment around @sure_ns, which is looked for. */
void lattice_switch_to(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
		       uint64_t sure_ns, uint64_t now_ns, enum vsync_authority authority);

/* --- vsync_learn.c --- */

/* Nothing stands on the lattice yet: chooses its period from all that is known. */
void lattice_decide(struct vsync_lattice *v, uint64_t now_ns);

/* The period of @display was said. */
void lattice_hear(struct vsync_lattice *v, struct vsync_display *display, uint64_t now_ns);

/* A period that was said is another: has the display followed by now? */
void lattice_follow_pending(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks since @from_ns look as if they were of another period. */
void lattice_look_for_other(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

/* A word that was taken before there were ticks: is it theirs? */
void lattice_confirm(struct vsync_lattice *v, uint64_t now_ns);

/* Do ticks agree with the period of the display that is followed? */
void lattice_verify(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks have been few since @from_ns. */
void lattice_look_for_slower(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

#endif
