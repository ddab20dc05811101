/* SPDX-License-Identifier: Apache-2.0 */
/* Which period the lattice has: decided by what was reported, and by ticks and presents. */
#ifndef JANKD_RULES_VSYNC_LEARN_H
#define JANKD_RULES_VSYNC_LEARN_H

#include <stdint.h>

#include "rules/vsync_lattice.h"

/* Nothing stands on the lattice yet: chooses its period from all that is known. */
void vsync_learn_decide(struct vsync_lattice *v, uint64_t now_ns);

/* The period of @display was said. */
void vsync_learn_report(struct vsync_lattice *v, struct vsync_display *display, uint64_t now_ns);

/* A period that was said is another: has the display followed by now? */
void vsync_learn_follow_pending(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks since @from_ns look as if they were of another period. */
void vsync_learn_find_other(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

/* A reported that was taken before there were ticks: is it theirs? */
void vsync_learn_confirm(struct vsync_lattice *v, uint64_t now_ns);

/* Do ticks agree with the period of the display that is followed? */
void vsync_learn_verify(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks have been few since @from_ns. */
void vsync_learn_find_slower(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

#endif
