/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/base/row.h"

const char *const cause_names[CAUSES] = {
	[CAUSE_NONE] = "",
	[CAUSE_APP] = "app",
	[CAUSE_GPU] = "gpu",
	[CAUSE_SF_CPU] = "surfaceflinger-cpu",
	[CAUSE_SF_GPU] = "surfaceflinger-gpu",
	[CAUSE_SCHEDULING] = "scheduling",
	[CAUSE_DISPLAY] = "display",
	[CAUSE_STUFFING] = "stuffing",
	[CAUSE_PREDICTION] = "prediction",
	[CAUSE_DROPPED] = "dropped",
	[CAUSE_UNKNOWN] = "unknown",
};
