/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/output.h"

/* A name as jankd writes it: quoted if needed, and with a ' before what a spreadsheet would run as
 * a formula. A name from a file of jankd has that ' already. */
static void print_name(FILE *out, const char *name)
{
	bool quote = strpbrk(name, ",\"\n") != NULL;

	if (quote)
		fputc('"', out);
	if (name[0] && strchr("=+-@\t", name[0]))
		fputc('\'', out);
	for (; *name; name++) {
		if (*name == '"')
			fputc('"', out);
		fputc(*name, out);
	}
	if (quote)
		fputc('"', out);
}

static void print_text(FILE *out, const char *text)
{
	char escaped[NAMES_SIZE];

	escaped[names_escape(escaped, span_of(text ? text : ""))] = '\0';
	print_name(out, escaped);
	fputc(',', out);
}

static void print_seconds(FILE *out, int64_t time_us)
{
	if (time_us >= 0)
		fprintf(out, "%lld.%06lld", (long long)(time_us / 1000000),
			(long long)(time_us % 1000000));
	fputc(',', out);
}

static void print_row(FILE *out, const struct session *session, const struct section *section,
		      const struct surface *surface, enum numbers_source source,
		      const struct numbers *numbers, enum grade grade,
		      const struct grade_facts *facts)
{
	print_text(out, session->folder);
	fprintf(out, "%u,", (unsigned int)session->number + 1);
	print_text(out, session_json_text(session, NULL, "session_id"));
	print_text(out, session_json_text(session, "device", "model"));
	print_text(out, session_json_text(session, "device", "build"));
	print_text(out, section ? name_of(session, section->name) : "");
	print_seconds(out, section ? section->from_us : surface->first_us);
	print_seconds(out, section ? section->to_us : surface->last_us);
	print_text(out, name_of(session, surface->app));
	print_text(out, name_of(session, surface->name));
	fprintf(out, "%s,", numbers_source_names[source]);
	print_name(out, section ? "" : surface->verdict);
	for (unsigned int i = 0; i < METRIC_GRADE; i++) {
		char text[METRIC_TEXT_SIZE];

		metric_print(text, (enum metric)i, numbers->of[i]);
		fprintf(out, ",%s", text);
	}
	fprintf(out, ",%s", grade_names[grade]);
	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		fprintf(out, ",%.6f", (double)(facts->cause_ns[i] / 1000) / 1e6);
	fputc('\n', out);
}

int output_csv(FILE *out, const struct report *report)
{
	fputs("folder,session,session id,model,build,section,from(s),to(s),app,Surface,source,"
	      "verdict",
	      out);
	for (unsigned int i = 0; i < METRIC_GRADE; i++)
		fprintf(out, ",%s", metrics[i].name);
	fputs(",grade", out);
	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		fprintf(out, ",lost by %s(s)", cause_names[i]);
	fputc('\n', out);
	for (uint32_t i = 0; i < report->n; i++) {
		const struct session *session = &report->sessions[i];

		for (uint32_t j = 0; !report->selection->section && j < session->n_surfaces; j++) {
			const struct surface *surface = &session->surfaces[j];

			if (surface->is_shown)
				print_row(out, session, NULL, surface, surface->source,
					  &surface->numbers, surface->grade, &surface->facts);
		}
		for (uint32_t j = 0; j < session->n_in_sections; j++) {
			const struct section_numbers *in = &session->in_sections[j];
			const struct surface *surface = &session->surfaces[in->surface];

			if (surface->is_shown &&
			    select_section(report->selection, session, in->section))
				print_row(out, session, &session->sections[in->section], surface,
					  in->source, &in->numbers, in->grade, &in->facts);
		}
	}
	return 0;
}
