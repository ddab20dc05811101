/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of one phone at a time: the phone, how it starts, and what its rows say. */
#ifndef JANKD_TESTS_ONE_PHONE_H
#define JANKD_TESTS_ONE_PHONE_H

#include "tests/unit/phone.h"
#include "tests/unit/unit.h"

#define BEGIN (100 * SECOND)

static const char a[] = "com.a/com.a.Main#0", b[] = "com.b/com.b.Main#0";
#define SURFACE_A "com.a/com.a.Main"
#define SURFACE_B "com.b/com.b.Main"

extern struct phone phone;
extern struct pipeline_options options; /* of the next start() */

/* Set-ups with the default options: the test starts the phone, or it has been started. */
int default_options(void **state);
int on_phone_9(void **state);
int on_phone_14(void **state);
/* The tear-down for each of them. */
int stop_phone(void **state);

/* Starts a phone, after the one that runs has been stopped. */
void start(enum phone_age age);

/* TEST_ON(every_phone, what_it_shows) { ... }: a test that is run on a phone of each generation, or
 * on one of them: TEST_ON(phone_9, ...). Another function may start other phones. */
#define TEST_ON(each, function)                                                                    \
	static void on_##function(void);                                                           \
	TEST(function)                                                                             \
	{                                                                                          \
		each(on_##function);                                                               \
	}                                                                                          \
	static void on_##function(void)
void every_phone(void (*test)(void));
void phone_9(void (*test)(void));
void phone_13(void (*test)(void));
void phone_14(void (*test)(void));

/* Frames and losses, in this order:
 *   a3-7      a frame of layer a in each of the vsyncs 3 to 7 after BEGIN; b3-7: of layer b
 *   a3-7x2    in every second vsync
 *   cpu 2     SurfaceFlinger runs on CPU 2 from here on
 *   lost 2 9  the kernel reports that CPU 2 lost 9 events, and a frame with them
 *   hole 5    the daemon reports events missing since vsync 5
 *   more -1   one frame less was lost than that
 * play() then ends the trace. */
void draw(const char *steps);
void play(const char *steps);

const struct pipeline_counters *counters(void);

/* The rows of frames.csv of @layer: how many, and the @n-th, which must exist. */
size_t frames_of(const char *layer);
const struct frame_row *frame_of(const char *layer, size_t n);

/* Rows of frames.csv whose interval is unknown; @layer NULL: of all layers. */
size_t unknown_intervals(const char *layer);

/* The vsyncs of the frames of @layer in their order; "?": unknown; "1x59": 59 frames of 1. */
const char *vsyncs_of(const char *layer);

/* The @n-th row of @surface in fps.csv, which must exist. */
const struct fps_row *row_of(const char *surface, size_t n);

/* The sums over the rows of @surface; NULL: over all rows. */
struct frame_stats sum_of(const char *surface);

/* The row of @surface in the summary, of which there must be one. Its texts are not valid. */
struct summary_row summary_of(const char *surface);

/* The events of @kind: how many, and the text of the first; "": none. */
size_t events_of(enum trace_event_kind kind);
const char *event_text(enum trace_event_kind kind);

/* True if an event of kind "lost" has this text in it. */
bool is_reported(const char *text);

#endif
