/* SPDX-License-Identifier: Apache-2.0 */
/* Settings are restored at the end of a capture, and after a kill by the next jankd, once, from the
 * journal. A journal that another user may have written, or that was cut, changes nothing. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/stat.h>

#include "daemon/base/ids.h"
#include "daemon/base/child.h"
#include "daemon/base/report.h"
#include "daemon/capture/capture.h"
#include "daemon/capture/beside.h"
#include "tests/unit/fake_tracefs.h"
#include "tests/unit/printed.h"

static struct options capture_options;
static struct folder folder;
static struct settings recovered; /* of the last recovery */
static struct tracing_undo undo;

/* A capture that has set clock and tracing_on. */
static int set_up_capture(void **state)
{
	fake_tracefs_set_up(state);
	scratch_put("tr/trace_clock", "local\n");
	scratch_put("tr/tracing_on", "0\n");
	capture_options = (struct options){ .tracefs = fake_tracefs, .no_atrace = true };
	assert_int_equal(folder_open(&folder, scratch_path("out")), 0);
	assert_int_equal(tracing_undo_begin(&undo, &capture_options, &folder), 0);
	scratch_put("tr/trace_clock", "boot\n");
	scratch_put("tr/tracing_on", "1\n");
	tracing_undo_setup_done(&undo);
	return 0;
}

static int tear_down(void **state)
{
	settings_free(&recovered);
	folder_close(&folder);
	return scratch_tear_down_closed(state);
}

FIXTURE(set_up_capture, tear_down)

/* Between this check and the end, jankd completes its files, which may take a while. */
TEST(change_after_the_check_is_kept)
{
	scratch_put("tr/buffer_size_kb", "5555\n");
	scratch_put("tr/trace_clock", "mono\n");
	tracing_undo_find_changes(&undo, 0);
	assert_int_equal(undo.kept.n, 2);
	scratch_put("tr/buffer_size_kb", "3333\n");
	scratch_put("tr/trace_clock", "perf\n");
	tracing_undo_end(&undo);
	assert_string_equal(scratch_get("tr/buffer_size_kb"), "3333\n");
	assert_string_equal(scratch_get("tr/trace_clock"), "perf\n");
	assert_string_equal(scratch_get("tr/tracing_on"), "0\n");
}

TEST(equal_setting_of_another_program_is_kept)
{
	tracing_undo_find_changes(&undo, 1u << TRACE_SETTING_ON | 1u << TRACE_SETTING_SIZE);
	assert_string_equal(undo.kept.text, "tracing_on 1");
	tracing_undo_end(&undo);
	assert_string_equal(scratch_get("tr/tracing_on"), "1\n");
	/* A plain file keeps the rest of a longer value. */
	assert_memory_equal(scratch_get("tr/trace_clock"), "local", 5);
	assert_string_equal(scratch_get("tr/buffer_size_kb"), "7777\n");
}

/* In the instance, not at the top level. What is not there is left out. */
TEST(a_setting_is_given_up_where_it_is)
{
	struct settings settings = { 0 };
	char *text;

	settings_parse(&settings, SETTINGS_BEFORE,
		       span_of("place\ntracing_on 0\nplace x\ntracing_on 0\n"), "");
	settings_parse(&settings, SETTINGS_OURS,
		       span_of("place\ntracing_on 1\nplace x\ntracing_on 1\n"), "");
	settings_disown(&settings, "x", "tracing_on");
	settings_disown(&settings, "x", "trace_clock");
	settings_disown(&settings, "y", "tracing_on");
	assert_contains(text = journal_text(&settings), "set place\nset tracing_on 1\n",
			"set place x\nset tracing_on 0\nend\n");
	free(text);
	settings_free(&settings);
	tracing_undo_end(&undo);
}

/* It has read the settings of a capture that ended meanwhile, or another program changed them. */
TEST(a_start_that_fails_early_restores_nothing)
{
	struct tracing_undo later;
	struct folder other;
	const int ending = SIGINT;
	sigset_t blocked;
	int lock = live_trace_lock(fake_tracefs, 0);

	/* The setup that has begun in the fixture is not over. Ctrl-C ends the wait for it. */
	assert_int_equal(lock, -EWOULDBLOCK);
	child_end_on(&ending, 1);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGINT);
	assert_int_equal(live_trace_lock(fake_tracefs, 9000), -EINTR);
	child_discard_signals();
	tracing_undo_unlock(&undo);
	assert_int_equal(folder_open(&other, scratch_path("other")), 0);
	assert_int_equal(tracing_undo_begin(&later, &capture_options, &other), 0);
	scratch_put("tr/tracing_on", "0\n");
	tracing_undo_end(&later);
	assert_string_equal(scratch_get("tr/tracing_on"), "0\n");
	assert_false(scratch_has("other/.journal"));
	folder_close(&other);
	lock = live_trace_lock(fake_tracefs, 0);
	assert_true(lock >= 0);
	close(lock);
	tracing_undo_end(&undo);
}

/* A folder cannot be written even by root. */
TEST(an_end_that_fails_keeps_the_journal)
{
	tracing_undo_find_changes(&undo, 0);
	unlink(scratch_path("tr/tracing_on"));
	scratch_mkdir("tr/tracing_on");
	assert_contains(printed_by(tracing_undo_end(&undo)), "cannot restore tracing_on");
	assert_true(scratch_has("out/.journal"));
}

/* --- the journal --- */

/* Of the last recovery. */
static struct settings_kept kept;
static const char *printed;

static int set_up(void **state)
{
	fake_tracefs_set_up(state);
	return folder_open(&folder, scratch_path("out"));
}

FIXTURE(set_up, tear_down)

static void write_journal(const char *before, const char *ours)
{
	struct settings settings = { 0 };
	char *text;

	settings_parse(&settings, SETTINGS_BEFORE, span_of(before), "");
	settings_parse(&settings, SETTINGS_OURS, span_of(ours), "");
	text = journal_text(&settings);
	assert_int_equal(folder_write_journal(&folder, text, strlen(text)), 0);
	free(text);
	settings_free(&settings);
}

static enum journal_found recover_at(const char *place)
{
	enum journal_found found;

	settings_free(&recovered);
	kept = (struct settings_kept){ .n = 0 };
	report_name("stop");
	printed = printed_by(found = journal_recover(&folder, place, &kept, &recovered));
	return found;
}

static enum journal_found recover(void)
{
	return recover_at(fake_tracefs);
}

static void put_journal(const char *body)
{
	char id[BOOT_ID_SIZE];

	boot_id_read(id);
	assert_int_equal(strlen(id), 36);
	scratch_put("out/.journal", formatted("jankd-journal 1 %s\n%s", id, body));
	chmod(scratch_path("out/.journal"), 0600);
}

/* The journal is in the folder, or not any more, and the message names something; "": there is
 * none. */
static void leaves(bool is_left, const char *name)
{
	assert_int_equal(scratch_has("out/.journal"), is_left);
	if (name[0])
		assert_contains(printed, name);
	else
		assert_string_equal(printed, "");
}

static void is_set(const char *name, const char *value)
{
	assert_string_equal(scratch_get(formatted("tr/%s", name)), value);
}

TEST(settings_of_a_killed_capture_are_restored)
{
	struct stat info;

	write_journal("place\nbuffer_percent 50\nbuffer_size_kb 1408\ntracing_on 0\n",
		      "place\nbuffer_percent 50\nbuffer_size_kb 2048\ntracing_on 1\n");
	/* No other user may write it, and no incomplete journal is left. */
	assert_int_equal(stat(scratch_path("out/.journal"), &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_false(scratch_has("out/..journal.tmp"));
	assert_int_equal(recover(), JOURNAL_DONE);
	/* Others have changed it. */
	is_set("buffer_size_kb", "7777\n");
	is_set("tracing_on", "0\n");
	assert_int_equal(kept.n, 1);
	assert_string_equal(kept.text, "buffer_size_kb 7777");
	leaves(false, "buffer_size_kb 7777");
	/* Only once. */
	scratch_put("tr/tracing_on", "1\n");
	assert_int_equal(recover(), JOURNAL_NONE);
	is_set("tracing_on", "1\n");
	leaves(false, "");
}

TEST(instance_made_by_jankd_is_removed)
{
	scratch_mkdir("tr/instances/jankd-1/busy");
	write_journal("made jankd-1\nmade .\nmade\n", "");
	assert_int_equal(recover(), JOURNAL_BUSY);
	leaves(true, "instance jankd-1");
	rmdir(scratch_path("tr/instances/jankd-1/busy"));
	assert_int_equal(recover(), JOURNAL_DONE);
	assert_true(scratch_has("tr/instances") && !scratch_has("tr/instances/jankd-1"));
	leaves(false, "");
}

TEST(failed_restore_keeps_the_journal)
{
	/* A folder cannot be written even by root. */
	unlink(scratch_path("tr/tracing_on"));
	scratch_mkdir("tr/tracing_on");
	scratch_put("tr/instances/x", "0\n");
	put_journal("place\nplace x\nplace\nmade x\nend\n");
	assert_int_equal(recover(), JOURNAL_FAILED);
	assert_int_equal(recovered.error, -ENOTDIR);
	assert_contains(printed, "cannot be written: instance x: ");
	leaves(true, "/.journal");
	assert_contains(printed, strerror(ENOTDIR));
	/* A start that fails for it leaves nothing locked. */
	assert_int_equal(tracing_undo_begin(&undo, &capture_options, &folder), EXIT_FAILED);
	tracing_undo_end(&undo);
}

TEST(missing_tracefs_keeps_the_journal)
{
	write_journal("place\ntracing_on 0\n", "");
	assert_int_equal(recover_at(scratch_path("nowhere")), JOURNAL_FAILED);
	leaves(true, "--tracefs");
}

/* --- what may not be the journal of this boot --- */

/* Recovers @expected, and changes nothing. */
static void changes_nothing(enum journal_found expected)
{
	assert_int_equal(recover(), expected);
	is_set("tracing_on", "1\n");
}

TEST(what_is_no_journal_of_this_boot_changes_nothing)
{
	static const char whole[] = "place\ntracing_on 0\nend\n";
	char path[256];

	snprintf(path, sizeof(path), "%s", scratch_path("out/.journal"));
	scratch_put("out/.journal", "jankd-journal 1 00000000-0000-0000-0000-000000000000\n"
				    "place\ntracing_on 0\nend\n");
	chmod(path, 0600);
	changes_nothing(JOURNAL_NONE);
	leaves(false, "");
	/* Without its last line. */
	put_journal("place\ntracing_on 0\n");
	changes_nothing(JOURNAL_NONE);
	leaves(false, "/.journal");
	/* Too large by a byte; before that, NULs hide its last line. */
	put_journal(whole);
	assert_int_equal(truncate(path, 3 * SETTINGS_MAX - 1), 0);
	changes_nothing(JOURNAL_NONE);
	put_journal(whole);
	assert_int_equal(truncate(path, 3 * SETTINGS_MAX), 0);
	changes_nothing(JOURNAL_FAILED);
	/* Another user may have written it. */
	put_journal(whole);
	chmod(path, 0620);
	changes_nothing(JOURNAL_FAILED);
	leaves(true, "/.journal");
	chmod(path, 0602);
	changes_nothing(JOURNAL_FAILED);
	chmod(path, 0600);
	rename(path, scratch_path("elsewhere"));
	assert_int_equal(symlink(scratch_path("elsewhere"), path), 0);
	changes_nothing(JOURNAL_FAILED);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	changes_nothing(JOURNAL_FAILED);
}

/* --- folders of other captures --- */

static enum capture_recovered recover_folder(const char *path)
{
	struct options options = options_default(OPTIONS_STOP);

	options.folder = path;
	return capture_recover(&options, NULL);
}

TEST(journal_of_another_folder_is_recovered)
{
	assert_int_equal(recover_folder(scratch_path("tr")), CAPTURE_NOT_KILLED);
	assert_int_equal(recover_folder(scratch_path("none")), CAPTURE_NOT_KILLED);
	assert_false(scratch_has("tr/.lock") || scratch_has("none"));
	/* Its capture runs. */
	write_journal("place\ntracing_on 0\n", "");
	printed_begin(2);
	assert_int_equal(recover_folder(folder.path), CAPTURE_UNRECOVERED);
	printed = printed_end();
	leaves(true, "jankd: stop: ");
	/* Of another boot, so that the test does not change the tracing of this machine. */
	scratch_put("dead/.journal", "jankd-journal 1 another-boot\nplace\nend\n");
	chmod(scratch_path("dead/.journal"), 0600);
	assert_int_equal(recover_folder(scratch_path("dead")), CAPTURE_NOT_KILLED);
	assert_false(scratch_has("dead/.journal"));
}
