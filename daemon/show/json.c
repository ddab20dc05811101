/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/json.h"

#include <math.h>
#include <stdio.h>

#include "daemon/base/text.h"
#include "daemon/show/grade_text.h"

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	char escaped[16384];
	bool is_known = text && text_escape(escaped, sizeof(escaped), text) > 0;

	json_object_object_add(object, key, is_known ? json_object_new_string(escaped) : NULL);
}

void json_add_count(struct json_object *object, const char *key, uint64_t count)
{
	json_object_object_add(object, key, json_object_new_uint64(count));
}

void json_add_if_any(struct json_object *object, const char *key, uint64_t count)
{
	json_object_object_add(object, key, count > 0 ? json_object_new_uint64(count) : NULL);
}

void json_add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

void json_add_if_known(struct json_object *object, const char *key, int64_t value)
{
	json_object_object_add(object, key, value < 0 ? NULL : json_object_new_int64(value));
}

void json_add_decimal(struct json_object *object, const char *key, double value, int decimals)
{
	char text[512]; /* of any double */

	snprintf(text, sizeof(text), "%.*f", decimals, value);
	json_object_object_add(object, key,
			       isfinite(value) ? json_object_new_double_s(value, text) : NULL);
}

static void add_ns(struct json_object *object, const char *key, uint64_t ns)
{
	json_add_decimal(object, key, (double)(ns / 1000) / 1e6, 6);
}

struct json_object *grade_json(const struct grade_facts *facts)
{
	struct json_object *object = json_object_new_object(), *causes = json_object_new_object();
	enum cause sorted[CAUSES];
	unsigned int n = grade_causes_by_time(sorted, facts), percent[CAUSES];

	grade_cause_shares(percent, facts);
	add_ns(object, "drawing(s)", grade_drawing_ns(facts));
	json_add_count(object, "frames", facts->frames);
	json_add_decimal(object, "lost(ms/s)", grade_lost_rate(facts), 6);
	json_add_count(object, "late frames", facts->late);
	add_ns(object, "late time(s)", facts->late_ns);
	json_add_count(object, "freezes", facts->freezes);
	add_ns(object, "freeze time(s)", facts->freeze_ns);
	add_ns(object, "longest freeze(s)", facts->longest_freeze_ns);
	json_add_bool(object, "more freezes", facts->more_freezes);
	json_add_count(object, "freezes without end", facts->endless);
	json_add_count(object, "gaps", facts->gaps);
	add_ns(object, "gap time(s)", facts->gap_ns);
	add_ns(object, "shortest gap(s)", facts->shortest_gap_ns);
	add_ns(object, "longest gap(s)", facts->longest_gap_ns);
	add_ns(object, "idle(s)", grade_idle_ns(facts));
	add_ns(object, "captured(s)", facts->span_ns);
	add_ns(object, "missing(s)", grade_missing_ns(facts));
	json_add_count(object, "unknown vsyncs", facts->unknown);
	json_add_bool(object, "fails rule", facts->fails_rule);
	if (facts->at_most)
		json_object_object_add(object, "at most",
				       json_object_new_string(grade_names[facts->at_most]));
	for (unsigned int i = 0; i < n; i++) {
		struct json_object *cause = json_object_new_object();

		json_add_count(cause, "times", facts->causes[sorted[i]]);
		add_ns(cause, "lost(s)", facts->cause_ns[sorted[i]]);
		json_add_count(cause, "share(%)", percent[sorted[i]]);
		json_object_object_add(causes, cause_names[sorted[i]], cause);
	}
	json_object_object_add(object, "causes", causes);
	return object;
}
