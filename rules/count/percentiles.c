/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/percentiles.h"

#include <stdlib.h>
#include <string.h>

#include "rules/base/row.h"

_Static_assert(sizeof(struct chunk) <= 128, "two cache lines");

/* ceil(permille * n / 1000). Ranks begin with 1. */
static uint64_t rank_of(uint64_t n, unsigned int permille)
{
	return (n * permille + 999) / 1000;
}

void chunks_init(struct chunk_store *store, unsigned int n, struct memory *memory)
{
	*store = (struct chunk_store){
		.chunks = memory_keep(memory, calloc(n + 1, sizeof(struct chunk))), .max = n
	};
}

/* An empty chunk that is linked in at *@link, before the one that is there; NULL: none is free. */
static struct chunk *add_chunk(struct chunk_store *store, uint16_t *link)
{
	uint16_t at = store->first_free;

	if (at != CHUNK_NONE)
		store->first_free = store->chunks[at].next;
	else if (store->used < store->max)
		at = (uint16_t)++store->used;
	else
		return NULL;
	store->chunks[at].next = *link;
	store->chunks[at].n = 0;
	*link = at;
	return &store->chunks[at];
}

/* The bin of that value, which is added if it is new. @width_ns: of a bin. NULL: no chunk is free.
 */
static struct histogram_bin *find_or_add_bin(struct chunk_store *store, struct histogram *h,
					     uint32_t value_ns, uint32_t width_ns)
{
	uint32_t low_ns = value_ns - value_ns % width_ns;
	struct chunk *chunk =
		h->first == CHUNK_NONE ? add_chunk(store, &h->first) : &store->chunks[h->first];
	unsigned int i = 0;

	if (!chunk)
		return NULL;
	while (chunk->next != CHUNK_NONE && chunk->bins[chunk->n - 1].longest_ns < low_ns)
		chunk = &store->chunks[chunk->next];
	while (i < chunk->n && chunk->bins[i].longest_ns < low_ns)
		i++;
	if (i < chunk->n && chunk->bins[i].longest_ns - low_ns < width_ns)
		return &chunk->bins[i];
	if (chunk->n == CHUNK_BINS) {
		struct chunk *upper = add_chunk(store, &chunk->next);

		if (!upper)
			return NULL;
		upper->n = CHUNK_BINS / 2;
		chunk->n -= upper->n;
		memcpy(upper->bins, &chunk->bins[chunk->n], upper->n * sizeof(upper->bins[0]));
		if (i > chunk->n) {
			i -= chunk->n;
			chunk = upper;
		}
	}
	memmove(&chunk->bins[i + 1], &chunk->bins[i], (chunk->n - i) * sizeof(chunk->bins[0]));
	chunk->n++;
	h->n_bins++;
	chunk->bins[i] = (struct histogram_bin){ .longest_ns = value_ns };
	return &chunk->bins[i];
}

/* Adds @count values, of which @value_ns is the longest, to its bin. */
static void add_values(struct chunk_store *store, struct histogram *h, uint32_t value_ns,
		       uint32_t width_ns, uint32_t count)
{
	struct histogram_bin *bin;

	if (h->gave_up)
		return;
	bin = find_or_add_bin(store, h, value_ns, width_ns);
	if (!bin) {
		histogram_clear(store, h);
		h->gave_up = true;
		store->refused++;
		return;
	}
	bin->count += count;
	if (value_ns > bin->longest_ns)
		bin->longest_ns = value_ns;
	h->n += count;
}

void histogram_add(struct chunk_store *store, struct histogram *h, int64_t value_ns)
{
	int64_t longest_ns = HISTOGRAM_BINS * HISTOGRAM_BIN_NS - 1;

	if (value_ns >= 0)
		add_values(store, h, (uint32_t)(value_ns < longest_ns ? value_ns : longest_ns),
			   HISTOGRAM_BIN_NS, 1);
}

/* Where a walk through the bins of a histogram is, in the order of their numbers. */
struct bins {
	uint16_t chunk;
	unsigned int i;
};

/* The next bin; NULL: there are no more. */
static const struct histogram_bin *next_bin(const struct chunk_store *store, struct bins *bins)
{
	while (bins->chunk != CHUNK_NONE && bins->i == store->chunks[bins->chunk].n)
		*bins = (struct bins){ store->chunks[bins->chunk].next, 0 };
	return bins->chunk != CHUNK_NONE ? &store->chunks[bins->chunk].bins[bins->i++] : NULL;
}

void histogram_add_exact(struct chunk_store *store, struct histogram *h, uint32_t value)
{
	if (h->n_bins == HISTOGRAM_EXACT_MAX && !h->is_coarse) {
		struct histogram coarse = { .is_coarse = true };
		struct bins bins = { h->first, 0 };
		const struct histogram_bin *bin;

		while ((bin = next_bin(store, &bins)))
			add_values(store, &coarse, bin->longest_ns, HISTOGRAM_BIN_NS, bin->count);
		histogram_clear(store, h);
		*h = coarse;
	}
	add_values(store, h, value, h->is_coarse ? HISTOGRAM_BIN_NS : 1, 1);
}

int64_t histogram_mode(const struct chunk_store *store, const struct histogram *h, int64_t *others)
{
	struct bins bins = { h->first, 0 };
	const struct histogram_bin *bin;
	uint32_t most = 0, number = 0;

	while ((bin = next_bin(store, &bins))) {
		if (bin->count <= most)
			continue;
		most = bin->count;
		number = bin->longest_ns;
	}
	*others = most > 0 ? (int64_t)(h->n - most) : ROW_UNKNOWN;
	return most > 0 ? (int64_t)number : ROW_UNKNOWN;
}

int64_t histogram_percentile(const struct chunk_store *store, const struct histogram *h,
			     unsigned int permille)
{
	struct bins bins = { h->first, 0 };
	const struct histogram_bin *bin;
	uint64_t rank = rank_of(h->n, permille);
	uint64_t seen = 0;

	while ((bin = next_bin(store, &bins))) {
		seen += bin->count;
		if (seen >= rank)
			return bin->longest_ns;
	}
	return ROW_UNKNOWN;
}

double histogram_slowest_mean(const struct chunk_store *store, const struct histogram *h,
			      unsigned int permille)
{
	struct bins bins = { h->first, 0 };
	const struct histogram_bin *bin;
	uint64_t wanted = rank_of(h->n, permille);
	uint64_t seen = 0, sum_ns = 0;

	if (h->n == 0)
		return -1;
	while ((bin = next_bin(store, &bins))) {
		uint64_t taken = bin->count;

		seen += taken;
		if (seen + wanted <= h->n)
			continue;
		if (taken > seen + wanted - h->n)
			taken = seen + wanted - h->n;
		sum_ns += taken * bin->longest_ns;
	}
	return (double)sum_ns / (double)wanted;
}

int64_t histogram_slowest_time(const struct chunk_store *store, const struct histogram *h,
			       unsigned int permille, uint64_t time_ns)
{
	struct bins all = { h->first, 0 }, bins = all;
	const struct histogram_bin *bin;
	uint64_t slower_ns = 0;

	while ((bin = next_bin(store, &all)))
		slower_ns += (uint64_t)bin->count * bin->longest_ns;
	while ((bin = next_bin(store, &bins))) {
		/* Without this bin the sum of the slower ones is too small. */
		slower_ns -= (uint64_t)bin->count * bin->longest_ns;
		if (slower_ns * 1000 < permille * time_ns)
			return bin->longest_ns;
	}
	return ROW_UNKNOWN;
}

void histogram_clear(struct chunk_store *store, struct histogram *h)
{
	uint16_t next;

	for (uint16_t i = h->first; i != CHUNK_NONE; i = next) {
		next = store->chunks[i].next;
		store->chunks[i].next = store->first_free;
		store->first_free = i;
	}
	*h = (struct histogram){ 0 };
}
