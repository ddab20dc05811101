/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"

void *grow_array(void *array, uint32_t *capacity, uint32_t count, size_t size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 64;
	array = reallocarray(array, *capacity, size);
	if (!array)
		fail_memory("the plan");
	return array;
}

uint16_t plan_add_process(struct plan *plan, int32_t pid, const char *comm)
{
	plan->processes = grow_array(plan->processes, &plan->process_capacity, plan->process_count,
				     sizeof(*plan->processes));
	struct virtual_process *process = &plan->processes[plan->process_count];

	process->pid = pid;
	snprintf(process->comm, COMM_SIZE, "%s", comm);
	return (uint16_t)plan->process_count++;
}

uint16_t plan_add_thread(struct plan *plan, uint16_t process, int32_t tid, const char *comm)
{
	plan->threads = grow_array(plan->threads, &plan->thread_capacity, plan->thread_count,
				   sizeof(*plan->threads));
	struct virtual_thread *thread = &plan->threads[plan->thread_count];

	thread->tid = tid;
	thread->process = process;
	thread->main = tid == plan->processes[process].pid;
	snprintf(thread->comm, COMM_SIZE, "%s", comm);
	return (uint16_t)plan->thread_count++;
}

/* The slot that holds @text, or the empty one where it belongs. */
static uint32_t *text_slot(const struct plan *plan, struct span text)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t)text.ptr[i]) * 16777619u;
	/* A slot holds the offset + 1, so that 0 is an empty slot. */
	for (;; hash++) {
		uint32_t *slot = &plan->text_table[hash & (plan->text_slots - 1)];

		if (!*slot || span_equal(span_of(plan->texts + *slot - 1), text))
			return slot;
	}
}

uint32_t plan_add_text(struct plan *plan, struct span text)
{
	uint32_t *slot;

	if (plan->text_used * 2 >= plan->text_slots) {
		uint32_t *old = plan->text_table;
		uint32_t slots = plan->text_slots;

		plan->text_slots = slots ? slots * 2 : 1024;
		plan->text_table = calloc(plan->text_slots, sizeof(*plan->text_table));
		if (!plan->text_table)
			fail_memory("the plan");
		for (uint32_t i = 0; i < slots; i++)
			if (old[i])
				*text_slot(plan, span_of(plan->texts + old[i] - 1)) = old[i];
		free(old);
	}
	slot = text_slot(plan, text);
	if (*slot)
		return *slot - 1;
	while (plan->text_capacity < plan->text_size + text.len + 1)
		plan->texts = grow_array(plan->texts, &plan->text_capacity, plan->text_capacity, 1);
	memcpy(plan->texts + plan->text_size, text.ptr, text.len);
	plan->texts[plan->text_size + text.len] = '\0';
	*slot = plan->text_size + 1;
	plan->text_used++;
	plan->text_size += (uint32_t)text.len + 1;
	return *slot - 1;
}

uint32_t plan_layer(struct plan *plan, struct span name)
{
	uint32_t text = plan_add_text(plan, name);

	for (uint32_t i = 0; i < plan->layer_count; i++)
		if (plan->layers[i] == text)
			return i;
	plan->layers = grow_array(plan->layers, &plan->layer_capacity, plan->layer_count,
				  sizeof(*plan->layers));
	plan->layers[plan->layer_count] = text;
	return plan->layer_count++;
}

uint32_t plan_add_counter(struct plan *plan, const char *name)
{
	char text[1024];

	snprintf(text, sizeof(text), "C|%s|", name);
	plan->counters = grow_array(plan->counters, &plan->counter_capacity, plan->counter_count,
				    sizeof(*plan->counters));
	plan->counters[plan->counter_count] =
		(struct plan_counter){ .text = plan_add_text(plan, span_of(text)) };
	return plan->counter_count++;
}

uint32_t plan_add_marker(struct plan *plan, struct marker marker, struct span text)
{
	plan->markers = grow_array(plan->markers, &plan->marker_capacity, plan->marker_total,
				   sizeof(*plan->markers));
	if (text.len > PAYLOAD_MAX - 16)
		text.len = PAYLOAD_MAX - 16;
	marker.text = plan_add_text(plan, text);
	marker.length = (uint16_t)text.len;
	marker.present = false;
	marker.step = -1;
	plan->markers[plan->marker_total] = marker;
	return plan->marker_total++;
}

void plan_add_truth(struct plan *plan, struct truth_frame frame)
{
	plan->truth = grow_array(plan->truth, &plan->truth_capacity, plan->truth_count,
				 sizeof(*plan->truth));
	plan->truth[plan->truth_count++] = frame;
	plan->markers[frame.marker].present = true;
}

static int marker_compare(const void *left, const void *right, void *plan)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;
	const struct marker *markers = ((const struct plan *)plan)->markers;

	if (markers[a].time_ns != markers[b].time_ns)
		return markers[a].time_ns < markers[b].time_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int truth_compare(const void *left, const void *right)
{
	const struct truth_frame *a = left;
	const struct truth_frame *b = right;

	if (a->marker != b->marker)
		return a->marker < b->marker ? -1 : 1;
	return a->layer < b->layer ? -1 : a->layer > b->layer;
}

void plan_sort(struct plan *plan)
{
	uint32_t count = plan->marker_total;
	uint32_t *order = calloc((size_t)count * 2 + 1, sizeof(*order));
	uint32_t *position = order + count;
	struct marker *sorted = calloc((size_t)count + 1, sizeof(*sorted));
	char text[PAYLOAD_MAX];

	if (!order || !sorted)
		fail_memory("the plan");
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), marker_compare, plan);
	for (uint32_t i = 0; i < count; i++) {
		struct marker *marker = &sorted[i];

		*marker = plan->markers[order[i]];
		position[order[i]] = i;
		if (marker->step >= 0) {
			struct plan_counter *counter = &plan->counters[marker->step / 4];

			counter->value += marker->step % 4 - 1;
			marker->length = (uint16_t)snprintf(text, sizeof(text), "%s%lld",
							    plan->texts + counter->text,
							    (long long)counter->value);
			marker->text = plan_add_text(plan, span_of(text));
		}
	}
	for (uint32_t i = 0; i < plan->truth_count; i++)
		plan->truth[i].marker = position[plan->truth[i].marker];
	qsort(plan->truth, plan->truth_count, sizeof(*plan->truth), truth_compare);
	free(order);
	free(plan->markers);
	plan->markers = sorted;
	plan->marker_capacity = count + 1;
	plan->marker_count = count;
}

size_t plan_payload(const struct plan *plan, const struct marker *marker, int32_t pid,
		    char payload[PAYLOAD_MAX])
{
	const char *text = plan->texts + marker->text;
	size_t used = 0;

	if (marker->process != NO_PROCESS) {
		used = (size_t)snprintf(payload, 16, "%c|%d", text[0], pid);
		text++;
	}
	size_t rest = marker->length - (used ? 1 : 0);

	memcpy(payload + used, text, rest);
	return used + rest;
}

void plan_free(struct plan *plan)
{
	free(plan->processes);
	free(plan->threads);
	free(plan->markers);
	free(plan->truth);
	free(plan->layers);
	free(plan->counters);
	free(plan->texts);
	free(plan->text_table);
	*plan = (struct plan){ 0 };
}
