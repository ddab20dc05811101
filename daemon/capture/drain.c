/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/drain.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "daemon/trace/trace.h"

/* A longer time between two reads is a delay. Frames are counted later than this, so a loss in a
 * shorter time is reported before them. */
#define DELAY_NS (300 * UINT64_C(1000000))

/* Limit of reads in a row. After that signals and files are handled. */
#define READS_MAX 256

/* Without events for this long the trace is silent. Frames wait half of this time. */
#define SILENT_NS (1200 * UINT64_C(1000000))

/* A drain at high water should read at least half of the smallest buffer. After this many drains in
 * a row that read less, high water is no longer watched. */
#define HIGHWATER_BYTES 2048
#define FALSE_ALARMS_MAX 16

/* The priority from a drain at high water to the next tick. It is above that of ordinary threads,
 * and below that of Android's threads that draw (-8, -10). */
#define BOOST_NICE (-4)

/* The longest time for reading the last events, as other programs may continue to write. */
#define LAST_DRAIN_NS (1000 * UINT64_C(1000000))

/* No read since @read_ns: a buffer may have overflowed. The trace reports that only with the next
 * event of that CPU, after the later events of other CPUs. So the statistics of the buffers are
 * read. */
static void check_delay(struct drain *drain, uint64_t read_ns)
{
	uint64_t lost;

	if (loop_now() < read_ns + DELAY_NS)
		return;
	lost = cpu_buffer_stats_lost(&drain->buffers);
	cpu_buffer_stats_read(&drain->buffers, drain->files);
	if (cpu_buffer_stats_lost(&drain->buffers) > lost)
		pipeline_set_loss_pending(drain->session->pipeline, true);
}

/* Reads all available events. Returns -EAGAIN when the source is drained, > 0 if there may be more.
 * *any is set if an event was read. */
static ssize_t read_all(struct drain *drain, bool *any)
{
	uint64_t read_ns = drain->drained_ns;
	ssize_t n = 1;

	for (int i = 0; i < READS_MAX && n > 0; i++) {
		check_delay(drain, read_ns);
		read_ns = loop_now();
		n = session_read(drain->session, drain->how);
		*any |= n > 0;
	}
	if (n == -EAGAIN)
		drain->drained_ns = read_ns;
	return n;
}

/* An idle source has an event. The process slept until now. It waits a little before the read, so
 * that one read gets many events. */
static void on_readable(struct watcher *watcher, uint32_t events)
{
	struct drain *drain = watcher->context;

	(void)events;
	drain->was_readable = true;
	drain->next_ns = loop_now() + DRAIN_NS;
}

/* Watches a drained source. Returns false if it cannot be watched, or if it was readable and had no
 * event. */
static bool watch_readable(struct drain *drain)
{
	bool was_readable = drain->was_readable;

	drain->was_readable = false;
	return !was_readable && drain->readable.fd >= 0 &&
	       !interference_needs_recheck(drain->interference) &&
	       loop_watch(drain->loop, &drain->readable, EPOLLIN | EPOLLONESHOT) == 0;
}

/* Frames wait for later events, and a silent trace has none. */
static void settle_if_silent(struct drain *drain)
{
	uint64_t silent_ns = loop_now() - drain->last_data_ns;

	if (silent_ns >= SILENT_NS && !drain->session->discarding)
		pipeline_silent(drain->session->pipeline, silent_ns);
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

/* Before Linux 6.1 the kernel reports high water for every event. After some reports with few bytes
 * to read it is no longer watched. */
static void check_highwater(struct drain *drain, uint64_t bytes)
{
	if (!drain->was_highwater)
		return;
	drain->was_highwater = false;
	drain->false_alarms = bytes > HIGHWATER_BYTES ? 0 : drain->false_alarms + 1;
	if (bytes > HIGHWATER_BYTES)
		drain_boost(drain, true);
	if (drain->false_alarms < FALSE_ALARMS_MAX)
		return;
	loop_forget(drain->loop, &drain->highwater);
	drain->highwater = WATCHER_NONE;
}

/* Returns false if the trace must not be read now. Events that were read and held back before are
 * valid. */
static bool may_drain(struct drain *drain)
{
	if (interference_may_read(drain->interference))
		return true;
	session_read(drain->session, SOURCE_HELD_ONLY);
	return false;
}

/* The time of the next tick, which wakes the process even if the source is idle. */
static uint64_t with_tick(const struct drain *drain)
{
	uint64_t now = loop_now();

	return now < drain->wake_ns ? drain->wake_ns + DRAIN_NS / 2 : now + DRAIN_TICK_NS;
}

/* There is more to read: the next drain is due as soon as signals and files were handled. */
static void drain_again(struct drain *drain)
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
		drain->last_data_ns = loop_now();
		/* A kill loses less than a second of rows. */
		output_flush_if_due(&drain->session->output);
	}
	if (n < 0 && n != -EAGAIN)
		return (int)n;
	if (n > 0)
		drain_again(drain);
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
			drain->last_data_ns = loop_now();
	}
}

/* A child process inherits the descriptors of the buffers and closes them. For each close the
 * kernel reports high water. */
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

void drain_init(struct drain *drain, struct session *session, struct interference *interference,
		struct loop *loop, const struct trace_files *files)
{
	*drain = (struct drain){
		.session = session,
		.interference = interference,
		.loop = loop,
		.files = files,
		.readable = WATCHER_NONE,
		.highwater = WATCHER_NONE,
	};
}

void drain_watch(struct drain *drain, struct source *source)
{
	drain->source = source;
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
	if (drain->highwater.fd >= 0)
		loop_watch(drain->loop, &drain->highwater, EPOLLIN);
}

void drain_backlog(struct drain *drain)
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
	drain_backlog(drain);
}

void drain_begin(struct drain *drain)
{
	drain->nice = getpriority(PRIO_PROCESS, 0);
	drain->wake_ns = drain->drained_ns = drain->last_data_ns = loop_now();
	cpu_buffer_stats_forget(&drain->buffers, drain->files);
}

void drain_now(struct drain *drain)
{
	drain->next_ns = 0;
}

bool drain_tick_due(struct drain *drain)
{
	uint64_t now = loop_now();

	if (now < drain->wake_ns)
		return false;
	/* Half a drain early, so that the tick runs at the fourth drain, not at the fifth. */
	drain->wake_ns = now + DRAIN_TICK_NS - DRAIN_NS / 2;
	return true;
}

/* The tick waits for the next drain, so that both need one wakeup. */
uint64_t drain_next(const struct drain *drain)
{
	uint64_t tick_ns = drain->wake_ns + DRAIN_NS;

	return drain->next_ns < tick_ns ? drain->next_ns : tick_ns;
}

void drain_end(struct drain *drain)
{
	loop_forget(drain->loop, &drain->readable);
	loop_forget(drain->loop, &drain->highwater);
	drain->readable = drain->highwater = WATCHER_NONE;
}
