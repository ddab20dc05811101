/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/moments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"

void session_time(char text[SESSION_TIME_SIZE], const struct session *session, int64_t time_us)
{
	if (session->has_clocks)
		snprintf(text, SESSION_TIME_SIZE, "%.3f s", (double)time_us / 1e6);
	else
		grade_clock(text, (time_us - session->first_us) * 1000);
}

static int by_lost(const void *a, const void *b)
{
	const struct moments *one = a, *other = b;

	if (one->is_of_app != other->is_of_app)
		return one->is_of_app ? -1 : 1;
	if (one->lost_us != other->lost_us)
		return one->lost_us > other->lost_us ? -1 : 1;
	return (one->first_us > other->first_us) - (one->first_us < other->first_us);
}

struct moments moments_of(const struct session *session, const struct late_row *late)
{
	/* One across a mark is in the sums of the section where it ended, but is told at the time
	 * where it began. */
	int64_t begin_us = session_begin_of(session, late->time_us, late->interval_us);
	uint32_t section = session_section(session, late->time_us);
	uint32_t first = session_section(session, begin_us);
	uint32_t name = section < session->n_sections ? session->sections[section].name : NAME_NONE;
	uint32_t began_in = name != NAME_NONE ? session->sections[first].name : NAME_NONE;

	return (struct moments){
		.is_freeze = late->is_stall,
		.is_endless = late->is_endless,
		.is_of_app = session->surfaces[late->surface].has_package,
		.surface = late->surface,
		.cause = late->cause,
		.section = name,
		.began_in = began_in != name ? began_in : NAME_NONE,
		.times = 1,
		.shortest_us = late->interval_us,
		.longest_us = late->interval_us,
		.lost_us = late->harm_us,
		.first_us = begin_us,
		.worst = late,
	};
}

int moments_read(struct moments **groups, const struct session *session,
		 const struct selection *selection)
{
	int n = 0;

	*groups = calloc(session->n_late + 1, sizeof(**groups));
	if (!*groups)
		return -ENOMEM;
	/* The one that lost most comes first, so it is the worst of its group. */
	for (uint32_t i = 0; i < session->n_late; i++) {
		const struct late_row *late = &session->late[i];
		struct moments one = moments_of(session, late), *to = *groups;

		if (!session->surfaces[late->surface].is_shown ||
		    !select_section(selection, session, session_section(session, late->time_us)))
			continue;
		while (to < *groups + n &&
		       !(to->is_freeze == one.is_freeze && to->is_endless == one.is_endless &&
			 to->surface == one.surface && to->cause == one.cause &&
			 to->section == one.section && to->began_in == one.began_in))
			to++;
		if (to == *groups + n) {
			*to = one;
			n++;
			continue;
		}
		to->times++;
		to->lost_us += one.lost_us;
		if (one.shortest_us < to->shortest_us)
			to->shortest_us = one.shortest_us;
		if (one.longest_us > to->longest_us)
			to->longest_us = one.longest_us;
		if (one.first_us < to->first_us)
			to->first_us = one.first_us;
	}
	qsort(*groups, (size_t)n, sizeof(**groups), by_lost);
	return n;
}

size_t moment_work(const struct session *session, const struct late_row *late, const char **text)
{
	static const char work[] = "doFrame ";
	const char *end;

	*text = late->info == NAME_NONE ? "" : name_of(session, late->info);
	end = *text;
	/* Those of the app come first; the counters follow. */
	while (strncmp(end, work, sizeof(work) - 1) == 0) {
		const char *next = strstr(end, "; ");

		if (!next)
			return strlen(*text);
		if (strncmp(next + 2, work, sizeof(work) - 1) != 0)
			return (size_t)(next - *text);
		end = next + 2;
	}
	return 0;
}

uint64_t moment_queued_us(const struct late_row *late)
{
	int64_t queued_us = late->latched_us - late->queued_us;

	return late->is_stall && late->cause == CAUSE_UNKNOWN && late->queued_us > 0 &&
			       queued_us > 0 && 2 * (uint64_t)queued_us >= late->harm_us
		       ? (uint64_t)queued_us
		       : 0;
}

void moments_place(char text[MOMENTS_PLACE_SIZE], const struct session *session,
		   const struct moments *group, enum language language)
{
	const uint32_t sections[] = { group->section, group->began_in };
	char names[2][200] = { "", "" };
	bool zh = language == CHINESE;

	for (unsigned int i = 0; i < 2 && sections[i] != NAME_NONE; i++) {
		text_escape(names[i], sizeof(names[i]), name_of(session, sections[i]));
		if (zh && strcmp(names[i], SECTION_FIRST) == 0)
			strcpy(names[i], SECTION_FIRST_ZH);
	}
	snprintf(text, MOMENTS_PLACE_SIZE,
		 !names[1][0] ? "%s%s"
		 : zh	      ? "%s（始于 %s）"
			      : "%s (began in %s)",
		 names[0], names[1]);
}

void moments_tell(char text[MOMENTS_TEXT_SIZE], const struct session *session,
		  const struct moments *group)
{
	const char *cause = grade_cause_name((enum cause)group->cause, ENGLISH);
	bool in_s = group->longest_us >= 100000, is_one;
	double scale = in_s ? 1e6 : 1e3;
	char from[32], to[32], times[GRADE_COUNT_SIZE], lost[40] = "time lost not known";
	char place[MOMENTS_PLACE_SIZE], queued[64] = "";
	uint64_t queued_us = moment_queued_us(group->worst);

	moments_place(place, session, group, ENGLISH);
	/* "0.60 to 1.45 s", "33 to 83 ms", "33 ms" */
	snprintf(from, sizeof(from), "%.*f", in_s ? 2 : 0, (double)group->shortest_us / scale);
	snprintf(to, sizeof(to), "%.*f", in_s ? 2 : 0, (double)group->longest_us / scale);
	is_one = strcmp(from, to) == 0;
	grade_count(times, group->times);
	if (group->lost_us > 0)
		snprintf(lost, sizeof(lost), "%.2f s lost", (double)group->lost_us / 1e6);
	if (queued_us > 0)
		snprintf(queued, sizeof(queued), ", up to %.2f s in the queue",
			 (double)queued_us / 1e6);
	snprintf(text, MOMENTS_TEXT_SIZE, "%s%s%s%s%s, %s time%s, %s%s%s %s, %s%s%s",
		 group->is_freeze     ? "freeze"
		 : group->lost_us > 0 ? "late frame"
				      : "drop",
		 place[0] ? ", " : "", place, cause[0] ? ", " : "", cause, times,
		 group->times == 1 ? "" : "s", is_one ? "" : from, is_one ? "" : " to ", to,
		 in_s ? "s" : "ms", lost, queued, group->is_endless ? ", no frame ended it" : "");
}
