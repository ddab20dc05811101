/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot is complete, even if it is saved in pieces while more is read. */
#include "daemon/files/snapshot.h"

#include <string.h>

#include "daemon/files/output.h"
#include "daemon/trace/source_text.h"
#include "tests/unit/lines.h"
#include "tests/unit/scratch.h"

#define SURFACE "com.example.app/Main"

static struct bench {
	struct options options;
	struct folder folder;
	struct output output;
	struct snapshot snapshot;
	struct source_text text;
	struct lines lines;
} bench;

static void begin(uint64_t length_ns, bool live)
{
	bench = (struct bench){
		.options = { .command = OPTIONS_ANALYZE,
			     .snapshot_ns = 100 * MS,
			     .snapshot_length_ns = length_ns },
		.snapshot = SNAPSHOT_NONE,
	};
	assert_int_equal(folder_open(&bench.folder, "test", scratch_root), 0);
	assert_int_equal(output_open(&bench.output, &bench.options, &bench.folder), 0);
	snapshot_open(&bench.snapshot, &bench.output, &bench.text.source, &bench.options, live);
	assert_int_equal(source_text_open(&bench.text, length_ns, NULL), 0);
}

static int tear_down(void **state)
{
	source_text_close(&bench.text);
	output_close(&bench.output);
	output_free(&bench.output);
	folder_close(&bench.folder);
	return scratch_tear_down(state);
}

FIXTURE(scratch_set_up, tear_down)

/* Reads once, as a session does. */
static uint64_t read_once(size_t most)
{
	uint64_t last_ns;

	snapshot_make_way(&bench.snapshot);
	last_ns = lines_read(&bench.lines, &bench.text.buffer, most);
	if (last_ns >= bench.snapshot.due_ns)
		snapshot_begin(&bench.snapshot);
	return last_ns;
}

static uint64_t read_until(uint64_t ns)
{
	uint64_t last_ns;

	do
		last_ns = read_once(4096);
	while (last_ns < ns);
	return last_ns;
}

static void late_at(uint64_t present_ns, uint64_t interval_ns)
{
	const struct late_frame frame = { present_ns, interval_ns, SURFACE };

	snapshot_late(&bench.snapshot, &frame);
}

/* Checks that snapshot @number has whole lines. Sets *first_ms and *last_ms to their times. */
static void check_file(unsigned int number, uint64_t *first_ms, uint64_t *last_ms)
{
	struct span text = span_of(scratch_get(formatted("snapshot-%06u.txt", number)));

	assert_true(text.len > 0);
	while (text.len > 0 && text.ptr[0] == '#') {
		const char *end = memchr(text.ptr, '\n', text.len);

		text = span_skip(text, (size_t)(end + 1 - text.ptr));
	}
	*first_ms = lines_ms(text.ptr);
	*last_ms = lines_check(text, *first_ms) - 1;
}

TEST(snapshot_has_the_time_around_the_frame)
{
	uint64_t first_ms, last_ms;

	begin(10 * SECOND, false);
	read_until(30 * SECOND);
	late_at(29 * SECOND + 500 * MS, 200 * MS);
	read_until(40 * SECOND);
	check_file(1, &first_ms, &last_ms);
	assert_int_equal(first_ms, 20500);
	assert_in_range(last_ms, 30500, 30700);
	assert_int_equal(bench.snapshot.written, 1);
}

TEST(snapshot_begins_before_a_long_frame)
{
	uint64_t first_ms, last_ms;

	begin(SECOND, false);
	read_until(30 * SECOND);
	late_at(29 * SECOND, 5 * SECOND);
	read_until(31 * SECOND);
	check_file(1, &first_ms, &last_ms);
	assert_in_range(first_ms, 23500, 24000);
}

/* Saved in pieces during a flood: unsaved lines are not overwritten. */
TEST(snapshot_is_complete_during_a_flood)
{
	for (size_t reads = 1; reads < 400; reads = reads * 3 + 1) {
		uint64_t present_ns, first_ms, last_ms;

		if (reads > 1) {
			tear_down(NULL);
			scratch_set_up(NULL);
		}
		begin(100 * SECOND, true);
		/* The buffer has wrapped one and a half times. */
		present_ns = read_until(bench.text.buffer.size / 80 * 3 / 2 * MS);
		late_at(present_ns, 200 * MS);
		for (size_t i = 0; bench.snapshot.written == 0; i++) {
			read_once(262144);
			if (i % reads == 0)
				snapshot_save(&bench.snapshot);
		}
		check_file(1, &first_ms, &last_ms);
		assert_int_equal(first_ms, present_ns / MS - 99000);
		assert_in_range(last_ms, present_ns / MS + 1000, present_ns / MS + 5000);
	}
}

TEST(snapshot_is_saved_before_its_frame_is_overwritten)
{
	uint64_t present_ns, first_ms, last_ms;

	begin(10 * SECOND, false);
	present_ns = read_until(600 * SECOND);
	late_at(present_ns, 60 * SECOND);
	/* More lines than fit, all within a second. */
	bench.snapshot.due_ns = present_ns + 1000 * SECOND;
	for (int i = 0; i < 400 && bench.snapshot.written == 0; i++)
		read_once(65536);
	assert_int_equal(bench.snapshot.written, 1);
	check_file(1, &first_ms, &last_ms);
	assert_true(first_ms <= (present_ns - bench.snapshot.interval_ns) / MS);
	assert_true(last_ms > present_ns / MS);
}

TEST(snapshots_are_limited_to_one_in_10_s)
{

	begin(SECOND, false);
	for (uint64_t s = 20; s < 60; s += 3) {
		uint64_t now = read_until(s * SECOND);

		late_at(now, 200 * MS);
	}
	snapshot_end(&bench.snapshot);
	/* At 20, 32, 44 and 56 s. */
	assert_int_equal(bench.snapshot.written, 4);
	assert_int_equal(bench.snapshot.suppressed, 10);
}
