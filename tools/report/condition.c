/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/condition.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/report/os.h"
#include "tools/report/pool.h"

/* The metric of that name, whatever the case of its letters, or without its unit, as "p99" for
 * "p99(ms)". METRICS: there is none, or several. */
static enum metric find_metric(const char *name, size_t length)
{
	enum metric found = METRICS;

	for (unsigned int i = 0; i < METRICS; i++)
		if (strlen(metrics[i].name) == length &&
		    strncasecmp(metrics[i].name, name, length) == 0)
			return (enum metric)i;
	for (unsigned int i = 0; i < METRICS; i++) {
		const char *unit = strchr(metrics[i].name, '(');

		if (!unit || (size_t)(unit - metrics[i].name) != length ||
		    strncmp(metrics[i].name, name, length) != 0)
			continue;
		if (found != METRICS)
			return METRICS;
		found = (enum metric)i;
	}
	return found;
}

bool condition_counts_freezes(const struct condition *condition)
{
	return metrics[condition->metric].freezes != FREEZES_NOT;
}

const char *condition_parse(struct condition *condition, const char *text)
{
	const char *at = strpbrk(text, "<>=!");
	size_t length = at ? (size_t)(at - text) : 0;
	bool equal;
	char *end;

	*condition = (struct condition){ .text = text };
	if (!at || *at == '=' || *at == '!')
		return "needs one of < <= > >=";
	while (length > 0 && text[length - 1] == ' ')
		length--;
	while (length > 0 && *text == ' ') {
		text++;
		length--;
	}
	condition->metric = find_metric(text, length);
	if (condition->metric == METRICS)
		return "no such metric: use freezes or a column of summary.csv, such as grade, "
		       "lost(ms/s) or FPS";
	equal = at[1] == '=';
	condition->relation =
		*at == '<' ? (equal ? LESS_OR_EQUAL : LESS) : (equal ? MORE_OR_EQUAL : MORE);
	at += 1 + equal;
	at += strspn(at, " ");
	if (condition->metric == METRIC_GRADE) {
		condition->limit = NAN;
		for (enum grade grade = GRADE_BAD; grade < GRADES && isnan(condition->limit);
		     grade++) {
			length = strlen(grade_names[grade]);
			if (strncasecmp(at, grade_names[grade], length) == 0)
				condition->limit = metric_grade(grade);
		}
		if (isnan(condition->limit))
			return "needs BAD, POOR, FAIR or GOOD after the comparison";
		at += length;
	} else {
		condition->is_change = *at == '+' || *at == '-';
		condition->limit = strtod(at, &end);
		if (end == at || !isfinite(condition->limit) || strpbrk(at, "xXnN"))
			return "needs a number after the comparison";
		at = end;
	}
	at += strspn(at, " ");
	if (*at == '%') {
		condition->is_relative = true;
		condition->limit /= 100;
		at += 1 + strspn(at + 1, " ");
	}
	if (*at)
		return "has extra text after the number";
	if (condition->is_relative && !condition->is_change)
		return "a change in percent needs a sign: +10%";
	return NULL;
}

bool condition_holds(const struct condition *condition, double value)
{
	switch (condition->relation) {
	case LESS:
		return value < condition->limit;
	case LESS_OR_EQUAL:
		return value <= condition->limit;
	case MORE:
		return value > condition->limit;
	case MORE_OR_EQUAL:
		return value >= condition->limit;
	}
	return false;
}

const char *const outcome_names[] = { "passed", "FAILED", "not judged" };

void results_add(struct results *results, enum outcome outcome, const char *where, const char *what,
		 const char *text)
{
	struct result *added;

	results->of[outcome]++;
	if (results->n == RESULTS_MAX)
		return;
	added = array_add(&results->all, &results->n, sizeof(*added));
	if (!added) {
		results->failed = true;
		return;
	}
	*added = (struct result){
		.outcome = outcome,
		.where = strdup(where),
		.what = strdup(what),
		.text = strdup(text),
	};
}

void results_free(struct results *results)
{
	for (unsigned int i = 0; i < results->n; i++) {
		free(results->all[i].where);
		free(results->all[i].what);
		free(results->all[i].text);
	}
	free(results->all);
	*results = (struct results){ 0 };
}

/* Names have no control characters. U+FFFE and U+FFFF are no characters of XML. */
static void print_xml(FILE *out, const char *text)
{
	for (; text && *text; text++) {
		const unsigned char *byte = (const unsigned char *)text;

		if (byte[0] == 0xef && byte[1] == 0xbf && byte[2] >= 0xbe) {
			fputs("\xef\xbf\xbd", out);
			text += 2;
		} else if (strchr("<>&\"'", *text)) {
			fprintf(out, "&#%d;", *text);
		} else if (byte[0] >= 0x20) {
			fputc(*text, out);
		}
	}
}

int results_write_junit(const struct results *results, const char *path)
{
	/* What is around the text of a result, by outcome. */
	static const char *const elements[][2] = { { "<system-out>", "</system-out>" },
						   { "<failure message=\"", "\"/>" },
						   { "<skipped message=\"", "\"/>" } };
	FILE *out = os_create(path);
	bool failed;

	if (!out)
		return -errno;
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"jank-report\" "
		"tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n",
		results->n, results->of[OUTCOME_HOLDS], results->of[OUTCOME_UNKNOWN]);
	for (unsigned int i = 0; i < results->n; i++) {
		const struct result *result = &results->all[i];

		fputs("  <testcase classname=\"", out);
		print_xml(out, result->where);
		fputs("\" name=\"", out);
		print_xml(out, result->what);
		fprintf(out, "\">%s", elements[result->outcome][0]);
		print_xml(out, result->text);
		fprintf(out, "%s</testcase>\n", elements[result->outcome][1]);
	}
	fputs("</testsuite>\n", out);
	failed = ferror(out) != 0;
	return fclose(out) != 0 || failed ? -EIO : 0;
}
