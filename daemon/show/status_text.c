/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/show.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/base/text.h"
#include "daemon/version.h"

/* Surfaces in the table. */
#define SURFACES_SHOWN 5

#define NS_PER_S 1e9

/* The name of a folder may have any bytes. */
static void print_text(FILE *out, const char *label, const char *text)
{
	char shown[4 * PATH_MAX];

	text_escape(shown, sizeof(shown), text);
	fprintf(out, "%-9s%s\n", label, shown);
}

/* Counts that are printed only if they are not 0. */
static void print_nonzero_counts(FILE *out, const struct status *status)
{
	const struct pipeline_counters *counters = &status->counters;
	const struct {
		const char *name;
		uint64_t count;
	} counts[] = {
		{ "holes", counters->holes },
		{ "malformed lines",
		  status->malformed_markers + status->glued_lines + status->too_long_lines },
		{ "late events", counters->late },
		{ "events far ahead of all others, ignored", counters->ahead },
		{ "presents without a frame", counters->unattributed_presents },
		{ "SurfaceFlinger markers from other processes",
		  counters->foreign_presents + counters->foreign_ticks +
			  counters->foreign_latches },
		{ "frames refused because tables were full", counters->frames_refused },
		{ "frames counted early because tables were full", counters->frames_counted_early },
		{ "threads evicted", counters->threads_evicted },
		{ "callbacks missing in doframe.csv because its table was full",
		  counters->doframes_refused },
		{ "slices refused because tables were full, which may hide freezes",
		  counters->slices_refused },
		{ "processes, ticks, displays or holes evicted",
		  counters->processes_evicted + counters->ticks_evicted +
			  counters->displays_evicted + counters->holes_evicted },
		{ "layers evicted because the table was full", counters->layers_evicted },
		{ "surfaces evicted", counters->surfaces_evicted },
		{ "marks that closed no row, too soon after another", counters->marks_too_soon },
		{ "surfaces in the row (others)", counters->surfaces_others },
		{ "rows or surfaces without percentiles", counters->percentiles_refused },
		{ "restarts of SurfaceFlinger", counters->surfaceflinger_restarts },
		{ "rotations", status->rotations },
		{ "snapshots", status->snapshots },
		{ "snapshots not taken, too soon after another", status->snapshots_suppressed },
		{ "snapshots not saved", status->snapshots_failed },
	};
	const char *between = "and      ";

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (counts[i].count == 0)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", between, counts[i].count, counts[i].name);
		between = ", ";
	}
	if (strcmp(between, ", ") == 0)
		fputc('\n', out);
}

void status_text_print(FILE *out, const struct status *status, unsigned int columns)
{
	char text[PATH_MAX + 256];
	unsigned long seconds = (unsigned long)status->uptime_s;
	char wall[WALL_CLOCK_TEXT];
	const struct pipeline_counters *counters = &status->counters;
	const struct status_cost *cost = &status->cost;
	const struct status_latency *latency = &status->latency;
	double per_s = status->uptime_s > 0 ? 1 / status->uptime_s : 0;
	double polls = latency->polls > 0 ? (double)latency->polls : 1;

	fprintf(out, "jankd    %s, %s, pid %ld\n", JANKD_VERSION,
		options_command_name(status->options->command), status->pid);
	print_text(out, "folder", status->folder);
	snprintf(text, sizeof(text), "%s/%s (%s)", status->source_path, status->source,
		 status->source_why);
	print_text(out, "source", text);
	print_text(out, "rules", status->options->rules);
	wall_clock_format(wall, status->begin_wall_ns);
	fprintf(out, "since    %s, for %lu h %02lu min %02lu s\n", wall, seconds / 3600,
		seconds / 60 % 60, seconds % 60);
	if (status->discarding)
		print_text(out, "waiting", "counting begins when --wait is over");
	fprintf(out,
		"read     %" PRIu64 " events in %.1f MB, %" PRIu64 " presents, %" PRIu64 " frames",
		counters->records, (double)status->bytes / 1e6, counters->presents,
		counters->frames);
	if (counters->refresh_mhz >= 0)
		fprintf(out, ", %.2f Hz", (double)counters->refresh_mhz / 1e3);
	fputc('\n', out);
	fprintf(out, "lost     %" PRIu64 " events", counters->lost_events);
	if (counters->lost_unknown > 0)
		fprintf(out, " plus %" PRIu64 " %s of unknown size", counters->lost_unknown,
			counters->lost_unknown == 1 ? "loss" : "losses");
	fprintf(out, ", %" PRIu64 " rows\n", status->rows_lost);
	/* Printed only while rows wait for the disk. */
	if ((double)status->disk_busy_ns >= NS_PER_S)
		fprintf(out, "disk     has not responded for %.0f s; rows are kept in memory\n",
			(double)status->disk_busy_ns / NS_PER_S);
	print_nonzero_counts(out, status);
	fprintf(out,
		"costs    %.2f s of CPU (%.2f %%), %.2f s in child processes, %.1f MB of memory, "
		"%.1f wakeups/s\n",
		(double)cost->cpu_ms / 1e3, (double)cost->cpu_ms * per_s / 10,
		(double)cost->children_cpu_ms / 1e3, (double)cost->rss_kb / 1024,
		(double)cost->wakeups * per_s);
	if (latency->is_on)
		fprintf(out,
			"fences   %" PRIu64 " polls (%" PRIu64
			" failed) of %.1f ms on average, %.1f ms at most, "
			"%.2f s of CPU; %" PRIu64 " frames, %" PRIu64 " overruns\n",
			latency->polls, latency->failed, (double)latency->wall_ns / 1e6 / polls,
			(double)latency->wall_most_ns / 1e6, (double)latency->cpu_ns / NS_PER_S,
			latency->frames, latency->overruns);
	if (status->last_report[0])
		print_text(out, "reported", status->last_report);
	fputc('\n', out);
	table_print(out, status, SURFACES_SHOWN, columns, false);
}
