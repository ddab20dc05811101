/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMetrics 1.0 text, for Prometheus' textfile collector and its like. All are gauges: a session
 * is over, and its numbers do not count on. Values are in base units, so seconds and ratios.
 *
 * No label is new with each run, such as a folder or the id of a session: each would begin a series
 * of its own. Of several sessions of one device and build the last one that has a number counts.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/report/devices.h"
#include "tools/report/output.h"

/* An app in the session, or in all sections of one name. */
struct app_part {
	const char *app, *section; /* section: "" of the session */
	bool is_shown;
	struct grade_facts facts;
};

static const char *const label_names[] = { "device", ",model", ",build" };

#define LABELS (sizeof(label_names) / sizeof(label_names[0]))

struct labelled {
	const struct session *session;
	char *device;
	const char *labels[LABELS]; /* "": unknown */
	uint32_t next;		    /* the next session with the same labels; 0: none */
	struct app_part *parts;	    /* sorted */
	size_t n_parts;
	bool *is_hidden; /* each Surface: not selected, or a later session has it */
};

/* --- what is printed of a session --- */

static bool has_surface(const struct session *session, uint32_t from, const char *app,
			const char *name)
{
	/* It is at the same place in most cases. */
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *one = &session->surfaces[(from + i) % session->n_surfaces];

		if (strcmp(name_of(session, one->name), name) == 0 &&
		    strcmp(name_of(session, one->app), app) == 0)
			return one->is_shown;
	}
	return false;
}

static int by_names(const void *a, const void *b)
{
	const struct app_part *one = a, *other = b;
	int order = strcmp(one->app, other->app);

	return order != 0 ? order : strcmp(one->section, other->section);
}

/* What is printed of a session. Those that follow in @all are labelled already. */
static int label_session(struct labelled *own, const struct labelled *all,
			 const struct report *report)
{
	uint32_t next = (uint32_t)(own - all);
	const struct session *session = &report->sessions[next];
	size_t n = 0;

	own->session = session;
	if (device_of(&own->device, session) < 0)
		return -ENOMEM;
	own->labels[0] = own->device;
	own->labels[1] = session_json_text(session, "device", "model");
	own->labels[2] = session_json_text(session, "device", "build");
	for (unsigned int i = 0; i < LABELS; i++)
		own->labels[i] = own->labels[i] ? own->labels[i] : "";
	while (++next < report->n && own->next == 0) {
		unsigned int equal = 0;

		while (equal < LABELS && strcmp(own->labels[equal], all[next].labels[equal]) == 0)
			equal++;
		if (equal == LABELS)
			own->next = next;
	}

	own->is_hidden = calloc(session->n_surfaces + 1, sizeof(*own->is_hidden));
	own->parts = calloc((size_t)session->n_apps + session->n_in_section_apps + 1,
			    sizeof(*own->parts));
	if (!own->is_hidden || !own->parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];

		own->is_hidden[i] = !surface->is_shown;
		for (uint32_t at = own->next; at != 0 && !own->is_hidden[i]; at = all[at].next)
			own->is_hidden[i] =
				has_surface(all[at].session, i, name_of(session, surface->app),
					    name_of(session, surface->name));
	}
	for (uint32_t i = 0; i < session->n_apps + session->n_in_section_apps; i++) {
		bool is_whole = i < session->n_apps;
		const struct graded_app *app =
			is_whole ? &session->apps[i]
				 : &session->in_section_apps[i - session->n_apps];
		const char *name = "";

		if (!is_whole && !select_section(report->selection, session, app->section))
			continue;
		if (!is_whole)
			name = name_of(session, session->sections[app->section].name);
		own->parts[own->n_parts++] = (struct app_part){
			.app = name_of(session, app->app),
			.section = is_whole || name[0] ? name : "(no name)",
			.is_shown = true,
			.facts = app->facts,
		};
	}
	qsort(own->parts, own->n_parts, sizeof(*own->parts), by_names);
	/* Sections of one name are one after the other, so their times add up. */
	for (size_t i = 1; i < own->n_parts; i++)
		if (by_names(&own->parts[n], &own->parts[i]) != 0)
			own->parts[++n] = own->parts[i];
		else
			grade_add_after(&own->parts[n].facts, &own->parts[i].facts);
	own->n_parts = own->n_parts > 0 ? n + 1 : 0;
	/* Of several sessions with the same labels the last one with the part shows it. */
	for (uint32_t at = own->next; at != 0; at = all[at].next)
		for (size_t i = 0; i < own->n_parts; i++)
			own->parts[i].is_shown &=
				!bsearch(&own->parts[i], all[at].parts, all[at].n_parts,
					 sizeof(*own->parts), by_names);
	return 0;
}

/* --- samples --- */

static void print_label(FILE *out, const char *name, const char *value)
{
	char escaped[NAMES_SIZE];

	escaped[names_escape(escaped, span_of(value))] = '\0';
	fprintf(out, "%s=\"", name);
	for (const char *at = escaped; *at; at++) {
		if (*at == '\\' || *at == '"')
			fputc('\\', out);
		fputc(*at, out);
	}
	fputc('"', out);
}

static void begin_sample(FILE *out, const struct labelled *of, const char *family, const char *app)
{
	fprintf(out, "jank_%s{", family);
	for (unsigned int i = 0; i < LABELS; i++)
		print_label(out, label_names[i], of->labels[i]);
	print_label(out, ",app", app);
}

static void begin_family(FILE *out, const char *family, const char *help, const char *of)
{
	size_t length = strlen(family);
	bool is_time = length > 8 && strcmp(family + length - 8, "_seconds") == 0;
	bool is_ratio = length > 6 && strcmp(family + length - 6, "_ratio") == 0;

	fprintf(out, "# TYPE jank_%s gauge\n", family);
	if (is_time || is_ratio)
		fprintf(out, "# UNIT jank_%s %s\n", family, is_time ? "seconds" : "ratio");
	fprintf(out, "# HELP jank_%s %s of %s; see jankd-metrics(7)\n", family, help, of);
}

/* --- apps, in the session and in its sections --- */

enum app_family {
	APP_GRADE,
	APP_LOST_RATE,
	APP_LOST,
	APP_FREEZES,
	APP_MORE_FREEZES,
	APP_DRAWING,
};

static const struct {
	const char *name, *help;
} app_families[] = {
	[APP_GRADE] = { "app_grade", "grade (1 for the label grade that applies)" },
	[APP_LOST_RATE] = { "app_lost_ratio", "share of drawing lost to late frames and freezes" },
	[APP_LOST] = { "app_lost_seconds", "time lost to late frames and freezes" },
	[APP_FREEZES] = { "app_freezes", "freezes" },
	[APP_MORE_FREEZES] = { "app_more_freezes",
			       "1 if lost events, or events.csv, may show more" },
	[APP_DRAWING] = { "app_drawing_seconds", "drawing" },
};

/* A sample of an app; of the grade one for each that there is, of which one is 1. */
static void print_part(FILE *out, const struct labelled *own, const struct app_part *part,
		       enum app_family family)
{
	const struct grade_facts *facts = &part->facts;
	const double values[] = {
		[APP_LOST_RATE] = grade_lost_rate(facts) / 1e3,
		[APP_LOST] = (double)grade_lost_ns(facts) / 1e9,
		[APP_FREEZES] = (double)facts->freezes,
		[APP_MORE_FREEZES] = facts->more_freezes,
		[APP_DRAWING] = (double)grade_drawing_ns(facts) / 1e9,
	};

	for (unsigned int i = GRADE_NONE + 1; part->is_shown && i < GRADES; i++) {
		begin_sample(out, own, app_families[family].name, part->app);
		print_label(out, ",section", part->section);
		if (family != APP_GRADE) {
			fprintf(out, "} %.10g\n", values[family]);
			return;
		}
		print_label(out, ",grade", grade_names[i]);
		fprintf(out, "} %d\n", i == grade_of(facts));
	}
}

int output_openmetrics(FILE *out, const struct report *report)
{
	struct labelled *all = calloc(report->n + 1, sizeof(*all));
	int error = all ? 0 : -ENOMEM;

	for (uint32_t i = report->n; error == 0 && i-- > 0;)
		error = label_session(&all[i], all, report);
	for (unsigned int i = APP_GRADE; error == 0 && i <= APP_DRAWING; i++) {
		begin_family(out, app_families[i].name, app_families[i].help,
			     "an app in a section; section is empty for the whole session");
		for (uint32_t j = 0; j < report->n; j++)
			for (size_t k = 0; k < all[j].n_parts; k++)
				print_part(out, &all[j], &all[j].parts[k], (enum app_family)i);
	}
	for (unsigned int i = 0; error == 0 && i < METRICS; i++) {
		const struct metric_info *info = &metrics[i];

		if (!info->open_name)
			continue;
		begin_family(out, info->open_name, info->name, "a Surface");
		for (uint32_t j = 0; j < report->n; j++)
			for (uint32_t k = 0; k < all[j].session->n_surfaces; k++) {
				const struct surface *surface = &all[j].session->surfaces[k];
				double value = surface->numbers.of[i];

				if (!isfinite(value) || all[j].is_hidden[k])
					continue;
				begin_sample(out, &all[j], info->open_name,
					     name_of(all[j].session, surface->app));
				print_label(out, ",surface",
					    name_of(all[j].session, surface->name));
				fprintf(out, "} %.10g\n", value * info->open_scale);
			}
	}
	if (error == 0)
		fputs("# EOF\n", out);
	for (uint32_t i = 0; all && i < report->n; i++) {
		free(all[i].device);
		free(all[i].parts);
		free(all[i].is_hidden);
	}
	free(all);
	return error;
}
