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
 * A counter says nothing by itself: the producer's thread writes the same name upwards, and other
 * processes write what they like. What makes it a latch is where it is written: on the thread that
 * presents, inside the slice that takes a buffer. So latches are collected by thread, and a
 * present takes those of its own thread: all layers latched since the present before have a
 * frame in it. A composition that goes to several displays presents several times; its first
 * present has taken the latches, and counts.
 *
 * SurfaceFlinger is the process whose thread presents; nothing else is assumed of it. Its main
 * thread is not its first thread (Android 4), and the process number in its markers is not the
 * kernel's (containers).
 */
#include "rules/attribute.h"

#include <string.h>
#include <strings.h>

#include "rules/buffers.h"

/* How sure the name of a thread makes us that it is SurfaceFlinger's. */
enum trust {
	TRUST_OTHER,   /* it has another name */
	TRUST_UNKNOWN, /* the kernel forgot it: "<...>" */
	TRUST_NAMED,   /* surfaceflinger, SurfaceFlinger */
	TRUST_KNOWN,   /* the kernel's word: no name, but its process */
};

/* A SurfaceFlinger that is silent for so long may have been replaced. */
#define SILENT_NS UINT64_C(1000000000)
#define SILENT_UNNAMED_NS UINT64_C(5000000000)

/* libgui's TraceUtils.h cuts an instant here. It says nothing for sure any more: the layer that is
 * left of its name may be another's. */
#define INSTANT_CUT 255

/* With a layer's name so long, "latchBuffer " and " - 4294967296" around it, it may be cut. */
#define INSTANT_LAYER_MAX 230

int attribution_init(struct attribution *a, const struct ruleset *rules, unsigned int max_threads,
		     struct layer_table *layers, const struct attribution_sink *sink)
{
	memset(a, 0, sizeof(*a));
	a->rules = rules;
	a->layers = layers;
	a->sink = *sink;
	a->tick_pid = a->tick_tgid = TRACE_ID_UNKNOWN;
	a->sf.tid = a->sf.pid = a->sf.tgid = TRACE_ID_UNKNOWN;
	return threads_init(&a->threads, max_threads);
}

void attribution_free(struct attribution *a)
{
	threads_free(&a->threads);
}

/* --- who is SurfaceFlinger --- */

static enum trust trust_of(const struct trace_record *record)
{
	static const struct span name = SPAN_INIT("surfaceflinger");
	struct span comm = record->comm;

	if (record->writer == TRACE_WRITER_SURFACEFLINGER)
		return TRUST_KNOWN;
	if (comm.len >= name.len && strncasecmp(comm.ptr, name.ptr, name.len) == 0)
		return TRUST_NAMED;
	if (comm.len == 0 || span_equal(comm, SPAN_LITERAL("<...>")))
		return TRUST_UNKNOWN;
	return TRUST_OTHER;
}

/* Two processes may have one number in their markers, where one of them is in a container. */
static bool is_process(const struct surfaceflinger *sf, int32_t pid, int32_t tgid)
{
	return pid == sf->pid &&
	       (sf->tgid == TRACE_ID_UNKNOWN || tgid == TRACE_ID_UNKNOWN || tgid == sf->tgid);
}

/* Is the marker's writer SurfaceFlinger's process, as far as can be told? */
static bool is_sf_process(const struct attribution *a, const struct trace_record *record)
{
	if (record->writer != TRACE_WRITER_UNKNOWN)
		return record->writer == TRACE_WRITER_SURFACEFLINGER;
	return !a->sf.known || is_process(&a->sf, record->pid, record->tgid);
}

/* May the thread that presents now be SurfaceFlinger's, where another is taken for it? */
static bool may_replace(const struct attribution *a, const struct trace_record *record,
			enum trust trust)
{
	uint64_t silent_ns = record->time_ns > a->sf.last_ns ? record->time_ns - a->sf.last_ns : 0;

	if (trust > a->sf.trust)
		return true;
	if (trust == TRUST_KNOWN && record->tgid != a->sf.tgid)
		return true;
	if (trust >= TRUST_NAMED)
		return silent_ns >= SILENT_NS;
	return silent_ns >= SILENT_UNNAMED_NS && trust == a->sf.trust;
}

/* May it be, where none is known yet? Any process may begin a slice of any name. */
static bool may_be_first(const struct attribution *a, const struct trace_record *record,
			 enum trust trust)
{
	return trust != TRUST_OTHER || record->pid == a->tick_pid ||
	       latches_any(&a->latches, record->tid);
}

/* Another one presents: what the old one left open, latched or counted says nothing of it. What
 * the new one latched before is its own. */
static void leave_surfaceflinger(struct attribution *a, const struct trace_record *record,
				 enum trust trust)
{
	/* One with a better name was it all the time. */
	a->restarts += trust <= a->sf.trust && !is_process(&a->sf, record->pid, record->tgid);
	while (threads_open(&a->threads, a->sf.tid))
		threads_end(&a->threads, a->sf.tid);
	latches_forget(&a->latches, a->layers, record->tid, true);
	a->healed++;
	a->sure_latches = 0;
}

/* Is @record, a present, SurfaceFlinger's? Learns who that is. */
static bool is_surfaceflinger(struct attribution *a, const struct trace_record *record)
{
	struct surfaceflinger *sf = &a->sf;
	enum trust trust = trust_of(record);
	bool another = sf->known;

	if (sf->known && record->tid == sf->tid) {
		/* A thread's name may come late and get lost, but a known one stays known. */
		if (trust > sf->trust)
			sf->trust = trust;
		if (sf->tgid == TRACE_ID_UNKNOWN)
			sf->tgid = record->tgid;
		sf->pid = record->pid;
		return true;
	}
	if (sf->known ? !may_replace(a, record, trust) : !may_be_first(a, record, trust)) {
		a->foreign_presents++;
		/* It has shown them: who turns out to be SurfaceFlinger later shows others. */
		latches_forget(&a->latches, a->layers, record->tid, false);
		return false;
	}
	if (another)
		leave_surfaceflinger(a, record, trust);
	*sf = (struct surfaceflinger){ .known = true,
				       .trust = trust,
				       .tid = record->tid,
				       .pid = record->pid,
				       .tgid = record->tgid };
	a->sink.surfaceflinger(a->sink.context, record->time_ns, another);
	return true;
}

bool attribution_ticks_are_its(const struct attribution *a)
{
	return is_process(&a->sf, a->tick_pid, a->tick_tgid);
}

/* --- layers and their buffers --- */

static enum evidence evidence_of(const struct rule *rule)
{
	if (rule->event == EVENT_INSTANT)
		return EVIDENCE_INSTANT;
	return rule->event == EVENT_SLICE ? EVIDENCE_SLICE : EVIDENCE_COUNTER;
}

/* Does only SurfaceFlinger say this? A bare layer's name says nothing: apps take buffers, too. */
static bool is_its_word(const struct rule *rule)
{
	return rule->role != RULE_IGNORE && rule->pattern.parts[0].kind == PATTERN_LITERAL;
}

/* What is known of the layer's buffers may be from before events were lost. */
static void freshen(const struct attribution *a, struct layer *layer)
{
	if (layer->healed == a->healed)
		return;
	layer->healed = a->healed;
	layer->buffers.known = layer->transactions.known = false;
	layer->n_queued = 0;
	layer->taken_present = 0;
}

/* Makes room for another layer. Latches hold layers, and a thread that never presents holds them
 * for good: where nothing else can go, those of threads that are not SurfaceFlinger's do. */
static int make_room(struct attribution *a, int32_t tid)
{
	int result = a->sink.room(a->sink.context);

	if (result < 0) {
		latches_forget(&a->latches, a->layers, a->sf.known ? a->sf.tid : tid, true);
		result = a->sink.room(a->sink.context);
	}
	return result;
}

struct span attribution_surface(const struct attribution *a, struct span name,
				char copy[SURFACE_MAX])
{
	return ruleset_rename(a->rules, surface_of_layer(name, copy));
}

/* What the rules make of its name. */
static void set_up_layer(struct attribution *a, struct layer *layer, struct span name)
{
	char copy[SURFACE_MAX];

	layer->ignored = ruleset_ignores_layer(a->rules, name);
	layer_set_surface(layer, attribution_surface(a, name, copy));
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
	else if (is_its_word(rule))
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
		if (make_room(a, record->tid) < 0) {
			a->no_room++;
			return NULL;
		}
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
	bool alone = a->sure_latches == 0 || layer->length > INSTANT_LAYER_MAX;
	struct latch latch = {
		.layer = (int)(layer - a->layers->layers),
		.tid = record->tid,
		.evidence = evidence_of(rule),
		.time_ns = record->time_ns,
		.number = number,
	};

	if (!rule->fallback)
		a->sure_latches += record->tid == a->sf.tid;
	latches_take(&a->latches, a->layers, &latch, a->presents + 1, !rule->fallback || alone);
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

/* May the event tell of SurfaceFlinger's buffers? A new one latches before it presents. */
static bool may_tell(const struct attribution *a, const struct rule *rule,
		     const struct trace_record *record)
{
	enum trust trust;

	if (is_sf_process(a, record))
		return true;
	trust = trust_of(record);
	return rule->role == RULE_LATCH && (trust == TRUST_NAMED || may_replace(a, record, trust));
}

/* What a rule that names a layer makes of an event. */
static void layer_event(struct attribution *a, const struct rule *rule,
			const struct pattern_capture *capture, const struct trace_record *record)
{
	struct layer *layer;

	if (!may_tell(a, rule, record))
		return;
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
		a->dropped_frames++;
}

/* --- presents --- */

static void emit_frame(struct attribution *a, const struct latch *latch, uint64_t present_ns)
{
	struct frame frame = {
		.layer = latch->layer,
		.present_ns = present_ns,
		.queued_ns = latch->queued_ns,
		.latched_ns = latch->time_ns,
		.number = latch->number,
		.tx = a->layers->layers[latch->layer].applied_present == a->presents,
	};

	a->frames++;
	a->sink.frame(a->sink.context, &frame);
}

/* All that this thread latched since its last present. */
static void present(struct attribution *a, const struct trace_record *record)
{
	uint64_t frames;

	if (!is_surfaceflinger(a, record))
		return;
	a->sf.last_ns = record->time_ns;
	if (a->sf.presented)
		return;
	a->sf.presented = (threads_open(&a->threads, record->tid) & SLICE_COMPOSITE) != 0;
	a->presents++;
	frames = a->frames;
	for (unsigned int i = 0; i < a->latches.n; i++)
		if (a->latches.all[i].tid == record->tid)
			emit_frame(a, &a->latches.all[i], record->time_ns);
	a->unattributed_presents += a->frames == frames;
	latches_forget(&a->latches, a->layers, record->tid, false);
	a->sink.present(a->sink.context, record->time_ns);
}

/* --- records --- */

static void slice_end(struct attribution *a, const struct trace_record *record)
{
	threads_end(&a->threads, record->tid);
	/* Out of the composition: the next present is of another. */
	if (record->tid == a->sf.tid && a->sf.presented &&
	    !(threads_open(&a->threads, record->tid) & SLICE_COMPOSITE))
		a->sf.presented = false;
}

static void tick(struct attribution *a, const struct rule *rule, const struct trace_record *record)
{
	if (!is_sf_process(a, record))
		return;
	a->tick_pid = record->pid;
	a->tick_tgid = record->tgid;
	a->sink.tick(a->sink.context, record, (unsigned int)(rule - a->rules->rules),
		     rule->role == RULE_HWVSYNC);
}

static void period(struct attribution *a, const struct rule *rule,
		   const struct trace_record *record)
{
	uint64_t period_ns;

	if (!is_sf_process(a, record) || record->value <= 0)
		return;
	/* A rate in whole Hz stands for 59.94 Hz, too. */
	if (rule->role == RULE_PERIOD)
		period_ns = (uint64_t)record->value;
	else
		period_ns = UINT64_C(1000000000) / (uint64_t)record->value;
	a->sink.period(a->sink.context, record, period_ns,
		       rule->role == RULE_PERIOD ? period_ns / 1000 : period_ns / 100);
}

static void named_event(struct attribution *a, const struct rule_index *index,
			const struct trace_record *record)
{
	struct pattern_capture capture;
	const struct rule *rule = ruleset_match(a->rules, index, record->name,
						threads_open(&a->threads, record->tid), &capture);

	if (rule) {
		switch (rule->role) {
		case RULE_TICK:
		case RULE_HWVSYNC:
			tick(a, rule, record);
			return;
		case RULE_PERIOD:
		case RULE_RATE:
			period(a, rule, record);
			return;
		case RULE_TARGET:
			if (is_sf_process(a, record))
				a->sink.target(a->sink.context,
					       record->time_ns + (uint64_t)capture.time_ns);
			return;
		case RULE_LATCH:
		case RULE_QUEUE:
		case RULE_DROP:
		case RULE_TRANSACTION:
			layer_event(a, rule, &capture, record);
			break;
		default:
			return;
		}
	}
	if (record->kind == TRACE_COUNTER && a->sf.known && is_sf_process(a, record))
		a->sink.counter(a->sink.context, record);
}

/* Which slices cannot be open where one of that @mask begins: their ends were lost. Nothing is
 * latched around a composition. */
static uint32_t closed_before(const struct ruleset *rules, uint32_t mask)
{
	uint32_t closed = mask & rules->entered_once;

	if (mask & SLICE_COMPOSITE)
		closed |= ~(rules->composites | SLICE_COMPOSITE);
	return closed;
}

static void slice_begin(struct attribution *a, const struct trace_record *record)
{
	uint32_t mask = ruleset_slice_mask(a->rules, record->name);
	uint32_t kept = mask & ~SLICE_PRESENT;

	if (mask & SLICE_COMPOSITE && record->tid == a->sf.tid)
		a->sf.presented = false;
	threads_begin(&a->threads, record->tid, kept, closed_before(a->rules, kept));
	if (mask & SLICE_PRESENT)
		present(a, record);
	if (a->rules->layers_in_slices)
		named_event(a, &a->rules->slices, record);
}

void attribution_heal(struct attribution *a)
{
	threads_forget(&a->threads);
	latches_forget(&a->latches, a->layers, a->sf.tid, true);
	latches_forget(&a->latches, a->layers, a->sf.tid, false);
	a->healed++;
	a->sf.presented = false;
}

void attribution_set_rules(struct attribution *a, const struct ruleset *rules)
{
	a->rules = rules;
	a->sure_latches = 0;
	attribution_heal(a);
	for (int i = 0; i < a->layers->max; i++) {
		struct layer *layer = &a->layers->layers[i];

		if (layer->length)
			layer->ignored = ruleset_ignores_layer(rules, span_of(layer->name));
	}
}

/* Counts what another process says in SurfaceFlinger's words. */
static bool count_forged(struct attribution *a, const struct rule_index *index, struct span name)
{
	struct pattern_capture capture;
	const struct rule *rule = ruleset_match(a->rules, index, name, 0, &capture);

	if (!rule || !is_its_word(rule))
		return false;
	if (rule->role == RULE_TICK || rule->role == RULE_HWVSYNC || rule->role == RULE_PERIOD ||
	    rule->role == RULE_RATE || rule->role == RULE_TARGET)
		a->foreign_ticks++;
	else
		a->foreign_latches++;
	return true;
}

/* A marker of another process for sure. What only SurfaceFlinger says is a forgery here. */
static void foreign_record(struct attribution *a, const struct trace_record *record)
{
	bool forged = false;

	if (record->kind == TRACE_SLICE_BEGIN) {
		forged = ruleset_slice_mask(a->rules, record->name) & SLICE_PRESENT;
		a->foreign_presents += forged;
	} else if (record->kind == TRACE_COUNTER) {
		forged = count_forged(a, &a->rules->counters, record->name);
	} else if (record->kind == TRACE_INSTANT) {
		forged = count_forged(a, &a->rules->instants, record->name);
	}
	if (forged && !a->told_forgery) {
		a->told_forgery = true;
		a->sink.forgery(a->sink.context, record);
	}
}

void attribution_record(struct attribution *a, const struct trace_record *record)
{
	if (record->writer == TRACE_WRITER_OTHER) {
		foreign_record(a, record);
		return;
	}
	switch (record->kind) {
	case TRACE_SLICE_BEGIN:
		slice_begin(a, record);
		break;
	case TRACE_SLICE_END:
		slice_end(a, record);
		break;
	case TRACE_COUNTER:
		named_event(a, &a->rules->counters, record);
		break;
	case TRACE_INSTANT:
		named_event(a, &a->rules->instants, record);
		break;
	case TRACE_LOST:
		attribution_heal(a);
		break;
	default:
		break;
	}
}
