/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/beside/timeline_names.h"

#include <stdio.h>
#include <string.h>

#include "rules/base/table.h"

const char *timeline_name(enum timeline_names kind, int32_t type)
{
	static const char *const names[][6] = {
		[TIMELINE_PRESENT] = { "UNSPECIFIED", "ON_TIME", "LATE", "EARLY", "DROPPED",
				       "UNKNOWN" },
		[TIMELINE_PREDICTION] = { "UNSPECIFIED", "VALID", "EXPIRED", "UNKNOWN" },
		[TIMELINE_SEVERITY] = { "UNKNOWN", "NONE", "PARTIAL", "FULL" },
	};

	return type >= 0 && (size_t)type < ARRAY_SIZE(names[0]) ? names[kind][type] : NULL;
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
