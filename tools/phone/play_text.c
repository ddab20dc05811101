/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/play.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tools/phone/error.h"

static void wait_until(FILE *out, uint64_t due_ns, const volatile sig_atomic_t *stop)
{
	struct timespec due = { (time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) };

	if (due_ns <= clock_ns(CLOCK_MONOTONIC))
		return;
	fflush(out);
	while (!*stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}

int play_text(const struct plan *plan, const struct play_options *options, struct truth_csv *truth,
	      FILE *out)
{
	const volatile sig_atomic_t *stop = options->stop;
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	struct played *played = calloc(plan->truth_count + 1, sizeof(*played));
	char payload[PAYLOAD_MAX];

	if (!played)
		fail_memory("the truth");
	for (uint64_t loop = 0; loop < options->loops && !*stop && !ferror(out); loop++) {
		uint32_t count =
			loop + 1 == options->loops ? plan->marker_count : plan->marker_total;
		uint32_t frames = 0;

		for (uint32_t i = 0; i < count; i++) {
			const struct marker *marker = &plan->markers[i];
			const struct virtual_thread *thread = &plan->threads[marker->thread];
			uint64_t plan_ns = loop * plan->length_ns + marker->time_ns;
			uint64_t time_ns = plan->base_ns + plan_ns;
			int32_t pid = 0;

			if (options->speed > 0)
				wait_until(out,
					   start_ns + (uint64_t)((double)plan_ns / options->speed),
					   stop);
			if (*stop || ferror(out))
				break;
			if (marker->process != NO_PROCESS)
				pid = plan->processes[marker->process].pid;
			fprintf(out,
				"%16s-%-5d (%5d) [%03u] .... %5llu.%06llu: tracing_mark_write: ",
				thread->comm, thread->tid, plan->processes[thread->process].pid,
				marker->cpu, (unsigned long long)(time_ns / NS_PER_S),
				(unsigned long long)(time_ns / 1000 % 1000000));
			fwrite(payload, 1, plan_payload(plan, marker, pid, payload), out);
			putc('\n', out);
			while (frames < plan->truth_count && plan->truth[frames].marker == i)
				played[frames++] = (struct played){ time_ns, 0 };
		}
		truth_csv_write(truth, loop, played, frames);
	}
	free(played);
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
