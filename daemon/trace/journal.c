/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/trace/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/android/android.h"
#include "daemon/base/ids.h"
#include "daemon/base/report.h"
#include "daemon/base/text_file.h"
#include "daemon/trace/tracefs.h"

/* Time limit for the end of atrace: a capture waits for it before it starts. */
#define ATRACE_MS 2000

/* Prefix of the lines with the settings that jankd has set. */
#define SET "set "

/* Enough for two texts of settings. */
#define JOURNAL_MAX (3 * SETTINGS_MAX)

/* The first line, with the boot id, and the last line. Without the last line, the file was cut. */
#define HEAD "jankd-journal 1 "
#define END "end\n"

static void head_line(char line[static 96])
{
	char id[BOOT_ID_SIZE];

	boot_id_read(id);
	snprintf(line, 96, HEAD "%s\n", id);
}

char *journal_text(const struct settings *settings)
{
	char *text = NULL, head[96];
	size_t len = 0;
	FILE *file = settings->incomplete ? NULL : open_memstream(&text, &len);
	bool is_whole;

	if (!file)
		return NULL;
	head_line(head);
	fputs(head, file);
	for (int which = SETTINGS_BEFORE; which <= SETTINGS_OURS; which++)
		for (size_t i = 0; i < settings->n; i++)
			if (settings->list[i].lines[which])
				fprintf(file, "%s%s\n", which == SETTINGS_OURS ? SET : "",
					settings->list[i].lines[which]);
	fputs(END, file);
	is_whole = !ferror(file);
	is_whole &= fclose(file) == 0;
	if (is_whole && len < JOURNAL_MAX)
		return text;
	free(text);
	return NULL;
}

/* Checks that no other user can have written the file, because its lines change the tracing of the
 * whole machine. Returns 0 or -errno. */
static int check_ours(int fd)
{
	struct stat info;

	if (fstat(fd, &info) < 0)
		return -errno;
	if (!S_ISREG(info.st_mode))
		return -EINVAL;
	if (info.st_size >= JOURNAL_MAX)
		return -EFBIG;
	return info.st_uid == geteuid() && !(info.st_mode & 022) ? 0 : -EPERM;
}

/* Reads the journal. The caller frees *text. Returns its length or -errno. */
static ssize_t read_journal(const struct folder *folder, char **text)
{
	int fd = folder_open_journal(folder);
	int error = fd < 0 ? fd : check_ours(fd);

	*text = NULL;
	if (error == 0)
		return text_file_read_all(text, fd, JOURNAL_MAX);
	if (fd >= 0)
		close(fd);
	return error;
}

/* Skips the first line of @text. Returns false if the journal is of another boot: that has reset
 * all settings. */
static bool skip_head(struct span *text)
{
	char head[96];

	head_line(head);
	if (!span_starts_with(*text, span_of(head)))
		return false;
	*text = span_skip(*text, strlen(head));
	return true;
}

/* Removes the last line from @text. Returns false if it is missing. */
static bool cut_end(struct span *text)
{
	struct span end = SPAN_LITERAL(END);

	if (text->len < end.len || memcmp(text->ptr + text->len - end.len, END, end.len) != 0)
		return false;
	text->len -= end.len;
	return true;
}

static void restore(struct settings *settings, struct span text, const char *directory,
		    struct settings_kept *kept)
{
	const struct settings_ending ending = { .atrace_ms = ATRACE_MS };
	struct property_budget budget = property_budget_begin(false);

	settings_parse(settings, SETTINGS_BEFORE, text, "");
	settings_parse(settings, SETTINGS_OURS, text, SET);
	settings_find_changes(settings, directory, &budget, kept);
	settings_restore(settings, directory, &ending);
}

/* Reports why the settings cannot be restored. The journal is kept. */
static enum journal_found keep(const struct folder *folder, const char *command,
			       const char *why_and_advice)
{
	report("%s: %s/.journal: cannot undo the changes that a killed jankd made to tracing: %s",
	       command, folder->path, why_and_advice);
	return JOURNAL_FAILED;
}

static enum journal_found restore_settings(const struct folder *folder, const char *command,
					   struct span journal, const char *tracefs,
					   struct settings_kept *kept, struct settings *settings)
{
	char directory[TRACEFS_DIRECTORY_SIZE];
	char text[SETTINGS_TEXT_SIZE], why[SETTINGS_TEXT_SIZE + 192];
	char refusal[TRACEFS_REFUSAL_SIZE];
	int error = tracefs_find(directory, tracefs);

	if (error == -EACCES || error == -EPERM) {
		tracefs_refusal_of_mount(refusal, directory, tracefs, error);
		return keep(folder, command, refusal);
	}
	if (error < 0)
		return keep(folder, command,
			    "no tracefs found; mount it, or name it with --tracefs; to keep the "
			    "changes, remove .journal");
	restore(settings, journal, directory, kept);
	if (kept->n > 0)
		report("warning: %s: %s: another program has changed settings since a jankd was "
		       "killed: not restored: %s; reset them if needed",
		       command, directory, kept->text);
	if (settings->n_failed == 0)
		return JOURNAL_DONE;
	settings_format_failed(text, settings);
	if (settings_are_instances(settings)) {
		report("warning: %s: %s: cannot remove %s, which an earlier jankd created: "
		       "another program has a file of that instance open; the next start or stop "
		       "with the same -F tries again",
		       command, directory, text);
		return JOURNAL_BUSY;
	}
	snprintf(
		why, sizeof(why),
		"these settings cannot be written: %s: %s; run 'jankd stop' as root or as the user "
		"who ran that jankd, or set them yourself and remove .journal",
		text, strerror(-settings->error));
	return keep(folder, command, why);
}

/* Returns true if there is a journal of another user. Even root does not restore it: that user may
 * have written anything into it. */
static bool is_of_another(const struct folder *folder)
{
	int fd = folder->state_dir.is_apart ? state_dir_find_others(folder->path, STATE_DIR_JOURNAL)
					    : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

enum journal_found journal_recover(const struct folder *folder, const char *command,
				   const char *tracefs, struct settings_kept *kept,
				   struct settings *settings)
{
	enum journal_found found = JOURNAL_NONE;
	char *text = NULL;
	ssize_t len = read_journal(folder, &text);
	struct span journal;
	char why[192];

	if (len == -ENOENT) {
		if (!is_of_another(folder))
			return JOURNAL_NONE;
		len = -EPERM;
	}
	if (len < 0) {
		free(text);
		snprintf(why, sizeof(why),
			 "%s; run 'jankd stop' as the user who ran that jankd; or remove the file "
			 "to keep the changes",
			 len == -EPERM ? "another user may have written it" : folder_why((int)len));
		return keep(folder, command, why);
	}
	journal = (struct span){ text, (size_t)len };
	if (skip_head(&journal) && cut_end(&journal))
		found = restore_settings(folder, command, journal, tracefs, kept, settings);
	else if (journal.len < (size_t)len)
		report("warning: %s: %s/.journal: damaged: what a killed jankd has changed is "
		       "unknown; check buffer_size_kb and tracing_on",
		       command, folder->path);
	free(text);
	if (found == JOURNAL_NONE || found == JOURNAL_DONE)
		folder_remove_journal(folder);
	return found;
}
