/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/trace/: where the records of a trace come from, and the settings of the kernel's tracing.
 *
 * This is the only header of the room that other rooms include. source.h and source_raw.c are the
 * files to read first.
 *
 * Reading. A source gives records, one after the other, to a record_sink. There are two ways, and
 * the caller sees no difference between them.
 *
 * Text, as recorded files have it and as the kernel prints it into trace_pipe:
 *
 *     source_file: file ──► archive ──► inflate ──► text out of HTML ──┐
 *     source_pipe: trace_pipe ─────────────────────────────────────────┤
 *                                                                      ▼
 *     source_text:                  trace_buffer ──► parser/ftrace_text ──► record_sink
 *                                   (remembers       │    live: thread_cache completes names,
 *                                   for snapshots)   └──        lost_claims refuses forged lines
 *
 * Raw, which costs a fraction of it: the kernel prints nothing, and jankd reads its ring buffers:
 *
 *     source_raw:  cpu0/trace_pipe_raw ──► page ──┐
 *                  cpu1/trace_pipe_raw ──► page ──┼──► parser/ftrace_merge ──► marker ──►
 * record_sink
 *                  ...                            ┘    (by time)               thread_cache names
 *
 * A page has no names and no number of lost events: thread_cache reads /proc, and cpu_buffer_stats
 * reads the kernel's statistics of each CPU.
 *
 * Settings. A live trace belongs to the whole machine, so a capture restores what it changes:
 *
 *     tracefs        finds tracefs, makes an instance, switches tracing on (the only user of
 *                    libtracefs)
 *     settings       all settings as a text: read before, merged with what other programs have
 *                    changed, restored at the end
 *     journal        that text in a file, from which the next jankd restores after a crash
 *     setting_file   one setting; buffer_size: one that differs by CPU; trace_files: those that are
 *                    read again and again, kept open; kernel_clock: the time of the trace clock
 */
#ifndef JANKD_DAEMON_TRACE_TRACE_H
#define JANKD_DAEMON_TRACE_TRACE_H

#include "daemon/trace/buffer_size.h"
#include "daemon/trace/cpu_buffer_stats.h"
#include "daemon/trace/journal.h"
#include "daemon/trace/kernel_clock.h"
#include "daemon/trace/setting_file.h"
#include "daemon/trace/settings.h"
#include "daemon/trace/source.h"
#include "daemon/trace/trace_files.h"
#include "daemon/trace/tracefs.h"

#endif
