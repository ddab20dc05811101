/* SPDX-License-Identifier: Apache-2.0 */
/* The room's one door: records in, rows out.
 *
 * Time moves only by the records' own times, so a recorded trace and the live stream give the
 * same rows. After pipeline_new() nothing is allocated.
 */
#ifndef JANKD_RULES_PIPELINE_H
#define JANKD_RULES_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/pipeline_counters.h"
#include "rules/pipeline_options.h"
#include "rules/row.h"
#include "rules/ruleset.h"

struct pipeline;

/* Can rules be followed with these options? The engine last-counter knows no layers: it has no
 * trigger, no late frames, and no choice of Surfaces. */
bool pipeline_accepts(const struct ruleset *rules, const struct pipeline_options *options);

/**
 * pipeline_new() - set up everything that records need
 * @out: the caller gives it back with pipeline_free()
 * @rules: borrowed as long as the pipeline lives
 * @options: copied (but for the lists it points to)
 * @sink: copied; its callbacks run inside the functions below
 *
 * Returns 0; -ENOMEM; -EINVAL where pipeline_accepts() says no.
 */
int pipeline_new(struct pipeline **out, const struct ruleset *rules,
		 const struct pipeline_options *options, const struct row_sink *sink);

/* Frees @p, which may be NULL. Rows not yet written are lost. Returns NULL. */
struct pipeline *pipeline_free(struct pipeline *p);

/* Takes the next record of the trace. */
void pipeline_record(struct pipeline *p, const struct trace_record *record);

/* The time that the trace has come to, as far as it is believed; 0 before the first record. */
uint64_t pipeline_now(const struct pipeline *p);

/**
 * pipeline_set_rules() - go on with other rules
 * @rules: borrowed from now on; the old ones are not needed any more
 *
 * Layers that they rename begin a new row. What is in the midst of being latched is forgotten: for
 * intervals it is as if there was a hole.
 *
 * Returns 0, or -EINVAL where the rules ask for another engine: nothing has changed then.
 */
int pipeline_set_rules(struct pipeline *p, const struct ruleset *rules);

/* Somebody says which app is in front ("app/activity"), or the display's period. Both are as good
 * as options.focus and options.vsync_ns, where those were not given and until the trace says more.
 * False: the app is known already. */
bool pipeline_focus(struct pipeline *p, const char *focus);
void pipeline_set_dumpsys_period(struct pipeline *p, uint64_t period_ns);

/* The moment @time_ns of the trace is marked, which may be ahead of the last record: all open
 * rows end with their last frame before it, and are written however few frames they have. Rule set
 * gfx2019 has no such marks. One that an app writes into the trace, I|pid|jankd:TEXT, does the
 * same, once a second at most. Returns 0, or -ENOSPC: too many wait for the records before them. */
int pipeline_mark(struct pipeline *p, uint64_t time_ns);

/* Since when it is in doubt which app is in front, in trace time: a window of another one, *@app,
 * began to draw then. 0: it is not. And the answer for that moment,
 * "app/activity" or "" for unknown; it holds for frames from @since_ns on that are not counted yet.
 * Without options.front_is_queried it is unknown as soon as the app that was in front draws no
 * more.
 */
uint64_t pipeline_front_uncertain_since(const struct pipeline *p, const char **app);
void pipeline_set_front(struct pipeline *p, const char *focus, uint64_t since_ns);

/* Between the trace time @since_ns and the next record events may be missing, and no record says
 * so: tracing was switched off, the buffer was cleared, the device slept. Across such a hole, as
 * across a loss that a record tells of, an interval is known only where it is one vsync; a frame
 * with any other has none, as a layer's first frame. So each is one row more in frames.csv than
 * frames, waits and first frames make. */
void pipeline_hole(struct pipeline *p, uint64_t since_ns);

/* While @doubt, events are known to be missing and the record that says so has not come yet: a
 * reader that was held up sees from the kernel's own statistics that some CPU's buffer ran over,
 * but the other CPUs' events come first. Frames that come meanwhile are as if in a hole. */
void pipeline_set_loss_pending(struct pipeline *p, bool doubt);

/* From the next record on times are those of another clock: rows end here. The hole is as in
 * pipeline_hole(). */
void pipeline_new_clock(struct pipeline *p, uint64_t since_ns);

/* Nothing was written into the trace for @for_ns behind the last record: what waits for later
 * records is counted without them. The next record would do the same. */
void pipeline_silent(struct pipeline *p, uint64_t for_ns);

/* Is the recorded trace sorted by CPU instead of by time? Then nothing that was counted is right.
 * As long as one CPU alone has written it may still turn out so. */
bool pipeline_is_by_cpu(const struct pipeline *p);
bool pipeline_may_be_by_cpu(const struct pipeline *p);

/* The trace ends: writes what is left. No record may follow. */
void pipeline_end(struct pipeline *p);

/* Nothing that is told from now on happened before this time, but for the begin of a refresh rate;
 * and nothing waits to be counted, so that nothing at all may come for long. */
uint64_t pipeline_settled(const struct pipeline *p);
bool pipeline_is_settled(const struct pipeline *p);

/* Calls @row once for each Surface of the session so far, in order of first appearance; rows that
 * are open count. Behind them '(others)' stands for those that the tables and the sink's spill have
 * no room for. */
void pipeline_summary(struct pipeline *p, void *context,
		      void (*row)(void *context, const struct summary_row *row));

/* Was there a frame of a Surface that options.trigger is about? True where it asks for none. */
bool pipeline_trigger_matched(const struct pipeline *p);

/* Brings the counters up to date; valid as long as the pipeline lives. */
const struct pipeline_counters *pipeline_counters(struct pipeline *p);

#endif
