/* SPDX-License-Identifier: Apache-2.0 */
/* What a grade is made of as JSON: of 'jankd analyze --json' and of jank-report. */
#ifndef JANKD_DAEMON_SHOW_GRADE_JSON_H
#define JANKD_DAEMON_SHOW_GRADE_JSON_H

#include "rules/count/grade.h"

struct json_object;

/* Times in seconds, and for each cause with time how often it was and what it lost, the one that
 * lost most first. */
struct json_object *grade_json(const struct grade_facts *facts);

#endif
