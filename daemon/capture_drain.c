/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture_drain.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "daemon/report.h"

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
#define HURRY_NICE (-4)

/* How long the last events are fetched, where others go on writing. */
#define LAST_DRAIN_NS (1000 * UINT64_C(1000000))

/* After a while without a read, since @read_ns, the buffer of some CPU may have run over. The trace
 * tells of that only where the CPU goes on, behind all that the others have written meanwhile. */
static void doubt_if_held_up(struct capture *capture, uint64_t read_ns)
{
	uint64_t lost;

	if (loop_now() < read_ns + HELD_UP_NS)
		return;
	lost = ring_stats_lost(&capture->rings);
	ring_stats_look(&capture->rings, &capture->files);
	if (ring_stats_lost(&capture->rings) > lost)
		pipeline_doubt(capture->session.pipeline, true);
}

/* Reads what there is. Returns -EAGAIN when the source is dry, > 0 when there may be more. *any is
 * set where there was something. Any of the reads may be the one that was held up. */
static ssize_t drain(struct capture *capture, bool *any)
{
	uint64_t read_ns = capture->dry_ns;
	ssize_t n = 1;

	for (int i = 0; i < READS_MAX && n > 0; i++) {
		doubt_if_held_up(capture, read_ns);
		read_ns = loop_now();
		n = session_take(&capture->session, capture->source);
		*any |= n > 0;
	}
	if (n == -EAGAIN)
		capture->dry_ns = read_ns;
	return n;
}

/* An idle source rings when there is something again: until then nobody wakes up for it. One that
 * waits a little after the first event reads many at once. */
static void on_bell(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;

	(void)events;
	capture->bell_rang = true;
	capture->next_drain_ns = loop_now() + CAPTURE_DRAIN_NS;
}

/* Sets the bell of a source that is dry. False: there is none, or it rang for nothing. */
static bool set_bell(struct capture *capture)
{
	bool rang = capture->bell_rang;

	capture->bell_rang = false;
	return !rang && capture->bell.fd >= 0 && !guard_is_unsure(&capture->guard) &&
	       loop_watch(&capture->loop, &capture->bell, EPOLLIN | EPOLLONESHOT) == 0;
}

/* Frames wait for what is written behind them. Where nothing is, they have waited enough. */
static void settle_if_silent(struct capture *capture)
{
	uint64_t silent_ns = loop_now() - capture->heard_ns;

	if (silent_ns >= SILENT_NS && !capture->session.waits)
		pipeline_silent(capture->session.pipeline, silent_ns);
}

/* Who fills a ring faster than it is drained keeps all CPUs busy: what cannot wait for its turn
 * among those is not lost. For the rest of the time nobody is to wait for us, and programs that we
 * start do not inherit it. Where it is not allowed it goes as it did. */
void capture_hurry(struct capture *capture, bool hurries)
{
	if (capture->hurries == hurries || capture->nice <= HURRY_NICE)
		return;
	capture->hurries = hurries;
	setpriority(PRIO_PROCESS, 0, hurries ? HURRY_NICE : capture->nice);
}

/* A ring is half full: the next drain may come too late. */
static void on_urgent(struct watcher *watcher, uint32_t events)
{
	struct capture *capture = watcher->context;

	(void)events;
	capture->next_drain_ns = 0;
	capture->was_urgent = true;
}

/* Kernels before 6.1 call every event urgent: after some calls for next to nothing they are not
 * listened to any more. */
static void judge_urgency(struct capture *capture, uint64_t bytes)
{
	if (!capture->was_urgent)
		return;
	capture->was_urgent = false;
	capture->false_alarms = bytes > URGENT_BYTES ? 0 : capture->false_alarms + 1;
	if (bytes > URGENT_BYTES)
		capture_hurry(capture, true);
	if (capture->false_alarms < FALSE_ALARMS_MAX)
		return;
	loop_forget(&capture->loop, &capture->urgent);
	capture->urgent = WATCHER_NONE;
}

/* False: what is there is not to be read. What was read before the trouble is good. */
static bool may_drain(struct capture *capture)
{
	struct source *source = capture->source;

	if (guard_drains(&capture->guard))
		return true;
	if (source->ops->take) {
		source->held_only = true;
		session_take(&capture->session, source);
		source->held_only = false;
	}
	return false;
}

/* When the next tick wakes us anyway. */
static uint64_t with_tick(const struct capture *capture)
{
	uint64_t now = loop_now();

	return now < capture->next_tick_ns ? capture->next_tick_ns + CAPTURE_DRAIN_NS / 2
					   : now + CAPTURE_TICK_NS;
}

/* There is more: signals and files had their turn. */
static void go_on(struct capture *capture)
{
	capture->next_drain_ns = 0;
	capture->was_urgent = capture->source->hurry;
}

void capture_drain_if_due(struct capture *capture)
{
	uint64_t bytes = capture->session.bytes;
	bool any = false;
	ssize_t n;

	if (loop_now() < capture->next_drain_ns)
		return;
	capture->next_drain_ns = loop_now() + CAPTURE_DRAIN_NS;
	if (!may_drain(capture))
		return;
	capture->source->hurry = capture->was_urgent;
	n = drain(capture, &any);
	if (n == -EAGAIN)
		guard_dry(&capture->guard);
	if (n == -EAGAIN && !any)
		settle_if_silent(capture);
	judge_urgency(capture, capture->session.bytes - bytes);
	android_probe_follow(&capture->probe);
	if (any) {
		capture->bell_rang = false;
		capture->heard_ns = loop_now();
		/* What a kill takes away is less than a second of rows. */
		output_flush_if_due(&capture->session.output);
	}
	if (n < 0 && n != -EAGAIN)
		capture_stop(capture, EXIT_FAILED);
	else if (n > 0)
		go_on(capture);
	else if (!any && set_bell(capture))
		capture->next_drain_ns = with_tick(capture);
}

/* A program that is started inherits the descriptors of the rings and closes them: the kernel then
 * calls whoever waits for a ring, once for each CPU. */
void capture_deafen(struct capture *capture)
{
	capture->urgent_is_deaf = capture->urgent.fd >= 0 && guard_asks(&capture->guard);
	if (capture->urgent_is_deaf)
		loop_forget(&capture->loop, &capture->urgent);
}

void capture_listen(struct capture *capture)
{
	if (!capture->urgent_is_deaf || guard_is_asking(&capture->guard))
		return;
	capture->urgent_is_deaf = false;
	if (capture->urgent.fd >= 0)
		loop_watch(&capture->loop, &capture->urgent, EPOLLIN);
}

void capture_watch_source(struct capture *capture)
{
	capture->bell = (struct watcher){
		.fd = capture->source->fd,
		.ready = on_bell,
		.context = capture,
	};
	capture->urgent = (struct watcher){
		.fd = capture->source->full_fd,
		.ready = on_urgent,
		.context = capture,
	};
	if (capture->urgent.fd >= 0)
		loop_watch(&capture->loop, &capture->urgent, EPOLLIN);
}

void capture_drain_before(struct capture *capture)
{
	uint64_t end_ns = loop_now() + LAST_DRAIN_NS;
	bool any = false;

	while (drain(capture, &any) > 0 && loop_now() < end_ns)
		;
}

void capture_drain_last(struct capture *capture)
{
	if (!may_drain(capture))
		return;
	tracefs_stop(capture->tracefs);
	capture->source->last = true;
	capture_drain_before(capture);
}
