/* SPDX-License-Identifier: Apache-2.0 */
/* From fences to frames: which buffer a process queued, and which layer has it. The method is
 * described in producer.c. */
#ifndef JANKD_RULES_WHY_PRODUCER_H
#define JANKD_RULES_WHY_PRODUCER_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/count/summary.h"
#include "rules/frames/attribution.h"
#include "rules/frames/layer.h"
#include "rules/threads/slice_stack.h"
#include "rules/threads/surfaceflinger.h"
#include "rules/vsync/expected.h"
#include "rules/why/composition.h"
#include "rules/why/fence.h"

#define PRODUCER_BUFFERS_MAX 512
#define PRODUCER_KEYS 128
#define PRODUCER_OWNERS_MAX 128

/* Newest buffers among which the one of an event is. */
#define PRODUCER_RECENT_MAX 48

/* Buffers that an event may be about, at most. */
#define PRODUCER_FOUND_MAX 256

/* SurfaceFlinger's events of a layer that may be about a buffer. */
#define PRODUCER_HINTS_MAX 2

/* A buffer that a process queued. */
struct queued_buffer {
	uint64_t key;		  /* its producer: a BLAST queue, or a thread */
	uint64_t begin_ns;	  /* Surface::queueBuffer begins */
	uint64_t sent_ns;	  /* 12+: its transaction is on the way to SurfaceFlinger; else 0 */
	struct frame_vsync vsync; /* that its frame answers */
	uint64_t added_ns;	  /* or later: not before the one that was added before */
	uint64_t woken_ns;	  /* the last vsync before it that its process may have followed */
	int64_t number;		  /* its frame number, or -1 */
	struct queue_hint {
		uint64_t layer; /* layer.id */
		uint64_t queued_ns;
	} hints[PRODUCER_HINTS_MAX];
	int32_t pid; /* as the marker states */
	int32_t process;
	fence_id gpu, release; /* or FENCE_NONE */
	uint8_t n_hints;
	bool shared;	 /* an event is about it, or about another one */
	bool is_known;	 /* taken by a layer of its process */
	bool is_view;	 /* its queue is that of a SurfaceView */
	bool is_first;	 /* of its BLAST queue's that are kept */
	bool taken;	 /* the event of its layer was found */
	bool ambiguous;	 /* it may belong to several layers */
	bool joined;	 /* a frame has it */
	uint32_t before; /* number of the last buffer before it whose key has the same place in
			    newest[]; 0: none */
};

/* A thread that draws, dequeues or queues. */
struct producer_thread {
	uint64_t id;		  /* slice_stack.id; another one: nothing is known of the thread */
	fence_id release;	  /* that it got with its last dequeued buffer */
	struct frame_vsync vsync; /* that its last doFrame or DrawFrame answers */
	struct queued_buffer buffer; /* of its open slice of role enqueue with an argument */
};

/* What became of the fences of queued buffers. The sum of the last four is marks, once the trace
 * has ended; during the trace pending is part of it. */
struct fence_counts {
	uint64_t marks;		/* 'GPU completion' fences */
	uint64_t joined;	/* to a frame */
	uint64_t own;		/* SurfaceFlinger's own: it composed with the GPU */
	uint64_t without_frame; /* of a buffer that has no frame */
	uint64_t ambiguous;	/* of a buffer that may belong to several layers */
};

struct producers {
	const struct surfaceflinger *sf; /* borrowed */
	struct app_work *work;		 /* the same, as the next one */
	struct expected *expected;
	struct fence_table fences;
	struct slice_stacks *stacks;	 /* borrowed */
	struct producer_thread *threads; /* of stacks->stacks[i] */
	uint32_t last;			 /* number of the newest buffer */
	uint32_t last_first;		 /* the newest that was its queue's first */
	struct queued_buffer buffers[PRODUCER_BUFFERS_MAX];
	uint32_t newest[PRODUCER_KEYS]; /* number of the newest buffer, by a hash of its key */
	struct producer_owner {		/* the layer of a BLAST queue */
		uint64_t key, layer;
		unsigned int misses;
	} owners[PRODUCER_OWNERS_MAX];
	uint32_t losses;       /* so far */
	uint64_t lost_from_ns; /* begin of the last one */
	uint32_t lost_last;    /* value of last at that one */
	struct compositions compositions;
	struct fence_counts counts; /* without the buffers that are in the table */
};

/* @p: all zeros. What @a has of SurfaceFlinger, threads, processes and vsyncs is borrowed. */
void producers_init(struct producers *p, struct attribution *a, struct memory *memory);

/* A slice with a role begins on the thread of @stack, which is NULL if nothing is known of it, or
 * one that a rule names has ended. */
void producers_begin(struct producers *p, struct slice_stack *stack,
		     const struct trace_record *record, const struct slice_meaning *meaning);
void producers_end(struct producers *p, const struct slice_stack *stack,
		   const struct open_slice *ended, uint64_t time_ns);

/* What @record tells of the buffer that its thread queues: (RULE_PRODUCER) it is in the BLAST queue
 * of the captured name; (RULE_ANSWER) its frame answers the vsync of the captured number. */
void producers_event(struct producers *p, enum rule_role role, const struct trace_record *record,
		     const struct pattern_capture *capture);

/* SurfaceFlinger got a buffer of @layer, as the counter @record shows. @process: the one whose
 * frames the layer shows, or TRACE_ID_UNKNOWN. @direct: the producer queued it there itself, up to
 * Android 11; else as a part of a transaction. */
void producers_queued(struct producers *p, struct layer *layer, int32_t process,
		      const struct trace_record *record, bool direct);

/* The frame is counted: finds its buffer, which no other frame gets then. */
struct gpu_work producers_join(struct producers *p, struct layer *layer, const struct frame *frame);

/* Events after @from_ns may be missing: which layer got which buffer since then is not certain. */
void producers_lost(struct producers *p, uint64_t from_ns);

/* Another SurfaceFlinger numbers its vsyncs anew. Which vsyncs the buffers since the old one's last
 * event answer is unknown. */
void producers_new_surfaceflinger(struct producers *p);

/* Later times cannot be compared with earlier ones. */
void producers_new_clock(struct producers *p);

/* Counts so far, with the buffers in the table. */
struct fence_counts producers_counts(const struct producers *p);

#endif
