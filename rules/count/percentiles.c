/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/count/percentiles.h"

#include <stddef.h>
#include <string.h>

#include "rules/base/row.h"

/* ceil(permille * n / 1000). Ranks begin with 1. */
static uint64_t rank_of(uint64_t n, unsigned int permille)
{
	return (n * permille + 999) / 1000;
}

/* --- histogram --- */

static uint32_t slowest_ns(const struct histogram_bin *bin)
{
	return bin->number * HISTOGRAM_BIN_NS + bin->above_ns;
}

/* The chunk that a bin of that number is in or belongs to; NULL: the histogram is empty. */
static struct chunk *find_chunk(const struct chunk_store *store, const struct histogram *h,
				uint32_t number)
{
	struct chunk *chunk = h->first == CHUNK_NONE ? NULL : &store->chunks[h->first];

	while (chunk && chunk->next != CHUNK_NONE && chunk->bins[chunk->n - 1].number < number)
		chunk = &store->chunks[chunk->next];
	return chunk;
}

static unsigned int find_bin(const struct chunk *chunk, uint32_t number)
{
	unsigned int i = 0;

	while (i < chunk->n && chunk->bins[i].number < number)
		i++;
	return i;
}

/* Moves the upper half of a full chunk to a new one after it, which is returned. */
static struct chunk *split(struct chunk_store *store, struct chunk *chunk)
{
	uint16_t after = chunk_alloc(store);
	struct chunk *upper = &store->chunks[after];

	if (after == CHUNK_NONE)
		return NULL;
	upper->next = chunk->next;
	upper->n = CHUNK_BINS / 2;
	chunk->next = after;
	chunk->n -= upper->n;
	memcpy(upper->bins, &chunk->bins[chunk->n], upper->n * sizeof(upper->bins[0]));
	return upper;
}

/* Inserts an empty bin of that number at index @i of @chunk. */
static struct histogram_bin *insert(struct chunk_store *store, struct chunk *chunk, unsigned int i,
				    uint32_t number)
{
	if (chunk->n == CHUNK_BINS) {
		struct chunk *upper = split(store, chunk);

		if (!upper)
			return NULL;
		if (i > chunk->n) {
			i -= chunk->n;
			chunk = upper;
		}
	}
	memmove(&chunk->bins[i + 1], &chunk->bins[i], (chunk->n - i) * sizeof(chunk->bins[0]));
	chunk->n++;
	chunk->bins[i] = (struct histogram_bin){ .number = number };
	return &chunk->bins[i];
}

static struct histogram_bin *find_or_add_bin(struct chunk_store *store, struct histogram *h,
					     uint32_t number)
{
	struct chunk *chunk = find_chunk(store, h, number);
	unsigned int i;

	if (!chunk) {
		h->first = chunk_alloc(store);
		if (h->first == CHUNK_NONE)
			return NULL;
		chunk = &store->chunks[h->first];
	}
	i = find_bin(chunk, number);
	if (i < chunk->n && chunk->bins[i].number == number)
		return &chunk->bins[i];
	return insert(store, chunk, i, number);
}

static void give_up(struct chunk_store *store, struct histogram *h)
{
	histogram_clear(store, h);
	h->gave_up = true;
	store->refused++;
}

/* Adds @count values to the bin of that @number. The longest is @above_ns above its lower end. */
static void add_values(struct chunk_store *store, struct histogram *h, uint32_t number,
		       uint32_t above_ns, uint32_t count)
{
	struct histogram_bin *bin;

	if (h->gave_up)
		return;
	bin = find_or_add_bin(store, h, number);
	if (!bin) {
		give_up(store, h);
		return;
	}
	bin->count += count;
	if (above_ns > bin->above_ns)
		bin->above_ns = above_ns;
	h->n += count;
}

void histogram_add(struct chunk_store *store, struct histogram *h, uint32_t value_ns)
{
	uint32_t longest_ns = HISTOGRAM_BINS * HISTOGRAM_BIN_NS - 1;

	if (value_ns > longest_ns)
		value_ns = longest_ns;
	add_values(store, h, value_ns / HISTOGRAM_BIN_NS, value_ns % HISTOGRAM_BIN_NS, 1);
}

void histogram_add_number(struct chunk_store *store, struct histogram *h, uint32_t number)
{
	add_values(store, h, number < HISTOGRAM_NUMBER_MAX ? number : HISTOGRAM_NUMBER_MAX, 0, 1);
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

int64_t histogram_mode(const struct chunk_store *store, const struct histogram *h, int64_t *others)
{
	struct bins bins = { h->first, 0 };
	const struct histogram_bin *bin;
	uint32_t most = 0, number = 0;

	while ((bin = next_bin(store, &bins))) {
		if (bin->count <= most)
			continue;
		most = bin->count;
		number = bin->number;
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
			return slowest_ns(bin);
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
		sum_ns += taken * slowest_ns(bin);
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
		slower_ns += (uint64_t)bin->count * slowest_ns(bin);
	while ((bin = next_bin(store, &bins))) {
		/* Without this bin the sum of the slower ones is too small. */
		slower_ns -= (uint64_t)bin->count * slowest_ns(bin);
		if (slower_ns * 1000 < permille * time_ns)
			return slowest_ns(bin);
	}
	return ROW_UNKNOWN;
}

void histogram_clear(struct chunk_store *store, struct histogram *h)
{
	chunks_release(store, &h->first);
	h->n = 0;
	h->gave_up = false;
}

/* --- percentiles --- */

static bool keep_value(struct chunk_store *store, struct percentiles *s, uint32_t value_ns)
{
	struct chunk *last = &store->chunks[s->last];

	if (s->first == CHUNK_NONE || last->n == CHUNK_VALUES) {
		uint16_t taken = chunk_alloc(store);

		if (taken == CHUNK_NONE)
			return false;
		if (s->first == CHUNK_NONE)
			s->first = taken;
		else
			last->next = taken;
		s->last = taken;
		last = &store->chunks[taken];
	}
	last->values_ns[last->n++] = value_ns;
	s->n++;
	return true;
}

/* Copies all values in the order of adding. */
static void copy_values(const struct chunk_store *store, const struct percentiles *s,
			uint32_t *values)
{
	for (uint16_t at = s->first; at != CHUNK_NONE; at = store->chunks[at].next) {
		const struct chunk *chunk = &store->chunks[at];

		memcpy(values, chunk->values_ns, chunk->n * sizeof(*values));
		values += chunk->n;
	}
}

/* There are too many values to keep each of them. */
static void move_to_histogram(struct chunk_store *store, struct percentiles *s)
{
	uint32_t values[PERCENTILES_MAX];
	uint32_t n = s->n;

	copy_values(store, s, values);
	chunks_release(store, &s->first);
	s->n = 0;
	for (uint32_t i = 0; i < n; i++)
		histogram_add(store, &s->beyond, values[i]);
}

void percentiles_add(struct chunk_store *store, struct percentiles *s, uint32_t value_ns)
{
	bool beyond = s->beyond.n > 0 || s->beyond.gave_up;

	if (!beyond && s->n < PERCENTILES_MAX && keep_value(store, s, value_ns))
		return;
	if (s->n == PERCENTILES_MAX) {
		move_to_histogram(store, s);
	} else if (!beyond) {
		chunks_release(store, &s->first);
		s->n = 0;
		give_up(store, &s->beyond);
	}
	histogram_add(store, &s->beyond, value_ns);
}

/* Not qsort(), which may allocate. */
static void sort(uint32_t *values, uint32_t n)
{
	static const uint32_t gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };

	for (unsigned int g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++) {
		uint32_t gap = gaps[g];

		for (uint32_t i = gap; i < n; i++) {
			uint32_t value = values[i];
			uint32_t at = i;

			for (; at >= gap && values[at - gap] > value; at -= gap)
				values[at] = values[at - gap];
			values[at] = value;
		}
	}
}

void percentiles_read(const struct chunk_store *store, const struct percentiles *s, unsigned int n,
		      const unsigned int *permilles, int64_t *values_ns)
{
	uint32_t values[PERCENTILES_MAX];

	copy_values(store, s, values);
	sort(values, s->n);
	for (unsigned int i = 0; i < n; i++) {
		if (s->n > 0)
			values_ns[i] = values[rank_of(s->n, permilles[i]) - 1];
		else
			values_ns[i] = histogram_percentile(store, &s->beyond, permilles[i]);
	}
}

void percentiles_clear(struct chunk_store *store, struct percentiles *s)
{
	chunks_release(store, &s->first);
	s->n = 0;
	histogram_clear(store, &s->beyond);
}
