/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of --fail-if, and what became of them.
 *
 *     FPS < 55               of a session
 *     grade < FAIR           of a session: BAD or POOR
 *     jank(/10min) > +10%    of NEW compared with BASE: a change of 10 %
 *     stutter(%) > +0.5      likewise, in the metric's own unit
 *     p99(ms) > +10%         likewise: the share of frames beyond the base's p99, see compare.h
 *
 * A metric is a column of summary.csv or one of metrics.h. Its unit may be left out where that is
 * clear: p99, low 1% mean.
 */
#ifndef JANKD_TOOLS_REPORT_CONDITION_H
#define JANKD_TOOLS_REPORT_CONDITION_H

#include <stdbool.h>

#include "tools/report/metrics.h"

enum relation {
	LESS,
	LESS_OR_EQUAL,
	MORE,
	MORE_OR_EQUAL,
};

struct condition {
	const char *text; /* borrowed */
	enum metric metric;
	enum relation relation;
	double limit;	  /* of a change in percent: 0.1 for 10 % */
	bool is_change;	  /* it has a sign */
	bool is_relative; /* it is in percent */
	/* Where there is not enough data for it, an app that froze fails: no condition says how
	 * many freezes are allowed. */
	bool needs_no_freeze;
};

/* Returns NULL, or what is wrong with @text. */
const char *condition_parse(struct condition *condition, const char *text);

/* True: its metric counts freezes. */
bool condition_counts_freezes(const struct condition *condition);

/* True: @value, which is known, fulfils the condition. */
bool condition_holds(const struct condition *condition, double value);

/* Results in order, for the exit code and for JUnit. */
enum outcome {
	OUTCOME_HOLDS_NOT, /* passed */
	OUTCOME_HOLDS,	   /* failed */
	OUTCOME_UNKNOWN,   /* not enough data */
};

/* In words. */
extern const char *const outcome_names[];

struct result {
	enum outcome outcome;
	char *where; /* the Surface, or what else was judged */
	char *what;  /* the condition */
	char *text;  /* why */
};

#define RESULTS_MAX 10000

struct results {
	struct result *all;
	uint32_t n;
	unsigned int of[3]; /* numbers by outcome */
	bool failed;	    /* out of memory */
};

void results_add(struct results *results, enum outcome outcome, const char *where, const char *what,
		 const char *text);
void results_free(struct results *results);

/* Writes them as JUnit XML. Returns 0 or -errno. */
int results_write_junit(const struct results *results, const char *path);

#endif
