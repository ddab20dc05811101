/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "daemon/base/report.h"
#include "daemon/base/status.h"
#include "daemon/base/text.h"
#include "daemon/base/text_file.h"
#include "daemon/show/show.h"

/* --- surfaces --- */

static bool comes_before(enum status_surfaces which, const struct summary_row *a,
			 const struct summary_row *b)
{
	if (which == STATUS_OF_NOW && (a->frozen_ns > 0) != (b->frozen_ns > 0))
		return a->frozen_ns > 0;
	if (which == STATUS_OF_NOW && a->recent_frames != b->recent_frames)
		return a->recent_frames > b->recent_frames;
	return a->stats.frames > b->stats.frames;
}

/* Inserts the row. Of equal rows the first one stays in front. */
static void add_surface(void *context, const struct summary_row *row)
{
	struct status *status = context;
	struct summary_row *to;
	char(*names)[STATUS_NAME_SIZE];
	unsigned int at = status->n_surfaces;

	status->surfaces_total++;
	apps_add(status, row);
	if (status->first_ns == 0 || row->first_ns < status->first_ns)
		status->first_ns = row->first_ns;
	while (at > 0 && comes_before(status->which, row, &status->surfaces[at - 1]))
		at--;
	if (at == STATUS_SURFACES_MAX)
		return;
	/* The last one gives its place, and that of its names. */
	if (status->n_surfaces < STATUS_SURFACES_MAX)
		names = status->names[status->n_surfaces++];
	else
		names = (char(*)[STATUS_NAME_SIZE])status->surfaces[STATUS_SURFACES_MAX - 1].app;
	to = &status->surfaces[at];
	memmove(to + 1, to, (status->n_surfaces - at - 1) * sizeof(*to));
	*to = *row;
	to->app = text_copy(names[0], sizeof(names[0]), row->app);
	to->surface = text_copy(names[1], sizeof(names[1]), row->surface);
	to->jank_types = NULL;
}

void status_read_pipeline(struct status *status, struct pipeline *pipeline,
			  enum status_surfaces which)
{
	const struct timeline_app *timeline_apps = pipeline_timeline_apps(pipeline);

	status->which = which;
	status->counters = *pipeline_counters(pipeline);
	if (which == STATUS_NO_SURFACES)
		return;
	if (timeline_apps && status->counters.presents == 0) {
		memcpy(status->timeline_apps, timeline_apps, sizeof(status->timeline_apps));
		timeline_sort(status->timeline_apps);
	}
	pipeline_summary(pipeline, status, add_surface);
	_Static_assert(sizeof(status->missing_at) >= GRADE_MISSING_AT_SIZE, "there is space");
	/* Times of two clocks do not compare. */
	if (status->counters.span_ns == 0)
		grade_missing_at(status->missing_at,
				 (int64_t)(status->counters.hole_from_ns - status->first_ns),
				 (int64_t)(status->counters.hole_to_ns - status->first_ns),
				 status->counters.hole_time_ns, ENGLISH);
	for (unsigned int i = 0; i < status->n_apps; i++)
		status->apps[i].missing_at = status->missing_at;
}

/* --- the rest --- */

static uint64_t cpu_ms(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
}

struct status *session_status(const struct session *session, enum status_surfaces which)
{
	const struct session_origin *origin = &session->origin;
	const struct source_counts *counts = &session->source->counts;
	const struct cpu_buffer_stats *buffers = session->buffers;
	struct status *status = calloc(1, sizeof(*status));
	struct rusage self = { 0 }, children = { 0 };
	struct utsname kernel;
	char statm[128];
	unsigned long pages = 0;

	if (!status)
		return NULL;
	status->options = session->options;
	status->live = origin->live;
	status->discarding = session->discarding;
	status->pid = (long)getpid();
	text_copy(status->folder, sizeof(status->folder), session->folder.path);
	text_copy(status->last_report, sizeof(status->last_report), report_last());
	status->uptime_s =
		session->begin_ns > 0 ? (double)(loop_now() - session->begin_ns) / 1e9 : -1;
	status->counting_s = status->uptime_s - (double)session->options->wait_ns / 1e9;
	status->begin_ns = origin->clock.known && session->begin_wall_ns >= 0
				   ? session->begin_wall_ns - origin->clock.offset_ns
				   : ROW_UNKNOWN;
	status->begin_wall_ns = session->begin_wall_ns;
	status->end_wall_ns = session->end_wall_ns;

	status->source = origin->kind;
	text_copy(status->source_why, sizeof(status->source_why), origin->why);
	text_copy(status->source_path, sizeof(status->source_path), origin->path);
	text_copy(status->trace_clock, sizeof(status->trace_clock), origin->trace_clock);
	status->clock = session->output.clock;
	status->device_start = session->begin_values;
	status->device_end = session->end_values;
	if (origin->live) {
		status->device = origin->device;
		if (uname(&kernel) == 0)
			text_copy(status->kernel, sizeof(status->kernel), kernel.release);
		boot_id_read(status->boot_id);
		text_copy(status->session_id, sizeof(status->session_id), origin->id);
	}

	_Static_assert(TRACE_CPUS_MAX <= PIPELINE_CPUS, "all CPUs have a place");
	status->bytes = counts->bytes;
	status->markers = counts->markers;
	status->malformed_markers = counts->malformed;
	status->glued_lines = counts->glued;
	status->too_long_lines = counts->too_long;
	status->has_overruns = buffers != NULL;
	status->cpus = buffers ? buffers->cpus : 0;
	for (unsigned int i = 0; i < status->cpus; i++)
		status->overruns[i] = buffers->cpu[i].lost;
	status->recoveries = buffers ? *session->recoveries : 0;

	_Static_assert(ROW_FILES <= STATUS_FILES_MAX, "all files have a place");
	for (int i = 0; i < ROW_FILES; i++)
		if (output_name(&session->output, (enum csv_file_kind)i))
			status->rows[status->files++] =
				output_rows(&session->output, (enum csv_file_kind)i);
	status->rows_lost = output_all_rows_lost(&session->output);
	status->rotations = session->output.state.rotations;
	status->segments_removed = session->output.state.removed;
	status->disk_busy_ns = file_thread_busy_ns(session->output.thread);
	status->snapshots = session->snapshot.written;
	status->snapshots_suppressed = session->snapshot.suppressed;
	status->snapshots_failed = session->snapshot.failed;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	/* The second number of statm, in pages. */
	if (text_file_read(statm, sizeof(statm), "/proc/self/statm"))
		sscanf(statm, "%*u %lu", &pages);
	status->cost = (struct status_cost){
		.cpu_ms = cpu_ms(&self),
		.children_cpu_ms = cpu_ms(&children),
		.rss_kb = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024,
		.wakeups = (uint64_t)self.ru_nvcsw,
	};
	if (session->latency)
		status->latency = *session->latency;
	status->process.oom_score_adj = DEVICE_UNKNOWN;
	if (origin->background)
		background_read(origin->background, &status->process);
	status_read_pipeline(status, session->pipeline, which);
	return status;
}
