/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/play_text.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tools/phone/error.h"

#define NS_PER_S 1000000000

struct text_playback {
	const struct plan *plan;
	FILE *out;
	double speed;
	uint64_t start_ns; /* start of the first loop, of CLOCK_MONOTONIC */
	const volatile sig_atomic_t *stop;
};

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void wait_until(const struct text_playback *playback, uint64_t plan_ns)
{
	uint64_t due_ns;
	struct timespec due;

	if (playback->speed <= 0)
		return;
	due_ns = playback->start_ns + (uint64_t)((double)plan_ns / playback->speed);
	if (due_ns <= monotonic_ns())
		return;
	fflush(playback->out);
	due = (struct timespec){ (time_t)(due_ns / NS_PER_S), (long)(due_ns % NS_PER_S) };
	while (!*playback->stop &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}

static void print_marker(const struct text_playback *playback, const struct marker *marker,
			 uint64_t time_ns)
{
	const struct plan *plan = playback->plan;
	const struct virtual_thread *thread = &plan->threads[marker->thread];
	char payload[PAYLOAD_MAX];
	int32_t pid = marker->process == NO_PROCESS ? 0 : plan->processes[marker->process].pid;
	size_t length = plan_payload(plan, marker, pid, payload);

	fprintf(playback->out,
		"%16s-%-5d (%5d) [%03u] .... %5llu.%06llu: tracing_mark_write: ", thread->comm,
		thread->tid, plan->processes[thread->process].pid, marker->cpu,
		(unsigned long long)(time_ns / NS_PER_S),
		(unsigned long long)(time_ns / 1000 % 1000000));
	fwrite(payload, 1, length, playback->out);
	putc('\n', playback->out);
}

/* Plays one loop. Returns the number of frames of the truth that were played, and sets @played for
 * them. */
static uint32_t play_loop(const struct text_playback *playback, uint64_t loop, bool last,
			  struct played *played)
{
	const struct plan *plan = playback->plan;
	uint32_t marker_count = last ? plan->marker_count : plan->marker_total;
	uint32_t frames = 0;

	for (uint32_t i = 0; i < marker_count; i++) {
		uint64_t plan_ns = loop * plan->length_ns + plan->markers[i].time_ns;

		wait_until(playback, plan_ns);
		if (*playback->stop || ferror(playback->out))
			break;
		print_marker(playback, &plan->markers[i], plan->base_ns + plan_ns);
		while (frames < plan->truth_count && plan->truth[frames].marker == i)
			played[frames++] = (struct played){ plan->base_ns + plan_ns, 0 };
	}
	return frames;
}

int play_text(const struct plan *plan, FILE *out, double speed, uint64_t loops,
	      struct truth_csv *truth, const volatile sig_atomic_t *stop)
{
	struct text_playback playback = { plan, out, speed, monotonic_ns(), stop };
	struct played *played = calloc(plan->truth_count + 1, sizeof(*played));

	if (!played)
		fail_memory("the truth");
	for (uint64_t loop = 0; loop < loops && !*stop && !ferror(out); loop++) {
		uint32_t frames = play_loop(&playback, loop, loop + 1 == loops, played);

		truth_csv_write(truth, loop, played, frames);
	}
	free(played);
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
