/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of one phone at a time: the phone, how it starts, and what its rows say. */
#ifndef JANKD_TESTS_ONE_PHONE_H
#define JANKD_TESTS_ONE_PHONE_H

#include "tests/unit/numbers.h"
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
#define phone_9(test) (start(PHONE_9), test())
#define phone_13(test) (start(PHONE_13), test())
#define phone_14(test) (start(PHONE_14), test())

/* What happens, in this order:
 *   a3-7      a frame of layer a in each of the vsyncs 3 to 7 after BEGIN; b3-7: of layer b
 *   a3-7x2    in every second vsync
 *   a3        in vsync 3; a3+12: 12 ms after it
 *   ab3-7     a frame of both layers in each vsync
 *   cpu 2     SurfaceFlinger runs on CPU 2 from here on
 *   sf 2406   SurfaceFlinger is that process from here on
 *   lost 2 9  the kernel reports that CPU 2 lost 9 events, and a frame with them
 *   hole 5    the daemon reports events missing since vsync 5
 *   more -1   one frame less was lost than that
 * What is smaller than a frame is at the time of the step "at":
 *   at 5 -1   1 ms before vsync 5
 *   queue a   a producer queues a buffer of layer a, the only one in its queue
 *   queue a 2 the same, of two buffers in its queue
 *   tick      VSYNC-sf toggles
 *   begin X   SurfaceFlinger's slice X begins; it has no space in its name
 *   commit    the slice of its commit begins
 *   latch a   SurfaceFlinger latches a buffer of layer a
 *   count a 2 it counts two buffers in the queue of layer a
 *   end 2     two of its slices end
 *   compose 5 SurfaceFlinger composes and presents, in vsync 5; compose 5 -1: 1 ms before it
 *   mark      an app writes a mark
 * play() then ends the trace. */
void draw(const char *steps);
void play(const char *steps);

const struct pipeline_counters *counters(void);

/* Checks numbers of the whole trace, as in numbers.h: those of counters(); "rows": of frames.csv;
 * "a", "b": of these layers; "fps_rows", "drops", "late_rows"; "gate": changes; and events, as
 * "event.lost". */
void expect(const char *expected);

/* The same of the @n-th row of @surface in fps.csv; of its row in the summary; of the @n-th row of
 * @layer in frames.csv. The first two with the fields of their stats. */
void expect_row(const char *surface, size_t n, const char *expected);
void expect_summary(const char *surface, const char *expected);
void expect_frame(const char *layer, size_t n, const char *expected);

/* The rows of frames.csv of @layer: how many, and the @n-th, which must exist. */
size_t frames_of(const char *layer);
const struct frame_row *frame_of(const char *layer, size_t n);

/* Rows of frames.csv whose interval is unknown; @layer NULL: of all layers. */
size_t unknown_intervals(const char *layer);

/* The vsyncs of the frames of @layer in their order; "?": unknown; "1x59": 59 frames of 1. */
const char *vsyncs_of(const char *layer);

/* The @n-th row of @surface in fps.csv, or NULL; row_of(): it must exist. */
const struct fps_row *any_row_of(const char *surface, size_t n);
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
