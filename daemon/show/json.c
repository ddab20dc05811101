/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/json.h"

#include <math.h>
#include <stdio.h>

#include "daemon/base/text.h"

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
