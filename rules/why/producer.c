/* SPDX-License-Identifier: Apache-2.0 */
/* Which buffer is in which frame:
 *
 *     Android 11
 *         app        queueBuffer
 *         binder        queueBuffer
 *                          C layer#0 = 1
 *         app           Trace GPU completion fence 7
 *         app        end of queueBuffer
 *
 *     Android 14
 *         app        queueBuffer
 *         app           queueBuffer
 *                          C QueuedBuffer - VRI[x]#2BLAST#2
 *                          acquireNextBufferLocked - VRI[x]#2(f:0,a:1)frame=42
 *         app           Trace GPU completion fence 7
 *         binder     setTransactionState
 *                       C BufferTX - layer#7 = 1
 *         SF         I latchBuffer layer#7 - 42
 *
 * No mark names both a process and a layer. Up to 11 SurfaceFlinger gets a buffer while the app's
 * thread is in queueBuffer. From 12 on it gets the buffer's transaction soon after the app's BLAST
 * queue sent it. If there is only one buffer at that time, its producer (the thread, the BLAST
 * queue) is that of the layer, and is kept: later events count only for buffers of that producer.
 * An event without such a buffer is evidence against it. If names tell whose the layer is, buffers
 * of other processes are none of its; else three events must show the same BLAST queue, or all of
 * the layer. After a loss all of this is found again. A frame gets its buffer when it is counted,
 * 400 ms later: by its number if both marks have one, else by the event of its layer, and only if
 * its layer still has that producer. If something does not fit, nothing is known.
 */
#include "rules/why/producer.h"

#include <stdlib.h>

#include "rules/base/interval.h"
#include "rules/base/row.h"
#include "rules/base/table.h"
#include "rules/language/surface.h"

/* SurfaceFlinger gets a buffer within this time, if its process is not stopped. */
#define WAY_NS UINT64_C(100000000)

/* It nearly always gets it within this time. It must, if nothing but that time tells whose it is.
 */
#define SHORT_WAY_NS UINT64_C(5000000)

/* A frame is counted at most this long after its buffer was queued. */
#define KEPT_NS UINT64_C(5000000000)

/* As many events without a buffer show that the producer is another one. */
#define VOTES_MAX 4

/* If nothing but the times of events shows a producer, so many of them must show the same one, or
 * all of the layer. */
#define VOTES_ENOUGH 3

/* BLAST queues of other layers get no buffer of this one before that. */
#define OWNER_MISSES 3

/* The bit of a key that is a thread's; else it is that of a BLAST queue. */
#define THREAD_KEY (UINT64_C(1) << 63)

void producers_init(struct producers *p, struct attribution *a, struct memory *memory)
{
	p->sf = &a->sf;
	p->work = a->work;
	p->expected = &a->expected;
	p->stacks = &a->stacks;
	p->threads = memory_keep(memory, calloc(a->stacks.max, sizeof(*p->threads)));
}

static bool is_blast(const struct queued_buffer *buffer)
{
	return buffer->sent_ns != 0;
}

/* --- the table of buffers --- */

static bool is_own(const struct producers *p, const struct queued_buffer *buffer)
{
	int32_t tgid = buffer->process != buffer->pid ? buffer->process : TRACE_ID_UNKNOWN;

	return p->sf->known && surfaceflinger_is(p->sf, buffer->pid, tgid);
}

static void count(const struct producers *p, struct fence_counts *counts,
		  const struct queued_buffer *buffer)
{
	if (buffer->gpu == FENCE_NONE || buffer->joined)
		return;
	if (is_own(p, buffer))
		counts->own++;
	else if (buffer->ambiguous || (buffer->n_hints > 0 && !buffer->taken))
		counts->ambiguous++;
	else
		counts->without_frame++;
}

static struct queued_buffer *buffer_at(struct producers *p, uint32_t number)
{
	return RING_AT(p->buffers, number);
}

/* The number of the newest buffer whose key has the place of @key. A key is a hash or the number of
 * a thread. */
static uint32_t *newest_of(struct producers *p, uint64_t key)
{
	return &p->newest[(key ^ key >> 32) % PRODUCER_KEYS];
}

/* True: @number is one of the last @n buffers. */
static bool is_kept(const struct producers *p, uint32_t number, uint32_t n)
{
	return number != 0 && p->last - number < n;
}

static struct queued_buffer *add_buffer(struct producers *p, const struct queued_buffer *buffer,
					uint64_t time_ns)
{
	struct queued_buffer *added = buffer_at(p, ++p->last);
	uint32_t *newest = newest_of(p, buffer->key), before = *newest;

	count(p, &p->counts, added);
	*added = *buffer;
	added->added_ns =
		later(later(time_ns, buffer->sent_ns), buffer_at(p, p->last - 1)->added_ns);
	added->before = *newest;
	*newest = p->last;
	while (is_kept(p, before, PRODUCER_BUFFERS_MAX) && buffer_at(p, before)->key != buffer->key)
		before = buffer_at(p, before)->before;
	added->is_first = is_blast(buffer) && !is_kept(p, before, PRODUCER_BUFFERS_MAX);
	if (added->is_first)
		p->last_first = p->last;
	return added;
}

struct fence_counts producers_counts(const struct producers *p)
{
	struct fence_counts counts = p->counts;

	for (unsigned int i = 0; i < PRODUCER_BUFFERS_MAX; i++)
		count(p, &counts, &p->buffers[i]);
	return counts;
}

/* --- threads --- */

static struct producer_thread *thread_of(struct producers *p, const struct slice_stack *stack)
{
	struct producer_thread *thread = &p->threads[stack - p->stacks->stacks];

	if (thread->id != stack->id)
		*thread = (struct producer_thread){ .id = stack->id, .vsync.number = -1 };
	return thread;
}

/* The slice in which the thread queues a buffer; NULL: it queues none. */
static struct open_slice *queueing(struct slice_stack *stack)
{
	for (unsigned int i = stack ? stack->n : 0; i-- > 0;)
		if (stack->slices[i].role == RULE_ENQUEUE && stack->slices[i].argument)
			return &stack->slices[i];
	return NULL;
}

/* The buffer that the thread queues, or NULL. */
static struct queued_buffer *buffer_of(struct producers *p, struct slice_stack *stack)
{
	return queueing(stack) ? &thread_of(p, stack)->buffer : NULL;
}

/* Surface::queueBuffer begins. From 12 on BufferQueueProducer::queueBuffer is inside it. */
static void begin_queueing(struct producers *p, struct slice_stack *stack,
			   const struct trace_record *record)
{
	struct open_slice *slice = slice_stack_last(stack, RULE_ENQUEUE), *outer = queueing(stack);
	struct producer_thread *thread;

	if (!slice || (outer && slice->depth - outer->depth <= 2))
		return;
	if (outer)
		outer->argument = 0;
	slice->argument = 1;
	thread = thread_of(p, stack);
	thread->buffer = (struct queued_buffer){
		.key = THREAD_KEY | (uint32_t)record->tid,
		.begin_ns = record->time_ns,
		.number = -1,
		.pid = record->pid,
		.process = trace_process(record),
		.release = thread->release,
		/* Ticks are for all apps, so where the trace has doFrame, only that counts. */
		.woken_ns = p->work->has_callbacks
				    ? app_work_answered(p->work, trace_process(record))
				    : expected_last_tick_ns(p->expected),
		.vsync = thread->vsync,
	};
	thread->release = FENCE_NONE;
	thread->buffer.vsync.expired = expected_is_expired(p->expected, thread->vsync.number);
}

void producers_end(struct producers *p, const struct slice_stack *stack,
		   const struct open_slice *ended, uint64_t time_ns)
{
	const struct queued_buffer *buffer = &thread_of(p, stack)->buffer;

	if (ended->role > RULE_ENQUEUE)
		fences_done(&p->fences, (fence_id)ended->argument, time_ns);
	else if (ended->argument && is_blast(buffer))
		add_buffer(p, buffer, time_ns); /* no mark of its fence */
}

/* --- marks --- */

_Static_assert(RULE_RENDER_QUEUED - RULE_GPU_QUEUED == 3 * FENCE_RENDER &&
		       RULE_RENDER_WAIT - RULE_RENDER_QUEUED == FENCE_WAITED,
	       "the roles are three steps of each kind");

static void fence_mark(struct producers *p, struct slice_stack *stack,
		       const struct trace_record *record, const struct slice_meaning *meaning)
{
	unsigned int step = meaning->role - RULE_GPU_QUEUED;
	const struct fence_mark mark = { step / 3, step % 3, (uint64_t)meaning->number };
	int32_t process = trace_process(record);
	struct open_slice *slice;
	fence_id id;

	if (mark.step == FENCE_WAITED) {
		id = fences_wait(&p->fences, process, &mark, record->time_ns);
		slice = slice_stack_last(stack, meaning->role);
		if (slice)
			slice->argument = id;
		return;
	}
	id = fences_queue(&p->fences, process, record->tid, &mark, record->time_ns);
	if (mark.kind == FENCE_GPU) {
		struct queued_buffer alone = {
			.begin_ns = record->time_ns,
			.number = -1,
			.pid = record->pid,
			.process = process,
		};

		/* The thread queues it at the end of Surface::queueBuffer. */
		slice = queueing(stack);
		p->counts.marks++;
		if (record->tid == p->sf->tid && is_own(p, &alone))
			compositions_fence(&p->compositions, id, false);
		add_buffer(p, slice ? &thread_of(p, stack)->buffer : &alone, record->time_ns)->gpu =
			id;
		if (slice)
			slice->argument = 0;
	} else if (mark.kind == FENCE_RELEASE && stack) {
		thread_of(p, stack)->release = id;
	} else if (process == (p->sf->tgid != TRACE_ID_UNKNOWN ? p->sf->tgid : p->sf->pid)) {
		compositions_fence(&p->compositions, id, true);
	}
}

void producers_event(struct producers *p, enum rule_role role, const struct trace_record *record,
		     const struct pattern_capture *capture)
{
	struct queued_buffer *buffer = buffer_of(p, slice_stacks_find(p->stacks, record->tid));

	if (!buffer)
		return;
	if (role == RULE_ANSWER) {
		/* Transaction::setFrameTimelineInfo frameNumber: F vsyncId: V, from 15 on. Category
		 * gfx, so it is there without marks of views. */
		buffer->vsync = expected_frame(p->expected, trace_process(record), record->tid,
					       capture->frame, record->time_ns);
		buffer->vsync.expired = expected_is_expired(p->expected, capture->frame);
	} else if (!is_blast(buffer)) {
		/* QueuedBuffer - NAME#iBLAST#i: the buffer is in the BLAST queue NAME#i. */
		buffer->key =
			(name_hash(capture->layer) ^ ((uint64_t)(uint32_t)buffer->process << 32)) &
			~THREAD_KEY;
		buffer->key += buffer->key == 0;
		buffer->sent_ns = record->time_ns;
		buffer->is_view = span_starts_with(capture->layer, SPAN_LITERAL("SurfaceView["));
	}
}

void producers_begin(struct producers *p, struct slice_stack *stack,
		     const struct trace_record *record, const struct slice_meaning *meaning)
{
	struct queued_buffer *buffer;

	if (meaning->role == RULE_ENQUEUE) {
		begin_queueing(p, stack, record);
	} else if (meaning->role == RULE_CALLBACK || meaning->role == RULE_DRAW_FRAME) {
		if (meaning->number >= 0 && stack)
			thread_of(p, stack)->vsync =
				expected_frame(p->expected, trace_process(record), record->tid,
					       meaning->number, record->time_ns);
	} else if (meaning->role == RULE_SEND) {
		/* acquireNextBufferLocked - NAME#i(f:F,a:A)frame=N, from 13 on: the BLAST queue
		 * sends the oldest buffer, N; F newer ones stay, of which the thread's own is the
		 * newest. */
		buffer = buffer_of(p, stack);
		if (buffer && is_blast(buffer) && buffer->number < 0 && meaning->newer >= 0 &&
		    meaning->newer < 64)
			buffer->number = meaning->number + meaning->newer;
	} else if (meaning->role >= RULE_GPU_QUEUED && meaning->role <= RULE_RENDER_WAIT) {
		fence_mark(p, stack, record, meaning);
	}
}

/* --- the layer of a buffer --- */

/* Buffers that an event may be about. */
struct found {
	unsigned int n;
	struct queued_buffer *all[PRODUCER_FOUND_MAX];
};

/* An event of @layer. */
struct arrival {
	const struct layer *layer;
	int32_t process; /* whose frames the layer shows, or TRACE_ID_UNKNOWN */
	int32_t writer;
	uint64_t time_ns;
	bool direct;
};

/* Adds @buffer to those that the event may be about: SurfaceFlinger may get it now, and it is of
 * the layer's producer, or may be the layer's as far as the event alone tells. */
static void consider(struct producers *p, struct found *found, struct queued_buffer *buffer,
		     const struct arrival *arrival)
{
	uint64_t producer = arrival->layer->producer, time_ns = arrival->time_ns;
	uint64_t sent_ns = arrival->direct ? buffer->begin_ns : buffer->sent_ns;
	bool is_sure = arrival->direct || (buffer->process == arrival->process && !buffer->shared);
	uint64_t way_ns = is_sure ? WAY_NS : SHORT_WAY_NS;
	struct producer_owner *owner;

	/* The first one of a BLAST queue waits for the transaction that shows its window, until an
	 * event may have been about it. */
	if (buffer->is_first &&
	    (buffer->n_hints == 0 || time_ns - buffer->hints[0].queued_ns <= SHORT_WAY_NS))
		way_ns = KEPT_NS;
	/* Most are sent too early. */
	if (time_ns - sent_ns > way_ns || buffer->taken || buffer->begin_ns == 0 ||
	    buffer->begin_ns > time_ns || found->n == PRODUCER_FOUND_MAX ||
	    arrival->direct == is_blast(buffer) || is_own(p, buffer))
		return;
	if (producer) {
		if (buffer->key != producer)
			return;
	} else {
		if (arrival->process != TRACE_ID_UNKNOWN && buffer->process != arrival->process)
			return;
		/* A process that queues for itself gives nothing to SurfaceFlinger: it may not be
		 * known yet whose counter it is. */
		if (arrival->direct ? buffer->process == arrival->writer
				    : buffer->is_view != arrival->layer->is_view)
			return;
		owner = RING_AT(p->owners, buffer->key);
		if (!arrival->direct && owner->key == buffer->key &&
		    owner->layer != arrival->layer->id && ++owner->misses <= OWNER_MISSES)
			return;
	}
	found->all[found->n++] = buffer;
}

/* True: that buffer, or one added before it, may be one of those. */
static bool goes_back(struct producers *p, uint32_t number, uint64_t from_ns)
{
	bool has_first = p->last - p->last_first < PRODUCER_RECENT_MAX;

	return is_kept(p, number, PRODUCER_RECENT_MAX) &&
	       (has_first || buffer_at(p, number)->added_ns >= from_ns);
}

static void find_buffers(struct producers *p, struct found *found, const struct arrival *arrival)
{
	uint64_t producer = arrival->layer->producer;
	uint64_t from_ns = back_from(arrival->time_ns,
				     arrival->process == TRACE_ID_UNKNOWN ? SHORT_WAY_NS : WAY_NS);
	uint32_t i = producer ? *newest_of(p, producer) : p->last;

	for (struct slice_stack *stack = NULL; (stack = slice_stacks_next(p->stacks, stack));) {
		struct queued_buffer *buffer = buffer_of(p, stack);

		if (buffer)
			consider(p, found, buffer, arrival);
	}
	if (arrival->direct)
		return;
	if (producer) {
		/* Only first buffers may be older than from_ns, and most are not first. */
		for (; goes_back(p, i, from_ns); i = buffer_at(p, i)->before)
			if (buffer_at(p, i)->added_ns >= from_ns || buffer_at(p, i)->is_first)
				consider(p, found, buffer_at(p, i), arrival);
		return;
	}
	/* Of all queues the oldest one first: another layer's are passed a few times. */
	while (goes_back(p, i, from_ns))
		i--;
	while (i++ != p->last)
		consider(p, found, buffer_at(p, i), arrival);
}

/* A queue's buffers arrive in order. If older ones of the same queue are still on their way, an
 * event that seems to be about @buffer may be about one of them: only numbers can tell them apart.
 * Those that an event was about in a short time have arrived. */
static void doubt_overtaking(struct producers *p, struct queued_buffer *buffer, uint64_t time_ns)
{
	for (uint32_t i = *newest_of(p, buffer->key); is_kept(p, i, PRODUCER_RECENT_MAX);
	     i = buffer_at(p, i)->before) {
		struct queued_buffer *older = buffer_at(p, i);

		if (older->key != buffer->key || older->begin_ns >= buffer->begin_ns)
			continue;
		if (older->taken || older->sent_ns + WAY_NS < time_ns)
			return;
		if (older->n_hints == 0 || older->sent_ns + SHORT_WAY_NS >= time_ns)
			older->ambiguous = buffer->ambiguous = true;
	}
}

void producers_queued(struct producers *p, struct layer *layer, int32_t process,
		      const struct trace_record *record, bool direct)
{
	const struct arrival arrival = {
		.layer = layer,
		.process = process,
		.writer = trace_process(record),
		.time_ns = record->time_ns,
		.direct = direct,
	};
	struct found found;

	/* A loss may have hidden the buffer that was the layer's, and the event of another one. */
	if (layer->producer_losses != p->losses) {
		layer->producer_losses = p->losses;
		layer->producer = layer->producer_votes = 0;
		layer->producer_is_sure = false;
		layer->producer_events = layer->producer_events > 0 ? VOTES_ENOUGH : 0;
	}
	found.n = 0;
	layer->producer_events += layer->producer_events < VOTES_ENOUGH;
	find_buffers(p, &found, &arrival);
	for (unsigned int i = 0; i < found.n && !direct; i++)
		doubt_overtaking(p, found.all[i], record->time_ns);
	for (unsigned int i = 0; i < found.n; i++) {
		struct queued_buffer *buffer = found.all[i];

		buffer->ambiguous |= buffer->n_hints == PRODUCER_HINTS_MAX;
		if (buffer->n_hints < PRODUCER_HINTS_MAX)
			buffer->hints[buffer->n_hints++] =
				(struct queue_hint){ layer->id, record->time_ns };
	}
	if (found.n == 0) {
		if (layer->producer_votes > 0 && --layer->producer_votes == 0) {
			layer->producer = 0;
			layer->producer_is_sure = false;
		}
		/* If nothing is known of the layer, another one may have taken its buffer, of which
		 * nothing but the time told whose it was. None is added before it is sent. */
		for (uint32_t i = p->last;
		     !direct && process == TRACE_ID_UNKNOWN && is_kept(p, i, PRODUCER_RECENT_MAX) &&
		     buffer_at(p, i)->added_ns + SHORT_WAY_NS >= record->time_ns;
		     i--) {
			struct queued_buffer *buffer = buffer_at(p, i);

			buffer->ambiguous |= buffer->taken && is_blast(buffer) &&
					     !buffer->is_known && buffer->n_hints > 0 &&
					     buffer->sent_ns + SHORT_WAY_NS >= record->time_ns;
		}
	} else if (found.n == 1) {
		found.all[0]->taken = true;
		found.all[0]->is_known = process == found.all[0]->process;
		layer->producer = found.all[0]->key;
		layer->producer_votes += layer->producer_votes < VOTES_MAX;
		if (found.all[0]->is_known)
			layer->producer_votes = VOTES_MAX;
		layer->producer_is_sure |= layer->producer_votes >= VOTES_ENOUGH;
		if (!direct)
			*RING_AT(p->owners, layer->producer) =
				(struct producer_owner){ layer->producer, layer->id, 0 };
	} else if (layer->producer) {
		/* Several are on their way. Only numbers can tell them apart. */
		for (unsigned int i = 0; i < found.n; i++)
			found.all[i]->taken = found.all[i]->ambiguous = true;
	} else {
		for (unsigned int i = 0; i < found.n; i++)
			found.all[i]->shared = true;
	}
}

/* --- the buffer of a frame --- */

static bool is_buffer_of(const struct queued_buffer *buffer, const struct layer *layer,
			 const struct frame *frame)
{
	if (buffer->joined)
		return false;
	if (buffer->number >= 0 && frame->number >= 0)
		return buffer->number == frame->number;
	for (unsigned int i = 0; i < buffer->n_hints && !buffer->ambiguous; i++)
		if (buffer->hints[i].layer == layer->id && frame->queued_ns > 0 &&
		    buffer->hints[i].queued_ns == frame->queued_ns)
			return true;
	return false;
}

/* Buffers that no frame gets any more leave the list, or other frames would pass them again and
 * again. Events may still be about the newest ones; and the producer's newest one tells that its
 * next one is not the first. A frame is counted some time after its latch: most of the newest
 * buffers came later. */
static struct queued_buffer *find_buffer(struct producers *p, const struct layer *layer,
					 const struct frame *frame)
{
	uint32_t *link = newest_of(p, layer->producer);
	bool has_newer = false;

	for (uint32_t i = *link; is_kept(p, i, PRODUCER_BUFFERS_MAX); i = *link) {
		struct queued_buffer *buffer = buffer_at(p, i);
		bool is_layers = buffer->key == layer->producer;

		if (is_layers && has_newer && !is_kept(p, i, PRODUCER_RECENT_MAX) &&
		    (buffer->joined ||
		     (buffer->number < 0 && (buffer->ambiguous || buffer->n_hints == 0)))) {
			*link = buffer->before;
			continue;
		}
		has_newer |= is_layers;
		link = &buffer->before;
		if (!is_layers || buffer->begin_ns > frame->latched_ns)
			continue;
		if (buffer->begin_ns + KEPT_NS < frame->latched_ns)
			return NULL;
		if (is_buffer_of(buffer, layer, frame))
			return buffer;
	}
	return NULL;
}

static int64_t time_of(const struct fence *fence)
{
	return fence && fence->done_ns ? (int64_t)(fence->done_ns - fence->queued_ns) : ROW_UNKNOWN;
}

struct gpu_work producers_join(struct producers *p, struct layer *layer, const struct frame *frame)
{
	struct gpu_work work = { .gpu_ns = ROW_UNKNOWN, .release_wait_ns = ROW_UNKNOWN };
	bool known = (layer->producer & THREAD_KEY) || layer->producer_is_sure ||
		     layer->producer_votes >= layer->producer_events;
	struct queued_buffer *buffer =
		layer->producer && known ? find_buffer(p, layer, frame) : NULL;
	uint64_t before_ns = layer->buffer_ns;
	const struct fence *gpu;

	if (!buffer)
		return work;
	buffer->joined = true;
	p->counts.joined += buffer->gpu != FENCE_NONE;
	gpu = fences_get(&p->fences, buffer->gpu);
	work.done_ns = gpu ? gpu->done_ns : 0;
	work.gpu_ns = time_of(gpu);
	work.release_wait_ns = time_of(fences_get(&p->fences, buffer->release));
	layer->buffer_ns = buffer->begin_ns;
	if (p->expected->has_ticks && before_ns > 0 && buffer->begin_ns >= before_ns &&
	    buffer->begin_ns - before_ns <= KEPT_NS)
		work.pacing = buffer->woken_ns > before_ns ? PACING_VSYNC : PACING_ITSELF;
	work.woken_ns = buffer->woken_ns;
	work.vsync = buffer->vsync;
	if (work.done_ns && frame->queued_ns)
		work.undrawn_at_ns = compositions_waited_for_gpu(&p->compositions, frame->queued_ns,
								 work.done_ns, frame->latched_ns);
	return work;
}

/* --- discontinuities --- */

void producers_lost(struct producers *p, uint64_t from_ns)
{
	/* All buffers that were there at a loss are taken since then. */
	uint32_t done = from_ns >= p->lost_from_ns ? p->lost_last : p->last - PRODUCER_BUFFERS_MAX;

	p->losses++;
	p->lost_from_ns = from_ns;
	p->lost_last = p->last;
	compositions_lost(&p->compositions);
	for (uint32_t n = p->last; n != done && p->last - n < PRODUCER_BUFFERS_MAX; n--) {
		struct queued_buffer *buffer = buffer_at(p, n);
		bool certain = buffer->taken;

		if (buffer->begin_ns + WAY_NS < from_ns)
			break;
		for (unsigned int hint = 0; hint < buffer->n_hints; hint++)
			certain &= buffer->hints[hint].queued_ns < from_ns;
		if (!certain)
			buffer->taken = buffer->ambiguous = true;
	}
}

void producers_new_surfaceflinger(struct producers *p)
{
	compositions_forget(&p->compositions);
	for (unsigned int i = 0; i < p->stacks->n; i++)
		p->threads[i].vsync = p->threads[i].buffer.vsync =
			(struct frame_vsync){ .number = -1 };
	for (unsigned int i = 0; i < PRODUCER_BUFFERS_MAX; i++)
		p->buffers[i].vsync = (struct frame_vsync){ .number = -1 };
}

void producers_new_clock(struct producers *p)
{
	fences_forget(&p->fences);
	producers_new_surfaceflinger(p);
	for (unsigned int i = 0; i < PRODUCER_BUFFERS_MAX; i++) {
		count(p, &p->counts, &p->buffers[i]);
		p->buffers[i] = (struct queued_buffer){ .number = -1 };
	}
}
