/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/perfetto_sequences.h"

#include <stdlib.h>

/* Returns the place of the writer, or of an unused entry for it; -1: the packet has no writer, or
 * there are too many. */
static int place_of(const struct perfetto_sequences *sequences, uint64_t id)
{
	uint64_t i = id * UINT64_C(0x9e3779b97f4a7c15) >> 54;

	_Static_assert(PERFETTO_SEQUENCES == 1 << 10, "the shift above");
	for (unsigned int n = 0; id != 0 && n < 16; n++, i++) {
		const struct perfetto_sequence *entry =
			&sequences->entries[i % PERFETTO_SEQUENCES];

		if (entry->id == id || entry->id == 0)
			return (int)(i % PERFETTO_SEQUENCES);
	}
	return -1;
}

/* --- the first pass --- */

/* A trace with too many changes is hostile: more of them are ignored. */
static void set_clock(struct perfetto_sequences *sequences, unsigned int place, uint64_t clock,
		      uint64_t number)
{
	struct perfetto_sequence *entry = &sequences->entries[place];

	if (entry->clock == clock || sequences->n_changes == PERFETTO_CHANGES)
		return;
	entry->clock = clock;
	sequences->changes[sequences->n_changes++] =
		(struct perfetto_change){ number, place, clock };
}

/* Each packet after a loss says so; that of a writer's first packet, too, though nothing was lost.
 * @is_moved: the packet may be the first, though it is not the first of the file. */
static bool is_loss(struct perfetto_sequence *entry, const struct perfetto_packet *packet,
		    bool is_moved)
{
	bool is_first = packet->is_first || !entry->is_begun || (is_moved && !entry->has_first);

	if (!packet->lost_before)
		return false;
	entry->has_first |= is_first;
	return !is_first;
}

static void follow(struct perfetto_sequences *sequences, const struct perfetto_packet *packet,
		   uint64_t number, bool is_moved)
{
	int place = place_of(sequences, packet->sequence);
	struct perfetto_sequence *entry;

	if (place < 0)
		return;
	entry = &sequences->entries[place];
	entry->id = packet->sequence;
	entry->has_ftrace |= packet->ftrace.ptr != NULL;
	if (is_loss(entry, packet, is_moved)) {
		sequences->lost++;
		sequences->n_losses += entry->has_ftrace;
		sequences->is_after_loss |= entry->has_ftrace;
	}
	entry->is_begun = true;
	if (packet->has_defaults)
		set_clock(sequences, (unsigned int)place, packet->default_clock, number);
	else if (packet->cleared)
		set_clock(sequences, (unsigned int)place, 0, number);
}

void perfetto_sequences_follow(struct perfetto_sequences *sequences,
			       const struct perfetto_packet *packet, uint64_t number)
{
	follow(sequences, packet, number, false);
}

/* More of them are only counted, as losses. */
static void add_gap(struct perfetto_sequences *sequences, uint64_t number, int32_t cpu, bool at_end)
{
	if (sequences->n_gaps < PERFETTO_GAPS)
		sequences->gaps[sequences->n_gaps++] =
			(struct perfetto_gap){ number, cpu, at_end };
}

void perfetto_sequences_follow_bundle(struct perfetto_sequences *sequences,
				      const struct perfetto_packet *packet, uint64_t number,
				      int32_t cpu, uint64_t first_ns)
{
	unsigned int place = (uint32_t)cpu % PERFETTO_CPUS;
	uint64_t *earliest_ns = &sequences->cpus[place].first_ns;

	follow(sequences, packet, number, first_ns < *earliest_ns);
	if (*earliest_ns == 0 || first_ns < *earliest_ns)
		*earliest_ns = first_ns;
	if (sequences->is_after_loss)
		sequences->after_loss = number;
	sequences->is_after_loss = false;
	if (sequences->cpus[place].n_losses != sequences->n_losses)
		add_gap(sequences, number, cpu, false);
	sequences->cpus[place].is_known = true;
	sequences->cpus[place].n_losses = sequences->n_losses;
}

static int compare_gaps(const void *left, const void *right)
{
	const struct perfetto_gap *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

/* Of a CPU without a bundle after the last loss, one was lost, or it had no events. Bundles of all
 * CPUs are written together, so its events end about where those of the next bundle do. */
void perfetto_sequences_end(struct perfetto_sequences *sequences)
{
	for (unsigned int i = 0; i < PERFETTO_CPUS; i++)
		if (sequences->cpus[i].is_known && sequences->after_loss > 0 &&
		    sequences->cpus[i].n_losses != sequences->n_losses)
			add_gap(sequences, sequences->after_loss, (int32_t)i, true);
	qsort(sequences->gaps, sequences->n_gaps, sizeof(sequences->gaps[0]), compare_gaps);
}

/* --- later --- */

uint64_t perfetto_sequences_clock(const struct perfetto_sequences *sequences,
				  const struct perfetto_packet *packet, uint64_t number)
{
	int place;

	if (packet->clock)
		return packet->clock;
	place = place_of(sequences, packet->sequence);
	for (unsigned int i = sequences->n_changes; i-- > 0 && place >= 0;) {
		const struct perfetto_change *change = &sequences->changes[i];

		if (change->sequence == (unsigned int)place && change->number <= number)
			return change->clock ? change->clock : PERFETTO_CLOCK_BOOTTIME;
	}
	return PERFETTO_CLOCK_BOOTTIME;
}

const struct perfetto_gap *perfetto_sequences_gaps(const struct perfetto_sequences *sequences,
						   uint64_t number, unsigned int *n)
{
	const struct perfetto_gap *gaps = sequences->gaps;
	unsigned int begin = 0, end = sequences->n_gaps;

	while (begin < end) {
		unsigned int middle = (begin + end) / 2;

		if (gaps[middle].number < number)
			begin = middle + 1;
		else
			end = middle;
	}
	for (*n = 0; begin + *n < sequences->n_gaps && gaps[begin + *n].number == number;)
		++*n;
	return &gaps[begin];
}
