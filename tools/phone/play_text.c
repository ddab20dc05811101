/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/play_text.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tools/phone/error.h"

#define NS_PER_S 1000000000

struct teller {
	const struct phone_plan *plan;
	FILE *out;
	double speed;
	uint64_t start_ns; /* of the monotonic clock: when time 0 of the first loop is due */
	const volatile sig_atomic_t *stop;
};

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void wait_for(const struct teller *teller, uint64_t plan_ns)
{
	uint64_t due_ns;
	struct timespec due;

	if (teller->speed <= 0)
		return;
	due_ns = teller->start_ns + (uint64_t)((double)plan_ns / teller->speed);
	if (due_ns <= monotonic_ns())
		return;
	fflush(teller->out);
	due = (struct timespec){ (time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) };
	while (!*teller->stop &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}

static void tell(const struct teller *teller, const struct phone_mark *mark, uint64_t time_ns)
{
	const struct phone_plan *plan = teller->plan;
	const struct phone_thread *thread = &plan->threads[mark->thread];
	char payload[PHONE_PAYLOAD_MAX];
	int32_t pid = mark->process == PHONE_NO_PROCESS ? 0 : plan->processes[mark->process].pid;
	size_t length = phone_plan_payload(plan, mark, pid, payload);

	fprintf(teller->out,
		"%16s-%-5d (%5d) [%03u] .... %5llu.%06llu: tracing_mark_write: ", thread->comm,
		thread->tid, plan->processes[thread->process].pid, mark->cpu,
		(unsigned long long)(time_ns / NS_PER_S),
		(unsigned long long)(time_ns / 1000 % 1000000));
	fwrite(payload, 1, length, teller->out);
	putc('\n', teller->out);
}

/* Plays one loop. Returns the number of truths played, and sets @played for them. */
static uint32_t tell_loop(const struct teller *teller, uint64_t loop, bool last,
			  struct phone_played *played)
{
	const struct phone_plan *plan = teller->plan;
	uint32_t truths = 0;

	for (uint32_t i = 0; i < phone_plan_end(plan, last); i++) {
		uint64_t plan_ns = loop * plan->length_ns + plan->marks[i].time_ns;

		wait_for(teller, plan_ns);
		if (*teller->stop || ferror(teller->out))
			break;
		tell(teller, &plan->marks[i], plan->base_ns + plan_ns);
		while (truths < plan->truth_count && plan->truths[truths].mark == i)
			played[truths++] = (struct phone_played){ plan->base_ns + plan_ns, 0 };
	}
	return truths;
}

int phone_text_play(const struct phone_plan *plan, FILE *out, double speed, uint64_t loops,
		    struct phone_truth_writer *truth, const volatile sig_atomic_t *stop)
{
	struct teller teller = { plan, out, speed, monotonic_ns(), stop };
	struct phone_played *played = calloc(plan->truth_count + 1, sizeof(*played));

	if (!played)
		phone_fail("the truth", "out of memory", "play less (--seconds)");
	for (uint64_t loop = 0; loop < loops && !*stop && !ferror(out); loop++) {
		uint32_t truths = tell_loop(&teller, loop, loop + 1 == loops, played);

		phone_truth_rows(truth, loop, played, truths);
	}
	free(played);
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
