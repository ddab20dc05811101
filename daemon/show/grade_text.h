/* SPDX-License-Identifier: Apache-2.0 */
/* A grade as sentences. The text at the end of a session, 'jankd analyze --json', and jank-report's
 * text, page and Markdown have them from here, so they are the same. */
#ifndef JANKD_DAEMON_SHOW_GRADE_TEXT_H
#define JANKD_DAEMON_SHOW_GRADE_TEXT_H

#include <stddef.h>

#include "rules/beside/frame_timeline.h"
#include "rules/count/grade.h"

/* The longest sentence with its NUL; a longer name is cut. */
#define GRADE_TEXT_SIZE 1024

enum language { ENGLISH, CHINESE };

struct graded {
	const char *name; /* of an app, a Surface or a section */
	const struct grade_facts *facts;
	double fps;	/* of its frame times; negative: unknown */
	double rate_hz; /* the display's, or the render rate; negative: unknown */
	/* Where the rate changed, rate_hz is the mean of these; 0: not known that it did. */
	double slowest_hz, fastest_hz;
	bool is_even; /* see grade_is_even() */
	/* Of a sum of several sessions: their number, and those that are slow, of which fps and
	 * the rates are the slowest's. */
	unsigned int sessions, slow_sessions;
	const char *missing_at; /* "0:18 to 0:26"; "": at several times, or unknown */
	bool is_no_app;		/* the system's, or a service's: conditions do not judge it */
	bool without_events;	/* events.csv is missing or empty */
};

/* True: nearly all of @frames have the same number of vsyncs, as all but @off_cadence have; or it
 * is a film of 24 or 25 fps, whose frames have two numbers in turn. @longest_ns: a frame time. */
bool grade_is_even(uint64_t frames, uint64_t off_cadence, double fps, double rate_hz,
		   uint64_t longest_ns);

/* "com.example.mail was frozen or late for 29 % of the 30 minutes it drew: 450 freezes (longest
 * 0.92 s) and 1,575 late frames." */
void grade_sentence(char text[GRADE_TEXT_SIZE], const struct graded *graded,
		    enum language language);

/* Appends "450 freezes (longest 0.92 s)"; nothing without any. */
void grade_add_freezes(char text[GRADE_TEXT_SIZE], const struct grade_facts *facts,
		       enum language language);

/* The same with " and 1,575 late frames". */
void grade_add_losses(char text[GRADE_TEXT_SIZE], const struct grade_facts *facts,
		      enum language language);

/* "43 % of the lost time is the system's (34 % its compositor, 9 % late wake-ups), 32 % the app's
 * own, 25 % of unknown cause."; "" if none is lost. */
void grade_causes(char text[GRADE_TEXT_SIZE], const struct grade_facts *facts,
		  enum language language);

/* What the numbers do not say: whose fault, gaps, vsyncs. Returns the number of lines. */
#define GRADE_UNKNOWNS 3
#define GRADE_UNKNOWN_SIZE 128
unsigned int grade_unknowns(char lines[GRADE_UNKNOWNS][GRADE_UNKNOWN_SIZE],
			    const struct grade_facts *facts);

/* What people read instead of the name in the files: "App too slow"; "TOO SHORT". */
const char *grade_cause_name(enum cause cause, enum language language);
const char *grade_name(enum grade grade, enum language language);

/* The causes with time: those of the culprit that lost most first, of these the one that lost most.
 * Returns their number. */
unsigned int grade_causes_by_time(enum cause causes[CAUSES], const struct grade_facts *facts);

/* Of the lost time, in whole percent that add up: the largest rests are rounded up. */
void grade_cause_shares(unsigned int percent[CAUSES], const struct grade_facts *facts);

/* "0.92 s", "52 s", "30 minutes", "3.5 hours". */
#define GRADE_TIME_SIZE 32
void grade_time(char text[GRADE_TIME_SIZE], uint64_t ns, enum language language);

/* "29 %", "0.5 %". A share that is not 0 is never told as 0. */
#define GRADE_COUNT_SIZE 32
void grade_share(char text[GRADE_COUNT_SIZE], uint64_t part, uint64_t all);

/* "8.0 of 60 s", "108 s of 30 minutes". */
#define GRADE_TIMES_SIZE (2 * GRADE_TIME_SIZE + 8)
void grade_part(char text[GRADE_TIMES_SIZE], uint64_t part_ns, uint64_t all_ns,
		enum language language);

/* The second of the session in which a time is: "18:00", "1:02:03". It is not rounded up: there the
 * moment would be over. But what is 0.1 s before a second or less, as the first frame after a mark,
 * is told as that second. */
void grade_clock(char text[GRADE_TIME_SIZE], int64_t since_begin_ns);

/* When all of @missing_ns is, but for a tenth: "0:18 to 0:26"; "" if no hole is so long.
 * @from_ns, @to_ns: the longest hole, from the begin of the session. */
#define GRADE_MISSING_AT_SIZE GRADE_TIMES_SIZE
void grade_missing_at(char text[GRADE_MISSING_AT_SIZE], int64_t from_ns, int64_t to_ns,
		      uint64_t missing_ns, enum language language);

/* Sorts them, the one with most frames first. Returns their number. */
unsigned int timeline_sort(struct timeline_app apps[TIMELINE_APPS_MAX]);

/* "no grade: ... Android itself says: 17 of 821 frames missed the app's deadline" */
#define TIMELINE_SAID_SIZE 256
void timeline_tell(char text[TIMELINE_SAID_SIZE], const struct timeline_app *app);

/* "≥ " before a number of which more may be lost, else "". */
const char *grade_sign(const struct grade_facts *facts, enum lost_number number);

/* "1,575". */
void grade_count(char text[GRADE_COUNT_SIZE], uint64_t n);

#endif
