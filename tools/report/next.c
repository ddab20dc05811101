/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/sentences.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
#include "tools/report/moments.h"

#define add(text, ...) text_append(text, GRADE_TEXT_SIZE, __VA_ARGS__)

/* What to look at in the moment that lost most. The app's own work has its own words. */
static const char *const looks[CAUSES][2] = {
	[CAUSE_GPU] = { "what the app lets the GPU draw", "应用让 GPU 绘制了什么" },
	[CAUSE_SF_CPU] = { "what the system compositor put together", "系统合成器合成了什么" },
	[CAUSE_SF_GPU] = { "the layers that the system compositor drew with the GPU",
			   "系统合成器用 GPU 绘制的图层" },
	[CAUSE_SCHEDULING] = { "what else the CPUs ran", "CPU 还在运行什么" },
	[CAUSE_DISPLAY] = { "the display's driver, as the app was in time",
			    "显示驱动，因为应用没有迟到" },
	[CAUSE_STUFFING] = { "the late frames before it, as it waited behind them",
			     "它之前的迟到帧，因为它排在其后" },
	[CAUSE_PREDICTION] = { "whether the refresh rate changed", "刷新率是否改变" },
	[CAUSE_DROPPED] = { "why the app queued two frames for one vsync",
			    "应用为何为一个 vsync 提交两帧" },
};

static const char *const whole_folder[] = { "make the report of the whole folder, with events.csv",
					    "请用完整的文件夹生成报告" };

static bool is_recorded(const struct session *session)
{
	const char *source = session_json_text(session, "source", "kind");

	return source && strcmp(source, "file") == 0;
}

/* How to have more files: a trace that was recorded has all that they need. */
static const char *verb(const struct session *session, enum language language)
{
	static const char *const verbs[][2] = { { "record", "录制" },
						{ "analyze again", "重新分析" } };

	return verbs[is_recorded(session)][language];
}

/* True: the category view is in the trace, or would not show who draws the Surface: into a
 * SurfaceView other threads than the app's main thread draw. */
static bool has_view(const struct session *session, const struct surface *surface)
{
	static const char blanks[] = " \t";
	const char *at = session_json_text(session, "options", "categories");

	for (at = at ? at : ""; *(at += strspn(at, blanks)); at += strcspn(at, blanks))
		if (strncmp(at, "view", 4) == 0 && strcspn(at, blanks) == 4)
			return true;
	return session->doframes > 0 ||
	       strncmp(name_of(session, surface->name), "SurfaceView", 11) == 0;
}

/* The moment that lost most by the first cause of the sentence. More of them are known than are
 * kept, so it may be the next cause. */
static void tell_lost(char text[GRADE_TEXT_SIZE], const struct session *session,
		      const struct graded_app *app, enum language language)
{
	const struct late_row *late = NULL;
	enum cause sorted[CAUSES], cause = CAUSE_NONE;
	unsigned int n = grade_causes_by_time(sorted, &app->facts);
	bool zh = language == CHINESE;

	for (unsigned int i = 0; i < n && !late && (i == 0 || session->n_late == LATE_MAX); i++)
		/* The one that lost most comes first. */
		for (uint32_t j = 0; j < session->n_late && !late; j++) {
			const struct late_row *one = &session->late[j];
			const struct surface *surface = &session->surfaces[one->surface];

			if (one->harm_us > 0 && surface->is_shown && surface->has_package &&
			    surface->app == app->app &&
			    (one->cause == sorted[i] ||
			     (one->cause == CAUSE_NONE && sorted[i] == CAUSE_UNKNOWN)))
				late = one;
		}
	if (!late && session->lacks_events) {
		add(text, "%s", whole_folder[language]);
		return;
	}
	/* "look at 0:30, the worst freeze due to App too slow, in checkout: " */
	if (late) {
		char at[SESSION_TIME_SIZE], place[MOMENTS_PLACE_SIZE];
		struct moments moment = moments_of(session, late);

		cause = (enum cause)late->cause;
		session_time(at, session, session_begin_of(session, late->time_us, late->harm_us));
		if (late->is_stall)
			add(text, zh ? "查看 %s 最长的卡死" : "look at %s, the worst freeze", at);
		else
			add(text,
			    zh ? "查看 %s 最严重的迟到帧" : "look at %s, the worst late frame", at);
		if (n > 1 && cause != CAUSE_UNKNOWN && cause != CAUSE_NONE)
			add(text, zh ? "（%s）" : " due to %s", grade_cause_name(cause, language));
		moments_place(place, session, &moment, language);
		if (place[0])
			add(text, zh ? "，%s" : ", in %s", place);
		add(text, "%s", zh ? "：" : ": ");
	}

	if (cause == CAUSE_APP) {
		/* What is recorded of the app's own work. */
		const struct surface *surface = &session->surfaces[late->surface];
		char work[GRADE_TEXT_SIZE], escaped[GRADE_TEXT_SIZE];
		const char *info;
		size_t length = moment_work(session, late, &info);

		if (length > 0) {
			snprintf(work, sizeof(work), "%.*s", (int)length, info);
			text_escape(escaped, sizeof(escaped), work);
			add(text, zh ? "应用主线程的 %s" : "%s on the app's main thread", escaped);
		} else if (!has_view(session, surface)) {
			add(text, "%s",
			    zh ? "请加上 view 类别录制，以得知应用在做什么"
			       : "record with category view, which tells what the app did");
		} else if (surface->has_view_marks && session->files[ROW_DROPS].segments == 0) {
			add(text,
			    zh ? "请用 -T 2 %s，以得知应用在做什么"
			       : "%s with -T 2, which tells what the app did",
			    verb(session, language));
		} else {
			if (surface->has_view_marks && late->info != NAME_NONE)
				add(text, "%s",
				    zh ? "没有记录到长的 doFrame，"
				       : "no long doFrame is recorded, ");
			add(text, "%s",
			    zh ? "查看应用的线程在这一帧之前做了什么"
			       : "see what the app's threads did before this frame");
		}
	} else if (cause != CAUSE_NONE && cause != CAUSE_UNKNOWN) {
		add(text, zh ? "%s" : "see %s", looks[cause][language]);
	} else if (cause == CAUSE_NONE && session->files[ROW_FRAMES].rows == 0) {
		add(text,
		    zh ? "请用 --frames-log %s，以得知何时损失时间，以及原因"
		       : "%s with --frames-log, which tells when and why it lost time",
		    verb(session, language));
	} else if (late) {
		add(text, "%s", zh ? "原因未知" : "its cause is unknown");
		if (is_recorded(session))
			add(text, zh ? "，请查看那时的记录" : ", see the trace there");
		else if (late->harm_us >= 100000 && !late->is_endless &&
			 session_json_number(session, "options", "snapshot_ns") <= 0)
			add(text, zh ? "，请用 --snapshot 100 录制，保存其前后的记录"
				     : ", record with --snapshot 100 to keep the trace around it");
	}
}

void next_tell(char text[GRADE_TEXT_SIZE], const struct session *session,
	       const struct graded_app *app, enum language language)
{
	/* What a grade needs and is not there. */
	enum { DRAWING, FRAMES, BOTH } need;
	static const char *const needs[][2] = {
		[DRAWING] = { "5 s of drawing", "5 秒的绘制" },
		[FRAMES] = { "100 frames", "100 帧" },
		[BOTH] = { "5 s of drawing and 100 frames", "5 秒的绘制和 100 帧" },
	};
	const struct grade_facts *facts = &app->facts;
	double fps = session->surfaces[app->surface].numbers.of[METRIC_FPS];
	enum grade known = grade_of_known(facts);
	/* It held an even rate that is lower than its class needs. */
	bool is_slow = known == GRADE_FAIR && facts->fails_rule && grade_lost_ns(facts) == 0;
	const struct surface *surface = &session->surfaces[app->surface];
	bool zh = language == CHINESE, is_found = false;
	char missing[GRADE_COUNT_SIZE], at[SESSION_TIME_SIZE], longest[GRADE_TIME_SIZE];

	/* The Surface with the longest gap of the app. */
	for (uint32_t i = 0; i < session->n_surfaces && !is_found; i++) {
		const struct surface *one = &session->surfaces[i];

		is_found = one->has_package && one->app == app->app &&
			   one->facts.longest_gap_ns == facts->longest_gap_ns;
		if (is_found)
			surface = one;
	}
	need = grade_drawing_ns(facts) >= GRADE_DRAWING_NS ? FRAMES
	       : facts->frames < GRADE_FRAMES		   ? BOTH
							   : DRAWING;
	text[0] = '\0';
	/* The sentence of INCOMPLETE has its own. */
	if (known == GRADE_UNCLEAR && !grade_may_hang(facts)) {
		add(text, "%s",
		    zh ? "请用 --vsync-ms 给出显示器的周期"
		       : "give the display's period with --vsync-ms");
	} else if (known == GRADE_UNCLEAR && !has_view(session, surface)) {
		add(text, "%s",
		    zh ? "请加上 view 类别录制，以得知应用在空白中是否在工作"
		       : "record with category view, which tells whether the app was at work in "
			 "the gaps");
	} else if (known == GRADE_UNCLEAR) {
		grade_time(longest, facts->longest_gap_ns, language);
		add(text,
		    zh ? "确认应用在最长的 %s空白中是否本应绘制"
		       : "see whether the app had anything to draw in its gap of %s",
		    longest);
		session_time(at, session, surface->gap_us);
		/* Rows of fps.csv do not tell when it began. */
		if (surface->frame_rows > 0)
			add(text, zh ? "，从 %s 起" : ", from %s on", at);
	} else if (is_slow && fps >= 25) {
		/* The least rate of a game, a map and a film: verdict.h. */
		add(text,
		    zh ? "若 %.0f fps 是有意的，请用 --class game %s；否则查找限制帧率的地方"
		       : "if %.0f fps are meant, %s with --class game; else see what holds the "
			 "app at that rate",
		    fps, verb(session, language));
	} else if (is_slow) {
		add(text, "%s",
		    zh ? "查找限制应用帧率的地方" : "see what holds the app at that rate");
	} else if (known == GRADE_BAD || known == GRADE_POOR || known == GRADE_FAIR ||
		   (known == GRADE_TOO_SHORT && grade_lost_ns(facts) > 0)) {
		tell_lost(text, session, app, language);
	} else if (known == GRADE_GOOD && app->grade == GRADE_INCOMPLETE) {
		/* A part of the session is not there, so what is known is graded better. */
		add(text, "%s", zh ? "请用更大的缓冲区重新录制" : "record with a larger buffer");
	} else if (known == GRADE_GOOD && app->grade != known) {
		add(text, "%s", whole_folder[language]);
	}
	if (known == GRADE_TOO_SHORT)
		add(text,
		    text[0] ? (zh ? "（评级需要 %s）" : " (a grade needs %s)")
			    : (zh ? "请录制更久：评级需要 %s"
				  : "record for longer, a grade needs %s"),
		    needs[need][zh]);
	if (text[0] && grade_is_missing_much(facts)) {
		grade_share(missing, grade_missing_ns(facts), facts->span_ns);
		add(text,
		    zh ? "；缺少 %s 的时间，请用更大的缓冲区录制"
		       : "; %s of the time is missing, record with a larger buffer",
		    missing);
	}
	if (text[0])
		add(text, "%s", zh ? "。" : ".");
}
