/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison in sentences: of text, JSON and page. */
#include "tools/report/compare_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/grade_text.h"

/* A share of the time by which late frames must be less to be told. */
#define LESS_LATE 0.002

/* Bytes of a group's or section's name in a sentence. */
#define SHORT_NAME 80

/* Its build, if the other group has another one. */
static void name_of_group(char name[SHORT_NAME], const struct comparison *comparison,
			  enum group group)
{
	const char *build = comparison->groups[group].build;
	const char *other = comparison->groups[group == BASE ? NEW : BASE].build;

	if (build && other && strcmp(build, other) != 0)
		snprintf(name, SHORT_NAME, "build %.70s", build);
	else
		snprintf(name, SHORT_NAME, group == BASE ? "BASE" : "NEW");
}

static double rate(const struct compared_verdict *verdict, enum group group)
{
	return verdict->drawing_s[group] > 0
		       ? 1000 * verdict->lost_s[group] / verdict->drawing_s[group]
		       : 0;
}

static void tell_freezes(char text[COMPARE_LINE_SIZE], const struct compared_verdict *verdict,
			 const char *base, const char *new)
{
	double minutes[2] = { verdict->drawing_s[BASE] / 60, verdict->drawing_s[NEW] / 60 };
	char longest[GRADE_TIME_SIZE], before[96];

	grade_time(longest, (uint64_t)(verdict->longest_freeze_s[NEW] * 1e9), ENGLISH);
	snprintf(before, sizeof(before), "%.80s has none", base);
	if (verdict->freezes[BASE] > 0)
		snprintf(before, sizeof(before), "%.60s has %.1f a minute", base,
			 (double)verdict->freezes[BASE] / minutes[BASE]);
	snprintf(text, COMPARE_LINE_SIZE, "%s freezes: %.1f freezes a minute, up to %s; %s.", new,
		 (double)verdict->freezes[NEW] / minutes[NEW], longest, before);
}

static void tell_numbers(char text[COMPARE_LINE_SIZE], const struct compared_verdict *verdict,
			 const char *base, const char *new)
{
	const struct change *fps = &verdict->fps;

	if (verdict->word == COMPARED_UNCLEAR && verdict->freezes[NEW] > 0 &&
	    verdict->freezes[BASE] == 0)
		snprintf(text, COMPARE_LINE_SIZE,
			 "%s has %llu freeze%s, %s none: too few to rule out chance; compare more "
			 "runs.",
			 new, (unsigned long long)verdict->freezes[NEW],
			 verdict->freezes[NEW] == 1 ? "" : "s", base);
	else if (verdict->word == COMPARED_UNCLEAR)
		snprintf(text, COMPARE_LINE_SIZE, "%s.",
			 verdict->lost.why ? verdict->lost.why : "not enough data");
	else if (verdict->word == COMPARED_SAME)
		snprintf(text, COMPARE_LINE_SIZE,
			 "%s and %s do not differ beyond the noise: %.1f and %.1f ms lost in each "
			 "second of drawing.",
			 base, new, rate(verdict, BASE), rate(verdict, NEW));
	else if (fabs(verdict->lost.excess) > 1)
		snprintf(text, COMPARE_LINE_SIZE,
			 "%s loses %.1f ms of each second of drawing, %s %.1f ms.", new,
			 rate(verdict, NEW), base, rate(verdict, BASE));
	else
		snprintf(text, COMPARE_LINE_SIZE, "%s draws %.1f frames per second, %s %.1f.", new,
			 fps->of[NEW].value, base, fps->of[BASE].value);
}

unsigned int compare_lines(char lines[COMPARE_LINES][COMPARE_LINE_SIZE],
			   const struct comparison *comparison,
			   const struct compared_verdict *verdict)
{
	char base[SHORT_NAME], new[SHORT_NAME], times[32] = "", above[64] = "";
	double before = rate(verdict, BASE), after = rate(verdict, NEW);
	const struct compared_section *worst = verdict->worst;
	unsigned int n = 0;

	name_of_group(base, comparison, BASE);
	name_of_group(new, comparison, NEW);
	if (verdict->freezes_more)
		tell_freezes(lines[n++], verdict, base, new);
	else
		tell_numbers(lines[n++], verdict, base, new);
	if (verdict->drawing_s[BASE] > 0 && verdict->drawing_s[NEW] > 0) {
		if (before >= 0.05 && after > before)
			snprintf(times, sizeof(times), " (%.1fx)", after / before);
		if (verdict->runs[NEW] > 1 && verdict->runs_above > 0)
			snprintf(above, sizeof(above), ", in %u of %u runs above every run of BASE",
				 verdict->runs_above, verdict->runs[NEW]);
		snprintf(lines[n++], COMPARE_LINE_SIZE, "Lost time: %.1f -> %.1f ms/s%s%s.", before,
			 after, times, above);
	}
	if (verdict->word == COMPARED_WORSE && worst)
		snprintf(lines[n++], COMPARE_LINE_SIZE,
			 "Most in %.100s: %.0f -> %.0f ms/s, freezes %llu -> %llu.", worst->name,
			 grade_lost_rate(&worst->facts[BASE].sum),
			 grade_lost_rate(&worst->facts[NEW].sum),
			 (unsigned long long)worst->facts[BASE].sum.freezes,
			 (unsigned long long)worst->facts[NEW].sum.freezes);
	if (verdict->freezes_more &&
	    (verdict->fps.excess > 1 || verdict->late_s[NEW] / verdict->drawing_s[NEW] + LESS_LATE <
						verdict->late_s[BASE] / verdict->drawing_s[BASE]))
		snprintf(lines[n++], COMPARE_LINE_SIZE,
			 "Between its freezes %s looks better: FPS and percentiles are measured "
			 "without the freezes.",
			 new);
	return n;
}

unsigned int compare_causes(enum cause causes[CAUSES], const struct grade_facts facts[2])
{
	struct grade_facts both = facts[BASE];

	grade_add(&both, &facts[NEW]);
	return grade_causes_by_time(causes, &both);
}
