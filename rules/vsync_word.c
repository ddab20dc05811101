/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/vsync_word.h"

#include "rules/vsync_fit.h"

#define ROW_MIN 4  /* distances in a row that are believed */
#define ROW_MAX 64 /* a mean over more would not follow any more */

static bool is_near(uint64_t a_ns, uint64_t b_ns, uint64_t part)
{
	return vsync_distance(a_ns, b_ns) * part <= a_ns;
}

bool vsync_word_hint(struct vsync_word *word, uint64_t period_ns)
{
	if (period_ns < VSYNC_PERIOD_MIN_NS || period_ns > VSYNC_PERIOD_MAX_NS)
		return false;
	/* Another rate: the display's vsyncs, if they are heard at all, are still to come. */
	if (!is_near(period_ns, word->hinted_ns, 32))
		word->seen_ns = word->row.n = 0;
	word->hinted_ns = period_ns;
	return true;
}

bool vsync_word_hardware(struct vsync_word *word, uint64_t begin_ns, uint64_t length_ns)
{
	struct vsync_row *row = &word->row;
	uint64_t mean_ns;

	if (length_ns < VSYNC_PERIOD_MIN_NS || length_ns > VSYNC_PERIOD_MAX_NS) {
		row->n = 0;
		return false;
	}
	if (row->n == 0 || !is_near(row->sum_ns / row->n, length_ns, 8))
		*row = (struct vsync_row){ .begin_ns = begin_ns };
	if (row->n == ROW_MAX) {
		row->n /= 2;
		row->sum_ns /= 2;
	}
	row->n++;
	row->sum_ns += length_ns;
	if (row->n < ROW_MIN)
		return false;
	mean_ns = row->sum_ns / row->n;
	if (!is_near(mean_ns, word->seen_ns, 32))
		word->seen_from_ns = row->begin_ns;
	word->seen_ns = mean_ns;
	return true;
}

uint64_t vsync_word_period_ns(const struct vsync_word *word)
{
	/* SurfaceFlinger's word is more precise than a mean of a few. */
	if (word->seen_ns && !is_near(word->seen_ns, word->hinted_ns, 32))
		return word->seen_ns;
	return word->hinted_ns;
}
