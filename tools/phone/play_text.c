/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/play.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tools/phone/error.h"

#define NS_PER_S 1000000000

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void wait_until(FILE *out, uint64_t due_ns, const volatile sig_atomic_t *stop)
{
	struct timespec due = { (time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) };

	if (due_ns <= monotonic_ns())
		return;
	fflush(out);
	while (!*stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}

static void print_marker(const struct plan *plan, const struct marker *marker, FILE *out,
			 uint64_t time_ns)
{
	const struct virtual_thread *thread = &plan->threads[marker->thread];
	char payload[PAYLOAD_MAX];
	int32_t pid = marker->process == NO_PROCESS ? 0 : plan->processes[marker->process].pid;
	size_t length = plan_payload(plan, marker, pid, payload);

	fprintf(out, "%16s-%-5d (%5d) [%03u] .... %5llu.%06llu: tracing_mark_write: ", thread->comm,
		thread->tid, plan->processes[thread->process].pid, marker->cpu,
		(unsigned long long)(time_ns / NS_PER_S),
		(unsigned long long)(time_ns / 1000 % 1000000));
	fwrite(payload, 1, length, out);
	putc('\n', out);
}

int play_text(const struct plan *plan, FILE *out, double speed, uint64_t loops,
	      struct truth_csv *truth, const volatile sig_atomic_t *stop)
{
	uint64_t start_ns = monotonic_ns();
	struct played *played = calloc(plan->truth_count + 1, sizeof(*played));

	if (!played)
		fail_memory("the truth");
	for (uint64_t loop = 0; loop < loops && !*stop && !ferror(out); loop++) {
		uint32_t count = loop + 1 == loops ? plan->marker_count : plan->marker_total;
		uint32_t frames = 0;

		for (uint32_t i = 0; i < count; i++) {
			uint64_t plan_ns = loop * plan->length_ns + plan->markers[i].time_ns;

			if (speed > 0)
				wait_until(out, start_ns + (uint64_t)((double)plan_ns / speed),
					   stop);
			if (*stop || ferror(out))
				break;
			print_marker(plan, &plan->markers[i], out, plan->base_ns + plan_ns);
			while (frames < plan->truth_count && plan->truth[frames].marker == i)
				played[frames++] = (struct played){ plan->base_ns + plan_ns, 0 };
		}
		truth_csv_write(truth, loop, played, frames);
	}
	free(played);
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
