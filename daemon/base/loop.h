/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture sleeps on: descriptors and who cares for them, and a time to wake up at. */
#ifndef JANKD_DAEMON_BASE_LOOP_H
#define JANKD_DAEMON_BASE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop {
	int fd;
};

/* A descriptor that is waited for. @ready is called with the loop's events (EPOLLIN ...). It may
 * remove and free this watcher and any other. */
struct watcher {
	int fd;
	void (*ready)(struct watcher *watcher, uint32_t events);
	void *context; /* of whoever watches */
};

#define LOOP_CLOSED ((struct loop){ .fd = -1 })
#define WATCHER_NONE ((struct watcher){ .fd = -1 })

/* Returns 0 or -errno. */
int loop_open(struct loop *loop);
void loop_close(struct loop *loop);

/* From now on these signals wait in a descriptor, and a pipe that nobody reads is an error of its
 * write. Returns the descriptor, or -1 with errno set. */
int loop_signals(const int *numbers, size_t count);

/* Begins to wait for @events (EPOLLIN; with EPOLLONESHOT once), or changes what is waited for; 0
 * is nothing for now. @watcher must not move. Returns 0 or -errno. */
int loop_watch(struct loop *loop, struct watcher *watcher, uint32_t events);

/* Ends it; to be called before the descriptor is closed. One that is not watched is no error. */
void loop_forget(struct loop *loop, struct watcher *watcher);

/* Sleeps until a descriptor is ready, whose function is called, or until @until_ns on the clock of
 * loop_now(). At most one descriptor gets its turn: call it again. True: one did. */
bool loop_wait(struct loop *loop, uint64_t until_ns);

/* CLOCK_BOOTTIME in ns: a suspended device's seconds count, too. */
uint64_t loop_now(void);

#endif
