/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JANKD_TOOLS_REPORT_COMPARE_TEXT_H
#define JANKD_TOOLS_REPORT_COMPARE_TEXT_H

#include "daemon/show/grade_text.h"
#include "tools/report/compare.h"

#define COMPARE_LINES 4
#define COMPARE_LINE_SIZE 640

/* Names the groups by the last folders of their @n paths that differ: "1.8.0" and "2.0"; those that
 * no folder has together by their first runs: "a (+1)" of a and b. Returns 0 or -ENOMEM. */
int compare_name_groups(struct comparison *comparison, const char *const *const paths[2],
			const unsigned int n[2]);

/* The build of a group, if the other one has another build; else its name; else "BASE", "NEW". */
const char *compare_group_name(const struct comparison *comparison, enum group group);

/* "BASE: builds/1.8.0/1 and 3 more" */
void compare_tell_folder(char text[COMPARE_LINE_SIZE], const struct comparison *comparison,
			 enum group group);

/* Why a change is not known, in that language. */
const char *compare_why(const char *why, enum language language);

/* What the verdict of an app says, the most important line first. Returns their number. */
unsigned int compare_lines(char lines[COMPARE_LINES][COMPARE_LINE_SIZE],
			   const struct comparison *comparison,
			   const struct compared_verdict *verdict, enum language language);

/* The causes that lost time in a group, most of both first. Returns their number. */
unsigned int compare_causes(enum cause causes[CAUSES], const struct grade_facts facts[2]);

#endif
