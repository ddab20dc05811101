/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/layer_event.h"

#include "rules/buffers.h"

/* libgui's TraceUtils.h cuts an instant here. It says nothing for sure any more: the layer that is
 * left of its name may be another's. */
#define INSTANT_CUT 255

/* With a layer's name so long, "latchBuffer " and " - 4294967296" around it, it may be cut. */
#define INSTANT_LAYER_MAX 230

static enum evidence evidence_of(const struct rule *rule)
{
	if (rule->event == EVENT_INSTANT)
		return EVIDENCE_INSTANT;
	return rule->event == EVENT_SLICE ? EVIDENCE_SLICE : EVIDENCE_COUNTER;
}

/* What is known of the layer's buffers may be from before events were lost. */
static void freshen(const struct attribution *a, struct layer *layer)
{
	if (layer->resets == a->resets)
		return;
	layer->resets = a->resets;
	layer->buffers.known = layer->transactions.known = false;
	layer->n_queued = 0;
	layer->taken_present = 0;
}

/* What the rules make of its name. */
static void set_up_layer(const struct attribution *a, struct layer *layer, struct span name)
{
	char copy[SURFACE_MAX];

	layer->ignored = ruleset_ignores_layer(a->rules, name);
	layer_set_surface(layer, attribution_surface(a, name, copy));
	a->sink.layer(a->sink.context, layer);
}

/* The layer of that name as @rule's event writes it, or LAYER_NONE. HarmonyOS puts a bar into names
 * in its counters, but in no other event, and titles can have one of their own: where the first
 * counter comes before anything else the name without it is a guess, and another event may correct
 * it. */
static int find_layer(struct attribution *a, const struct rule *rule, struct span *name,
		      char copy[SURFACE_MAX])
{
	bool counter = evidence_of(rule) == EVIDENCE_COUNTER;
	int id = layers_find(a->layers, *name);
	struct layer *layer = id == LAYER_NONE ? NULL : &a->layers->layers[id];
	struct span bare = SPAN_NULL;

	if (layer)
		layer->bare &= counter;
	else if (rule_is_its_word(rule))
		bare = layer_without_bar(*name, copy);
	if (!bare.ptr)
		return id;
	id = layers_find(a->layers, bare);
	if (counter) {
		*name = bare;
	} else if (id != LAYER_NONE) {
		layer = &a->layers->layers[id];
		if (!layer->bare)
			return LAYER_NONE;
		layers_rename(a->layers, id, *name);
		set_up_layer(a, layer, *name);
		layer->bare = false;
	}
	return id;
}

/* Does the event tell of a latch that no other event tells of? */
static bool is_latch(struct attribution *a, const struct rule *rule, size_t length,
		     const struct trace_record *record)
{
	if (!rule->fallback)
		a->sure_latches += record->tid == a->sf.tid;
	return !rule->fallback || a->sure_latches == 0 || length > INSTANT_LAYER_MAX;
}

/* There is no room for the layer that the event names. */
static void refuse(struct attribution *a, const struct rule *rule, struct span name,
		   const struct trace_record *record)
{
	layers_refuse(a->layers, name);
	if (rule->role == RULE_LATCH && is_latch(a, rule, name.len, record))
		a->refused_frames += layers_refuse_frame(a->layers, name, a->presents + 1);
}

/* Are frames of the layer of that name to be counted? */
static bool is_wanted(const struct attribution *a, struct span name)
{
	struct layer layer = { .length = 0 };

	layer_set_name(&layer, name);
	set_up_layer(a, &layer, name);
	return !layer.ignored && !layer.hidden;
}

/* Makes room for the layer that the event names. Latches hold layers: where nothing else can go
 * those do that are not to be counted, and those of other threads, which may never present. Then
 * frames cannot wait. */
static bool make_room(struct attribution *a, const struct rule *rule, struct span name,
		      const struct trace_record *record)
{
	if (a->sink.evict(a->sink.context, false) == 0)
		return true;
	if (!is_wanted(a, name))
		return false;
	latches_forget_hidden(&a->latches, a->layers);
	latches_forget(&a->latches, a->layers, a->sf.known ? a->sf.tid : record->tid, true);
	if (a->sink.evict(a->sink.context, false) == 0 || a->sink.evict(a->sink.context, true) == 0)
		return true;
	refuse(a, rule, name, record);
	return false;
}

/* The layer that the event names, a new one if need be; NULL where it is none or there is no room.
 */
static struct layer *take_layer(struct attribution *a, const struct rule *rule, struct span written,
				const struct trace_record *record)
{
	struct span name = written;
	char copy[SURFACE_MAX];
	int id = find_layer(a, rule, &name, copy);
	struct layer *layer;

	if (id == LAYER_NONE) {
		if (!make_room(a, rule, name, record))
			return NULL;
		id = layers_add(a->layers, name);
		layer = &a->layers->layers[id];
		layer->bare = name.len != written.len;
		set_up_layer(a, layer, name);
	}
	layer = &a->layers->layers[id];
	layers_use(a->layers, layer);
	freshen(a, layer);
	return layer->ignored ? NULL : layer;
}

/* Did the counter do what the rule asks for? Keeps its value. */
static bool event_fits(const struct rule *rule, struct last_value *last, int64_t value)
{
	bool fits = true;

	if (rule->event == EVENT_SLICE || rule->event == EVENT_INSTANT)
		return true;
	if (rule->event == EVENT_RISE)
		fits = last->known ? value > last->value : value > 0;
	else if (rule->event == EVENT_FALL)
		fits = !last->known || value < last->value;
	last->known = true;
	last->value = value;
	return fits;
}

/* A latch of @layer, as the event says; with a rule that is a fallback only where nothing better
 * tells of this layer. */
static void tell_latch(struct attribution *a, const struct rule *rule, struct layer *layer,
		       int64_t number, const struct trace_record *record)
{
	bool alone = is_latch(a, rule, layer->length, record);
	struct latch latch = {
		.layer = (int)(layer - a->layers->layers),
		.tid = record->tid,
		.evidence = evidence_of(rule),
		.time_ns = record->time_ns,
		.number = number,
	};

	latches_take(&a->latches, a->layers, &latch, a->presents + 1, alone,
		     a->sf.known ? a->sf.tid : record->tid);
}

static void transaction(struct attribution *a, const struct rule *rule, struct layer *layer,
			const struct trace_record *record)
{
	if (event_fits(rule, &layer->transactions, record->value) &&
	    (!a->sf.known || record->tid == a->sf.tid))
		layer->applied_present = a->presents + 1;
}

/* Keeps the layer's queue. Does the event tell what its rule says? */
static bool follow_buffers(struct attribution *a, const struct rule *rule, struct layer *layer,
			   const struct trace_record *record)
{
	struct last_value before = layer->buffers;
	bool fits = event_fits(rule, &layer->buffers, record->value);
	bool falls = before.known && record->value < before.value;

	if (evidence_of(rule) != EVIDENCE_COUNTER) {
		if (rule->role == RULE_QUEUE)
			buffers_queue(layer, record->time_ns);
		else if (rule->role == RULE_DROP)
			buffers_take(layer);
	} else if (rule->role == RULE_QUEUE && !falls) {
		buffers_queued(layer, before, record->value, record->time_ns, rule->context != 0);
	} else if (rule->role == RULE_QUEUE) {
		/* Where no rule says that it was latched an instant may: not of which one. */
		buffers_left(layer, before, record->value, a->presents + 1);
		layer->taken_ns = 0;
	} else {
		buffers_left(layer, before, record->value,
			     rule->role == RULE_LATCH && fits ? a->presents + 1 : 0);
	}
	return fits;
}

void attribution_layer_event(struct attribution *a, const struct rule *rule,
			     const struct pattern_capture *capture,
			     const struct trace_record *record)
{
	struct layer *layer;

	if (rule->event == EVENT_INSTANT && record->name.len == INSTANT_CUT)
		return;
	layer = take_layer(a, rule, capture->layer, record);
	if (!layer)
		return;
	if (rule->role == RULE_TRANSACTION)
		transaction(a, rule, layer, record);
	else if (!follow_buffers(a, rule, layer, record))
		return;
	else if (rule->role == RULE_LATCH)
		tell_latch(a, rule, layer, capture->frame, record);
	else if (rule->role == RULE_DROP)
		a->dropped_frames += !layer->hidden;
}
