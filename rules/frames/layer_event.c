/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/frames/layer_event.h"

#include "rules/frames/buffers.h"
#include "rules/frames/stall.h"

/* libgui's TraceUtils.h cuts an instant at this length. A cut one is not used: what is left of the
 * name may be the name of another layer. */
#define INSTANT_CUT 255

/* With a longer name an instant may be cut: "latchBuffer ", the name, " - 4294967296". */
#define INSTANT_LAYER_MAX 230

static enum evidence evidence_of(const struct rule *rule)
{
	if (rule->event == EVENT_INSTANT)
		return EVIDENCE_INSTANT;
	return rule->event == EVENT_SLICE ? EVIDENCE_SLICE : EVIDENCE_COUNTER;
}

/* Drops the state of the layer's buffers if it is older than the last reset. */
static void drop_stale(const struct layer_events *e, struct layer *layer)
{
	if (layer->resets == e->resets)
		return;
	layer->resets = e->resets;
	layer->buffers.known = layer->transactions.known = false;
	layer->n_queued = 0;
	layer->left_present = layer->replaced_ns = 0;
	layer->evidence.queued_ns = 0;
	layer->evidence.lost = true;
}

/* Applies the rules to the layer's name. */
static void set_up_layer(const struct layer_events *e, struct layer *layer,
			 struct long_names *names, struct span name)
{
	char copy[SURFACE_MAX];

	layer->ignored = ruleset_ignores_layer(e->rules, name);
	layer_set_surface(layer, names, ruleset_surface(e->rules, name, copy));
	e->sink.added(e->sink.context, layer);
}

/* The layer that @rule's event names, or LAYER_NONE. HarmonyOS puts a bar into names in counters,
 * and nowhere else. But a window's title can contain a bar, too. If a counter is the first event of
 * a layer, the name without the bar is assumed, and another event may correct it. */
static int find_layer(struct layer_events *e, const struct rule *rule, struct span *name,
		      char copy[SURFACE_MAX])
{
	bool counter = evidence_of(rule) == EVIDENCE_COUNTER;
	int id = layers_find(e->layers, *name);
	struct layer *layer = id == LAYER_NONE ? NULL : &e->layers->layers[id];
	struct span bare = SPAN_NULL;

	if (layer)
		layer->bare &= counter;
	else if (rule_is_unique(rule))
		bare = layer_without_bar(*name, copy);
	if (!bare.ptr)
		return id;
	id = layers_find(e->layers, bare);
	if (counter) {
		*name = bare;
	} else if (id != LAYER_NONE) {
		layer = &e->layers->layers[id];
		if (!layer->bare)
			return LAYER_NONE;
		layers_rename(e->layers, id, *name);
		set_up_layer(e, layer, &e->layers->names, *name);
		layer->bare = false;
	}
	return id;
}

/* True: the event may be the only one of its latch. */
static bool is_latch(struct layer_events *e, const struct rule *rule, size_t length,
		     const struct trace_record *record)
{
	if (!rule->fallback)
		e->sure_latches += record->tid == e->sf->tid;
	return !rule->fallback || e->sure_latches == 0 || length > INSTANT_LAYER_MAX;
}

/* Counts that there is no space for the layer that the event names. */
static void refuse(struct layer_events *e, const struct rule *rule, struct span name,
		   const struct trace_record *record)
{
	e->layers->refusals++;
	if (rule->role == RULE_LATCH && is_latch(e, rule, name.len, record))
		e->refused_frames += layers_refuse_frame(e->layers, name, e->presents + 1);
}

/* True: frames of a layer of that name are counted. */
static bool is_counted(const struct layer_events *e, struct span name)
{
	struct layer layer = { .length = 0 };
	char blocks[2][NAME_SIZE], *free_blocks[2];
	struct long_names names = { .blocks = blocks, .free_blocks = free_blocks };

	layer_set_name(&layer, &names, name);
	set_up_layer(e, &layer, &names, name);
	return !layer.ignored && !layer.excluded;
}

/* Frees an entry for the layer that the event names. Latches keep layers in the table. If no layer
 * can be evicted, the latches of excluded layers are dropped, and those of other threads, which may
 * never present. If that is not enough, frames are counted early. */
static bool make_space(struct layer_events *e, const struct rule *rule, struct span name,
		       const struct trace_record *record)
{
	if (e->sink.evict(e->sink.context, false) == 0)
		return true;
	if (!is_counted(e, name))
		return false;
	latches_make_space(&e->latches, e->sf->known ? e->sf->tid : record->tid);
	if (e->sink.evict(e->sink.context, false) == 0 || e->sink.evict(e->sink.context, true) == 0)
		return true;
	refuse(e, rule, name, record);
	return false;
}

/* The layer that the event names, which is added if it is new. NULL if the rules ignore it or there
 * is no space. */
static struct layer *find_or_add_layer(struct layer_events *e, const struct rule *rule,
				       struct span written, const struct trace_record *record)
{
	struct span name = written;
	char copy[SURFACE_MAX];
	int id = find_layer(e, rule, &name, copy);
	struct layer *layer;

	if (id == LAYER_NONE) {
		if (!make_space(e, rule, name, record))
			return NULL;
		id = layers_add(e->layers, name);
		e->layers->layers[id].bare = name.len != written.len;
		set_up_layer(e, &e->layers->layers[id], &e->layers->names, name);
	}
	layer = &e->layers->layers[id];
	layers_use(e->layers, id);
	drop_stale(e, layer);
	return layer->ignored ? NULL : layer;
}

/* True: the counter changed as the rule requires. Keeps its value. */
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

/* Adds a latch of @layer. A fallback rule counts only if no better event shows the latch. */
static void add_latch(struct layer_events *e, const struct rule *rule, struct layer *layer,
		      int64_t number, const struct trace_record *record)
{
	bool alone = is_latch(e, rule, layer->length, record);
	struct latch latch = {
		.layer = (int)(layer - e->layers->layers),
		.tid = record->tid,
		.evidence = evidence_of(rule),
		.time_ns = record->time_ns,
		.number = number,
	};

	latches_add(&e->latches, &latch, e->presents + 1, alone,
		    e->sf->known ? e->sf->tid : record->tid);
}

static void apply_transaction(struct layer_events *e, const struct rule *rule, struct layer *layer,
			      const struct trace_record *record)
{
	if (event_fits(rule, &layer->transactions, record->value) &&
	    (!e->sf->known || record->tid == e->sf->tid))
		layer->applied_present = e->presents + 1;
}

/* Updates the layer's queue. True: the event has the meaning of its rule. */
static bool follow_buffers(struct layer_events *e, const struct rule *rule, struct layer *layer,
			   const struct trace_record *record)
{
	struct last_value before = layer->buffers;
	bool fits = event_fits(rule, &layer->buffers, record->value);
	bool falls = before.known && record->value < before.value;

	if (evidence_of(rule) != EVIDENCE_COUNTER) {
		if (rule->role == RULE_QUEUE)
			buffers_queue(layer, record->time_ns);
		else if (rule->role == RULE_DROP)
			buffers_pop(layer);
	} else if (rule->role == RULE_QUEUE && !falls) {
		buffers_queued(layer, before, record->value, record->time_ns, rule->context != 0);
		e->sink.queued(e->sink.context, layer, record, rule->context != 0);
	} else if (rule->role == RULE_QUEUE) {
		/* No rule makes it a latch, but an instant may follow. The buffer is unknown. */
		buffers_left(layer, before, record->value, e->presents + 1);
		layer->left_queued_ns = 0;
	} else {
		buffers_left(layer, before, record->value,
			     rule->role == RULE_LATCH && fits ? e->presents + 1 : 0);
	}
	return fits;
}

void layer_event(struct layer_events *e, const struct rule *rule,
		 const struct pattern_capture *capture, const struct trace_record *record)
{
	struct layer *layer;

	if (rule->event == EVENT_INSTANT && record->name.len == INSTANT_CUT)
		return;
	layer = find_or_add_layer(e, rule, capture->layer, record);
	if (!layer)
		return;
	layer->sure |= rule->role != RULE_LATCH || rule_is_unique(rule);
	if (rule->role == RULE_TRANSACTION) {
		apply_transaction(e, rule, layer, record);
		return;
	}
	if (follow_buffers(e, rule, layer, record)) {
		if (rule->role == RULE_LATCH)
			add_latch(e, rule, layer, capture->frame, record);
		else if (rule->role == RULE_DROP)
			e->dropped_frames += !layer->excluded;
		else
			app_work_vote(e->work, &layer->evidence.owner, e->sf->pid, record->time_ns);
	}
	stall_follow_buffers(e->work, layer, buffers_wait(layer), record->time_ns);
}

/* --- what becomes invalid --- */

void layer_events_reset(struct layer_events *e, uint64_t time_ns)
{
	for (int i = 0; i < e->layers->used; i++)
		if (e->layers->layers[i].length)
			stall_forget(e->work, &e->layers->layers[i], time_ns);
	e->resets++;
}

void layer_events_lost(struct layer_events *e, uint64_t from_ns)
{
	struct latch_list *latches = &e->latches;

	for (int i = 0; i < e->layers->used; i++) {
		e->layers->layers[i].evidence.lost |= e->layers->layers[i].length > 0;
		buffers_doubt(&e->layers->layers[i], from_ns);
	}
	for (unsigned int i = 0; i < latches->n; i++)
		if (latches->all[i].queued_ns <= from_ns && from_ns < latches->all[i].time_ns)
			latches->all[i].queued_ns = 0;
}

void layer_events_forget(struct layer_events *e, uint64_t time_ns)
{
	latches_forget_until(&e->latches, UINT64_MAX);
	layer_events_reset(e, time_ns);
}

void layer_events_change_thread(struct layer_events *e, int32_t tid, uint64_t time_ns)
{
	latches_forget(&e->latches, tid, true);
	layer_events_reset(e, time_ns);
	e->sure_latches = 0;
}

void layer_events_set_rules(struct layer_events *e, const struct ruleset *rules)
{
	e->rules = rules;
	e->sure_latches = 0;
	for (int i = 0; i < e->layers->used; i++) {
		struct layer *layer = &e->layers->layers[i];

		if (layer->length)
			layer->ignored = ruleset_ignores_layer(rules, span_of(layer->name));
	}
}
