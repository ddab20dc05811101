/* SPDX-License-Identifier: Apache-2.0 */
/* The queue between a capture and its files: all jobs are done in order, even if the disk stalls.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/files/file_thread.h"
#include "daemon/files/spill_file.h"

struct bench {
	char path[64];
	struct options options;
	struct folder folder;
	struct session_files files;
	struct spill_file spills[SPILL_KINDS];
	struct file_thread *thread;
	sem_t disk; /* posted: it responds again */
};

static void ignore(void *context, const char *kind, const char *text)
{
	(void)context;
	(void)kind;
	(void)text;
}

/* The disk does not respond until the test posts the semaphore. */
static void stall(void *context)
{
	struct bench *bench = context;

	sem_wait(&bench->disk);
}

static void set_up(struct bench *bench)
{
	*bench = (struct bench){
		.path = "/tmp/jankd-test-XXXXXX",
		.options = { .command = OPTIONS_RUN, .frames_log = true },
	};
	sem_init(&bench->disk, 0, 0);
	assert_non_null(mkdtemp(bench->path));
	assert_int_equal(folder_open(&bench->folder, "test", bench->path), 0);
	assert_int_equal(session_files_open(&bench->files, &bench->options, &bench->folder, false,
					    ignore, NULL),
			 0);
	for (unsigned int i = 0; i < SPILL_KINDS; i++) {
		assert_int_equal(spill_file_open(&bench->spills[i], &bench->folder, i), 0);
		session_files_set_spill(&bench->files, i, bench->spills[i].fd);
	}
	assert_int_equal(file_thread_start(&bench->thread, &bench->files), 0);
	for (int i = 0; i < SPILL_KINDS; i++)
		spill_file_set_thread(&bench->spills[i], bench->thread);
}

static void tear_down(struct bench *bench)
{
	char command[96];

	for (int i = 0; i < SPILL_KINDS; i++)
		spill_file_close(&bench->spills[i]);
	folder_close(&bench->folder);
	snprintf(command, sizeof(command), "rm -rf %s", bench->path);
	assert_int_equal(system(command), 0);
}

static bool post(struct bench *bench, enum file_job_kind kind, const char *bytes, size_t len)
{
	const struct file_job job = {
		.kind = kind,
		.which = ROW_FRAMES,
		.bytes = bytes,
		.len = len,
	};

	return file_thread_post(bench->thread, &job);
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

static void check_rows(const struct bench *bench, unsigned int rows)
{
	char path[96], row[4096], line[4096];
	unsigned int n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/frames.csv", bench->path);
	file = fopen(path, "r");
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

static void close_all(struct bench *bench)
{
	assert_true(post(bench, FILE_JOB_CLOSE, NULL, 0));
	bench->thread = file_thread_end(bench->thread);
}

/* Many more rows than fit in the queue. */
TEST(rows_are_written_in_order)
{
	static struct bench bench;
	char row[4096];
	unsigned int n;

	set_up(&bench);
	for (n = 0; n < 40000; n++) {
		size_t len = make_row(row, n);

		while (!post(&bench, FILE_JOB_ROW, row, len))
			usleep(100);
		if (n % 1000 == 0)
			post(&bench, FILE_JOB_FLUSH, NULL, 0);
	}
	close_all(&bench);
	check_rows(&bench, n);
	tear_down(&bench);
}

/* The queue accepts rows until it is full; rows in it stay whole. */
TEST(queue_accepts_rows_during_a_stall)
{
	static struct bench bench;
	struct session_files_state seen;
	char row[4096];
	unsigned int n = 0;

	set_up(&bench);
	session_files_set_check(&bench.files, stall, &bench);
	assert_true(post(&bench, FILE_JOB_FLUSH, NULL, 0));
	while (file_thread_busy_ns(bench.thread) == 0)
		usleep(100);
	while (post(&bench, FILE_JOB_ROW, row, make_row(row, n)))
		n++;
	assert_in_range(file_thread_used(bench.thread), FILE_THREAD_BYTES - 4096,
			FILE_THREAD_BYTES);
	assert_int_equal(file_thread_done(bench.thread), 0);
	assert_true(file_thread_busy_ns(bench.thread) > 0);
	sem_post(&bench.disk);
	file_thread_notify(bench.thread);
	while (file_thread_done(bench.thread) < file_thread_posted(bench.thread))
		usleep(100);
	assert_int_equal(file_thread_used(bench.thread), 0);
	file_thread_state(bench.thread, &seen);
	assert_false(seen.failed);
	close_all(&bench);
	check_rows(&bench, n);
	tear_down(&bench);
}

static void check_spill(struct bench *bench, unsigned int which, uint64_t offset, const char *text)
{
	struct spill *spill = &bench->spills[which].spill;
	char read[64] = "";

	assert_int_equal(spill->read(spill->context, offset, read, strlen(text)), 0);
	assert_string_equal(read, text);
}

static void write_spill(struct bench *bench, unsigned int which, uint64_t offset, const char *text)
{
	struct spill *spill = &bench->spills[which].spill;

	assert_int_equal(spill->write(spill->context, offset, text, strlen(text)), 0);
}

/* Between two jobs the thread does not take the lock: threads that wait for each other at each job
 * wake up as often. */
TEST(queued_jobs_are_done_together)
{
	enum { JOBS = 4000, ROUNDS = 5 };
	static struct bench bench;
	uint64_t done, last = 0;
	unsigned int changes = 0;

	set_up(&bench);
	session_files_set_check(&bench.files, stall, &bench);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		assert_true(post(&bench, FILE_JOB_FLUSH, NULL, 0));
		for (unsigned int n = 0; n < JOBS; n++)
			assert_true(post(&bench, FILE_JOB_ROW, "row\n", 4));
		sem_post(&bench.disk);
		file_thread_notify(bench.thread);
		do {
			done = file_thread_done(bench.thread);
			changes += done != last;
			last = done;
		} while (done < file_thread_posted(bench.thread));
	}
	assert_in_range(changes, 1, ROUNDS * JOBS / 40);
	close_all(&bench);
	tear_down(&bench);
}

/* A read returns what was written, whether it is on the disk or still in the queue. */
TEST(queued_spill_writes_are_read_back)
{
	static struct bench bench;

	set_up(&bench);
	write_spill(&bench, 0, 0, "0123456789");
	check_spill(&bench, 0, 0, "0123456789");
	file_thread_notify(bench.thread);
	while (file_thread_done(bench.thread) < 1)
		usleep(100);
	session_files_set_check(&bench.files, stall, &bench);
	assert_true(post(&bench, FILE_JOB_FLUSH, NULL, 0));
	write_spill(&bench, 0, 3, "abc");
	write_spill(&bench, 1, 3, "ABC");
	write_spill(&bench, 0, 5, "def");
	write_spill(&bench, 0, 12, "xyz");
	check_spill(&bench, 0, 0, "012abdef89");
	check_spill(&bench, 0, 4, "bd");
	check_spill(&bench, 0, 12, "xyz");
	check_spill(&bench, 1, 3, "ABC");
	sem_post(&bench.disk);
	file_thread_notify(bench.thread);
	while (file_thread_done(bench.thread) < file_thread_posted(bench.thread))
		usleep(100);
	check_spill(&bench, 0, 0, "012abdef89");
	close_all(&bench);
	tear_down(&bench);
}

/* The jobs that end a capture fit in the queue, no matter how much was spilled while the disk
 * stalled. */
TEST(spills_leave_space_for_the_last_jobs)
{
	static struct bench bench;
	static const char bytes[4096];
	struct spill *spill;
	uint64_t offset = 0;

	set_up(&bench);
	session_files_set_check(&bench.files, stall, &bench);
	assert_true(post(&bench, FILE_JOB_FLUSH, NULL, 0));
	spill = &bench.spills[0].spill;
	while (spill->write(spill->context, offset, bytes, sizeof(bytes)) == 0)
		offset += sizeof(bytes);
	for (size_t left = sizeof(bytes); left > 0; left /= 2)
		while (spill->write(spill->context, offset, bytes, left) == 0)
			offset += left;
	assert_true(offset > FILE_THREAD_BYTES / 2);
	assert_true(post(&bench, FILE_JOB_REMOVE_JOURNAL, NULL, 0));
	sem_post(&bench.disk);
	close_all(&bench);
	tear_down(&bench);
}
