/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/report/next.h"

#include <inttypes.h>
#include <stdio.h>
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

/* The cause to fix first: the one that lost most, but for the unknown ones, if others lost a tenth
 * of the time. */
static enum cause first_cause(const struct grade_facts *facts)
{
	enum cause sorted[CAUSES];
	unsigned int n = grade_causes_by_time(sorted, facts);

	if (n > 1 && sorted[0] == CAUSE_UNKNOWN &&
	    facts->cause_ns[sorted[1]] * 10 >= grade_lost_ns(facts))
		return sorted[1];
	return n > 0 ? sorted[0] : CAUSE_NONE;
}

/* The moment of the app that lost most by @cause, or NULL. */
static const struct late_row *find_worst(const struct session *session,
					 const struct graded_app *app, enum cause cause)
{
	for (uint32_t i = 0; i < session->n_late; i++) {
		const struct late_row *late = &session->late[i];
		const struct surface *surface = &session->surfaces[late->surface];

		/* The one that lost most comes first. */
		if (late->cause == cause && late->harm_us > 0 && surface->has_package &&
		    surface->app == app->app)
			return late;
	}
	return NULL;
}

/* "look at 0:30 (checkout), the worst freeze: " */
static void add_moment(char text[GRADE_TEXT_SIZE], const struct session *session,
		       const struct late_row *late, enum language language)
{
	int64_t begin_us = session_begin_of(session, late->time_us, late->interval_us);
	uint32_t section = session_section(session, begin_us);
	char at[SESSION_TIME_SIZE], name[200];
	bool zh = language == CHINESE;

	session_time(at, session, begin_us);
	add(text, zh ? "查看 %s" : "look at %s", at);
	if (section > 0) {
		text_copy(name, sizeof(name), name_of(session, session->sections[section].name));
		add(text, zh ? "（%s）" : " (%s)", name);
	}
	if (late->is_stall)
		add(text, "%s", zh ? " 最长的卡死：" : ", the worst freeze: ");
	else
		add(text, "%s", zh ? " 最严重的迟到帧：" : ", the worst late frame: ");
}

/* What is recorded of the app's own work. Where that is nothing long, the app was not slow: it
 * began the frame too late. */
static void add_work(char text[GRADE_TEXT_SIZE], const struct session *session,
		     const struct late_row *late, enum language language)
{
	int64_t type = session_json_number(session, "options", "type");
	bool zh = language == CHINESE;
	const char *work;
	int length = (int)moment_work(session, late, &work);

	if (length > 0)
		add(text, zh ? "应用主线程的 %.*s" : "%.*s on the app's main thread", length, work);
	else if (!session->surfaces[late->surface].has_view_marks)
		add(text, "%s",
		    zh ? "应用自身的工作没有记录，请加上 view 类别录制"
		       : "the app's own work is not recorded, add category view");
	else if (late->info == NAME_NONE && type != 2 && type != 4)
		add(text, "%s",
		    zh ? "请用 -T 2 录制，以得知应用在做什么"
		       : "record with -T 2, which tells what the app did");
	else
		add(text, "%s",
		    zh ? "没有记录到长的 doFrame，查看应用为何这么晚才开始这一帧"
		       : "no long doFrame is recorded, see why the app began this frame so late");
}

static void tell_cause(char text[GRADE_TEXT_SIZE], const struct session *session,
		       const struct graded_app *app, enum language language)
{
	enum cause cause = first_cause(&app->facts);
	const struct late_row *late = find_worst(session, app, cause);
	bool zh = language == CHINESE;

	if (!late || cause == CAUSE_NONE) {
		add(text, "%s",
		    zh ? "请用 --frames-log 录制，以得知何时迟到或卡死，以及原因"
		       : "record with --frames-log, which tells when it was late or frozen, and "
			 "why");
		return;
	}
	add_moment(text, session, late, language);
	if (cause == CAUSE_APP)
		add_work(text, session, late, language);
	else if (cause == CAUSE_UNKNOWN)
		add(text, "%s",
		    zh ? "原因未知，请用 --snapshot 100 录制，保存其前后的记录"
		       : "its cause is unknown, record with --snapshot 100 to keep the trace "
			 "around it");
	else
		add(text, zh ? "%s" : "see %s", looks[cause][language]);
}

/* The app held an even rate that is lower than its class needs. */
static void tell_slow(char text[GRADE_TEXT_SIZE], const struct session *session,
		      const struct graded_app *app, enum language language)
{
	double fps = session->surfaces[app->surface].numbers.of[METRIC_FPS];
	bool zh = language == CHINESE;

	/* The least rate of a game, a map and a film: verdict.h. */
	if (fps >= 25)
		add(text,
		    zh ? "若 %.0f fps 是有意的，请用 --class game 分析；否则查找限制帧率的地方"
		       : "if %.0f fps are meant, analyze with --class game; else see what holds "
			 "the "
			 "app at that rate",
		    fps);
	else
		add(text, "%s",
		    zh ? "查找限制应用帧率的地方" : "see what holds the app at that rate");
}

/* When the longest gap of the app began; -1: that is unknown, as rows of fps.csv do not tell it. */
static int64_t gap_of(const struct session *session, const struct graded_app *app)
{
	for (uint32_t i = 0; i < session->n_surfaces; i++) {
		const struct surface *surface = &session->surfaces[i];

		if (surface->has_package && surface->app == app->app &&
		    surface->facts.longest_gap_ns == app->facts.longest_gap_ns)
			return surface->frame_rows > 0 ? surface->gap_us : -1;
	}
	return -1;
}

static void tell_unclear(char text[GRADE_TEXT_SIZE], const struct session *session,
			 const struct graded_app *app, enum language language)
{
	bool zh = language == CHINESE;
	char at[SESSION_TIME_SIZE], longest[GRADE_TIME_SIZE];
	int64_t gap_us = gap_of(session, app);

	if (!grade_may_hang(&app->facts)) {
		add(text, "%s",
		    zh ? "请用 --vsync-ms 给出显示器的周期"
		       : "give the display's period with --vsync-ms");
		return;
	}
	if (session->doframes == 0) {
		add(text, "%s",
		    zh ? "请用 --categories \"gfx view\" 录制，以得知应用在空白中是否在工作"
		       : "record with --categories \"gfx view\", which tells whether the app was "
			 "at "
			 "work in the gaps");
		return;
	}
	grade_time(longest, app->facts.longest_gap_ns, language);
	add(text,
	    zh ? "确认应用在最长的 %s空白中是否本应绘制"
	       : "see whether the app had anything to draw in its gap of %s",
	    longest);
	session_time(at, session, gap_us);
	if (gap_us >= 0)
		add(text, zh ? "，从 %s 起" : ", from %s on", at);
}

/* What is known is graded better than the session, as a part of it is not there. */
static void tell_rest(char text[GRADE_TEXT_SIZE], enum grade grade, enum language language)
{
	bool zh = language == CHINESE;

	if (grade == GRADE_INCOMPLETE)
		add(text, "%s", zh ? "请用更大的缓冲区重新录制" : "record with a larger buffer");
	else
		add(text, "%s",
		    zh ? "请用完整的文件夹生成报告"
		       : "make the report of the whole folder, with events.csv");
}

void next_tell(char text[GRADE_TEXT_SIZE], const struct session *session,
	       const struct graded_app *app, enum language language)
{
	const struct grade_facts *facts = &app->facts;
	enum grade known = grade_of_known(facts);
	bool zh = language == CHINESE;

	text[0] = '\0';
	/* The sentence of INCOMPLETE has its own. */
	if (known == GRADE_TOO_SHORT)
		add(text, "%s",
		    zh ? "请录制更久：评级需要 5 秒的绘制和 100 帧"
		       : "record for longer, a grade needs 5 s of drawing and 100 frames");
	else if (known == GRADE_UNCLEAR)
		tell_unclear(text, session, app, language);
	else if (known == GRADE_FAIR && facts->fails_rule && grade_lost_ns(facts) == 0)
		tell_slow(text, session, app, language);
	else if (known == GRADE_BAD || known == GRADE_POOR || known == GRADE_FAIR)
		tell_cause(text, session, app, language);
	else if (known == GRADE_GOOD && app->grade != known)
		tell_rest(text, app->grade, language);
	if (text[0])
		add(text, "%s", zh ? "。" : ".");
}
