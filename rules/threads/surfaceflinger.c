/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/threads/surfaceflinger.h"

#include <strings.h>

#include "rules/base/interval.h"

/* As SURFACEFLINGER_SILENT_NS, if the other process only presents, or if ticks continue: any
 * process can write them. */
#define SILENT_UNSURE_NS UINT64_C(5000000000)

enum trust trust_of(const struct trace_record *record)
{
	static const struct span name = SPAN_INIT("surfaceflinger");
	struct span comm = record->comm;

	if (record->writer == TRACE_WRITER_SURFACEFLINGER)
		return TRUST_KNOWN;
	if (comm.len >= name.len && strncasecmp(comm.ptr, name.ptr, name.len) == 0)
		return TRUST_NAMED;
	if (comm.len == 0 || span_equal(comm, SPAN_LITERAL("<...>")))
		return TRUST_UNKNOWN;
	return TRUST_OTHER;
}

bool surfaceflinger_wrote(const struct surfaceflinger *sf, const struct trace_record *record)
{
	if (record->tid == sf->tid)
		return true;
	if (sf->tgid != TRACE_ID_UNKNOWN && record->tgid != TRACE_ID_UNKNOWN)
		return record->tgid == sf->tgid;
	return record->tid == sf->tick_tid && record->pid == sf->pid;
}

/* True: the kernel stated the process of @sf, but does not state that of the writer of @now. */
static bool is_lost(const struct surfaceflinger *sf, const struct trace_record *now)
{
	return sf->trust == TRUST_KNOWN && now->writer == TRACE_WRITER_UNKNOWN;
}

bool surfaceflinger_may_follow(const struct surfaceflinger *sf, const struct trace_record *now,
			       enum trust trust)
{
	return trust >= TRUST_NAMED ||
	       (trust == TRUST_UNKNOWN && (sf->trust <= TRUST_NAMED || is_lost(sf, now)));
}

bool surfaceflinger_is_over(const struct surfaceflinger *sf, const struct trace_record *now,
			    enum trust trust, bool evident)
{
	uint64_t no_present_ns = since(sf->last_ns, now->time_ns);
	uint64_t no_tick_ns = since(sf->tick_ns, now->time_ns);

	if (!surfaceflinger_may_follow(sf, now, trust))
		return false;
	if (trust < TRUST_NAMED && !evident)
		return no_present_ns >= SILENT_UNSURE_NS &&
		       (sf->trust <= trust || is_lost(sf, now));
	return no_present_ns >= SILENT_UNSURE_NS || (no_present_ns >= SURFACEFLINGER_SILENT_NS &&
						     no_tick_ns >= SURFACEFLINGER_SILENT_NS);
}
