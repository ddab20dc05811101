/* SPDX-License-Identifier: Apache-2.0 */
/* Events of FrameTimeline to rows: one for each finished frame, with its expected times, in the
 * order of ends; jank types of each Surface. */
#include "tests/unit/unit.h"

#include "rules/beside/frame_timeline.h"
#include "tests/unit/packets.h"

#define LAYER "TX - com.a/com.a.Main#7"

static struct frame_timeline memory, *const timeline = &memory;
static struct timeline_row rows[4096];
static char surface[NAME_SIZE], app[APP_SIZE], layer[NAME_SIZE];
static size_t n_rows;
static struct packets trace; /* that play() plays */

static void on_row(void *context, enum csv_file_kind kind, const void *value)
{
	const struct timeline_row *row = value;

	strcpy(surface, row->surface);
	strcpy(app, row->app);
	strcpy(layer, row->layer);
	if (n_rows < COUNT_OF(rows))
		rows[n_rows] = *row;
	n_rows++;
}

static const struct ruleset no_rules;

static int set_up(void **state)
{
	memset(timeline, 0, sizeof(*timeline));
	timeline->row = on_row;
	timeline->rules = &no_rules;
	n_rows = 0;
	return 0;
}

FIXTURE(set_up, NULL)

struct moment {
	uint64_t time_ns;
	size_t at;
	struct span message;
};

static int compare(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

/* Gives the events of the packets to the timeline, in the order of time. */
static void play(void)
{
	static struct moment moments[16384];
	struct span rest = packets_span(&trace), bytes;
	struct perfetto_packet packet;
	uint64_t needed;
	size_t n = 0;

	while (perfetto_frame(&rest, &bytes, &needed) == PERFETTO_FRAME_PACKET) {
		perfetto_packet_read(bytes, &packet);
		assert_true(n < COUNT_OF(moments));
		moments[n] = (struct moment){ packet.time_ns, n, packet.timeline };
		n++;
	}
	qsort(moments, n, sizeof(moments[0]), compare);
	for (size_t i = 0; i < n; i++) {
		const struct trace_record record = {
			.kind = TRACE_TIMELINE,
			.time_ns = moments[i].time_ns,
			.value = 4,
			.name = moments[i].message,
		};

		frame_timeline_record(timeline, &record);
	}
	packets_free(&trace);
}

static void assert_times(size_t i, int64_t expected_start_ns, int64_t expected_end_ns,
			 uint64_t start_ns, uint64_t end_ns)
{
	assert_int_equal(rows[i].expected_start_ns, expected_start_ns);
	assert_int_equal(rows[i].expected_end_ns, expected_end_ns);
	assert_int_equal(rows[i].start_ns, start_ns);
	assert_int_equal(rows[i].end_ns, end_ns);
}

#define LATE 100, 200, 110, 390 /* expected, and as it was */

static void play_frames(const struct packets_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		packets_frame(&trace, &frames[i]);
	play();
}

/* Rows are in the order of their own ends: a frame that is early ends before its expected end. */
TEST(a_frame_has_its_expected_times)
{
	static const struct packets_frame frames[] = {
		{ 1, LATE, 20, 30, LAYER, 64 + 128 },
		{ 3, 100, 200, 120, 500, 20, 30, LAYER, 64 + 128 },
		{ 5, 100, 900, 110, 300, 19, 0, NULL, 1 },
		{ 7, 0, 200, 110, 600, 21, 30, LAYER, 64 + 128 },
	};

	play_frames(frames, COUNT_OF(frames));
	assert_int_equal(n_rows, 3);
	assert_times(0, 100, 900, 110, 300);
	assert_false(rows[0].is_surface);
	/* What an event of a kind does not have is -1. */
	assert_fields(&rows[0].event, token == 19, display_token == -1, pid == 100,
		      is_buffer == -1);
	assert_times(1, 100, 200, 110, 390);
	assert_true(rows[1].is_surface);
	assert_fields(&rows[1].event, token == 20, display_token == 30, pid == 300,
		      jank_type == 192);
	assert_fields(&rows[1].event, present_type == 2, prediction == 1, severity == 3,
		      on_time_finish == 0, gpu_composition == 1, is_buffer == 1);
	assert_times(2, 100, 200, 120, 500);
	frame_timeline_end(timeline);
	assert_int_equal(n_rows, 4);
	assert_times(3, ROW_UNKNOWN, ROW_UNKNOWN, 110, 600);
	assert_string_equal(surface, "com.a/com.a.Main");
	assert_string_equal(app, "com.a");
	assert_string_equal(layer, LAYER);
}

static void record_of(uint64_t sequence, uint64_t time_ns, unsigned int kind, uint64_t cookie,
		      uint64_t token)
{
	struct packets event = { 0 }, message = { 0 };
	struct trace_record record = {
		.kind = TRACE_TIMELINE,
		.time_ns = time_ns,
		.value = (int64_t)sequence,
	};

	packets_number(&event, 1, cookie);
	if (kind != 5)
		packets_number(&event, 2, token);
	packets_add(&message, kind, &event);
	record.name = packets_span(&message);
	frame_timeline_record(timeline, &record);
	packets_free(&message);
}

/* But of two writers with the same cookie each ends its own. */
TEST(a_frame_may_be_of_several_writers)
{
	record_of(4, 10, 1, 1, 70);
	record_of(5, 20, 5, 1, 0);
	record_of(6, 30, 2, 2, 70);
	record_of(4, 40, 5, 2, 0);
	frame_timeline_end(timeline);
	assert_int_equal(n_rows, 1);
	assert_times(0, 10, 20, 30, 40);
	record_of(4, 50, 2, 3, 71);
	record_of(5, 60, 2, 3, 1);
	record_of(4, 70, 5, 3, 0);
	record_of(5, 80, 5, 3, 0);
	frame_timeline_end(timeline);
	assert_int_equal(n_rows, 3);
	assert_times(1, ROW_UNKNOWN, ROW_UNKNOWN, 50, 70);
	assert_int_equal(rows[1].event.token, 71);
	assert_times(2, ROW_UNKNOWN, ROW_UNKNOWN, 60, 80);
	assert_int_equal(rows[2].event.token, 1);
	assert_int_equal(timeline->counts.unmatched, 0);
}

/* A frame waits a second for its expectation, and that 5 s for its frame. */
TEST(frames_wait_for_their_expectation)
{
	record_of(4, 10, 1, 1, 70);
	record_of(4, 20, 2, 2, 71);
	record_of(4, 30, 5, 2, 0);
	record_of(4, SECOND + 29, 1, 3, 72);
	assert_int_equal(n_rows, 0);
	record_of(4, SECOND + 30, 1, 5, 73);
	assert_int_equal(n_rows, 1);
	assert_int_equal(timeline->n_frames, 3);
	record_of(4, 5 * SECOND + 10, 2, 8, 74);
	assert_int_equal(timeline->n_frames, 4);
	record_of(4, 5 * SECOND + 11, 2, 10, 75);
	assert_int_equal(timeline->n_frames, 4);
	frame_timeline_end(timeline);
	assert_fields(timeline, n_frames == 0, counts.unfinished == 2);
	assert_int_equal(n_rows, 1);
}

TEST(jank_types_are_counted_for_each_surface)
{
	static const struct packets_frame frames[] = {
		{ 1, LATE, 20, 30, LAYER, 64 + 128 },
		{ 3, LATE, 21, 30, LAYER, 1 },
		{ 5, LATE, 22, 30, LAYER, 0 },
	};
	char name[TIMELINE_JANK_SIZE];

	play_frames(frames, COUNT_OF(frames));
	assert_string_equal(frame_timeline_jank_types(timeline, "com.a/com.a.Main"),
			    "NONE:1 APP_DEADLINE_MISSED:1 BUFFER_STUFFING:1 UNSPECIFIED:1");
	assert_string_equal(frame_timeline_jank_types(timeline, "com.b/com.b.Main"), "");
	timeline_jank_name(192, name);
	assert_string_equal(name, "APP_DEADLINE_MISSED+BUFFER_STUFFING");
	timeline_jank_name(UINT32_C(1) << 30 | 2, name);
	assert_string_equal(name, "SF_SCHEDULING+BIT_30");
	timeline_jank_name(0, name);
	assert_string_equal(name, "UNSPECIFIED");
}

static void add_frame(unsigned int i, uint64_t end_ns, const char *name)
{
	const struct packets_frame frame = {
		.cookie = 10 + 2 * i,
		.start_ns = i + 1,
		.end_ns = end_ns,
		.token = i,
		.layer = name,
	};

	packets_frame(&trace, &frame);
}

/* Frames that never end are counted, and leave space for others. */
static void fill_table(unsigned int space)
{
	for (unsigned int i = 0; i < 3000; i++)
		add_frame(i, 10 * SECOND, NULL);
	play();
	frame_timeline_end(timeline);
	assert_fields(&timeline->counts, rows == space, unfinished == 3000 - space,
		      unmatched == 3000 - space);
}

/* A live capture uses less memory: what is behind its part of the tables stays untouched. */
TEST(a_full_table_drops_the_oldest)
{
	fill_table(TIMELINE_FRAMES);
	set_up(NULL);
	timeline->live = true;
	fill_table(TIMELINE_LIVE_FRAMES);
	for (unsigned int i = TIMELINE_LIVE_FRAMES; i < TIMELINE_FRAMES; i++)
		assert_fields(timeline, frames[i].touched_ns == 0, frames[i].layer[0] == '\0');
}

/* Surfaces without space are counted, and those before them stay. */
TEST(surfaces_without_space_are_counted)
{
	static char names[TIMELINE_SURFACES + 10][32];

	for (unsigned int i = 0; i < COUNT_OF(names); i++) {
		snprintf(names[i], sizeof(names[i]), "com.a/com.a.Main%u#7", i);
		add_frame(i, i + 2, names[i]);
	}
	play();
	frame_timeline_end(timeline);
	assert_fields(&timeline->counts, rows == COUNT_OF(names), refused == 10);
}
