/* SPDX-License-Identifier: Apache-2.0 */
/* Members of JSON objects, and grades as JSON, of jankd and jank-report. */
#ifndef JANKD_DAEMON_SHOW_JSON_H
#define JANKD_DAEMON_SHOW_JSON_H

#include <json.h>
#include <stdbool.h>
#include <stdint.h>

#include "rules/count/grade.h"

/* Escapes @text, which may have any bytes, as JSON is UTF-8. NULL and "" become null. */
void json_add_text(struct json_object *object, const char *key, const char *text);
void json_add_count(struct json_object *object, const char *key, uint64_t count);
void json_add_bool(struct json_object *object, const char *key, bool value);

/* 0 becomes null. */
void json_add_if_any(struct json_object *object, const char *key, uint64_t count);

/* Less than 0 becomes null. */
void json_add_if_known(struct json_object *object, const char *key, int64_t value);

/* With so many decimals; null if it is no number. */
void json_add_decimal(struct json_object *object, const char *key, double value, int decimals);

/* What a grade is made of: times in seconds, and for each cause with time how often it was and what
 * it lost, the one that lost most first. */
struct json_object *grade_json(const struct grade_facts *facts);

#endif
