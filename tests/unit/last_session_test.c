/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of the last capture of a folder, 'jankd start --resume', and 'jankd files'. */
#include "tests/unit/unit.h"

#include <sys/stat.h>

#include "tests/unit/live.h"

FIXTURE(live_set_up, live_tear_down)

static const char *session(void)
{
	return scratch_get("out/session.json");
}

/* Replaces the first @from in session.json. */
static void edit(const char *from, const char *to)
{
	const char *text = session(), *at = strstr(text, from);
	static char edited[65536];

	assert_non_null(at);
	snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	scratch_put("out/session.json", edited);
}

/* A later boot has another id. */
static void reboot(void)
{
	edit("\"boot_id\":\"", "\"boot_id\":\"0");
}

static int status(const char *word)
{
	return live_ask("status", word);
}

/* --- how it ended --- */

/* What 'jankd status' and 'status --json' say of a capture that does not run. */
static void status_says(const char *text, const char *end)
{
	assert_int_equal(status(NULL), 1);
	assert_one_line(program_err());
	assert_contains(program_err(), text);
	assert_int_equal(status("--json"), 1);
	assert_begins(program_out(),
		      "{\n  \"schema\":1,\n  \"running\":false,\n  \"folder\":\"out\",\n"
		      "  \"session_id\":\"");
	assert_contains(program_out(),
			formatted("\",\n  \"ended_by\":\"%s\",\n  \"last_write\":\"20", end));
}

TEST(status_says_how_the_capture_ended)
{
	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(50);
	live_wait_rows("frames.csv", 20);
	assert_int_equal(status("--json"), 0);
	assert_contains(program_out(), "\"running\":true", "\"ended\":null");
	live_kill();
	status_says("no capture writes to this folder: the last one was killed, or could not "
		    "complete its files, after its last write at 20",
		    "kill");
	reboot();
	status_says("no capture writes to this folder: the last one was ended by a reboot at 20",
		    "reboot");
	live_ask("doctor", NULL);
	assert_contains(program_out(), "ended by a reboot at 20", "after its last write at 20");
	/* The next start keeps the files. */
	live_run("--no-atrace", NULL);
	assert_true(live_rows("frames-000001.csv") >= 20);
	assert_true(scratch_has("out/session-000001.json"));
	/* A capture that was stopped was not killed. */
	live_frames(10);
	live_stop();
	assert_contains(session(), "\"ended\":\"20");
	reboot();
	status_says("jankd: status: ", "stop");
	assert_lacks(scratch_get("status.err"), "killed", "reboot");
}

static int resume(const char *option, const char *value)
{
	return program_run("start", "--resume", "-F", "out", option, value, NULL);
}

/* It says so in one line. */
static void is_not_resumed(const char *reason)
{
	assert_int_equal(resume(NULL, NULL), 1);
	assert_one_line(program_err());
	assert_contains(program_err(), reason);
	assert_string_equal(program_out(), "");
}

/* Files that any program can have written. */
TEST(other_files_are_no_session)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"{\"schema\": 1}",
		"{\"jankd\": 7, \"command\": [], \"ended\": null}",
		"{\"jankd\": \"1\", \"command\": \"analyze\", \"ended\": null}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		scratch_put("out/session.json", texts[i]);
		assert_int_equal(status(NULL), 1);
		assert_contains(program_err(), "name the folder of a running capture");
		assert_int_equal(status("--json"), 1);
		assert_string_equal(program_out(), "");
		is_not_resumed("start: --resume: ");
	}
}

/* --- going on --- */

TEST(a_start_can_resume_with_the_same_options)
{
	program_run("rules", "show", "default", NULL);
	scratch_put("my.rules", program_out());
	live_start("--no-atrace", "--rules", "my.rules", "-T2", "--frames-l", "--include", "com.a*",
		   "--include", "com.b*", "-t", "30", "--trigger", "fps<30 for 3s",
		   "--rotate-size=8K", NULL);
	live_kill();
	reboot();
	assert_int_equal(resume(NULL, NULL), 0);
	assert_contains(session(), "\"frames_log\":true", "\"type\":2", "\"target\":30",
			"\"atrace\":false", "\"rotate_size\":8192", "\"trigger\":\"fps<30 for 3s\"",
			"\"com.a*\"", "\"com.b*\"");
	live_kill();

	/* The command line has precedence; and again from what was resumed. */
	assert_int_equal(resume("--include", "com.c*"), 0);
	assert_contains(session(), "\"type\":2", "\"com.c*\"");
	assert_lacks(session(), "com.a*");
	live_kill();
	/* Relative paths are those of the first start. */
	scratch_mkdir("elsewhere");
	assert_int_equal(
		system(formatted("cd %s/elsewhere && %s start --resume -F ../out -T 1 >../said",
				 scratch_root, program_jankd())),
		0);
	assert_contains(session(), "/my.rules\"", "\"type\":1", "\"com.c*\"");
	live_kill();
}

TEST(impossible_options_are_refused)
{
	static const char *const words[] = { "--type=9",     "--help",	   "--folder=/tmp",
					     "--resume",     "stray",	   "--stdout",
					     "-T2",	     "--nonsense", "",
					     "--no-atrace=1" };

	live_run("--no-atrace", "--yield", NULL);
	live_kill();
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const char *word = formatted("\"%s\"", words[i]);

		edit("\"--yield\"", word);
		is_not_resumed("");
		edit(word, "\"--yield\"");
	}
	assert_int_equal(resume("--categories", "gfx"), 1);
	assert_contains(program_err(), "--categories");
	edit("\"arguments\"", "\"others\"");
	is_not_resumed("no options");
	unlink(scratch_path("out/session.json"));
	is_not_resumed("No such file");
}

/* jankd writes to the tracefs that is named there, and would wait for the writer of a FIFO. */
TEST(a_file_that_others_can_write_names_no_files)
{
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	live_run("--no-atrace", "--yield", "--rules", "default", NULL);
	live_kill();
	assert_int_equal(chmod(scratch_path("out/session.json"), 0666), 0);
	is_not_resumed("it names a file");
	assert_int_equal(resume("--tracefs", "tr"), 0);
	live_kill();
	edit("\"--yield\"", formatted("\"--rules=%s/fifo\"", scratch_root));
	assert_int_equal(chmod(scratch_path("out/session.json"), 0666), 0);
	assert_int_equal(resume("--tracefs", "tr"), 1);
	assert_contains(program_err(), "it names a file");
	/* 'stop' does not wait for it, either. With the journal it would restore the settings in
	 * the tracefs of this machine, as the file does not count that names another one. */
	assert_int_equal(unlink(scratch_path("out/.journal")), 0);
	assert_int_equal(live_ask("stop", NULL), 1);
	assert_one_line(program_err());
}

static void assert_mode(const char *name, unsigned int mode)
{
	struct stat info;

	assert_int_equal(stat(scratch_path(name), &info), 0);
	assert_int_equal(info.st_mode & 0777, mode);
}

/* An init service of Android has the umask 0. Its files would not count for 'start --resume'. */
TEST(others_cannot_write_to_the_files_whatever_the_umask)
{
	assert_int_equal(program_run("rules", "show", "default", NULL), 0);
	scratch_put("my.rules", program_out());
	umask(0);
	live_run("--no-atrace", "--rules", "my.rules", NULL);
	umask(077);
	live_kill();
	assert_mode("out", 0755);
	assert_mode("out/fps.csv", 0644);
	assert_mode("out/session.json", 0644);
	assert_int_equal(resume("--tracefs", "tr"), 0);
	live_kill();
	assert_mode("out/fps.csv", 0600);
	assert_mode("out/fps-000001.csv", 0644);
	umask(022);
}

/* --- 'jankd files': the list of a folder, and parts of its files --- */

static int set_up(void **state)
{
	live_set_up(state);
	scratch_mkdir("out");
	return 0;
}

FIXTURE(set_up, live_tear_down)

static void list(void)
{
	assert_int_equal(program_run("files", "-F", "out", NULL), 0);
}

static int read_from(const char *name, const char *offset)
{
	return program_run("files", "-F", "out", "--read", name, "--from", offset, NULL);
}

static void put(const char *name, const char *text)
{
	scratch_put(formatted("out/%s", name), text);
}

TEST(closed_files_have_the_checksum_of_cksum)
{
	static unsigned char bytes[70000];
	static const size_t lengths[] = { 0,   1,   7,	   8,	  9,	 15,   16,
					  255, 256, 65535, 65536, 65537, 70000 };
	char line[100];
	FILE *sums;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i * 31 + i / 7);
	for (size_t i = 0; i < COUNT_OF(lengths); i++)
		scratch_put_bytes(formatted("out/%zu.csv", lengths[i]), bytes, lengths[i]);
	list();
	assert_begins(program_out(), "session - ended ");
	sums = popen(formatted("cd %s/out && cksum *.csv", scratch_root), "r");
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		assert_non_null(fgets(line, sizeof(line), sums));
		assert_contains(program_out(), formatted("\nclosed %s", line));
	}
	pclose(sums);
}

TEST(other_than_plain_files_are_left_out)
{
	static const char *const names[] = { ".journal",	"-x.csv",      "a b.csv",
					     "a\nclosed 1 2 b", "\x1b[2J.csv", "\xff.csv",
					     "a\\b.csv" };
	struct stat info;

	put("fps.csv", "hello\n");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		put(names[i], "x");
	scratch_mkdir("out/folder.csv");
	assert_int_equal(symlink("fps.csv", scratch_path("out/link.csv")), 0);
	assert_int_equal(mkfifo(scratch_path("out/fifo.csv"), 0600), 0);
	list();
	assert_string_equal(strchr(program_out(), '\n'), "\nclosed 3015617425 6 fps.csv\n");
	assert_int_equal(program_run("files", "-F", "out", "--times", NULL), 0);
	assert_int_equal(stat(scratch_path("out/fps.csv"), &info), 0);
	assert_string_equal(strchr(program_out(), '\n'),
			    formatted("\nchanged %lld.%09ld 6 fps.csv\n",
				      (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec));
}

TEST(listed_names_are_read_from_an_offset)
{
	static const char *const names[] = { "../secret",  "./fps.csv",	  ".journal", "link.csv",
					     "folder.csv", "/etc/passwd", "none.csv", "-x" };

	scratch_put("secret", "secret");
	put(".journal", "secret");
	put("fps.csv", "hello\n");
	assert_int_equal(read_from("fps.csv", "2"), 0);
	assert_string_equal(program_out(), "llo\n");
	assert_int_equal(read_from("fps.csv", "6"), 0);
	assert_string_equal(program_out(), "");
	assert_int_equal(read_from("fps.csv", "7"), 1);
	assert_contains(program_err(), "6 bytes");
	scratch_mkdir("out/folder.csv");
	assert_int_equal(symlink("../secret", scratch_path("out/link.csv")), 0);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(read_from(names[i], "0"), 1);
		assert_string_equal(program_out(), "");
		assert_contains(program_err(), "jankd: files: --read ");
	}
	assert_int_equal(program_run("files", "-F", "nowhere", NULL), 1);
	assert_contains(program_err(), "jankd: files: nowhere: ");
}

/* The id in session.json; valid until the next call. */
static const char *session_id(void)
{
	const char *at = strstr(session(), "\"session_id\":\"");

	return formatted("%.16s", at ? at + 14 : "");
}

TEST(files_of_a_running_capture_are_open)
{
	char first[17];

	live_run("--no-atrace", "--frames-log", NULL);
	live_frames(50);
	live_wait_rows("frames.csv", 20);
	assert_int_equal(live_ask("rotate", NULL), 0);
	list();
	strcpy(first, session_id());
	assert_int_equal(strlen(first), 16);
	assert_begins(program_out(), formatted("session %s running ", first));
	assert_contains(program_out(), " frames.csv\n", " frames-000001.csv\n", " session.json\n");
	for (const char *at = strtok((char *)program_out(), "\n"); at; at = strtok(NULL, "\n")) {
		const char *name = strrchr(at, ' ') + 1;
		bool grows = strchr(name, '-') == NULL && strstr(name, ".csv") &&
			     strcmp(name, "summary.csv") != 0;

		if (strncmp(at, "session ", 8) != 0)
			assert_int_equal(strncmp(at, "open - ", 7) == 0, grows);
	}
	assert_int_equal(live_ask("stop", NULL), 0);
	live_end();
	list();
	assert_begins(program_out(), formatted("session %s ended ", first));
	assert_lacks(program_out(), "\nopen ");
	/* Each start has an id of its own. */
	live_run("--no-atrace", NULL);
	assert_string_not_equal(session_id(), first);
}
