/* SPDX-License-Identifier: Apache-2.0 */
/* The words of FrameTimeline's enumerations: those of perfetto's frame_timeline_event.proto without
 * their prefix. */
#ifndef JANKD_RULES_BESIDE_TIMELINE_NAMES_H
#define JANKD_RULES_BESIDE_TIMELINE_NAMES_H

#include <stdint.h>

/* Each bit of a jank type is a type; no bit is UNSPECIFIED. */
#define TIMELINE_JANK_BITS 32
#define TIMELINE_JANK_NAME_SIZE 48 /* of one bit's name, with the NUL */
#define TIMELINE_JANK_SIZE (TIMELINE_JANK_BITS * TIMELINE_JANK_NAME_SIZE)

enum timeline_names { TIMELINE_PRESENT, TIMELINE_PREDICTION, TIMELINE_SEVERITY };

/* NULL: a number without a name. */
const char *timeline_name(enum timeline_names kind, int32_t type);

/* The name of one bit; "BIT_20" if it has none. */
void timeline_jank_bit_name(unsigned int bit, char name[static TIMELINE_JANK_NAME_SIZE]);

/* The names of all bits, joined by '+'. Negative: "". */
void timeline_jank_name(int64_t type, char name[static TIMELINE_JANK_SIZE]);

#endif
