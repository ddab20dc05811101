/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JANKD_TOOLS_REPORT_COMPARE_TEXT_H
#define JANKD_TOOLS_REPORT_COMPARE_TEXT_H

#include "tools/report/compare.h"

#define COMPARE_LINES 4
#define COMPARE_LINE_SIZE 400

/* What the verdict of an app says, the most important line first. Returns their number. */
unsigned int compare_lines(char lines[COMPARE_LINES][COMPARE_LINE_SIZE],
			   const struct comparison *comparison,
			   const struct compared_verdict *verdict);

/* The causes that lost time in a group, most of both first. Returns their number. */
unsigned int compare_causes(enum cause causes[CAUSES], const struct grade_facts facts[2]);

#endif
