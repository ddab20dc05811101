/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/phone/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/phone/error.h"

void *phone_grow(void *array, uint32_t *room, uint32_t count, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	array = reallocarray(array, *room, size);
	if (!array)
		phone_fail("the plan", "out of memory", "play less (--seconds)");
	return array;
}

static void copy_comm(char to[PHONE_COMM_SIZE], const char *comm)
{
	snprintf(to, PHONE_COMM_SIZE, "%s", comm);
}

uint16_t phone_plan_process(struct phone_plan *plan, int32_t pid, const char *comm)
{
	plan->processes = phone_grow(plan->processes, &plan->process_room, plan->process_count,
				     sizeof(*plan->processes));
	struct phone_process *process = &plan->processes[plan->process_count];

	process->pid = pid;
	copy_comm(process->comm, comm);
	return (uint16_t)plan->process_count++;
}

uint16_t phone_plan_thread(struct phone_plan *plan, uint16_t process, int32_t tid, const char *comm)
{
	plan->threads = phone_grow(plan->threads, &plan->thread_room, plan->thread_count,
				   sizeof(*plan->threads));
	struct phone_thread *thread = &plan->threads[plan->thread_count];

	thread->tid = tid;
	thread->process = process;
	thread->main = tid == plan->processes[process].pid;
	copy_comm(thread->comm, comm);
	return (uint16_t)plan->thread_count++;
}

static uint32_t text_hash(struct span text)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t)text.ptr[i]) * 16777619u;
	return hash;
}

/* The slot that holds @text, or the empty one where it belongs. */
static uint32_t *text_slot(const struct phone_plan *plan, struct span text)
{
	uint32_t mask = plan->text_slots - 1;
	uint32_t i = text_hash(text) & mask;

	/* Slots hold offset + 1, so that 0 is the empty one. */
	while (plan->text_table[i] &&
	       !span_equal(span_of(plan->texts + plan->text_table[i] - 1), text))
		i = (i + 1) & mask;
	return &plan->text_table[i];
}

static void text_table_grow(struct phone_plan *plan)
{
	uint32_t *old = plan->text_table;
	uint32_t slots = plan->text_slots;

	plan->text_slots = slots ? slots * 2 : 1024;
	plan->text_table = calloc(plan->text_slots, sizeof(*plan->text_table));
	if (!plan->text_table)
		phone_fail("the plan", "out of memory", "play less (--seconds)");
	for (uint32_t i = 0; i < slots; i++)
		if (old[i])
			*text_slot(plan, span_of(plan->texts + old[i] - 1)) = old[i];
	free(old);
}

uint32_t phone_plan_text(struct phone_plan *plan, struct span text)
{
	if (plan->text_used * 2 >= plan->text_slots)
		text_table_grow(plan);
	uint32_t *slot = text_slot(plan, text);

	if (*slot)
		return *slot - 1;
	while (plan->text_room < plan->text_size + text.len + 1)
		plan->texts = phone_grow(plan->texts, &plan->text_room, plan->text_room, 1);
	memcpy(plan->texts + plan->text_size, text.ptr, text.len);
	plan->texts[plan->text_size + text.len] = '\0';
	*slot = plan->text_size + 1;
	plan->text_used++;
	plan->text_size += (uint32_t)text.len + 1;
	return *slot - 1;
}

uint32_t phone_plan_layer(struct phone_plan *plan, struct span name)
{
	uint32_t text = phone_plan_text(plan, name);

	for (uint32_t i = 0; i < plan->layer_count; i++)
		if (plan->layers[i] == text)
			return i;
	plan->layers = phone_grow(plan->layers, &plan->layer_room, plan->layer_count,
				  sizeof(*plan->layers));
	plan->layers[plan->layer_count] = text;
	return plan->layer_count++;
}

uint32_t phone_plan_counter(struct phone_plan *plan, const char *name)
{
	char text[1024];
	int length = snprintf(text, sizeof(text), "C|%s|", name);

	plan->counters = phone_grow(plan->counters, &plan->counter_room, plan->counter_count,
				    sizeof(*plan->counters));
	plan->counters[plan->counter_count] = (struct phone_counter){
		.text = phone_plan_text(plan, (struct span){ text, (size_t)length }),
		.length = (uint16_t)length,
	};
	return plan->counter_count++;
}

uint32_t phone_plan_mark(struct phone_plan *plan, struct phone_mark mark, struct span text)
{
	plan->marks =
		phone_grow(plan->marks, &plan->mark_room, plan->mark_total, sizeof(*plan->marks));
	plan->steps =
		phone_grow(plan->steps, &plan->step_room, plan->mark_total, sizeof(*plan->steps));
	if (text.len > PHONE_PAYLOAD_MAX - 16)
		text.len = PHONE_PAYLOAD_MAX - 16;
	mark.text = phone_plan_text(plan, text);
	mark.length = (uint16_t)text.len;
	mark.present = false;
	plan->steps[plan->mark_total] = -1;
	plan->marks[plan->mark_total] = mark;
	return plan->mark_total++;
}

uint32_t phone_plan_step(struct phone_plan *plan, struct phone_mark mark, uint32_t counter,
			 int step)
{
	uint32_t number = phone_plan_mark(plan, mark, SPAN_LITERAL("C"));

	plan->steps[number] = (int32_t)counter * 4 + step + 1;
	return number;
}

void phone_plan_truth(struct phone_plan *plan, struct phone_truth truth)
{
	plan->truths = phone_grow(plan->truths, &plan->truth_room, plan->truth_count,
				  sizeof(*plan->truths));
	plan->truths[plan->truth_count++] = truth;
	plan->marks[truth.mark].present = true;
}

static int mark_compare(const void *left, const void *right, void *plan)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;
	const struct phone_mark *marks = ((const struct phone_plan *)plan)->marks;

	if (marks[a].time_ns != marks[b].time_ns)
		return marks[a].time_ns < marks[b].time_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int truth_compare(const void *left, const void *right)
{
	const struct phone_truth *a = left;
	const struct phone_truth *b = right;

	if (a->mark != b->mark)
		return a->mark < b->mark ? -1 : 1;
	return a->layer < b->layer ? -1 : a->layer > b->layer;
}

static void give_value(struct phone_plan *plan, struct phone_mark *mark, int32_t step)
{
	struct phone_counter *counter = &plan->counters[step / 4];
	char text[PHONE_PAYLOAD_MAX];

	counter->value += step % 4 - 1;
	int length = snprintf(text, sizeof(text), "%.*s%lld", (int)counter->length,
			      plan->texts + counter->text, (long long)counter->value);

	mark->text = phone_plan_text(plan, (struct span){ text, (size_t)length });
	mark->length = (uint16_t)length;
}

void phone_plan_sort(struct phone_plan *plan)
{
	uint32_t count = plan->mark_total;
	uint32_t *order = calloc((size_t)count * 2 + 1, sizeof(*order));
	uint32_t *place = order + count;
	struct phone_mark *sorted = calloc((size_t)count + 1, sizeof(*sorted));

	if (!order || !sorted)
		phone_fail("the plan", "out of memory", "play less (--seconds)");
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), mark_compare, plan);
	for (uint32_t i = 0; i < count; i++) {
		sorted[i] = plan->marks[order[i]];
		place[order[i]] = i;
		if (plan->steps[order[i]] >= 0)
			give_value(plan, &sorted[i], plan->steps[order[i]]);
	}
	for (uint32_t i = 0; i < plan->truth_count; i++)
		plan->truths[i].mark = place[plan->truths[i].mark];
	qsort(plan->truths, plan->truth_count, sizeof(*plan->truths), truth_compare);
	free(order);
	free(plan->marks);
	plan->marks = sorted;
	plan->mark_room = count + 1;
	plan->mark_count = count;
}

size_t phone_plan_payload(const struct phone_plan *plan, const struct phone_mark *mark, int32_t pid,
			  char payload[PHONE_PAYLOAD_MAX])
{
	const char *text = plan->texts + mark->text;
	size_t used = 0;

	if (mark->process != PHONE_NO_PROCESS) {
		used = (size_t)snprintf(payload, 16, "%c|%d", text[0], pid);
		text++;
	}
	size_t rest = mark->length - (used ? 1 : 0);

	memcpy(payload + used, text, rest);
	return used + rest;
}

void phone_plan_free(struct phone_plan *plan)
{
	free(plan->processes);
	free(plan->threads);
	free(plan->marks);
	free(plan->truths);
	free(plan->layers);
	free(plan->counters);
	free(plan->steps);
	free(plan->texts);
	free(plan->text_table);
	*plan = (struct phone_plan){ 0 };
}
