/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/boot_id.h"
#include "daemon/report.h"
#include "daemon/tracefs.h"

#define NAME ".journal"

/* The capture is to begin. */
#define ATRACE_MS 2000

/* Lines of what we made of the settings begin with it. */
#define SET "set "

/* Two texts. */
#define JOURNAL_MAX (3 * SETTINGS_MAX)

/* Its first line, which says of which boot the rest is, and its last: without it, it was cut. */
#define HEAD "jankd-journal 1 "
#define END "end\n"

static void head_line(char line[static 96])
{
	char id[BOOT_ID_SIZE];

	boot_id_read(id);
	snprintf(line, 96, HEAD "%s\n", id);
}

/* Every line of @settings behind SET. What does not fit is left out: then all is put back. */
static void mark_set(struct settings *marked, const struct settings *settings)
{
	struct span rest = settings_text(settings), line;
	char text[sizeof(SET) + SETTINGS_LINE_MAX];

	while (settings_next_line(&rest, &line)) {
		int n = snprintf(text, sizeof(text), SET "%.*s", (int)line.len, line.ptr);

		if (n > 0 && (size_t)n < sizeof(text))
			settings_add_line(marked, (struct span){ text, (size_t)n });
	}
}

int journal_write(const struct folder *folder, const struct settings *before,
		  const struct settings *set)
{
	struct settings marked = { 0 };
	int fd = folder_create_temporary(folder, NAME);
	char head[96];
	int error;

	if (fd < 0)
		return fd;
	head_line(head);
	mark_set(&marked, set);
	error = folder_write(fd, head, strlen(head));
	if (error == 0)
		error = folder_write(fd, before->text ? before->text : "", before->len);
	if (error == 0)
		error = folder_write(fd, marked.text ? marked.text : "", marked.len);
	if (error == 0)
		error = folder_write(fd, END, strlen(END));
	settings_free(&marked);
	return folder_replace(folder, NAME, fd, error);
}

void journal_remove(const struct folder *folder)
{
	unlinkat(folder->fd, NAME, 0);
}

/* Is it a file that we, or root, have written? */
static bool is_ours(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
	       (info.st_uid == geteuid() || info.st_uid == 0) && info.st_size < JOURNAL_MAX;
}

/* Reads it; the caller frees the text. Returns its length, or -errno. */
static ssize_t read_journal(const struct folder *folder, char **text)
{
	int fd = openat(folder->fd, NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = 0;
	size_t len = 0;

	if (fd < 0)
		return -errno;
	*text = is_ours(fd) ? malloc(JOURNAL_MAX) : NULL;
	while (*text && (n = read(fd, *text + len, JOURNAL_MAX - len)) > 0)
		len += (size_t)n;
	close(fd);
	return *text && n == 0 ? (ssize_t)len : -EIO;
}

/* The settings in a journal of this boot; empty where it is another's, or not whole. */
static struct span settings_in(struct span text)
{
	struct span end = SPAN_LITERAL(END);
	char head[96];

	head_line(head);
	if (!span_starts_with(text, span_of(head)))
		return SPAN_NULL;
	text = span_skip(text, strlen(head));
	if (text.len < end.len || memcmp(text.ptr + text.len - end.len, END, end.len) != 0)
		return SPAN_NULL;
	text.len -= end.len;
	return text;
}

/* The two texts of a journal. */
static void split(struct span text, struct settings *before, struct settings *set)
{
	struct span line;

	while (settings_next_line(&text, &line)) {
		if (span_starts_with(line, SPAN_LITERAL(SET)))
			settings_add_line(set, span_skip(line, strlen(SET)));
		else
			settings_add_line(before, line);
	}
}

static unsigned int restore(struct span text, const char *directory, struct settings_left *left)
{
	const struct settings_ending ending = { .atrace_ms = ATRACE_MS };
	struct android_asking asking = android_ask(false);
	struct settings before = { 0 }, set = { 0 }, aim = { 0 };
	unsigned int failures;

	split(text, &before, &set);
	settings_aim_now(&aim, &before, &set, directory, &asking, left);
	failures = settings_restore(settings_text(aim.incomplete ? &before : &aim), directory,
				    &ending);
	settings_free(&aim);
	settings_free(&before);
	settings_free(&set);
	return failures;
}

static enum journal_found put_back(const char *command, struct span settings, const char *tracefs,
				   struct settings_left *left)
{
	char directory[TRACEFS_DIRECTORY_SIZE];
	unsigned int failures;

	/* Where there is no tracefs any more there is nothing to put back. */
	if (tracefs_find(directory, tracefs) < 0)
		return JOURNAL_NONE;
	failures = restore(settings, directory, left);
	if (left->n > 0)
		report("warning: %s: %s: another program has changed settings since a jankd was "
		       "killed: left as they are: %s; change them where they are not wanted",
		       command, directory, left->text);
	if (failures == 0)
		return JOURNAL_DONE;
	report("warning: %s: %s: %u settings cannot be put back as they were before a jankd that "
	       "was killed; look at buffer_size_kb and tracing_on there",
	       command, directory, failures);
	return JOURNAL_FAILED;
}

enum journal_found journal_recover(const struct folder *folder, const char *command,
				   const char *tracefs, struct settings_left *left)
{
	enum journal_found found = JOURNAL_NONE;
	char *text = NULL;
	ssize_t len = read_journal(folder, &text);
	struct span settings = SPAN_NULL;

	if (len == -ENOENT)
		return JOURNAL_NONE;
	if (len > 0)
		settings = settings_in((struct span){ text, (size_t)len });
	if (settings.len > 0)
		found = put_back(command, settings, tracefs, left);
	free(text);
	journal_remove(folder);
	return found;
}

enum journal_found journal_recover_at(const char *command, const char *path)
{
	struct settings_left left = { .n = 0 };
	enum journal_found found;
	struct folder folder;
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/" NAME, path);
	if (access(name, F_OK) < 0)
		return JOURNAL_NONE;
	if (folder_open(&folder, command, path) < 0)
		return JOURNAL_FAILED;
	found = journal_recover(&folder, command, NULL, &left);
	folder_close(&folder);
	return found;
}
