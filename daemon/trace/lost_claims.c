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

/* Returns true if the trace has no such CPU. If no CPU has counts, this is unknown. */
static bool is_missing(const struct lost_claims *claims, int32_t cpu)
{
	bool has_counts = false;

	for (unsigned int i = 0; i < TRACE_CPUS_MAX; i++)
		has_counts |= claims->cpus[i].stats.known;
	return has_counts && (cpu < 0 || !trace_files_has_cpu(claims->files, (unsigned int)cpu));
}

/* Subtracts the claim from the losses that are not reported yet. Returns false if there are none.
 */
static bool confirm(struct lost_claim_cpu *cpu, struct trace_record *record)
{
	uint64_t left = cpu->stats.lost - cpu->reported;
	uint64_t claimed = record->value < 0 ? left : (uint64_t)record->value;
	bool more = claimed > left;

	if (left == 0 && !cpu->confirmed && !cpu->emptied)
		return false;
	cpu->reported += more ? left : claimed;
	if (cpu->emptied)
		return true;
	cpu->confirmed = true;
	record->value = (int64_t)(more ? left : claimed);
	return true;
}

bool lost_claims_accept(struct lost_claims *claims, struct trace_record *record, uint64_t read_ns)
{
	bool has_place = record->cpu >= 0 && record->cpu < TRACE_CPUS_MAX;
	struct lost_claim_cpu *cpu = has_place ? &claims->cpus[record->cpu] : NULL;

	if (cpu && cpu->read_ns != read_ns) {
		cpu->read_ns = read_ns;
		update_cpu(claims, (unsigned int)record->cpu);
	}
	if (cpu && cpu->stats.known && cpu->stats.error == 0 ? confirm(cpu, record)
							     : !is_missing(claims, record->cpu))
		return true;
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
