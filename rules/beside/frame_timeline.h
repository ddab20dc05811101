/* SPDX-License-Identifier: Apache-2.0 */
/* SurfaceFlinger's FrameTimeline: its events to frames, one row for each finished frame.
 *
 *     start of an expected frame ─┐ by token,
 *     its end                    ─┤ process, layer
 *     start of an actual frame   ─┼──────────────► frame ─► row, in the order of ends
 *     its end                    ─┘ by cookie        └─► jank types of its Surface
 *
 * All tables are of fixed size; what does not fit is counted.
 */
#ifndef JANKD_RULES_BESIDE_FRAME_TIMELINE_H
#define JANKD_RULES_BESIDE_FRAME_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/record.h"
#include "rules/base/row.h"
#include "rules/language/ruleset_match.h"
#include "rules/language/surface.h"

/* Words are those of perfetto's frame_timeline_event.proto without their prefix. Each bit of a jank
 * type is a type; no bit is UNSPECIFIED. */
#define TIMELINE_JANK_BITS 32
#define TIMELINE_UNSPECIFIED TIMELINE_JANK_BITS
#define TIMELINE_JANK_NAME_SIZE 48 /* of one bit's name, with the NUL */
#define TIMELINE_JANK_SIZE (TIMELINE_JANK_BITS * TIMELINE_JANK_NAME_SIZE)

enum timeline_names { TIMELINE_PRESENT, TIMELINE_PREDICTION, TIMELINE_SEVERITY };

/* NULL: a number without a name. */
const char *timeline_name(enum timeline_names kind, int32_t type);

/* The names of all bits, joined by '+'. Negative: "". */
void timeline_jank_name(int64_t type, char name[static TIMELINE_JANK_SIZE]);

/* --- frames --- */

/* SurfaceFlinger keeps 500 tokens. */
#define TIMELINE_FRAMES 1024

/* Surfaces whose jank types are counted. */
#define TIMELINE_SURFACES 256

/* A live capture uses only this many frames, so that the tables take less than 600 KB: memory that
 * is not used is not allocated. Its frames end within a second. */
#define TIMELINE_LIVE_FRAMES 192

/* The jank types of a Surface as text, "NONE:50 APP_DEADLINE_MISSED:12". */
#define TIMELINE_TEXT_SIZE 1024

struct timeline_counts {
	uint64_t rows;	     /* finished frames */
	uint64_t unfinished; /* actual frames without an end */
	uint64_t unmatched;  /* ends without a start */
	uint64_t malformed;  /* events that cannot be parsed */
	uint64_t refused;    /* Surfaces without space: their jank types are not counted */
};

/* A frame that is not written yet. Unknown numbers are -1. */
struct timeline_frame {
	struct timeline_row row; /* its names are set when it is written */
	uint64_t sequence;
	int64_t expected_cookie, actual_cookie; /* -1 after the end, too */
	bool is_started;			/* the actual frame */
	uint64_t touched_ns;			/* time of its last event */
	uint64_t layer_hash;
	char layer[NAME_SIZE];
};

struct timeline_surface {
	uint64_t hash;
	size_t length; /* 0: unused */
	char name[NAME_SIZE];
	uint32_t counts[TIMELINE_UNSPECIFIED + 1];
};

/* What Android itself says of an app's frames. */
#define TIMELINE_APPS_MAX 32
struct timeline_app {
	char name[APP_SIZE];
	uint64_t frames, missed; /* missed: the app's deadline */
};

/* At first all zeros but for ->rules, ->context, ->row and ->live. */
struct frame_timeline {
	struct timeline_counts counts;
	const struct ruleset *rules; /* borrowed */
	void *context;
	void (*row)(void *context, enum csv_file_kind kind, const void *row); /* may be NULL */
	bool live; /* see TIMELINE_LIVE_FRAMES */
	unsigned int n_frames;
	struct timeline_frame frames[TIMELINE_FRAMES]; /* the first n_frames */
	struct timeline_surface surfaces[TIMELINE_SURFACES];
	struct timeline_app apps[TIMELINE_APPS_MAX]; /* the first ones; others are not counted */
	char text[TIMELINE_TEXT_SIZE];
};

/* Adds frames of an app. */
void timeline_count(struct timeline_app apps[TIMELINE_APPS_MAX], const char *name, uint64_t frames,
		    uint64_t missed);

/* The next event, of TRACE_TIMELINE; in the order of time. */
void frame_timeline_record(struct frame_timeline *timeline, const struct trace_record *record);

/* The trace ends: writes the remaining rows. */
void frame_timeline_end(struct frame_timeline *timeline);

/* The jank types of a Surface so far. "": FrameTimeline has no frame of it. Valid until the next
 * call. */
const char *frame_timeline_jank_types(struct frame_timeline *timeline, const char *surface);

#endif
