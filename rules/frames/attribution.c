/* SPDX-License-Identifier: Apache-2.0 */
/* Attribution: from slices and counters to frames.
 *
 *     Android 9                                         Android 14
 *     binder     queueBuffer                            binder     setTransactionState
 *                   C layer#0 = 1      <- queued ->                   C BufferTX - layer#7 = 1
 *     SF main    handleMessageInvalidate                SF main    commit 4711
 *                   latchBuffer                                       I latchBuffer layer#7 - 42
 *                      acquireBuffer                                  C BufferTX - layer#7 = 0
 *                         C layer#0 = 0   <- latched ->
 *                handleMessageRefresh                              composite 4711
 *                   postFramebuffer       <- present ->               presentFrameAndRelease...
 *
 * A counter alone is no evidence: the producer's thread writes the same name with rising values,
 * and other processes can write anything. It is a latch if it is written in the right place: on the
 * thread that presents, inside the slice that acquires a buffer. So latches are collected by
 * thread, and a present uses those of its own thread: all layers that were latched since the
 * previous present have a frame in it. A composition for several displays presents several times;
 * only its first present counts, which has all the latches.
 *
 * SurfaceFlinger is the process whose thread presents; nothing else is assumed. The thread that
 * presents may not be its first one (Android 4), and the process number in its markers may differ
 * from the kernel's (containers).
 */
#include "rules/frames/attribution.h"

#include <stdlib.h>

#include "rules/base/memory.h"

/* SurfaceFlinger presents soon after it latches. Longer after it, the present was lost. */
#define LATCH_AGE_NS UINT64_C(6000000)

/* For the end of a trace: a SurfaceFlinger that draws is never silent for this long. */
#define SILENT_END_NS UINT64_C(250000000)

static void match_event(struct attribution *a, const struct trace_record *record, uint32_t open);
static void emit_present(struct attribution *a, const struct trace_record *record);

static void emit(struct attribution *a, enum rule_role role, const struct rule *rule,
		 const struct trace_record *record, const struct pattern_capture *capture)
{
	a->sink.event(a->sink.pipeline, &(struct role_event){ role, rule, record, capture });
}

/* --- which process is SurfaceFlinger --- */

/* True: the writer of the marker is in SurfaceFlinger's process, according to the trace so far. */
static bool is_sf_process(const struct attribution *a, const struct trace_record *record)
{
	if (record->writer != TRACE_WRITER_UNKNOWN)
		return record->writer == TRACE_WRITER_SURFACEFLINGER;
	return !a->sf.known || surfaceflinger_is(&a->sf, record->pid, record->tgid);
}

/* A thread of SurfaceFlinger was found before. True: the thread that presents now may replace it.
 */
static bool may_replace(const struct attribution *a, const struct trace_record *record,
			enum trust trust)
{
	const struct candidate *c = &a->candidate;
	bool evident = candidate_is(c, record) && c->ticks > 0 && c->latches > 0;

	if (trust > a->sf.trust || (trust == TRUST_KNOWN && record->tgid != a->sf.tgid))
		return true;
	/* The previous SurfaceFlinger was only idle when another one replaced it. */
	if (a->before.known && trust >= a->sf.trust && record->tid == a->before.tid &&
	    surfaceflinger_is(&a->before, record->pid, record->tgid))
		return true;
	return surfaceflinger_is_over(&a->sf, record, trust, evident);
}

/* The candidate is not SurfaceFlinger: drops its events. */
static void drop_candidate(struct attribution *a)
{
	a->foreign_presents += a->candidate.sf.known ? a->candidate.presents : 0;
	a->candidate.sf.known = false;
}

static void hold(struct attribution *a, enum held_kind kind, const struct trace_record *record)
{
	struct candidate *c = &a->candidate;
	uint64_t open = slice_stacks_open(&a->stacks, record->tid);
	struct trace_record its = *record;

	its.writer = TRACE_WRITER_UNKNOWN;
	its.cpu = TRACE_ID_UNKNOWN;
	its.tgid = c->sf.tgid;
	its.pid = c->sf.pid;
	its.comm = its.track = SPAN_NULL;
	c->last_ns = record->time_ns;
	if (!held_add(&c->held, &its, open << 2 | (uint64_t)kind))
		drop_candidate(a);
}

/* @next is SurfaceFlinger from now on. Of another one open slices, latches and counters become
 * invalid, but not the latches of the new one. If that was the candidate, its held events are
 * processed as if they were new. */
static void follow(struct attribution *a, struct surfaceflinger next, uint64_t time_ns)
{
	struct candidate *c = &a->candidate;
	struct surfaceflinger before = a->sf;
	bool better = next.trust > before.trust;
	bool returns = a->before.known && next.tid == a->before.tid;
	struct trace_record record;
	uint64_t note;

	if (before.known) {
		/* If the name of the new one is more certain, it always was SurfaceFlinger: no
		 * restart. */
		a->restarts += !better && !surfaceflinger_is(&before, next.pid, next.tgid);
		a->stacks.now_ns = time_ns;
		while (slice_stacks_open(&a->stacks, before.tid))
			slice_stacks_end(&a->stacks, before.tid);
		layer_events_change_thread(&a->layer_events, next.tid, time_ns);
		app_work_forget_delays(a->work, 0);
		expected_new_surfaceflinger(&a->expected);
		a->before = before;
		a->before.known = !better && !returns;
	}
	a->sf = next;
	a->sink.surfaceflinger(a->sink.pipeline, time_ns, before.known);
	if (!c->sf.known || !surfaceflinger_is(&a->sf, c->sf.pid, c->sf.tgid)) {
		drop_candidate(a);
		return;
	}
	c->sf.known = false;
	for (size_t at = 0; at < c->held.used;) {
		at = held_read(&c->held, at, &record, &note);
		if ((note & 3) == HELD_EVENT) {
			match_event(a, &record, (uint32_t)(note >> 2));
		} else if ((note & 3) == HELD_PRESENT) {
			emit_present(a, &record);
		} else {
			layer_events_forget(&a->layer_events, record.time_ns);
			a->sink.hole(a->sink.queue);
		}
	}
	a->sf.presented = c->sf.presented;
}

/* True: the process that wrote @record is the candidate, or is from now on. @named: its thread has
 * SurfaceFlinger's name. */
static bool watch(struct attribution *a, const struct trace_record *record, bool named)
{
	struct candidate *c = &a->candidate;

	if (candidate_is(c, record))
		return true;
	if (c->sf.known && !(named && c->presents == 0) &&
	    record->time_ns <= c->last_ns + SURFACEFLINGER_SILENT_NS)
		return false;
	drop_candidate(a);
	held_remove(&c->held, c->held.used);
	*c = (struct candidate){ .sf = SURFACEFLINGER_UNKNOWN,
				 .last_ns = record->time_ns,
				 .held = c->held };
	c->sf.known = true;
	c->sf.pid = record->pid;
	c->sf.tgid = record->tgid;
	return true;
}

/* Another process writes an event that @rule matches. True: it is SurfaceFlinger now. */
static bool watch_event(struct attribution *a, const struct rule *rule,
			const struct trace_record *record)
{
	struct candidate *c = &a->candidate;
	bool named = trust_of(record) == TRUST_NAMED;

	if (!candidate_is(c, record) && !rule_is_unique(rule) &&
	    !(named && rule->role == RULE_LATCH))
		return false;
	if (!watch(a, record, named))
		return false;
	/* It has presented before. */
	if (c->presents > 0 && may_replace(a, record, c->sf.trust)) {
		follow(a, c->sf, record->time_ns);
		return true;
	}
	c->ticks += rule_is_tick(rule);
	c->latches += rule->role == RULE_LATCH;
	hold(a, HELD_EVENT, record);
	return false;
}

/* Another process presents. Returns false if it cannot be the next SurfaceFlinger. */
static bool watch_present(struct attribution *a, const struct trace_record *record,
			  enum trust trust)
{
	struct candidate *c = &a->candidate;

	if (surfaceflinger_is(&a->sf, record->pid, record->tgid) ||
	    !surfaceflinger_may_follow(&a->sf, record, trust) ||
	    !watch(a, record, trust == TRUST_NAMED) ||
	    (c->presents > 0 && record->tid != c->sf.tid))
		return false;
	c->sf.tid = record->tid;
	c->sf.trust = trust;
	if (c->sf.presented)
		return true;
	c->sf.presented = (slice_stacks_open(&a->stacks, record->tid) & SLICE_COMPOSITE) != 0;
	c->presents++;
	hold(a, HELD_PRESENT, record);
	return true;
}

/* --- presents --- */

/* A frame for each layer that this thread latched since its last present. */
static void emit_present(struct attribution *a, const struct trace_record *record)
{
	const struct sf_composition *composition = &a->composition;
	struct latch_list *latches = &a->layer_events.latches;
	uint64_t frames = a->frames, number = ++a->layer_events.presents;

	a->sf.last_ns = record->time_ns;
	for (unsigned int i = 0; i < latches->n; i++) {
		const struct latch *latch = &latches->all[i];
		struct layer *layer = &latches->layers->layers[latch->layer];
		struct frame frame = {
			.layer = latch->layer,
			.present_ns = record->time_ns,
			.queued_ns = latch->queued_ns,
			.latched_ns = latch->time_ns,
			.replaced_ns = layer->replaced_ns,
			.number = latch->number,
			.is_new = latch->evidence & EVIDENCE_COUNTER,
			.vsync_id = composition->tid == latch->tid ? composition->vsync_id : -1,
			.tx = layer->applied_present == number,
		};

		if (latch->tid != record->tid)
			continue;
		a->frames++;
		layer->replaced_ns = 0;
		a->sink.frame(a->sink.queue, &frame);
	}
	a->unattributed_presents += a->frames == frames;
	latches_forget(latches, record->tid, false);
	emit(a, RULE_PRESENT, NULL, record, NULL);
	a->composition.presented = true;
}

/* A present slice begins: by its writer SurfaceFlinger is found, or followed to another process. */
static void present(struct attribution *a, const struct trace_record *record)
{
	struct surfaceflinger *sf = &a->sf;
	enum trust trust = trust_of(record);

	if (sf->known && record->tid == sf->tid) {
		/* A thread's name may be found late and may get lost again: the best one counts. */
		if (trust > sf->trust)
			sf->trust = trust;
		if (sf->tgid == TRACE_ID_UNKNOWN)
			sf->tgid = record->tgid;
		sf->pid = record->pid;
	} else if (sf->known ? may_replace(a, record, trust)
			     : trust != TRUST_OTHER || record->pid == a->tick_pid ||
				       latches_any(&a->layer_events.latches, record->tid)) {
		/* Any process may begin a slice of any name: one without other evidence is not the
		 * first. */
		follow(a,
		       (struct surfaceflinger){ .known = true,
						.trust = trust,
						.tid = record->tid,
						.pid = record->pid,
						.tgid = record->tgid,
						.tick_tid = TRACE_ID_UNKNOWN },
		       record->time_ns);
	} else if (sf->known && watch_present(a, record, trust)) {
		return;
	} else {
		a->foreign_presents++;
		/* Drops the latches of this present. If the process becomes SurfaceFlinger, only
		 * later ones count. */
		latches_forget(&a->layer_events.latches, record->tid, false);
		return;
	}

	sf->last_ns = record->time_ns;
	if (sf->presented) {
		a->several_displays = true;
		return;
	}
	sf->presented = (slice_stacks_open(&a->stacks, record->tid) & SLICE_COMPOSITE) != 0;
	if (!a->committed)
		sf_runs_not_at_rest(&a->runs);
	a->committed = false;
	emit_present(a, record);
}

/* --- records --- */

/* The next present of the thread belongs to another composition. */
static void composition_ends(struct attribution *a, int32_t tid)
{
	if (tid == a->sf.tid)
		a->sf.presented = false;
	else if (tid == a->candidate.sf.tid)
		a->candidate.sf.presented = false;
}

void attribution_end_composition(struct attribution *a, const struct trace_record *record)
{
	if (slice_stacks_open(&a->stacks, record->tid) & SLICE_COMPOSITE)
		return;
	if (record->tid == a->sf.tid && a->sf.presented)
		emit(a, RULE_COMPOSITE, NULL, record, NULL);
	composition_ends(a, record->tid);
}

/* The rule that an event matches, whose thread has the slices @open. Those of apps end here. */
static inline const struct rule *match(struct attribution *a, const struct trace_record *record,
				       uint32_t open, struct pattern_capture *capture)
{
	const struct rule_index *counters = &a->rules->counters;
	const struct rule *rule = NULL;

	if (record->kind != TRACE_COUNTER)
		rule = ruleset_match(a->rules,
				     record->kind == TRACE_INSTANT ? &a->rules->instants
								   : &a->rules->slices,
				     record->name, open, capture);
	else if (rule_index_may_match(counters, record->name, open & counters->contexts))
		rule = names_counter(&a->names, record->name, open, capture);
	if (!rule || (rule->role != RULE_PRODUCER && rule->role != RULE_ANSWER))
		return rule;
	if (rule->role == RULE_PRODUCER)
		app_work_producer(a->work, record, capture->layer);
	emit(a, rule->role, rule, record, capture);
	return rule;
}

/* An event that @rule matches, or a counter that none does. */
static __attribute__((noinline)) void named_event(struct attribution *a, const struct rule *rule,
						  const struct pattern_capture *capture,
						  const struct trace_record *record)
{
	enum rule_role role = rule ? rule->role : RULE_NONE;

	if (role >= RULE_WORK && role < RULE_IGNORE)
		return;
	if (rule && (role < RULE_CLIENT || role == RULE_IGNORE) && !is_sf_process(a, record) &&
	    !watch_event(a, rule, record))
		return;
	if (role == RULE_IGNORE)
		return;
	if (role >= RULE_LATCH && role <= RULE_TRANSACTION)
		layer_event(&a->layer_events, rule, capture, record);
	if (role < RULE_TICK || role > RULE_TARGET) {
		if (record->kind != TRACE_COUNTER || !a->sf.known || !is_sf_process(a, record))
			return;
		if (rule)
			a->expected.is_14 |= rule->since_14;
		emit(a, role, rule, record, capture);
		return;
	}

	/* It is about the display's vsyncs. */
	if (record->kind == TRACE_SLICE_BEGIN)
		return;
	if (role <= RULE_HWVSYNC || (role != RULE_TARGET && record->value > 0)) {
		a->tick_pid = record->pid;
		a->tick_tgid = record->tgid;
	}
	if (rule_is_tick(rule)) {
		/* While there is a candidate, only ticks of the old SurfaceFlinger's thread show
		 * that it runs. */
		if (!a->candidate.sf.known)
			a->sf.tick_tid = record->tid;
		if (record->tid == a->sf.tick_tid)
			a->sf.tick_ns = record->time_ns;
		expected_tick(&a->expected, role, record->time_ns);
		/* Of two equal values a tick between is missing. */
		layers_turn(a->layer_events.layers, &a->sf.ticks[role - RULE_TICK].in_turn,
			    a->sf.ticks[role - RULE_TICK].value != record->value, record->time_ns);
		a->sf.ticks[role - RULE_TICK].value = record->value;
	}
	if (role == RULE_SF_TICK)
		sf_runs_tick(&a->runs, record->time_ns, record->value);
	emit(a, role, rule, record, capture);
	if (role == RULE_HWVSYNC && a->nominal_ns > 0 && record->tid == a->nominal_tid) {
		struct pattern_capture nominal = { .time_ns = (int64_t)a->nominal_ns };

		a->nominal_ns = 0;
		emit(a, RULE_NOMINAL, rule, record, &nominal);
	}
}

/* An event whose thread has the slices @open. */
static inline void match_event(struct attribution *a, const struct trace_record *record,
			       uint32_t open)
{
	struct pattern_capture capture;
	const struct rule *rule = match(a, record, open, &capture);

	if (rule || a->sink.each_counter)
		named_event(a, rule, &capture, record);
}

/* A slice begins. Those of a rule, and of a role whose end matters, are kept until they end. @kept:
 * its meanings that matter then; work is added. */
static inline void push(struct attribution *a, const struct trace_record *record,
			const struct slice_meaning *meaning, uint32_t kept)
{
	struct slice_stacks *stacks = &a->stacks;
	enum rule_role role = meaning->role;
	struct slice_stack *stack;
	uint64_t vsync_ns = 0;
	uint32_t closed;
	bool works;

	if ((meaning->mask & SLICE_WORK) && (!a->sf.known || !is_sf_process(a, record))) {
		stack = slice_stacks_find(stacks, record->tid);
		works = stack && stack->work.process > 0;
		/* Another process had a thread of that number. An unknown tgid is no evidence. */
		if (works && stack->work.pid != record->pid &&
		    a->work->processes[stack->work.process - 1].pid != trace_process(record)) {
			slice_stacks_drop(stacks, record->tid);
			works = false;
		}
		/* Work inside other work changes nothing, but a doFrame may wait for it. */
		if (!works || ((meaning->mask | stack->open) & SLICE_CALLBACK))
			kept |= meaning->mask & (SLICE_WORK | SLICE_CALLBACK);
	}
	/* The end of a mark tells nothing. The parts matter in a callback only. */
	if (role < RULE_CALLBACK || (role > RULE_ENQUEUE && !(kept & SLICE_WAIT)) ||
	    (role >= RULE_RESYNC && role <= RULE_DRAW &&
	     !(slice_stacks_open(stacks, record->tid) & SLICE_CALLBACK)))
		role = RULE_NONE;
	if (!kept && role == RULE_NONE) {
		slice_stacks_begin_unnamed(stacks, record->tid);
		return;
	}
	/* Slices that cannot be open now: if they are, their ends were lost. A composition never
	 * begins inside a slice that is part of one. */
	closed = kept & (a->rules->entered_once | SLICE_CALLBACK);
	if (kept & SLICE_COMPOSITE)
		closed |= ~(a->rules->composites | SLICE_COMPOSITE);
	stack = slice_stacks_begin(stacks, record->tid, kept, role, closed);
	if (kept & SLICE_CALLBACK)
		vsync_ns = expected_latest(&a->expected, meaning->number,
					   app_work_answered(a->work, trace_process(record)),
					   record->time_ns);
	if ((kept & SLICE_WAIT) && stack->work.process == 0)
		stack->work.pid = trace_process(record);
	if (kept & SLICE_WORK)
		app_work_begin(a->work, stack, record, vsync_ns);
}

static __attribute__((noinline)) void slice_begin(struct attribution *a,
						  const struct trace_record *record,
						  const struct slice_meaning *meaning)
{
	uint32_t mask = meaning->mask;
	struct sf_composition *composition = &a->composition;

	if ((mask & SLICE_TOKEN) && record->tid == a->sf.tid) {
		const struct pattern_capture plan = { .time_ns = meaning->time_ns };

		expected_composition(&a->expected, meaning->number, record->time_ns);
		a->expected.is_14 |= meaning->since_14;
		if (meaning->role == RULE_PLAN || meaning->role == RULE_REPLAN)
			emit(a, meaning->role, NULL, record, &plan);
	}
	/* SurfaceFlinger states the period of the display whose hardware vsync is in the slice. The
	 * number in its name is the composer's, not that of other names. */
	if ((mask & SLICE_NOMINAL) && is_sf_process(a, record)) {
		a->nominal_tid = record->tid;
		a->nominal_ns = (uint64_t)meaning->time_ns;
	}
	if (mask & SLICE_COMPOSITE)
		composition_ends(a, record->tid);
	/* A commit begins, or a composition. Android 12 writes the vsync id at the commit only, so
	 * it stays until the composition has presented. */
	if ((mask & (SLICE_COMMIT | SLICE_COMPOSITE)) &&
	    (!a->sf.known || record->tid == a->sf.tid) &&
	    (record->tid != composition->tid || composition->presented || meaning->number >= 0))
		*composition =
			(struct sf_composition){ .tid = record->tid, .vsync_id = meaning->number };
	push(a, record, meaning,
	     mask & ~(SLICE_PRESENT | SLICE_COMMIT | SLICE_TOKEN | SLICE_NOMINAL | SLICE_WORK |
		      SLICE_CALLBACK));
	if (mask & SLICE_PRESENT)
		present(a, record);
	if ((mask & SLICE_COMMIT) && a->sf.known && record->tid == a->sf.tid) {
		a->committed = true;
		emit(a, RULE_COMMIT, NULL, record, NULL);
	}
	if (a->rules->layers_in_slices)
		match_event(a, record, slice_stacks_open(&a->stacks, record->tid));
}

void attribution_forget_open(struct attribution *a, uint64_t time_ns)
{
	struct trace_record loss = { .time_ns = a->candidate.last_ns, .tid = TRACE_ID_UNKNOWN };

	a->stacks.now_ns = time_ns;
	slice_stacks_lost(&a->stacks, TRACE_ID_UNKNOWN);
	expected_forget(&a->expected);
	layer_events_forget(&a->layer_events, time_ns);
	a->sf.presented = false;
	a->candidate.sf.presented = false;
	a->nominal_ns = 0;
	a->composition = COMPOSITION_UNKNOWN;
	sf_runs_clear(&a->runs);
	if (a->candidate.sf.known)
		hold(a, HELD_LOSS, &loss);
}

/* Events of SurfaceFlinger's thread may be missing. A composition stays open: the next one closes
 * it. Shorter slices are dropped: in them any counter would be that of a layer. Queues of buffers
 * become invalid, and latches whose present may be missing. */
static void on_hidden(void *context, const struct sf_hidden *hidden)
{
	struct attribution *a = context;
	bool torn = !hidden->at_rest && hidden->there && a->several_displays;

	if (hidden->length_ns >= LATCH_AGE_NS || torn)
		latches_forget_until(&a->layer_events.latches, hidden->from_ns);
	if (!hidden->foretold)
		layer_events_reset(&a->layer_events, hidden->from_ns);
	if (!hidden->at_rest)
		a->composition = COMPOSITION_UNKNOWN;
	if (!hidden->at_rest && (slice_stacks_open_before(&a->stacks, a->sf.tid, hidden->after_ns) &
				 ~(a->rules->composites | SLICE_COMPOSITE))) {
		slice_stacks_drop(&a->stacks, a->sf.tid);
		a->sf.presented = false;
	}
	a->sink.hidden(a->sink.queue, hidden->from_ns, hidden->at_rest, torn);
}

void attribution_lost(struct attribution *a, int32_t cpu, uint64_t from_ns, uint64_t time_ns)
{
	app_work_forget_delays(a->work, from_ns);
	if (!a->sf.known || a->candidate.sf.known || cpu < 0) {
		attribution_forget_open(a, time_ns);
		a->sink.hidden(a->sink.queue, from_ns, false, false);
		return;
	}
	a->stacks.now_ns = time_ns;
	slice_stacks_lost(&a->stacks, a->sf.tid);
	expected_forget(&a->expected);
	layer_events_lost(&a->layer_events, from_ns);
	/* Buffers queued from now on are not in the hole. */
	if (sf_runs_lost(&a->runs, a->sf.tid, cpu, from_ns, time_ns))
		layer_events_reset(&a->layer_events, from_ns);
}

/* SurfaceFlinger's thread writes an event that does not continue its last run. */
static __attribute__((noinline)) void begin_run(struct attribution *a,
						const struct trace_record *record, uint32_t mask)
{
	bool begins = mask & (SLICE_COMMIT | SLICE_COMPOSITE);
	const struct sf_run run = {
		.from_ns = record->time_ns,
		.to_ns = record->time_ns,
		.cpu = record->cpu,
		.has_latches = latches_any(&a->layer_events.latches, record->tid),
		.at_rest = begins && !slice_stacks_open(&a->stacks, record->tid),
	};

	sf_runs_begin(&a->runs, record->tid, &run);
}

static void forget_processes(struct attribution *a)
{
	struct layer_table *layers = a->layer_events.layers;

	drop_candidate(a);
	attribution_forget_open(a, 0);
	app_work_new_clock(a->work);
	for (struct layer *layer = NULL; (layer = layers_next(layers, layer));)
		layer->evidence = (struct stall_evidence){ .losses = 0 };
}

/* It may be another boot: SurfaceFlinger, and who queues a layer's buffers, are found again. */
void attribution_new_clock(struct attribution *a)
{
	struct layer_table *layers = a->layer_events.layers;

	forget_processes(a);
	expected_new_clock(&a->expected);
	a->sf = a->before = SURFACEFLINGER_UNKNOWN;
	a->tick_pid = a->tick_tgid = TRACE_ID_UNKNOWN;
	a->committed = a->several_displays = false;
	layer_events_change_thread(&a->layer_events, TRACE_ID_UNKNOWN, 0);
	a->layer_events.lost_ns = 0;
	for (struct layer *layer = NULL; (layer = layers_next(layers, layer));) {
		layer->sure = false;
		layer->producer = layer->buffer_ns = layer->undrawn_ns = 0;
		layer->producer_votes = 0;
		layer->pause = (struct pause_state){ .n = 0 };
	}
}

void attribution_end(struct attribution *a)
{
	const struct candidate *c = &a->candidate;

	if (c->sf.known && c->presents > 0 && c->latches > 0 &&
	    (c->ticks > 0 || c->sf.trust >= TRUST_NAMED) &&
	    c->last_ns >= a->sf.last_ns + SILENT_END_NS &&
	    c->last_ns >= a->sf.tick_ns + SILENT_END_NS)
		follow(a, c->sf, c->last_ns);
	drop_candidate(a);
}

void attribution_set_rules(struct attribution *a, const struct ruleset *rules)
{
	a->rules = rules;
	names_set_rules(&a->names, rules);
	forget_processes(a);
	layer_events_set_rules(&a->layer_events, rules);
}

/* Another process certainly wrote a name that only SurfaceFlinger writes. */
static __attribute__((noinline)) void on_forged(struct attribution *a,
						const struct trace_record *record)
{
	if (a->forgery_reported)
		return;
	a->forgery_reported = true;
	a->sink.forgery(a->sink.pipeline, record);
}

/* Called before the event of a process that may be SurfaceFlinger changes anything. @mask: of a
 * slice that begins. */
static inline void follow_writer(struct attribution *a, const struct trace_record *record,
				 uint32_t mask)
{
	if (a->candidate.sf.known && surfaceflinger_wrote(&a->sf, record))
		drop_candidate(a);
	if (a->sf.known && record->tid == a->sf.tid &&
	    sf_runs_add(&a->runs, record->tid, record->cpu, record->time_ns))
		begin_run(a, record, mask);
}

void attribution_any_begin(struct attribution *a, const struct trace_record *record,
			   const struct slice_meaning *meaning)
{
	if (record->writer == TRACE_WRITER_OTHER) {
		push(a, record, meaning, meaning->mask & SLICE_WAIT);
		if (meaning->mask & SLICE_PRESENT) {
			a->foreign_presents++;
			on_forged(a, record);
		}
		return;
	}
	follow_writer(a, record, meaning->mask);
	if (meaning == &slice_unnamed)
		slice_stacks_begin_unnamed(&a->stacks, record->tid);
	else
		slice_begin(a, record, meaning);
}

const struct open_slice *attribution_any_end(struct attribution *a,
					     const struct trace_record *record)
{
	const struct open_slice *ended;

	if (record->writer != TRACE_WRITER_OTHER)
		follow_writer(a, record, 0);
	ended = slice_stacks_end(&a->stacks, record->tid);
	if ((a->sf.presented && record->tid == a->sf.tid) ||
	    (a->candidate.sf.presented && record->tid == a->candidate.sf.tid))
		attribution_end_composition(a, record);
	return ended;
}

void attribution_event(struct attribution *a, const struct trace_record *record)
{
	bool other = record->writer == TRACE_WRITER_OTHER;
	struct pattern_capture capture;
	const struct rule *rule;

	a->stacks.now_ns = record->time_ns;
	if (!other)
		follow_writer(a, record, 0);
	if (record->kind != TRACE_COUNTER && record->kind != TRACE_INSTANT)
		return;
	if (!other) {
		match_event(a, record, slice_stacks_open(&a->stacks, record->tid));
		return;
	}
	rule = match(a, record, 0, &capture);
	if (!rule || !rule_is_unique(rule))
		return;
	if (rule->role >= RULE_TICK && rule->role <= RULE_TARGET)
		a->foreign_ticks++;
	else
		a->foreign_latches++;
	on_forged(a, record);
}

void attribution_init(struct attribution *a, const struct ruleset *rules, unsigned int max_threads,
		      struct layer_table *layers, const struct attribution_sink *sink,
		      struct memory *memory)
{
	a->rules = a->names.rules = rules;
	a->sink = *sink;
	a->work = memory_keep(memory, memory_new(1, sizeof(*a->work)));
	if (!a->work)
		return;
	a->layer_events = (struct layer_events){
		.rules = rules, .layers = layers, .sf = &a->sf, .work = a->work, .sink = &a->sink
	};
	a->tick_pid = a->tick_tgid = TRACE_ID_UNKNOWN;
	a->runs.context = a;
	a->runs.hidden = on_hidden;
	a->sf = SURFACEFLINGER_UNKNOWN;
	a->composition = COMPOSITION_UNKNOWN;
	a->candidate.held =
		(struct held_records){ memory_keep(memory, calloc(1, HELD_SIZE)), HELD_SIZE, 0 };
	latches_init(&a->layer_events.latches, layers, memory);
	slice_stacks_init(&a->stacks, max_threads, memory);
	a->stacks.work = a->work;
	a->stacks.work_ends = app_work_end;
	a->work->stacks = &a->stacks;
	a->work->sf_tid = &a->sf.tid;
}
