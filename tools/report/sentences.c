/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/sentences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
#include "daemon/show/apps.h"
#include "tools/report/moments.h"

/* A section is told if it loses at least so many times as much of its time as the others. */
#define WORSE_BY 1.5

uint64_t session_counter(const struct session *session, const char *key)
{
	int64_t value = session_json_number(session, "counters", key);

	return value < 0 ? 0 : (uint64_t)value;
}

void session_tell_complete(char text[SESSION_COMPLETE_SIZE], const struct session *session,
			   const struct graded_app *app)
{
	uint64_t span_ns = session_span_ns(session), missing_ns = session->missing_ns;
	char missing[GRADE_TIME_SIZE], share[GRADE_COUNT_SIZE];

	if (app)
		missing_ns = grade_missing_ns(&app->facts);
	if (missing_ns > 0 && span_ns > 0) {
		grade_time(missing, missing_ns, ENGLISH);
		grade_share(share, missing_ns, span_ns);
		snprintf(text, SESSION_COMPLETE_SIZE, "%s (%s) missing", missing, share);
	} else if (session_counter(session, "lost_events") > 0 ||
		   session_counter(session, "lost_unknown") > 0) {
		strcpy(text, "events are missing");
	} else {
		strcpy(text, session->json ? "complete" : "not known whether complete");
	}
}

/* True: events.csv has one refresh rate, "60.00 Hz", and no other. Measured again, it differs in
 * its last digits. */
static bool has_one_rate(const struct session *session)
{
	double rate_hz = 0;

	for (uint64_t i = 0; i < session->events.n; i++) {
		const struct event *event = pool_at(&session->events, i);
		char *end;
		double hz;

		if (strcmp(name_of(session, event->kind), "refresh") != 0)
			continue;
		hz = strtod(name_of(session, event->text), &end);
		if (!(hz > 0) || strcmp(end, " Hz") != 0 ||
		    (rate_hz > 0 && fabs(hz - rate_hz) * 100 > rate_hz))
			return false;
		rate_hz = rate_hz > 0 ? rate_hz : hz;
	}
	return rate_hz > 0 && !session->lacks_events;
}

void surface_set_rates(struct graded *graded, const struct session *session,
		       const struct surface *surface)
{
	const double *of = surface->numbers.of;
	double known = of[METRIC_FRAMES] - (isnan(of[METRIC_UNKNOWN]) ? 0 : of[METRIC_UNKNOWN]);
	const struct frame_stats *rates = surface->sums.windows.fastest_hz > 0
						  ? &surface->sums.windows
						  : &surface->sums.frames;
	/* The missed vsyncs tell the refresh rate: of a display that switched, a mean that it never
	 * had. summary.csv alone does not say whether it did, events.csv does. */
	bool has_rate = (rates->fastest_hz > 0 || has_one_rate(session)) && known > 0 &&
			of[METRIC_FPS] > 0 && of[METRIC_MISSED] >= 0;
	double rate_hz = has_rate ? of[METRIC_FPS] * (1 + of[METRIC_MISSED] / known) : -1;

	graded->fps = isnan(of[METRIC_FPS]) ? -1 : of[METRIC_FPS];
	graded->rate_hz = rate_hz;
	graded->slowest_hz = rates->slowest_hz;
	graded->fastest_hz = rates->fastest_hz;
	graded->is_even =
		known > 0 && of[METRIC_OFF_CADENCE] >= 0 &&
		grade_is_even((uint64_t)known, (uint64_t)of[METRIC_OFF_CADENCE], of[METRIC_FPS],
			      rate_hz,
			      isnan(of[METRIC_MAX]) ? 0 : (uint64_t)(of[METRIC_MAX] * 1e6));
}

/* "Worst: checkout (18:00 to 20:00), frozen 34 % of it, in the app's doFrame." Only where one
 * section of several loses clearly more than the whole session does. */
static void tell_worst(char text[GRADE_TEXT_SIZE], const struct session *session,
		       const struct graded_app *app, enum language language)
{
	const struct graded_app *worst = NULL;
	char from[SESSION_TIME_SIZE], to[SESSION_TIME_SIZE], name[200];
	const struct section *section;
	const struct grade_facts *facts;
	uint64_t doframe_us = 0;
	bool zh = language == CHINESE;
	const char *lost;

	text[0] = '\0';
	for (uint32_t i = 0; i < session->n_in_section_apps; i++) {
		const struct graded_app *one = &session->in_section_apps[i];

		if (one->app == app->app && grade_lost_ns(&one->facts) > 0 &&
		    (!worst || grade_lost_rate(&one->facts) > grade_lost_rate(&worst->facts)))
			worst = one;
	}
	if (!worst || grade_lost_rate(&worst->facts) < WORSE_BY * grade_lost_rate(&app->facts))
		return;
	/* What it lost by freezes in which the app's own doFrame ran, as far as they are kept. */
	for (uint32_t i = 0; i < session->n_late; i++) {
		const struct late_row *late = &session->late[i];
		const struct surface *surface = &session->surfaces[late->surface];
		const char *work;

		if (late->is_stall && surface->has_package && surface->app == worst->app &&
		    session_section(session, late->time_us) == worst->section &&
		    late->cause == CAUSE_APP && moment_work(session, late, &work) > 0)
			doframe_us += late->harm_us;
	}
	section = &session->sections[worst->section];
	facts = &worst->facts;
	session_time(from, session, worst->section > 0 ? section->from_us : session->first_us);
	session_time(to, session, section->to_us);
	text_escape(name, sizeof(name), name_of(session, section->name));
	if (zh && strcmp(name, SECTION_FIRST) == 0)
		strcpy(name, SECTION_FIRST_ZH);
	lost = facts->freeze_ns == 0 ? (zh ? "迟到" : "late")
	       : facts->late == 0    ? (zh ? "卡死" : "frozen")
				     : (zh ? "卡死或迟到" : "frozen or late");
	snprintf(text, GRADE_TEXT_SIZE,
		 zh ? "最差的一段：%s（%s 到 %s），%s占 %.0f %%%s。"
		    : "Worst: %s (%s to %s), %s %.0f %% of it%s.",
		 name, from, to, lost, grade_lost_rate(facts) / 10,
		 2000 * doframe_us <= grade_lost_ns(facts) ? ""
		 : zh					   ? "，在应用的 doFrame 中"
							   : ", in the app's doFrame");
}

void session_sentences(struct session_sentences *sentences, const struct session *session,
		       const struct graded_app *app, enum language language)
{
	char missing_at[GRADE_MISSING_AT_SIZE], causes[GRADE_TEXT_SIZE], worst[GRADE_TEXT_SIZE];
	char queue[GRADE_TIME_SIZE];
	struct graded graded = {
		.name = name_of(session, app->name),
		/* A Surface that was chosen is judged. */
		.is_no_app = app->name == app->app && !app_is_used(session_app_place(session, app)),
		.facts = &app->facts,
		.missing_at = missing_at,
		.without_events = session->files[ROW_EVENTS].rows == 0,
	};
	uint64_t unknown_ns = app->facts.cause_ns[CAUSE_UNKNOWN], queued_us = 0, longest_us = 0;
	int64_t from_us = 0, to_us = 0;

	surface_set_rates(&graded, session, &session->surfaces[app->surface]);
	/* The longest hole, which may be nearly all of the missing time. */
	for (uint64_t i = 0; i < session->missing.n && !session->has_clocks; i++) {
		const struct missing *missing = pool_at(&session->missing, i);

		if (missing->to_us - missing->from_us > to_us - from_us) {
			from_us = missing->from_us;
			to_us = missing->to_us;
		}
	}
	grade_missing_at(missing_at, (from_us - session->first_us) * 1000,
			 (to_us - session->first_us) * 1000, session->missing_ns, language);
	grade_sentence(sentences->grade, &graded, language);
	grade_causes(causes, &app->facts, language);
	tell_worst(worst, session, app, language);
	snprintf(sentences->whose, sizeof(sentences->whose), "%s%s%s", worst,
		 worst[0] && causes[0] && language == ENGLISH ? " " : "", causes);
	/* What the kept rows tell of the lost time of unknown cause, if that is much: its frames
	 * waited in the queue. */
	for (uint32_t i = 0; i < session->n_late; i++) {
		const struct late_row *late = &session->late[i];
		const struct surface *surface = &session->surfaces[late->surface];
		uint64_t us = moment_queued_us(late);

		if (us == 0 || !surface->has_package || surface->app != app->app)
			continue;
		queued_us += late->harm_us;
		longest_us = later(longest_us, us);
	}
	grade_time(queue, longest_us * 1000, language);
	if (2000 * queued_us > unknown_ns && 10 * unknown_ns >= grade_lost_ns(&app->facts))
		text_append(sentences->whose, sizeof(sentences->whose),
			    language == CHINESE ? "原因未知的部分：帧在队列中等待了最长 %s。"
						: " Unknown: frames waited up to %s in the queue.",
			    queue);
	next_tell(sentences->next, session, app, language);
}

void session_no_grade(char text[GRADE_TEXT_SIZE], const struct session *session,
		      enum language language)
{
	const struct grade_facts *facts = &session->ungraded[0].facts;
	const struct file_count *files = session->files;
	bool zh = language == CHINESE;
	char lost[GRADE_TIME_SIZE], name[300];
	int64_t type = session_json_number(session, "options", "type");
	bool has_late = type == 2 || type == 4;

	text[0] = '\0';
	if (session->n_apps > 0 || session->is_2019 || files[CSV_SUMMARY].segments > 0 ||
	    files[ROW_FPS].rows + files[ROW_FRAMES].rows + files[ROW_TIMELINE].rows > 0)
		return;
	text_append(text, GRADE_TEXT_SIZE,
		    zh ? "没有评级：没有文件说明应用绘制了多久，%ssummary.csv "
			 "每分钟和结束时才写。"
		       : "no grade: no file says how long apps drew, as %ssummary.csv is written "
			 "once a minute and at the end.",
		    type < 3 ? ""
		    : zh     ? "-T 3 和 4 不写 fps.csv，"
			     : "-T 3 and 4 write no fps.csv, and ");
	if (grade_lost_ns(facts) == 0)
		return;
	grade_time(lost, grade_lost_ns(facts), language);
	text_escape(name, sizeof(name), name_of(session, session->ungraded[0].app));
	text_append(text, GRADE_TEXT_SIZE, zh ? "%s 至少损失 %s" : " %s lost %s at least", name,
		    lost);
	/* Others do not have late frames of less than 42 ms. */
	if (has_late || facts->freezes > 0)
		text_append(text, GRADE_TEXT_SIZE, zh ? "：" : ": ");
	(has_late ? grade_add_losses : grade_add_freezes)(text, facts, language);
	text_append(text, GRADE_TEXT_SIZE, zh ? "。" : ".");
}

unsigned int timeline_apps(struct timeline_app apps[TIMELINE_APPS_MAX],
			   const struct session *session)
{
	memset(apps, 0, TIMELINE_APPS_MAX * sizeof(*apps));
	/* The trace has markers of SurfaceFlinger, but the Surfaces of apps were left out. */
	if (session_json_number(session, "counters", "presents") > 0)
		return 0;
	for (uint32_t i = 0; i < session->n_surfaces; i++)
		if (session->surfaces[i].has_package && session->surfaces[i].grade != GRADE_NONE)
			return 0;
	for (uint32_t i = 0; i < session->n_captured; i++) {
		const struct captured *captured = &session->captured[i];

		if (captured->kind == CAPTURED_TIMELINE && captured->app != NAME_NONE)
			timeline_count(apps, name_of(session, captured->app), captured->frames,
				       captured->bad);
	}
	return timeline_sort(apps);
}
