/* SPDX-License-Identifier: Apache-2.0 */
/* The queue between a capture and its files: all jobs are done in order, even if a disk stalls. */

#include "tests/unit/unit.h"

#include <poll.h>
#include <semaphore.h>
#include <time.h>

#include "daemon/files/file_thread.h"
#include "daemon/files/session_files.h"
#include "tests/unit/scratch.h"

static struct bench {
	struct options options;
	struct folder folder;
	struct session_files files;
	struct file_thread *thread;
	sem_t disk; /* posted: it responds again */
} bench;

static int tear_down(void **state)
{
	folder_close(&bench.folder);
	return scratch_tear_down_closed(state);
}

static void on_report(void *context, const char *kind, const char *text)
{
	file_thread_report(bench.thread, kind, text);
}

/* The disk does not respond until the test posts the semaphore. */
static void stall(void *context)
{
	sem_wait(&bench.disk);
}

static int set_up(void **state)
{
	scratch_set_up(state);
	bench = (struct bench){ .options = { .command = OPTIONS_RUN, .frames_log = true } };
	assert_int_equal(folder_open(&bench.folder, scratch_root), 0);
	sem_init(&bench.disk, 0, 0);
	assert_int_equal(session_files_open(&bench.files, &bench.options, &bench.folder, false,
					    on_report, NULL),
			 0);
	assert_int_equal(file_thread_start(&bench.thread, &bench.files), 0);
	return scratch_inherited();
}

FIXTURE(set_up, tear_down)

static bool post(enum file_job_kind kind, const char *bytes, size_t len)
{
	const struct file_job job = { kind, ROW_FRAMES, 0, bytes, len };

	return file_thread_post(bench.thread, &job, FILE_THREAD_BYTES);
}

static void wait_until_done(void)
{
	file_thread_notify(bench.thread);
	while (file_thread_done(bench.thread) < file_thread_posted(bench.thread))
		usleep(100);
}

/* Sets @row to row @n, with its number and a length that depends on it. Returns the length. */
static size_t make_row(char row[static 4096], unsigned int n)
{
	size_t len = 8 + n * 7919 % 3000;

	memset(row, 'x', len);
	row[snprintf(row, 16, "%06u", n)] = ',';
	row[len - 1] = '\n';
	return len;
}

static void check_rows(unsigned int rows)
{
	FILE *file = fopen(scratch_path("frames.csv"), "r");
	char row[4096], line[4096];
	unsigned int n = 0;

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	for (; fgets(line, sizeof(line), file); n++) {
		size_t len = make_row(row, n);

		assert_int_equal(strlen(line), len);
		assert_memory_equal(line, row, len);
	}
	fclose(file);
	assert_int_equal(n, rows);
}

static void close_all(void)
{
	assert_true(post(FILE_JOB_CLOSE, NULL, 0));
	bench.thread = file_thread_end(bench.thread);
}

/* The queue was full, so the job that begins the file was refused, those that follow were not. */
TEST(a_file_that_was_not_begun_is_not_written)
{
	assert_true(post(FILE_JOB_REPLACE_BYTES, "x", 1));
	assert_true(post(FILE_JOB_REPLACE_END, NULL, 0));
	wait_until_done();
	assert_int_equal(bench.files.state.replaced[0].error, -ENOBUFS);
	close_all();
}

/* Below the disk floor there is space for the mark only. The answer to 'jankd mark' is about it. */
TEST(an_event_that_is_refused_after_a_mark_is_not_the_mark)
{
	const struct file_job mark = { FILE_JOB_ROW, ROW_EVENTS, 1, "mark\n", 5 };
	const struct file_job event = { FILE_JOB_ROW, ROW_EVENTS, 0, "lost\n", 5 };

	bench.thread = file_thread_end(bench.thread);
	bench.files.floor.is_below = true;
	bench.files.floor.event_bytes = (1 << 20) - 5;
	session_files_do(&bench.files, &mark);
	session_files_do(&bench.files, &event);
	assert_int_equal(bench.files.state.left_out[ROW_EVENTS], 1);
	assert_false(bench.files.state.mark_lost);
	session_files_do(&bench.files, &mark);
	assert_true(bench.files.state.mark_lost);
	session_files_do(&bench.files, &(struct file_job){ .kind = FILE_JOB_CLOSE });
	assert_non_null(strstr(scratch_get("events.csv"), "mark\n"));
}

/* Two reports more than there is space for. */
static void complain(void *context)
{
	for (unsigned int i = 0; i < 18; i++)
		bench.files.report(bench.files.context, "lost", formatted("report %u", i));
	bench.files.check = NULL;
}

TEST(state_and_reports_are_taken_from_the_thread)
{
	struct pollfd idle = { .fd = file_thread_fd(bench.thread), .events = POLLIN };
	struct session_files_state seen;
	struct file_report report;

	bench.files.check = complain;
	assert_true(post(FILE_JOB_ROW, "row\n", 4));
	assert_true(post(FILE_JOB_ROTATE, NULL, 0));
	assert_true(post(FILE_JOB_FLUSH, NULL, 0));
	assert_int_equal(poll(&idle, 1, 60000), 1);
	file_thread_state(bench.thread, &seen);
	assert_true(seen.segment == 1 && seen.rotations == 1 && !seen.has_rows);
	for (unsigned int i = 0; i < 15; i++) {
		assert_true(file_thread_next_report(bench.thread, &report));
		assert_string_equal(report.text, formatted("report %u", i));
	}
	assert_true(file_thread_next_report(bench.thread, &report));
	assert_string_equal(report.text, "report 15; and 2 more");
	assert_string_equal(report.kind, "lost");
	assert_in_range(report.wall_ns / SECOND, time(NULL) - 600, time(NULL) + 600);
	assert_false(file_thread_next_report(bench.thread, &report));
	complain(NULL);
	while (file_thread_next_report(bench.thread, &report))
		;
	assert_string_equal(report.text, "report 15; and 2 more");
	close_all();
}

TEST(rows_are_written_in_order_after_a_stall)
{
	struct session_files_state seen;
	const struct file_job job = { .kind = FILE_JOB_FLUSH };
	uint64_t used = 0;
	char row[4096];
	unsigned int n = 0;

	/* The disk stalls with the next job. */
	bench.files.check = stall;
	assert_true(post(FILE_JOB_FLUSH, NULL, 0));
	while (file_thread_busy_ns(bench.thread) == 0)
		usleep(100);
	for (size_t len; post(FILE_JOB_ROW, row, len = make_row(row, n)); n++)
		used += len;
	/* Each has some 60 bytes besides its row of 1500. */
	assert_in_range(used, FILE_THREAD_BYTES / 100 * 94, FILE_THREAD_BYTES);
	assert_false(file_thread_post(bench.thread, &job, FILE_THREAD_BYTES / 2));
	assert_int_equal(file_thread_done(bench.thread), 0);
	assert_true(file_thread_busy_ns(bench.thread) > 0);
	sem_post(&bench.disk);
	wait_until_done();
	bench.files.check = NULL;
	assert_true(file_thread_post(bench.thread, &job, 1));
	file_thread_state(bench.thread, &seen);
	assert_false(seen.failed);
	/* Many more rows than fit in the queue. */
	for (unsigned int all = n + 40000; n < all; n++) {
		while (!post(FILE_JOB_ROW, row, make_row(row, n)))
			usleep(100);
		if (n % 1000 == 0)
			post(FILE_JOB_FLUSH, NULL, 0);
	}
	close_all();
	check_rows(n);
}

/* Between two jobs the thread does not take the lock: threads that wait for each other at each job
 * wake up as often. */
TEST(queued_jobs_are_done_together)
{
	enum { JOBS = 4000, ROUNDS = 5 };
	uint64_t done, last = 0;
	unsigned int changes = 0;

	bench.files.check = stall;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		assert_true(post(FILE_JOB_FLUSH, NULL, 0));
		for (unsigned int n = 0; n < JOBS; n++)
			assert_true(post(FILE_JOB_ROW, "row\n", 4));
		sem_post(&bench.disk);
		file_thread_notify(bench.thread);
		do {
			done = file_thread_done(bench.thread);
			changes += done != last;
			last = done;
		} while (done < file_thread_posted(bench.thread));
	}
	assert_in_range(changes, 1, ROUNDS * JOBS / 40);
	close_all();
}
