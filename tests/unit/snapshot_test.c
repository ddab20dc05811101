/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot is complete, even if it is saved in pieces while more is read. */
#include "daemon/files/snapshot.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/files/output.h"
#include "daemon/trace/source_text.h"
#include "tests/unit/lines.h"

#define SURFACE "com.example.app/Main"

struct bench {
	char path[64];
	struct options options;
	struct folder folder;
	struct output output;
	struct snapshot snapshot;
	struct source_text text;
	struct lines lines;
};

static void set_up(struct bench *bench, uint64_t length_ns, bool live)
{
	*bench = (struct bench){
		.path = "/tmp/jankd-test-XXXXXX",
		.options = { .command = OPTIONS_ANALYZE,
			     .snapshot_ns = 100 * MS,
			     .snapshot_length_ns = length_ns },
		.snapshot = SNAPSHOT_NONE,
	};
	assert_non_null(mkdtemp(bench->path));
	assert_int_equal(folder_open(&bench->folder, "test", bench->path), 0);
	assert_int_equal(output_open(&bench->output, &bench->options, &bench->folder), 0);
	snapshot_open(&bench->snapshot, &bench->output, &bench->text.source, &bench->options, live);
	assert_int_equal(source_text_open(&bench->text, length_ns, NULL), 0);
}

static void tear_down(struct bench *bench)
{
	char command[96];

	source_text_close(&bench->text);
	output_close(&bench->output);
	output_free(&bench->output);
	folder_close(&bench->folder);
	snprintf(command, sizeof(command), "rm -rf %s", bench->path);
	assert_int_equal(system(command), 0);
}

/* Reads once, as a session does. */
static uint64_t read_once(struct bench *bench, size_t most)
{
	uint64_t last_ns;

	snapshot_make_way(&bench->snapshot);
	last_ns = lines_read(&bench->lines, &bench->text.buffer, most);
	if (last_ns >= bench->snapshot.due_ns)
		snapshot_begin(&bench->snapshot);
	return last_ns;
}

static uint64_t read_until(struct bench *bench, uint64_t ns)
{
	uint64_t last_ns;

	do
		last_ns = read_once(bench, 4096);
	while (last_ns < ns);
	return last_ns;
}

static void late_at(struct bench *bench, uint64_t present_ns, uint64_t interval_ns)
{
	const struct late_frame frame = { present_ns, interval_ns, SURFACE };

	snapshot_late(&bench->snapshot, &frame);
}

/* Checks that snapshot @number has whole lines. Sets *first_ms and *last_ms to their times. */
static void check_file(const struct bench *bench, unsigned int number, uint64_t *first_ms,
		       uint64_t *last_ms)
{
	char name[40];
	struct stat info;
	struct span text;
	char *bytes;
	int fd;

	snprintf(name, sizeof(name), "snapshot-%06u.txt", number);
	fd = openat(bench->folder.fd, name, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &info), 0);
	bytes = malloc((size_t)info.st_size);
	assert_int_equal(read(fd, bytes, (size_t)info.st_size), info.st_size);
	close(fd);
	text = (struct span){ bytes, (size_t)info.st_size };
	while (text.len > 0 && text.ptr[0] == '#') {
		const char *end = memchr(text.ptr, '\n', text.len);

		text = span_skip(text, (size_t)(end + 1 - text.ptr));
	}
	*first_ms = lines_ms(text.ptr);
	*last_ms = lines_check(text, *first_ms) - 1;
	free(bytes);
}

TEST(snapshot_has_the_time_around_the_frame)
{
	static struct bench bench;
	uint64_t first_ms, last_ms;

	set_up(&bench, 10 * SECOND, false);
	read_until(&bench, 30 * SECOND);
	late_at(&bench, 29 * SECOND + 500 * MS, 200 * MS);
	read_until(&bench, 40 * SECOND);
	check_file(&bench, 1, &first_ms, &last_ms);
	assert_int_equal(first_ms, 20500);
	assert_in_range(last_ms, 30500, 30700);
	assert_int_equal(bench.snapshot.written, 1);
	tear_down(&bench);
}

/* A frame that is longer than the requested time is in the snapshot from its start on. */
TEST(snapshot_begins_before_a_long_frame)
{
	static struct bench bench;
	uint64_t first_ms, last_ms;

	set_up(&bench, SECOND, false);
	read_until(&bench, 30 * SECOND);
	late_at(&bench, 29 * SECOND, 5 * SECOND);
	read_until(&bench, 31 * SECOND);
	check_file(&bench, 1, &first_ms, &last_ms);
	assert_in_range(first_ms, 23500, 24000);
	tear_down(&bench);
}

/* Saved in pieces during a flood: unsaved lines are not overwritten. */
TEST(snapshot_is_complete_during_a_flood)
{
	for (size_t reads = 1; reads < 400; reads = reads * 3 + 1) {
		static struct bench bench;
		uint64_t present_ns, first_ms, last_ms;

		set_up(&bench, 100 * SECOND, true);
		/* The buffer has wrapped one and a half times. */
		present_ns = read_until(&bench, bench.text.buffer.size / 80 * 3 / 2 * MS);
		late_at(&bench, present_ns, 200 * MS);
		for (size_t i = 0; bench.snapshot.written == 0; i++) {
			read_once(&bench, 262144);
			if (i % reads == 0)
				snapshot_save(&bench.snapshot);
		}
		check_file(&bench, 1, &first_ms, &last_ms);
		assert_int_equal(first_ms, present_ns / MS - 99000);
		assert_in_range(last_ms, present_ns / MS + 1000, present_ns / MS + 5000);
		tear_down(&bench);
	}
}

/* If the frame would be overwritten before the time after it is over, the snapshot is saved
 * earlier. */
TEST(snapshot_is_saved_before_its_frame_is_overwritten)
{
	static struct bench bench;
	uint64_t present_ns, first_ms, last_ms;

	set_up(&bench, 10 * SECOND, false);
	present_ns = read_until(&bench, 600 * SECOND);
	late_at(&bench, present_ns, 60 * SECOND);
	/* More lines than fit, all within a second. */
	bench.snapshot.due_ns = present_ns + 1000 * SECOND;
	for (int i = 0; i < 400 && bench.snapshot.written == 0; i++)
		read_once(&bench, 65536);
	assert_int_equal(bench.snapshot.written, 1);
	check_file(&bench, 1, &first_ms, &last_ms);
	assert_true(first_ms <= (present_ns - bench.snapshot.interval_ns) / MS);
	assert_true(last_ms > present_ns / MS);
	tear_down(&bench);
}

TEST(snapshots_are_limited_to_one_in_10_s)
{
	static struct bench bench;

	set_up(&bench, SECOND, false);
	for (uint64_t s = 20; s < 60; s += 3) {
		uint64_t now = read_until(&bench, s * SECOND);

		late_at(&bench, now, 200 * MS);
	}
	snapshot_end(&bench.snapshot);
	/* At 20, 32, 44 and 56 s. */
	assert_int_equal(bench.snapshot.written, 4);
	assert_int_equal(bench.snapshot.suppressed, 10);
	tear_down(&bench);
}
