/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/drain.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "daemon/trace/trace.h"

/* Frames are counted later than this: a hole shorter than this is found before. */
#define HELD_UP_NS (300 * UINT64_C(1000000))

/* Reads in a row, so that signals and files are served in between. */
#define READS_MAX 256

/* A trace without events for so long is silent. Frames wait half of it. */
#define SILENT_NS (1200 * UINT64_C(1000000))

/* A drain at high water should read as much: half of the smallest buffer. After so many in a row
 * that read less, high water is no longer watched. */
#define URGENT_BYTES 2048
#define FALSE_ALARMS_MAX 16

/* The priority from a drain at high water to the next tick: above ordinary threads, and below the
 * threads that draw on Android (-8, -10). */
#define BOOST_NICE (-4)

/* How long the last events are read, where other programs go on writing. */
#define LAST_DRAIN_NS (1000 * UINT64_C(1000000))

/* After some time without a read, since @read_ns, a buffer may have overflowed. The trace reports
 * that only with the next event of that CPU, after all that other CPUs wrote in the meantime. */
static void doubt_if_held_up(struct drain *drain, uint64_t read_ns)
{
	uint64_t lost;

	if (loop_now() < read_ns + HELD_UP_NS)
		return;
	lost = cpu_buffer_stats_lost(&drain->buffers);
	cpu_buffer_stats_look(&drain->buffers, drain->files);
	if (cpu_buffer_stats_lost(&drain->buffers) > lost)
		pipeline_set_loss_pending(drain->session->pipeline, true);
}

/* Reads what there is. Returns -EAGAIN when the source is drained, > 0 when there may be more. *any
 * is set where there was something. Each of the reads may have been delayed. */
static ssize_t read_all(struct drain *drain, bool *any)
{
	uint64_t read_ns = drain->drained_ns;
	ssize_t n = 1;

	for (int i = 0; i < READS_MAX && n > 0; i++) {
		doubt_if_held_up(drain, read_ns);
		read_ns = loop_now();
		n = session_read(drain->session, drain->how);
		*any |= n > 0;
	}
	if (n == -EAGAIN)
		drain->drained_ns = read_ns;
	return n;
}

/* An idle source has an event: until then the process sleeps. The read waits a little, to read many
 * events at once. */
static void on_readable(struct watcher *watcher, uint32_t events)
{
	struct drain *drain = watcher->context;

	(void)events;
	drain->was_readable = true;
	drain->next_ns = loop_now() + DRAIN_NS;
}

/* Watches a drained source. Returns false where it cannot be watched, or was last readable without
 * an event to read. */
static bool watch_readable(struct drain *drain)
{
	bool was_readable = drain->was_readable;

	drain->was_readable = false;
	return !was_readable && drain->readable.fd >= 0 &&
	       !interference_needs_recheck(drain->interference) &&
	       loop_watch(drain->loop, &drain->readable, EPOLLIN | EPOLLONESHOT) == 0;
}

/* Frames wait for later events. In a silent trace there are none. */
static void settle_if_silent(struct drain *drain)
{
	uint64_t silent_ns = loop_now() - drain->any_ns;

	if (silent_ns >= SILENT_NS && !drain->session->discarding)
		pipeline_silent(drain->session->pipeline, silent_ns);
}

/* A program that fills a buffer faster than it is drained keeps all CPUs busy, so the read must not
 * wait for them. At other times no thread is to wait for jankd, and child processes do not inherit
 * the priority. Where it may not be changed nothing happens. */
void drain_boost(struct drain *drain, bool boosted)
{
	if (drain->is_boosted == boosted || drain->nice <= BOOST_NICE)
		return;
	drain->is_boosted = boosted;
	setpriority(PRIO_PROCESS, 0, boosted ? BOOST_NICE : drain->nice);
}

/* A buffer is half full: the next drain may come too late. */
static void on_highwater(struct watcher *watcher, uint32_t events)
{
	struct drain *drain = watcher->context;

	(void)events;
	drain->next_ns = 0;
	drain->was_highwater = true;
}

/* Before Linux 6.1 every event is reported as high water: after some reports for almost nothing it
 * is no longer watched. */
static void check_highwater(struct drain *drain, uint64_t bytes)
{
	if (!drain->was_highwater)
		return;
	drain->was_highwater = false;
	drain->false_alarms = bytes > URGENT_BYTES ? 0 : drain->false_alarms + 1;
	if (bytes > URGENT_BYTES)
		drain_boost(drain, true);
	if (drain->false_alarms < FALSE_ALARMS_MAX)
		return;
	loop_forget(drain->loop, &drain->highwater);
	drain->highwater = WATCHER_NONE;
}

/* Returns false where the trace must not be read now. What was read before, and held back, is good.
 */
static bool may_drain(struct drain *drain)
{
	if (interference_may_read(drain->interference))
		return true;
	session_read(drain->session, SOURCE_HELD_ONLY);
	return false;
}

/* The time of the next tick, which wakes the process anyway. */
static uint64_t with_tick(const struct drain *drain)
{
	uint64_t now = loop_now();

	return now < drain->tick_ns ? drain->tick_ns + DRAIN_NS / 2 : now + DRAIN_TICK_NS;
}

/* There is more to read, after signals and files were served. */
static void go_on(struct drain *drain)
{
	drain->next_ns = 0;
	drain->was_highwater = drain->how == SOURCE_BOOSTED;
}

int drain_if_due(struct drain *drain)
{
	uint64_t bytes = drain->source->counts.bytes;
	bool any = false;
	ssize_t n;

	if (loop_now() < drain->next_ns)
		return -EAGAIN;
	drain->next_ns = loop_now() + DRAIN_NS;
	if (!may_drain(drain))
		return -EAGAIN;
	drain->how = drain->was_highwater ? SOURCE_BOOSTED : SOURCE_NORMAL;
	n = read_all(drain, &any);
	if (n == -EAGAIN)
		interference_drained(drain->interference);
	if (n == -EAGAIN && !any)
		settle_if_silent(drain);
	check_highwater(drain, drain->source->counts.bytes - bytes);
	if (any) {
		drain->was_readable = false;
		drain->any_ns = loop_now();
		/* A kill loses less than a second of rows. */
		output_flush_if_due(&drain->session->output);
	}
	if (n < 0 && n != -EAGAIN)
		return (int)n;
	if (n > 0)
		go_on(drain);
	else if (!any && watch_readable(drain))
		drain->next_ns = with_tick(drain);
	return 0;
}

void drain_for_mark(struct drain *drain)
{
	ssize_t n = 1;

	if (!interference_may_read(drain->interference))
		return;
	drain->how = SOURCE_BOOSTED;
	for (int i = 0; i < READS_MAX && n > 0; i++) {
		n = session_read(drain->session, drain->how);
		if (n > 0)
			drain->any_ns = loop_now();
	}
}

/* A child process inherits the descriptors of the buffers and closes them: the kernel then reports
 * high water, once for each CPU. */
void drain_highwater_off(struct drain *drain)
{
	drain->highwater_is_off =
		drain->highwater.fd >= 0 && interference_runs_program(drain->interference);
	if (drain->highwater_is_off)
		loop_forget(drain->loop, &drain->highwater);
}

void drain_highwater_on(struct drain *drain)
{
	if (!drain->highwater_is_off || interference_program_is_running(drain->interference))
		return;
	drain->highwater_is_off = false;
	if (drain->highwater.fd >= 0)
		loop_watch(drain->loop, &drain->highwater, EPOLLIN);
}

void drain_watch(struct drain *drain)
{
	drain->readable = (struct watcher){
		.fd = drain->source->fd,
		.ready = on_readable,
		.context = drain,
	};
	drain->highwater = (struct watcher){
		.fd = drain->source->highwater_fd,
		.ready = on_highwater,
		.context = drain,
	};
	if (drain->highwater.fd >= 0)
		loop_watch(drain->loop, &drain->highwater, EPOLLIN);
}

void drain_before(struct drain *drain)
{
	uint64_t end_ns = loop_now() + LAST_DRAIN_NS;
	bool any = false;

	while (read_all(drain, &any) > 0 && loop_now() < end_ns)
		;
}

void drain_last(struct drain *drain, struct tracefs *tracefs)
{
	if (!may_drain(drain))
		return;
	tracefs_stop(tracefs);
	drain->how = SOURCE_LAST;
	drain_before(drain);
}

void drain_begin(struct drain *drain)
{
	drain->nice = getpriority(PRIO_PROCESS, 0);
	drain->tick_ns = drain->drained_ns = drain->any_ns = loop_now();
	cpu_buffer_stats_forget(&drain->buffers, drain->files);
}

void drain_end(struct drain *drain)
{
	loop_forget(drain->loop, &drain->readable);
	loop_forget(drain->loop, &drain->highwater);
	drain->readable = drain->highwater = WATCHER_NONE;
}
