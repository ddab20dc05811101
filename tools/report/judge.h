/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the conditions of --fail-if. */
#ifndef JANKD_TOOLS_REPORT_JUDGE_H
#define JANKD_TOOLS_REPORT_JUDGE_H

#include "tools/report/output.h"

/* Drawing in seconds below which nothing is judged: there is not enough data. */
#define JUDGE_SECONDS_LEAST 5

/* Without a base: each condition on the numbers of each app, all of its Surfaces added up, or of
 * the Surfaces that --surface selects; with --section in each section of that name. */
void judge_sessions(struct results *results, const struct report *report,
		    const struct condition *conditions, unsigned int n);

/* What fails in a comparison although no condition asks for it. */
#define MORE_FREEZES "more freezes than BASE"

/* Each condition on each compared Surface. Returns 0 or -ENOMEM. */
int judge_comparison(struct results *results, const struct compare_report *report);

#endif
