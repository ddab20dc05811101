/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/files/event_queue.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/text.h"
#include "rules/base/row.h"

/* Space for the time of an event that comes too late. */
#define TIME_TEXT_MAX 64

/* ->write() may add another event. */
static void write_first(struct event_queue *queue)
{
	struct event_place first = queue->places[0];
	char text[EVENT_TEXT_MAX + TIME_TEXT_MAX];
	size_t size = strlen(queue->bytes + first.text) + 1;

	memmove(&queue->places[0], &queue->places[1], --queue->n * sizeof(queue->places[0]));
	if (queue->n == 0)
		queue->places[0].key_ns = UINT64_MAX;
	queue->written_ns = first.key_ns;
	strcpy(text, queue->bytes + first.text);
	/* Removes the text, and moves those after it. */
	memmove(queue->bytes + first.text, queue->bytes + first.text + size,
		queue->used - first.text - size);
	queue->used -= size;
	for (unsigned int i = 0; i < queue->n; i++)
		if (queue->places[i].text > first.text)
			queue->places[i].text -= size;
	first.event.text = text;
	queue->write(queue->context, &first.event);
}

void event_queue_init(struct event_queue *queue,
		      void (*write)(void *context, const struct queued_event *event), void *context)
{
	queue->write = write;
	queue->context = context;
	queue->places[0].key_ns = UINT64_MAX;
}

void event_queue_add(struct event_queue *queue, const struct queued_event *event)
{
	struct event_place place = { .event = *event };
	char text[EVENT_TEXT_MAX + TIME_TEXT_MAX];
	unsigned int at;
	size_t size;
	bool late;

	while (queue->n == EVENT_QUEUE_MAX || queue->used + sizeof(text) > EVENT_QUEUE_BYTES)
		write_first(queue);
	late = event->time_ns != ROW_UNKNOWN && (uint64_t)event->time_ns < queue->written_ns;
	text_copy(text, EVENT_TEXT_MAX, event->text);
	if (late)
		snprintf(text + strlen(text), TIME_TEXT_MAX, " (happened at %llu.%06llu s)",
			 (unsigned long long)event->time_ns / 1000000000,
			 (unsigned long long)event->time_ns / 1000 % 1000000);
	size = strlen(text) + 1;
	at = queue->n;
	if (event->time_ns == ROW_UNKNOWN) {
		/* An event without a time is sorted after all events in the queue. */
		place.key_ns = at > 0 ? queue->places[at - 1].key_ns : queue->written_ns;
	} else {
		if (late && event->wall_ns >= 0 &&
		    __builtin_add_overflow(event->wall_ns,
					   queue->written_ns - (uint64_t)event->time_ns,
					   &place.event.wall_ns))
			place.event.wall_ns = ROW_UNKNOWN;
		if (late)
			place.event.time_ns = (int64_t)queue->written_ns;
		place.key_ns = (uint64_t)place.event.time_ns;
	}
	while (at > 0 && queue->places[at - 1].key_ns > place.key_ns)
		at--;
	place.text = queue->used;
	memcpy(queue->bytes + queue->used, text, size);
	queue->used += size;
	memmove(&queue->places[at + 1], &queue->places[at],
		(queue->n++ - at) * sizeof(queue->places[0]));
	queue->places[at] = place;
}

void event_queue_release(struct event_queue *queue, uint64_t time_ns)
{
	while (queue->n > 0 && queue->places[0].key_ns <= time_ns)
		write_first(queue);
}

void event_queue_release_old(struct event_queue *queue, uint64_t since_ns)
{
	unsigned int old = 0;

	for (unsigned int i = 0; i < queue->n; i++)
		if (queue->places[i].event.since_ns <= since_ns)
			old = i + 1;
	while (old-- > 0)
		write_first(queue);
}

void event_queue_restart(struct event_queue *queue)
{
	event_queue_release(queue, UINT64_MAX);
	queue->written_ns = 0;
}
