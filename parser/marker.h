/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a trace marker, which is the same in text and in raw events. */
#ifndef JANKD_PARSER_MARKER_H
#define JANKD_PARSER_MARKER_H

#include <stdbool.h>

#include "parser/record.h"

/**
 * marker_parse() - parse the text that a process wrote into trace_marker
 * @payload: the text; line ends, CRs and NULs at its end are ignored
 * @record: kind, pid, value, name and track are set on success, other members never
 *
 * The value of a counter is its last field, so names may contain '|'. If the last field is no
 * number, it is a tag that HarmonyOS appends, and the value is the field before it. OpenHarmony's
 * own forms are in marker.c. Spans in @record borrow from @payload. Source of the grammar:
 * libcutils trace-dev.inc, Android 4.1 to 16; OpenHarmony's hitrace_meter.cpp.
 *
 * Returns false if the text is no marker (any process may write any text).
 */
bool marker_parse(struct span payload, struct trace_record *record);

#endif
