/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/show/grade_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"

#define SECOND_NS UINT64_C(1000000000)

/* Bytes of a name in a sentence. */
#define NAME_MAX_BYTES 300

/* Of whom a cause is, and what of theirs. Lost time is told by culprit first, then by part. */
enum kinship { CULPRIT, PART, ITSELF };

/* What a cause is called, the cause that stands for its culprit, and for its part; of these how a
 * share of the lost time is told: of a part alone, of one of several, and of all of the culprit. */
static const struct {
	const char *name[2];
	enum cause kin[ITSELF];
	const char *share[2], *part[2], *culprit[2];
} causes[CAUSES] = {
	[CAUSE_NONE] = { { "", "" } },
	[CAUSE_APP] = { { "App too slow", "应用太慢" },
			{ CAUSE_APP, CAUSE_APP },
			{ "the app's own", "归于应用自身" },
			{ "its own work", "自身工作" },
			{ "the app's", "归于应用" } },
	[CAUSE_GPU] = { { "App's GPU work", "应用的 GPU 绘制" },
			{ CAUSE_APP, CAUSE_GPU },
			{ "the app's GPU work", "归于应用的 GPU 绘制" },
			{ "its GPU work", "GPU 绘制" } },
	[CAUSE_SF_CPU] = { { "System compositor (CPU)", "系统合成器（CPU）" },
			   { CAUSE_SF_CPU, CAUSE_SF_CPU },
			   { "the system compositor's", "归于系统合成器" },
			   { "its compositor", "合成器" },
			   { "the system's", "归于系统" } },
	[CAUSE_SF_GPU] = { { "System compositor (GPU)", "系统合成器（GPU）" },
			   { CAUSE_SF_CPU, CAUSE_SF_CPU } },
	[CAUSE_SCHEDULING] = { { "App woken too late", "系统唤醒应用太晚" },
			       { CAUSE_SF_CPU, CAUSE_SCHEDULING },
			       { "late wake-ups by the system", "归于系统唤醒太晚" },
			       { "late wake-ups", "唤醒太晚" } },
	[CAUSE_DISPLAY] = { { "Display", "显示器" },
			    { CAUSE_SF_CPU, CAUSE_DISPLAY },
			    { "the display's", "归于显示器" },
			    { "the display", "显示器" } },
	/* A frame that waited behind another one, or was replaced, does not say who was late. */
	[CAUSE_STUFFING] = { { "Queue too full", "缓冲队列过满" },
			     { CAUSE_STUFFING, CAUSE_STUFFING },
			     { "a queue that was too full", "归于缓冲队列过满" },
			     { "", "" } },
	[CAUSE_PREDICTION] = { { "Vsync prediction", "垂直同步预测" },
			       { CAUSE_SF_CPU, CAUSE_PREDICTION },
			       { "wrong predictions of vsyncs", "归于垂直同步预测错误" },
			       { "wrong predictions of vsyncs", "垂直同步预测错误" } },
	[CAUSE_DROPPED] = { { "Frame thrown away", "帧被丢弃" },
			    { CAUSE_DROPPED, CAUSE_DROPPED },
			    { "frames that were thrown away", "归于帧被丢弃" },
			    { "", "" } },
	[CAUSE_UNKNOWN] = { { "Unknown", "未知" },
			    { CAUSE_UNKNOWN, CAUSE_UNKNOWN },
			    { "of unknown cause", "原因未知" },
			    { "", "" } },
};

static const char *const grades_in_chinese[GRADES] = {
	[GRADE_NONE] = "",	  [GRADE_TOO_SHORT] = "太短", [GRADE_BAD] = "差",
	[GRADE_POOR] = "较差",	  [GRADE_FAIR] = "一般",      [GRADE_INCOMPLETE] = "不完整",
	[GRADE_UNCLEAR] = "不明", [GRADE_GOOD] = "良好",
};

const char *grade_cause_name(enum cause cause, enum language language)
{
	return causes[cause].name[language];
}

const char *grade_name(enum grade grade, enum language language)
{
	return language == CHINESE ? grades_in_chinese[grade] : grade_names[grade];
}

/* --- even --- */

/* As in late.c. */
#define FILM_LEAST_FPS 23.76
#define FILM_MOST_FPS 25.25

/* At most one of so many frames is another. */
#define UNEVEN_ONE_OF 20

static bool is_near(double frames, double others, double all)
{
	return (frames - others) * UNEVEN_ONE_OF <= all && (others - frames) * UNEVEN_ONE_OF <= all;
}

bool grade_is_even(uint64_t frames, uint64_t off_cadence, double fps, double rate_hz,
		   uint64_t longest_ns)
{
	double all = (double)frames, off = (double)off_cadence, shorter;

	if (off * UNEVEN_ONE_OF <= all)
		return true;
	if (!(fps >= FILM_LEAST_FPS && fps <= FILM_MOST_FPS && rate_hz > 0))
		return false;
	/* Of two lengths that differ by a vsync, the mean tells how many frames have each. */
	shorter = all *
		  ((double)(uint64_t)((double)longest_ns * rate_hz / 1e9 + 0.5) - rate_hz / fps);
	return is_near(shorter, off, all) || is_near(all - shorter, off, all);
}

/* --- numbers --- */

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

const char *grade_sign(const struct grade_facts *facts, enum lost_number number)
{
	return grade_is_at_least(facts, number) ? "≥ " : "";
}

void grade_count(char text[GRADE_COUNT_SIZE], uint64_t n)
{
	char digits[GRADE_COUNT_SIZE];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = '\0';
}

void grade_time(char text[GRADE_TIME_SIZE], uint64_t ns, enum language language)
{
	static const char *const minutes[] = { "%.0f minutes", "%.0f 分钟" };
	static const char *const hours[] = { "%.1f hours", "%.1f 小时" };
	static const char *const of_seconds[] = { "%.*f s", "%.*f 秒" };
	double s = seconds(ns);

	if (s < 119.5)
		snprintf(text, GRADE_TIME_SIZE, of_seconds[language],
			 s == 0	     ? 0
			 : s < 1.995 ? 2
			 : s < 9.5   ? 1
				     : 0,
			 s);
	else if (s < 7170)
		snprintf(text, GRADE_TIME_SIZE, minutes[language], s / 60);
	else
		snprintf(text, GRADE_TIME_SIZE, hours[language], s / 3600);
}

/* A unit that both have is told once. */
static void both_times(char text[GRADE_TIMES_SIZE], uint64_t one_ns, const char *between,
		       uint64_t other_ns, enum language language)
{
	char one[GRADE_TIME_SIZE], other[GRADE_TIME_SIZE];

	grade_time(one, one_ns, language);
	grade_time(other, other_ns, language);
	if (strcmp(strchr(one, ' '), strchr(other, ' ')) == 0)
		*strchr(one, ' ') = '\0';
	snprintf(text, GRADE_TIMES_SIZE, "%s%s%s", one, between, other);
}

void grade_part(char text[GRADE_TIMES_SIZE], uint64_t part_ns, uint64_t all_ns,
		enum language language)
{
	both_times(text, part_ns, language == CHINESE ? " / " : " of ", all_ns, language);
}

static const char *const to[] = { " to ", " 到 " };

void grade_clock(char text[GRADE_TIME_SIZE], int64_t since_begin_ns)
{
	int64_t s = (since_begin_ns + (int64_t)SECOND_NS / 10) / (int64_t)SECOND_NS;

	if (s >= 3600)
		snprintf(text, GRADE_TIME_SIZE, "%" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600,
			 s / 60 % 60, s % 60);
	else
		snprintf(text, GRADE_TIME_SIZE, "%" PRId64 ":%02" PRId64, s / 60, s % 60);
}

void grade_missing_at(char text[GRADE_MISSING_AT_SIZE], int64_t from_ns, int64_t to_ns,
		      uint64_t missing_ns, enum language language)
{
	char from[GRADE_TIME_SIZE], until[GRADE_TIME_SIZE];

	text[0] = '\0';
	if (to_ns <= from_ns || (uint64_t)(to_ns - from_ns) < missing_ns / 10 * 9)
		return;
	grade_clock(from, from_ns > 0 ? from_ns : 0);
	grade_clock(until, to_ns);
	if (strcmp(from, until) == 0)
		snprintf(text, GRADE_MISSING_AT_SIZE, "%s", from);
	else
		snprintf(text, GRADE_MISSING_AT_SIZE, "%s%s%s", from, to[language], until);
}

void grade_share(char text[GRADE_COUNT_SIZE], uint64_t part, uint64_t all)
{
	double percent = all > 0 ? 100 * (double)part / (double)all : 0;

	if (part > 0 && percent < 0.05)
		snprintf(text, GRADE_COUNT_SIZE, "< 0.1 %%");
	else
		snprintf(text, GRADE_COUNT_SIZE, "%.*f %%", percent < 9.95, percent);
}

/* --- sentences --- */

#define add(text, ...) text_append(text, GRADE_TEXT_SIZE, __VA_ARGS__)

static void add_name(char *text, const struct graded *graded, enum language language)
{
	char name[NAME_MAX_BYTES + 1];

	text_escape(name, sizeof(name), graded->name);
	add(text, "%s", name);
	if (graded->is_no_app)
		add(text, "%s", language == CHINESE ? "（不是使用中的应用）" : " (no app in use)");
}

void grade_add_freezes(char text[GRADE_TEXT_SIZE], const struct grade_facts *facts,
		       enum language language)
{
	bool zh = language == CHINESE;
	char n[GRADE_COUNT_SIZE], longest[GRADE_TIME_SIZE], endless[64] = "";
	/* Lost events may have shown more. */
	const char *least = !facts->more_freezes ? "" : zh ? "至少" : " or more";
	const char *plural = facts->freezes == 1 ? "" : "s";

	if (facts->freezes == 0)
		return;
	grade_count(n, facts->freezes);
	grade_time(longest, facts->longest_freeze_ns, language);
	if (facts->endless > 0 && zh)
		snprintf(endless, sizeof(endless), "，其中 %" PRIu64 " 次没有结束", facts->endless);
	else if (facts->endless > 0 && facts->freezes == 1)
		strcpy(endless, ", no frame ended it");
	else if (facts->endless > 0)
		snprintf(endless, sizeof(endless), ", no frame ended %" PRIu64 " of them",
			 facts->endless);
	if (facts->longest_freeze_ns == 0 && zh) /* it is not captured */
		add(text, "卡死%s %s 次", least, n);
	else if (facts->longest_freeze_ns == 0)
		add(text, "%s freeze%s%s", n, plural, least);
	else if (zh)
		add(text, "卡死%s %s 次（最长 %s%s）", least, n, longest, endless);
	else if (facts->freezes == 1)
		add(text, "1 freeze%s (%s%s%s)", least, least[0] ? "longest " : "", longest,
		    endless);
	else
		add(text, "%s freezes%s (longest %s%s)", n, least, longest, endless);
}

void grade_add_losses(char text[GRADE_TEXT_SIZE], const struct grade_facts *facts,
		      enum language language)
{
	bool zh = language == CHINESE;
	char n[GRADE_COUNT_SIZE];

	grade_add_freezes(text, facts, language);
	if (facts->freezes > 0)
		add(text, zh ? "，" : facts->late > 0 ? " and " : ", ");
	grade_count(n, facts->late);
	if (zh)
		add(text, facts->late > 0 ? "迟到 %s 帧" : "没有迟到的帧", n);
	else if (facts->late == 0)
		add(text, "no late frame");
	else
		add(text, "%s late frame%s", n, facts->late == 1 ? "" : "s");
	if (facts->freezes == 0)
		add(text, facts->more_freezes ? (zh ? "，不知道是否有卡死" : ", freezes not known")
					      : (zh ? "，没有卡死" : ", no freeze"));
}

/* True: Surfaces drew at the same time, so that their time, added up, is longer than the capture.
 */
static bool is_added_up(const struct grade_facts *facts)
{
	return facts->span_ns > 0 && grade_drawing_ns(facts) > facts->span_ns / 20 * 21;
}

static void add_together(char *text, const struct graded *graded, enum language language)
{
	if (is_added_up(graded->facts))
		add(text, language == CHINESE ? "（各 Surface 合计）" : " (its Surfaces together)");
}

/* A rate of less than so many times another is the same, but for its digits. */
#define RATE_CHANGES 1.1

static bool has_rates(const struct graded *graded)
{
	return graded->slowest_hz > 0 && graded->fastest_hz > graded->slowest_hz * RATE_CHANGES;
}

static void add_rate(char text[GRADE_TEXT_SIZE], const struct graded *graded, double fps,
		     enum language language)
{
	double tenths = fps * 10 - 10 * (double)(uint64_t)(fps + 0.05);
	bool zh = language == CHINESE;

	if (has_rates(graded))
		add(text,
		    zh ? "%.0f fps，屏幕 %.0f 到 %.0f Hz"
		       : "%.0f fps on a screen of %.0f to %.0f Hz",
		    fps, graded->slowest_hz, graded->fastest_hz);
	else if (graded->rate_hz > 0)
		add(text, zh ? "%.*f / %.0f fps" : "%.*f of %.0f fps", tenths >= 0.5, fps,
		    graded->rate_hz);
	else
		add(text, "%.*f fps", tenths >= 0.5, fps);
}

/* What is known of the loss: "... was late for 3.4 % of the 10 s it drew: ..." */
static void add_lost(char *text, const struct graded *graded, enum language language)
{
	const struct grade_facts *facts = graded->facts;
	uint64_t drawing_ns = grade_drawing_ns(facts), lost_ns = grade_lost_ns(facts);
	double rate_hz = graded->rate_hz, frames = (double)facts->frames;
	bool zh = language == CHINESE;
	char share[GRADE_COUNT_SIZE], drew[GRADE_TIME_SIZE];

	grade_share(share, lost_ns, drawing_ns);
	grade_time(drew, drawing_ns, language);
	add_name(text, graded, language);
	if (zh)
		add(text, " 在绘制的 %s%s 中有 %s 的时间%s", drew,
		    is_added_up(facts) ? "（各 Surface 合计）" : "", share,
		    facts->freezes == 0 ? "迟到"
		    : facts->late == 0	? "卡死"
					: "卡死或迟到");
	else
		add(text, " was %s for %s of the %s %s drew",
		    facts->freezes == 0 ? "late"
		    : facts->late == 0	? "frozen"
					: "frozen or late",
		    share, drew, is_added_up(facts) ? "that its Surfaces together" : "it");
	/* " (109.9 of 120 fps)", of an app that draws for each vsync of a screen that a reader does
	 * not expect: not of 60 Hz. */
	if (graded->sessions <= 1 && !has_rates(graded) && drawing_ns > lost_ns && rate_hz > 0 &&
	    (rate_hz >= 60 * RATE_CHANGES || rate_hz * RATE_CHANGES <= 60) &&
	    frames / seconds(drawing_ns - lost_ns) * RATE_CHANGES >= rate_hz) {
		add(text, zh ? "（" : " (");
		add_rate(text, graded, frames / seconds(drawing_ns), language);
		add(text, zh ? "）" : ")");
	}
	add(text, zh ? "：" : ": ");
	grade_add_losses(text, facts, language);
	add(text, zh ? "。" : ".");
}

/* "... held an even 30 fps on a 60 Hz screen for 10 s: no late frame, no freeze." "... kept an even
 * pace on a screen of 60 to 120 Hz (90 fps on average) for 10 s: ..." */
static void add_even(char *text, const struct graded *graded, enum language language)
{
	bool zh = language == CHINESE, is_vowel;
	char drew[GRADE_TIME_SIZE], rate[GRADE_COUNT_SIZE];

	grade_time(drew, grade_drawing_ns(graded->facts), language);
	/* "a 60 Hz", "an 80 Hz" */
	snprintf(rate, sizeof(rate), "%.0f", graded->rate_hz);
	is_vowel = rate[0] == '8' || strcmp(rate, "11") == 0 || strcmp(rate, "18") == 0;
	add_name(text, graded, language);
	if (!graded->is_even || graded->fps <= 0 || graded->rate_hz <= 0) {
		add(text, zh ? " 绘制了 %s" : " drew for %s", drew);
	} else {
		if (has_rates(graded))
			add(text,
			    zh ? " 在 %.0f 到 %.0f Hz 的屏幕上保持平稳（平均 %.0f fps）"
			       : " kept an even pace on a screen of %.0f to %.0f Hz (%.0f fps on "
				 "average)",
			    graded->slowest_hz, graded->fastest_hz, graded->fps);
		else if (zh)
			add(text, " 在 %.0f Hz 的屏幕上稳定保持 %.0f fps", graded->rate_hz,
			    graded->fps);
		else
			add(text, " held an even %.0f fps on %s %.0f Hz screen", graded->fps,
			    is_vowel ? "an" : "a", graded->rate_hz);
		add(text, zh ? "，共 %s" : " for %s", drew);
	}
	add_together(text, graded, language);
	add(text, zh ? "：" : ": ");
	grade_add_losses(text, graded->facts, language);
	add(text, zh ? "。" : ".");
}

/* "... was even, but slow: 30 of 60 fps from start to end." Only late frames have causes. */
static void add_slow(char *text, const struct graded *graded, enum language language)
{
	bool zh = language == CHINESE, is_lost = grade_lost_ns(graded->facts) > 0;

	if (is_lost)
		add_lost(text, graded, language);
	else
		add_name(text, graded, language);
	add(text, is_lost ? (zh ? "而且慢" : " It was slow, too")
			  : (zh ? " 平稳，但是慢" : " was even, but slow"));
	if (graded->fps > 0) {
		add(text, zh ? "：" : ": ");
		add_rate(text, graded, graded->fps, language);
	}
	if (graded->sessions > 1 && zh)
		add(text, "（%u 次会话中的 %u 次）", graded->sessions, graded->slow_sessions);
	else if (graded->sessions > 1)
		add(text, " in %u of %u sessions", graded->slow_sessions, graded->sessions);
	else if (graded->is_even && !is_lost)
		add(text, zh ? "，自始至终" : " from start to end");
	add(text, zh ? "。" : ".");
	if (is_lost)
		return;
	if (!has_rates(graded) && graded->rate_hz > 0 &&
	    graded->rate_hz < graded->fps * RATE_CHANGES)
		add(text, zh ? "系统也只以这个帧率合成。" : " The system composed no faster.");
	else
		add(text,
		    zh ? "没有迟到的帧，所以不知道是应用还是系统限制了帧率。"
		       : " No frame was late, so it is not known whether the app or the system "
			 "held it there.");
}

/* Of the sentence, or of a further one. */
static void add_subject(char *text, const struct graded *graded, enum language language)
{
	if (text[0]) {
		add(text, language == CHINESE ? "该应用" : " It ");
		return;
	}
	add_name(text, graded, language);
	add(text, " ");
}

/* "... drew nothing for 4.1 of 12 s (4 gaps of 0.60 to 1.45 s), and the trace does not say whether
 * it hung." */
static void add_gaps(char *text, const struct graded *graded, enum language language)
{
	const struct grade_facts *facts = graded->facts;
	bool zh = language == CHINESE;
	char of[GRADE_TIMES_SIZE], range[GRADE_TIMES_SIZE], shortest[GRADE_TIME_SIZE];

	grade_part(of, facts->gap_ns, grade_drawing_ns(facts) + facts->gap_ns, language);
	grade_time(shortest, facts->shortest_gap_ns, language);
	grade_time(range, facts->longest_gap_ns, language);
	if (strcmp(shortest, range) != 0)
		both_times(range, facts->shortest_gap_ns, to[language], facts->longest_gap_ns,
			   language);
	add_subject(text, graded, language);
	add(text, zh ? "有 %s没有绘制（" : "drew nothing for %s (", of);
	if (facts->gaps == 1)
		add(text, zh ? "1 次空白" : "1 gap");
	else
		add(text, zh ? "%" PRIu64 " 次空白，%s" : "%" PRIu64 " gaps of %s", facts->gaps,
		    range);
	add(text, zh ? "），从记录中看不出它是否卡死。"
		     : "), and the trace does not say whether it hung.");
}

static void add_unknown_vsyncs(char *text, const struct graded *graded, enum language language)
{
	const struct grade_facts *facts = graded->facts;
	bool zh = language == CHINESE;
	char drew[GRADE_TIME_SIZE], unknown[GRADE_COUNT_SIZE], frames[GRADE_COUNT_SIZE];

	grade_time(drew, grade_drawing_ns(facts), language);
	grade_count(unknown, facts->unknown);
	grade_count(frames, facts->frames);
	add_subject(text, graded, language);
	add(text, zh ? "绘制了 %s" : "drew for %s", drew);
	add_together(text, graded, language);
	add(text,
	    zh ? "，但 %s 帧中有 %s 帧不知道显示器的周期，所以不知道这些帧是否迟到。"
	       : ", but for %s of %s frames the display's period is unknown, so late frames "
		 "cannot be detected.",
	    zh ? frames : unknown, zh ? unknown : frames);
}

static void add_missing(char *text, const struct graded *graded, enum language language)
{
	const struct grade_facts *facts = graded->facts;
	bool zh = language == CHINESE, is_unknown = grade_is_mostly_unknown(facts);
	bool is_even = grade_lost_ns(facts) == 0 && !is_unknown;
	uint64_t missing_ns = grade_missing_ns(facts);
	char captured[GRADE_TIME_SIZE], missing[GRADE_TIME_SIZE], share[GRADE_COUNT_SIZE];

	grade_time(captured, facts->span_ns > missing_ns ? facts->span_ns - missing_ns : 0,
		   language);
	grade_time(missing, missing_ns, language);
	grade_share(share, missing_ns, facts->span_ns);
	if (grade_lost_ns(facts) > 0)
		add_lost(text, graded, language);
	if (is_unknown)
		add_unknown_vsyncs(text, graded, language);
	if (is_even) {
		add(text, "%s", zh ? "" : "No frame of ");
		add_name(text, graded, language);
		add(text, zh ? " 在已记录的 %s 中没有迟到的帧。" : " was late in the %s captured",
		    captured);
	}
	add(text, zh ? "但缺少 %s（%s" : is_even ? ", but %s (%s" : " But %s (%s", missing, share);
	add(text, zh ? "）" : ") are missing");
	if (graded->missing_at[0])
		add(text, zh ? "（%s）" : " (%s)", graded->missing_at);
	add(text, zh ? "：请用更大的缓冲区重新录制。" : ": record with a larger buffer.");
	/* What is there is not known to be smooth, either. */
	if (facts->gaps > 0)
		add_gaps(text, graded, language);
}

void grade_sentence(char text[GRADE_TEXT_SIZE], const struct graded *graded, enum language language)
{
	const struct grade_facts *facts = graded->facts;
	enum grade known = grade_of_known(facts);
	bool zh = language == CHINESE;
	char drew[GRADE_TIME_SIZE], frames[GRADE_COUNT_SIZE], frozen[GRADE_TIME_SIZE];

	text[0] = '\0';
	switch (known) {
	case GRADE_NONE:
		add_name(text, graded, language);
		add(text, zh ? " 没有绘制。" : " drew nothing.");
		break;
	case GRADE_TOO_SHORT:
		grade_time(drew, facts->time_ns, language);
		grade_time(frozen, facts->freeze_ns, language);
		grade_count(frames, facts->frames);
		add_name(text, graded, language);
		add(text, zh ? " 只绘制了 %s（%s 帧）" : " drew for only %s (%s frame%s)", drew,
		    frames, facts->frames == 1 ? "" : "s");
		if (facts->freezes > 0)
			add(text, zh ? "，卡死了 %s" : " and was frozen for %s", frozen);
		add(text, zh ? "，太短，无法评价：" : ", too short to judge: ");
		grade_add_losses(text, facts, language);
		add(text, zh ? "。" : ".");
		break;
	case GRADE_INCOMPLETE:
		add_missing(text, graded, language);
		break;
	case GRADE_UNCLEAR:
		if (grade_may_hang(facts))
			add_gaps(text, graded, language);
		else
			add_unknown_vsyncs(text, graded, language);
		break;
	case GRADE_FAIR:
		if (facts->fails_rule) {
			add_slow(text, graded, language);
			break;
		}
		/* fallthrough */
	default:
		if (grade_lost_ns(facts) > 0)
			add_lost(text, graded, language);
		else
			add_even(text, graded, language);
	}
	if (grade_of(facts) == known)
		return;
	if (facts->at_most == GRADE_INCOMPLETE)
		add(text, zh ? "但有事件丢失：丢失处的帧和卡死未知。"
			     : " But events are missing: frames and freezes "
			       "around them are unknown.");
	else if (!graded->without_events)
		add(text, zh ? "但这些文件并不完整：卡死和无法解释的空白可能未知。"
			     : " But these files do not have all of it: freezes "
			       "and unexplained gaps may be unknown.");
	else
		add(text, zh ? "但 events.csv 缺失或为空：没有结束的卡死和无法解释的空白未知。"
			     : " But events.csv is missing or empty: freezes that no frame "
			       "ended and unexplained gaps are unknown.");
}

static enum cause kin_of(enum cause cause, enum kinship kinship)
{
	return kinship == ITSELF ? cause : causes[cause].kin[kinship];
}

/* All that the culprit of @cause lost, or its part, or the cause itself. */
static uint64_t kin_ns(const struct grade_facts *facts, enum cause cause, enum kinship kinship)
{
	uint64_t sum_ns = 0;

	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++)
		if (kin_of((enum cause)i, kinship) == kin_of(cause, kinship))
			sum_ns += facts->cause_ns[i];
	return sum_ns;
}

static bool lost_more(const struct grade_facts *facts, enum cause a, enum cause b)
{
	for (enum kinship kinship = CULPRIT; kinship <= ITSELF; kinship++) {
		uint64_t a_ns = kin_ns(facts, a, kinship), b_ns = kin_ns(facts, b, kinship);

		if (a_ns != b_ns)
			return a_ns > b_ns;
		if (kin_of(a, kinship) != kin_of(b, kinship))
			return kin_of(a, kinship) < kin_of(b, kinship);
	}
	return false;
}

unsigned int grade_causes_by_time(enum cause sorted[CAUSES], const struct grade_facts *facts)
{
	unsigned int n = 0;

	for (unsigned int i = CAUSE_NONE + 1; i < CAUSES; i++) {
		unsigned int at = n;

		if (facts->causes[i] == 0)
			continue;
		for (; at > 0 && lost_more(facts, (enum cause)i, sorted[at - 1]); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = (enum cause)i;
		n++;
	}
	return n;
}

void grade_cause_shares(unsigned int percent[CAUSES], const struct grade_facts *facts)
{
	/* In microseconds, as --json writes them: causes that it shows as equal are equal here. */
	uint64_t lost_us = grade_lost_ns(facts) / 1000, all = lost_us > 0 ? lost_us : 1;
	uint64_t left = all / 2, rest[CAUSES];

	for (unsigned int i = 0; i < CAUSES; i++) {
		uint64_t us = facts->cause_ns[i] / 1000;

		/* Facts that --grades reads may give a cause more than all. */
		us = 100 * (us < lost_us ? us : lost_us);
		percent[i] = (unsigned int)(us / all);
		rest[i] = us % all;
		left += rest[i];
	}
	for (left /= all; left > 0; left--) {
		unsigned int most = 0;

		for (unsigned int i = 1; i < CAUSES; i++)
			if (rest[i] > rest[most])
				most = i;
		percent[most]++;
		rest[most] = 0;
	}
}

void grade_causes(char text[GRADE_TEXT_SIZE], const struct grade_facts *facts,
		  enum language language)
{
	enum cause sorted[CAUSES], part = CAUSE_NONE;
	unsigned int n = grade_causes_by_time(sorted, facts), percent[CAUSES], end;
	uint64_t lost_ns = grade_lost_ns(facts);
	bool zh = language == CHINESE;
	const char *comma = zh ? "，" : ", ";

	text[0] = '\0';
	grade_cause_shares(percent, facts);
	for (unsigned int i = 0; i < n; i = end) {
		enum cause culprit = kin_of(sorted[i], CULPRIT);
		unsigned int of_culprit = 0, parts = 0;
		char told[GRADE_TEXT_SIZE] = "";

		for (end = i; end < n && kin_of(sorted[end], CULPRIT) == culprit;) {
			enum cause one = kin_of(sorted[end], PART);
			unsigned int of_part = 0;

			for (; end < n && kin_of(sorted[end], PART) == one; end++)
				of_part += percent[sorted[end]];
			if (of_part == 0)
				continue;
			add(told, "%s%u %% %s", parts++ > 0 ? comma : "", of_part,
			    causes[one].part[language]);
			of_culprit += of_part;
			part = one;
		}
		if (parts == 0)
			continue;
		if (kin_ns(facts, culprit, CULPRIT) >= lost_ns - lost_ns / 2000)
			add(text, zh ? "损失的时间全部" : "All of the lost time is ");
		else if (!text[0])
			add(text, zh ? "损失的时间：%u %% " : "%u %% of the lost time is ",
			    of_culprit);
		else
			add(text, "%s%u %% ", comma, of_culprit);
		add(text, "%s",
		    parts > 1 ? causes[culprit].culprit[language] : causes[part].share[language]);
		if (parts > 1)
			add(text, zh ? "（%s）" : " (%s)", told);
	}
	if (text[0])
		add(text, zh ? "。" : ".");
}

unsigned int grade_unknowns(char lines[GRADE_UNKNOWNS][GRADE_UNKNOWN_SIZE],
			    const struct grade_facts *facts)
{
	char count[GRADE_COUNT_SIZE];
	uint64_t caused = 0;
	unsigned int n = 0;

	if (facts->gaps > 0) {
		grade_count(count, facts->gaps);
		snprintf(lines[n++], GRADE_UNKNOWN_SIZE,
			 "unexplained gaps: %s, %.2f s: still or frozen, the trace does not say",
			 count, seconds(facts->gap_ns));
	}
	/* Causes that are not captured are unknown, too. */
	for (unsigned int i = 0; i < CAUSES; i++)
		caused += i == CAUSE_UNKNOWN || i == CAUSE_NONE ? 0 : facts->causes[i];
	if (facts->late + facts->freezes > caused) {
		grade_count(count, facts->late + facts->freezes - caused);
		snprintf(lines[n++], GRADE_UNKNOWN_SIZE,
			 "unknown: the cause of %s of the late frames and freezes", count);
	}
	if (facts->unknown > 0) {
		grade_count(count, facts->unknown);
		snprintf(lines[n++], GRADE_UNKNOWN_SIZE,
			 "unknown: vsyncs of %s frame%s: the display's period is not certain there",
			 count, facts->unknown == 1 ? "" : "s");
	}
	return n;
}

/* --- where frames are not graded --- */

static int by_frames(const void *a, const void *b)
{
	const struct timeline_app *one = a, *other = b;

	return (one->frames < other->frames) - (one->frames > other->frames);
}

unsigned int timeline_sort(struct timeline_app apps[TIMELINE_APPS_MAX])
{
	unsigned int n = 0;

	while (n < TIMELINE_APPS_MAX && apps[n].frames > 0)
		n++;
	qsort(apps, n, sizeof(*apps), by_frames);
	return n;
}

void timeline_tell(char text[TIMELINE_SAID_SIZE], const struct timeline_app *app)
{
	char frames[GRADE_COUNT_SIZE], missed[GRADE_COUNT_SIZE];

	grade_count(frames, app->frames);
	grade_count(missed, app->missed);
	snprintf(text, TIMELINE_SAID_SIZE,
		 "no grade: the trace has no markers of the system compositor "
		 "(SurfaceFlinger). Android itself says: "
		 "%s of %s frames missed the app's deadline",
		 missed, frames);
}
