/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of the vsync period beside the ticks: by SurfaceFlinger, and by its display.
 *
 * Ticks come on demand and cannot tell a display from one that is twice as fast. SurfaceFlinger
 * writes its period now and then, and while it measures the display, as it does at the begin and
 * after every switch of the rate, each of the display's own vsyncs.
 */
#ifndef JANKD_RULES_VSYNC_WORD_H
#define JANKD_RULES_VSYNC_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* Displays: 300 Hz to 24 Hz. Slower than 46 Hz only on somebody's word. */
#define VSYNC_PERIOD_MIN_NS UINT64_C(3300000)
#define VSYNC_PERIOD_MAX_NS UINT64_C(45000000)
#define VSYNC_PERIOD_USUAL_MAX_NS UINT64_C(21500000)

/* All zeros: nothing was said. */
struct vsync_word {
	uint64_t hinted_ns;    /* SurfaceFlinger's own word, 0: none */
	uint64_t seen_ns;      /* between the display's vsyncs when they were on last, 0: never */
	uint64_t seen_from_ns; /* the first of them */
	struct vsync_row {     /* of the display's vsyncs, all as far apart as the first two */
		uint32_t n;    /* distances */
		uint64_t sum_ns;
		uint64_t begin_ns;
	} row;
};

/* SurfaceFlinger says its period. False for an absurd one, which is dropped. */
bool vsync_word_hint(struct vsync_word *word, uint64_t period_ns);

/* A vsync of the display itself, @length_ns after the one at @begin_ns. False while there are too
 * few in a row to say anything. */
bool vsync_word_hardware(struct vsync_word *word, uint64_t begin_ns, uint64_t length_ns);

/* The period as far as it is known, 0: not at all. */
uint64_t vsync_word_period_ns(const struct vsync_word *word);

#endif
