/* SPDX-License-Identifier: Apache-2.0 */
/* What an event that names a layer tells of it: a latch, a queued buffer, a transaction. */
#ifndef JANKD_RULES_LAYER_EVENT_H
#define JANKD_RULES_LAYER_EVENT_H

#include "rules/attribution.h"

/* @record is SurfaceFlinger's, and @rule, which fits it, is one that names a layer. */
void attribution_layer_event(struct attribution *a, const struct rule *rule,
			     const struct pattern_capture *capture,
			     const struct trace_record *record);

#endif
