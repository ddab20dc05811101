/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of events.csv, sorted by time. Each waits until no earlier event can come. */
#ifndef JANKD_DAEMON_FILES_EVENT_QUEUE_H
#define JANKD_DAEMON_FILES_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/* The most events that wait, and the most bytes of their texts. If another one does not fit, the
 * earliest is written. */
#define EVENT_QUEUE_MAX 128
#define EVENT_QUEUE_BYTES 24576

/* Longer texts are cut. */
#define EVENT_TEXT_MAX 4096

struct queued_event {
	int64_t time_ns;   /* trace clock, or ROW_UNKNOWN */
	int64_t wall_ns;   /* since 1970, or ROW_UNKNOWN */
	uint64_t since_ns; /* when it was added, on a clock of the owner */
	const char *kind;  /* constant */
	const char *text;
};

struct event_queue {
	void (*write)(void *context, const struct queued_event *event);
	void *context;
	uint64_t written_ns; /* time of the last written event */
	unsigned int n;
	struct event_place {
		/* Its time; if unknown, that of the event before. [0]: UINT64_MAX if the queue is
		 * empty. */
		uint64_t key_ns;
		size_t text; /* offset in ->bytes */
		struct queued_event event;
	} places[EVENT_QUEUE_MAX]; /* sorted by time, then by the order of adding */
	size_t used;
	char bytes[EVENT_QUEUE_BYTES]; /* the texts with their NULs, in the order of adding */
};

/* @queue: all zeros. @write: called for each event that leaves the queue; may add another one. */
void event_queue_init(struct event_queue *queue,
		      void (*write)(void *context, const struct queued_event *event),
		      void *context);

/* Adds an event, with a copy of its text. An event that comes too late gets the time of the last
 * written one; its own time is added to its text. */
void event_queue_add(struct event_queue *queue, const struct queued_event *event);

/* Writes all events up to @time_ns. */
void event_queue_release(struct event_queue *queue, uint64_t time_ns);

/* Writes the events added at @since_ns or earlier, and all that are sorted before them. */
void event_queue_release_old(struct event_queue *queue, uint64_t since_ns);

/* Writes all events. Later events have times of another clock. */
void event_queue_restart(struct event_queue *queue);

#endif
