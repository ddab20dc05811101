/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which period the lattice has: from reported periods, and from ticks and presents. */
#ifndef JANKD_RULES_VSYNC_VSYNC_LEARN_H
#define JANKD_RULES_VSYNC_VSYNC_LEARN_H

#include <stdint.h>

#include "rules/vsync/vsync_lattice.h"

/* A period from dumpsys: it is better than a guess. */
void vsync_learn_dumpsys(struct vsync_lattice *v);

/* Chooses the period from all sources, while no present is placed on the lattice. */
void vsync_learn_decide(struct vsync_lattice *v, uint64_t now_ns);

/* A period of @display was reported, exact to @error_ns. */
void vsync_learn_report(struct vsync_lattice *v, struct vsync_display *display, uint64_t error_ns,
			uint64_t now_ns);

/* SurfaceFlinger asks @display for a period: it is pending, until ticks or presents show it. */
void vsync_learn_asked(struct vsync_lattice *v, struct vsync_display *display, uint64_t now_ns);

/* A reported period is pending: checks if the display has switched to it, which may be before or
 * after the report. */
void vsync_learn_follow_pending(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks or presents since @from_ns do not fit the period: searches for another one. */
void vsync_learn_find_other(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

/* Presents of some time show a more precise value of the period: checks if it explains them better.
 */
void vsync_learn_better(struct vsync_lattice *v, uint64_t period_ns, uint64_t error_ns,
			uint64_t now_ns);

/* Presents do not fit the period: searches for another one. If there is none, the period is not
 * believed, whatever stated it. */
void vsync_learn_doubt(struct vsync_lattice *v, uint64_t now_ns);

/* Checks the ticks against the period of the display that is followed. */
void vsync_learn_verify(struct vsync_lattice *v, uint64_t now_ns);

/* Ticks have been few since @from_ns: checks if the period is now a multiple of the old one. */
void vsync_learn_find_slower(struct vsync_lattice *v, uint64_t from_ns, uint64_t now_ns);

#endif
