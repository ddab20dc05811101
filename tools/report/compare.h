/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two groups of runs: what changed from BASE to NEW, and is it more than noise?
 *
 * A run is a session. Its frame times of one Surface become blocks of some seconds of drawing (see
 * noise.h); without frames.csv whole rows of fps.csv do. Each compared number is a ratio of sums
 * over blocks:
 *
 *     lost(ms/s)                time lost by late frames and stalls / (time + stall time)
 *     FPS                       frames / time
 *     jank(/10min)              janks / (time + stall time), as big jank, stalls, stutter(%)
 *     missed vsyncs(/1000 frames)
 *     low 1% mean(fps)          1 / the mean of the frames beyond a quantile of the group
 *     p90(ms), p99(ms) ...      the share of frames beyond the base's percentile, as below
 *
 * The mean of the slowest frames does not change, to first order, if their quantile does.
 *
 * An interval is a whole number of vsyncs, so a percentile does not change until it jumps by a
 * vsync. So for percentiles the share of frames that are longer than the base's is compared: 1 %
 * for p99. Where so many frames are exactly as long as the percentile that the share of those at
 * least as long is nearer to 1 %, it is that share.
 *
 * A condition holds only beyond the noise: it must hold for all values that the noise of both
 * groups allows. Equal groups fulfil one with a probability of NOISE_LEVEL at most.
 */
#ifndef JANKD_TOOLS_REPORT_COMPARE_H
#define JANKD_TOOLS_REPORT_COMPARE_H

#include "daemon/show/grade_text.h"
#include "tools/report/condition.h"
#include "tools/report/noise.h"
#include "tools/report/session.h"

/* Frame times of all runs that are kept, of 12 bytes. */
#define COMPARE_FRAMES_MAX UINT64_C(16000000)

/* Less drawing than this in a group, or fewer blocks, is not enough data. */
#define COMPARE_SECONDS_LEAST 20
#define COMPARE_BLOCKS_LEAST 20

/* A rise from fewer events in both groups together than this may be chance. */
#define COMPARE_EVENTS_LEAST 10

enum group { BASE, NEW };

static inline enum group compare_other(enum group group)
{
	return group == BASE ? NEW : BASE;
}

struct compared_frame {
	uint32_t interval_us; /* of a stall its length, cut at an hour */
	uint32_t late_us;     /* the time that a late frame lost, without stalls */
	uint16_t vsyncs;      /* or FRAME_VSYNCS_UNKNOWN */
	uint8_t flags;	      /* of enum frame_flags */
	uint8_t step;	      /* vsyncs in a render period */
};

/* Facts of Surfaces and runs, added up. */
struct compared_facts {
	struct grade_facts sum;
	uint64_t part; /* the section of a run that was added last: its Surfaces share its time */
};

/* Of one app, or of a Surface that is selected, in one run: frames, or else rows. */
struct compared_run {
	enum group group;
	uint32_t run; /* number in its group */
	char *folder;
	struct compared_facts facts; /* what it lost, also in freezes that no frame ended */
	struct compared_frame *frames;
	uint32_t n_frames;
	struct window *windows;
	uint32_t n_windows;
	bool without_janks; /* rows of 2019 */
};

/* The sections of one name, by group. */
struct compared_section {
	char *name;
	struct compared_facts facts[2];
	uint32_t frozen[2];	 /* runs with a freeze in it */
	uint32_t last_frozen[2]; /* of these the last one, counted from 1 */
};

/* An app: its Surfaces together. Or a Surface that the selection names. */
struct compared_surface {
	char *app, *name;
	struct compared_section *sections;
	uint32_t n_sections;
	double time_s[2]; /* of drawing, by group: frame times and freezes */
	struct compared_run *runs;
	uint32_t n_runs;
};

/* The first run of a group. Texts may be NULL. */
struct compared_group {
	char *folder, *model, *build;
	char *name; /* what its path has and that of the other group has not */
};

/* More different notices than this are counted only. */
#define COMPARE_NOTICES_MAX 100

/* A notice of one or more runs. */
struct compared_notice {
	char *text, *folder; /* of the first run that has it */
	uint32_t runs;
};

struct comparison {
	struct compared_group groups[2];
	struct compared_notice notices[COMPARE_NOTICES_MAX];
	uint32_t n_notices, notices_refused;
	struct compared_surface *surfaces;
	uint32_t n_surfaces;
	struct compared_verdict *verdicts; /* of each of @surfaces, after compare_end() */
	uint32_t runs[2];
	uint64_t frames;  /* kept */
	uint64_t refused; /* frames beyond COMPARE_FRAMES_MAX */
	bool out_of_memory;
};

/* One number in both groups. */
struct change {
	enum metric metric;
	bool is_known; /* else why says why not */
	const char *why;
	struct estimate of[2];
	double scale;	     /* of the values of @of in the metric's unit */
	double threshold_us; /* of a percentile */
	bool or_equal;	     /* frames as long as the threshold are beyond it */
	double excess;	     /* of no change: above 1 more, below -1 less, beyond the noise */
	double low, high;    /* of the change, as noise_interval() */
};

/* What becomes of an app, or of all of them, in a word. */
enum compared_word { COMPARED_UNCLEAR, COMPARED_SAME, COMPARED_BETTER, COMPARED_WORSE };

/* "UNCLEAR", "NO DIFFERENCE", "BETTER", "WORSE". */
extern const char *const compared_words[];

/* One of several numbers makes a verdict, so each must be beyond the noise by more than alone. */
#define COMPARE_BEYOND 1.15

enum compared_doubt {
	DOUBT_NONE,
	DOUBT_FREEZES, /* it alone freezes, but chance can do that */
	DOUBT_MORE,    /* it may have more freezes than are known */
	DOUBT_GAPS,    /* it has far more gaps that nothing explains */
	DOUBT_MISSING, /* far more of its time is missing */
	DOUBT_RUNS,    /* each of its runs loses far more, but runs are few */
};

/* Freezes, lost time and FPS, which leaves freezes out: one that is worse is not outvoted by others
 * that are better. */
struct compared_verdict {
	enum compared_word word;
	bool freezes_more, freezes_less; /* more than by chance: NEW, BASE */
	/* UNCLEAR, where data is enough: why, and of which group. DOUBT_NONE: NEW is better in one
	 * number, but freezes or lost time point the other way. */
	enum compared_doubt doubt;
	enum group doubtful;
	struct change lost, fps;
	uint64_t freezes[2];
	uint64_t more[2]; /* freezes that there may be beside these, at most; 0: all are known */
	double more_s[2]; /* their time */
	double drawing_s[2], lost_s[2], late_s[2], longest_freeze_s[2];
	double between_s[2];		      /* of drawing, freezes: one may begin in this time */
	double gap_s[2];		      /* gaps that nothing explains */
	double span_s[2], missing_s[2];	      /* of the captures */
	uint32_t runs[2], frozen[2];	      /* frozen: runs with freezes */
	uint32_t runs_above[2];		      /* runs that lost more than each of the other group */
	const struct compared_section *worst; /* the one that lost most more; or NULL */
};

/* The facts of all runs of a group. */
struct grade_facts compare_facts(const struct compared_surface *surface, enum group group);

/* Adds a session to a group. Its rows are copied. */
void compare_add(struct comparison *comparison, enum group group, const struct session *session,
		 const struct selection *selection);
void compare_free(struct comparison *comparison);

/* After all sessions: sorts the apps, or Surfaces, those that draw longest first, and sets the
 * verdicts. Returns 0 or -ENOMEM. */
int compare_end(struct comparison *comparison);

/* True: the metric, or its rate, can be compared. */
bool compare_can(enum metric metric);

/* Computes the change of a metric of one Surface. Returns 0 or -ENOMEM. */
int compare_metric(const struct compared_surface *surface, enum metric metric,
		   struct change *change);

/* By how much a change that is known fulfils a condition: above 0 it does, above 1 beyond the
 * noise.
 */
double compare_excess(const struct condition *condition, const struct change *change);

/* Judges a condition on a change that compare_metric() made. */
enum outcome compare_judge(const struct condition *condition, const struct change *change);

/* The probability that a frame of NEW is longer than one of BASE, less that of the opposite. NAN
 * without frames.csv. */
double compare_effect(const struct compared_surface *surface);

/* Frames by vsyncs: the shares of each group with 1, 2, 3, 4 to 6, 7 to 12 and more. Returns false
 * without frames.csv. */
#define COMPARE_BINS 6
extern const char *const compare_bins[COMPARE_BINS];
bool compare_distribution(const struct compared_surface *surface, double shares[2][COMPARE_BINS]);

/* Shares of the time of a group, from all of it to a ten-thousandth of it, and the length in ms
 * that frames and freezes which last so long have at least. Returns false without frames.csv. */
#define COMPARE_SHARES 41
bool compare_curve(const struct compared_surface *surface, enum group group,
		   double shares[COMPARE_SHARES], double ms[COMPARE_SHARES]);

/* Why a change is not known: the app, or Surface, is not in that group. */
extern const char *const compare_not_in[2];

/* The change in words: "better", "worse", "no difference beyond the noise", "too few to rule out
 * chance". Of lost time and freezes they are those of the verdict. */
const char *compare_words(const struct change *change, const struct compared_verdict *verdict);

/* True: it is better or worse by the number of freezes, which is beyond chance. What the noise
 * allows for the rate is another question then, and has another answer. */
bool compare_by_freezes(const struct change *change, const struct compared_verdict *verdict);

/* What the noise allows: "+3.1 % to +9.0 %", "at least +3.1 %", "any change". */
#define COMPARE_RANGE_SIZE 64
void compare_range(char text[COMPARE_RANGE_SIZE], const struct change *change);

/* The metrics that are compared without a condition; ends with METRICS. */
extern const enum metric compare_metrics[];

/* --- in sentences (compare_text.c): of text, JSON and page --- */

#define COMPARE_LINES 4
#define COMPARE_LINE_SIZE 640

/* Names the groups by the last folders of their @n paths that differ: "1.8.0" and "2.0"; those that
 * no folder has together by their first runs: "a (+1)" of a and b. Returns 0 or -ENOMEM. */
int compare_name_groups(struct comparison *comparison, const char *const *const paths[2],
			const unsigned int n[2]);

/* The build of a group, if the other one has another build; else its name; else "BASE", "NEW". */
const char *compare_group_name(const struct comparison *comparison, enum group group);

/* "BASE: builds/1.8.0/1 and 3 more" */
void compare_tell_folder(char text[COMPARE_LINE_SIZE], const struct comparison *comparison,
			 enum group group);

/* Why a change is not known, in that language. */
const char *compare_why(const char *why, enum language language);

/* What the verdict of an app says, the most important line first. Returns their number. */
unsigned int compare_lines(char lines[COMPARE_LINES][COMPARE_LINE_SIZE],
			   const struct comparison *comparison,
			   const struct compared_verdict *verdict, enum language language);

/* The causes that lost time in a group, most of both first. Returns their number. */
unsigned int compare_causes(enum cause causes[CAUSES], const struct grade_facts facts[2]);

#endif
