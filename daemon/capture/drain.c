/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/drain.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "daemon/base/periods.h"

/* Limits of reads in a row, which are a part of a drain. After each part signals and files are
 * handled, and rows are written if they were not for some time: so a kill during a drain that takes
 * long, on a slow CPU or after a pause, does not lose all that it has read. */
#define READS_MAX 256
#define PART_NS (50 * UINT64_C(1000000))

/* The longest time between two drains if no high water is reported: the rate of events may grow
 * meanwhile. */
#define NO_HIGHWATER_NS (500 * UINT64_C(1000000))

/* Without events for this long the trace pauses, and may be silent soon. */
#define PAUSE_NS (100 * UINT64_C(1000000))

/* A drain at high water should read at least half of the smallest buffer. After this many drains in
 * a row that read less, high water is no longer watched. */
#define HIGHWATER_BYTES 2048
#define FALSE_ALARMS_MAX 16

/* The priority from a drain at high water to the next tick. It is above that of ordinary threads,
 * and below that of Android's threads that draw (-8, -10). */
#define BOOST_NICE (-4)

/* --- how long the next drain may wait --- */

/* The first period. The limit is doubled with each measurement. */
#define FIRST_NS (250 * NS_PER_MS)

/* Younger events are not read, as a writer may not have finished them. So there is no use in
 * draining more often. */
#define LEAST_NS (5 * NS_PER_MS)

/* Frames wait for 0.4 s, and for 0.6 s while the display's clock is new. */
#define USUAL_WAIT_NS (650 * NS_PER_MS)

/* A rate that grows counts at once. One that falls is halved at most, as it may grow again. */
void drain_measure(struct drain *drain, uint64_t now_ns)
{
	uint64_t passed_ms = (now_ns - drain->rates_ns) / NS_PER_MS;

	if (passed_ms < DRAIN_MEASURE_NS / NS_PER_MS)
		return;
	for (unsigned int cpu = 0; cpu < trace_cpus(); cpu++) {
		uint64_t bytes = source_cpu_bytes(drain->session->source, cpu);
		uint64_t rate = (bytes - drain->bytes[cpu]) * 1000 / passed_ms;
		uint64_t half = drain->rates[cpu] / 2;

		drain->rates[cpu] = rate > half ? rate : half;
		drain->bytes[cpu] = bytes;
	}
	drain->rates_ns = now_ns;
	if (drain->limit_ns < UINT64_MAX / 2)
		drain->limit_ns *= 2;
}

uint64_t drain_period_ns(const struct drain *drain, uint64_t delay_ns)
{
	const struct buffer_sizes *size = &drain->interference->size_now;
	uint64_t least_ns = loop_earlier(drain->most_ns, drain->limit_ns);
	uint64_t most_ns = periods.drain_most_ns - periods.drain_delayed_least_ns;

	if (drain->highwater.fd < 0)
		least_ns = loop_earlier(least_ns, NO_HIGHWATER_NS);
	for (unsigned int cpu = 0; cpu < size->cpus; cpu++) {
		uint64_t rate = drain->rates[cpu], quarter_ns;

		if (size->kb[cpu] == 0 || rate == 0)
			continue;
		quarter_ns = size->kb[cpu] * 1024 * 1000 / 4 / rate * NS_PER_MS;
		least_ns = loop_earlier(least_ns, quarter_ns);
	}
	least_ns = least_ns > LEAST_NS ? least_ns : LEAST_NS;
	return loop_earlier(least_ns, periods.drain_most_ns - loop_earlier(delay_ns, most_ns));
}

uint64_t drain_delay_ns(uint64_t took_ns, uint64_t waiting_ns)
{
	return took_ns + (waiting_ns > USUAL_WAIT_NS ? waiting_ns - USUAL_WAIT_NS : 0);
}

/* --- a drain --- */

/* Events come so fast that the time between two drains is not much longer than that for which they
 * are held back. */
#define FLOOD_NS (50 * UINT64_C(1000000))

static bool is_flooded(const struct drain *drain)
{
	return drain_period_ns(drain, 0) < FLOOD_NS;
}

/* An idle source has an event. The process slept until now. It waits before the read, so that one
 * read gets many events. If no high water is reported, it waits only until their rate can be
 * measured: the silence before says nothing about it. */
static void on_readable(struct watcher *watcher, uint32_t events)
{
	struct drain *drain = watcher->context;
	uint64_t wait_ns = drain_period_ns(drain, 0);

	(void)events;
	drain->was_readable = true;
	if (drain->highwater.fd < 0) {
		drain->rates_ns = loop_now();
		wait_ns = loop_earlier(wait_ns, DRAIN_MEASURE_NS);
	}
	drain->next_ns = loop_now() + wait_ns;
}

/* Programs that fill a buffer faster than it is drained keep all CPUs busy: the read must not wait
 * for a CPU. At other times jankd must not delay other threads. Child processes do not inherit
 * the priority. Without the right to change it nothing happens. */
void drain_boost(struct drain *drain, bool boosted)
{
	if (drain->is_boosted == boosted || drain->nice <= BOOST_NICE)
		return;
	drain->is_boosted = boosted;
	setpriority(PRIO_PROCESS, 0, boosted ? BOOST_NICE : drain->nice);
}

/* A buffer is half full: the next regular drain may be too late. */
static void on_highwater(struct watcher *watcher, uint32_t events)
{
	struct drain *drain = watcher->context;

	(void)events;
	drain->next_ns = 0;
	drain->was_highwater = true;
}

/* Returns false if the trace must not be read now. Events that were read and held back before are
 * valid. */
static bool may_drain(struct drain *drain, bool is_last)
{
	if (interference_may_read(drain->interference, is_last))
		return true;
	session_read(drain->session, SOURCE_HELD_ONLY);
	return interference_follow_clock(drain->interference);
}

int drain_if_due(struct drain *drain)
{
	struct session *session = drain->session;
	const struct source_counts *counts = &session->source->counts;
	uint64_t end_ns, bytes, delay_ns, next_ns = UINT64_MAX;
	bool was_highwater, was_readable;
	enum source_how how;
	ssize_t n = 1;

	if (loop_now() < drain_next(drain))
		return -EAGAIN;
	if (!drain->has_more) {
		drain->begin_ns = loop_now();
		drain->has_read = false;
	}
	drain->next_ns = loop_now() + drain_period_ns(drain, 0);
	if (!may_drain(drain, false))
		return -EAGAIN;

	/* A part of the available events. */
	bytes = counts->bytes;
	end_ns = loop_now() + PART_NS;
	how = drain->was_highwater || is_flooded(drain) ? SOURCE_BOOSTED : SOURCE_NORMAL;
	for (int i = 0; i < READS_MAX && n > 0 && loop_now() < end_ns; i++) {
		n = session_read(session, how);
		drain->has_read |= n > 0;
	}
	bytes = counts->bytes - bytes;
	if (n == -EAGAIN) {
		interference_drained(drain->interference);
		drain_measure(drain, loop_now());
	}
	if (bytes > 0) {
		drain->was_readable = false;
		drain->last_data_ns = loop_now();
	}

	was_highwater = drain->was_highwater;
	drain->was_highwater = false;
	if (was_highwater)
		drain->false_alarms = bytes > HIGHWATER_BYTES ? 0 : drain->false_alarms + 1;
	if ((was_highwater && bytes > HIGHWATER_BYTES) || is_flooded(drain))
		drain_boost(drain, true);
	/* Before Linux 6.1 the kernel reports high water for every event. After some reports with
	 * few bytes to read it is no longer watched. */
	if (was_highwater && drain->false_alarms >= FALSE_ALARMS_MAX) {
		loop_forget(drain->loop, &drain->highwater);
		drain->highwater = WATCHER_NONE;
	}

	/* Frames wait for later events, and a silent trace has none. The last event may be much
	 * older than the drain that read it. Fences come later than their time: they have their own
	 * end. */
	if (n == -EAGAIN && !session->options->pipeline.is_fences && !session->discarding) {
		uint64_t since_ns = loop_now() - drain->last_data_ns;
		uint64_t silent_ns = session_silent_ns(session);

		if (silent_ns < since_ns)
			silent_ns = since_ns;
		if (silent_ns >= periods.silent_ns)
			pipeline_silent(session->pipeline, silent_ns);
	}
	if (n < 0 && n != -EAGAIN)
		return (int)n;

	drain->has_more = n > 0;
	delay_ns = drain_delay_ns(loop_now() - drain->begin_ns,
				  pipeline_waiting_ns(session->pipeline));
	was_readable = drain->was_readable;
	if (!drain->has_more && !drain->has_read)
		drain->was_readable = false;
	if (drain->has_more) {
		/* The next drain is due as soon as signals and files were handled. */
		drain->next_ns = 0;
		drain->was_highwater = how == SOURCE_BOOSTED;
	} else if (!drain->has_read && !was_readable && drain->readable.fd >= 0 &&
		   loop_watch(drain->loop, &drain->readable, EPOLLIN | EPOLLONESHOT) == 0) {
		/* The source is idle, so its next event wakes jankd up; not if it was readable and
		 * had no event. Else the next tick is the next drain. */
		drain->next_ns = drain->may_sleep && session_is_idle(session)
					 ? UINT64_MAX
					 : loop_now() + periods.drain_most_ns;
	} else {
		uint64_t period_ns = drain_period_ns(drain, delay_ns);
		uint64_t silent_ns = session_silent_ns(session);

		/* If the trace pauses, frames that wait are counted and written when it is silent.
		 */
		if (silent_ns >= PAUSE_NS && silent_ns < periods.silent_ns &&
		    period_ns >= periods.silent_ns && !pipeline_is_settled(session->pipeline))
			period_ns = silent_ns < periods.silent_ns / 2
					    ? periods.silent_ns - silent_ns
					    : periods.silent_ns / 2;
		drain->next_ns = loop_now() + period_ns;
	}

	/* A kill loses the rows that are not flushed. Those of a part of a drain do not wait for
	 * the next part. */
	if (!drain->has_more) {
		uint64_t now_ns = loop_now();

		next_ns = drain->next_ns > now_ns ? drain->next_ns - now_ns + delay_ns : 0;
	}
	output_flush_if_due(&session->output, next_ns);
	return 0;
}

void drain_for_request(struct drain *drain)
{
	ssize_t n = 1;

	if (!may_drain(drain, false))
		return;
	for (int i = 0; i < READS_MAX && n > 0; i++) {
		n = session_read(drain->session, SOURCE_BOOSTED);
		if (n > 0)
			drain->last_data_ns = loop_now();
	}
}

void drain_watch_highwater(struct drain *drain, bool is_watched)
{
	if (drain->highwater.fd < 0 || is_watched == drain->highwater_is_watched)
		return;
	drain->highwater_is_watched = is_watched;
	if (is_watched)
		loop_watch(drain->loop, &drain->highwater, EPOLLIN);
	else
		loop_forget(drain->loop, &drain->highwater);
}

void drain_watch(struct drain *drain, struct source *source)
{
	drain->readable = (struct watcher){
		.fd = source->fd,
		.ready = on_readable,
		.context = drain,
	};
	drain->highwater = (struct watcher){
		.fd = source->highwater_fd,
		.ready = on_highwater,
		.context = drain,
	};
	drain->highwater_is_watched = false;
	drain_watch_highwater(drain, true);
}

void drain_last(struct drain *drain, struct live_trace *trace)
{
	if (!may_drain(drain, true))
		return;
	if (trace)
		live_trace_stop(trace);
	session_read_rest(drain->session, SOURCE_LAST);
}

void drain_begin(struct drain *drain, uint64_t most_ns)
{
	drain->nice = getpriority(PRIO_PROCESS, 0);
	drain->most_ns = most_ns;
	drain->last_data_ns = drain->rates_ns = loop_now();
	drain->limit_ns = FIRST_NS;
}

void drain_set_may_sleep(struct drain *drain, bool may_sleep)
{
	drain->may_sleep = may_sleep;
	if (!may_sleep && drain->next_ns == UINT64_MAX)
		drain->next_ns = loop_now() + periods.drain_most_ns;
}

void drain_within(struct drain *drain, uint64_t ns)
{
	drain->next_ns = loop_earlier(drain->next_ns, loop_now() + ns);
}

bool drain_tick_due(struct drain *drain)
{
	uint64_t now_ns = loop_now();

	if (now_ns - drain->tick_ns < periods.tick_ns &&
	    now_ns < interference_due_ns(drain->interference))
		return false;
	drain->tick_ns = now_ns;
	return true;
}

uint64_t drain_next(const struct drain *drain)
{
	uint64_t due_ns = interference_due_ns(drain->interference);

	return loop_earlier(drain->next_ns, due_ns);
}

void drain_end(struct drain *drain)
{
	loop_forget(drain->loop, &drain->readable);
	loop_forget(drain->loop, &drain->highwater);
	drain->readable = drain->highwater = WATCHER_NONE;
}
