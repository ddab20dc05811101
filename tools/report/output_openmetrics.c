/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMetrics 1.0 text, for Prometheus' textfile collector and its like. All are gauges: a session
 * is over, and its numbers do not count on. Values are in base units, so seconds and ratios. */
#include "tools/report/output.h"

#include <math.h>

static void print_label(FILE *out, const char *name, const char *value)
{
	char escaped[NAMES_SIZE];

	escaped[names_escape(escaped, span_of(value ? value : ""))] = '\0';
	fprintf(out, "%s=\"", name);
	for (const char *at = escaped; *at; at++) {
		if (*at == '\\' || *at == '"')
			fputc('\\', out);
		fputc(*at, out);
	}
	fputc('"', out);
}

static void print_sample(FILE *out, const struct session *session, const struct surface *surface,
			 const char *family, double value)
{
	fprintf(out, "jank_%s{", family);
	print_label(out, "folder", session->folder);
	fprintf(out, ",session=\"%u\",", (unsigned int)session->number + 1);
	print_label(out, "session_id", session_json_text(session, NULL, "session_id"));
	fputc(',', out);
	print_label(out, "model", session_json_text(session, "device", "model"));
	fputc(',', out);
	print_label(out, "build", session_json_text(session, "device", "build"));
	fputc(',', out);
	print_label(out, "app", name_of(session, surface->app));
	fputc(',', out);
	print_label(out, "surface", name_of(session, surface->name));
	fprintf(out, "} %.10g\n", value);
}

static void print_family(FILE *out, const struct report *report, enum metric metric)
{
	const struct metric_info *info = &metrics[metric];

	fprintf(out, "# TYPE jank_%s gauge\n", info->open_name);
	if (strstr(info->open_name, "_seconds"))
		fprintf(out, "# UNIT jank_%s seconds\n", info->open_name);
	if (strstr(info->open_name, "_ratio"))
		fprintf(out, "# UNIT jank_%s ratio\n", info->open_name);
	fprintf(out, "# HELP jank_%s %s of a Surface in a session; see jankd-metrics(7)\n",
		info->open_name, info->name);
	for (uint32_t i = 0; i < report->n; i++)
		for (uint32_t j = 0; j < report->sessions[i].n_surfaces; j++) {
			const struct session *session = &report->sessions[i];
			const struct surface *surface = &session->surfaces[j];
			double value = surface->numbers.of[metric];

			if (isfinite(value) &&
			    select_surface(report->selection, name_of(session, surface->name),
					   name_of(session, surface->app)))
				print_sample(out, session, surface, info->open_name,
					     value * info->open_scale);
		}
}

int output_openmetrics(FILE *out, const struct report *report)
{
	for (unsigned int i = 0; i < METRICS; i++)
		if (metrics[i].open_name)
			print_family(out, report, (enum metric)i);
	fputs("# EOF\n", out);
	return 0;
}
