/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/trace/: where the records of a trace come from, and the settings of the kernel's tracing.
 *
 * Other rooms include only this header of the room. Read source.h and source_raw.c first.
 *
 * Reading. A source passes records, in their order, to a record_sink. There are two ways, with
 * the same interface for the caller.
 *
 *     source_text    text, from recorded files (source_file) or as the kernel prints it into
 *                    trace_pipe (source_pipe); it is remembered for snapshots
 *     source_raw     the kernel prints nothing, and jankd reads its ring buffers, at a fraction of
 *                    the cost
 *
 * Live events have no names, or wrong ones: thread_cache reads /proc. Raw ones have no number of
 * lost events: trace_files reads the kernel's statistics, with which lost_claims also refuses
 * forged lines of a text.
 *
 * Settings. The whole machine shares the settings of a live trace, so a capture restores them:
 *
 *     tracefs        finds tracefs, creates an instance, switches tracing on (the only user of
 *                    libtracefs)
 *     settings       all settings: what each was, what jankd and other programs have made of it;
 *                    restores them at the end
 *     journal        their text in a file; after a crash the next jankd restores from it
 *     setting_file   one setting; the buffer size, which may differ by CPU
 *     trace_files    settings and statistics that are read often, with the time of the trace
 *                    clock; their files stay open
 *     other_tracers  other programs that trace
 *
 * input: reads of recorded traces, which a signal stops.
 *
 * timeline_stream: FrameTimeline beside a live trace, from the output of a perfetto program.
 */
#ifndef JANKD_DAEMON_TRACE_TRACE_H
#define JANKD_DAEMON_TRACE_TRACE_H

#include "daemon/trace/input.h"
#include "daemon/trace/setting_file.h"
#include "daemon/trace/settings.h"
#include "daemon/trace/source.h"
#include "daemon/trace/timeline_stream.h"
#include "daemon/trace/trace_files.h"
#include "daemon/trace/tracefs.h"

#endif
