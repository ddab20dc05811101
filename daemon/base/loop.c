/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/wall_clock.h"

#define WAIT_MAX_MS 60000

uint64_t loop_now(void)
{
	return (uint64_t)clock_read(CLOCK_BOOTTIME);
}

int loop_open(struct loop *loop)
{
	loop->fd = epoll_create1(EPOLL_CLOEXEC);
	return loop->fd < 0 ? -errno : 0;
}

void loop_close(struct loop *loop)
{
	if (loop->fd >= 0)
		close(loop->fd);
	loop->fd = -1;
}

int loop_signals(const int *numbers, size_t count)
{
	sigset_t signals;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	for (size_t i = 0; i < count; i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int loop_watch(struct loop *loop, struct watcher *watcher, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watcher };

	if (epoll_ctl(loop->fd, EPOLL_CTL_MOD, watcher->fd, &event) == 0)
		return 0;
	if (errno != ENOENT)
		return -errno;
	return epoll_ctl(loop->fd, EPOLL_CTL_ADD, watcher->fd, &event) == 0 ? 0 : -errno;
}

void loop_forget(struct loop *loop, struct watcher *watcher)
{
	if (loop->fd >= 0 && watcher->fd >= 0)
		epoll_ctl(loop->fd, EPOLL_CTL_DEL, watcher->fd, NULL);
}

void loop_close_watcher(struct loop *loop, struct watcher *watcher)
{
	loop_forget(loop, watcher);
	if (watcher->fd >= 0)
		close(watcher->fd);
	watcher->fd = -1;
}

bool loop_wait(struct loop *loop, uint64_t until_ns)
{
	uint64_t now = loop_now();
	uint64_t left_ms = until_ns > now ? (until_ns - now + NS_PER_MS - 1) / NS_PER_MS : 0;
	struct epoll_event event;
	struct watcher *watcher;

	if (left_ms > WAIT_MAX_MS)
		left_ms = WAIT_MAX_MS;
	/* One at a time: a function may free what the next event points to. */
	if (epoll_wait(loop->fd, &event, 1, until_ns == UINT64_MAX ? -1 : (int)left_ms) < 1)
		return false;
	watcher = event.data.ptr;
	watcher->ready(watcher, event.events);
	return true;
}
