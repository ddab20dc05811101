/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/fence_check.h"

#include <stdio.h>
#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

/* Counts that differ by this agree. */
#define TOLERANCE 1

/* Events of disagreements in a minute of trace time, at most. */
#define EVENTS_MAX 10
#define EVENTS_PERIOD_NS (60 * NS_PER_S)

/* --- layers --- */

static struct fence_layer *find(struct fence_check *check, uint64_t hash, size_t length)
{
	for (unsigned int i = 0; i < FENCE_CHECK_LAYERS; i++)
		if (check->layers[i].length == length && check->layers[i].hash == hash)
			return &check->layers[i];
	return NULL;
}

static struct fence_layer *unused_layer(struct fence_check *check)
{
	struct fence_layer *oldest = &check->layers[0];

	for (unsigned int i = 0; i < FENCE_CHECK_LAYERS; i++) {
		if (check->layers[i].length == 0)
			return &check->layers[i];
		if (check->layers[i].last_use < oldest->last_use)
			oldest = &check->layers[i];
	}
	check->has_evicted = true;
	return oldest;
}

/* The layer of that name, which is added if it is new. Earlier frames of a layer that was evicted
 * are not known. */
static struct fence_layer *use(struct fence_check *check, uint64_t hash, size_t length,
			       struct span name, uint64_t time_ns)
{
	struct fence_layer *layer = find(check, hash, length);

	if (!layer) {
		layer = unused_layer(check);
		*layer = (struct fence_layer){
			.hash = hash,
			.length = length,
			.series = FRAME_SERIES_EMPTY,
			.from = check->has_evicted ? time_ns / NS_PER_S + 1 : 0,
		};
		name_copy(layer->name, sizeof(layer->name), name);
	}
	layer->last_use = ++check->uses;
	return layer;
}

/* --- seconds --- */

/* The second's counts, which begin with 0. NULL: they were overwritten by later ones. */
static struct fence_second *second_of(struct fence_layer *layer, uint64_t number)
{
	struct fence_second *second = &layer->seconds[number % FENCE_CHECK_SECONDS];

	if (number + FENCE_CHECK_SECONDS <= layer->latest)
		return NULL;
	if (number > layer->latest)
		layer->latest = number;
	if (second->number != number)
		*second = (struct fence_second){ .number = number };
	return second;
}

/* The same for a second that is compared. False: its counts are not known. */
static bool read_second(const struct fence_layer *layer, uint64_t number,
			struct fence_second *counts)
{
	const struct fence_second *second = &layer->seconds[number % FENCE_CHECK_SECONDS];

	if (number + FENCE_CHECK_SECONDS <= layer->latest)
		return false;
	*counts = second->number == number ? *second : (struct fence_second){ .number = number };
	return true;
}

static void add_to_trace(struct fence_second *second, uint64_t time_ns)
{
	uint64_t part = (NS_PER_S - 1 - time_ns % NS_PER_S) / FENCE_CHECK_PART_NS;

	second->trace += second->trace < UINT16_MAX;
	if (part < FENCE_CHECK_PARTS && second->tail[part] < UINT8_MAX)
		second->tail[part]++;
}

/* Earlier seconds than the last ones are not compared any more. */
static uint64_t first_of_last(uint64_t first, uint64_t last)
{
	return last - first >= FENCE_CHECK_SECONDS ? last - FENCE_CHECK_SECONDS + 1 : first;
}

static void lose_trace(struct fence_check *check, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t last = to_ns / NS_PER_S;

	if (from_ns > to_ns)
		return;
	for (uint64_t i = first_of_last(from_ns / NS_PER_S, last); i <= last; i++)
		check->lost[i % FENCE_CHECK_SECONDS] = i;
}

static void lose_fences(struct fence_layer *layer, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t last = to_ns / NS_PER_S;

	if (from_ns > to_ns)
		return;
	for (uint64_t i = first_of_last(from_ns / NS_PER_S, last); i <= last; i++) {
		struct fence_second *second = second_of(layer, i);

		if (second)
			second->is_unknown = true;
	}
}

/* --- frames --- */

/* A hole ends with the first frame after it. */
static void end_hole(struct fence_check *check, uint64_t time_ns)
{
	if (check->hole_from_ns == 0 || time_ns <= check->hole_after_ns)
		return;
	lose_trace(check, check->hole_from_ns, time_ns);
	check->hole_from_ns = 0;
}

void fence_check_frame(struct fence_check *check, struct name_key key, uint64_t present_ns,
		       bool is_sure)
{
	struct fence_layer *layer = use(check, key.hash, key.length, span_of(key.kept), present_ns);
	struct fence_second *second = second_of(layer, present_ns / NS_PER_S);

	if (check->first_ns == 0)
		check->first_ns = present_ns;
	if (second)
		add_to_trace(second, present_ns);
	if (!is_sure)
		lose_trace(check, present_ns, present_ns);
	end_hole(check, present_ns);
}

void fence_check_hole(struct fence_check *check, uint64_t from_ns, uint64_t now_ns)
{
	if (from_ns == 0 || from_ns > now_ns)
		from_ns = now_ns;
	if (check->hole_from_ns == 0 || from_ns < check->hole_from_ns)
		check->hole_from_ns = from_ns;
	check->hole_after_ns = now_ns;
}

struct interval fence_check_fence(struct fence_check *check, const struct present_fence *fence,
				  bool excluded)
{
	const struct loss_context context = { .loss.hole_count = fence->gaps, .number = -1 };
	struct fence_layer *layer = use(check, name_hash(fence->layer), fence->layer.len,
					fence->layer, fence->actual_ns);
	struct fence_second *second;
	struct vsync_stamp stamp;

	present_lattice_place(&check->lattice, fence->actual_ns, fence->period_ns, &stamp);
	if (fence->gaps != layer->gaps)
		lose_fences(layer,
			    layer->series.begun ? layer->series.last.time_ns
						: check->from * NS_PER_S,
			    fence->actual_ns);
	layer->gaps = fence->gaps;
	layer->excluded = excluded;
	second = second_of(layer, fence->actual_ns / NS_PER_S);
	if (second)
		second->fences += second->fences < UINT16_MAX;
	return frame_series_add(&layer->series, NULL, &stamp, &context, false);
}

void fence_check_known(struct fence_check *check, struct span name, uint64_t until_ns)
{
	struct fence_layer *layer = find(check, name_hash(name), name.len);

	if (layer && until_ns > layer->known_ns)
		layer->known_ns = until_ns;
}

/* --- the comparison --- */

static bool agree(const struct fence_second *before, const struct fence_second *second)
{
	int64_t trace = second->trace;

	for (unsigned int i = 0; i <= FENCE_CHECK_PARTS; i++) {
		if (llabs(trace - (int64_t)second->fences) <= TOLERANCE)
			return true;
		if (i < FENCE_CHECK_PARTS)
			trace += before->tail[i] - second->tail[i];
	}
	return false;
}

/* The seconds of a layer that do not agree, for one event. */
struct disagreement {
	uint64_t first, last, seconds, fences, trace;
};

static void compare(struct fence_check *check, const struct fence_layer *layer, uint64_t number,
		    struct disagreement *all)
{
	struct fence_second before, second;

	if (number < layer->from || !read_second(layer, number, &second)) {
		check->counts.unknown++;
		return;
	}
	if (second.trace == 0 && second.fences == 0)
		return;
	if (check->lost[number % FENCE_CHECK_SECONDS] == number || second.is_unknown ||
	    layer->known_ns < (number + 1) * NS_PER_S || !read_second(layer, number - 1, &before)) {
		check->counts.unknown++;
		return;
	}
	check->counts.compared++;
	if (agree(&before, &second))
		return;
	check->counts.disagreed++;
	all->first = all->seconds++ ? all->first : number;
	all->last = number;
	all->fences += second.fences;
	all->trace += second.trace;
}

static void describe_seconds(char *text, size_t size, const struct disagreement *all)
{
	unsigned long long first = all->first, last = all->last, seconds = all->seconds;

	if (seconds == 1)
		snprintf(text, size, "in second %llu", first);
	else if (seconds == last - first + 1)
		snprintf(text, size, "in the seconds %llu to %llu", first, last);
	else
		snprintf(text, size, "in %llu of the seconds %llu to %llu", seconds, first, last);
}

static void report(struct fence_check *check, const struct fence_layer *layer,
		   const struct disagreement *all, uint64_t now_ns, struct event_writer *events)
{
	char when[96], text[NAME_SIZE];

	if (!rate_limit_allows(&check->limit, EVENTS_MAX, EVENTS_PERIOD_NS, now_ns)) {
		check->counts.events_left_out++;
		return;
	}
	describe_seconds(when, sizeof(when), all);
	snprintf(text, sizeof(text),
		 "present fences and trace disagree: %llu frames by the fences, %llu by the "
		 "trace, %s: %.800s",
		 (unsigned long long)all->fences, (unsigned long long)all->trace, when,
		 layer->name);
	events_write(events, now_ns, TRACE_EVENT_TRACING, text);
}

/* Both begin before the first second that is compared. */
static bool begin(struct fence_check *check, uint64_t until_ns)
{
	if (!check->has_begun) {
		check->has_begun = true;
		check->from = until_ns / NS_PER_S + 1;
	}
	if (check->first_ns == 0)
		return false;
	if (check->from <= check->first_ns / NS_PER_S)
		check->from = check->first_ns / NS_PER_S + 1;
	if (check->next < check->from)
		check->next = check->from;
	return true;
}

void fence_check_until(struct fence_check *check, uint64_t until_ns, uint64_t now_ns,
		       struct event_writer *events)
{
	uint64_t until;

	if (!begin(check, until_ns) || check->without_trace)
		return;
	if (check->hole_from_ns && check->hole_from_ns < until_ns)
		until_ns = check->hole_from_ns;
	until = until_ns / NS_PER_S;
	if (until <= check->next)
		return;
	check->next = first_of_last(check->next, until);
	for (unsigned int i = 0; i < FENCE_CHECK_LAYERS; i++) {
		const struct fence_layer *layer = &check->layers[i];
		struct disagreement all = { 0 };

		if (layer->length == 0 || layer->excluded)
			continue;
		for (uint64_t number = check->next; number < until; number++)
			compare(check, layer, number, &all);
		if (all.seconds > 0)
			report(check, layer, &all, now_ns, events);
	}
	check->next = until;
}

void fence_check_new_clock(struct fence_check *check)
{
	check->has_begun = check->has_evicted = false;
	check->from = check->next = check->first_ns = 0;
	check->hole_from_ns = 0;
	check->lattice = (struct present_lattice){ 0 };
	check->limit = (struct rate_limit){ .allowed = 0 };
	for (unsigned int i = 0; i < FENCE_CHECK_SECONDS; i++)
		check->lost[i] = 0;
	for (unsigned int i = 0; i < FENCE_CHECK_LAYERS; i++)
		check->layers[i].length = 0;
}
