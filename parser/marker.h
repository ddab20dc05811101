/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a trace marker: the same for text and for raw events. */
#ifndef JANKD_PARSER_MARKER_H
#define JANKD_PARSER_MARKER_H

#include <stdbool.h>

#include "parser/record.h"

/**
 * marker_parse() - split the text that a process wrote into trace_marker
 * @payload: the text; line ends, CRs and NULs at its end are taken off
 * @record: kind, pid, value, name and track are set on success, nothing else is touched; where
 *          it is false, nothing at all
 *
 * The value of a counter is its last field, so names may contain '|' (where the last field is no
 * number, the one before it: HarmonyOS appends a tag). Spans in @record borrow
 * from @payload. Source of the grammar: libcutils trace-dev.inc, Android 4.1 to 16.
 *
 * Returns true, or false where the text is no marker (any process may write any text).
 */
bool marker_parse(struct span payload, struct trace_record *record);

#endif
