/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/beside/timeline_names.h"

#include <stdio.h>
#include <string.h>

#include "rules/base/table.h"

static const char *name_in(const char *const *names, size_t n, int32_t type)
{
	return type >= 0 && (size_t)type < n ? names[type] : NULL;
}

const char *timeline_present_name(int32_t type)
{
	static const char *const names[] = { "UNSPECIFIED", "ON_TIME", "LATE",
					     "EARLY",	    "DROPPED", "UNKNOWN" };

	return name_in(names, ARRAY_SIZE(names), type);
}

const char *timeline_prediction_name(int32_t type)
{
	static const char *const names[] = { "UNSPECIFIED", "VALID", "EXPIRED", "UNKNOWN" };

	return name_in(names, ARRAY_SIZE(names), type);
}

const char *timeline_severity_name(int32_t type)
{
	static const char *const names[] = { "UNKNOWN", "NONE", "PARTIAL", "FULL" };

	return name_in(names, ARRAY_SIZE(names), type);
}

void timeline_jank_bit_name(unsigned int bit, char name[static TIMELINE_JANK_NAME_SIZE])
{
	static const char *const names[] = {
		"NONE",
		"SF_SCHEDULING",
		"PREDICTION_ERROR",
		"DISPLAY_HAL",
		"SF_CPU_DEADLINE_MISSED",
		"SF_GPU_DEADLINE_MISSED",
		"APP_DEADLINE_MISSED",
		"BUFFER_STUFFING",
		"UNKNOWN",
		"SF_STUFFING",
		"DROPPED",
		"NON_ANIMATING",
		"APP_RESYNCED_JITTER",
		"DISPLAY_NOT_ON",
		"DISPLAY_MODE_CHANGE_IN_PROGRESS",
		"DISPLAY_POWER_MODE_CHANGE_IN_PROGRESS",
	};

	if (bit < ARRAY_SIZE(names))
		snprintf(name, TIMELINE_JANK_NAME_SIZE, "%s", names[bit]);
	else
		snprintf(name, TIMELINE_JANK_NAME_SIZE, "BIT_%u", bit);
}

void timeline_jank_name(int64_t type, char name[static TIMELINE_JANK_SIZE])
{
	size_t len = 0;

	name[0] = '\0';
	if (type == 0)
		strcpy(name, "UNSPECIFIED");
	if (type <= 0)
		return;
	for (unsigned int bit = 0; bit < TIMELINE_JANK_BITS; bit++) {
		if (!(type >> bit & 1))
			continue;
		if (len > 0)
			name[len++] = '+';
		timeline_jank_bit_name(bit, name + len);
		len += strlen(name + len);
	}
}
