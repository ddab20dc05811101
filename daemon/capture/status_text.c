/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capture/status_text.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "daemon/capture/cost.h"
#include "daemon/base/report.h"
#include "daemon/control/table.h"
#include "daemon/base/text.h"
#include "daemon/version.h"

/* Surfaces of the table: those with most frames. */
#define SURFACES_SHOWN 5

#define NS_PER_S 1e9

/* A folder's name may hold any bytes. */
static void print_text(FILE *out, const char *label, const char *text)
{
	char shown[4 * PATH_MAX];

	text_escape(shown, sizeof(shown), text);
	fprintf(out, "%-9s%s\n", label, shown);
}

static void print_source(FILE *out, const struct session_origin *origin)
{
	char text[1200];

	snprintf(text, sizeof(text), "%s/%s (%s)", origin->path, origin->kind, origin->why);
	print_text(out, "source", text);
}

static void print_since(FILE *out, double uptime_s)
{
	int64_t begin_ns = wall_clock_now() - (int64_t)(uptime_s * NS_PER_S);
	unsigned long seconds = (unsigned long)uptime_s;
	char wall[WALL_CLOCK_TEXT];

	wall_clock_format(wall, begin_ns);
	fprintf(out, "since    %s, for %lu h %02lu min %02lu s\n", wall, seconds / 3600,
		seconds / 60 % 60, seconds % 60);
}

static void print_seen(FILE *out, const struct session *session,
		       const struct pipeline_counters *counters)
{
	fprintf(out,
		"seen     %" PRIu64 " events in %.1f MB, %" PRIu64 " presents, %" PRIu64 " frames",
		counters->records, (double)session->source->counts.bytes / 1e6, counters->presents,
		counters->frames);
	if (counters->refresh_mhz >= 0)
		fprintf(out, ", %.2f Hz", (double)counters->refresh_mhz / 1e3);
	fputc('\n', out);
}

static void print_lost(FILE *out, const struct session *session,
		       const struct pipeline_counters *counters)
{
	fprintf(out, "lost     %" PRIu64 " events", counters->lost_events);
	if (counters->lost_unknown > 0)
		fprintf(out, " and %" PRIu64 " times an unknown number", counters->lost_unknown);
	fprintf(out, ", %" PRIu64 " rows\n", output_all_rows_lost(&session->output));
}

/* Where rows wait for the disk. */
static void print_disk(FILE *out, const struct output *output)
{
	uint64_t busy_ns = output_busy_ns(output);

	if ((double)busy_ns >= NS_PER_S)
		fprintf(out, "disk     does not answer for %.0f s; rows wait in memory\n",
			(double)busy_ns / NS_PER_S);
}

/* What is worth a line only where there was any. */
static void print_odd(FILE *out, const struct session *session,
		      const struct pipeline_counters *counters)
{
	const struct source_counts *counts = &session->source->counts;
	const struct {
		const char *name;
		uint64_t count;
	} odd[] = {
		{ "holes", counters->holes },
		{ "malformed lines", counts->malformed + counts->glued + counts->too_long },
		{ "late events", counters->late },
		{ "presents without a frame", counters->unattributed_presents },
		{ "markers of others in SurfaceFlinger's words",
		  counters->foreign_presents + counters->foreign_ticks +
			  counters->foreign_latches },
		{ "frames refused for want of room", counters->frames_refused },
		{ "frames counted early for want of room", counters->frames_counted_early },
		{ "threads evicted", counters->threads_evicted },
		{ "surfaces evicted", counters->surfaces_evicted },
		{ "marks of apps too soon behind another", counters->marks_too_soon },
		{ "surfaces in the row (others)", counters->surfaces_others },
		{ "surfaces lost on the disk", counters->surfaces_unreadable },
		{ "percentiles given up", counters->percentiles_refused },
		{ "restarts of SurfaceFlinger", counters->surfaceflinger_restarts },
		{ "rotations", session->output.state.rotations },
		{ "snapshots", session->snapshot.written },
		{ "snapshots too soon behind another", session->snapshot.suppressed },
		{ "snapshots not saved", session->snapshot.failed },
	};
	const char *between = "and      ";

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		if (odd[i].count == 0)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", between, odd[i].count, odd[i].name);
		between = ", ";
	}
	if (strcmp(between, ", ") == 0)
		fputc('\n', out);
}

static void print_costs(FILE *out, double uptime_s)
{
	struct cost cost = cost_now();
	double per_s = uptime_s > 0 ? 1 / uptime_s : 0;

	fprintf(out,
		"costs    %.2f s of CPU (%.2f %%), %.2f s in other programs, %.1f MB of memory, "
		"%.1f wakeups/s\n",
		(double)cost.cpu_ms / 1e3, (double)cost.cpu_ms * per_s / 10,
		(double)cost.children_cpu_ms / 1e3, (double)cost.rss_kb / 1024,
		(double)cost.wakeups * per_s);
}

void status_text_print(FILE *out, const struct session *session, double uptime_s,
		       unsigned int columns)
{
	const struct pipeline_counters *counters = pipeline_counters(session->pipeline);
	struct table *table = table_new();

	fprintf(out, "jankd    %s, %s, pid %ld\n", JANKD_VERSION, session_command(session),
		(long)getpid());
	print_text(out, "folder", session->folder.path);
	print_source(out, &session->origin);
	print_text(out, "rules", session->options->rules);
	print_since(out, uptime_s);
	if (session->discarding)
		print_text(out, "waits", "counting begins when --wait is over");
	print_seen(out, session, counters);
	print_lost(out, session, counters);
	print_disk(out, &session->output);
	print_odd(out, session, counters);
	print_costs(out, uptime_s);
	if (report_last()[0])
		print_text(out, "said", report_last());
	fputc('\n', out);
	if (table)
		table_print(table, out, session->pipeline, SURFACES_SHOWN, columns);
	table_free(table);
}
