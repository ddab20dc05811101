/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison in sentences: of text, JSON and page. */
#include "tools/report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/text.h"
#include "tools/report/os.h"

/* A share of the time by which late frames must be less to be told. */
#define LESS_LATE 0.002

/* A group's or section's name in a sentence. */
#define NAME_COLUMNS 72
#define SHORT_NAME 160 /* bytes */

#define NUMBER_SIZE 96

/* --- names of groups --- */

/* The folder that has all @paths: of one path itself. */
static struct span common_folder(const char *const *paths, unsigned int n)
{
	struct span folder = span_of(paths[0]);

	for (unsigned int i = 1; i < n; i++) {
		size_t same = 0;

		while (same < folder.len && folder.ptr[same] == paths[i][same])
			same++;
		while (same > 0 && !os_is_separator(folder.ptr[same - 1]))
			same--;
		folder.len = same;
	}
	return folder;
}

static bool is_name(struct span name)
{
	while (name.len > 0 && name.ptr[0] == '.')
		name = span_skip(name, 1);
	return name.len > 0;
}

int compare_name_groups(struct comparison *comparison, const char *const *const paths[2],
			const unsigned int n[2])
{
	struct compared_group *groups = comparison->groups;

	/* The folders that have all runs, or else the first runs. */
	for (unsigned int is_run = 0; is_run < 2 && !groups[BASE].name; is_run++) {
		struct span from[2], names[2];

		for (unsigned int i = BASE; i <= NEW; i++)
			from[i] = is_run ? span_of(groups[i].folder ? groups[i].folder : "")
					 : common_folder(paths[i], n[i]);
		/* Their last folders that differ. */
		do {
			names[BASE] = folder_cut_last(&from[BASE]);
			names[NEW] = folder_cut_last(&from[NEW]);
		} while (names[BASE].len > 0 && span_equal(names[BASE], names[NEW]));
		if (!is_name(names[BASE]) || !is_name(names[NEW]))
			continue;
		for (unsigned int i = BASE; i <= NEW; i++)
			if (asprintf(&groups[i].name,
				     is_run && comparison->runs[i] > 1 ? "%.*s (+%u)" : "%.*s",
				     (int)names[i].len, names[i].ptr, comparison->runs[i] - 1) < 0)
				return -ENOMEM;
	}
	return 0;
}

void compare_tell_folder(char text[COMPARE_LINE_SIZE], const struct comparison *comparison,
			 enum group group)
{
	const char *folder = comparison->groups[group].folder;
	char shown[4096];

	text_shorten(shown, sizeof(shown), folder ? folder : "none", 100);
	strcpy(text, group == BASE ? "BASE: " : "NEW: ");
	text_append(text, COMPARE_LINE_SIZE, "%s", shown);
	if (comparison->runs[group] > 1)
		text_append(text, COMPARE_LINE_SIZE, " and %u more", comparison->runs[group] - 1);
}

static bool has_own_build(const struct comparison *comparison)
{
	const char *base = comparison->groups[BASE].build, *new = comparison->groups[NEW].build;

	return base && new &&strcmp(base, new) != 0;
}

/* Of groups without a name. */
static const char *const groups_in_chinese[] = { [BASE] = "基准组", [NEW] = "新组" };

const char *compare_group_name(const struct comparison *comparison, enum group group)
{
	if (has_own_build(comparison))
		return comparison->groups[group].build;
	if (comparison->groups[group].name)
		return comparison->groups[group].name;
	return group == BASE ? "BASE" : "NEW";
}

/* --- sentences --- */

/* What is said of the groups. */
struct said {
	const struct compared_verdict *verdict;
	char name[2][SHORT_NAME]; /* by group: "build 2.0" */
	bool zh;
};

/* A longer one is shortened, with a sign of it; to fewer columns if they have many bytes. */
static void short_name(char to[SHORT_NAME], const char *before, const char *name)
{
	char shown[4096];
	size_t columns = NAME_COLUMNS;

	strcpy(to, before);
	do {
		text_shorten(shown, sizeof(shown), name, columns);
	} while (!text_append(to, SHORT_NAME, "%s", shown) && --columns > 0);
}

static double rate(const struct compared_verdict *verdict, enum group group)
{
	return verdict->drawing_s[group] > 0
		       ? 1000 * verdict->lost_s[group] / verdict->drawing_s[group]
		       : 0;
}

/* False: in files of 2019, it is not known what was late. */
static bool has_lost(const struct compared_verdict *verdict)
{
	return !isnan(verdict->lost.of[BASE].value) && !isnan(verdict->lost.of[NEW].value);
}

static const struct {
	const char *why, *zh;
} reasons[] = {
	{ "not captured: needs frames.csv of all runs", "未采集：需要每次运行的 frames.csv" },
	{ "not captured, or unknown in all rows of a group", "未采集，或一组的所有行中都未知" },
	{ "not enough data: needs 20 s of drawing in each group",
	  "数据不足：每组需要 20 秒的绘制" },
	{ "not enough data: a group has too few rows to measure its noise",
	  "数据不足：一组的行数太少，无法估计噪声" },
	{ "not in BASE", "基准组中没有" },
	{ "not in NEW", "新组中没有" },
};

const char *compare_why(const char *why, enum language language)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (language == CHINESE && strcmp(reasons[i].why, why) == 0)
			return reasons[i].zh;
	return why;
}

/* "NEW has 7.5 freezes a minute, up to 1.2 s; BASE has none.": group @more has more than by chance;
 * those that are rarer than one a minute are told for 10 minutes. */
static void tell_freezes(char text[COMPARE_LINE_SIZE], const struct said *said, enum group more)
{
	const struct compared_verdict *verdict = said->verdict;
	enum group less = compare_other(more);
	char time[GRADE_TIME_SIZE], longest[NUMBER_SIZE] = "", often[2][NUMBER_SIZE];
	bool zh = said->zh;

	for (unsigned int i = BASE; i <= NEW; i++) {
		double minutes = verdict->drawing_s[i] / 60;
		double a_minute = (double)verdict->freezes[i] / minutes;

		if (i == less && verdict->freezes[i] == 0 && verdict->more[i] > 0)
			strcpy(often[i], zh ? "没有已知的卡死" : "none that is known");
		else if (i == less && verdict->freezes[i] == 0)
			strcpy(often[i], zh ? "没有卡死" : "none");
		else if (a_minute < 0.95)
			snprintf(often[i], NUMBER_SIZE,
				 zh ? "每 10 分钟卡死 %.1f 次" : "%.1f freezes in 10 minutes",
				 10 * a_minute);
		else
			snprintf(often[i], NUMBER_SIZE,
				 zh ? "每分钟卡死 %.1f 次" : "%.1f freezes a minute", a_minute);
	}
	grade_time(time, (uint64_t)(verdict->longest_freeze_s[more] * 1e9), zh ? CHINESE : ENGLISH);
	/* Rows of fps.csv alone do not have it. */
	if (verdict->longest_freeze_s[more] > 0)
		snprintf(longest, sizeof(longest), zh ? "，最长 %s" : ", up to %s", time);
	snprintf(text, COMPARE_LINE_SIZE,
		 zh ? "%s 会卡死：%s%s；%s %s。" : "%s has %s%s; %s has %s.", said->name[more],
		 often[more], longest, said->name[less], often[less]);
}

/* ", freezes 0 -> 32"; "" if there is none. */
static void tell_counts(char text[NUMBER_SIZE], const struct said *said, uint64_t base,
			uint64_t new)
{
	text[0] = '\0';
	if (base + new > 0)
		snprintf(text, NUMBER_SIZE,
			 said->zh ? "，卡死 %llu -> %llu 次" : ", freezes %llu -> %llu",
			 (unsigned long long)base, (unsigned long long)new);
}

/* Why it is not clear which group is worse. */
static void tell_doubt(char text[COMPARE_LINE_SIZE], const struct said *said)
{
	const struct compared_verdict *verdict = said->verdict;
	enum group more = verdict->doubtful, less = compare_other(more);
	const char *name = said->name[more], *other = said->name[less], *known = "";
	char times[2][GRADE_TIMES_SIZE];
	bool zh = said->zh;

	for (unsigned int i = BASE; i <= NEW; i++) {
		double part_s = verdict->missing_s[i], all_s = verdict->span_s[i];

		if (verdict->doubt == DOUBT_GAPS) {
			part_s = verdict->gap_s[i];
			all_s = part_s + verdict->drawing_s[i];
		} else if (verdict->doubt == DOUBT_FREEZES) {
			all_s = verdict->drawing_s[i];
			part_s = all_s - verdict->between_s[i];
		}
		grade_part(times[i], (uint64_t)(1e9 * part_s + 0.5), (uint64_t)(1e9 * all_s + 0.5),
			   zh ? CHINESE : ENGLISH);
	}
	if (verdict->more[less] > 0)
		known = zh ? "已知的卡死" : " that is known";
	if (verdict->doubt == DOUBT_FREEZES && zh)
		snprintf(text, COMPARE_LINE_SIZE,
			 "%s 有 %llu 次卡死（%u 次运行中的 %u 次，共 %s），%s 没有%s（%u "
			 "次运行）：次数太少，不能排除偶然；请为两者录制更多次运行。",
			 name, (unsigned long long)verdict->freezes[more], verdict->runs[more],
			 verdict->frozen[more], times[more], other, known, verdict->runs[less]);
	else if (verdict->doubt == DOUBT_FREEZES)
		snprintf(text, COMPARE_LINE_SIZE,
			 "%s has %llu freeze%s (in %u of %u run%s, %s), %s none%s in %u: too few "
			 "to rule out chance; record more runs of both.",
			 name, (unsigned long long)verdict->freezes[more],
			 verdict->freezes[more] == 1 ? "" : "s", verdict->frozen[more],
			 verdict->runs[more], verdict->runs[more] == 1 ? "" : "s", times[more],
			 other, known, verdict->runs[less]);
	else if (verdict->doubt == DOUBT_MORE)
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 可能有更多卡死：缺少事件或 events.csv。"
			    : "%s may have more freezes than are known: events, or events.csv, "
			      "are missing.",
			 name);
	else if (verdict->doubt == DOUBT_GAPS)
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 有 %s没有绘制，%s 有 %s，从记录中看不出它是否卡死。"
			    : "%s drew nothing for %s, %s for %s, and the trace does not say "
			      "whether it hung.",
			 name, times[more], other, times[less]);
	else if (verdict->doubt == DOUBT_MISSING)
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 缺少 %s，%s 缺少 %s，其间的情况未知：请用更大的缓冲区重新录制。"
			    : "%s lacks %s, %s %s, and what happened then is unknown: record "
			      "with a larger buffer.",
			 name, times[more], other, times[less]);
	else
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 每次运行损失的时间都多于 %s "
			      "的每次运行：次数太少，不能排除偶然；请对比更多次运行。"
			    : "Each run of %s loses more time than any run of %s: too few "
			      "runs to rule out chance; compare more runs.",
			 name, other);
}

/* Returns true if it told what both groups lose. */
static bool tell_numbers(char text[COMPARE_LINE_SIZE], const struct said *said)
{
	const struct compared_verdict *verdict = said->verdict;
	const char *base = said->name[BASE], *new = said->name[NEW], *why = verdict->lost.why;
	double base_fps = verdict->fps.of[BASE].value, new_fps = verdict->fps.of[NEW].value;
	double before = rate(verdict, BASE), after = rate(verdict, NEW);
	bool zh = said->zh, is_same = verdict->word == COMPARED_SAME;
	bool is_by_lost = verdict->word == COMPARED_WORSE ? verdict->lost.excess > COMPARE_BEYOND
							  : verdict->lost.excess < -COMPARE_BEYOND;
	char freezes[NUMBER_SIZE];

	tell_counts(freezes, said, verdict->freezes[BASE], verdict->freezes[NEW]);
	if (verdict->doubt != DOUBT_NONE)
		tell_doubt(text, said);
	else if (why && (why == compare_not_in[BASE] || why == compare_not_in[NEW]))
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 没有它的帧：无从对比。"
			    : "%s has no frame of it: there is nothing to compare.",
			 why == compare_not_in[BASE] ? base : new);
	else if (verdict->word == COMPARED_UNCLEAR && !verdict->fps.is_known)
		snprintf(text, COMPARE_LINE_SIZE, zh ? "%s。" : "%s.",
			 compare_why(why ? why : reasons[2].why, zh ? CHINESE : ENGLISH));
	else if (is_same && !has_lost(verdict))
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 与 %s 的差异没有超出噪声：每秒 %.1f 和 %.1f 帧%s。"
			    : "%s and %s do not differ beyond the noise: %.1f and %.1f frames per "
			      "second%s.",
			 base, new, base_fps, new_fps, freezes);
	else if (is_same)
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 与 %s 的差异没有超出噪声：每秒绘制损失 %.1f 和 %.1f 毫秒%s。"
			    : "%s and %s do not differ beyond the noise: %.1f and %.1f ms lost in "
			      "each second of drawing%s.",
			 base, new, before, after, freezes);
	else if (is_by_lost)
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 每秒绘制损失 %.1f 毫秒，%s 为 %.1f 毫秒%s。"
			    : "%s loses %.1f ms of each second of drawing, %s %.1f ms%s.",
			 new, after, base, before, freezes);
	else
		snprintf(text, COMPARE_LINE_SIZE,
			 zh ? "%s 每秒绘制 %.1f 帧，%s 为 %.1f 帧%s。"
			    : "%s draws %.1f frames per second, %s %.1f%s.",
			 new, new_fps, base, base_fps, freezes);
	return verdict->word != COMPARED_UNCLEAR && (is_same || is_by_lost);
}

unsigned int compare_lines(char lines[COMPARE_LINES][COMPARE_LINE_SIZE],
			   const struct comparison *comparison,
			   const struct compared_verdict *verdict, enum language language)
{
	struct said said = { .verdict = verdict, .zh = language == CHINESE };
	bool zh = said.zh, has_builds = has_own_build(comparison);
	double before = rate(verdict, BASE), after = rate(verdict, NEW);
	bool is_more = before >= 0.05 && after / before >= 1.05;
	char lost[NUMBER_SIZE] = "", times[NUMBER_SIZE] = "";
	char above[SHORT_NAME + NUMBER_SIZE] = "";
	unsigned int n = 0;
	bool is_told = false;

	for (unsigned int group = BASE; group <= NEW; group++)
		short_name(said.name[group],
			   !has_builds ? ""
			   : zh	       ? "版本 "
				       : "build ",
			   zh && !has_builds && !comparison->groups[group].name
				   ? groups_in_chinese[group]
				   : compare_group_name(comparison, (enum group)group));
	if (verdict->freezes_more)
		tell_freezes(lines[n++], &said, NEW);
	else if (verdict->word == COMPARED_BETTER && verdict->freezes_less)
		tell_freezes(lines[n++], &said, BASE);
	else
		is_told = tell_numbers(lines[n++], &said);
	if (strncmp(lines[0], "build ", 6) == 0)
		lines[0][0] = 'B';

	/* The lost time, as far as the sentence before has not told it. */
	if (!(verdict->drawing_s[BASE] > 0 && verdict->drawing_s[NEW] > 0 && has_lost(verdict))) {
		if (verdict->fps.is_known)
			snprintf(lines[n++], COMPARE_LINE_SIZE,
				 zh ? "只按 FPS 对比：文件没有记录迟到的帧和卡死，因为来自 "
				      "2019 年的程序或其规则。"
				    : "Compared by FPS alone: files of the 2019 program, or of "
				      "--rules gfx2019, do not record late frames and freezes.");
	} else if (!is_told || is_more) {
		if (!is_told)
			snprintf(lost, sizeof(lost),
				 zh ? "损失的时间：%.1f -> %.1f ms/s"
				    : "Lost time: %.1f -> %.1f ms/s",
				 before, after);
		if (is_told)
			snprintf(times, sizeof(times),
				 zh ? "损失的时间是 %.1f 倍" : "That is %.1f times as much",
				 after / before);
		else if (is_more)
			snprintf(times, sizeof(times), zh ? "（%.1f 倍）" : " (%.1fx)",
				 after / before);
		if (verdict->runs[NEW] > 1 && verdict->runs_above[NEW] > 0)
			snprintf(above, sizeof(above),
				 zh ? "，有 %u / %u 次运行高于 %s 的每次运行"
				    : "; %u of %u runs lost more than any run of %s",
				 verdict->runs_above[NEW], verdict->runs[NEW], said.name[BASE]);
		snprintf(lines[n++], COMPARE_LINE_SIZE, zh ? "%s%s%s。" : "%s%s%s.", lost, times,
			 above);
	}
	if (verdict->word == COMPARED_WORSE && verdict->worst) {
		const struct compared_section *worst = verdict->worst;
		const struct grade_facts *base = &worst->facts[BASE].sum;
		const struct grade_facts *new = &worst->facts[NEW].sum;
		bool is_first = strcmp(worst->name, SECTION_FIRST) == 0;
		char name[SHORT_NAME], freezes[NUMBER_SIZE];

		short_name(name, "", zh && is_first ? SECTION_FIRST_ZH : worst->name);
		tell_counts(freezes, &said, base->freezes, new->freezes);
		snprintf(lines[n++], COMPARE_LINE_SIZE,
			 zh ? "主要在 %s：%.1f -> %.1f ms/s%s。"
			    : "Most in %s: %.1f -> %.1f ms/s%s.",
			 name, grade_lost_rate(base), grade_lost_rate(new), freezes);
	}
	if (verdict->freezes_more &&
	    (verdict->fps.excess > 1 || verdict->late_s[NEW] / verdict->drawing_s[NEW] + LESS_LATE <
						verdict->late_s[BASE] / verdict->drawing_s[BASE]))
		snprintf(lines[n++], COMPARE_LINE_SIZE,
			 zh ? "在卡死之间 %s 看起来更好：FPS 和百分位数不含卡死。"
			    : "Between its freezes %s looks better: FPS and percentiles are "
			      "measured without the freezes.",
			 said.name[NEW]);
	return n;
}

unsigned int compare_causes(enum cause causes[CAUSES], const struct grade_facts facts[2])
{
	struct grade_facts both = facts[BASE];

	grade_add(&both, &facts[NEW]);
	return grade_causes_by_time(causes, &both);
}
