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

/* Applies the rules to the layer's name. */
static void set_up_layer(const struct layer_events *e, struct layer *layer, struct span name)
{
	char copy[SURFACE_MAX];

	layer->ignored = ruleset_ignores_layer(e->rules, name);
	layers_set_surface(e->layers, layer, ruleset_surface(e->rules, name, copy));
	layer->excluded =
		pattern_excludes(e->include, e->exclude, span_of(layer->surface), layer_app(layer));
}

/* True: the event may be the only one of its latch. */
static bool is_latch(struct layer_events *e, const struct rule *rule, size_t length,
		     const struct trace_record *record)
{
	if (!rule->fallback)
		e->sure_latches += record->tid == e->sf->tid;
	return !rule->fallback || e->sure_latches == 0 || length > INSTANT_LAYER_MAX;
}

/* True: frames of a layer of that name are counted. */
static bool is_counted(const struct layer_events *e, struct span name)
{
	char copy[SURFACE_MAX];

	return !ruleset_ignores_layer(e->rules, name) &&
	       !pattern_excludes(e->include, e->exclude, ruleset_surface(e->rules, name, copy),
				 app_of_layer(name));
}

/* The layer of that number; LAYER_NONE: it is new, and added with @name. NULL if there is no space.
 * @tid: of the event. */
static struct layer *use_layer(struct layer_events *e, int id, struct span name, int32_t tid)
{
	const struct attribution_sink *sink = e->sink;
	struct layer *layer;

	/* Latches keep layers in the table. If no layer can be evicted, the latches of excluded
	 * layers are dropped, and those of other threads, which may never present. If that is not
	 * enough, frames are counted early. */
	if (id == LAYER_NONE && sink->evict(sink->queue, false) != 0) {
		if (!is_counted(e, name))
			return NULL;
		latches_make_space(&e->latches, e->sf->known ? e->sf->tid : tid);
		if (sink->evict(sink->queue, false) != 0 && sink->evict(sink->queue, true) != 0) {
			e->layers->refusals++;
			return NULL;
		}
	}
	if (id == LAYER_NONE) {
		id = layers_add(e->layers, name);
		set_up_layer(e, &e->layers->layers[id], name);
	}
	layers_use(e->layers, id);
	layer = &e->layers->layers[id];
	if (layer->doubted != e->work->losses)
		buffers_doubt(layer, e->lost_ns);
	layer->doubted = e->work->losses;
	if (layer->resets == e->resets)
		return layer;
	/* The state of its buffers is older than the last reset. */
	layer->resets = e->resets;
	layer->buffers.known = layer->transactions.known = false;
	layer->n_queued = 0;
	layer->left_present = layer->replaced_ns = layer->overtaken = 0;
	layer->evidence.queued_ns = 0;
	layer->evidence.losses = e->work->losses - 1;
	return layer;
}

struct layer *layer_events_layer(struct layer_events *e, struct span name)
{
	int id = layers_find(e->layers, name);
	struct layer *layer;

	/* A name that is not shown takes the entry of no other. */
	if (id == LAYER_NONE && ruleset_ignores_layer(e->rules, name))
		return NULL;
	layer = use_layer(e, id, name, TRACE_ID_UNKNOWN);
	return layer && !layer->ignored ? layer : NULL;
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

/* Updates the layer's queue. True: the event has the meaning of its rule. */
static bool follow_buffers(struct layer_events *e, const struct rule *rule, struct layer *layer,
			   const struct trace_record *record)
{
	struct last_value before = layer->buffers;
	bool sure = before.known && buffers_oldest(layer) > 0;
	bool fits = event_fits(rule, &layer->buffers, record->value);
	bool falls = before.known && record->value < before.value;

	/* One buffer comes, or some leave: else an event is missing. But up to Android 11 one that
	 * comes may replace another. */
	if (before.known && evidence_of(rule) == EVIDENCE_COUNTER)
		layers_turn(e->layers, &layer->in_turn,
			    falls || record->value - 1 == before.value ||
				    (record->value == before.value && rule->role == RULE_QUEUE &&
				     rule->context),
			    record->time_ns);
	if (evidence_of(rule) != EVIDENCE_COUNTER) {
		if (rule->role == RULE_QUEUE)
			buffers_queue(layer, record->time_ns);
		else if (rule->role == RULE_DROP)
			buffers_pop(layer);
	} else if (rule->role == RULE_QUEUE && !falls) {
		struct work_owner owner = layer->evidence.owner;
		const struct work_process *process = layer_process(layer, e->work, &owner);

		/* Up to Android 11 a buffer may replace the last one in the queue. */
		layer->overtaken += sure && rule->context && record->value == before.value;
		buffers_queued(layer, before, record->value, record->time_ns, rule->context != 0);
		/* That a process was at work when buffers were queued is no evidence of whose they
		 * are, only names are. */
		e->sink->queued(e->sink->producers, layer,
				process && owner.by_name ? process->pid : TRACE_ID_UNKNOWN, record,
				rule->context != 0);
	} else if (rule->role == RULE_QUEUE) {
		/* No rule makes it a latch, but an instant may follow. The buffer is unknown. */
		buffers_left(layer, before, record->value, e->presents + 1);
		layer->left_queued_ns = 0;
	} else {
		/* The newest one that is due was latched, and those before it were dropped. */
		if (rule->role == RULE_LATCH && fits) {
			if (sure && falls && record->value >= 0)
				layer->overtaken += (uint64_t)(before.value - record->value - 1);
			e->dropped_frames += layer->excluded ? 0 : layer->overtaken;
			layer->overtaken = 0;
		}
		buffers_left(layer, before, record->value,
			     rule->role == RULE_LATCH && fits ? e->presents + 1 : 0);
	}
	return fits;
}

void layer_event(struct layer_events *e, const struct rule *rule,
		 const struct pattern_capture *capture, const struct trace_record *record)
{
	bool from_sf = !e->sf->known || record->tid == e->sf->tid;
	struct span name = capture->layer, bare = SPAN_NULL;
	char copy[SURFACE_MAX];
	struct latch latch = {
		.tid = record->tid,
		.evidence = evidence_of(rule),
		.time_ns = record->time_ns,
		.number = capture->frame,
	};
	struct layer *layer;
	int id;

	if (rule->event == EVENT_INSTANT && record->name.len == INSTANT_CUT)
		return;
	/* HarmonyOS puts a bar into names in counters, and nowhere else. But a window's title can
	 * contain a bar, too. If a counter is the first event of a layer, the name without the bar
	 * is assumed, and another event may correct it. */
	id = layers_find(e->layers, name);
	if (id != LAYER_NONE)
		e->layers->layers[id].bare &= latch.evidence == EVIDENCE_COUNTER;
	else if (rule_is_unique(rule))
		bare = layer_without_bar(name, copy);
	if (bare.ptr) {
		id = layers_find(e->layers, bare);
		if (latch.evidence == EVIDENCE_COUNTER) {
			name = bare;
		} else if (id != LAYER_NONE && !e->layers->layers[id].bare) {
			id = LAYER_NONE;
		} else if (id != LAYER_NONE) {
			layers_rename(e->layers, id, name);
			set_up_layer(e, &e->layers->layers[id], name);
			e->layers->layers[id].bare = false;
		}
	}
	layer = use_layer(e, id, name, record->tid);
	if (!layer) {
		if (rule->role == RULE_LATCH && is_counted(e, name) &&
		    is_latch(e, rule, name.len, record))
			e->refused_frames += layers_refuse_frame(e->layers, name, e->presents + 1);
		return;
	}
	layer->bare |= id == LAYER_NONE && name.len != capture->layer.len;
	if (layer->ignored)
		return;
	layer->sure |= rule->role != RULE_LATCH || rule_is_unique(rule);
	if (rule->role == RULE_TRANSACTION) {
		if (event_fits(rule, &layer->transactions, record->value) && from_sf)
			layer->applied_present = e->presents + 1;
		return;
	}
	if (follow_buffers(e, rule, layer, record)) {
		latch.layer = (int)(layer - e->layers->layers);
		/* A fallback rule counts only if no better event shows the latch. */
		if (rule->role == RULE_LATCH)
			latches_add(&e->latches, &latch, e->presents + 1,
				    is_latch(e, rule, layer->length, record),
				    e->sf->known ? e->sf->tid : record->tid);
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
	for (struct layer *layer = NULL;
	     e->work->queued && (layer = layers_next(e->layers, layer));)
		stall_follow_buffers(e->work, layer, false, time_ns);
	e->work->queued = false;
	e->work->losses++;
	e->resets++;
}

void layer_events_lost(struct layer_events *e, uint64_t from_ns)
{
	struct latch_list *latches = &e->latches;

	e->work->losses++;
	e->lost_ns = later(e->lost_ns, from_ns);
	for (unsigned int i = 0; i < latches->n; i++)
		if (latches->all[i].queued_ns <= from_ns && from_ns < latches->all[i].time_ns)
			latches->all[i].queued_ns = 0;
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
	for (struct layer *layer = NULL; (layer = layers_next(e->layers, layer));) {
		struct span name = span_of(layer->name);
		char copy[SURFACE_MAX];

		layer->ignored = ruleset_ignores_layer(rules, name);
		/* The end of a cut name is unknown, so the parts that change from start to start
		 * cannot be removed. */
		if (layer->length != name.len ||
		    span_equal(ruleset_surface(rules, name, copy), span_of(layer->surface)))
			continue;
		e->sink->close_row(e->sink->queue, layer);
		set_up_layer(e, layer, name);
	}
}
