/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/lost_claims.h"

#include <inttypes.h>
#include <stdio.h>

#include "daemon/base/loop.h"

#define MINUTE_NS UINT64_C(60000000000)

/* The first count of a CPU includes all events since its buffer was emptied. */
static void update_cpu(struct lost_claims *claims, unsigned int number)
{
	struct lost_claim_cpu *cpu = &claims->cpus[number];
	uint64_t lost = cpu->stats.lost;
	bool known = cpu->stats.known;

	cpu->emptied |= cpu_buffer_counts_read(&cpu->stats, claims->files, number);
	if (!known && cpu->stats.known)
		cpu->stats.lost = cpu->stats.overrun;
	claims->has_new |= known && cpu->stats.lost > lost;
}

void lost_claims_update(struct lost_claims *claims)
{
	for (unsigned int cpu = 0; cpu < trace_cpus(); cpu++)
		update_cpu(claims, cpu);
}

void lost_claims_begin(struct lost_claims *claims, const struct trace_files *files)
{
	*claims = (struct lost_claims){ .files = files };
	lost_claims_update(claims);
}

void lost_claims_drained(struct lost_claims *claims)
{
	for (unsigned int i = 0; i < TRACE_CPUS_MAX; i++) {
		struct lost_claim_cpu *cpu = &claims->cpus[i];

		cpu->reported = cpu->stats.lost;
		cpu->confirmed = cpu->emptied = false;
	}
	claims->has_new = false;
}

void lost_claims_emptied(struct lost_claims *claims)
{
	for (unsigned int i = 0; i < TRACE_CPUS_MAX; i++)
		claims->cpus[i] = (struct lost_claim_cpu){ .emptied = true };
	lost_claims_update(claims);
}

bool lost_claims_accept(struct lost_claims *claims, struct trace_record *record, uint64_t read_ns)
{
	bool has_place = record->cpu >= 0 && record->cpu < TRACE_CPUS_MAX;
	struct lost_claim_cpu *cpu = has_place ? &claims->cpus[record->cpu] : NULL;

	if (cpu && cpu->read_ns != read_ns) {
		cpu->read_ns = read_ns;
		update_cpu(claims, (unsigned int)record->cpu);
	}
	if (cpu && cpu->stats.known && cpu->stats.error == 0) {
		uint64_t left = cpu->stats.lost - cpu->reported, claimed = left;

		if (record->value >= 0 && (uint64_t)record->value < left)
			claimed = (uint64_t)record->value;
		/* Subtracts the claim from the losses that are not reported yet. */
		if (left > 0 || cpu->confirmed || cpu->emptied) {
			cpu->reported += claimed;
			cpu->confirmed |= !cpu->emptied;
			if (!cpu->emptied)
				record->value = (int64_t)claimed;
			return true;
		}
	} else {
		/* The trace may have no such CPU. If no CPU has counts, this is unknown. */
		bool has_counts = false;

		for (unsigned int i = 0; i < TRACE_CPUS_MAX; i++)
			has_counts |= claims->cpus[i].stats.known;
		if (!has_counts || (record->cpu >= 0 &&
				    trace_files_has_cpu(claims->files, (unsigned int)record->cpu)))
			return true;
	}
	claims->forged++;
	claims->last = record->value;
	claims->last_cpu = record->cpu;
	return false;
}

bool lost_claims_report(struct lost_claims *claims, bool is_end, char text[static 200])
{
	uint64_t n = claims->forged - claims->reported;
	char events[32] = "";

	if (n == 0 || (!rate_limit_allows(&claims->limit, 1, MINUTE_NS, loop_now()) && !is_end))
		return false;
	claims->reported = claims->forged;
	if (claims->last >= 0)
		snprintf(events, sizeof(events), "%" PRId64 " ", claims->last);
	if (n == 1)
		snprintf(text, 200,
			 "ignored a forged line claiming %slost events on CPU %" PRId32
			 ": the kernel's statistics show none",
			 events, claims->last_cpu);
	else
		snprintf(text, 200,
			 "ignored %" PRIu64
			 " forged lines claiming lost events, the last one %son CPU "
			 "%" PRId32 ": the kernel's statistics show none",
			 n, events, claims->last_cpu);
	return true;
}
