/* SPDX-License-Identifier: Apache-2.0 */
/* Names of layers in the output of 'dumpsys SurfaceFlinger --list'. Names come from apps and may be
 * any text. */
#ifndef JANKD_PARSER_LAYER_LIST_H
#define JANKD_PARSER_LAYER_LIST_H

#include <stdbool.h>

#include "parser/span.h"

/* The name in a line, as 'dumpsys SurfaceFlinger --latency' takes it: the line itself on Android 7
 * to 14; since 15 the part of 'RequestedLayerState{NAME#ID parentId=... z=...}' up to the ID.
 * SPAN_NULL: the line has no name. Borrows from @line. */
struct span layer_list_name(struct span line);

/* True: a layer with this name only contains others, and never has a buffer. */
bool layer_list_is_container(struct span name);

#endif
