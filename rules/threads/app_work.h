/* SPDX-License-Identifier: Apache-2.0 */
/* When the apps were at work on their frames, by process.
 *
 *     main thread     doFrame ████         ░░░░░░░░░░░doFrame ███       ░ it came late: its vsync
 *     RenderThread        DrawFrame ████                                  was that long before
 *     process         ────█████████────────█████████████████████──  sum of this, up to any moment
 *
 * The work of a process in a stretch of time is the difference of two sums, so nothing of the past
 * is stored, and a stretch can be of any length. A slice counts from its begin to its end; if its
 * end is lost, to the loss. A doFrame states that it came late by the vsync that it answers: one
 * that was announced after it, by a tick or by a commit of SurfaceFlinger with a greater number,
 * shows the least delay.
 *
 * Which process belongs to a layer: see app_work_process_of().
 */
#ifndef JANKD_RULES_THREADS_APP_WORK_H
#define JANKD_RULES_THREADS_APP_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "parser/span.h"
#include "rules/threads/slice_stack.h"

#define WORK_PROCESSES 64
#define WORK_SPANS 8 /* of a process, kept for the time before a late doFrame */
#define WORK_VIEWS 4
#define WORK_COMM_MAX 15 /* the kernel keeps that much of a thread's name */

/* A slice is long from this on: no frame of a layer that draws steadily takes that long. */
#define WORK_LONG_NS UINT64_C(100000000)

/* A stretch of work that is over. */
struct work_span {
	uint64_t from_ns, to_ns;
	uint64_t sum_ns; /* of the process at its end */
};

struct work_process {
	uint32_t id;	   /* unique; 0: a free entry */
	int32_t pid;	   /* as the kernel states, else as the markers state */
	unsigned int open; /* threads with an open slice */
	uint64_t open_ns;  /* the first of them is open since then */
	uint64_t sum_ns;   /* time in which at least one was open, without the time since open_ns */
	uint64_t long_ns;  /* the same of single slices of WORK_LONG_NS and more that ended */
	uint64_t long_until_ns;	    /* end of the last of these */
	uint64_t first_ns, last_ns; /* its first and last event */
	uint64_t frames;	    /* of its layers so far */
	uint64_t answered_ns;	    /* its last doFrame began then */
	char comm[WORK_COMM_MAX];   /* of its main thread */
	unsigned int comm_length;   /* 0: unknown */
	uint64_t views[WORK_VIEWS]; /* hashes of names of SurfaceViews that it queues buffers of */
	unsigned int n_views;
	uint64_t named_ns; /* comm, or the last of the views, is known since then */
	uint64_t named_sum_ns, named_long_ns;
	/* The last doFrame that came late: the vsync was at late_from_ns, it began at late_to_ns.
	 */
	uint64_t late_from_ns, late_to_ns;
	uint64_t late_from_sum_ns, late_to_sum_ns; /* sums at these times */
	unsigned int n_spans;			   /* so far; the last ones are kept */
	struct work_span spans[WORK_SPANS];
};

struct app_work {
	struct work_process processes[WORK_PROCESSES];
	uint8_t places[WORK_PROCESSES];	   /* by pid % WORK_PROCESSES: where one was found last */
	const struct slice_stacks *stacks; /* borrowed: has the open slices of its threads */
	const int32_t *sf_tid;		   /* borrowed: SurfaceFlinger's thread */
	uint32_t last_id;
	uint64_t losses;    /* of events that may have shown that an app was at work */
	bool queued;	    /* stall_evidence.queued_ns of a layer may be set */
	uint64_t version;   /* changes whenever a layer may belong to another process */
	bool has_callbacks; /* the trace has doFrame */
	uint64_t refused;   /* slices for which there was no space */
	uint64_t evicted;   /* processes that still drew, as the table was full */
};

/* What a layer keeps of the search for its process. */
struct work_owner {
	uint64_t version; /* of the table at the last search */
	uint32_t process; /* id; 0: unknown */
	int32_t voted;	  /* process that was at work when buffers of the layer were queued */
	int32_t votes;
	bool by_name; /* names tell the process, not votes */
};

/* A slice has begun that is work, on the thread of @stack. @vsync_ns: of a
 * doFrame: the vsync that it answers was at that time at the latest; else 0. */
void app_work_begin(struct app_work *work, struct slice_stack *stack,
		    const struct trace_record *record, uint64_t vsync_ns);

/* The last slice of @ended that was open on its thread has ended, or is dropped. */
void app_work_end(struct app_work *work, const struct open_work *ended, uint64_t time_ns);

/* The process of @record queues buffers of the Surface that the counter names: with a package in it
 * only if it is "SurfaceView[com.a/com.a.Main]". Used if its main thread has written nothing. */
void app_work_producer(struct app_work *work, const struct trace_record *record,
		       struct span surface);

/* Ticks after @from_ns may be missing, or another SurfaceFlinger numbers its vsyncs anew: whether a
 * doFrame since then came late is unknown. */
void app_work_forget_delays(struct app_work *work, uint64_t from_ns);

/* Later times cannot be compared with earlier ones. */
void app_work_new_clock(struct app_work *work);

/**
 * app_work_process_of() - the process whose frames a layer shows
 * @layer: whole name
 * @app: the package in that name, or SPAN_NULL
 *
 * In this order: the process that the name states (Samsung); the one that counts the buffers of
 * that SurfaceView (Android 12+); the one process whose main thread has the name of the package, of
 * which the kernel keeps the last 15 bytes; the one that was at work whenever a buffer of the layer
 * was queued, also if another has that name, which two apps may share, and was not at work then.
 * Never one of which the trace does not show this: returns NULL then.
 */
struct work_process *app_work_process_of(struct app_work *work, struct work_owner *owner,
					 struct span layer, struct span app);

/* When the last doFrame of that process began; 0: unknown. */
uint64_t app_work_answered(struct app_work *work, int32_t pid);

/* The process with that id, or NULL. */
static inline struct work_process *app_work_by_id(struct app_work *work, uint32_t id)
{
	struct work_process *process = &work->processes[id % WORK_PROCESSES];

	return id && process->id == id ? process : NULL;
}

/* A buffer of a layer of @owner is queued at @time_ns: the process that is at work, if it is the
 * only one, may be the layer's. @except: SurfaceFlinger's. */
void app_work_vote(struct app_work *work, struct work_owner *owner, int32_t except,
		   uint64_t time_ns);

/* The sum of work up to @now_ns, which is not before its last event. @process may be NULL: 0. */
uint64_t work_sum(const struct work_process *process, uint64_t now_ns);

/* The same of long slices only. */
uint64_t work_long_sum(const struct app_work *work, const struct work_process *process,
		       uint64_t now_ns);

/* The begin of the slice of that process that is open longest; @now_ns: none is open. */
uint64_t work_open_since(const struct app_work *work, const struct work_process *process,
			 uint64_t now_ns);

/* The begin of the doFrame in which that process is since @by_ns or earlier; 0: it is in none, or
 * in several, or also in other work or a wait, such as for a buffer, a fence or its RenderThread;
 * or SurfaceFlinger is in a composition since @by_ns or earlier. */
uint64_t work_doframe_since(const struct app_work *work, const struct work_process *process,
			    uint64_t by_ns);

#endif
