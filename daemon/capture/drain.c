/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/drain.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "daemon/trace/trace.h"

/* Frames wait longer than this to be counted: a shorter hole is known of before they are. */
#define HELD_UP_NS (300 * UINT64_C(1000000))

/* Reads in a row before signals and files get their turn. */
#define READS_MAX 256

/* A trace without a word for so long is silent: a frame waits half of it. */
#define SILENT_NS (1200 * UINT64_C(1000000))

/* So much is worth an urgent drain: half of the smallest ring. After so many that were not, there
 * are no more. */
#define URGENT_BYTES 2048
#define FALSE_ALARMS_MAX 16

/* From an urgent drain to the next tick: more than those that are in nobody's way, and less than
 * what Android gives to threads that draw (-8, -10). */
#define BOOST_NICE (-4)

/* How long the last events are fetched, where others go on writing. */
#define LAST_DRAIN_NS (1000 * UINT64_C(1000000))

/* After a while without a read, since @read_ns, the buffer of some CPU may have run over. The trace
 * tells of that only where the CPU goes on, behind all that the others have written meanwhile. */
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

/* Reads what there is. Returns -EAGAIN when the source is dry, > 0 when there may be more. *any is
 * set where there was something. Any of the reads may be the one that was held up. */
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

/* An idle source rings when there is something again: until then nobody wakes up for it. One that
 * waits a little after the first event reads many at once. */
static void on_readable(struct watcher *watcher, uint32_t events)
{
	struct drain *drain = watcher->context;

	(void)events;
	drain->was_readable = true;
	drain->next_ns = loop_now() + DRAIN_NS;
}

/* Sets the bell of a source that is dry. False: there is none, or it rang for nothing. */
static bool watch_readable(struct drain *drain)
{
	bool rang = drain->was_readable;

	drain->was_readable = false;
	return !rang && drain->readable.fd >= 0 && !interference_is_unsure(drain->interference) &&
	       loop_watch(drain->loop, &drain->readable, EPOLLIN | EPOLLONESHOT) == 0;
}

/* Frames wait for what is written behind them. Where nothing is, they have waited enough. */
static void settle_if_silent(struct drain *drain)
{
	uint64_t silent_ns = loop_now() - drain->any_ns;

	if (silent_ns >= SILENT_NS && !drain->session->discarding)
		pipeline_silent(drain->session->pipeline, silent_ns);
}

/* Who fills a ring faster than it is drained keeps all CPUs busy: what cannot wait for its turn
 * among those is not lost. For the rest of the time nobody is to wait for us, and programs that we
 * start do not inherit it. Where it is not allowed it goes as it did. */
void drain_boost(struct drain *drain, bool boosted)
{
	if (drain->is_boosted == boosted || drain->nice <= BOOST_NICE)
		return;
	drain->is_boosted = boosted;
	setpriority(PRIO_PROCESS, 0, boosted ? BOOST_NICE : drain->nice);
}

/* A ring is half full: the next drain may come too late. */
static void on_highwater(struct watcher *watcher, uint32_t events)
{
	struct drain *drain = watcher->context;

	(void)events;
	drain->next_ns = 0;
	drain->was_highwater = true;
}

/* Kernels before 6.1 call every event urgent: after some calls for next to nothing they are not
 * listened to any more. */
static void judge_urgency(struct drain *drain, uint64_t bytes)
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

/* False: what is there is not to be read. What was read before the trouble is good. */
static bool may_drain(struct drain *drain)
{
	if (interference_drains(drain->interference))
		return true;
	session_read(drain->session, SOURCE_HELD_ONLY);
	return false;
}

/* When the next tick wakes us anyway. */
static uint64_t with_tick(const struct drain *drain)
{
	uint64_t now = loop_now();

	return now < drain->tick_ns ? drain->tick_ns + DRAIN_NS / 2 : now + DRAIN_TICK_NS;
}

/* There is more: signals and files had their turn. */
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
	judge_urgency(drain, drain->source->counts.bytes - bytes);
	if (any) {
		drain->was_readable = false;
		drain->any_ns = loop_now();
		/* What a kill takes away is less than a second of rows. */
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

	if (!interference_drains(drain->interference))
		return;
	drain->how = SOURCE_BOOSTED;
	for (int i = 0; i < READS_MAX && n > 0; i++) {
		n = session_read(drain->session, drain->how);
		if (n > 0)
			drain->any_ns = loop_now();
	}
}

/* A program that is started inherits the descriptors of the rings and closes them: the kernel then
 * calls whoever waits for a ring, once for each CPU. */
void drain_highwater_off(struct drain *drain)
{
	drain->highwater_is_off =
		drain->highwater.fd >= 0 && interference_asks(drain->interference);
	if (drain->highwater_is_off)
		loop_forget(drain->loop, &drain->highwater);
}

void drain_highwater_on(struct drain *drain)
{
	if (!drain->highwater_is_off || interference_is_asking(drain->interference))
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
