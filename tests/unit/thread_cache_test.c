/* SPDX-License-Identifier: Apache-2.0 */
/* Identification of SurfaceFlinger, with a /proc that the test writes. */
#include "tests/unit/unit.h"

#include "daemon/trace/thread_cache.h"
#include "tests/unit/scratch.h"

#define APP_UID 10123
#define SYSTEM_UID 1000
#define INIT 1
#define OTHER_PARENT 7

static struct thread_cache cache;
static uint64_t now_ns;

/* --- the tree --- */

static void write_file(int tid, const char *name, const char *text)
{
	scratch_put(formatted("%d/%s", tid, name), text);
}

static void set_thread(int tid, int tgid, const char *comm, int ppid, int uid)
{
	write_file(tid, "status",
		   formatted("Name:\t%s\nState:\tS\nTgid:\t%d\nPPid:\t%d\nUid:\t%d\t0\t0\t0\n",
			     comm, tgid, ppid, uid));
}

static void set_process(int pid, const char *comm, int ppid, int uid)
{
	set_thread(pid, pid, comm, ppid, uid);
	write_file(pid, "comm", comm);
}

static void set_program(int pid, const char *program)
{
	assert_int_equal(symlink(program, scratch_path(formatted("%d/exe", pid))), 0);
}

static void end_thread(int tid)
{
	static const char *const files[] = { "/status", "/comm", "/exe", "" };

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		const char *path = scratch_path(formatted("%d%s", tid, files[i]));

		/* Files of a process that has ended cannot be read, not even through an open
		 * descriptor. */
		if (i < 2 && truncate(path, 0) < 0)
			continue;
		remove(path);
	}
}

static int set_up(void **state)
{
	scratch_set_up(state);
	now_ns = 100 * SECOND;
	thread_cache_begin(&cache, scratch_root);
	return 0;
}

static int tear_down(void **state)
{
	thread_cache_end(&cache);
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up, tear_down)

static enum trace_writer ask(int tid)
{
	struct trace_record record = { .tid = tid, .tgid = 99 };

	thread_cache_name(&cache, thread_cache_find(&cache, record.tid, now_ns), &record);
	return record.writer;
}

static void pass_time(uint64_t ns)
{
	now_ns += ns;
	thread_cache_follow(&cache);
}

TEST(threads_of_surfaceflinger_are_identified)
{
	set_process(500, "surfaceflinger", INIT, SYSTEM_UID);
	set_thread(501, 500, "binder:500_1", INIT, SYSTEM_UID);
	/* An app of that name is another process. */
	set_process(600, "surfaceflinger", INIT, APP_UID);
	assert_int_equal(ask(600), TRACE_WRITER_OTHER);
	assert_int_equal(ask(501), TRACE_WRITER_SURFACEFLINGER);
	assert_int_equal(ask(500), TRACE_WRITER_SURFACEFLINGER);
	assert_int_equal(ask(600), TRACE_WRITER_OTHER);
	assert_int_equal(ask(777), TRACE_WRITER_OTHER); /* it has ended already */
}

/* A name and a process in /proc take precedence over those of a line of text. */
TEST(names_and_processes_are_read_from_proc)
{
	struct trace_record record = { .tid = 501, .tgid = 99 };
	struct trace_record line = { .tid = 501,
				     .tgid = TRACE_ID_UNKNOWN,
				     .comm = SPAN_LITERAL("<...>") };
	struct trace_record gone = { .tid = 777, .tgid = 7, .comm = SPAN_LITERAL("com.app") };

	set_process(500, "surfaceflinger", INIT, SYSTEM_UID);
	set_thread(501, 500, "a (b) c: \\n", INIT, SYSTEM_UID);
	thread_cache_name(&cache, thread_cache_find(&cache, record.tid, now_ns), &record);
	assert_int_equal(record.tgid, 500);
	assert_true(span_equal(record.comm, SPAN_LITERAL("a (b) c: \\n")));
	thread_cache_correct(thread_cache_find(&cache, line.tid, now_ns), &line);
	assert_int_equal(line.tgid, 500);
	assert_true(span_equal(line.comm, SPAN_LITERAL("a (b) c: \\n")));
	thread_cache_correct(thread_cache_find(&cache, gone.tid, now_ns), &gone);
	assert_true(span_equal(gone.comm, SPAN_LITERAL("com.app")));
	assert_fields(&gone, tgid == 7, writer == TRACE_WRITER_UNKNOWN);
	thread_cache_name(&cache, thread_cache_find(&cache, gone.tid, now_ns), &gone);
	assert_int_equal(gone.tgid, TRACE_ID_UNKNOWN);
	assert_int_equal(gone.comm.len, 0);
}

TEST(writers_are_unknown_before_surfaceflinger_is_found)
{
	set_process(600, "com.app", OTHER_PARENT, APP_UID);
	set_process(601, "logd", INIT, 1036);
	assert_int_equal(ask(600), TRACE_WRITER_OTHER);
	assert_int_equal(ask(601), TRACE_WRITER_UNKNOWN);
	assert_int_equal(ask(777), TRACE_WRITER_UNKNOWN);
}

/* /proc hides the processes of other users, or their files: writers are unknown. */
TEST(writers_hidden_in_proc_are_unknown)
{
	for (int tid = 700; tid < 800; tid++) {
		assert_int_equal(ask(tid), TRACE_WRITER_UNKNOWN);
		pass_time(SECOND / 10);
	}
}

TEST(next_surfaceflinger_hidden_in_proc_is_unknown)
{
	set_process(500, "surfaceflinger", INIT, SYSTEM_UID);
	set_process(600, "com.app", OTHER_PARENT, APP_UID);
	assert_int_equal(ask(500), TRACE_WRITER_SURFACEFLINGER);
	assert_int_equal(ask(700), TRACE_WRITER_OTHER);
	end_thread(500);
	pass_time(SECOND / 4);
	assert_int_equal(ask(700), TRACE_WRITER_UNKNOWN);
	assert_int_equal(ask(701), TRACE_WRITER_UNKNOWN);
	assert_int_equal(ask(600), TRACE_WRITER_OTHER);
}

/* A later process with that name is ignored, even one of root, unless it is more certain. */
TEST(later_process_of_that_name_must_be_more_certain)
{
	set_process(400, "surfaceflinger", OTHER_PARENT, 0);
	assert_int_equal(ask(400), TRACE_WRITER_SURFACEFLINGER);
	set_process(401, "surfaceflinger", OTHER_PARENT, 0);
	set_program(401, "/data/local/tmp/surfaceflinger");
	assert_int_equal(ask(401), TRACE_WRITER_OTHER);
	set_process(402, "SurfaceFlinger", INIT, SYSTEM_UID);
	assert_int_equal(ask(402), TRACE_WRITER_SURFACEFLINGER);
	assert_int_equal(ask(400), TRACE_WRITER_OTHER);
	set_process(403, "surfaceflinger", OTHER_PARENT, SYSTEM_UID);
	set_program(403, "/system/bin/surfaceflinger");
	assert_int_equal(ask(403), TRACE_WRITER_SURFACEFLINGER);
	assert_int_equal(ask(402), TRACE_WRITER_OTHER);
}

TEST(restarted_surfaceflinger_is_identified)
{
	set_process(500, "surfaceflinger", INIT, SYSTEM_UID);
	assert_int_equal(ask(500), TRACE_WRITER_SURFACEFLINGER);
	set_process(700, "surfaceflinger", INIT, SYSTEM_UID);
	end_thread(500);
	pass_time(SECOND / 4);
	/* Its last events are not read yet. */
	assert_int_equal(ask(500), TRACE_WRITER_UNKNOWN);
	assert_int_equal(ask(700), TRACE_WRITER_SURFACEFLINGER);
	assert_int_equal(ask(500), TRACE_WRITER_OTHER);
}

TEST(reused_pid_is_another_process)
{
	set_process(500, "surfaceflinger", INIT, SYSTEM_UID);
	assert_int_equal(ask(500), TRACE_WRITER_SURFACEFLINGER);
	end_thread(500);
	set_process(500, "com.app", OTHER_PARENT, APP_UID);
	pass_time(SECOND / 4);
	assert_int_equal(ask(500), TRACE_WRITER_OTHER);
	assert_int_equal(ask(501), TRACE_WRITER_UNKNOWN);
	set_process(500, "surfaceflinger", INIT, SYSTEM_UID);
	set_thread(501, 500, "app", INIT, SYSTEM_UID);
	pass_time(SECOND);
	assert_int_equal(ask(501), TRACE_WRITER_SURFACEFLINGER);
	assert_int_equal(ask(500), TRACE_WRITER_SURFACEFLINGER);
}

TEST(cached_threads_are_not_read_again)
{
	uint64_t reads;

	set_process(500, "surfaceflinger", INIT, SYSTEM_UID);
	for (int tid = 1001; tid < 1400; tid++)
		set_thread(tid, 1000, "com.app", OTHER_PARENT, APP_UID);
	for (int round = 0; round < 3; round++) {
		ask(500);
		for (int tid = 1001; tid < 1400; tid++)
			assert_int_equal(ask(tid), TRACE_WRITER_OTHER);
		reads = cache.reads;
		assert_int_equal(reads, 400);
		pass_time(SECOND);
	}
	pass_time(30 * SECOND);
	ask(1001);
	assert_int_equal(cache.reads, reads + 1);
	/* A full cache gives the same answers. */
	for (int tid = 1000000; tid < 1010000; tid++)
		assert_int_equal(ask(tid), TRACE_WRITER_OTHER);
	assert_int_equal(ask(500), TRACE_WRITER_SURFACEFLINGER);
}

TEST(damaged_status_makes_the_writer_unknown)
{
	static const char *const texts[] = {
		"",
		"Name:",
		"Name:\tsurfaceflinger",
		"Name:\tsurfaceflinger\nTgid:\t500\n",
		"Tgid:\t500\nPPid:\t1\nUid:\t0\n",
		"\n\n\n",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		write_file(500, "status", texts[i]);
		assert_int_equal(ask(500), TRACE_WRITER_UNKNOWN);
		pass_time(SECOND);
	}
}
