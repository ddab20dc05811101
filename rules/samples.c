/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/samples.h"

#include <stdlib.h>
#include <string.h>

/* ceil(permille * n / 1000), at least the first: a rank that counts from 1. */
static uint64_t rank_of(uint64_t n, unsigned int permille)
{
	uint64_t rank = (n * permille + 999) / 1000;

	return rank > 0 ? rank : 1;
}

void histogram_add(struct histogram *h, uint32_t value_ns)
{
	uint32_t number = value_ns / HISTOGRAM_BIN_NS;
	struct histogram_bin *bin;

	if (number >= HISTOGRAM_BINS)
		number = HISTOGRAM_BINS - 1;
	bin = &h->bins[number];
	bin->count++;
	if (value_ns > bin->slowest_ns)
		bin->slowest_ns = value_ns;
	h->n++;
}

int64_t histogram_percentile(const struct histogram *h, unsigned int permille)
{
	uint64_t rank = rank_of(h->n, permille);
	uint64_t seen = 0;

	for (unsigned int i = 0; h->n > 0 && i < HISTOGRAM_BINS; i++) {
		seen += h->bins[i].count;
		if (seen >= rank)
			return h->bins[i].slowest_ns;
	}
	return -1;
}

double histogram_slowest_mean(const struct histogram *h, unsigned int permille)
{
	uint64_t wanted = rank_of(h->n, permille);
	uint64_t left = wanted;
	double sum = 0;

	if (h->n == 0)
		return -1;
	for (unsigned int i = HISTOGRAM_BINS; left > 0 && i-- > 0;) {
		uint64_t taken = h->bins[i].count < left ? h->bins[i].count : left;

		sum += (double)taken * h->bins[i].slowest_ns;
		left -= taken;
	}
	return sum / (double)wanted;
}

void histogram_clear(struct histogram *h)
{
	/* Bins that are zero are not written: a page of them may not exist yet. */
	for (unsigned int i = 0; h->n > 0 && i < HISTOGRAM_BINS; i++) {
		if (h->bins[i].count == 0)
			continue;
		h->n -= h->bins[i].count;
		memset(&h->bins[i], 0, sizeof(h->bins[i]));
	}
}

void samples_add(struct samples *s, uint32_t value_ns)
{
	if (s->beyond.n == 0 && s->n < SAMPLES_MAX) {
		s->values_ns[s->n++] = value_ns;
		return;
	}
	for (uint32_t i = 0; i < s->n; i++)
		histogram_add(&s->beyond, s->values_ns[i]);
	s->n = 0;
	histogram_add(&s->beyond, value_ns);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int64_t samples_percentile(struct samples *s, unsigned int permille)
{
	if (s->beyond.n > 0)
		return histogram_percentile(&s->beyond, permille);
	if (s->n == 0)
		return -1;
	qsort(s->values_ns, s->n, sizeof(s->values_ns[0]), compare);
	return s->values_ns[rank_of(s->n, permille) - 1];
}

void samples_clear(struct samples *s)
{
	s->n = 0;
	histogram_clear(&s->beyond);
}
