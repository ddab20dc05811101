/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a trace of Android 14: the lines of SurfaceFlinger for frames at exact times. */
#ifndef JANKD_TESTS_TRACE_TEXT_H
#define JANKD_TESTS_TRACE_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Prints @n frames of @layer, @step_us apart; the first is presented at @from_us. Returns the
 * time of the frame after them. */
uint64_t trace_text_frames(FILE *out, const char *layer, uint64_t from_us, uint64_t step_us,
			   unsigned int n);

/* The same frames as text that the caller frees. */
char *trace_text_of(const char *layer, uint64_t from_us, uint64_t step_us, unsigned int n);

#endif
