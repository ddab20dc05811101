/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: waits for descriptors, and until a time. */
#ifndef JANKD_DAEMON_BASE_LOOP_H
#define JANKD_DAEMON_BASE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

struct loop {
	int fd;
};

/* A descriptor that the loop watches. @ready is called with the events (EPOLLIN ...). It may remove
 * and free this watcher and any other. */
struct watcher {
	int fd;
	void (*ready)(struct watcher *watcher, uint32_t events);
	void *context; /* for @ready */
};

#define LOOP_CLOSED ((struct loop){ .fd = -1 })
#define WATCHER_NONE ((struct watcher){ .fd = -1 })

/* Returns 0 or -errno. */
int loop_open(struct loop *loop);
void loop_close(struct loop *loop);

/* Blocks these signals, and opens a descriptor from which they are read (signalfd). Ignores
 * SIGPIPE, so a write to a pipe without reader is an error. Returns the descriptor, or -1 with
 * errno set. */
int loop_signals(const int *numbers, size_t count);

/* Begins to watch for @events, or changes them: EPOLLIN ..., with EPOLLONESHOT only once; 0: none
 * for now. @watcher must not move. Returns 0 or -errno. */
int loop_watch(struct loop *loop, struct watcher *watcher, uint32_t events);

/* Ends the watch. Call it before the descriptor is closed. A watcher that is not watched is no
 * error. */
void loop_forget(struct loop *loop, struct watcher *watcher);

/* The same, and closes the descriptor, if there is one. */
void loop_close_watcher(struct loop *loop, struct watcher *watcher);

/* Sleeps until a descriptor is ready, and calls its function; or until @until_ns on the clock of
 * loop_now(); UINT64_MAX: without a timer. Handles at most one descriptor. Returns true if it
 * handled one: call it again. */
bool loop_wait(struct loop *loop, uint64_t until_ns);

/* CLOCK_BOOTTIME in ns: it includes the time in which a device is suspended. */
uint64_t loop_now(void);

/* Returns the earlier one of two such times. */
static inline uint64_t loop_earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

#endif
