/* SPDX-License-Identifier: Apache-2.0 */
/* Records to frames: finds the layers that SurfaceFlinger latched before each present. The method
 * is described in attribution.c. */
#ifndef JANKD_RULES_FRAMES_ATTRIBUTION_H
#define JANKD_RULES_FRAMES_ATTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/frames/layer_event.h"
#include "rules/language/names.h"
#include "rules/language/ruleset_match.h"
#include "rules/threads/app_work.h"
#include "rules/threads/sf_runs.h"
#include "rules/threads/slice_stack.h"
#include "rules/threads/surfaceflinger.h"
#include "rules/vsync/expected.h"

/* A layer's frame: its buffer was latched before this present. */
struct frame {
	int layer;
	bool tx;     /* the present also applied a transaction of the layer */
	bool is_new; /* the layer's counter showed that the buffer was taken from the queue */
	uint64_t present_ns;
	uint64_t queued_ns; /* 0: unknown */
	uint64_t latched_ns;
	uint64_t replaced_ns; /* an earlier buffer was queued then, and never shown; 0: none */
	int64_t number;	      /* of the buffer, or -1 */
	int64_t vsync_id;     /* of the composition, or -1 */
};

/* An event whose role matters to more than the frames. */
struct role_event {
	enum rule_role role;	 /* RULE_NONE: a counter of SurfaceFlinger that no rule names */
	const struct rule *rule; /* NULL: of a slice, or none */
	const struct trace_record *record;
	const struct pattern_capture *capture;
};

/* The composition that a thread prepares. */
struct sf_composition {
	int32_t tid;
	int64_t vsync_id; /* SurfaceFlinger's token, Android 12+; -1: unknown */
	bool presented;	  /* the next commit or composition begins another one */
};

#define COMPOSITION_UNKNOWN ((struct sf_composition){ .tid = TRACE_ID_UNKNOWN, .vsync_id = -1 })

struct attribution {
	const struct ruleset *rules;
	struct name_table names;
	struct attribution_sink sink;
	struct layer_events layer_events;
	struct slice_stacks stacks;
	struct sf_runs runs;
	struct app_work *work;
	struct expected expected;
	struct surfaceflinger sf;
	struct surfaceflinger before; /* the previous one, valid while it may have been only idle */
	struct sf_composition composition;
	bool committed;		    /* a commit began since the last present */
	bool several_displays;	    /* a composition had several presents */
	struct candidate candidate; /* the process that may be the next one */
	int32_t tick_pid;  /* writer of the last tick or rate, as its marker states; maybe not sf */
	int32_t tick_tgid; /* the same as the kernel states */
	int32_t nominal_tid;		/* its open slice states a period, of its next HW_VSYNC */
	uint64_t nominal_ns;		/* that period; 0: none */
	uint64_t unattributed_presents; /* without a frame of any layer */
	uint64_t foreign_presents;	/* by processes that are not SurfaceFlinger */
	uint64_t foreign_ticks;		/* the same for ticks, if the writer is known */
	uint64_t foreign_latches;	/* the same for events of buffers */
	bool forgery_reported;		/* sink.forgery was called */
	uint64_t restarts;		/* how often another process became SurfaceFlinger */
	uint64_t frames;
};

/* @rules and @layers are borrowed. */
void attribution_init(struct attribution *a, const struct ruleset *rules, unsigned int max_threads,
		      struct layer_table *layers, const struct attribution_sink *sink,
		      struct memory *memory);

/* attribution_begin() and attribution_end_slice() of a slice that is more than there. */
void attribution_any_begin(struct attribution *a, const struct trace_record *record,
			   const struct slice_meaning *meaning);
const struct open_slice *attribution_any_end(struct attribution *a,
					     const struct trace_record *record);

/* A slice has ended on a thread that has presented: maybe the composition. */
void attribution_end_composition(struct attribution *a, const struct trace_record *record);

/* True: a slice that no rule names changes nothing but the stack of its thread. If that is
 * SurfaceFlinger's, the event has been added to its run. */
static inline bool attribution_is_plain(struct attribution *a, const struct trace_record *record)
{
	if (record->tid != a->sf.tid)
		return !a->candidate.sf.known;
	return !a->candidate.sf.known && record->writer != TRACE_WRITER_OTHER &&
	       !sf_runs_add(&a->runs, record->tid, record->cpu, record->time_ns);
}

/* A slice begins. */
static inline void attribution_begin(struct attribution *a, const struct trace_record *record,
				     const struct slice_meaning *meaning)
{
	a->stacks.now_ns = record->time_ns;
	if (meaning == &slice_unnamed && attribution_is_plain(a, record))
		slice_stacks_begin_unnamed(&a->stacks, record->tid);
	else
		attribution_any_begin(a, record, meaning);
}

/* A slice ends. Returns it, if a rule names it; else NULL. */
static inline const struct open_slice *attribution_end_slice(struct attribution *a,
							     const struct trace_record *record)
{
	const struct open_slice *ended;

	a->stacks.now_ns = record->time_ns;
	if (!attribution_is_plain(a, record))
		return attribution_any_end(a, record);
	ended = slice_stacks_end(&a->stacks, record->tid);
	if (record->tid == a->sf.tid && a->sf.presented)
		attribution_end_composition(a, record);
	return ended;
}

/* Processes a record that is no slice. */
void attribution_event(struct attribution *a, const struct trace_record *record);

/* Events may be missing after @time_ns, or the clock stepped. Open slices, the last values of
 * counters, and latches without a present (which may be lost) are invalid. */
void attribution_forget_open(struct attribution *a, uint64_t time_ns);

/* Events of @cpu are missing, after its last one at @from_ns and up to its next one; the record
 * that reports this has the time @time_ns. What they cannot have changed stays valid: the slices of
 * threads on other CPUs, and all of SurfaceFlinger unless its thread may have run there. */
void attribution_lost(struct attribution *a, int32_t cpu, uint64_t from_ns, uint64_t time_ns);

/* The same as attribution_forget_open(), and later times cannot be compared with earlier ones. */
void attribution_new_clock(struct attribution *a);

/* The trace ends: decides if the candidate is SurfaceFlinger. */
void attribution_end(struct attribution *a);

/* Changes the rules, and the Surfaces of the layers by the new ones. */
void attribution_set_rules(struct attribution *a, const struct ruleset *rules);

#endif
