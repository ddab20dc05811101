/* SPDX-License-Identifier: Apache-2.0 */
/* The one model of a session, from the files in its folder: what every output prints.
 *
 *     files --> session -- surfaces, by app, with the numbers of the whole session
 *                       -- windows: the rows of fps.csv
 *                       -- frames: the rows of frames.csv
 *                       -- sections: from each mark to the next, with numbers of each Surface
 *                       -- events, notices
 *
 * Numbers of the whole session are those of summary.csv. Where it is missing they are computed from
 * frames.csv, else added up from fps.csv, as far as rows can be added. Numbers of a section come
 * from frames.csv (an interval belongs to the section of its end), else from whole rows of fps.csv.
 * Harm is computed from frames.csv with the functions of rules/ that jankd itself calls; without it
 * from dropFrames.csv. What the files do not have is unknown, with a notice that says why.
 *
 * Times are microseconds of the trace clock, as in the files. Memory is bounded: rows and frames
 * beyond WINDOWS_MAX and FRAMES_MAX are left out, and a notice says so.
 */
#ifndef JANKD_TOOLS_REPORT_SESSION_H
#define JANKD_TOOLS_REPORT_SESSION_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "rules/count/grade.h"
#include "rules/count/harm.h"
#include "rules/count/stats.h"
#include "rules/count/verdict.h"
#include "tools/report/folder_files.h"
#include "tools/report/metrics.h"
#include "tools/report/names.h"
#include "tools/report/pool.h"

#define WINDOWS_MAX 1000000
#define FRAMES_MAX 3000000
#define RANGE_FRAMES_MAX 3000000 /* more, of the range that --from and --to name */
#define SURFACES_MAX 4096
#define SECTIONS_MAX 1000
#define EVENTS_MAX 20000
#define NOTICES_MAX 200
#define SECTION_SUMS_MAX 20000 /* Surfaces in sections */

/* Vsyncs of a frame time: 500 ms have 120 at 240 Hz. More count as the last. */
#define CADENCES_MAX 128

/* An unknown count of a window. */
#define WINDOW_UNKNOWN UINT32_MAX

/* A row of fps.csv. */
struct window {
	int64_t start_us, end_us;
	uint64_t time_us, waiting_us, stall_us;
	uint32_t frames, waits, a, b, c, jank, big_jank;
	uint32_t unknown;
	uint32_t d, missed, late, stalls; /* or WINDOW_UNKNOWN */
	uint64_t late_us;
	uint32_t max_us;
	uint32_t jank_us;				/* time in janks, from stutter(%) */
	uint32_t p99_us, gpu_mean_us, gpu_max_us, lost; /* or WINDOW_UNKNOWN */
	uint32_t refresh_hundredths;			/* of Hz; or WINDOW_UNKNOWN */
	uint16_t surface;
};

enum frame_flags {
	FRAME_SMALL_JANK = 1,
	FRAME_JANK = 2,
	FRAME_BIG_JANK = 4,
	FRAME_STALL = 8,
	FRAME_WAIT = 16,    /* also of a stall */
	FRAME_FIRST = 32,   /* its interval is not known */
	FRAME_UNKNOWN = 64, /* a wait that may have been a stall */
	FRAME_LATE = 128,
};

#define FRAME_VSYNCS_UNKNOWN UINT16_MAX

#define FRAME_STEP_MAX 15

/* A row of frames.csv. */
struct kept_frame {
	int64_t present_us;
	uint64_t packed_ns; /* the interval; of a late frame also the time that it lost, times 2^32
			     */
	uint16_t vsyncs;    /* or FRAME_VSYNCS_UNKNOWN */
	uint16_t surface, section;
	uint8_t cause : 4; /* enum cause */
	uint8_t step : 4;  /* vsyncs in a render period, FRAME_STEP_MAX at most */
	uint8_t flags;	   /* of enum frame_flags */
};

static inline uint64_t kept_interval_ns(const struct kept_frame *frame)
{
	return frame->flags & FRAME_LATE ? frame->packed_ns % (UINT64_C(1) << 32)
					 : frame->packed_ns;
}

static inline uint64_t kept_late_ns(const struct kept_frame *frame)
{
	return frame->flags & FRAME_LATE ? frame->packed_ns >> 32 : 0;
}

struct section {
	uint32_t name;
	int64_t from_us, to_us; /* to_us is in the next one */
	bool has_loss;		/* of events */
};

/* Where numbers of a Surface come from. */
enum numbers_source {
	FROM_NOTHING,
	FROM_SUMMARY,
	FROM_FRAMES,
	FROM_WINDOWS,
};

extern const char *const numbers_source_names[];

/* What a file says of the stalls that a frame ended. */
struct ended_stalls {
	uint64_t n, ns, longest_ns; /* at least: events.csv may not have all */
	uint64_t unclear_ns;	    /* waits in rows that do not say how many of them are stalls */
	uint64_t between_ns;	    /* between frames of rows that lost events, in no number */
	uint64_t uncounted_ns;	    /* all of that, also of what counts in the holes */
};

/* What rows of a Surface add up to, in the session or in a section of it. */
struct sums {
	struct frame_stats frames, windows;	/* of frames.csv and of fps.csv */
	uint32_t cadences[CADENCES_MAX];	/* frame times in frames.csv by vsyncs */
	struct grade_facts facts;		/* of late frames, stalls and gaps alone */
	struct ended_stalls in_rows, in_events; /* of fps.csv and of events.csv */
	bool without_janks, without_late;	/* rows of fps.csv have no such column: of 2019 */
};

struct surface {
	uint32_t name, app;  /* app: of its last row */
	uint32_t order;	     /* of first rows in the files, from 1 */
	uint32_t app_number; /* of the apps; UINT32_MAX: it is a part of none */
	enum numbers_source source;
	struct numbers numbers;	    /* of the whole session */
	int64_t first_us, last_us;  /* or -1 */
	char verdict[VERDICT_SIZE]; /* "": unknown */
	uint32_t jank_types;
	bool is_shown;	/* it has numbers, and --surface and --app select it */
	bool is_judged; /* it draws longest of its app, whose frame rate and verdict it has */
	bool has_view_marks;
	bool has_all_harm; /* harm is that of the whole session, not of a part with frames.csv */
	struct drawing drawing;	     /* from frames.csv */
	struct drawing rows_drawing; /* the same from rows of fps.csv, as far as these tell */
	struct harm harm;
	struct grade_facts facts;
	int64_t gap_us, first_gap_us; /* when the longest unexplained gap and the first began */
	enum grade grade;
	enum grade said;  /* its grade in summary.csv */
	bool has_package; /* of its app, in its name: it is a part of that app */
	struct sums sums;
	int64_t uncounted_from_us,
		uncounted_to_us;	     /* the last row that is in sums.in_rows.uncounted_ns */
	uint64_t frame_rows;		     /* of frames.csv */
	uint64_t between_frames_ns;	     /* of them, without an interval, as events were lost */
	uint64_t row_cadences[CADENCES_MAX]; /* frames in rows of fps.csv by their cadence */
};

/* The numbers of a Surface in a section. */
struct section_numbers {
	uint16_t section, surface;
	enum numbers_source source;
	struct numbers numbers;
	struct grade_facts facts;
	enum grade grade;
};

/* An app, in the whole session or in a section: its Surfaces that are shown, added up. */
struct graded_app {
	uint32_t app;
	uint32_t name;	   /* the app's, or of the one Surface that --surface selects */
	uint16_t section;  /* 0 of the whole session */
	uint16_t surface;  /* the judged one */
	bool has_activity; /* see app_has_activity() */
	struct grade_facts facts;
	enum grade grade;
};

/* What is before the first mark; in a Chinese text it has another name. */
#define SECTION_FIRST "(before the first mark)"
#define SECTION_FIRST_ZH "（第一个标记之前）"

/* Time in which events were lost, and nothing was recorded. */
struct missing {
	int64_t from_us, to_us;
};

/* A late frame or a stall, with its evidence. Times, numbers: -1 if they are not captured; names:
 * NAME_NONE. */
struct late_row {
	int64_t time_us;
	uint64_t harm_us, interval_us; /* harm_us: 0 is unknown, of a drop of 2019 */
	int64_t vsync_us, queued_us, latched_us, gpu_done_us;
	int64_t frame_number, vsync_id;
	int64_t expected_us, finished_us; /* the end that FrameTimeline expected, and the end */
	uint32_t layer, info, jank_type, present_type;
	uint16_t surface;
	uint8_t cause; /* enum cause */
	bool is_stall;
	bool is_endless; /* no frame ended it: events.csv alone has it */
};

enum captured_kind { CAPTURED_GPU, CAPTURED_DOFRAME, CAPTURED_TIMELINE, CAPTURED_LATENCY };

extern const char *const captured_kind_names[];

/* What other files have of a section: of a Surface, or of a thread.
 *
 *     GPU            frames with a GPU time, of fps.csv
 *     doFrame        of a thread; bad: frames that it skipped
 *     FrameTimeline  frames of a jank type, by length; bad: those that were not finished in time
 *     latency        from ready to presented, of latency.csv
 */
struct captured {
	uint16_t section; /* 0 without sections */
	uint8_t kind;	  /* enum captured_kind */
	uint32_t name, detail;
	uint32_t app; /* of FrameTimeline; else NAME_NONE */
	uint64_t frames, bad;
	double sum_us; /* of all frames */
	uint64_t max_us;
};

#define CAPTURED_MAX 20000

/* Those with most harm are kept. */
#define LATE_MAX 1000

/* Nothing is captured of it. */
#define LATE_ROW_UNKNOWN                                                                           \
	.vsync_us = -1, .queued_us = -1, .latched_us = -1, .gpu_done_us = -1, .frame_number = -1,  \
	.vsync_id = -1, .expected_us = -1, .finished_us = -1

struct event {
	int64_t time_us; /* or -1 */
	uint32_t wall, kind, text;
};

/* How much of a file was read. */
struct file_count {
	uint32_t segments, left_out; /* left out: doubled, or not readable */
	uint64_t rows, malformed;
	bool torn;
};

struct session {
	char *folder;	     /* path */
	uint32_t number, of; /* which of the sessions in the folder, and how many there are */
	struct names names;
	struct json_object *json; /* session.json, or NULL */
	struct file_count files[CSV_FILES];
	bool lacks_events; /* all of events.csv, or segments of it */
	bool is_2019;	   /* fps.csv has the numbers of the 2019 program only */
	/* Of all rows, and with rows to the end of the capture, as a freeze that no frame ended has
	 * none; -1: none. */
	int64_t first_us, last_us;
	int64_t start_us, stop_us; /* of the capture, as events.csv has it; or -1 */
	/* The trace's clock stepped back: then times do not show what was earlier. When the last
	 * clock began, the last time that is known to be of it, the times of the ones before, and
	 * how long these ran. */
	bool has_clocks;
	int64_t clock_us, clock_to_us, earlier_from_us, earlier_to_us;
	uint64_t before_clock_us;

	struct surface *surfaces; /* sorted: in the order of apps, the judged one first */
	uint32_t n_surfaces;
	uint64_t surfaces_refused;

	struct pool windows, frames, events;
	struct section *sections; /* none without marks */
	uint32_t n_sections;
	struct section_numbers *in_sections; /* sorted by section */
	uint32_t n_in_sections;

	/* Those of the whole session, and those of all sections. The one that draws longest first,
	 * the system's own last. */
	struct graded_app *apps, *in_section_apps;
	uint32_t n_apps, n_in_section_apps;
	/* Where no file says how long apps drew, there are none: but of those late frames and
	 * freezes may be known. The one that lost most is the first; always allocated. */
	struct graded_app *ungraded;
	uint32_t n_ungraded;
	struct pool missing;  /* struct missing, in the order of events.csv */
	uint64_t missing_ns;  /* all of it, as the capture counted it */
	uint64_t unplaced_ns; /* a part of it, which is around some of the losses */

	struct late_row *late; /* the one with most harm first, after model_read() */
	uint32_t n_late;
	enum numbers_source harm_source; /* FROM_WINDOWS: from dropFrames.csv */
	uint64_t doframes;
	struct captured *captured;
	uint32_t n_captured;
	uint64_t captured_refused;
	char *notices[NOTICES_MAX];
	uint32_t n_notices;
};

/* Sets up an empty session. Returns 0 or -ENOMEM; session_free() must be called in any case. */
int session_init(struct session *session);
void session_free(struct session *session);

/* Adds a notice: one line, without its end. */
void session_notice(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline const char *name_of(const struct session *session, uint32_t name)
{
	return names_text(&session->names, name);
}

/* A text of session.json: "device", "model". NULL if it has none. @outer may be NULL. */
const char *session_json_text(const struct session *session, const char *outer, const char *key);

/* The same for a number; -1 if there is none. */
int64_t session_json_number(const struct session *session, const char *outer, const char *key);

/* The device's model, or that it is not known, and why. */
const char *session_device(const struct session *session);

struct app_place; /* daemon/show/apps.h */

/* What decides which app comes first, and whether it is judged. */
struct app_place session_app_place(const struct session *session, const struct graded_app *app);

/* How long the capture was, also before the first frame and after the last one. */
uint64_t session_span_ns(const struct session *session);

/* Time without events, of session.json; -1 if it does not say it. */
int64_t session_missing_ms(const struct session *session);

/* The section in which @time_us is; 0 without sections. */
uint32_t session_section(const struct session *session, int64_t time_us);

/* When an interval began, but not before what is recorded: its first segments may be gone. */
int64_t session_begin_of(const struct session *session, int64_t end_us, uint64_t interval_us);

/* Which Surfaces and sections --surface, --app and --section select. All may be NULL: everything.
 * Globs match whole names: '*' is any text, '?' one character. */
struct selection {
	const char *surface, *app; /* globs */
	const char *section;	   /* the text of a mark, as a glob */
	bool with_info;		   /* --info: all of the info of late frames */
	bool has_range;		   /* --from or --to */
	int64_t from_us, to_us;	   /* of the frames on the page: from_us <= time < to_us */
};

bool select_surface(const struct selection *selection, const char *surface, const char *app);
bool select_section(const struct selection *selection, const struct session *session,
		    uint32_t section);

#endif
