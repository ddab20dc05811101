/* SPDX-License-Identifier: Apache-2.0 */
/* The answer for a pull request or a chat: grades, sentences, and two small tables. */
#include "tools/report/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "daemon/base/text.h"
#include "tools/report/compare.h"
#include "tools/report/moments.h"
#include "tools/report/sentences.h"

#define MOMENTS_SHOWN 5

/* Names are data: nothing in them is formatted. */
static void print_escaped(FILE *out, const char *text)
{
	char escaped[NAMES_SIZE];

	text_escape(escaped, sizeof(escaped), text);
	for (const char *at = escaped; *at; at++) {
		if (strchr("\\`*_[]<>|#~", *at))
			fputc('\\', out);
		fputc(*at, out);
	}
}

static void print_paragraph(FILE *out, const char *text)
{
	print_escaped(out, text);
	fputs("\n\n", out);
}

/* Sentences, causes, sections and moments of an app, and what the numbers do not say. */
static int print_app(FILE *out, const struct report *report, const struct session *session,
		     const struct graded_app *app)
{
	struct session_sentences *sentences = malloc(sizeof(*sentences));
	const struct grade_facts *facts = &app->facts;
	const char *build = session_json_text(session, "device", "build");
	const char *began = session_json_text(session, NULL, "began");
	char time[GRADE_TIME_SIZE], from[SESSION_TIME_SIZE], complete[SESSION_COMPLETE_SIZE];
	char told[MOMENTS_TEXT_SIZE], lines[GRADE_UNKNOWNS][GRADE_UNKNOWN_SIZE];
	enum cause causes[CAUSES];
	unsigned int n = grade_causes_by_time(causes, facts), percent[CAUSES];
	bool is_first = true;
	struct moments *groups;
	int n_groups, shown = 0;

	if (!sentences)
		return -ENOMEM;
	session_sentences(sentences, session, app, ENGLISH);
	fprintf(out, "**%s** ", grade_names[app->grade]);
	print_paragraph(out, sentences->grade);
	if (sentences->whose[0])
		print_paragraph(out, sentences->whose);
	if (sentences->next[0]) {
		fputs("Next: ", out);
		print_paragraph(out, sentences->next);
	}
	free(sentences);
	grade_time(time, session_span_ns(session), ENGLISH);
	session_tell_complete(complete, session, app);
	print_escaped(out, session_device(session));
	fputs(build ? " · " : "", out);
	print_escaped(out, build ? build : "");
	fprintf(out, " · %s · ", time);
	print_escaped(out, began ? began : "");
	fprintf(out, "%s%s\n\n", began ? " · " : "", complete);

	if (n > 0)
		fputs("| what to fix first | time lost | share | times |\n|---|---:|---:|---:|\n",
		      out);
	grade_cause_shares(percent, facts);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "| %s | %.2f s | %u %% | %llu |\n",
			grade_cause_name(causes[i], ENGLISH),
			(double)facts->cause_ns[causes[i]] / 1e9, percent[causes[i]],
			(unsigned long long)facts->causes[causes[i]]);
	fputs(n > 0 ? "\n" : "", out);
	for (uint32_t i = 0; i < session->n_in_section_apps; i++) {
		const struct graded_app *in = &session->in_section_apps[i];
		const struct section *section = &session->sections[in->section];

		if (in->app != app->app || !select_section(report->selection, session, in->section))
			continue;
		if (is_first)
			fputs("| section | from | grade | lost, ms/s | late frames | freezes | "
			      "longest freeze |\n|---|---:|---|---:|---:|---:|---:|\n",
			      out);
		is_first = false;
		session_time(from, session, in->section > 0 ? section->from_us : session->first_us);
		grade_time(time, in->facts.longest_freeze_ns, ENGLISH);
		fputs("| ", out);
		print_escaped(out, name_of(session, section->name));
		fprintf(out, " | %s | %s | %s%.0f | %s%llu | %s%llu | %s |\n", from,
			grade_names[in->grade], grade_sign(&in->facts, LOST_RATE),
			grade_lost_rate(&in->facts), grade_sign(&in->facts, LOST_LATE),
			(unsigned long long)in->facts.late, grade_sign(&in->facts, LOST_FREEZES),
			(unsigned long long)in->facts.freezes,
			in->facts.longest_freeze_ns > 0 ? time : "-");
	}
	fputs(is_first ? "" : "\n", out);
	/* Late frames and freezes, alike ones in a line. */
	n_groups = moments_read(&groups, session, report->selection);
	for (int i = 0; i < n_groups && shown < MOMENTS_SHOWN; i++) {
		if (!groups[i].is_of_app || session->surfaces[groups[i].surface].app != app->app)
			continue;
		moments_tell(told, session, &groups[i]);
		session_time(from, session, groups[i].first_us);
		fputs("- ", out);
		print_escaped(out, told);
		fprintf(out, ", %s %s\n", groups[i].times > 1 ? "first at" : "at", from);
		shown++;
	}
	fputs(shown > 0 ? "\n" : "", out);
	free(groups);
	n = grade_unknowns(lines, facts);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "%c%s.\n\n", toupper((unsigned char)lines[i][0]), lines[i] + 1);
	return n_groups < 0 ? n_groups : 0;
}

int output_markdown(FILE *out, const struct report *report)
{
	struct timeline_app apps[TIMELINE_APPS_MAX];
	char no_grade[GRADE_TEXT_SIZE], told[TIMELINE_SAID_SIZE];

	for (uint32_t i = 0; i < report->n; i++) {
		const struct session *session = &report->sessions[i];
		unsigned int n = session->n_apps > 0 ? 0 : timeline_apps(apps, session);
		bool has_app = false;

		for (uint32_t j = 0; j < session->n_apps; j++)
			if (print_app(out, report, session, &session->apps[j]) < 0)
				return -ENOMEM;
		/* Without an app: what Android itself says; else nothing is known. */
		for (unsigned int j = 0; j < n; j++) {
			timeline_tell(told, &apps[j]);
			fputs("**", out);
			print_escaped(out, apps[j].name);
			fprintf(out, "**: %s.\n\n", told);
		}
		if (session->n_apps > 0 || n > 0)
			continue;
		for (uint32_t j = 0; j < session->n_surfaces; j++)
			has_app |= session->surfaces[j].has_package;
		session_no_grade(no_grade, session, ENGLISH);
		fputs(no_grade[0] ? "" : "No app in ", out);
		print_escaped(out, session->folder);
		if (no_grade[0]) {
			fputs(": ", out);
			print_paragraph(out, no_grade);
		} else if (session->is_2019) {
			fputs(": no grade, as files of the 2019 program, or of --rules gfx2019, do "
			      "not say which frames were late.\n\n",
			      out);
		} else {
			fputs(has_app ? " drew two frames: no grade.\n\n"
				      : ": no Surface with frames has a package in its name.\n\n",
			      out);
		}
	}
	return 0;
}

/* --- comparison --- */

static void print_groups(FILE *out, const char *first, const struct comparison *comparison,
			 const char *more)
{
	fprintf(out, "| %s | ", first);
	print_escaped(out, compare_group_name(comparison, BASE));
	fputs(" | ", out);
	print_escaped(out, compare_group_name(comparison, NEW));
	fprintf(out, " |%s\n|---|---:|---:|%s\n", more, more[0] ? "---:|" : "");
}

int output_compare_markdown(FILE *out, const struct compare_report *report)
{
	const struct comparison *comparison = report->comparison;
	char lines[COMPARE_LINES][COMPARE_LINE_SIZE];

	for (uint32_t i = 0; i < comparison->n_surfaces; i++) {
		const struct compared_surface *surface = &comparison->surfaces[i];
		const struct compared_verdict *verdict = &comparison->verdicts[i];
		struct grade_facts facts[2] = { compare_facts(surface, BASE),
						compare_facts(surface, NEW) };
		enum cause causes[CAUSES];
		unsigned int n = compare_lines(lines, comparison, verdict, ENGLISH);

		fprintf(out, "**%s** ", compared_words[verdict->word]);
		print_escaped(out, surface->name);
		for (unsigned int j = 0; j < n; j++) {
			fputs(j == 0 ? ": " : j == 1 ? "\n\n" : " ", out);
			print_escaped(out, lines[j]);
		}
		fputs("\n\n", out);
		if (surface->n_sections > 0)
			print_groups(out, "section, ms/s lost", comparison, " freezes |");
		for (uint32_t j = 0; j < surface->n_sections; j++) {
			const struct compared_section *section = &surface->sections[j];
			const struct grade_facts *base = &section->facts[BASE].sum;
			const struct grade_facts *new = &section->facts[NEW].sum;

			fputs("| ", out);
			print_escaped(out, section->name);
			for (unsigned int group = BASE; group <= NEW; group++) {
				const struct grade_facts *of = group == BASE ? base : new;

				fputs(" | ", out);
				if (grade_drawing_ns(of) > 0)
					fprintf(out, "%s%.1f %s", grade_sign(of, LOST_RATE),
						grade_lost_rate(of), grade_names[grade_of(of)]);
			}
			fprintf(out, " | %s%llu -> %s%llu |\n", grade_sign(base, LOST_FREEZES),
				(unsigned long long)base->freezes, grade_sign(new, LOST_FREEZES),
				(unsigned long long)new->freezes);
		}
		fputs(surface->n_sections > 0 ? "\n" : "", out);
		n = compare_causes(causes, facts);
		if (n > 0)
			print_groups(out, "time lost", comparison, "");
		for (unsigned int j = 0; j < n; j++)
			fprintf(out, "| %s | %.2f s | %.2f s |\n",
				grade_cause_name(causes[j], ENGLISH),
				(double)facts[BASE].cause_ns[causes[j]] / 1e9,
				(double)facts[NEW].cause_ns[causes[j]] / 1e9);
		fputs(n > 0 ? "\n" : "", out);
	}
	if (comparison->n_surfaces == 0)
		fputs("not enough data: no Surface to compare\n\n", out);
	for (unsigned int group = BASE; group <= NEW; group++) {
		compare_tell_folder(lines[0], comparison, (enum group)group);
		print_escaped(out, lines[0]);
		fputs(group == BASE ? "; " : "\n", out);
	}
	return 0;
}
